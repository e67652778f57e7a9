//! Items that become others: `/v1/{site}/items/{id}/alias`.

use http::{Response, StatusCode};
use interface::code::Code;
use ranking::name::Id;
use ranking::site::Site;
use serde::Serialize;
use serde_json::json as value;
use serve::api::{Call, Problem, json};
use serve::app::counting::{EventCode, Refusal};
use serve::app::{App, Runtime};

use super::audit;
use super::items::read_object;
use crate::app::Admin;
use crate::app::items::{Alias, Allowance, Refused, Unfinished};

/// A request merges for this long; upkeep ends what is left.
const WORK_MS: u64 = 20_000;

#[derive(Serialize)]
struct Document<'d> {
    site: &'d str,
    id: &'d Id,
    to: &'d Id,
    /// Whether nothing is left.
    done: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run: Option<bool>,
    /// Entries of boards: a member has one on each period's. Not counted once more where the alias goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<u64>,
}

/// 1. 404 without a database; 400 for what is no id or no body; 503 when the database does not answer.
/// 2. 409 where the items are the same in the end, one of them was deleted or is kept off a board, it became another one before, or a board
///    counts one of them alone.
/// 3. 503 or 504 when Redis does not answer.
/// 4. 200 when all is the other one's; 202 when something is left, which upkeep ends.
pub async fn post<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let old = call.id()?;
    let (is_dry, new) = (call.query.flag("dry_run", false)?, target(call)?);
    call.query.id("by")?;
    let checked = Admin(app).items().check_alias(site, &Alias { old, new }).await.map_err(unfinished)?;
    let (alias, is_begun) = checked.map_err(|why| refused(&why))?;
    let entries = if is_begun && !is_dry {
        None
    } else {
        Some(Admin(app).items().count_entries(site, &alias).await.map_err(unfinished)?.map_err(|why| refused(&why))?)
    };
    let document =
        |is_done| Document { site: site.name.as_str(), id: &alias.old, to: &alias.new, done: is_done, dry_run: Some(is_dry), entries };
    if is_dry {
        return json(&document(false));
    }
    if !Admin(app).items().mark_alias(&site.name, &alias).await.map_err(Problem::database)? {
        return Err(refused(&Refused::Contended));
    }
    let noted = audit::note(call, app, site, value!({ "did": "alias", "member": alias.old.as_str(), "to": alias.new.as_str() })).await;
    let until = (app.runtime.clock_ms() + WORK_MS, &Allowance::default());
    let is_done = noted.is_ok() && Admin(app).items().merge_alias(site, &alias, until).await.is_ok();
    let mut response = json(&document(is_done))?;
    if !is_done {
        *response.status_mut() = StatusCode::ACCEPTED;
    }
    Ok(response)
}

/// 1. 404 without a database, or where the item became no other one; 400 for what is no id; 503 when the database does not answer.
/// 2. 200.
pub async fn get<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let id = call.id()?;
    let known = Admin(app).items().alias_of(&site.name, &id).await.map_err(Problem::database)?;
    let known = known.ok_or_else(|| Problem::new(Code::NoAlias, format!("the item {:?} became no other one", id.as_str())))?;
    json(&Document { site: site.name.as_str(), id: &id, to: &known.end, done: known.is_done, dry_run: None, entries: None })
}

/// `to` of the body.
fn target(call: &Call<'_>) -> Result<Id, Problem> {
    let object = read_object(call.request)?;
    let to = object.get("to").and_then(|to| to.as_str()).filter(|_| object.len() == 1);
    let wrong = || Refusal::new(EventCode::InvalidId, format!("the body is {{\"to\": an id}}; allowed: {}", Id::ALLOWED));
    Ok(to.and_then(Id::new).ok_or_else(wrong)?)
}

fn refused(why: &Refused) -> Problem {
    let detail = match why {
        Refused::Loop => "an item cannot become itself, nor what became it".into(),
        Refused::Other(id) => format!("it became {:?} before", id.as_str()),
        Refused::Deleted(id) => format!("the item {:?} is deleted", id.as_str()),
        Refused::Off(id, board) => format!("the item {:?} is removed from the board {board}", id.as_str()),
        Refused::Uneven(board) => format!("the board {board} counts one of the two items and not the other one"),
        Refused::Contended => {
            return Problem::new(Code::Contended, "another item is still becoming this one, or it changed meanwhile; try again");
        }
    };
    Problem::new(Code::NotPossible, detail)
}

fn unfinished(why: Unfinished) -> Problem {
    match why {
        Unfinished::Database(error) => Problem::database(error),
        Unfinished::Redis(failure) => Problem::redis(failure),
        other => Problem::internal(other.detail()),
    }
}
