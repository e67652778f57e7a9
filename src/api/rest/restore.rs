//! Restoring what Redis lost from the archive: `POST /v1/{site}/admin/restore`.

use std::rc::Rc;

use http::{Response, StatusCode};
use serde::Serialize;
use serde_json::json as value;

use super::problem::Problem;
use super::{Call, json};
use crate::app::archive::{ArchiveError, Filled, Restoration};
use crate::app::database::DatabaseError;
use crate::app::{App, Runtime};
use crate::ranking::page::rfc3339;
use crate::ranking::site::Site;

/// A request restores for this long; the answer tells whether more is left.
const WORK_MS: u64 = 20_000;

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    dry_run: bool,
    /// Whether nothing is left.
    done: bool,
    /// Those with an archive.
    boards: Vec<BoardDocument<'s>>,
}

#[derive(Serialize)]
struct BoardDocument<'s> {
    board: &'s str,
    done: bool,
    /// Whether another run is at the board's archive.
    busy: bool,
    /// Archived periods that this call put back, and their members.
    periods: u64,
    members: u64,
    /// The periods that had lost their beginning.
    filled: Vec<FilledDocument>,
}

#[derive(Serialize)]
struct FilledDocument {
    window: &'static str,
    period: String,
    counted_since: Option<String>,
    covered: Vec<SpanDocument>,
}

#[derive(Serialize)]
struct SpanDocument {
    from: Option<String>,
    until: Option<String>,
}

/// 1. 400 for wrong parameters.
/// 2. 503 when the archive does not answer, or Redis; some of it may be done.
/// 3. 200 when all is restored; 202 when time ran out, to be asked for again.
pub async fn post<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let is_dry = call.query.flag("dry_run", false)?;
    if !is_dry {
        call.note(app, site, value!({ "did": "restore" })).await?;
    }
    let until_ms = app.runtime.clock_ms() + WORK_MS;
    let mut boards = Vec::new();
    for board in site.boards.values().filter(|board| board.archive) {
        let restored = app.restore(site, board, is_dry, until_ms).await;
        let restored = restored.map_err(|error: ArchiveError| Problem::database(DatabaseError::Failed(error.detail())))?;
        boards.push(describe(board.name.as_str(), restored));
    }
    let done = boards.iter().all(|board| board.done);
    let mut response = json(&Document { site: site.name.as_str(), dry_run: is_dry, done, boards })?;
    if !done {
        *response.status_mut() = StatusCode::ACCEPTED;
    }
    Ok(response)
}

fn describe(board: &str, restored: Restoration) -> BoardDocument<'_> {
    let instant = |seconds: i64| rfc3339(seconds * 1_000, false);
    let filled = |Filled { unit, period, since, covered }: Filled| FilledDocument {
        window: unit.name(),
        period,
        counted_since: instant(since),
        covered: covered.into_iter().map(|(from, until)| SpanDocument { from: instant(from), until: instant(until) }).collect(),
    };
    BoardDocument {
        board,
        done: restored.is_done,
        busy: restored.is_busy,
        periods: restored.periods,
        members: restored.members,
        filled: restored.filled.into_iter().map(filled).collect(),
    }
}
