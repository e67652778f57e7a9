//! Where members stand, and why: `…/members/{id}`, `…/members/{id}/explain` and `…/ranks`.

use http::{Request, Response, StatusCode};
use serde_json::Value;

use super::batch::not_allowed;
use super::query::Query as Parameters;
use super::top::{answer, find, problem, ranking};
use super::{MAX_BODY, Problem, read_id, readable_by_all, uncached};
use crate::app::rankings::{Query, Question};
use crate::app::{App, Runtime};
use crate::ranking::name::Id;
use crate::ranking::site::Site;

/// Neighbours on either side, at most.
const MAX_AROUND: u32 = 50;
/// Members whose ranks are asked for at once, at most.
const MAX_IDS: usize = 100;

/// 1. 404 for a board or window that the site has not, or a period that is not kept; 400 for wrong parameters or ids.
/// 2. 503 when Redis does not answer and nothing was ever served.
/// 3. 404 when the member is not on the board; else 200.
pub async fn get<R: Runtime>(
    app: &App<R>,
    site: &Site,
    board: &str,
    window: &str,
    id: &str,
    request: &Request<Vec<u8>>,
) -> Result<Response<Vec<u8>>, Problem> {
    let (board, window) = find(site, board, window)?;
    let id = read_id(id)?;
    let parameters = Parameters::read(request, &["around", "period"])?;
    let around = parameters.number("around", 0, 0, MAX_AROUND)?;
    let of = ranking(site, board, window, &parameters)?;
    answer(app, site, Question::Members { of, ids: vec![id], around: Some(around) }, request).await
}

/// The statuses are those of [`get`]; 404 also where the board keeps no counts by action.
pub async fn explain<R: Runtime>(
    app: &App<R>,
    site: &Site,
    board: &str,
    window: &str,
    id: &str,
    request: &Request<Vec<u8>>,
) -> Result<Response<Vec<u8>>, Problem> {
    let (board, window) = find(site, board, window)?;
    let id = read_id(id)?;
    let parameters = Parameters::read(request, &["period"])?;
    if !board.breakdown {
        let detail = format!("the board {} keeps no counts by action; breakdown = true makes it", board.name);
        return Err(Problem::new(StatusCode::NOT_FOUND, "no-breakdown", detail));
    }
    let of = ranking(site, board, window, &parameters)?;
    answer(app, site, Question::Explain { of, id }, request).await
}

/// Members of up to 100 members, in one call of a script: `{ "ids": [ … ] }`. Not cached.
///
/// 1. 404 for a board or window that the site has not, or a period that is not kept; 400 or 413 for a wrong body.
/// 2. 503 when Redis does not answer.
/// 3. 200 with a rank for each, null for who is not on the board.
pub async fn ranks<R: Runtime>(
    app: &App<R>,
    site: &Site,
    board: &str,
    window: &str,
    request: &Request<Vec<u8>>,
) -> Result<Response<Vec<u8>>, Problem> {
    let (board, window) = find(site, board, window)?;
    let of = ranking(site, board, window, &Parameters::read(request, &["period"])?)?;
    let ids = read_ids(request.body())?;
    let query = Query { site: site.name.clone(), question: Question::Members { of, ids, around: None } };
    let entry = app.read(&query, app.runtime.clock_ms()).await.map_err(problem)?;
    Ok(readable_by_all(uncached(StatusCode::OK, "application/json", entry.json.to_vec())))
}

fn read_ids(body: &[u8]) -> Result<Vec<Id>, Problem> {
    if body.len() > MAX_BODY {
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body-too-large", format!("a body has at most {MAX_BODY} bytes")));
    }
    let json: Value =
        serde_json::from_slice(body).map_err(|error| Problem::bad_request("invalid-json", format!("the body is not JSON: {error}")))?;
    let ids = json.get("ids");
    let list = ids.and_then(Value::as_array).filter(|list| (1..=MAX_IDS).contains(&list.len()));
    let list = list.ok_or_else(|| not_allowed("invalid-ids", "ids", ids, &format!("a list of 1 to {MAX_IDS} ids")))?;
    let read = |(i, id): (usize, &Value)| {
        id.as_str().and_then(Id::new).ok_or_else(|| not_allowed("invalid-id", &format!("ids[{i}]"), Some(id), Id::ALLOWED))
    };
    list.iter().enumerate().map(read).collect()
}
