//! What the caches hold, and for how long it may be served.

use std::rc::Rc;

/// A rendered ranking is served as it is for this long.
pub const FRESH_MS: u64 = 2_000;
/// Until this age it is still served at once, while a background request renews it. So a reader of a busy board never waits.
/// A reader of a quiet board never sees a ranking older than this while Redis answers.
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
    /// From then to the end of the period, as Redis computed it; `None` when it has no end ahead.
    pub ends_in_ms: Option<u64>,
    /// Whether every member's score was right.
    pub complete: bool,
    /// Whether it is of a past rolling window that is not built yet. Such an entry is not kept.
    pub unbuilt: bool,
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
    pub fn freshness(&self, now_ms: u64) -> Freshness {
        // An entry of the future was written by another machine of this data center, whose clock is wrong.
        let Some(age) = now_ms.checked_sub(self.asked_at_ms) else { return Freshness::StaleIfError };
        let (fresh, stale) = if self.complete { (FRESH_MS, STALE_MS) } else { (INCOMPLETE_MS, INCOMPLETE_MS) };
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

    #[track_caller]
    fn check(age_ms: u64, ends_in_ms: Option<u64>, expected: Freshness) {
        let entry =
            Entry { json: Rc::from([]), version: String::new(), asked_at_ms: 1_000_000, ends_in_ms, complete: true, unbuilt: false };
        assert_eq!(entry.freshness(1_000_000 + age_ms), expected);
    }

    #[test]
    fn entries_age() {
        check(0, None, Freshness::Fresh { left_ms: 2000 });
        check(1999, None, Freshness::Fresh { left_ms: 1 });
        check(2000, None, Freshness::Stale);
        check(10_000, None, Freshness::StaleIfError);
        check(86_400_000, None, Freshness::Gone);
    }

    #[test]
    fn a_period_is_never_served_as_current_past_its_end() {
        check(0, Some(500), Freshness::Fresh { left_ms: 500 });
        check(500, Some(500), Freshness::StaleIfError);
        check(3000, Some(5000), Freshness::Stale);
        check(5000, Some(5000), Freshness::StaleIfError);
    }

    #[test]
    fn an_incomplete_ranking_is_asked_for_again_soon() {
        let entry = Entry { json: Rc::from([]), version: String::new(), asked_at_ms: 0, ends_in_ms: None, complete: false, unbuilt: false };
        assert_eq!(entry.freshness(249), Freshness::Fresh { left_ms: 1 });
        assert_eq!(entry.freshness(250), Freshness::StaleIfError);
    }

    #[test]
    fn an_entry_of_the_future_is_not_trusted() {
        let entry = Entry { json: Rc::from([]), version: String::new(), asked_at_ms: 2, ends_in_ms: None, complete: true, unbuilt: false };
        assert_eq!(entry.freshness(1), Freshness::StaleIfError);
    }
}
