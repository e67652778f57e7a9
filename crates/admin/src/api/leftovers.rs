//! Keys of boards and windows that are no longer configured: `/v1/{site}/admin/unconfigured`.

use http::{Response, StatusCode};
use interface::code::Code;
use ranking::site::Site;
use serde::Serialize;
use serde_json::json as value;
use serve::api::{Call, Problem, json};
use serve::app::{App, Runtime};

use super::audit;
use crate::app::Admin;
use crate::app::corrections::leftovers::Leftover;

/// A request looks for this long; the answer tells where to go on.
const WORK_MS: u64 = 10_000;

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    dry_run: bool,
    unconfigured: Vec<FoundDocument>,
    cursor: Option<String>,
}

#[derive(Serialize)]
struct FoundDocument {
    board: String,
    part: Option<String>,
    keys: u64,
    bytes: u64,
}

/// 1. 400 for a wrong cursor.
/// 2. 503 when Redis does not answer.
/// 3. 200 with what was found.
pub async fn get<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    search(app, site, call, only(call).as_ref(), false).await
}

/// 1. 400 without a board, and for a wrong cursor.
/// 2. Note it in the audit log.
/// 3. 503 or 504 when Redis does not answer; some of it may be done.
/// 4. 200 when all is removed; 202 when time ran out, to be asked for again with the cursor.
pub async fn delete<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let Some(only) = only(call) else {
        let detail = "board is missing; allowed: one that GET …/admin/unconfigured tells";
        return Err(Problem::new(Code::InvalidParameter, detail));
    };
    let is_dry = call.query.flag("dry_run", false)?;
    place(call)?;
    if !is_dry {
        audit::note(call, app, site, value!({ "did": "remove-unconfigured", "board": only.board, "part": only.part })).await?;
    }
    let mut response = search(app, site, call, Some(&only), !is_dry).await?;
    if response.extensions().get::<IsCutShort>().is_some() {
        *response.status_mut() = StatusCode::ACCEPTED;
    }
    Ok(response)
}

/// The board and the part of the query.
fn only(call: &Call<'_>) -> Option<Leftover> {
    let board = call.query.text("board").filter(|board| !board.is_empty())?;
    Some(Leftover { board: board.into(), part: call.query.text("part").map(str::to_owned) })
}

/// That there is more to look at.
#[derive(Clone, Copy)]
struct IsCutShort;

async fn search<R: Runtime>(
    app: &App<R>,
    site: &Site,
    call: &Call<'_>,
    only: Option<&Leftover>,
    removes: bool,
) -> Result<Response<Vec<u8>>, Problem> {
    let until_ms = app.runtime.clock_ms() + WORK_MS;
    let search = Admin(app).corrections().leftovers(site, place(call)?, only, removes, until_ms).await.map_err(Problem::redis)?;
    let found = search.found.into_iter().map(|found| FoundDocument {
        board: found.of.board,
        part: found.of.part,
        keys: found.keys,
        bytes: found.bytes,
    });
    let is_cut_short = search.cursor.is_some();
    let document = Document { site: site.name.as_str(), dry_run: !removes, unconfigured: found.collect(), cursor: search.cursor };
    let mut response = json(&document)?;
    if is_cut_short {
        response.extensions_mut().insert(IsCutShort);
    }
    Ok(response)
}

/// The cursor to begin with.
fn place<'c>(call: &'c Call<'_>) -> Result<&'c str, Problem> {
    let cursor = call.query.text("cursor").unwrap_or("0");
    if cursor.parse::<u64>().is_err() {
        return Err(Problem::new(
            Code::InvalidParameter,
            format!("cursor = {cursor:?} is not allowed; allowed: that of the answer before"),
        ));
    }
    Ok(cursor)
}
