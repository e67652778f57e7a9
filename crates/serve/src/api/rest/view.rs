//! Rankings with what the database knows of their members: `?details=1` and filters, and pages that are filled up.

use interface::code::Code;
use ranking::name::Id;
use ranking::site::{Board, Members};
use ranking::view::MAX_LOOKED_UP;

use super::Call;
use super::problem::Problem;
use crate::app::database::DatabaseError;
use crate::app::rankings::{PeriodRef, Read, View};
use crate::app::{App, Runtime};

const MAX_PER: u32 = 100;
/// As long as a category or tag of an item may be.
const MAX_TEXT: usize = 64;
const HOUR_S: u32 = 3_600;
const MAX_WITHIN_S: u32 = 3_660 * 24 * HOUR_S;

/// A page with what its reader wants besides members and scores, or its board says.
///
/// # Errors
/// 400 for wrong parameters; 404 where only a database could tell who is on the page, and there is none.
pub fn compose<R: Runtime>(app: &App<R>, page: Read, call: &Call<'_>) -> Result<Read, Problem> {
    let Read::Top { of, offset, limit } = page else { return Ok(page) };
    let view = read(call, &of, has_details(app, &of.board, limit))?;
    if view.is_filtered() && app.runtime.database().is_none() {
        return Err(match app.tables().no_database() {
            DatabaseError::Absent => Problem::new(Code::NoDatabase, "this deployment has no database, so nothing is known of the members"),
            error => Problem::database(error),
        });
    }
    if view.details || view.is_filtered() {
        call.query.number("limit", 1, 1, MAX_LOOKED_UP, " with details or filters")?;
    }
    let of = with_fallback(of);
    match <[PeriodRef; 1]>::try_from(of) {
        Ok([of]) if view.is_bare() => Ok(Read::Top { of, offset, limit }),
        Ok([of]) => Ok(Read::Composed { of: vec![of], offset, limit, view }),
        Err(of) => Ok(Read::Composed { of, offset, limit, view }),
    }
}

/// Several rankings, where some are filled up.
pub fn fill_up(read: Read) -> Read {
    let Read::Tops { of, limit } = read else { return read };
    if of.iter().all(|of| of.board.fallback.is_empty()) {
        return Read::Tops { of, limit };
    }
    Read::Filled { of: of.into_iter().flat_map(with_fallback).collect(), limit }
}

/// A ranking, and what its current period is filled up from.
fn with_fallback(of: PeriodRef) -> Vec<PeriodRef> {
    let fallback = of.board.fallback_of(&of.window).filter(|_| of.period.is_none());
    let others: Vec<PeriodRef> = fallback.map(|window| PeriodRef { window: window.clone(), ..of.clone() }).collect();
    [of].into_iter().chain(others).collect()
}

/// Whether a page of so many entries has details unless its address says so: as the board says, else where there is a database. A page that has more
/// entries than are looked up has none then, as it had none before the board got a database.
pub(in crate::api) fn has_details<R: Runtime>(app: &App<R>, board: &Board, limit: u32) -> bool {
    board.details.unwrap_or(app.config.has_database && limit <= MAX_LOOKED_UP)
}

/// `details`: whether it has them unless its address says so.
pub(super) fn read(call: &Call<'_>, of: &PeriodRef, details: bool) -> Result<View, Problem> {
    let text = |name: &str| call.query.text(name);
    let invalid = |name: &str, allowed: &str| {
        let value = text(name).unwrap_or_default();
        Problem::new(Code::InvalidParameter, format!("{name} = {value:?} is not allowed; allowed: {allowed}"))
    };
    let id = |name: &str| text(name).map(|id| Id::new(id).ok_or_else(|| invalid(name, Id::ALLOWED))).transpose();
    let word = |name: &str| {
        let allowed = format!("text of 1 to {MAX_TEXT} characters");
        let is_word = |word: &str| (1..=MAX_TEXT).contains(&word.chars().count());
        text(name).map(|word| if is_word(word) { Ok(word.to_owned()) } else { Err(invalid(name, &allowed)) }).transpose()
    };
    let per = |name: &str| text(name).map(|_| call.query.number(name, 1, 1, MAX_PER, "")).transpose();
    let switch = |name: &str, default: bool| match text(name) {
        None => Ok(default),
        Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(_) => Err(invalid(name, "0 or 1")),
    };
    let view = View {
        details: switch("details", details)?,
        actions: switch("actions", false)?,
        exclude: id("exclude")?,
        from_score: call.query.score("from_score")?,
        category: word("category")?,
        tag: word("tag")?,
        author: id("author")?,
        published_within_s: text("published_within")
            .map(|within| read_within(within).ok_or_else(|| invalid("published_within", "1h to 3660d, a whole number and h or d")))
            .transpose()?,
        per_category: per("per_category")?,
        per_author: per("per_author")?,
    };
    if view.is_filtered() && of.board.members != Members::Items {
        let detail = format!("the board {} does not rank items, so it has no categories, tags, authors and dates", of.board.name);
        return Err(Problem::new(Code::InvalidParameter, detail));
    }
    if view.actions && !of.board.is_tallied(&of.window) {
        let detail = if of.board.breakdown {
            format!("counts by action are kept for calendar and decaying windows, and {} is neither", of.window.name)
        } else {
            format!("the board {} keeps no counts by action; breakdown = true makes it", of.board.name)
        };
        return Err(Problem::new(Code::InvalidParameter, detail));
    }
    Ok(view)
}

/// `12h`, `7d`
fn read_within(text: &str) -> Option<u32> {
    let (number, scale) = match text.strip_suffix('d') {
        Some(days) => (days, 24 * HOUR_S),
        None => (text.strip_suffix('h')?, HOUR_S),
    };
    let is_number = (1..=5).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = number.parse::<u32>().ok().filter(|_| is_number)?.checked_mul(scale)?;
    (1..=MAX_WITHIN_S).contains(&seconds).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (text, seconds) in [("1h", Some(3_600)), ("7d", Some(604_800)), ("3660d", Some(MAX_WITHIN_S))] {
            assert_eq!(read_within(text), seconds, "{text}");
        }
        for wrong in ["", "d", "0d", "+1d", "1.5h", "3661d", "7", "7D", "99999d", "1w"] {
            assert_eq!(read_within(wrong), None, "{wrong}");
        }
    }
}
