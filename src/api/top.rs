//! Rankings: `GET /v1/{site}/boards/{board}/{window}`.

use http::header::{self, HeaderName};
use http::{HeaderValue, Request, Response, StatusCode};

use super::query::Query as Parameters;
use super::{Problem, readable_by_all, text};
use crate::adapter::Applied;
use crate::app::cache::Level;
use crate::app::rankings::{How, Missing, Query, Served};
use crate::app::{App, Runtime};
use crate::ranking::period::{Period, hour_start};
use crate::ranking::site::Site;
use crate::ranking::window::Unit;

const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");

/// Entries on a page unless `limit` says otherwise.
const DEFAULT_LIMIT: u32 = 10;

/// 1. 404 for a board or window that the site has not, or a period that is not kept; 400 for wrong parameters.
/// 2. 503 when Redis does not answer and nothing was ever served.
/// 3. 304 when the client has this version already; else 200.
pub async fn get<R: Runtime>(
    app: &App<R>,
    site: &Site,
    board: &str,
    window: &str,
    request: &Request<Vec<u8>>,
) -> Result<Response<Vec<u8>>, Problem> {
    let query = read(site, board, window, request)?;
    let served = app.ranking(&query).await.map_err(|missing| match missing {
        Missing::NoSuchPeriod(why) => Problem::new(StatusCode::NOT_FOUND, "unknown-period", format!("the period cannot be had: {why}")),
        Missing::Redis(error) => Problem::redis(&error, Applied::No),
    })?;
    Ok(readable_by_all(respond(&served, text(request, &header::IF_NONE_MATCH))))
}

fn read(site: &Site, board: &str, window: &str, request: &Request<Vec<u8>>) -> Result<Query, Problem> {
    let missing = |code, what: String| Problem::new(StatusCode::NOT_FOUND, code, what);
    let board = site.boards.get(board).ok_or_else(|| missing("unknown-board", format!("the site {} has no board {board:?}", site.name)))?;
    let window = board.window(window).ok_or_else(|| {
        let windows: Vec<&str> = board.windows.iter().map(|window| window.name.as_str()).collect();
        missing("unknown-window", format!("the board {} has no window {window:?}; it has {}", board.name, windows.join(", ")))
    })?;
    let parameters = Parameters::read(request, &["limit", "offset", "period"])?;
    let limit = parameters.number("limit", DEFAULT_LIMIT.min(board.limit), 1, board.limit)?;
    let offset = parameters.number("offset", 0, 0, board.limit - limit)?;
    let unit = window.period_unit();
    let period = parameters.text("period").map(|id| {
        let allowed = unit.map_or("nothing: the window has no periods", Period::allowed);
        unit.and_then(|unit| Period::parse(unit, id, site.week_starts_on))
            .ok_or_else(|| Problem::bad_request("invalid-period", format!("period = {id:?} is not allowed; allowed: {allowed}")))
    });
    let hour_starts_at = parameters.text("period").filter(|_| unit == Some(Unit::Hour)).and_then(hour_start);
    let (site, board, window) = (site.name.clone(), board.name.clone(), window.clone());
    Ok(Query { site, board, window, period: period.transpose()?, hour_starts_at, offset, limit })
}

fn respond(served: &Served, if_none_match: Option<&str>) -> Response<Vec<u8>> {
    // Weak: two renderings of one version differ in generated_at.
    let tag = format!("\"{}\"", served.entry.version);
    let unchanged = if_none_match
        .is_some_and(|known| known.split(',').map(str::trim).any(|known| known == "*" || known.trim_start_matches("W/") == tag));
    let mut response = Response::new(if unchanged { Vec::new() } else { served.entry.json.to_vec() });
    if unchanged {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let cache_control = match served.fresh_ms {
        0 => "public, max-age=0, must-revalidate".to_owned(),
        fresh_ms => format!("public, max-age={}", fresh_ms / 1000),
    };
    let headers = [
        (header::CONTENT_TYPE, "application/json".to_owned()),
        (header::CACHE_CONTROL, cache_control),
        (header::ETAG, format!("W/{tag}")),
        (header::AGE, (served.age_ms / 1000).to_string()),
        (CACHE_STATUS, cache_status(served.how)),
    ];
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    }
    let exposed = HeaderValue::from_static("ETag, Age, Cache-Status");
    response.headers_mut().insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    response
}

/// RFC 9211.
fn cache_status(how: How) -> String {
    let level = |level| match level {
        Level::Memory => "memory",
        Level::Edge => "edge",
    };
    match how {
        How::Hit(from) => format!("edgeboard; hit; detail={}", level(from)),
        How::Miss => "edgeboard; fwd=miss".into(),
        How::Renewing(from) => format!("edgeboard; fwd=stale; detail={}", level(from)),
        How::RedisOut(from) => format!("edgeboard; fwd=stale; fwd-status=503; detail={}", level(from)),
    }
}
