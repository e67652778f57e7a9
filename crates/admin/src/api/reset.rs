//! Emptying a board, or a window of it, and what that took: `/v1/{site}/admin/boards/{board}/reset`.

use std::rc::Rc;

use http::Response;
use ranking::page::rfc3339;
use ranking::period::Period;
use ranking::site::{Board, Site};
use ranking::window::{Kind, Unit, Window};
use serde::Serialize;
use serde_json::json as value;
use serve::api::{Call, Problem, find_window, json};
use serve::app::{App, Runtime};

use super::audit;
use crate::app::Admin;
use crate::app::archive::{TakenList, TakenPeriod};
use crate::app::corrections::reset::{ResetError, ResetPeriods};

/// What is over is archived for this long first.
const WORK_MS: u64 = 20_000;

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    board: &'s str,
    window: Option<&'s str>,
    dry_run: bool,
    /// What happened until then counts no more.
    reset_at: Option<String>,
    /// Entries of boards: a member has one on each period's.
    entries: u64,
    periods: Vec<PeriodsDocument>,
    /// Rolling windows that are incomplete until they are repaired.
    rebuilt: Vec<String>,
}

#[derive(Serialize)]
struct PeriodsDocument {
    unit: &'static str,
    from: Option<String>,
    to: Option<String>,
    /// Those that hold anything.
    held: u64,
    entries: u64,
}

/// 1. 404 for a board that the site has not, or a window that the board has not; 400 for wrong parameters.
/// 2. 503 when the archive does not answer, or not all that is over could be archived: nothing is reset.
/// 3. 503 or 504 when Redis does not answer.
/// 4. 200: it is empty, for every reader at once.
pub async fn post<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let board = call.board(site)?;
    let window = call.query.text("window").map(|name| find_window(board, name)).transpose()?;
    let is_dry = call.query.flag("dry_run", false)?;
    let name = window.map(|window| window.name.as_str());
    if !is_dry {
        audit::note(call, app, site, value!({ "did": "reset", "board": call.path.board, "window": name })).await?;
    }
    let until_ms = app.runtime.clock_ms() + WORK_MS;
    let reset = Admin(app).corrections().reset(site, board, window, is_dry, until_ms).await.map_err(|error| match error {
        ResetError::Redis(failure) => Problem::redis(failure),
        ResetError::Archive(error) => Problem::from(error),
    })?;
    if !is_dry {
        app.templates().enter_changed(site, board).await;
    }
    let describe = |of: ResetPeriods| PeriodsDocument {
        unit: of.first.unit.name(),
        from: of.first.id(of.first_at, site.week_starts_on),
        to: of.last.id(of.last_at, site.week_starts_on),
        held: of.count,
        entries: of.entries,
    };
    json(&Document {
        site: site.name.as_str(),
        board: board.name.as_str(),
        window: name,
        dry_run: is_dry,
        reset_at: rfc3339(reset.at_ms, true).filter(|_| !is_dry),
        entries: reset.fading + reset.periods.iter().map(|of| of.entries).sum::<u64>(),
        periods: reset.periods.into_iter().map(describe).collect(),
        rebuilt: reset.rebuilt,
    })
}

#[derive(Serialize)]
struct ListDocument<'s> {
    site: &'s str,
    board: &'s str,
    resets: Vec<TakenDocument>,
    cursor: Option<String>,
}

#[derive(Serialize)]
struct TakenDocument {
    window: String,
    period: String,
    reset_at: Option<String>,
}

/// 1. 404 for a board that the site has not.
/// 2. 503 when the archive does not answer.
/// 3. 200: what resets took, by window, period and instant. Nothing where the board has no archive.
pub async fn list<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let board = call.board(site)?;
    let cursor = call.query.text("cursor").unwrap_or_default();
    let taken = Admin(app).files().taken_by_resets(site, board, cursor).await;
    let TakenList { taken, cursor } = taken.map_err(|error| Problem::database(error.into()))?;
    let describe = |TakenPeriod { period, id, reset_at }| TakenDocument {
        window: window_of(board, period).map_or(period.unit.name(), |window| window.name.as_str()).into(),
        period: id,
        reset_at: rfc3339(reset_at, true),
    };
    let (site, board_name) = (site.name.as_str(), board.name.as_str());
    json(&ListDocument { site, board: board_name, resets: taken.into_iter().map(describe).collect(), cursor })
}

/// The calendar window that has a period.
fn window_of(board: &Board, period: Period) -> Option<&Window> {
    let has = |window: &&Window| match period.unit {
        Unit::Season => window.seasons.iter().any(|season| season.starts == period.number),
        unit => window.kind == Kind::Calendar(unit),
    };
    board.windows.iter().find(has)
}
