//! Rankings: `GET /v1/{site}/boards/{board}/{window}`, and several at once: `GET /v1/{site}/top`.

use std::rc::Rc;

use http::header::{self, HeaderName};
use http::{HeaderValue, Request, Response, StatusCode};
use interface::code::Code;
use interface::route::CF_CONNECTING_IP;
use ranking::name::nearest;
use ranking::page::version_of;
use ranking::period::{Period, hour_start};
use ranking::site::{Board, Site};
use ranking::window::{Unit, Window};

use super::problem::Problem;
use super::{Call, find_board, is_known, text, uncached};
use crate::app::beyond::Beyond;
use crate::app::cache::{KEPT_MS, Level, Lifetime};
use crate::app::rankings::{CacheResult, CachedResponse, Missing, PeriodRef, Read, ReadError, ReadRequest};
use crate::app::{App, Runtime};

pub const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");

/// Entries on a page unless `limit` says otherwise.
pub const DEFAULT_LIMIT: u32 = 10;

/// Rankings that are read at once, at most, and their entries together: as many as one ranking may have.
const MAX_RANKINGS: usize = 20;
const MAX_ENTRIES: u32 = 1_000;

/// 1. 404 for a board or window that the site has not, or a period that is not kept; 400 for wrong parameters. Past the board's `limit`
///    the last snapshot answers, where it has all members.
/// 2. 503 when Redis does not answer and nothing was ever served.
/// 3. 304 when the client has this version already; else 200.
pub async fn get<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    if let Some(read) = super::rest::beyond(app, site, call)? {
        let cached = R::Beyond::past_limit(app, &ReadRequest { site: Rc::clone(site), read, by: String::new() }).await?;
        app.memory.counters.add_read(site.name.as_str(), cached.result);
        return Ok(respond(&cached, call.request));
    }
    let read = page(site, call)?;
    let read = super::rest::compose(app, read, call)?;
    answer(app, site, read, call).await
}

/// The page that the path and the parameters name.
pub fn page(site: &Site, call: &Call<'_>) -> Result<Read, Problem> {
    let of = period_ref(site, call)?;
    let depth = of.board.limit;
    let why = format!(", since the board {} serves its first {depth}", of.board.name);
    let limit = call.query.number("limit", DEFAULT_LIMIT.min(depth), 1, depth, &why)?;
    let why = format!(" with limit = {limit}{why}");
    let offset = call.query.number("offset", 0, 0, depth - limit, &why)?;
    Ok(Read::Top { of, offset, limit })
}

/// The first pages of several rankings, in one round trip: `?boards=articles/day,people/month`. They are answered in the order of
/// their names, so that every order is one cache entry. The statuses are those of [`get`]; a board's own `limit` is kept where
/// it is less.
pub async fn several<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let invalid = |detail: String| Problem::new(Code::InvalidParameter, detail);
    let allowed = format!("allowed: 1 to {MAX_RANKINGS} of board/window, separated by commas");
    let names = call.query.text("boards").ok_or_else(|| invalid(format!("boards is missing; {allowed}")))?;
    let mut of = Vec::new();
    let mut sorted: Vec<&str> = names.split(',').collect();
    sorted.sort_unstable();
    if sorted.len() > MAX_RANKINGS {
        return Err(invalid(format!("boards names {} rankings; {allowed}", sorted.len())));
    }
    let repeated = |pair: &[&str]| matches!(pair, [one, next] if one == next);
    if let Some([twice, ..]) = sorted.windows(2).find(|pair| repeated(pair)) {
        return Err(invalid(format!("boards names {twice} twice; {allowed}")));
    }
    for name in sorted {
        let (board, window) = name.split_once('/').ok_or_else(|| invalid(format!("boards = {names:?} is not allowed; {allowed}")))?;
        let board = find_board(site, board)?;
        let window = find_window(board, window)?.clone();
        of.push(PeriodRef { board: Rc::clone(board), window, period: None, hour_starts_at: None });
    }
    let max = site.boards.values().map(|board| board.limit).max().unwrap_or(1);
    let limit = call.query.number("limit", DEFAULT_LIMIT.min(max), 1, max, "")?;
    // What none of them serves is no other answer.
    let limit = limit.min(of.iter().map(|of| of.board.limit).max().unwrap_or(1));
    let entries: u32 = of.iter().map(|of| limit.min(of.board.limit)).sum();
    if entries > MAX_ENTRIES {
        return Err(invalid(format!("limit = {limit} of {} rankings is {entries} entries; allowed: {MAX_ENTRIES}", of.len())));
    }
    let read = Read::Tops { of, limit };
    let read = super::rest::fill_up(read);
    answer(app, site, read, call).await
}

/// Whether a ranking has no entries, which are the last that it says.
fn shows_nobody(ranking: &[u8]) -> bool {
    ranking.ends_with(b"\"entries\":[]}")
}

/// Answers a read through the caches.
pub async fn answer<R: Runtime>(app: &App<R>, site: &Rc<Site>, read: Read, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let by = call.query.text("period").map_or(String::new(), |_| asker(call.request));
    let request = ReadRequest { site: Rc::clone(site), read, by };
    let revalidates = text(call.request, &header::IF_NONE_MATCH).is_some();
    let read = app.rankings().ranking(&request, revalidates).await;
    let read = match read {
        Ok(cached) if shows_nobody(&cached.entry.json) => Ok(R::Beyond::kept(app, &request, None).await.unwrap_or(cached)),
        Err(error) => R::Beyond::kept(app, &request, Some(&error)).await.ok_or(error),
        read => read,
    };
    let cached = read?;
    app.memory.counters.add_read(site.name.as_str(), cached.result);
    let mut response = respond(&cached, call.request);
    if let Some(steady) = cached.steady {
        response.extensions_mut().insert(steady);
    }
    Ok(response)
}

impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Missing { what, remaining_ms } => {
                let mut problem = match what {
                    Missing::Period(why) => Self::new(Code::UnknownPeriod, format!("the period cannot be had: {why}")),
                    Missing::Member(id) => {
                        Self::new(Code::NotOnBoard, format!("the member {:?} is not on the board in this period", id.as_str()))
                    }
                };
                problem.keep_for(remaining_ms);
                problem
            }
            ReadError::Failed(failure) => Self::redis(failure),
            ReadError::TooMuch(over) => Self::over(over),
            ReadError::Undescribed(error) => Self::database(error),
        }
    }
}

/// The window of a name.
///
/// # Errors
/// 404 where the board has no such window.
pub fn find_window<'b>(board: &'b Board, name: &str) -> Result<&'b Window, Problem> {
    board.window(name).ok_or_else(|| {
        let windows: Vec<&str> = board.windows.iter().map(|window| window.name.as_str()).collect();
        let suggestion = nearest(name, windows.iter().copied()).map_or(String::new(), |nearest| format!("; did you mean {nearest:?}?"));
        let detail = format!("the board {} has no window {name:?}; it has {}{suggestion}", board.name, windows.join(", "));
        Problem::new(Code::UnknownWindow, detail)
    })
}

/// The window that the path names, in the period that the parameter `period` names.
///
/// # Errors
/// 404 for a board or window that the site has not; 400 for what is no period of it.
pub fn period_ref(site: &Site, call: &Call<'_>) -> Result<PeriodRef, Problem> {
    let board = call.board(site)?;
    period_of(site, board, find_window(board, &call.path.window)?, call)
}

/// A window in the period that the parameter `period` names.
///
/// # Errors
/// 400 for what is no period of the window.
pub fn period_of(site: &Site, board: &Rc<Board>, window: &Window, call: &Call<'_>) -> Result<PeriodRef, Problem> {
    let unit = board.period_unit(window);
    let period = call.query.text("period").map(|id| {
        let why = unit
            .map_or_else(|| format!(": the window {} has no periods", window.name), |unit| format!("; allowed: {}", Period::allowed(unit)));
        let invalid = || Problem::new(Code::InvalidPeriod, format!("period = {id:?} is not allowed{why}"));
        let period = unit.and_then(|unit| Period::parse(unit, id, site.week_starts_on));
        let is_one = |period: &Period| unit != Some(Unit::Season) || window.seasons.iter().any(|season| season.starts == period.number);
        period.filter(is_one).ok_or_else(invalid)
    });
    let hour_starts_at = call.query.text("period").filter(|_| unit == Some(Unit::Hour)).and_then(hour_start);
    Ok(PeriodRef { board: Rc::clone(board), window: window.clone(), period: period.transpose()?, hour_starts_at })
}

fn respond(cached: &CachedResponse, request: &Request<Vec<u8>>) -> Response<Vec<u8>> {
    if cached.entry.unbuilt {
        return unbuilt(cached.entry.json.to_vec());
    }
    // Weak: two renderings of one version differ in generated_at.
    let tag = format!("\"{}\"", cached.entry.version);
    // A 304 with max-age=0 has nginx keep what it holds for as long as that once said, past the end of the period.
    let is_out = matches!(cached.result, CacheResult::StaleIfError(_) | CacheResult::Snapshot);
    let unchanged = is_known(request, &tag) && (is_out || cached.lifetime.max_age_s > 0);
    let mut response = Response::new(if unchanged { Vec::new() } else { cached.entry.json.to_vec() });
    if unchanged {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let Lifetime { max_age_s, stale_s } = cached.lifetime;
    let kept_s = KEPT_MS / 1_000;
    let headers = [
        (header::CONTENT_TYPE, "application/json".to_owned()),
        (header::CACHE_CONTROL, format!("public, max-age={max_age_s}, stale-while-revalidate={stale_s}, stale-if-error={kept_s}")),
        (header::ETAG, format!("W/{tag}")),
        (CACHE_STATUS, cache_status(cached.result)),
    ];
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// Who asks: a digest of the address that thousands of addresses share, so that it names nobody.
pub fn asker(request: &Request<Vec<u8>>) -> String {
    let address = request.headers().get(CF_CONNECTING_IP).map_or(&b""[..], HeaderValue::as_bytes);
    version_of(address).chars().take(5).collect()
}

/// A past rolling window that upkeep has yet to build: it is asked for again later.
pub fn unbuilt(json: Vec<u8>) -> Response<Vec<u8>> {
    let mut response = uncached(StatusCode::OK, "application/json", json);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
    response
}

/// RFC 9211.
fn cache_status(result: CacheResult) -> String {
    let level = |level| match level {
        Level::Memory => "memory",
        Level::Edge => "edge",
    };
    match result {
        CacheResult::Hit(from) => format!("edgeboard; hit; detail={}", level(from)),
        CacheResult::Miss => "edgeboard; fwd=miss".into(),
        CacheResult::Unchanged => "edgeboard; fwd=miss; detail=unchanged".into(),
        CacheResult::Stale(from) => format!("edgeboard; fwd=stale; detail={}", level(from)),
        CacheResult::Snapshot => "edgeboard; fwd=stale; fwd-status=503; detail=snapshot".into(),
        CacheResult::Beyond => "edgeboard; hit; detail=snapshot".into(),
        CacheResult::StaleIfError(from) => format!("edgeboard; fwd=stale; fwd-status=503; detail={}", level(from)),
    }
}
