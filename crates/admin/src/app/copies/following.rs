//! Until when the archive of a board follows what changes in Redis, as the documents beside Redis keep it.

use serde::{Deserialize, Serialize};

/// Why an archive is behind, what is more urgent last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    Counted,
    Revoked,
    Erased,
}

/// Until when the archive of a board has what changed in archived periods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Following {
    /// Unix milliseconds, by the clock of Redis, when upkeep looked: what changed until then is there, but for what is behind.
    pub until_ms: i64,
    /// The most urgent first.
    pub behind: Vec<BehindPeriod>,
}

/// A period whose archive is behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BehindPeriod {
    /// The unit's name, and the period's id.
    pub unit: String,
    pub period: String,
    /// Unix milliseconds: what changed since then is not there.
    pub since_ms: i64,
    pub why: Why,
}

impl Following {
    /// Unix milliseconds: all that changed until then is there.
    pub fn whole_until_ms(&self) -> i64 {
        self.behind.iter().map(|behind| behind.since_ms).fold(self.until_ms, i64::min)
    }
}
