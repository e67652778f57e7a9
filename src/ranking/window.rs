//! Windows: the stretches of time a board is read over.

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

impl Unit {
    pub const EACH: [Self; 6] = [Self::Hour, Self::Day, Self::Week, Self::Month, Self::Year, Self::All];

    /// The name in configuration and URLs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
            Self::All => "all",
        }
    }

    /// The letter the scripts know it by.
    pub fn letter(self) -> char {
        match self {
            Self::Hour => 'h',
            Self::Day => 'd',
            Self::Week => 'w',
            Self::Month => 'm',
            Self::Year => 'y',
            Self::All => 'a',
        }
    }

    /// Seconds a period is kept after its end; 0 means for ever.
    pub fn retention_s(self) -> u32 {
        const DAY: u32 = 86_400;
        match self {
            Self::Hour => 3 * DAY,
            Self::Day => 60 * DAY,
            Self::Week => 366 * DAY,
            Self::Month => 3 * 366 * DAY,
            Self::Year | Self::All => 0,
        }
    }
}

/// A window of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// The calendar period, in the site's time zone.
    Calendar(Unit),
}

impl Window {
    /// How windows are written, for messages.
    pub const ALLOWED: &str = "hour, day, week, month, year, all";

    /// `None` when no window is written so.
    pub fn parse(text: &str) -> Option<Self> {
        Unit::EACH.into_iter().find(|unit| unit.name() == text).map(Self::Calendar)
    }

    /// The name in configuration and URLs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Calendar(unit) => unit.name(),
        }
    }
}
