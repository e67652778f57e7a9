//! Making rolling windows of a board anew: `POST /v1/{site}/admin/boards/{board}/rebuild`.

use http::{Response, StatusCode};
use interface::code::Code;
use ranking::site::{Board, Site};
use ranking::window::Window;
use serde::Serialize;
use serde_json::json as value;
use serve::api::{Call, Problem, find_window, json};
use serve::app::{App, Runtime};

use super::audit;
use super::upkeep::{WindowDocument, describe};
use crate::app::Admin;

/// Windows are made anew for this long before the answer; upkeep goes on with what is left.
const WORK_MS: u64 = 10_000;

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    board: &'s str,
    /// Whether all of them are complete.
    done: bool,
    windows: Vec<WindowDocument<'s>>,
}

/// 1. 404 for a board that the site has not, a window that the board has not, or one that is not made of base periods; 400 for wrong parameters.
/// 2. 503 or 504 when Redis does not answer.
/// 3. 200: the windows are complete; 202: upkeep goes on.
pub async fn post<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let board = call.board(site)?;
    let named = call.query.text("window").map(|name| find_window(board, name)).transpose()?;
    let windows: Vec<&Window> = board.windows.iter().filter(|window| board.rolls(window)).collect();
    let windows = match named {
        Some(window) if !board.rolls(window) => {
            return Err(not_rolling(board, &format!("the window {} is not made of base periods", window.name), &windows));
        }
        Some(window) => vec![window],
        None if windows.is_empty() => return Err(not_rolling(board, "nothing can be rebuilt", &windows)),
        None => windows,
    };
    let name = named.map(|window| window.name.as_str());
    audit::note(call, app, site, value!({ "did": "rebuild", "board": call.path.board, "window": name })).await?;
    let rebuilt = Admin(app).upkeep().rebuild(site, board, &windows, app.runtime.clock_ms() + WORK_MS).await.map_err(Problem::redis)?;
    app.templates().enter_changed(site, board).await;
    let windows = rebuilt.into_iter().map(describe).collect::<Result<Vec<_>, _>>().map_err(Problem::redis)?;
    let done = windows.iter().all(WindowDocument::is_complete);
    let mut response = json(&Document { site: site.name.as_str(), board: board.name.as_str(), done, windows })?;
    if !done {
        *response.status_mut() = StatusCode::ACCEPTED;
    }
    Ok(response)
}

fn not_rolling(board: &Board, why: &str, rolling: &[&Window]) -> Problem {
    let names: Vec<&str> = rolling.iter().map(|window| window.name.as_str()).collect();
    let can = if names.is_empty() { "no window that can be rebuilt".into() } else { format!("these that can: {}", names.join(", ")) };
    Problem::new(Code::UnknownWindow, format!("{why}; the board {} has {can}", board.name))
}
