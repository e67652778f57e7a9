//! Hiding and pinning members: `/v1/{site}/admin/boards/{board}/hidden[/{id}]` and `…/pinned[/{id}]`, and hiding on every board of a site:
//! `/v1/{site}/admin/hidden/{id}`.

use http::{Response, StatusCode};
use interface::code::Code;
use ranking::name::Id;
use ranking::site::{Board, Site};
use serde::Serialize;
use serve::api::{Call, Problem, json, uncached};
use serve::app::{App, Runtime};

use crate::app::Admin;
use crate::app::corrections::curation::{Change, List};

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    board: &'s str,
    list: &'static str,
    ids: Vec<Id>,
}

/// 1. 404 for a board that the site has not.
/// 2. 503 when Redis does not answer.
/// 3. 200 with who is on the list, the pinned in their order.
pub async fn get<R: Runtime>(app: &App<R>, site: &Site, list: List, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let board = call.board(site)?;
    let ids = Admin(app).corrections().curate(site, board, list, Change::Look).await.map_err(Problem::redis)?;
    json(&Document { site: site.name.as_str(), board: board.name.as_str(), list: list.name(), ids: ids.unwrap_or_default() })
}

/// 1. 404 for a board that the site has not; 400 for what is no id.
/// 2. 503 or 504 when Redis does not answer.
/// 3. 409 when the list is full.
/// 4. 204: the member is on the list, whether it was or not.
pub async fn put<R: Runtime>(app: &App<R>, site: &Site, list: List, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (board, id) = (call.board(site)?, call.id()?);
    change(app, site, board, list, Change::Put(&id)).await
}

/// The statuses are those of [`put`], but 409; after a 204 the member is not on the list.
pub async fn delete<R: Runtime>(app: &App<R>, site: &Site, list: List, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (board, id) = (call.board(site)?, call.id()?);
    change(app, site, board, list, Change::Delete(&id)).await
}

/// Hides a member on every board of a site.
///
/// 1. 400 for what is no id, or no cursor.
/// 2. 503 or 504 when Redis does not answer, 409 when the list of a board is full: it may be hidden on some boards.
/// 3. 202 with a cursor while boards are left.
/// 4. 204: it is hidden on all of them, whether it was or not.
pub async fn hide<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let id = call.id()?;
    change_everywhere(app, site, Change::Put(&id), call).await
}

/// The statuses are those of [`hide`], but 409; after a 204 the member is hidden on no board.
pub async fn show<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let id = call.id()?;
    change_everywhere(app, site, Change::Delete(&id), call).await
}

async fn change_everywhere<R: Runtime>(app: &App<R>, site: &Site, to: Change<'_>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    for board in site.boards.values() {
        change(app, site, board, List::Hidden, to).await?;
    }
    call.done_or_next(site, true)
}

async fn change<R: Runtime>(
    app: &App<R>,
    site: &Site,
    board: &Board,
    list: List,
    change: Change<'_>,
) -> Result<Response<Vec<u8>>, Problem> {
    if Admin(app).corrections().curate(site, board, list, change).await.map_err(Problem::redis)?.is_some() {
        return Ok(uncached(StatusCode::NO_CONTENT, "", Vec::new()));
    }
    let detail = format!("the board {} has {} {} members, which is all it may have", board.name, list.max_size(), list.name());
    Err(Problem::new(Code::ListFull, detail))
}
