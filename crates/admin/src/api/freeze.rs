//! Freezing a period anew: `POST /v1/{site}/admin/boards/{board}/freeze`.

use std::rc::Rc;

use http::{Response, StatusCode};
use interface::code::Code;
use ranking::site::{Board, Site};
use serde::Serialize;
use serve::api::{Call, PeriodDocument, Problem, check_history, document, find_window, json, period_of};
use serve::app::database::DatabaseError;
use serve::app::{App, Runtime};

use super::audit;
use crate::app::Admin;
use crate::app::copies::{Loss, Withheld};
use crate::app::history::{Anew, NotFrozen, Source};

/// What it needs is frozen, built and archived for this long first.
const WORK_MS: u64 = 20_000;

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    board: &'s str,
    window: &'s str,
    /// False: it is to be asked for again.
    done: bool,
    /// Whether it was frozen otherwise before, or not at all.
    changed: bool,
    /// Who has the period; null until it is done.
    source: Option<&'static str>,
    period: Option<PeriodDocument<'s>>,
}

/// 1. 404 for a board that the site has not, a window that the board has not or whose periods are not frozen; 400 for wrong parameters, or without
///    a window or a period.
/// 2. 404 without a database; 503 when it or Redis does not answer, while the clocks differ, or while a loss is not settled.
/// 3. 409 for a period that has not been over for five minutes. 404 where nobody has anything of it: what was frozen of it stays.
/// 4. 202 where it has to wait, to be asked for again.
/// 5. 200: it is frozen as it is now. Where it was not before, that was handed on and noted, with its revision.
pub async fn post<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let board = call.board(site)?;
    check_history(board)?;
    let asked = call.query.text("window").ok_or_else(|| missing("window", &windows_of(board)))?;
    let window = find_window(board, asked)?;
    if !board.freezes_anew(window) {
        let detail = format!(
            "periods of the window {asked} cannot be frozen anew; the board {} has these that can: {}",
            board.name,
            windows_of(board)
        );
        return Err(Problem::new(Code::UnknownWindow, detail));
    }
    let of = period_of(site, board, window, call)?;
    if of.period.is_none() {
        return Err(missing("period", "the id of a period that is over"));
    }
    let until_ms = app.runtime.clock_ms() + WORK_MS;
    let anew = Admin(app).history().freeze_anew(site, of, &audit::asker(call)?, until_ms).await.map_err(|why| problem(site, why))?;
    let (site, board_name, window) = (site.name.as_str(), board.name.as_str(), window.name.as_str());
    match &anew {
        Anew::Frozen { frozen, source, is_changed } => json(&Document {
            site,
            board: board_name,
            window,
            done: true,
            changed: *is_changed,
            source: Some(source_name(*source)),
            period: Some(document(frozen)),
        }),
        Anew::Waits => {
            let mut response =
                json(&Document { site, board: board_name, window, done: false, changed: false, source: None, period: None })?;
            *response.status_mut() = StatusCode::ACCEPTED;
            Ok(response)
        }
    }
}

fn source_name(source: Source) -> &'static str {
    match source {
        Source::Redis => "redis",
        Source::Archive => "archive",
    }
}

fn missing(name: &str, allowed: &str) -> Problem {
    Problem::new(Code::InvalidParameter, format!("{name} is missing; allowed: {allowed}"))
}

fn windows_of(board: &Board) -> String {
    let windows: Vec<&str> = board.windows.iter().filter(|window| board.freezes_anew(window)).map(|window| window.name.as_str()).collect();
    if windows.is_empty() { "none".into() } else { windows.join(", ") }
}

fn problem(site: &Site, why: NotFrozen) -> Problem {
    match why {
        NotFrozen::Redis(failure) => Problem::redis(failure),
        NotFrozen::Database(error) => Problem::database(error),
        NotFrozen::Archive(error) => Problem::from(error),
        NotFrozen::Withheld(Withheld::Clocks(differ)) => Problem::new(Code::ClockDiffers, differ.to_string()),
        NotFrozen::Withheld(Withheld::Unknown(why)) => Problem::database(DatabaseError::Failed(why)),
        NotFrozen::Withheld(Withheld::Lost(Loss { code, .. })) => {
            let restore = format!("POST /v1/{}/admin/restore", site.name);
            let detail = format!(
                "{}: nothing is copied from Redis until {restore} gave back what is archived, or said with the body {{\"accept\": true}} that \
                 nothing is missing; freeze the period after that",
                code.name()
            );
            Problem::new(Code::NotRestored, detail)
        }
        NotFrozen::NotOver => {
            let detail = "the period goes on, or ended less than five minutes ago; allowed: one that has been over for five minutes";
            Problem::new(Code::PeriodNotOver, detail)
        }
        NotFrozen::Missing(why) => {
            Problem::new(Code::UnknownPeriod, format!("the period cannot be frozen anew: {why}; what was frozen of it stays as it is"))
        }
    }
}
