//! Taking members off a board: `/v1/{site}/admin/boards/{board}/members[/{id}]` and `…/removed`.

use http::{Response, StatusCode};
use interface::code::Code;
use ranking::name::Id;
use ranking::page::rfc3339;
use ranking::site::Site;
use serde::Serialize;
use serde_json::json as value;
use serve::api::{Call, Problem, json, uncached};
use serve::app::{App, Runtime};

use super::audit;
use crate::app::Admin;
use crate::app::corrections::removal::{Removal, Whom};

/// A request removes for this long; the answer tells whether more is left.
const WORK_MS: u64 = 20_000;

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    board: &'s str,
    dry_run: bool,
    /// Whether nothing is left.
    done: bool,
    /// Entries of boards: a member has one on each period's.
    entries: u64,
    /// Some of the members.
    members: Vec<Id>,
}

#[derive(Serialize)]
struct ListDocument<'s> {
    site: &'s str,
    board: &'s str,
    removed: Vec<RemovedDocument>,
    cursor: Option<String>,
}

#[derive(Serialize)]
struct RemovedDocument {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Id>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<Id>,
    since: Option<String>,
}

/// 1. 404 for a board that the site has not; 400 for what is no id or prefix, and for wrong parameters.
/// 2. 503 or 504 when Redis does not answer; some of it may be done.
/// 3. 409 when no more may be kept off.
/// 4. 200 when all is removed; 202 when time ran out, to be asked for again.
pub async fn remove<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (board, whom) = (call.board(site)?, whom(call)?);
    let (is_dry, keep_off) = (call.query.flag("dry_run", false)?, call.query.flag("keep_off", true)?);
    if !is_dry {
        note(app, site, call, "remove", &whom, Some(keep_off)).await?;
    }
    let removal = Removal { whom: &whom, keep_off, is_dry };
    let removed = Admin(app).corrections().remove(site, board, removal, app.runtime.clock_ms() + WORK_MS).await.map_err(Problem::redis)?;
    if !is_dry {
        app.templates().enter_archived(site).await;
    }
    let Some(removed) = removed else {
        let detail = format!("{} ids and prefixes were removed from the board {}, which is all there may be", Whom::MOST, board.name);
        return Err(Problem::new(Code::ListFull, detail));
    };
    let mut response = json(&Document {
        site: site.name.as_str(),
        board: board.name.as_str(),
        dry_run: is_dry,
        done: removed.is_done,
        entries: removed.entries,
        members: removed.members,
    })?;
    if !removed.is_done {
        *response.status_mut() = StatusCode::ACCEPTED;
    }
    Ok(response)
}

/// 1. 404 for a board that the site has not; 400 for what is no id or prefix.
/// 2. 503 or 504 when Redis does not answer.
/// 3. 204: it is not kept off, whether it was or not.
pub async fn let_in<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let (board, whom) = (call.board(site)?, whom(call)?);
    note(app, site, call, "let-in", &whom, None).await?;
    Admin(app).corrections().let_in(site, board, &whom).await.map_err(Problem::redis)?;
    Ok(uncached(StatusCode::NO_CONTENT, "", Vec::new()))
}

/// 1. 404 for a board that the site has not; 400 for a wrong cursor.
/// 2. 503 when Redis does not answer.
/// 3. 200 with some of who is kept off, in no order.
pub async fn list<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let board = call.board(site)?;
    let cursor = call.query.text("cursor");
    if let Some(cursor) = cursor.filter(|cursor| cursor.parse::<u64>().is_err()) {
        return Err(Problem::new(
            Code::InvalidParameter,
            format!("cursor = {cursor:?} is not allowed; allowed: that of the answer before"),
        ));
    }
    let kept_off = Admin(app).corrections().kept_off(site, board, cursor).await.map_err(Problem::redis)?;
    let describe = |(whom, since_ms)| {
        let since = rfc3339(since_ms, true);
        match whom {
            Whom::Member(id) => RemovedDocument { id: Some(id), prefix: None, since },
            Whom::Prefix(id) => RemovedDocument { id: None, prefix: Some(id), since },
        }
    };
    json(&ListDocument {
        site: site.name.as_str(),
        board: board.name.as_str(),
        removed: kept_off.members.into_iter().map(describe).collect(),
        cursor: kept_off.cursor,
    })
}

/// The member of the path, or the prefix of the query.
fn whom(call: &Call<'_>) -> Result<Whom, Problem> {
    if !call.path.id.is_empty() {
        return call.id().map(Whom::Member);
    }
    let prefix = call.query.id("prefix")?;
    prefix.map(Whom::Prefix).ok_or_else(|| Problem::new(Code::InvalidParameter, format!("prefix is missing; allowed: {}", Id::ALLOWED)))
}

async fn note<R: Runtime>(
    app: &App<R>,
    site: &Site,
    call: &Call<'_>,
    did: &str,
    whom: &Whom,
    keep_off: Option<bool>,
) -> Result<(), Problem> {
    let mut what = value!({ "did": did, "board": call.path.board });
    match whom {
        Whom::Member(id) => what["member"] = id.as_str().into(),
        Whom::Prefix(id) => what["prefix"] = id.as_str().into(),
    }
    if let Some(keep_off) = keep_off {
        what["keep_off"] = keep_off.into();
    }
    audit::note(call, app, site, what).await
}
