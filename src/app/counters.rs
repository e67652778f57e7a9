//! What became of reads, and of clicks that do not count, since the isolate began.

use std::cell::Cell;

use serde_json::{Value, json};

use super::cache::Level;
use super::rankings::CacheResult;

/// How often they are logged, while there is something to tell.
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
    /// Clicks that were dropped for their address.
    pub ignored: Count,
    /// Clicks that were dropped since their sender declares itself a bot.
    pub declared: Count,
    /// Clicks that were dropped since a browser only prepared.
    pub prefetched: Count,
    /// Clicks that were dropped on the edge's verdict.
    pub automated: Count,
    /// Clicks that were refused, since too many came from their network.
    pub limited_beacons: Count,
    /// Reads that were refused likewise.
    pub limited_misses: Count,
    reads_told: Told,
    refusals_told: Told,
}

/// When something was logged last; 0 before anything was counted.
#[derive(Debug, Default)]
struct Told(Cell<u64>);

impl Told {
    /// Whether it is time: it has been five minutes since the last time.
    fn is_due(&self, now_ms: u64) -> bool {
        let told_ms = self.0.get();
        // A clock that went back begins anew.
        if told_ms == 0 || now_ms < told_ms {
            self.0.set(now_ms);
        }
        let is_due = now_ms.saturating_sub(self.0.get()) >= TOLD_EVERY_MS;
        if is_due {
            self.0.set(now_ms);
        }
        is_due
    }
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

    /// The line about reads, when it is time.
    pub fn line(&self, now_ms: u64) -> Option<Value> {
        self.reads_told.is_due(now_ms).then(|| {
            json!({
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
            })
        })
    }

    /// The line about what was not counted or not answered, when it is time.
    pub fn refusals_line(&self, now_ms: u64) -> Option<Value> {
        self.refusals_told.is_due(now_ms).then(|| {
            json!({
                "level": "info",
                "code": "not-counted",
                "ignored": self.ignored.get(),
                "declared": self.declared.get(),
                "prefetched": self.prefetched.get(),
                "automated": self.automated.get(),
                "limited_beacons": self.limited_beacons.get(),
                "limited_misses": self.limited_misses.get(),
            })
        })
    }
}
