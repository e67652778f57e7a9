//! Grains: minutes of UTC, which rolling windows of less than an hour are made of. Another one is a variant here and a line in `unit_of`
//! (`lua/lib/common/calendar.lua`), by its code. Everything else follows from its seconds.
//!
//! Minutes are UTC's. An hour is a count of local time, so that it begins when clocks show it. No reader compares a minute with
//! a clock on the wall, and no change of a zone then makes one longer.

use super::choice::choice;

/// So many minutes of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grain {
    One,
    Five,
    Ten,
}

choice!(Grain { One = "1 minute", Five = "5 minutes", Ten = "10 minutes" });

impl Grain {
    /// Its name as a unit's, in keys; its code in script arguments; its seconds.
    const fn facts(self) -> (&'static str, char, u32) {
        match self {
            Self::One => ("minute", 'i', 60),
            Self::Five => ("5-minutes", 'j', 300),
            Self::Ten => ("10-minutes", 'k', 600),
        }
    }

    /// Its name as a unit's.
    pub const fn unit_name(self) -> &'static str {
        self.facts().0
    }

    /// Its code in script arguments.
    pub const fn code(self) -> char {
        self.facts().1
    }

    pub const fn seconds(self) -> u32 {
        self.facts().2
    }
}
