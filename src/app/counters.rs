//! What became of reads, counted since the isolate began.

use std::cell::Cell;

use super::cache::Level;
use super::rankings::CacheResult;

/// How often each thing happened.
#[derive(Debug, Default)]
pub struct Counters {
    /// Answers that were fresh in the isolate's memory.
    pub memory: Count,
    /// Answers that were fresh in the cache of the data center.
    pub edge: Count,
    /// Answers that were stale, and are renewed.
    pub stale: Count,
    /// Answers that were old, since Redis did not answer.
    pub out: Count,
    /// Answers that Redis was waited for.
    pub waited: Count,
    /// Answers that something is not there, from memory.
    pub missing: Count,
    /// Calls of scripts that read rankings.
    pub asked: Count,
    /// Of these, those that failed.
    pub failed: Count,
    /// Of these, those that looked whether something was hidden, pinned or erased.
    pub looks: Count,
    /// Of these, those that found nothing changed: of three commands for each ranking, where others have nine at most.
    pub unchanged: Count,
}

/// A number that grows.
#[derive(Debug, Default)]
pub struct Count(Cell<u64>);

impl Count {
    pub fn add(&self) {
        self.0.set(self.0.get() + 1);
    }

    pub fn get(&self) -> u64 {
        self.0.get()
    }
}

impl Counters {
    /// Counts an answer by where it came from.
    pub fn count(&self, result: CacheResult) {
        let count = match result {
            CacheResult::Hit(Level::Memory) => &self.memory,
            CacheResult::Hit(Level::Edge) => &self.edge,
            CacheResult::Stale(_) => &self.stale,
            CacheResult::StaleIfError(_) => &self.out,
            CacheResult::Miss | CacheResult::Unchanged => &self.waited,
        };
        count.add();
    }
}
