//! Upkeep by hand: `GET` and `POST /v1/{site}/admin/upkeep`.

use http::{Request, Response};
use serde::Serialize;

use super::query::Query;
use super::{Problem, Tokens, check_token, json};
use crate::app::upkeep::{Done, WindowUpkeep};
use crate::app::{App, Runtime};
use crate::ranking::site::Site;
use crate::store::upkeep::{Progress, Task};

/// A request does upkeep for this long; the answer tells whether more is left.
const WORK_MS: u64 = 10_000;

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    windows: Vec<WindowDocument<'s>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum WindowDocument<'s> {
    Rolling {
        board: &'s str,
        window: &'s str,
        /// Whether the current board is right for every member.
        complete: bool,
        /// Whether the next period's is as well.
        ready: bool,
        task: &'static str,
        walked: u64,
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

/// 1. 401 without the `ADMIN_TOKEN`.
/// 2. POST does upkeep for a while; GET only looks.
/// 3. 503 when Redis does not answer.
pub async fn upkeep<R: Runtime>(
    app: &App<R>,
    tokens: &Tokens,
    site: &Site,
    request: &Request<Vec<u8>>,
) -> Result<Response<Vec<u8>>, Problem> {
    check_token("ADMIN_TOKEN", tokens.admin.as_deref(), request)?;
    Query::read(request, &[])?;
    let windows = if request.method() == http::Method::POST {
        app.upkeep(site, app.runtime.clock_ms() + WORK_MS).await
    } else {
        app.upkeep_progress(site).await
    };
    let windows = windows.into_iter().map(describe).collect::<Result<_, _>>()?;
    json(&Document { site: site.name.as_str(), windows })
}

fn describe(kept: WindowUpkeep<'_>) -> Result<WindowDocument<'_>, Problem> {
    let (board, window) = (kept.board.name.as_str(), kept.window.name.as_str());
    Ok(match kept.done.map_err(|error| Problem::redis(&error, error.applied()))? {
        Done::Rolling(Progress { task, scanned, total, last_run_ms }) => WindowDocument::Rolling {
            board,
            window,
            complete: !task.is_incomplete(),
            ready: task == Task::Ready,
            task: task.name(),
            walked: scanned,
            of: total,
            last_run: crate::ranking::page::rfc3339(last_run_ms, true).filter(|_| last_run_ms != 0),
        },
        Done::Decaying { dropped } => WindowDocument::Decaying { board, window, dropped },
        Done::Busy => WindowDocument::Busy { board, window, busy: true },
    })
}
