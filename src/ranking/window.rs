//! Windows: the spans of time a board is read over.

use std::ops::RangeInclusive;

use super::choice::choice;
use super::name::Name;
use super::score::Score;

/// The calendar unit a window or a period is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    Hour,
    Day,
    Week,
    Month,
    Year,
    All,
}

choice!(Unit { Hour = "hour", Day = "day", Week = "week", Month = "month", Year = "year", All = "all" });

impl Unit {
    /// Those that are shorter than a year: rolling windows are made of them, and decaying ones have boundaries at them.
    pub const BELOW_YEAR: [Self; 4] = [Self::Hour, Self::Day, Self::Week, Self::Month];

    /// Its code in script arguments.
    pub fn code(self) -> char {
        match self {
            Self::Hour => 'h',
            Self::Day => 'd',
            Self::Week => 'w',
            Self::Month => 'm',
            Self::Year => 'y',
            Self::All => 'a',
        }
    }

    /// Seconds a period is kept after its end, unless a rolling window needs it for longer; 0 means for ever.
    pub fn retention_s(self) -> u64 {
        match self {
            Self::Hour => 3 * DAY_S,
            Self::Day => 60 * DAY_S,
            Self::Week => 366 * DAY_S,
            Self::Month => 3 * 366 * DAY_S,
            Self::Year | Self::All => 0,
        }
    }

    /// Hardly a period is longer, in seconds: a day is of 25 hours once a year.
    fn longest_s(self) -> u64 {
        match self {
            Self::Hour => 5_400,
            Self::Day => DAY_S + 2 * 3600,
            Self::Week => 8 * DAY_S,
            Self::Month => 32 * DAY_S,
            Self::Year | Self::All => 367 * DAY_S,
        }
    }
}

const DAY_S: u64 = 86_400;

/// A window of a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// In configuration and URLs.
    pub name: Name,
    pub kind: Kind,
}

/// What makes a score of a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// The sum over the calendar period, in the site's time zone.
    Calendar(Unit),
    /// The sum over the current period and the `length` - 1 before it.
    Rolling { unit: Unit, length: u32 },
    /// Every event loses half its weight each life, continuously.
    HalfLife { life_ms: u64 },
    /// Every event's weight is multiplied by the factor at each boundary.
    Step { every: Unit, factor: Score },
    /// An event is worth weight × beta × seconds since the last reset.
    Linear { resets: Unit, at_s: u32, beta: Score },
}

/// The kinds that shrink or grow what an event is worth by its age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decay {
    HalfLife,
    Step,
    Linear,
}

choice!(Decay { HalfLife = "half-life", Step = "step", Linear = "linear" });

impl Kind {
    /// The name in configuration, answers and the arguments of scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calendar(_) => "calendar",
            Self::Rolling { .. } => "rolling",
            Self::HalfLife { .. } => Decay::HalfLife.name(),
            Self::Step { .. } => Decay::Step.name(),
            Self::Linear { .. } => Decay::Linear.name(),
        }
    }
}

impl Window {
    /// How calendar and rolling windows are written, for messages.
    pub fn allowed() -> String {
        let calendar = Unit::EACH.map(|unit| unit.name().to_owned());
        let rolling = Unit::BELOW_YEAR.map(|unit| format!("last-N-{}s", unit.name()));
        let (min, max) = (LENGTHS.start(), LENGTHS.end());
        format!("{}, {} (N from {min} to {max})", calendar.join(", "), rolling.join(", "))
    }

    /// Reads a calendar or rolling window; `None` when none is written so.
    pub fn parse(text: &str) -> Option<Self> {
        let kind = Unit::EACH.into_iter().find(|unit| unit.name() == text).map(Kind::Calendar).or_else(|| rolling(text))?;
        Some(Self { name: Name::new(text)?, kind })
    }

    /// Whether scores shrink as time goes by.
    pub fn fades(&self) -> bool {
        matches!(self.kind, Kind::HalfLife { .. } | Kind::Step { .. })
    }

    /// Whether scores are sums of weights; otherwise they depend on when events happened.
    pub fn sums_weights(&self) -> bool {
        matches!(self.kind, Kind::Calendar(_) | Kind::Rolling { .. })
    }

    /// The unit whose ids name this window's periods; `None` when it has none to ask for.
    pub fn period_unit(&self) -> Option<Unit> {
        match self.kind {
            Kind::Calendar(unit) | Kind::Rolling { unit, .. } => Some(unit),
            Kind::HalfLife { .. } | Kind::Step { .. } | Kind::Linear { .. } => None,
        }
    }
}

/// How many periods a rolling window may have.
const LENGTHS: RangeInclusive<u32> = 2..=366;

/// `last-7-days`
fn rolling(text: &str) -> Option<Kind> {
    let (length, unit) = text.strip_prefix("last-")?.split_once('-')?;
    let unit = unit.strip_suffix('s').and_then(|name| Unit::BELOW_YEAR.into_iter().find(|unit| unit.name() == name))?;
    let length = length.parse().ok().filter(|number: &u32| LENGTHS.contains(number) && number.to_string() == length)?;
    Some(Kind::Rolling { unit, length })
}

/// The calendar periods that must be counted for some windows, in order. Each has the seconds it is kept after its end
/// (0 = for ever). That is long enough for every rolling window that will subtract it.
pub fn counted_units(windows: &[Window]) -> Vec<(Unit, u64)> {
    let kept_s = |unit: Unit| {
        let needs = windows.iter().filter_map(|window| match window.kind {
            Kind::Calendar(calendar) if calendar == unit => Some(0),
            Kind::Rolling { unit: base, length } if base == unit => Some(rolling_needs_s(unit, length)),
            _ => None,
        });
        let needed = needs.max()?;
        Some((unit, if unit.retention_s() == 0 { 0 } else { needed.max(unit.retention_s()) }))
    };
    Unit::EACH.into_iter().filter_map(kept_s).collect()
}

/// Every calendar period that any configuration counts, likewise.
pub fn countable_units() -> Vec<(Unit, u64)> {
    let kept_s = |unit: Unit| if unit.retention_s() == 0 { 0 } else { rolling_needs_s(unit, *LENGTHS.end()).max(unit.retention_s()) };
    Unit::EACH.into_iter().map(|unit| (unit, kept_s(unit))).collect()
}

fn rolling_needs_s(unit: Unit, length: u32) -> u64 {
    (u64::from(length) + 1) * unit.longest_s() + 2 * DAY_S
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_read() {
        for (text, kind) in [
            ("day", Some(Kind::Calendar(Unit::Day))),
            ("last-7-days", Some(Kind::Rolling { unit: Unit::Day, length: 7 })),
            ("last-366-months", Some(Kind::Rolling { unit: Unit::Month, length: 366 })),
            ("last-1-days", None),
            ("last-367-days", None),
            ("last-07-days", None),
            ("last-7-years", None),
            ("last--days", None),
            ("", None),
        ] {
            assert_eq!(Window::parse(text).map(|window| window.kind), kind, "{text}");
        }
    }

    #[test]
    fn base_periods_are_kept_for_as_long_as_windows_need_them() {
        let windows = ["day", "last-7-days", "last-366-days", "last-2-hours", "all"].map(|name| Window::parse(name).expect("a window"));
        let units = counted_units(&windows);
        assert_eq!(units, [(Unit::Hour, 3 * DAY_S), (Unit::Day, 367 * (DAY_S + 7200) + 2 * DAY_S), (Unit::All, 0)]);
    }
}
