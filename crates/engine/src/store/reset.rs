//! Emptying periods of a board: `lua/reset.lua`, in one call.
//!
//! # Decisions
//!
//! - A reset is an instant in the state, and keys that are removed. Counting compares the instant of an event with it, so late
//!   events and undos need no marks of their own. It costs no command: the state is read anyway, and a plan that was made since
//!   holds from that instant on.
//! - It names units and the numbers of their periods, not windows, since windows share periods. Closed periods take late events
//!   as before.
//! - A rolling window is reset together with its base periods. It stays their sum, so no note of what was taken out is needed.
//! - What it takes of a board with an archive is set aside by the same script, and archived from there under a name of its own.
//!   So no event that is counted in the meantime is lost between the two, and the archive of the period has what came after.
//! - The archive of the period is followed and read before the reset. Otherwise it would miss the events until the reset. What
//!   was set aside is archived after it.
//! - A restore goes by the instants of resets in the names of manifests: the Redis that knew the resets is lost.
//! - Actions are facts about actors, and stay. The marks of `once` are about the board, and are removed with a reset of all
//!   windows.

use std::collections::BTreeMap;
use std::fmt::Write;

use ranking::counting::Target;
use ranking::period::Period;
use ranking::site::{Board, Site};
use ranking::window::{Kind, Unit, Window};
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::scripts::{ResetArgs, ResetPeriod, ResetReply};
use super::target;
use super::window::{calendar_with_seasons, kind_fields, years_with_seasons};
use crate::adapter::{Error, Transport};

/// What was reset, or would be.
#[derive(Clone, Debug)]
pub struct Reset {
    /// Unix milliseconds. What happened until then counts no more.
    pub at_ms: i64,
    /// By unit.
    pub periods: Vec<ResetPeriods>,
    /// Entries of the decaying windows.
    pub fading: u64,
    /// Rolling windows that are incomplete until they are repaired.
    pub rebuilt: Vec<String>,
}

/// The periods of a unit that were reset.
#[derive(Clone, Debug)]
pub struct ResetPeriods {
    pub first: Period,
    /// Unix seconds.
    pub first_at: Option<i64>,
    pub last: Period,
    pub last_at: Option<i64>,
    /// Those that held anything, and the entries of them together.
    pub count: u64,
    pub entries: u64,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Empties the current periods of windows of a board, of rolling ones all that they are made of; `None` is all of its windows. With `is_dry` it
    /// only tells what that is.
    ///
    /// # Errors
    /// Why nobody knows; doing it again takes also what came since.
    pub async fn reset(&self, site: &Site, board: &Board, window: Option<&Window>, is_dry: bool) -> Result<Reset, Error> {
        let windows = window.map_or(&board.windows[..], std::slice::from_ref);
        let (periods, fades) = texts_of(windows);
        let call = |zone: &ZoneSpan| ResetArgs {
            board: self.board_key(site, board),
            is_dry: is_dry.into(),
            resets_all: window.is_none().into(),
            periods: periods.clone(),
            fades: fades.clone(),
            moved: archived_units(board),
            target: target::every_period(Target::Board(board)),
            calendar: calendar_with_seasons(site, zone, &board.windows),
        };
        let ResetReply { now_ms, fading, rebuilt, periods } =
            self.call(site, years_with_seasons(self.guess_s, &board.windows), call).await?;
        let period = |ResetPeriod { unit, first, first_at, last, last_at, count, entries }| {
            let unit = Unit::COUNTED.into_iter().find(|known| unit.starts_with(known.code()))?;
            let of = |number| Period { unit, number };
            Some(ResetPeriods { first: of(first), first_at, last: of(last), last_at, count, entries })
        };
        Ok(Reset {
            at_ms: now_ms,
            periods: periods.into_iter().filter_map(period).collect(),
            fading,
            rebuilt: rebuilt.split_whitespace().map(String::from).collect(),
        })
    }
}

/// The units of the calendar windows of a board with an archive, all time among them.
fn archived_units(board: &Board) -> String {
    let is_shown = |unit: &Unit| board.windows.iter().any(|window| window.kind == Kind::Calendar(*unit));
    Unit::COUNTED.into_iter().filter(|unit| board.archive && is_shown(unit)).map(Unit::code).collect()
}

/// The units of some windows with how many periods they are made of, and the decaying ones, as the script has them.
fn texts_of(windows: &[Window]) -> (String, String) {
    let (mut counts, mut fades) = (BTreeMap::new(), String::new());
    for window in windows {
        let (kind, unit, length, amount, at_s) = kind_fields(window.kind);
        if matches!(window.kind, Kind::Calendar(_) | Kind::Rolling { .. }) {
            let count = counts.entry(unit).or_insert(length);
            *count = length.max(*count);
        } else {
            let _ = write!(fades, " {}:{kind}:{unit}:{amount}:{at_s}", window.name);
        }
    }
    let counts: Vec<String> = counts.into_iter().map(|(unit, count)| format!("{unit}:{count}")).collect();
    (counts.join(" "), fades)
}
