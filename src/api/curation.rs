//! Hiding and pinning members: `/v1/{site}/admin/boards/{board}/hidden[/{id}]` and `…/pinned[/{id}]`.

use http::{Method, Request, Response, StatusCode};
use serde::Serialize;

use super::query::Query;
use super::{Problem, Tokens, check_token, find_board, json, read_id, uncached};
use crate::adapter::Applied;
use crate::app::{App, Runtime};
use crate::ranking::name::Id;
use crate::ranking::site::Site;
use crate::store::curate::{Change, List};

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    board: &'s str,
    list: &'static str,
    ids: Vec<Id>,
}

/// 1. 401 without the `ADMIN_TOKEN`; 404 for a board that the site has not.
/// 2. 503 when Redis does not answer.
/// 3. 200 with who is on the list, the pinned in their order.
pub async fn list<R: Runtime>(
    app: &App<R>,
    tokens: &Tokens,
    site: &Site,
    board: &str,
    list: &str,
    request: &Request<Vec<u8>>,
) -> Result<Response<Vec<u8>>, Problem> {
    check_token("ADMIN_TOKEN", tokens.admin.as_deref(), request)?;
    let (board, list) = (find_board(site, board)?, named(list));
    Query::read(request, &[])?;
    let ids = app.curate(site, board, list, Change::Look).await.map_err(|error| Problem::redis(&error, Applied::No))?;
    json(&Document { site: site.name.as_str(), board: board.name.as_str(), list: list.name(), ids: ids.unwrap_or_default() })
}

/// 1. 401 without the `ADMIN_TOKEN`; 404 for a board that the site has not; 400 for what is no id.
/// 2. 503 when Redis does not answer.
/// 3. 409 when the list is full.
/// 4. 204: the member is on the list (PUT), or it is not (DELETE), whether it was or not.
pub async fn change<R: Runtime>(
    app: &App<R>,
    tokens: &Tokens,
    site: &Site,
    board: &str,
    list: &str,
    id: &str,
    request: &Request<Vec<u8>>,
) -> Result<Response<Vec<u8>>, Problem> {
    check_token("ADMIN_TOKEN", tokens.admin.as_deref(), request)?;
    let (board, list, id) = (find_board(site, board)?, named(list), read_id(id)?);
    Query::read(request, &[])?;
    let change = if request.method() == Method::PUT { Change::Put(&id) } else { Change::Delete(&id) };
    match app.curate(site, board, list, change).await {
        Ok(Some(_)) => Ok(uncached(StatusCode::NO_CONTENT, "", Vec::new())),
        Ok(None) => {
            let detail = format!("the board {} has {} {} members, which is all it may have", board.name, list.max_size(), list.name());
            Err(Problem::new(StatusCode::CONFLICT, "list-full", detail))
        }
        Err(error) => Err(Problem::redis(&error, error.applied())),
    }
}

fn named(list: &str) -> List {
    if list == List::Hidden.name() { List::Hidden } else { List::Pinned }
}
