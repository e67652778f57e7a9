//! The entries of the caches, and their lifetimes.

use std::rc::Rc;

/// Until this age a ranking that is no longer fresh is still served at once, while a background request renews it. So a reader
/// of a busy board never waits. A reader of a quiet board never sees a ranking older than this while Redis answers.
/// One that is fresh for longer is looked at as often, so that nobody sees members for longer that were hidden or erased.
pub const STALE_MS: u64 = 10_000;
/// So much earlier it is looked at: a cache that keeps whole seconds could not keep it any more.
const AHEAD_MS: u64 = 1_000;
/// One that is not complete is served for this long: it is being repaired meanwhile.
pub const INCOMPLETE_MS: u64 = 250;
/// Until this age it is served when Redis does not answer.
pub const KEPT_MS: u64 = 86_400_000;
/// The longest that caches in front of the worker may keep an answer.
pub const MAX_AGE_S: u64 = 10;
/// What they keep ends so long before its period: some count whole seconds of their own clock, and answers take time to
/// arrive.
const END_MARGIN_MS: u64 = 1_200;

/// A rendered ranking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub json: Rc<[u8]>,
    pub version: String,
    /// When Redis was asked, by the edge's clock: before the answer was made, so ages are never too low.
    pub asked_at_ms: u64,
    /// When Redis last answered that nothing was hidden, pinned or erased since, likewise; at first when it was asked.
    pub looked_at_ms: u64,
    /// For how long it is served as it is: the board's `fresh`.
    pub fresh_ms: u64,
    /// From asking to the end of the period, as Redis computed it; `None` when it has no end ahead.
    pub ends_in_ms: Option<u64>,
    /// Whether every member's score was right.
    pub complete: bool,
    /// Whether it is of a past rolling window that is not built yet. Such an entry is not kept.
    pub unbuilt: bool,
    /// Whether it replaced one that was fresh. Then it is not itself replaced before its time, so that this costs Redis at most
    /// half as much again.
    pub ahead: bool,
    pub known: Rc<Known>,
}

/// What tells Redis which answer an entry is, so that it need not give the same again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// [`PeriodInfo::known`], of several periods with commas between them.
    ///
    /// [`PeriodInfo::known`]: ranking::page::PeriodInfo::known
    pub version: String,
    /// [`PeriodInfo::curated`] likewise.
    ///
    /// [`PeriodInfo::curated`]: ranking::page::PeriodInfo::curated
    pub curated: String,
    /// [`Site::digest`] of the configuration that shaped it.
    ///
    /// [`Site::digest`]: ranking::site::Site::digest
    pub configuration: String,
    /// When the database answered what it knows of the members, of those that it was asked for first; `None` where it was not asked, or did not answer.
    pub described_at_ms: Option<u64>,
}

/// For how long caches in front of the worker may keep an answer, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifetime {
    /// As it is.
    pub max_age_s: u64,
    /// After that, while they ask for a new one.
    pub stale_s: u64,
}

/// What may be done with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Freshness {
    /// Serve it; it stays so for the given milliseconds.
    Fresh { remaining_ms: u64 },
    /// Serve it and renew it.
    Stale,
    /// Serve it only when Redis does not answer: it is old, or its period is over.
    StaleIfError,
    /// Do not serve it.
    Expired,
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
        let until_end = self.ends_in_ms.unwrap_or(u64::MAX);
        let is_served = self.complete && age < until_end && now_ms.saturating_sub(self.looked_at_ms) < STALE_MS;
        let fresh = if self.complete { self.remaining_ms(now_ms) } else { INCOMPLETE_MS.saturating_sub(age) };
        match fresh.min(until_end.saturating_sub(age)) {
            0 if is_served => Freshness::Stale,
            0 if age < KEPT_MS => Freshness::StaleIfError,
            0 => Freshness::Expired,
            remaining_ms => Freshness::Fresh { remaining_ms },
        }
    }

    /// For how long it is as new as it is to be, and as what is hidden is to be.
    fn remaining_ms(&self, now_ms: u64) -> u64 {
        let remaining = |since_ms: u64, ms: u64| ms.saturating_sub(now_ms.saturating_sub(since_ms));
        remaining(self.asked_at_ms, self.fresh_ms).min(remaining(self.looked_at_ms, STALE_MS))
    }

    /// Whether its period has ended, so that it says what is no longer true.
    pub fn is_over(&self, now_ms: u64) -> bool {
        self.ends_in_ms.is_some_and(|ms| now_ms.saturating_sub(self.asked_at_ms) >= ms)
    }

    /// Whether it is not yet to be replaced, and it is time to look whether something was hidden, pinned or erased.
    pub fn is_to_be_looked_at(&self, now_ms: u64) -> bool {
        let age_ms = now_ms.saturating_sub(self.asked_at_ms);
        let is_old = age_ms + AHEAD_MS > self.fresh_ms;
        self.complete && !self.is_over(now_ms) && !is_old && now_ms.saturating_sub(self.looked_at_ms) + AHEAD_MS >= STALE_MS
    }
}

impl Entry {
    /// What another isolate needs to know of it besides its JSON, as text.
    pub fn about(&self) -> String {
        let Self { version, asked_at_ms, looked_at_ms, fresh_ms, ends_in_ms, complete, ahead, known, .. } = self;
        let Known { version: known, curated, configuration, described_at_ms } = &**known;
        let instant = |ms: Option<u64>| ms.map_or(String::new(), |ms| ms.to_string());
        let (ends_in_ms, described_at_ms) = (instant(*ends_in_ms), instant(*described_at_ms));
        let times = format!("{asked_at_ms};{looked_at_ms};{fresh_ms};{ends_in_ms};{described_at_ms}");
        format!("{times};{complete};{ahead};{version};{known};{curated};{configuration}")
    }

    /// The reverse of [`Entry::about`]; `None` when it is something else.
    pub fn read(about: &str, json: Vec<u8>) -> Option<Self> {
        let mut parts = about.split(';');
        let mut next = || parts.next();
        let mut number = || next()?.parse().ok();
        let (asked_at_ms, looked_at_ms, fresh_ms) = (number()?, number()?, number()?);
        let mut instant = || next().filter(|ms| !ms.is_empty()).map(str::parse).transpose();
        let (ends_in_ms, described_at_ms) = (instant().ok()?, instant().ok()?);
        let (complete, ahead) = (next()? == "true", next()? == "true");
        let mut text = || next().map(str::to_owned);
        let version = text()?;
        let known = Known { version: text()?, curated: text()?, configuration: text()?, described_at_ms }.into();
        Some(Self { json: json.into(), version, asked_at_ms, looked_at_ms, fresh_ms, ends_in_ms, complete, unbuilt: false, ahead, known })
    }

    /// Whether it is fresh.
    pub fn is_fresh(&self, now_ms: u64) -> bool {
        matches!(self.freshness(now_ms), Freshness::Fresh { .. })
    }

    /// For how long whoever does not revalidate is answered as now: fresh, with the same [`Entry::lifetime`], and nothing is done
    /// about it. 0 when that is not so now.
    pub fn steady_ms(&self, now_ms: u64) -> u64 {
        if !self.complete || !self.is_fresh(now_ms) || self.is_to_be_looked_at(now_ms) {
            return 0;
        }
        // Whole seconds of it are another number after this.
        let second_ms = |ms: u64| ms % 1_000 + 1;
        let remaining_ms = self.remaining_ms(now_ms);
        let to_look_ms = (self.looked_at_ms + STALE_MS - AHEAD_MS).checked_sub(now_ms).filter(|ms| *ms > 0);
        let to_end_ms = self.ends_in_ms.map(|ms| ms.saturating_sub(now_ms.saturating_sub(self.asked_at_ms)));
        let to_margin_ms = to_end_ms.and_then(|ms| ms.checked_sub(END_MARGIN_MS));
        let steady_ms = remaining_ms.min(second_ms(remaining_ms));
        [to_look_ms, to_end_ms, to_margin_ms.map(second_ms)].into_iter().flatten().fold(steady_ms, u64::min)
    }

    /// Whether it was asked for later, looked at later, or is of a later period.
    pub fn is_newer_than(&self, other: &Self) -> bool {
        (self.asked_at_ms, self.looked_at_ms, self.ends_in_ms) > (other.asked_at_ms, other.looked_at_ms, other.ends_in_ms)
    }

    /// Whether a cache that keeps it for a second shows it when it is no longer fresh. One that was renewed ahead is not due again, so
    /// that caches have no more asked than readers do.
    pub fn is_due(&self, now_ms: u64) -> bool {
        !self.ahead && self.is_due_for_live(now_ms)
    }

    /// The same for a live ranking, which is the only one of its kind.
    pub fn is_due_for_live(&self, now_ms: u64) -> bool {
        let age_ms = now_ms.saturating_sub(self.asked_at_ms);
        self.complete && age_ms + AHEAD_MS > self.fresh_ms && 2 * age_ms > self.fresh_ms
    }

    /// For how long caches in front of the worker may keep it. Whatever they do, nobody sees it later than a second after it was
    /// fresh: a + N + S <= fresh + 1 s, where a is its age now, N = `max_age_s` and S = `stale_s`. N is at least a second, since
    /// many caches keep nothing else.
    pub fn lifetime(&self, now_ms: u64) -> Lifetime {
        if !self.complete || !self.is_fresh(now_ms) {
            return Lifetime::default();
        }
        let age_ms = now_ms.saturating_sub(self.asked_at_ms);
        let remaining_s = self.remaining_ms(now_ms) / 1_000;
        let until_end_s = self.ends_in_ms.map_or(u64::MAX, |ms| ms.saturating_sub(age_ms + END_MARGIN_MS) / 1_000);
        let max_age_s = remaining_s.clamp(1, MAX_AGE_S).min(until_end_s);
        let stale_s = remaining_s.min(1).min(until_end_s - max_age_s);
        Lifetime { max_age_s, stale_s }
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

/// What the caches did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheResult {
    /// Fresh from a cache.
    Hit(Level),
    /// From Redis.
    Miss,
    /// From a cache, and Redis answered that nothing has changed.
    Unchanged,
    /// Stale from a cache, while it is being renewed.
    Stale(Level),
    /// Stale from a cache, because Redis does not answer.
    StaleIfError(Level),
    /// From the database, because Redis does not answer and no cache has anything, or Redis has lost it.
    Snapshot,
    /// From the database, which alone has what stands so deep.
    Beyond,
}

/// A ranking and where it came from.
#[derive(Debug)]
pub struct CachedResponse {
    pub entry: Entry,
    pub result: CacheResult,
    /// What caches in front of the worker may do with it.
    pub lifetime: Lifetime,
    /// `None` where it answers this request alone.
    pub steady: Option<Steady>,
}

/// Until when the same answer may be given again to all who ask for the same and do not revalidate. It may not, from the moment
/// that the memory drops its entry: [`Memory::attach`] tells.
///
/// [`Memory::attach`]: crate::app::memory::Memory::attach
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steady {
    /// Of the entry in the memory.
    pub key: String,
    /// By the edge's clock; the end is not included.
    pub from_ms: u64,
    pub until_ms: u64,
    /// Where [`Counters::add_kept`] counts each time that it is given again.
    ///
    /// [`Counters::add_kept`]: crate::app::counters::Counters::add_kept
    pub counted_at: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(ends_in_ms: Option<u64>) -> Entry {
        let (json, version) = (Rc::from([]), String::new());
        let (complete, unbuilt, ahead) = (true, false, false);
        let (asked_at_ms, looked_at_ms) = (1_000_000, 1_000_000);
        Entry { json, version, asked_at_ms, looked_at_ms, fresh_ms: 2_000, ends_in_ms, complete, unbuilt, ahead, known: Rc::default() }
    }

    #[track_caller]
    fn check(entry: &Entry, age_ms: u64, expected: Freshness) {
        assert_eq!(entry.freshness(1_000_000 + age_ms), expected);
    }

    #[test]
    fn entries_age() {
        let entry = entry(None);
        check(&entry, 0, Freshness::Fresh { remaining_ms: 2000 });
        check(&entry, 1999, Freshness::Fresh { remaining_ms: 1 });
        check(&entry, 2000, Freshness::Stale);
        check(&entry, 10_000, Freshness::StaleIfError);
        check(&entry, 86_400_000, Freshness::Expired);
    }

    #[test]
    fn a_board_says_how_long() {
        let minute = Entry { fresh_ms: 60_000, looked_at_ms: 1_055_000, ..entry(None) };
        check(&minute, 59_999, Freshness::Fresh { remaining_ms: 1 });
        check(&minute, 60_000, Freshness::Stale);
        check(&minute, 65_000, Freshness::StaleIfError);
    }

    #[test]
    fn who_is_hidden_is_looked_at_every_ten_seconds() {
        let minute = |looked_ms: u64| Entry { fresh_ms: 60_000, looked_at_ms: 1_000_000 + looked_ms, ..entry(None) };
        check(&minute(0), 9_999, Freshness::Fresh { remaining_ms: 1 });
        check(&minute(0), 10_000, Freshness::StaleIfError);
        check(&minute(9_500), 10_000, Freshness::Fresh { remaining_ms: 9_500 });
        let looks = |entry: &Entry, age_ms: u64| entry.is_to_be_looked_at(1_000_000 + age_ms);
        assert_eq!([8_999, 9_000, 30_000, 59_000, 59_001].map(|ms| looks(&minute(0), ms)), [false, true, true, true, false]);
        assert!(!looks(&minute(9_000), 17_999) && looks(&minute(9_000), 18_000));
        assert!(!looks(&entry(None), 9_000), "it is to be replaced");
        assert!(!looks(&Entry { ends_in_ms: Some(9_000), ..minute(0) }, 9_000), "the period is over");
    }

    /// What caches in front may do: (max-age, stale-while-revalidate) by age.
    #[test]
    fn lifetimes_end_a_second_after_freshness() {
        let check = |entry: &Entry, age_ms: u64, expected: (u64, u64)| {
            let Lifetime { max_age_s, stale_s } = entry.lifetime(1_000_000 + age_ms);
            assert_eq!((max_age_s, stale_s), expected, "{age_ms} ms of {} ms, {:?} to the end", entry.fresh_ms, entry.ends_in_ms);
            let remaining_ms = entry.ends_in_ms.map_or(u64::MAX, |ms| ms - age_ms);
            assert!((max_age_s + stale_s) * 1_000 <= remaining_ms, "past the end");
            assert!(max_age_s == 0 || age_ms + (max_age_s + stale_s) * 1_000 <= entry.fresh_ms + 1_000, "too old");
        };
        // Just looked at.
        let minute = |age_ms: u64| Entry { fresh_ms: 60_000, looked_at_ms: 1_000_000 + age_ms, ..entry(None) };
        for (age_ms, expected) in [(0, (2, 1)), (1, (1, 1)), (1_000, (1, 1)), (1_001, (1, 0)), (1_999, (1, 0)), (2_000, (0, 0))] {
            check(&entry(None), age_ms, expected);
        }
        for (age_ms, expected) in [(0, (10, 1)), (49_999, (10, 1)), (50_001, (9, 1)), (59_500, (1, 0)), (60_000, (0, 0))] {
            check(&minute(age_ms), age_ms, expected);
        }
        for (age_ms, expected) in [(1, (9, 1)), (5_500, (4, 1)), (9_500, (1, 0)), (10_000, (0, 0))] {
            check(&minute(0), age_ms, expected);
        }
        for (ends_in_ms, expected) in
            [(100_000, (10, 1)), (12_200, (10, 1)), (11_300, (10, 0)), (5_000, (3, 0)), (3_199, (1, 0)), (2_199, (0, 0)), (1, (0, 0))]
        {
            check(&Entry { ends_in_ms: Some(ends_in_ms), ..minute(0) }, 0, expected);
        }
        check(&Entry { complete: false, ..entry(None) }, 0, (0, 0));
    }

    /// At each millisecond of its time: what comes of it is the same as long as it says so, and another at some time within the
    /// second after that.
    #[test]
    fn steady_while_nothing_changes() {
        let answered = |entry: &Entry, age_ms: u64| {
            let now_ms = 1_000_000 + age_ms;
            (entry.is_fresh(now_ms), entry.is_to_be_looked_at(now_ms), entry.lifetime(now_ms))
        };
        let minute = |age_ms: u64| Entry { fresh_ms: 60_000, looked_at_ms: 1_000_000 + age_ms, ..entry(None) };
        let ends = [500, 1_199, 1_200, 1_201, 2_200, 3_333].map(|ms| entry(Some(ms)));
        let entries = [entry(None), Entry { fresh_ms: 7_300, ..entry(None) }, minute(0), minute(4_321), minute(51_500)];
        for entry in entries.into_iter().chain(ends) {
            let looked_ms = entry.looked_at_ms - entry.asked_at_ms;
            let mut steady_ms: u64 = 0;
            for age_ms in looked_ms..looked_ms + 12_000 {
                let now_ms = 1_000_000 + age_ms;
                let (is_fresh, is_to_be_looked_at, _) = answered(&entry, age_ms);
                if steady_ms > 0 {
                    assert_eq!(answered(&entry, age_ms), answered(&entry, age_ms - 1), "{age_ms} ms of {entry:?}");
                    steady_ms -= 1;
                    assert!(entry.steady_ms(now_ms) >= steady_ms, "{age_ms} ms of {entry:?}");
                } else {
                    steady_ms = entry.steady_ms(now_ms);
                    assert_eq!(steady_ms > 0, is_fresh && !is_to_be_looked_at, "{age_ms} ms of {entry:?}");
                    assert!(steady_ms <= 1_000);
                    steady_ms = steady_ms.saturating_sub(1);
                }
            }
        }
        assert_eq!(Entry { complete: false, ..entry(None) }.steady_ms(1_000_000), 0);
        assert_eq!(entry(None).steady_ms(999_999), 0, "it is of the future");
    }

    #[test]
    fn one_that_a_cache_could_not_keep_is_due() {
        let check = |entry: &Entry, age_ms: u64, expected: bool| assert_eq!(entry.is_due(1_000_000 + age_ms), expected, "{age_ms}");
        for (fresh_ms, from_ms) in [(1_000, 501), (2_000, 1_001), (60_000, 59_001)] {
            let entry = Entry { fresh_ms, ..entry(None) };
            check(&entry, from_ms - 1, false);
            check(&entry, from_ms, true);
            let ahead = Entry { ahead: true, ..entry.clone() };
            check(&ahead, from_ms, false);
            assert_eq!([from_ms - 1, from_ms].map(|ms| ahead.is_due_for_live(1_000_000 + ms)), [false, true], "live rankings look on");
            check(&Entry { complete: false, ..entry }, from_ms, false);
        }
    }

    #[test]
    fn what_another_isolate_knows() {
        for ends_in_ms in [None, Some(7)] {
            for (complete, ahead) in [(true, false), (false, true)] {
                let known =
                    Known { version: "9:8,7".into(), curated: "6,".into(), configuration: "c0".into(), described_at_ms: Some(7) }.into();
                let entry = Entry { json: Rc::from(*b"{}"), version: "1f".into(), complete, ahead, known, ..entry(ends_in_ms) };
                assert_eq!(Entry::read(&entry.about(), b"{}".to_vec()), Some(entry));
            }
        }
        for other in ["", "1;1;2", "1;1;2;;true;true;1f", "1;1;2;x;true;true;1f;;;", "x;1;2;;true;true;1f;;;"] {
            assert_eq!(Entry::read(other, Vec::new()), None, "{other}");
        }
    }

    #[test]
    fn newer_is_what_was_asked_for_later_or_ends_later() {
        let old = entry(Some(10));
        assert!(Entry { asked_at_ms: 1_000_001, ends_in_ms: Some(9), ..old.clone() }.is_newer_than(&old));
        assert!(Entry { ends_in_ms: Some(86_400_000), ..old.clone() }.is_newer_than(&old));
        assert!(!old.is_newer_than(&old));
    }

    #[test]
    fn a_period_is_never_served_as_current_past_its_end() {
        check(&entry(Some(500)), 0, Freshness::Fresh { remaining_ms: 500 });
        check(&entry(Some(500)), 500, Freshness::StaleIfError);
        check(&entry(Some(5000)), 3000, Freshness::Stale);
        check(&entry(Some(5000)), 5000, Freshness::StaleIfError);
    }

    #[test]
    fn an_incomplete_ranking_is_asked_for_again_soon() {
        let incomplete = Entry { complete: false, ..entry(None) };
        check(&incomplete, 249, Freshness::Fresh { remaining_ms: 1 });
        check(&incomplete, 250, Freshness::StaleIfError);
    }

    #[test]
    fn an_entry_of_the_future_is_not_trusted() {
        assert_eq!(entry(None).freshness(999_999), Freshness::StaleIfError);
    }
}
