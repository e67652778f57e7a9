//! Upkeep by hand: `GET` and `POST /v1/{site}/admin/upkeep`.

use std::collections::BTreeSet;
use std::rc::Rc;

use http::Response;
use ranking::page::rfc3339;
use ranking::site::Site;
use ranking::token::Tokens;
use serde::Serialize;
use serve::api::{Problem, json};
use serve::app::failure::Failure;
use serve::app::rankings::fullness::{AllFullness, Fullness};
use serve::app::{App, Runtime};

use super::restore::{LossDocument, loss_of};
use crate::app::Admin;
use crate::app::upkeep::{Done, Progress, Task, WindowUpkeep};

/// A request does upkeep for this long; the answer tells whether more is left.
const WORK_MS: u64 = 10_000;

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    windows: Vec<WindowDocument<'s>>,
    /// Periods that were frozen by this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    frozen: Option<u64>,
    /// Periods that were archived by this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    archived: Option<u64>,
    /// Members whose totals were handed on by this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    totals: Option<u64>,
    /// What Redis lost and nobody has settled: nothing is copied meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<LossDocument>,
    boards: Vec<Fullness>,
    /// Boards that do not answer, since their node of a cluster is gone: of these nothing is here.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    unavailable: BTreeSet<String>,
    /// The variables of those that can be found by trying.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    short_tokens: Vec<String>,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum WindowDocument<'s> {
    Rolling {
        board: &'s str,
        window: &'s str,
        /// Whether the current board is right for every member.
        complete: bool,
        /// Whether the next period's is as well.
        ready: bool,
        task: &'static str,
        scanned: u64,
        of: u64,
        last_run: Option<String>,
    },
    Decaying {
        board: &'s str,
        window: &'s str,
        dropped: u64,
    },
    Busy {
        board: &'s str,
        window: &'s str,
        busy: bool,
    },
}

/// 1. 503 when Redis does not answer.
/// 2. 200 with how far the windows of the boards that answer are, how full these are, and which tokens are too short.
pub async fn get<R: Runtime>(app: &App<R>, site: &Rc<Site>, tokens: &Tokens) -> Result<Response<Vec<u8>>, Problem> {
    respond(app, site, tokens, Admin(app).upkeep().upkeep_progress(site).await, Past::default()).await
}

/// The statuses are those of [`get`]; it works for a while first.
pub async fn post<R: Runtime>(app: &App<R>, site: &Rc<Site>, tokens: &Tokens) -> Result<Response<Vec<u8>>, Problem> {
    let until_ms = app.runtime.clock_ms() + WORK_MS;
    let windows = Admin(app).upkeep().upkeep(site, until_ms).await;
    let frost = Admin(app).history().freeze(site, until_ms).await;
    let archived = Admin(app).archive().archive(site, until_ms).await;
    let totals = Admin(app).totals().hand_on(site, until_ms).await;
    for failure in frost.failures.iter().chain(&archived.failures).chain(&totals.failures) {
        app.runtime.log(&serde_json::json!({ "level": "error", "code": "upkeep", "detail": failure }));
    }
    let has_history = site.boards.values().any(|board| board.history > 0);
    let has_archive = site.boards.values().any(|board| board.archive);
    let has_totals = site.boards.values().any(|board| !board.totals.is_empty());
    let past = Past {
        totals: has_totals.then_some(totals.members),
        frozen: has_history.then_some(frost.frozen),
        archived: has_archive.then_some(archived.periods),
    };
    respond(app, site, tokens, windows, past).await
}

/// What was done besides upkeep of windows.
#[derive(Default)]
struct Past {
    frozen: Option<u64>,
    archived: Option<u64>,
    totals: Option<u64>,
}

async fn respond<R: Runtime>(
    app: &App<R>,
    site: &Rc<Site>,
    tokens: &Tokens,
    windows: Vec<WindowUpkeep<'_>>,
    Past { frozen, archived, totals }: Past,
) -> Result<Response<Vec<u8>>, Problem> {
    let AllFullness { boards, unavailable } = app.rankings().fullness(site).await?;
    let mut unavailable = BTreeSet::from_iter(unavailable);
    let (mut described, mut failed) = (Vec::new(), None);
    for kept in windows {
        let board = kept.board.name.to_string();
        match describe(kept) {
            Ok(window) => described.push(window),
            Err(failure) if failure.is_transient => {
                unavailable.insert(board);
                failed = Some(failure);
            }
            Err(failure) => return Err(Problem::redis(failure)),
        }
    }
    if let Some(failure) = failed.filter(|_| described.is_empty() && boards.is_empty()) {
        return Err(Problem::redis(failure));
    }
    json(&Document {
        site: site.name.as_str(),
        windows: described,
        frozen,
        archived,
        totals,
        loss: loss_of(app, site).await?,
        boards,
        unavailable,
        short_tokens: tokens.short_of(&site.name),
    })
}

impl WindowDocument<'_> {
    /// Whether it is right for every member, as far as is known.
    pub(super) fn is_complete(&self) -> bool {
        matches!(self, Self::Rolling { complete: true, .. })
    }
}

pub(super) fn describe(kept: WindowUpkeep<'_>) -> Result<WindowDocument<'_>, Failure> {
    let (board, window) = (kept.board.name.as_str(), kept.window.name.as_str());
    Ok(match kept.done? {
        Done::Rolling(Progress { task, scanned, total, last_run_ms, .. }) => WindowDocument::Rolling {
            board,
            window,
            complete: !task.is_incomplete(),
            ready: task == Task::Ready,
            task: task.name(),
            scanned,
            of: total,
            last_run: rfc3339(last_run_ms, true).filter(|_| last_run_ms != 0),
        },
        Done::Decaying { dropped } => WindowDocument::Decaying { board, window, dropped },
        Done::Busy => WindowDocument::Busy { board, window, busy: true },
    })
}
