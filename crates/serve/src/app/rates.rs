//! How often what happened in a minute, by key, in a bounded room: for limits that hold without a binding of the runtime.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// What is limited, by client and site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limited {
    /// Beacons and pixels.
    Beacons,
    /// What reads have Redis, the database and the archive do.
    Misses,
}

/// What is counted together: a minute from the first event on.
pub const SPAN_MS: u64 = 60_000;
/// Counts of a row: 2 rows of 2,048 take 16 KB.
const COUNTS: usize = 2_048;

/// A count-min sketch: each key has a count in each of two rows, and counts as the lower one says. Keys that share a count in one
/// row rarely share that in the other. So a key may count as more than it is when thousands do, never as less.
///
/// Nobody can choose keys that share the counts of another one, since where counts are depends on a secret of the isolate.
pub struct Rates {
    seed: Rc<str>,
    span: RefCell<Span>,
}

#[derive(Default)]
struct Span {
    began_ms: u64,
    /// Empty before the first event.
    rows: [Vec<u32>; 2],
}

impl Rates {
    /// `seed`: what nobody can guess.
    pub fn new(seed: &Rc<str>) -> Self {
        Self { seed: Rc::clone(seed), span: RefCell::default() }
    }

    /// Counts an event of a key; answers how many that makes, and how many seconds the minute has left.
    pub fn count(&self, key: &impl Hash, now_ms: u64) -> (u32, u64) {
        self.add(key, 1, now_ms)
    }

    /// The same of several events.
    pub fn add(&self, key: &impl Hash, events: u32, now_ms: u64) -> (u32, u64) {
        let (span, places) = (&mut *self.span.borrow_mut(), self.places(key));
        span.begin(now_ms);
        for (row, place) in span.rows.iter_mut().zip(places) {
            row.resize(COUNTS, 0);
            row[place] = row[place].saturating_add(events);
        }
        (span.get(places), span.remaining_s(now_ms))
    }

    /// The same, but counts nothing.
    pub fn look(&self, key: &impl Hash, now_ms: u64) -> (u32, u64) {
        let span = &mut *self.span.borrow_mut();
        span.begin(now_ms);
        (span.get(self.places(key)), span.remaining_s(now_ms))
    }

    /// Where the counts of a key are in the rows. The hasher has no key of its own, so the secret comes first.
    fn places(&self, key: &impl Hash) -> [usize; 2] {
        let mut hasher = DefaultHasher::new();
        (&*self.seed, key).hash(&mut hasher);
        let hash = hasher.finish();
        [hash, hash >> 32].map(|bits| usize::try_from(bits & (COUNTS as u64 - 1)).unwrap_or(0))
    }
}

impl Span {
    /// Another span where this one is over. A clock that stepped back begins another one as well.
    fn begin(&mut self, now_ms: u64) {
        if !(self.began_ms..self.began_ms + SPAN_MS).contains(&now_ms) {
            *self = Self { began_ms: now_ms, ..Self::default() };
        }
    }

    fn get(&self, places: [usize; 2]) -> u32 {
        let counts = self.rows.iter().zip(places).map(|(row, place)| row.get(place).copied().unwrap_or(0));
        counts.min().unwrap_or(0)
    }

    fn remaining_s(&self, now_ms: u64) -> u64 {
        (self.began_ms + SPAN_MS - now_ms).div_ceil(1_000).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_count_apart_until_the_minute_is_over() {
        let rates = Rates::new(&"seed".into());
        for i in 1..=5 {
            assert_eq!(rates.count(&"a", 1_000_000), (i, 60));
        }
        assert_eq!(rates.add(&"b", 7, 1_010_500), (7, 50));
        assert_eq!(rates.look(&"a", 1_010_500), (5, 50));
        assert_eq!(rates.count(&"a", 1_060_000), (1, 60));
        assert_eq!(rates.count(&"a", 0), (1, 60), "a clock that went back begins anew");
    }

    #[test]
    fn thousands_of_keys_take_no_more_room_and_are_hardly_mixed_up() {
        let rates = Rates::new(&"seed".into());
        for i in 0..2_000 {
            rates.count(&i, 0);
        }
        let over = (0..2_000).filter(|i| rates.look(i, 0).0 > 4).count();
        assert!(over < 20, "{over} of 2,000 that came once look like more than four");
    }

    #[test]
    fn which_keys_share_counts_is_another_thing_for_each_seed() {
        let places = |seed: &str| (0..10).map(|key| Rates::new(&seed.into()).places(&key)).collect::<Vec<_>>();
        assert_ne!(places("one"), places("another"));
    }
}
