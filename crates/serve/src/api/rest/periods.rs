//! The closed periods of a window, and their winners: `…/periods`.

use http::Response;
use interface::code::Code;
use ranking::page::{Entry, rfc3339};
use ranking::site::{Board, Site};
use serde::Serialize;

use super::problem::Problem;
use super::top::find_window;
use super::{Call, json};
use crate::app::frozen::Frozen;
use crate::app::{App, Runtime};

const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 100;

#[derive(Serialize)]
struct Document<'d> {
    site: &'d str,
    board: &'d str,
    window: &'d str,
    periods: Vec<PeriodDocument<'d>>,
    /// The `cursor` of the next page; null on the last one.
    next: Option<String>,
}

#[derive(Serialize)]
pub struct PeriodDocument<'d> {
    id: &'d str,
    starts_at: Option<String>,
    ends_at: Option<String>,
    frozen_at: Option<String>,
    /// 1, and one more each time that it was frozen anew.
    revision: u32,
    total: u64,
    /// `null`: nobody was on the board.
    winner: Option<&'d Entry>,
}

/// 1. 404 for a board or window that the site has not, or whose periods are not frozen, or without a database; 503 when it does not
///    answer.
/// 2. 400 for wrong parameters.
/// 3. 200 with the latest first, and with `next` where there are more.
pub async fn get<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let board = call.board(site)?;
    let window = find_window(board, &call.path.window)?;
    check_history(board)?;
    let limit = call.query.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT, "")?;
    let cursor = call.query.text("cursor").map(|text| {
        let detail = format!("cursor = {text:?} is not allowed; allowed: `next` of the page before");
        text.parse().map_err(|_| Problem::new(Code::InvalidParameter, detail))
    });
    let before = cursor.transpose()?.unwrap_or(i64::MAX);
    let found = app.frozen().frozen_periods(site, board, window, before, limit).await.map_err(Problem::database)?;
    json(&Document {
        site: site.name.as_str(),
        board: board.name.as_str(),
        window: window.name.as_str(),
        periods: found.periods.iter().map(document).collect(),
        next: found.next.map(|next| next.to_string()),
    })
}

/// 404 for a board whose periods are not frozen.
///
/// # Errors
/// 404, see above.
pub fn check_history(board: &Board) -> Result<(), Problem> {
    if board.history > 0 {
        return Ok(());
    }
    let detail = format!("the board {} freezes no periods; history = 100 makes it keep the best 100 of each", board.name);
    Err(Problem::new(Code::NoHistory, detail))
}

pub fn document(frozen: &Frozen) -> PeriodDocument<'_> {
    PeriodDocument {
        id: &frozen.period,
        starts_at: rfc3339(frozen.starts_at * 1_000, false),
        ends_at: rfc3339(frozen.ends_at * 1_000, false),
        frozen_at: rfc3339(frozen.frozen_at_ms, true),
        revision: frozen.revision,
        total: frozen.total,
        winner: frozen.entries.first(),
    }
}
