//! What an actor did, and erasing it: `GET /v1/{site}/actors/{id}/activity`, `DELETE /v1/{site}/actors/{id}`.

use http::{Response, StatusCode};
use serde::Serialize;

use super::problem::{Code, Problem};
use super::{Call, json, uncached};
use crate::app::actors::ActiveDay;
use crate::app::{App, Runtime};
use crate::ranking::name::Id;
use crate::ranking::period::Period;
use crate::ranking::site::Site;
use crate::ranking::window::Unit;

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

/// 1. 404 where the site keeps no activity log; 400 for wrong parameters.
/// 2. 503 when Redis does not answer.
/// 3. 200 with the days on which the actor did something, the latest first.
pub async fn get<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let actor = call.id()?;
    let max = site.actor_history_s / DAY_S;
    let days = call.query.number("days", DEFAULT_DAYS.min(max), 1, max, "")?;
    if !site.activity {
        return Err(Problem::new(Code::NoActivity, format!("the site {} has activity = false", site.name)));
    }
    let found = app.activity(site, &actor, days).await.map_err(Problem::redis)?;
    let day = |day: ActiveDay| {
        let mut actions = serde_json::Map::new();
        for share in &day.shares {
            actions.insert(share.action.to_string(), share.count.into());
        }
        DayDocument { day: Period { unit: Unit::Day, number: day.number }.id(None, site.week_starts_on), actions }
    };
    json(&Document { site: site.name.as_str(), actor: &actor, days: found.into_iter().map(day).collect() })
}

/// 1. 504 when Redis does not answer; some of it may be done.
/// 2. 204 when all is erased; 202 when time ran out, to be asked for again.
pub async fn erase<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let done = app.erase(site, &call.id()?, app.runtime.clock_ms() + WORK_MS).await.map_err(Problem::redis)?;
    Ok(uncached(if done { StatusCode::NO_CONTENT } else { StatusCode::ACCEPTED }, "", Vec::new()))
}
