//! Where members and scores stand, and why: `…/members/{id}`, `…/members/{id}/explain`, `…/rank`, `…/distribution` and `…/ranks`.

use std::rc::Rc;

use http::{Response, StatusCode};
use interface::code::Code;
use ranking::explained::MAX_EXPLAINED;
use ranking::name::Id;
use ranking::site::{Board, Ranking, Site};
use ranking::standing::Asked;
use ranking::window::Kind;
use serde_json::Value;

use super::problem::Problem;
use super::top::{answer, asker, period_ref, unbuilt};
use super::{Call, uncached};
use crate::app::counting::{EventCode, MAX_BODY, Refusal, not_allowed};
use crate::app::rankings::{RankRanges, Read, ReadRequest};
use crate::app::{App, Runtime, price};

/// Neighbours on either side, at most.
const MAX_AROUND: u32 = 50;
/// Members whose ranks are asked for at once, at most.
const MAX_IDS: usize = 100;
/// Those whose ranks are found in the distribution: each is one of the scores that a single command reads.
const MAX_IDS_IN_RANGES: usize = 1_000;

/// 1. 404 for a board or window that the site has not, or a period that is not kept; 400 for wrong parameters or ids.
/// 2. 503 when Redis does not answer and nothing was ever served.
/// 3. 404 when the member is not on the board; else 200.
pub async fn get<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (of, id) = (period_ref(site, call)?, call.id()?);
    let around = call.query.number("around", 0, 0, MAX_AROUND, "")?;
    answer(app, site, Read::Member { of, id, around }, call).await
}

/// The statuses are those of [`get`]; 404 also where the board keeps no counts by action. A rolling window of very many base periods is explained in
/// pages.
pub async fn explain<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (of, id) = (period_ref(site, call)?, call.id()?);
    if !of.board.breakdown {
        let detail = format!("the board {} keeps no counts by action; breakdown = true makes it", of.board.name);
        return Err(Problem::new(Code::NoBreakdown, detail));
    }
    let before = call.query.text("cursor").map(|text| {
        let is_long = matches!(of.window.kind, Kind::Rolling { length, .. } if length > MAX_EXPLAINED);
        let allowed = if is_long { "`next` of the page before" } else { "nothing, since all is on one page" };
        let detail = format!("cursor = {text:?} is not allowed; allowed: {allowed}");
        text.parse().ok().filter(|_| is_long).ok_or_else(|| Problem::new(Code::InvalidParameter, detail))
    });
    let before = before.transpose()?;
    answer(app, site, Read::Explain { of, id, before }, call).await
}

/// The rank that `?score=` would have, or the score of who has `?rank=`. The statuses are those of [`get`]; 400 unless one of the two is
/// given.
pub async fn place<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let of = period_ref(site, call)?;
    let by = match (call.query.score("score")?, call.query.text("rank")) {
        (Some(score), None) => Asked::Score(score),
        (None, Some(_)) => Asked::Rank(call.query.number("rank", 1, 1, u32::MAX, "")?.into()),
        _ => return Err(Problem::new(Code::InvalidParameter, "one of score and rank is needed, and not both")),
    };
    answer(app, site, Read::Place { of, by }, call).await
}

/// How many members lie in each interval of the scores. The statuses are those of [`get`].
pub async fn distribution<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let of = period_ref(site, call)?;
    answer(app, site, Read::Distribution { of }, call).await
}

/// Ranks of up to 100 members, in one call of a script: `{ "ids": [ … ] }`. With `"among": true` also among themselves. With `"exact": false`, of up to
/// 1,000 members, between which ranks they stand, by the distribution of the caches. Not cached.
///
/// 1. 404 for a board or window that the site has not, or a period that is not kept; 400 or 413 for a wrong body, and where no distribution tells ranks.
/// 2. 429 for who had Redis asked too often. 503 when Redis does not answer.
/// 3. 200 with a rank for each, null for who is not on the board.
pub async fn ranks<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (of, AskedRanks { ids, among, exact }) = (period_ref(site, call)?, read_asked(call.request.body())?);
    if !exact {
        refuse_ranges(&of.board, among)?;
        let RankRanges { json, unbuilt: is_unbuilt } = app.rankings().rank_ranges(site, of, &ids, asker(call.request)).await?;
        return Ok(if is_unbuilt { unbuilt(json) } else { uncached(StatusCode::OK, "application/json", json) });
    }
    let request = ReadRequest { site: Rc::clone(site), read: Read::Ranks { of, ids, among }, by: asker(call.request) };
    app.admission().take_misses(site, price::of_read(&request)).await?;
    let entry = app.rankings().read(&request, None, false).await?;
    let json = entry.json.to_vec();
    Ok(if entry.unbuilt { unbuilt(json) } else { uncached(StatusCode::OK, "application/json", json) })
}

/// What a body asks for.
struct AskedRanks {
    ids: Vec<Id>,
    /// Whether they are ranked among themselves, too.
    among: bool,
    /// Whether Redis is to count for each.
    exact: bool,
}

fn read_asked(body: &[u8]) -> Result<AskedRanks, Problem> {
    let json = read_json(body)?;
    let (among, exact) = (flag_of(&json, "among", false)?, flag_of(&json, "exact", true)?);
    Ok(AskedRanks { ids: ids_of(&json, if exact { MAX_IDS } else { MAX_IDS_IN_RANGES })?, among, exact })
}

fn flag_of(json: &Value, name: &str, absent: bool) -> Result<bool, Problem> {
    match json.get(name) {
        None | Some(Value::Null) => Ok(absent),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(Problem::new(Code::InvalidIds, not_allowed(name, Some(other), "true or false"))),
    }
}

/// An interval tells how many members stand above, not how many scores do, nor who of a few stands first.
fn refuse_ranges(board: &Board, among: bool) -> Result<(), Problem> {
    let why = if among {
        "with among, which needs exact ranks".to_owned()
    } else if board.ranking == Ranking::Dense {
        format!("on the board {}: its ranks are dense, and a distribution counts members, not distinct scores", board.name)
    } else {
        return Ok(());
    };
    Err(Problem::new(Code::InvalidIds, format!("exact = false is not allowed {why}")))
}

/// The ids of a body: `{ "ids": [ … ] }`.
pub fn read_ids(body: &[u8]) -> Result<Vec<Id>, Problem> {
    ids_of(&read_json(body)?, MAX_IDS)
}

fn read_json(body: &[u8]) -> Result<Value, Problem> {
    if body.len() > MAX_BODY {
        return Err(Refusal::new(EventCode::BodyTooLarge, format!("a body has at most {MAX_BODY} bytes")).into());
    }
    serde_json::from_slice(body).map_err(|error| Refusal::new(EventCode::InvalidJson, format!("the body is not JSON: {error}")).into())
}

fn ids_of(json: &Value, most: usize) -> Result<Vec<Id>, Problem> {
    let ids = json.get("ids");
    let list = ids.and_then(Value::as_array).filter(|list| (1..=most).contains(&list.len()));
    let invalid = || Problem::new(Code::InvalidIds, not_allowed("ids", ids, &format!("a list of 1 to {most} ids")));
    let read = |(i, id): (usize, &Value)| {
        let invalid = || Refusal::of_field(EventCode::InvalidId, &format!("ids[{i}]"), Some(id), Id::ALLOWED).into();
        id.as_str().and_then(Id::new).ok_or_else(invalid)
    };
    list.ok_or_else(invalid)?.iter().enumerate().map(read).collect()
}
