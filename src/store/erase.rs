//! Forgetting an actor: `lua/erase.lua`, a bounded piece at a time.

use super::book::Book;
use super::{ERASE, Zones, ask, calendar_args, malformed, text, years_around};
use crate::adapter::{Error, Invocation, Transport};
use crate::ranking::name::Id;
use crate::ranking::site::Site;
use crate::ranking::zone::ZoneSpan;

/// Periods in a piece: with all that is kept beside them, some milliseconds of Redis's time.
const PERIODS: u32 = 300;

/// Erases a piece of what a book knows of an actor; `cursor` is empty at first and then what the last piece answered. `None`:
/// nothing is left.
///
/// # Errors
/// Why nobody knows; doing it again does no harm.
pub async fn erase(
    transport: &impl Transport,
    zones: &impl Zones,
    site: &Site,
    guess_s: i64,
    book: Book<'_>,
    actor: &Id,
    cursor: &str,
) -> Result<Option<String>, Error> {
    let invocation = |zone: &ZoneSpan| {
        let (units, retention) = book.periods(site);
        let mut args = vec![
            actor.as_str().into(),
            u8::from(book.ranks_actors()).to_string(),
            units,
            retention,
            book.rolling(),
            book.decaying(),
            book.options(),
            cursor.into(),
            PERIODS.to_string(),
        ];
        args.extend(calendar_args(site, zone));
        debug_assert_eq!(args.len(), ERASE.args.len());
        Invocation { script: &ERASE, keys: vec![book.prefix(site)], args }
    };
    match ask(transport, zones, site, years_around(guess_s), &invocation).await?.as_slice() {
        [_, _, cursor] => {
            let cursor = text(cursor).ok_or_else(|| malformed(&ERASE))?;
            Ok((!cursor.is_empty()).then(|| cursor.into()))
        }
        _ => Err(malformed(&ERASE)),
    }
}
