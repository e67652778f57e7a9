//! What Redis remembers of the work on an archive: the job that is at a period, and which periods are archived.

use engine::store::archive::{Noted, Notes, Stored};
use ranking::period::Period;
use ranking::window::Unit;
use serde::{Deserialize, Serialize};

use super::manifest::Group;
use super::next::GRACE_S;
use super::part::Part;
use crate::app::copies::following::Why;

/// The names of what Redis remembers: the job, the parts that it wrote, and which periods it has whole that are archived, as `whole:day:20777`,
/// with the manifest's revision.
const JOB: &str = "job";
const PARTS: &str = "part:";
pub(super) const WHOLE: &str = "whole:";
/// Since when changes are noted of the period that is being copied (Unix microseconds). The script notes it.
const BEGUN: &str = "begun";
/// When the period that Redis is to forget was moved aside (Unix microseconds). The script notes it.
const REMAINING: &str = "left";
/// What that says of a period that was archived before changes were noted.
pub(super) const UNNAMED: &str = "1";
/// What it says of one that an older Redis has, which lacks what its archive got since.
pub(super) const OLDER: &str = "older";
/// Periods of which Redis has all, and that were archived before their end, as `early:day:20777`.
const EARLY: &str = "early:";
/// What a reset took, as `reset:d:20777:1795176000123`: when that begins and ends.
pub(super) const RESET: &str = "reset:";

/// What is done with a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Task {
    /// Redis keeps it.
    Copy,
    /// Redis forgets it.
    Leave,
    /// A reset took it, at that instant (Unix milliseconds).
    Reset { at_ms: i64 },
}

impl Task {
    /// Where Redis has its members.
    pub fn copy(self) -> Stored {
        match self {
            Self::Copy => Stored::Period,
            Self::Leave => Stored::Remaining,
            Self::Reset { at_ms } => Stored::Reset(at_ms),
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact that is remembered by its name")]
pub(super) struct Job {
    pub task: Task,
    /// Whether Redis had all that is archived of the period when the job began.
    pub is_whole: bool,
    /// Whether it is added.
    pub corrects: bool,
    /// Whether something was moved aside when the job began.
    #[serde(default)]
    pub had_remaining: bool,
    /// Of a period that was archived before, and that so much changed in that all of it is written anew: why, and since when its archive is
    /// behind (Unix milliseconds).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<(Why, i64)>,
    /// Whether it was archived before its end, and is archived anew.
    #[serde(default)]
    pub is_early: bool,
    /// Whether its members are written with their counts by action.
    #[serde(default)]
    pub tallied: bool,
    /// The unit's code.
    pub unit: char,
    pub number: i64,
    pub starts_at: i64,
    pub ends_at: i64,
    /// Since when changes of the period are noted (Unix microseconds): of a copy, which is of that instant. 0: it has not begun.
    #[serde(skip)]
    pub since_us: i64,
    /// What the names of its objects begin with. No two jobs have the same.
    pub token: String,
    /// How far the scan is: the place to go on from, and parts that were written.
    pub place: String,
    pub is_scanned: bool,
    pub parts: usize,
    pub groups: Vec<Group>,
}

impl Job {
    pub fn period(&self) -> Option<Period> {
        let unit = Unit::COUNTED.into_iter().find(|unit| unit.code() == self.unit)?;
        Some(Period { unit, number: self.number })
    }

    /// The job that is remembered, with its parts.
    pub fn read(notes: &Notes) -> Option<(Self, Vec<Part>)> {
        let mut job: Self = serde_json::from_slice(value(notes, JOB)?.as_bytes()).ok()?;
        job.since_us = value(notes, BEGUN).and_then(|at| at.parse().ok()).unwrap_or(0);
        let part = |i| serde_json::from_slice(value(notes, &format!("{PARTS}{i}"))?.as_bytes()).ok();
        let parts = (0..job.parts).map(part).collect::<Option<_>>()?;
        Some((job, parts))
    }

    /// What to remember of it, with a part that is new.
    pub fn notes(&self, part: Option<(usize, &Part)>) -> Notes {
        let json = |of: serde_json::Result<String>| of.unwrap_or_default();
        let mut notes = vec![(JOB.into(), json(serde_json::to_string(self)))];
        notes.extend(part.map(|(i, part)| (format!("{PARTS}{i}"), json(serde_json::to_string(part)))));
        notes
    }

    /// The same from the beginning, with the notes that are to be forgotten.
    pub fn anew(&mut self) -> Notes {
        let parts = self.forgotten_parts();
        (self.place, self.is_scanned, self.parts, self.groups, self.since_us) = (String::new(), false, 0, Vec::new(), 0);
        let mut notes = self.notes(None);
        notes.extend(parts);
        notes.push((BEGUN.into(), String::new()));
        notes
    }

    /// Until when the archive will have all that was counted (Unix microseconds). `noted` is what the script answered when the job went on.
    pub fn until_us(&self, noted: &Noted) -> i64 {
        match self.task {
            Task::Copy => self.since_us,
            Task::Leave => noted.since_us,
            Task::Reset { .. } => noted.now_ms * 1_000,
        }
    }

    /// The notes that are to be forgotten when it ends.
    pub fn ended(&self) -> Notes {
        let mut notes = self.forgotten_parts();
        notes.extend([JOB, BEGUN, REMAINING].map(|name| (name.into(), String::new())));
        notes
    }

    /// Whether clocks that were ahead began to copy a period that is not over. It is begun anew then.
    pub fn is_ahead(&self, now_s: i64) -> bool {
        self.task == Task::Copy && self.follows.is_none() && self.ends_at + GRACE_S > now_s
    }

    fn forgotten_parts(&self) -> Notes {
        (0..self.parts).map(|i| (format!("{PARTS}{i}"), String::new())).collect()
    }

    /// What to remember when a part was written, which is added to the others.
    pub fn noted_with(&mut self, parts: &mut Vec<Part>, part: Option<Part>) -> Notes {
        let Some(part) = part else { return self.notes(None) };
        self.parts += 1;
        let notes = self.notes(Some((parts.len(), &part)));
        parts.push(part);
        notes
    }
}

/// The name of the note that Redis has a period whole that is archived.
pub(super) fn whole(unit: Unit, number: i64) -> String {
    format!("{WHOLE}{}:{number}", unit.name())
}

/// The name of the note that a period was archived before its end.
pub(super) fn early(unit: Unit, number: i64) -> String {
    format!("{EARLY}{}:{number}", unit.name())
}

/// What is remembered under a name.
pub(super) fn value<'n>(notes: &'n Notes, name: &str) -> Option<&'n str> {
    notes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// What resets took and nobody has archived yet: the period, when it was reset (Unix milliseconds), and when it begins and ends.
pub(super) fn resets_of(notes: &Notes) -> impl Iterator<Item = (Period, i64, [i64; 2])> {
    notes.iter().filter_map(|(name, bounds)| {
        let [unit, number, at_ms] = name.strip_prefix(RESET)?.split(':').collect::<Vec<_>>().try_into().ok()?;
        let unit = Unit::COUNTED.into_iter().find(|known| unit.starts_with(known.code()))?;
        let (starts_at, ends_at) = bounds.split_once(' ')?;
        Some((Period { unit, number: number.parse().ok()? }, at_ms.parse().ok()?, [starts_at.parse().ok()?, ends_at.parse().ok()?]))
    })
}
