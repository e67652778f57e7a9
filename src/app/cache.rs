//! What the caches hold, and for how long it may be served.

use std::rc::Rc;

/// Until this age a ranking that is no longer fresh is still served at once, while a background request renews it. So a reader
/// of a busy board never waits. A reader of a quiet board never sees a ranking older than this while Redis answers.
pub const STALE_MS: u64 = 10_000;
/// One that is not complete is served for this long: it is being repaired meanwhile.
pub const INCOMPLETE_MS: u64 = 250;
/// Until this age it is served when Redis does not answer.
pub const KEPT_MS: u64 = 86_400_000;

/// A rendered ranking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub json: Rc<[u8]>,
    pub version: String,
    /// When Redis was asked, by the edge's clock: before the answer was made, so ages are never too low.
    pub asked_at_ms: u64,
    /// For how long it is served as it is: the board's `fresh`.
    pub fresh_ms: u64,
    /// From asking to the end of the period, as Redis computed it; `None` when it has no end ahead.
    pub ends_in_ms: Option<u64>,
    /// Whether every member's score was right.
    pub complete: bool,
    /// Whether it is of a past rolling window that is not built yet. Such an entry is not kept.
    pub unbuilt: bool,
    pub known: Rc<Known>,
}

/// What tells Redis which answer an entry is, so that it need not give the same again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// [`PeriodInfo::known`], of several periods with commas between them.
    ///
    /// [`PeriodInfo::known`]: crate::ranking::page::PeriodInfo::known
    pub version: String,
    /// [`PeriodInfo::curated`] likewise.
    ///
    /// [`PeriodInfo::curated`]: crate::ranking::page::PeriodInfo::curated
    pub curated: String,
    /// [`Site::digest`] of the configuration that shaped it.
    ///
    /// [`Site::digest`]: crate::ranking::site::Site::digest
    pub configuration: String,
}

/// What may be done with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Freshness {
    /// Serve it; it stays so for the given milliseconds.
    Fresh { left_ms: u64 },
    /// Serve it and renew it.
    Stale,
    /// Serve it only when Redis does not answer: it is old, or its period is over.
    StaleIfError,
    /// Do not serve it.
    Gone,
}

impl Entry {
    /// Lets an entry that another configuration shaped be served only when Redis does not answer.
    #[must_use]
    pub fn for_configuration(self, digest: &str) -> Self {
        let ends_in_ms = if self.known.configuration == digest { self.ends_in_ms } else { Some(0) };
        Self { ends_in_ms, ..self }
    }

    pub fn freshness(&self, now_ms: u64) -> Freshness {
        // An entry of the future was written by another machine of this data center, whose clock is wrong.
        let Some(age) = now_ms.checked_sub(self.asked_at_ms) else { return Freshness::StaleIfError };
        let (fresh, stale) = if self.complete { (self.fresh_ms, self.fresh_ms.max(STALE_MS)) } else { (INCOMPLETE_MS, INCOMPLETE_MS) };
        let until_end = self.ends_in_ms.unwrap_or(u64::MAX);
        let (fresh, stale) = (fresh.min(until_end), stale.min(until_end));
        match age {
            age if age < fresh => Freshness::Fresh { left_ms: fresh - age },
            age if age < stale => Freshness::Stale,
            age if age < KEPT_MS => Freshness::StaleIfError,
            _ => Freshness::Gone,
        }
    }
}

/// Where an entry came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// This isolate's memory.
    Memory,
    /// The Cache API of this data center.
    Edge,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(ends_in_ms: Option<u64>) -> Entry {
        let (json, version) = (Rc::from([]), String::new());
        Entry { json, version, asked_at_ms: 1_000_000, fresh_ms: 2_000, ends_in_ms, complete: true, unbuilt: false, known: Rc::default() }
    }

    #[track_caller]
    fn check(entry: &Entry, age_ms: u64, expected: Freshness) {
        assert_eq!(entry.freshness(1_000_000 + age_ms), expected);
    }

    #[test]
    fn entries_age() {
        let entry = entry(None);
        check(&entry, 0, Freshness::Fresh { left_ms: 2000 });
        check(&entry, 1999, Freshness::Fresh { left_ms: 1 });
        check(&entry, 2000, Freshness::Stale);
        check(&entry, 10_000, Freshness::StaleIfError);
        check(&entry, 86_400_000, Freshness::Gone);
    }

    #[test]
    fn a_board_says_how_long() {
        let minute = Entry { fresh_ms: 60_000, ..entry(None) };
        check(&minute, 59_999, Freshness::Fresh { left_ms: 1 });
        check(&minute, 60_000, Freshness::StaleIfError);
    }

    #[test]
    fn a_period_is_never_served_as_current_past_its_end() {
        check(&entry(Some(500)), 0, Freshness::Fresh { left_ms: 500 });
        check(&entry(Some(500)), 500, Freshness::StaleIfError);
        check(&entry(Some(5000)), 3000, Freshness::Stale);
        check(&entry(Some(5000)), 5000, Freshness::StaleIfError);
    }

    #[test]
    fn an_incomplete_ranking_is_asked_for_again_soon() {
        let incomplete = Entry { complete: false, ..entry(None) };
        check(&incomplete, 249, Freshness::Fresh { left_ms: 1 });
        check(&incomplete, 250, Freshness::StaleIfError);
    }

    #[test]
    fn an_entry_of_the_future_is_not_trusted() {
        assert_eq!(entry(None).freshness(999_999), Freshness::StaleIfError);
    }
}
