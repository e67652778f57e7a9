//! A period that is being restored, as Redis remembers it, so that the next run goes on where one ended.

use engine::store::archive::Notes;
use ranking::period::Period;
use ranking::site::Site;
use ranking::window::Unit;
use serde::{Deserialize, Serialize};

use super::job::value;
use super::manifest::Manifest;

/// The name of the note of it.
pub(super) const JOB: &str = "restore";
/// A period begins so near the instant that its number tells, in seconds.
pub(super) const ABOUT_S: i64 = 3 * 86_400;

/// What a call restored, or would.
#[derive(Debug, Default)]
pub struct Restoration {
    /// Whether nothing is left.
    pub is_done: bool,
    /// Whether another run is at the board.
    pub is_busy: bool,
    /// Periods that are over.
    pub periods: u64,
    /// Their members.
    pub members: u64,
    /// Each of them.
    pub archived: Vec<Whole>,
    /// The periods that had lost their beginning.
    pub filled: Vec<Filled>,
}

/// A period that is over, and is as it was archived.
#[derive(Debug)]
pub struct Whole {
    pub unit: Unit,
    /// Its id.
    pub period: String,
    /// Unix milliseconds: until when it has what changed; 0 where nobody knows.
    pub until_ms: i64,
}

/// A period that had lost its beginning.
#[derive(Debug)]
pub struct Filled {
    pub unit: Unit,
    /// Its id.
    pub period: String,
    /// Unix seconds: since when it was counted.
    pub since: i64,
    /// The spans before that are restored.
    pub covered: Vec<(i64, i64)>,
}

/// A period that is being restored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Restoring {
    /// The unit's code.
    pub unit: char,
    pub number: i64,
    pub is_closed: bool,
    /// The spans that are added, in seconds, in order.
    pub covered: Vec<(i64, i64)>,
    /// Which of the shorter units is looked for, and the manifest that was looked at last.
    pub piece: usize,
    pub after: String,
    /// Parts of the next one that are added, and pieces of the part behind.
    pub part: usize,
    pub chunk: usize,
    /// Entries that were added.
    pub added: u64,
    pub is_added: bool,
}

impl Restoring {
    pub fn new(period: Period, is_closed: bool) -> Self {
        Self {
            unit: period.unit.code(),
            number: period.number,
            is_closed,
            covered: Vec::new(),
            piece: 0,
            after: String::new(),
            part: 0,
            chunk: 0,
            added: 0,
            is_added: false,
        }
    }

    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub fn period(&self) -> Option<Period> {
        let unit = Unit::COUNTED.into_iter().find(|unit| unit.code() == self.unit)?;
        Some(Period { unit, number: self.number })
    }

    /// The job that is remembered.
    pub fn remembered(notes: &Notes) -> Option<Self> {
        Self::read(value(notes, JOB)?)
    }

    /// What to remember of it where what is added may have changed: it begins anew, and what lies aside is thrown away. What is being put
    /// in its place stays.
    pub fn anew(self) -> Notes {
        let anew = self.period().filter(|_| !self.is_added).map(|period| Self::new(period, self.is_closed));
        vec![(JOB.into(), anew.unwrap_or(self).text())]
    }

    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether a span would be added that is added already, if only in part.
    pub fn overlaps(&self, from: i64, until: i64) -> bool {
        self.covered.iter().any(|(start, end)| *start < until && from < *end)
    }

    pub fn covers(&self, from: i64, until: i64) -> bool {
        self.covered.iter().any(|(start, end)| *start <= from && until <= *end)
    }

    /// Notes that a period is added.
    fn cover(&mut self, from: i64, until: i64) {
        self.covered.push((from, until));
        self.covered.sort_unstable();
        let mut joined: Vec<(i64, i64)> = Vec::new();
        for (start, end) in self.covered.drain(..) {
            match joined.last_mut().filter(|last| last.1 == start) {
                Some(last) => last.1 = end,
                None => joined.push((start, end)),
            }
        }
        self.covered = joined;
    }

    /// The same when all of a manifest is added.
    pub fn behind(mut self, name: &str, manifest: &Manifest) -> Self {
        self.cover(manifest.starts_at, manifest.ends_at);
        (self.after, self.part, self.chunk) = (name.into(), 0, 0);
        self
    }
}

/// The period of a unit whose manifest has a name in a folder.
pub(super) fn period_of(name: &str, folder: &str, unit: Unit, site: &Site) -> Option<Period> {
    Period::parse(unit, name.strip_prefix(folder)?.strip_suffix(".json")?, site.week_starts_on)
}
