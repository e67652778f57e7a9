//! Pages of a ranking past its board's `limit`, which a snapshot of all members answers.

use interface::code::Code;
use ranking::site::{Site, Snapshot};
use ranking::view::MAX_LOOKED_UP;

use super::Call;
use super::problem::Problem;
use super::top::{DEFAULT_LIMIT, period_ref};
use super::view;
use crate::app::rankings::{Read, View};
use crate::app::{App, Runtime};

/// Entries on a page that a snapshot answers: two of its own pages at most. With details it has no more than are looked up.
const MAX_LIMIT: u32 = 1_000;

/// What is asked for, where that ends past the `limit` of a board whose snapshots have all members.
///
/// # Errors
/// 404 for a board or window that the site has not; 400 for wrong parameters, and for those that would leave members out.
pub fn beyond<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Option<Read>, Problem> {
    let of = period_ref(site, call)?;
    let depth = of.board.limit;
    if of.board.snapshot != Some(Snapshot::All) || of.period.is_some() {
        return Ok(None);
    }
    let limit = call.query.number("limit", DEFAULT_LIMIT.min(depth), 1, MAX_LIMIT, "")?;
    let offset = call.query.number("offset", 0, 0, Snapshot::MOST - limit, &format!(" with limit = {limit}"))?;
    if offset + limit <= depth {
        return Ok(None);
    }
    let view = view::read(call, &of, view::has_details(app, &of.board, limit))?;
    if view.details {
        call.query.number("limit", DEFAULT_LIMIT.min(depth), 1, MAX_LOOKED_UP, " with details")?;
    }
    if view != (View { details: view.details, ..View::default() }) {
        let detail = format!(
            "members past the first {depth} of the board {} are shown as a snapshot has them: details alone can be added",
            of.board.name
        );
        return Err(Problem::new(Code::InvalidParameter, detail));
    }
    Ok(Some(if view.is_bare() { Read::Top { of, offset, limit } } else { Read::Composed { of: vec![of], offset, limit, view } }))
}
