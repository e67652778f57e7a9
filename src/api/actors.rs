//! What an actor did, and forgetting it: `GET /v1/{site}/actors/{id}/activity`, `DELETE /v1/{site}/actors/{id}`.

use http::{Request, Response, StatusCode};
use serde::Serialize;

use super::query::Query;
use super::{Problem, Tokens, check_token, json, read_id, uncached};
use crate::adapter::Applied;
use crate::app::{App, Runtime};
use crate::ranking::name::Id;
use crate::ranking::period::Period;
use crate::ranking::site::Site;
use crate::ranking::window::Unit;
use crate::store::activity::ActiveDay;

/// A request erases for this long; the answer tells whether more is left.
const WORK_MS: u64 = 20_000;
const DEFAULT_DAYS: u32 = 31;
const DAY_S: u32 = 86_400;

#[derive(Serialize)]
struct Document<'a> {
    site: &'a str,
    actor: &'a Id,
    days: Vec<DayDocument>,
}

#[derive(Serialize)]
struct DayDocument {
    day: Option<String>,
    actions: serde_json::Map<String, serde_json::Value>,
}

/// 1. 401 without the `WRITE_TOKEN`.
/// 2. 404 where the site keeps no ledger; 400 for wrong parameters.
/// 3. 503 when Redis does not answer.
/// 4. 200 with the days on which the actor did something, the latest first.
pub async fn activity<R: Runtime>(
    app: &App<R>,
    tokens: &Tokens,
    site: &Site,
    actor: &str,
    request: &Request<Vec<u8>>,
) -> Result<Response<Vec<u8>>, Problem> {
    check_token("WRITE_TOKEN", tokens.write.as_deref(), request)?;
    let actor = read_id(actor)?;
    let most = site.actor_history_s / DAY_S;
    let days = Query::read(request, &["days"])?.number("days", DEFAULT_DAYS.min(most), 1, most)?;
    if !site.activity {
        return Err(Problem::new(StatusCode::NOT_FOUND, "no-activity", format!("the site {} has activity = false", site.name)));
    }
    let found = app.activity(site, &actor, days).await.map_err(|error| Problem::redis(&error, Applied::No))?;
    let day = |day: ActiveDay| {
        let mut actions = serde_json::Map::new();
        for share in &day.shares {
            actions.insert(share.action.to_string(), share.count.into());
        }
        DayDocument { day: Period { unit: Unit::Day, number: day.number }.id(None, site.week_starts_on), actions }
    };
    json(&Document { site: site.name.as_str(), actor: &actor, days: found.into_iter().map(day).collect() })
}

/// 1. 401 without the `WRITE_TOKEN`.
/// 2. 503 when Redis does not answer; some of it may be done.
/// 3. 204 when all is erased; 202 when time ran out, to be asked for again.
pub async fn erase<R: Runtime>(
    app: &App<R>,
    tokens: &Tokens,
    site: &Site,
    actor: &str,
    request: &Request<Vec<u8>>,
) -> Result<Response<Vec<u8>>, Problem> {
    check_token("WRITE_TOKEN", tokens.write.as_deref(), request)?;
    let actor = read_id(actor)?;
    Query::read(request, &[])?;
    let done = app.erase(site, &actor, app.runtime.clock_ms() + WORK_MS).await.map_err(|error| Problem::redis(&error, Applied::Unknown))?;
    Ok(uncached(if done { StatusCode::NO_CONTENT } else { StatusCode::ACCEPTED }, "", Vec::new()))
}
