//! Rankings: `GET /v1/{site}/boards/{board}/{window}`, and several at once: `GET /v1/{site}/top`.

use http::header::{self, HeaderName};
use http::{HeaderValue, Request, Response, StatusCode};

use super::query::Query as Parameters;
use super::{Problem, find_board, readable_by_all, text};
use crate::adapter::Applied;
use crate::app::cache::Level;
use crate::app::rankings::{How, Missing, Query, Question, Ranking, Served};
use crate::app::{App, Runtime};
use crate::ranking::period::{Period, hour_start};
use crate::ranking::site::{Board, Site};
use crate::ranking::window::{Unit, Window};

const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");

/// Entries on a page unless `limit` says otherwise.
const DEFAULT_LIMIT: u32 = 10;

/// Rankings that are read at once, at most.
const MAX_RANKINGS: usize = 20;

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
    let (board, window) = find(site, board, window)?;
    let parameters = Parameters::read(request, &["limit", "offset", "period"])?;
    let limit = parameters.number("limit", DEFAULT_LIMIT.min(board.limit), 1, board.limit)?;
    let offset = parameters.number("offset", 0, 0, board.limit - limit)?;
    let of = ranking(site, board, window, &parameters)?;
    answer(app, site, Question::Top { of, offset, limit }, request).await
}

/// The first pages of several rankings, in one round trip: `?boards=articles/day,people/month`. The statuses are those of
/// [`get`]; a board's own `limit` is kept where it is less.
pub async fn several<R: Runtime>(app: &App<R>, site: &Site, request: &Request<Vec<u8>>) -> Result<Response<Vec<u8>>, Problem> {
    let parameters = Parameters::read(request, &["boards", "limit"])?;
    let invalid = |detail: String| Problem::bad_request("invalid-parameter", detail);
    let allowed = format!("allowed: 1 to {MAX_RANKINGS} of board/window, separated by commas");
    let names = parameters.text("boards").ok_or_else(|| invalid(format!("boards is missing; {allowed}")))?;
    let mut of = Vec::new();
    for name in names.split(',') {
        let (board, window) = name.split_once('/').ok_or_else(|| invalid(format!("boards = {names:?} is not allowed; {allowed}")))?;
        let (board, window) = find(site, board, window)?;
        of.push(Ranking { board: board.name.clone(), window: window.clone(), period: None, hour_starts_at: None });
    }
    if of.len() > MAX_RANKINGS {
        return Err(invalid(format!("boards names {} rankings; {allowed}", of.len())));
    }
    let most = site.boards.values().map(|board| board.limit).max().unwrap_or(1);
    let limit = parameters.number("limit", DEFAULT_LIMIT.min(most), 1, most)?;
    answer(app, site, Question::Tops { of, limit }, request).await
}

/// Answers a question about rankings, through the caches.
pub(super) async fn answer<R: Runtime>(
    app: &App<R>,
    site: &Site,
    question: Question,
    request: &Request<Vec<u8>>,
) -> Result<Response<Vec<u8>>, Problem> {
    let query = Query { site: site.name.clone(), question };
    let served = app.ranking(&query).await.map_err(problem)?;
    Ok(readable_by_all(respond(&served, text(request, &header::IF_NONE_MATCH))))
}

pub(super) fn problem(missing: Missing) -> Problem {
    match missing {
        Missing::NoSuchPeriod(why) => Problem::new(StatusCode::NOT_FOUND, "unknown-period", format!("the period cannot be had: {why}")),
        Missing::NotOnBoard(id) => {
            Problem::new(StatusCode::NOT_FOUND, "not-on-board", format!("the member {:?} is not on the board in this period", id.as_str()))
        }
        Missing::Redis(error) => Problem::redis(&error, Applied::No),
    }
}

/// A board of the site and a window of the board.
pub(super) fn find<'s>(site: &'s Site, board: &str, window: &str) -> Result<(&'s Board, &'s Window), Problem> {
    let board = find_board(site, board)?;
    let window = board.window(window).ok_or_else(|| {
        let windows: Vec<&str> = board.windows.iter().map(|window| window.name.as_str()).collect();
        let detail = format!("the board {} has no window {window:?}; it has {}", board.name, windows.join(", "));
        Problem::new(StatusCode::NOT_FOUND, "unknown-window", detail)
    })?;
    Ok((board, window))
}

/// The ranking of a window, in the period that the parameter `period` names.
pub(super) fn ranking(site: &Site, board: &Board, window: &Window, parameters: &Parameters) -> Result<Ranking, Problem> {
    let unit = window.period_unit();
    let period = parameters.text("period").map(|id| {
        let allowed = unit.map_or("nothing: the window has no periods", Period::allowed);
        unit.and_then(|unit| Period::parse(unit, id, site.week_starts_on))
            .ok_or_else(|| Problem::bad_request("invalid-period", format!("period = {id:?} is not allowed; allowed: {allowed}")))
    });
    let hour_starts_at = parameters.text("period").filter(|_| unit == Some(Unit::Hour)).and_then(hour_start);
    Ok(Ranking { board: board.name.clone(), window: window.clone(), period: period.transpose()?, hour_starts_at })
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
