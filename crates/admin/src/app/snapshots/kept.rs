//! A page as the database keeps it.

use ranking::name::Id;
use ranking::page::{Entry, Meta, Page, PeriodInfo, Previous};
use ranking::period::Period;
use ranking::score::Score;
use ranking::window::Unit;
use serde::{Deserialize, Serialize};

/// Rank, id, score, and what stands beside it.
pub(super) type KeptEntry = (u64, String, f64, Option<Meta>);

/// Fields are those of [`PeriodInfo`] and [`Page`].
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The unit's name.
    unit: String,
    number: i64,
    named_at: Option<i64>,
    starts_at: Option<i64>,
    ends_at: Option<i64>,
    now_ms: i64,
    complete: bool,
    scored_at_ms: Option<i64>,
    total: u64,
    pinned: u64,
    entries: Vec<KeptEntry>,
}

impl Kept {
    /// A page, of whose entries the first ones are kept.
    pub fn of(page: &Page, limit: u32) -> Self {
        let Page { info, total, pinned, .. } = page;
        Self {
            unit: info.period.unit.name().into(),
            number: info.period.number,
            named_at: info.named_at,
            starts_at: info.starts_at,
            ends_at: info.ends_at,
            now_ms: info.now_ms,
            complete: info.complete,
            scored_at_ms: info.scored_at_ms,
            total: *total,
            pinned: *pinned,
            entries: page.entries.iter().take(limit as usize).map(keep).collect(),
        }
    }

    /// Whether it is of this period.
    pub fn is_of(&self, period: Period) -> bool {
        self.unit == period.unit.name() && self.number == period.number
    }

    /// What Redis would have answered then; `None` where it cannot be read.
    pub fn page(self, offset: u32, limit: u32) -> Option<Page> {
        let unit = Unit::COUNTED.into_iter().find(|unit| unit.name() == self.unit)?;
        let entries = self.entries.into_iter().skip(offset as usize).take(limit as usize).filter_map(read).collect();
        let info = PeriodInfo {
            period: Period { unit, number: self.number },
            named_at: self.named_at,
            starts_at: self.starts_at,
            ends_at: self.ends_at,
            now_ms: self.now_ms,
            complete: self.complete,
            scored_at_ms: self.scored_at_ms,
            replicated_ms: None,
            counted_since: None,
            lost: Vec::new(),
            known: String::new(),
            curated: String::new(),
        };
        Some(Page { info, total: self.total, refused: 0, pinned: self.pinned, offset, entries })
    }
}

pub(super) fn keep(entry: &Entry) -> KeptEntry {
    (entry.rank, entry.id.as_str().to_owned(), entry.score.value(), entry.meta.clone())
}

pub(super) fn read((rank, id, score, meta): KeptEntry) -> Option<Entry> {
    let (id, score) = (Id::kept(&id)?, Score::new(score)?);
    Some(Entry { rank, id, score, meta, previous: Previous::Unknown, tally: String::new() })
}
