//! The activity of an actor, by day or one by one, and its erasure: `GET /v1/{site}/actors/{id}/activity`, `DELETE /v1/{site}/actors/{id}`.

use std::rc::Rc;

use http::Response;
use interface::code::Code;
use ranking::name::Id;
use ranking::page::rfc3339;
use ranking::period::Period;
use ranking::site::Site;
use ranking::window::Unit;
use serde::Serialize;
use serde_json::json;
use serve::api::{Call, Problem, json};
use serve::app::database::DatabaseError;
use serve::app::{App, Runtime};

use crate::app::Admin;
use crate::app::actors::{ActiveDay, Entry, Part};
use crate::app::archive::ArchiveError;
use crate::app::items::Kind;

/// A request erases for this long; the answer tells whether more is left.
const WORK_MS: u64 = 20_000;
pub const DEFAULT_DAYS: u32 = 31;
/// Entries on a page.
pub const DEFAULT_LIMIT: u32 = 50;
pub const MAX_LIMIT: u32 = 100;
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

#[derive(Serialize)]
struct Details<'a> {
    site: &'a str,
    actor: &'a Id,
    entries: Vec<EntryDocument>,
    /// The `after` of the next page; null on the last one.
    next: Option<String>,
}

#[derive(Serialize)]
struct EntryDocument {
    at: Option<String>,
    action: String,
    item: String,
    /// How often it happened at once; left out of what happened once.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<i64>,
    points: serde_json::Map<String, serde_json::Value>,
    undone: bool,
}

/// 1. 404 where the site keeps no activity log; 400 for wrong parameters.
/// 2. 503 when Redis does not answer.
/// 3. 200 with the days on which the actor did something, the latest first; with `details=1`, with what it did one by one.
pub async fn get<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let actor = call.id()?;
    let max = max_days(site);
    let wanted = call.query.number("days", DEFAULT_DAYS.min(max), 1, max, "")?;
    let limit = call.query.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT, "")?;
    if call.query.number("details", 0, 0, 1, "")? == 1 {
        return details(app, site, &actor, call.query.text("after").unwrap_or_default(), limit).await;
    }
    days(app, site, &actor, wanted).await
}

/// Days that can be asked for.
pub fn max_days(site: &Site) -> u32 {
    site.actor_history_s / DAY_S
}

fn check_log(site: &Site) -> Result<(), Problem> {
    let refused = || Problem::new(Code::NoActivity, format!("the site {} has activity = false", site.name));
    if site.activity { Ok(()) } else { Err(refused()) }
}

/// What an actor did, one by one, the latest first: a page of at most `limit` after the place that the page
/// before named as `next`.
pub async fn details<R: Runtime>(app: &App<R>, site: &Site, actor: &Id, after: &str, limit: u32) -> Result<Response<Vec<u8>>, Problem> {
    let is_place = after.split_once('.').is_some_and(|(at, what)| {
        let is_what = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        (1..=15).contains(&at.len()) && at.bytes().all(|byte| byte.is_ascii_digit()) && what.len() == 11 && what.bytes().all(is_what)
    });
    if !after.is_empty() && !is_place {
        let shown: String = after.chars().take(80).collect();
        let detail = format!("after = {shown:?} is not allowed; allowed: what the page before says as next");
        return Err(Problem::new(Code::InvalidParameter, detail));
    }
    check_log(site)?;
    let found = Admin(app).actors().entries(site, actor, &after.replacen('.', " ", 1), limit).await.map_err(Problem::redis)?;
    let is_full = found.len() >= usize::try_from(limit).unwrap_or(usize::MAX);
    let next = found.last().filter(|_| is_full).map(|entry| entry.done.place.replacen(' ', ".", 1));
    let entry = |Entry { done, points }: Entry| {
        let points = points.into_iter().map(|(board, score)| (board.to_string(), json!(score)));
        let mut of_boards = serde_json::Map::new();
        points.for_each(|(board, score)| drop(of_boards.insert(board, score)));
        EntryDocument {
            at: rfc3339(done.at_ms, true),
            action: done.action,
            item: done.item,
            count: done.times.filter(|times| *times > 1),
            points: of_boards,
            undone: done.undone,
        }
    };
    json(&Details { site: site.name.as_str(), actor, entries: found.into_iter().map(entry).collect(), next })
}

/// The last days on which an actor did something, the latest first.
pub async fn days<R: Runtime>(app: &App<R>, site: &Site, actor: &Id, days: u32) -> Result<Response<Vec<u8>>, Problem> {
    check_log(site)?;
    let found = Admin(app).actors().activity(site, actor, days).await.map_err(Problem::redis)?;
    let day = |day: ActiveDay| {
        let mut actions = serde_json::Map::new();
        for share in &day.shares {
            actions.insert(share.action.to_string(), share.count.into());
        }
        DayDocument { day: Period { unit: Unit::Day, number: day.number }.id(None, site.week_starts_on), actions }
    };
    json(&Document { site: site.name.as_str(), actor, days: found.into_iter().map(day).collect() })
}

/// 1. What is known of the actor is deleted, and what was frozen of it: 503 when the database does not answer.
/// 2. 504 when Redis does not answer; some of it may be done.
/// 3. Then the actor is taken out of the archive, and out of the totals in the database.
/// 4. 204 when all is erased; 202 when time ran out or boards are left, to be asked for again with the cursor.
///
/// The first request does what is first, and the one for the last boards what is last.
pub async fn erase<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (actor, part) = (call.id()?, Part { is_first: call.query.text("cursor").is_none(), is_last: call.next_board.is_none() });
    let may_be_absent = |erased: Result<(), DatabaseError>| match erased {
        Ok(()) | Err(DatabaseError::Absent) => Ok(()),
        Err(error) => Err(Problem::database(error)),
    };
    if part.is_first {
        may_be_absent(Admin(app).items().forget(&site.name, Kind::Actor, &actor).await)?;
        may_be_absent(app.frozen().erase_frozen(site, &actor).await)?;
    }
    let until_ms = app.runtime.clock_ms() + WORK_MS;
    let done = Admin(app).actors().erase(site, &actor, part, until_ms).await.map_err(Problem::redis)?;
    let done = done
        && match Admin(app).amendments().erase_archived(site, &actor, app.runtime.clock_ms() + WORK_MS).await {
            Ok(done) => done,
            Err(ArchiveError::Absent) => true,
            Err(error) => return Err(Problem::database(error.into())),
        };
    app.templates().enter_archived(site).await;
    Admin(app).copies().erase_curated(site, &actor).await.map_err(|why| Problem::database(DatabaseError::Failed(why)))?;
    if part.is_last {
        may_be_absent(Admin(app).totals().erase_totals(site, &actor).await)?;
        may_be_absent(Admin(app).snapshots().forget_snapshots(site).await)?;
    }
    call.done_or_next(site, done)
}
