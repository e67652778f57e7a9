//! What became of reads, counted since the isolate began.

use std::cell::Cell;

use serde_json::{Value, json};

use super::cache::Level;
use super::rankings::CacheResult;

/// How often they are logged while rankings are read from Redis.
const TOLD_EVERY_MS: u64 = 5 * 60_000;

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
    /// When they were logged last; 0 before anything was counted.
    told_ms: Cell<u64>,
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

    /// The line to log, when it is time: it has been five minutes since the last one.
    pub fn line(&self, now_ms: u64) -> Option<Value> {
        let told_ms = self.told_ms.get();
        // A clock that went back begins anew.
        if told_ms == 0 || now_ms < told_ms {
            self.told_ms.set(now_ms);
        }
        if now_ms.saturating_sub(self.told_ms.get()) < TOLD_EVERY_MS {
            return None;
        }
        self.told_ms.set(now_ms);
        Some(json!({
            "level": "info",
            "code": "reads",
            "memory": self.memory.get(),
            "edge": self.edge.get(),
            "stale": self.stale.get(),
            "out": self.out.get(),
            "waited": self.waited.get(),
            "missing": self.missing.get(),
            "asked": self.asked.get(),
            "failed": self.failed.get(),
            "looks": self.looks.get(),
            "unchanged": self.unchanged.get(),
        }))
    }
}
