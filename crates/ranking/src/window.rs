//! Windows: the spans of time a board is read over.

use std::rc::Rc;

use super::choice::{Choice, choice};
use super::grain::Grain;
use super::name::Name;
use super::score::Score;
use super::season::{LONGEST_DAYS, Season};

/// The calendar unit a window or a period is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// Only rolling windows are made of these.
    Minutes(Grain),
    Hour,
    Day,
    Week,
    Month,
    /// Spans of their own, see [`Season`].
    Season,
    Year,
    All,
}

impl Choice for Unit {
    const EACH: &'static [Self] = &Self::EACH;

    fn name(self) -> &'static str {
        self.name()
    }
}

impl Unit {
    /// The calendar units, the shortest first.
    pub const EACH: [Self; 6] = [Self::Hour, Self::Day, Self::Week, Self::Month, Self::Year, Self::All];
    /// Those that are shorter than a year: decaying windows have boundaries at them.
    pub const BELOW_YEAR: [Self; 4] = [Self::Hour, Self::Day, Self::Week, Self::Month];
    /// Those of an hour and more, the shortest first.
    const LONGER: [Self; 7] = [Self::Hour, Self::Day, Self::Week, Self::Month, Self::Season, Self::Year, Self::All];
    /// Those of them that end.
    pub const ENDING: &'static [Self] = Self::LONGER.split_at(Self::LONGER.len() - 1).0;
    /// All of them, the shortest first.
    pub const COUNTED: [Self; Grain::EACH.len() + Self::LONGER.len()] = {
        let (mut units, mut i) = ([Self::All; Grain::EACH.len() + Self::LONGER.len()], 0);
        while i < units.len() {
            units[i] = if i < Grain::EACH.len() { Self::Minutes(Grain::EACH[i]) } else { Self::LONGER[i - Grain::EACH.len()] };
            i += 1;
        }
        units
    };
    /// Those by which the names of rolling windows count.
    pub const ROLLING: [Self; 5] = [Self::Minutes(Grain::One), Self::Hour, Self::Day, Self::Week, Self::Month];

    /// The name in configuration and URLs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minutes(grain) => grain.unit_name(),
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Season => "season",
            Self::Year => "year",
            Self::All => "all",
        }
    }

    /// Seconds of each period, where these are all alike and begin with UTC's.
    pub fn grain_s(self) -> Option<i64> {
        match self {
            Self::Minutes(grain) => Some(grain.seconds().into()),
            _ => None,
        }
    }

    /// Hardly a period is shorter, in seconds.
    pub fn shortest_s(self) -> u64 {
        match self {
            Self::Minutes(grain) => grain.seconds().into(),
            Self::Hour => 1_800,
            Self::Day => 22 * 3_600,
            Self::Week => 6 * DAY_S,
            Self::Month => 27 * DAY_S,
            Self::Season | Self::Year | Self::All => 364 * DAY_S,
        }
    }

    /// No period is longer, in seconds, whatever the zone does meanwhile.
    pub fn longest_s(self) -> i64 {
        const DAY_S: i64 = 86_400;
        match self {
            Self::Minutes(grain) => grain.seconds().into(),
            Self::Hour => 2 * 3_600,
            Self::Day => 2 * DAY_S,
            Self::Week => 9 * DAY_S,
            Self::Month => 33 * DAY_S,
            Self::Season => (LONGEST_DAYS + 2) * DAY_S,
            Self::Year | Self::All => 368 * DAY_S,
        }
    }

    /// The most periods that a rolling window may have: upkeep adds up as many boards where it is not right.
    pub fn longest(self) -> u32 {
        match self {
            Self::Day => 400,
            Self::Week | Self::Month => 366,
            _ => 744,
        }
    }

    /// Its code in script arguments.
    pub fn code(self) -> char {
        match self {
            Self::Minutes(grain) => grain.code(),
            Self::Hour => 'h',
            Self::Day => 'd',
            Self::Week => 'w',
            Self::Month => 'm',
            Self::Season => 's',
            Self::Year => 'y',
            Self::All => 'a',
        }
    }

    /// Seconds a period is kept after its end, unless the configuration or a rolling window keeps it for longer; 0 means for ever.
    pub fn retention_s(self) -> u64 {
        match self {
            Self::Minutes(_) => 600,
            Self::Hour => 3 * DAY_S,
            Self::Day => 60 * DAY_S,
            Self::Week => 366 * DAY_S,
            Self::Month | Self::Season => 3 * 366 * DAY_S,
            Self::Year | Self::All => 0,
        }
    }

    /// Seconds for which a rolling window of so many periods needs each of them after its end, and some more. Zones make an hour longer
    /// once, but not many; a day is of 25 hours once a year.
    pub fn needed_s(self, length: u32) -> u64 {
        let longest_s = match self {
            Self::Minutes(grain) => grain.seconds().into(),
            Self::Hour => 3_600,
            Self::Day => DAY_S + 2 * 3600,
            Self::Week => 8 * DAY_S,
            Self::Month => 32 * DAY_S,
            Self::Season | Self::Year | Self::All => 367 * DAY_S,
        };
        let spare_s = if self < Self::Hour { 600 } else { 2 * DAY_S };
        (u64::from(length) + 1) * longest_s + spare_s
    }
}

const DAY_S: u64 = 86_400;

/// A window of a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// In configuration and URLs.
    pub name: Name,
    pub kind: Kind,
    /// Its periods where they are seasons, in their order.
    pub seasons: Rc<[Season]>,
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

/// The kinds that are written as tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    Season,
    Rolling,
    HalfLife,
    Step,
    Linear,
}

choice!(Table { Season = "season", Rolling = "rolling", HalfLife = "half-life", Step = "step", Linear = "linear" });

impl Kind {
    /// The name in configuration, answers and the arguments of scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calendar(Unit::Season) => Table::Season.name(),
            Self::Calendar(_) => "calendar",
            Self::Rolling { .. } => Table::Rolling.name(),
            Self::HalfLife { .. } => Table::HalfLife.name(),
            Self::Step { .. } => Table::Step.name(),
            Self::Linear { .. } => Table::Linear.name(),
        }
    }
}

impl Window {
    /// A window without seasons.
    pub fn new(name: Name, kind: Kind) -> Self {
        Self { name, kind, seasons: Rc::default() }
    }

    /// How calendar and rolling windows are written, for messages.
    pub fn allowed() -> String {
        let calendar = Unit::EACH.map(|unit| unit.name().to_owned());
        let rolling = Unit::ROLLING.map(|unit| format!("last-N-{}s (N from {SHORTEST} to {})", unit.name(), unit.longest()));
        format!("{}, {}", calendar.join(", "), rolling.join(", "))
    }

    /// Reads a calendar or rolling window; `None` when none is written so.
    pub fn parse(text: &str) -> Option<Self> {
        let kind = Unit::EACH.into_iter().find(|unit| unit.name() == text).map(Kind::Calendar).or_else(|| rolling(text))?;
        Some(Self::new(Name::new(text)?, kind))
    }

    /// Seconds of each period that it is made of, where these are less than an hour.
    pub fn grain_s(&self) -> Option<i64> {
        self.period_unit().and_then(Unit::grain_s)
    }

    /// A rolling window of minutes that is made of longer ones; `None` where these do not make it up.
    pub fn with_grain(self, grain: Grain) -> Option<Self> {
        let Kind::Rolling { unit: Unit::Minutes(of), length } = self.kind else { return None };
        let seconds = length * of.seconds();
        let length = Some(seconds / grain.seconds()).filter(|length| seconds % grain.seconds() == 0 && *length >= SHORTEST)?;
        Some(Self { kind: Kind::Rolling { unit: Unit::Minutes(grain), length }, ..self })
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

/// The seasons of some windows of a board, in their order. None of them overlap.
pub fn seasons_of(windows: &[Window]) -> Vec<Season> {
    let mut seasons: Vec<Season> = windows.iter().flat_map(|window| window.seasons.iter().copied()).collect();
    seasons.sort_unstable();
    seasons
}

/// The fewest periods that a rolling window may have.
const SHORTEST: u32 = 2;

/// `last-7-days`
fn rolling(text: &str) -> Option<Kind> {
    let (length, unit) = text.strip_prefix("last-")?.split_once('-')?;
    let unit = unit.strip_suffix('s').and_then(|name| Unit::ROLLING.into_iter().find(|unit| unit.name() == name))?;
    let length = length.parse().ok().filter(|number: &u32| (SHORTEST..=unit.longest()).contains(number) && number.to_string() == length)?;
    Some(Kind::Rolling { unit, length })
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
            ("last-60-minutes", Some(Kind::Rolling { unit: Unit::Minutes(Grain::One), length: 60 })),
            ("last-744-hours", Some(Kind::Rolling { unit: Unit::Hour, length: 744 })),
            ("last-400-days", Some(Kind::Rolling { unit: Unit::Day, length: 400 })),
            ("last-1-days", None),
            ("last-745-minutes", None),
            ("last-745-hours", None),
            ("last-401-days", None),
            ("last-367-weeks", None),
            ("last-2-5-minutess", None),
            ("minute", None),
            ("last-07-days", None),
            ("last-7-years", None),
            ("last--days", None),
            ("", None),
        ] {
            assert_eq!(Window::parse(text).map(|window| window.kind), kind, "{text}");
        }
    }
}
