//! Level 0: rendered rankings in the isolate's memory, what is not there, and which fetches are under way. Plain data only: nothing
//! here waits, so no request ever depends on another one's I/O.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use engine::store::homes::Settled;
use lru::LruCache;

use super::admission::RequestRates;
use super::agenda::Agenda;
use super::attempts::Attempts;
use super::cache::{Entry, Known};
use super::catalog::Remembered;
use super::counters::Counters;
use super::details::known::KnownMembers;
use super::failure::ReadError;
use super::health::Readiness;
use super::quota::Usages;
use super::sites::known::KnownSites;
use super::templates::KnownBoards;

/// Bounds of one isolate, which has 128 MB for everything.
const MAX_ENTRIES: usize = 2_000;
const MAX_BYTES: usize = 16 << 20;
/// What is attached to one entry, at most: answers to addresses that mean the same.
const MAX_ATTACHED: usize = 4;
/// Answers that something is not there: apart, so that made-up ids drive no ranking out. Few, since each look may pass all.
const MAX_MISSING: usize = 256;
/// Parts of Redis that failed a moment ago, at most.
const MAX_FAILED: usize = 256;
/// A fetch that has not come back after this time is not waited for: longer than a transport's limits.
const CLAIM_MS: u64 = 5_000;
/// After a failure Redis is left alone for this long by requests that have something to serve.
const BACK_OFF_MS: u64 = 1_000;
/// After a failure, requests that have something to serve do not wait for Redis for this long. A ranking that is read later
/// than that is worth waiting for: Redis may be back, and the ranking is old.
const DISTRUST_MS: u64 = 10_000;
/// How long a request that has something to serve waits for Redis: three times what the last answer took, within these bounds.
/// A connection with TLS to another continent takes 600 ms.
const PATIENCE_MS: std::ops::RangeInclusive<u64> = 200..=1_500;
/// The same before the first answer.
const FIRST_PATIENCE_MS: u64 = 500;

/// Shared by the requests of an isolate; each method is a moment, never held across an `await`.
pub struct Memory {
    pub counters: Counters,
    pub attempts: Attempts,
    pub rates: RequestRates,
    pub readiness: Readiness,
    pub remembered: Remembered,
    pub agenda: Agenda,
    pub members: KnownMembers,
    pub boards: KnownBoards,
    pub sites: Rc<KnownSites>,
    pub usages: Rc<Usages>,
    pub settled: Settled,
    others: RefCell<HashMap<TypeId, Rc<dyn Any>>>,
    inner: RefCell<Inner>,
}

struct Inner {
    entries: LruCache<String, Held>,
    /// Of all entries, with what is attached to them.
    bytes: usize,
    /// What is not there.
    missing: Vec<Absence>,
    /// Keys being fetched and until when to believe it. A list, since there are few and every claim looks at all.
    claims: Vec<(String, u64)>,
    /// When Redis did not answer the last time, or took longer than usual, by what was asked of it: the boards of a cluster, which are on different
    /// nodes; nothing where all are on one.
    failed_ms: HashMap<String, u64>,
    patience_ms: u64,
}

/// An entry, and what goes when it goes.
struct Held {
    entry: Entry,
    attached: Vec<Box<dyn Any>>,
    bytes: usize,
}

/// That something is not there.
struct Absence {
    key: String,
    error: ReadError,
    asked_at_ms: u64,
}

impl Memory {
    /// `seed`: a word of this isolate that nobody can guess.
    pub fn new(seed: &str) -> Self {
        let seed = Rc::from(seed);
        let inner = Inner {
            entries: LruCache::unbounded(),
            bytes: 0,
            missing: Vec::new(),
            claims: Vec::new(),
            failed_ms: HashMap::new(),
            patience_ms: FIRST_PATIENCE_MS,
        };
        Self {
            counters: Counters::default(),
            attempts: Attempts::new(&seed),
            rates: RequestRates::new(&seed),
            readiness: Readiness::default(),
            remembered: Remembered::default(),
            agenda: Agenda::default(),
            members: KnownMembers::default(),
            boards: KnownBoards::default(),
            sites: Rc::default(),
            usages: Rc::default(),
            settled: Settled::default(),
            others: RefCell::default(),
            inner: RefCell::new(inner),
        }
    }

    /// What else of a type this isolate remembers: what serving has no use for.
    pub fn of<T: Default + 'static>(&self) -> Rc<T> {
        let others = &mut *self.others.borrow_mut();
        let of = others.entry(TypeId::of::<T>()).or_insert_with(|| Rc::new(T::default()));
        Rc::clone(of).downcast().unwrap_or_default()
    }

    /// What is held, unless it was missed since.
    pub fn get(&self, key: &str) -> Option<Entry> {
        let inner = &mut *self.inner.borrow_mut();
        let Held { entry, .. } = inner.entries.get(key)?;
        if is_missed_since(&inner.missing, key, entry.asked_at_ms) { None } else { Some(entry.clone()) }
    }

    /// Keeps something until the entry is renewed, driven out or missed. Drops it at once where there is no entry, or enough is
    /// attached to it.
    pub fn attach(&self, key: &str, what: Box<dyn Any>, bytes: usize) {
        let inner = &mut *self.inner.borrow_mut();
        if let Some(held) = inner.entries.peek_mut(key).filter(|held| held.attached.len() < MAX_ATTACHED) {
            held.attached.push(what);
            held.bytes += bytes;
            inner.bytes += bytes;
            inner.make_room();
        }
    }

    /// Keeps an entry, unless a newer one is there; gives back the newer one. One of the future is not trusted, and goes.
    pub fn put(&self, key: &str, entry: Entry, now_ms: u64) -> Entry {
        let inner = &mut *self.inner.borrow_mut();
        let newer = |held: &&Held| held.entry.is_newer_than(&entry) && held.entry.asked_at_ms <= now_ms;
        if let Some(held) = inner.entries.get(key).filter(newer) {
            return held.entry.clone();
        }
        let held = Held { entry: entry.clone(), attached: Vec::new(), bytes: size(key, &entry) };
        inner.bytes += held.bytes;
        if let Some((_, replaced)) = inner.entries.push(key.into(), held) {
            inner.bytes -= replaced.bytes;
        }
        inner.make_room();
        entry
    }

    /// Remembers that something is not there, whatever was there before. When there is no room all else that is not there is
    /// forgotten: it is asked for again.
    pub fn put_missing(&self, key: &str, error: &ReadError, asked_at_ms: u64) {
        if let ReadError::Missing { .. } = error {
            let Inner { missing, entries, bytes, .. } = &mut *self.inner.borrow_mut();
            if entries.peek(key).is_some_and(|held| held.entry.asked_at_ms < asked_at_ms)
                && let Some(held) = entries.pop(key)
            {
                *bytes -= held.bytes;
            }
            missing.retain(|absence| absence.key != key);
            if missing.len() == MAX_MISSING {
                missing.clear();
            }
            missing.push(Absence { key: key.into(), error: error.clone(), asked_at_ms });
        }
    }

    /// That something is not there, while that holds, with what is left of the time.
    pub fn missing(&self, key: &str, now_ms: u64) -> Option<ReadError> {
        let inner = &mut *self.inner.borrow_mut();
        let Absence { error, asked_at_ms, .. } = inner.missing.iter().find(|absence| absence.key == key)?;
        let ReadError::Missing { what, remaining_ms } = error else { return None };
        let remaining_ms = remaining_ms.checked_sub(now_ms.checked_sub(*asked_at_ms)?).filter(|ms| *ms > 0)?;
        let is_there = inner.entries.get(key).is_some_and(|held| held.entry.asked_at_ms >= *asked_at_ms);
        if is_there { None } else { Some(ReadError::Missing { what: what.clone(), remaining_ms }) }
    }

    /// Whether something that was there at an instant was missed later.
    pub fn is_missed_since(&self, key: &str, asked_at_ms: u64) -> bool {
        is_missed_since(&self.inner.borrow().missing, key, asked_at_ms)
    }

    /// Makes the caller the one who fetches the key; `false` when another request is at it.
    pub fn claim(&self, key: &str, now_ms: u64) -> bool {
        let claims = &mut self.inner.borrow_mut().claims;
        claims.retain(|(_, until_ms)| *until_ms > now_ms && *until_ms <= now_ms + CLAIM_MS);
        if claims.iter().any(|(claimed, _)| claimed == key) {
            return false;
        }
        claims.push((key.into(), now_ms + CLAIM_MS));
        true
    }

    /// Ends a claim.
    pub fn release(&self, key: &str) {
        self.inner.borrow_mut().claims.retain(|(claimed, _)| claimed != key);
    }

    pub fn is_claimed(&self, key: &str) -> bool {
        self.inner.borrow().claims.iter().any(|(claimed, _)| claimed == key)
    }

    /// A part of Redis did not answer, or takes longer than usual. When there is no room all other parts are trusted again.
    pub fn back_off(&self, part: &str, now_ms: u64) {
        let failed_ms = &mut self.inner.borrow_mut().failed_ms;
        failed_ms.retain(|_, at_ms| now_ms < *at_ms + DISTRUST_MS);
        if failed_ms.len() == MAX_FAILED {
            failed_ms.clear();
        }
        failed_ms.insert(part.into(), now_ms);
    }

    /// It answered after some time.
    pub fn answered_after(&self, part: &str, ms: u64) {
        let inner = &mut *self.inner.borrow_mut();
        inner.failed_ms.remove(part);
        inner.patience_ms = (3 * ms).clamp(*PATIENCE_MS.start(), *PATIENCE_MS.end());
    }

    /// How long a request that has something to serve waits for it: as long as may be when that is of a period that `is_over`.
    pub fn patience_ms(&self, part: &str, now_ms: u64, is_over: bool) -> u64 {
        let inner = self.inner.borrow();
        match inner.has_failed(part, now_ms, DISTRUST_MS) {
            true => 0,
            false if is_over => *PATIENCE_MS.end(),
            false => inner.patience_ms,
        }
    }

    pub fn is_backing_off(&self, part: &str, now_ms: u64) -> bool {
        self.inner.borrow().has_failed(part, now_ms, BACK_OFF_MS)
    }
}

impl Inner {
    /// Whether a part failed within so many milliseconds.
    fn has_failed(&self, part: &str, now_ms: u64, within_ms: u64) -> bool {
        self.failed_ms.get(part).is_some_and(|at_ms| now_ms < at_ms + within_ms)
    }

    fn make_room(&mut self) {
        while self.entries.len() > MAX_ENTRIES || self.bytes > MAX_BYTES {
            let Some((_, oldest)) = self.entries.pop_lru() else { break };
            self.bytes -= oldest.bytes;
        }
    }
}

fn is_missed_since(missing: &[Absence], key: &str, asked_at_ms: u64) -> bool {
    missing.iter().any(|absence| absence.asked_at_ms > asked_at_ms && absence.key == key)
}

fn size(key: &str, entry: &Entry) -> usize {
    let Known { version, curated, configuration, .. } = &*entry.known;
    let texts = [key, &entry.version, version, curated, configuration];
    texts.iter().map(|text| text.len()).sum::<usize>() + entry.json.len() + size_of::<Entry>() + size_of::<Known>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::failure::Failure;
    use crate::app::failure::Missing;

    fn entry(bytes: usize) -> Entry {
        let (json, version) = (vec![b'x'; bytes].into(), String::new());
        let (complete, unbuilt, ahead) = (true, false, false);
        let (asked_at_ms, looked_at_ms) = (0, 0);
        Entry {
            json,
            version,
            asked_at_ms,
            looked_at_ms,
            fresh_ms: 2_000,
            ends_in_ms: None,
            complete,
            unbuilt,
            ahead,
            known: Rc::default(),
        }
    }

    #[test]
    fn bounded_in_entries() {
        let memory = Memory::new("seed");
        for i in 0..3000 {
            memory.put(&i.to_string(), entry(1), 0);
            memory.put(&i.to_string(), entry(2), 0);
        }
        assert_eq!(memory.inner.borrow().entries.len(), MAX_ENTRIES);
        assert!(memory.get("0").is_none() && memory.get("2999").is_some());
    }

    #[test]
    fn bounded_in_bytes() {
        let memory = Memory::new("seed");
        for i in 0..100 {
            memory.put(&i.to_string(), entry(1 << 20), 0);
        }
        assert!(memory.inner.borrow().bytes <= MAX_BYTES);
        assert!(memory.get("99").is_some());
        memory.put("huge", entry(MAX_BYTES + 1), 0);
        assert!(memory.get("huge").is_none());
        assert_eq!(memory.inner.borrow().bytes, 0);
    }

    #[test]
    fn what_is_attached_goes_with_its_entry() {
        let memory = Memory::new("seed");
        let attached = Rc::new(());
        let attach = |key: &str, bytes: usize| memory.attach(key, Box::new(Rc::clone(&attached)), bytes);
        let count = || Rc::strong_count(&attached) - 1;
        attach("k", 1);
        assert_eq!(count(), 0, "there is no entry");
        memory.put("k", entry(1), 0);
        (0..2 * MAX_ATTACHED).for_each(|_| attach("k", 1));
        assert_eq!(count(), MAX_ATTACHED);
        memory.put("k", Entry { asked_at_ms: 1, ..entry(1) }, 1);
        assert_eq!(count(), 0, "it was renewed");
        attach("k", 1);
        let missing = ReadError::Missing { what: Missing::Period("it has not begun"), remaining_ms: 2_000 };
        memory.put_missing("k", &missing, 1);
        assert_eq!(count(), 1, "it was missed before that");
        memory.put_missing("k", &missing, 2);
        assert_eq!((count(), memory.inner.borrow().bytes), (0, 0), "it was missed");
        for i in 0..40 {
            memory.put(&i.to_string(), entry(1), 3);
            attach(&i.to_string(), 1 << 20);
        }
        assert!(memory.inner.borrow().bytes <= MAX_BYTES);
        assert_eq!((count(), memory.inner.borrow().entries.len()), (15, 15), "they count as what they are attached to does");
    }

    #[test]
    fn a_newer_entry_is_not_replaced_by_an_older_one() {
        let memory = Memory::new("seed");
        let asked_at = |asked_at_ms| Entry { asked_at_ms, ..entry(1) };
        let held = || memory.get("k").map(|entry| entry.asked_at_ms);
        assert_eq!(memory.put("k", asked_at(20), 20).asked_at_ms, 20);
        assert_eq!(memory.put("k", asked_at(10), 21).asked_at_ms, 20, "the newer one is given back");
        assert_eq!(held(), Some(20));
        memory.put("k", asked_at(30), 31);
        assert_eq!(held(), Some(30));
        memory.put("k", asked_at(25), 26);
        assert_eq!(held(), Some(25), "the clock went back: what is of the future is not newer");
    }

    #[test]
    fn what_is_missing_is_remembered_for_a_while() {
        let memory = Memory::new("seed");
        let missing = ReadError::Missing { what: Missing::Period("it has not begun"), remaining_ms: 2_000 };
        let remaining = |now_ms| match memory.missing("k", now_ms) {
            Some(ReadError::Missing { remaining_ms, .. }) => Some(remaining_ms),
            _ => None,
        };
        memory.put("k", entry(1), 0);
        memory.put_missing(
            "k",
            &ReadError::Failed(Failure { nothing_written: true, is_transient: true, script: None, detail: String::new() }),
            5,
        );
        assert!(memory.get("k").is_some() && remaining(5).is_none(), "a failure says nothing");
        memory.put_missing("k", &missing, 10);
        assert!(memory.get("k").is_none(), "what was there before is not");
        assert_eq!((remaining(10), remaining(2_009), remaining(2_010), remaining(9)), (Some(2_000), Some(1), None, None));
        assert!(memory.is_missed_since("k", 9) && !memory.is_missed_since("k", 10));
        memory.put("k", Entry { asked_at_ms: 9, ..entry(1) }, 11);
        assert_eq!(remaining(11), Some(1_999), "it was missed later");
        memory.put("k", Entry { asked_at_ms: 12, ..entry(1) }, 12);
        assert_eq!(remaining(12), None);
        for i in 0..1_000 {
            memory.put_missing(&i.to_string(), &missing, 20);
        }
        assert!(memory.inner.borrow().missing.len() <= MAX_MISSING);
        assert!(memory.missing("999", 20).is_some() && memory.missing("0", 20).is_none());
        assert!(memory.get("k").is_some(), "no ranking is driven out");
    }

    #[test]
    fn few_parts_are_known_that_failed() {
        let memory = Memory::new("seed");
        for part in 0..=MAX_FAILED {
            memory.back_off(&part.to_string(), 0);
        }
        assert_eq!(memory.inner.borrow().failed_ms.len(), 1);
        memory.back_off("a", DISTRUST_MS);
        assert_eq!(memory.inner.borrow().failed_ms.len(), 1, "the others are trusted again");
    }

    #[test]
    fn patience_follows_what_redis_takes() {
        let memory = Memory::new("seed");
        assert_eq!(memory.patience_ms("a", 0, false), FIRST_PATIENCE_MS);
        for (took_ms, patience_ms) in [(0, 200), (100, 300), (600, 1_500), (u64::from(u32::MAX), 1_500)] {
            memory.answered_after("a", took_ms);
            assert_eq!(memory.patience_ms("a", 0, false), patience_ms, "{took_ms}");
        }
        memory.back_off("a", 1_000);
        assert_eq!((memory.patience_ms("a", 10_999, true), memory.patience_ms("a", 11_000, false)), (0, 1_500));
        assert!(memory.is_backing_off("a", 1_999) && !memory.is_backing_off("a", 2_000));
        assert_eq!((memory.patience_ms("b", 10_999, false), memory.is_backing_off("b", 1_999)), (1_500, false), "it did not fail");
        memory.back_off("a", 20_000);
        memory.answered_after("a", 0);
        assert!(!memory.is_backing_off("a", 20_000));
        assert_eq!([false, true].map(|is_over| memory.patience_ms("a", 20_000, is_over)), [200, 1_500]);
    }

    #[test]
    fn one_request_fetches() {
        let memory = Memory::new("seed");
        assert!(memory.claim("k", 0));
        assert!(!memory.claim("k", 1));
        assert!(memory.claim("other", 1));
        memory.release("k");
        assert!(memory.claim("k", 2));
        assert!(memory.claim("k", 2 + CLAIM_MS), "a claim is not believed for ever");
    }
}
