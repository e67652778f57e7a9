//! Running the cases of a property test, and counting what they met: a property that no case ever tests holds of anything.

use std::fmt::Debug;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestCaseResult, TestRunner};

/// Runs a check on so many values of a strategy. Known failures of `file` are run first; `PROPTEST_RNG_SEED` repeats a
/// run.
#[track_caller]
pub fn run<V: Debug>(file: &'static str, cases: u32, strategy: &impl Strategy<Value = V>, check: impl Fn(V) -> TestCaseResult) {
    let mut config = Config { cases, source_file: Some(file), max_shrink_iters: 400, ..Config::default() };
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(RandomState::new().hash_one(std::process::id()));
    }
    println!("{:?}: set PROPTEST_RNG_SEED to repeat this run", config.rng_seed);
    TestRunner::new(config).run(strategy, check).unwrap_or_else(|failure| panic!("{failure}"));
}

/// So many cases, or as many as `EDGEBOARD_CASES` says: more than a build waits for. A third of them where `npm test` runs its quick part, so
/// what the cases must have met has to be reckoned from their number.
pub fn number(default: u32) -> u32 {
    let is_quick = std::env::var("EDGEBOARD_TESTS").is_ok_and(|part| part == "quick");
    number_of_whole(if is_quick { default.div_ceil(3) } else { default })
}

/// The same where what they must have met is rare, or a fixed number.
pub fn number_of_whole(default: u32) -> u32 {
    std::env::var("EDGEBOARD_CASES").map_or(default, |cases| cases.parse().expect("EDGEBOARD_CASES is a number"))
}

/// How often something happened, over all cases.
pub struct Counter {
    what: &'static str,
    count: AtomicUsize,
}

impl Counter {
    pub const fn new(what: &'static str) -> Self {
        Self { what, count: AtomicUsize::new(0) }
    }

    pub fn add(&self, times: usize) {
        self.count.fetch_add(times, Ordering::Relaxed);
    }

    /// It must have happened more often than that.
    #[track_caller]
    pub fn assert_above(&self, min: usize) {
        let count = self.count.load(Ordering::Relaxed);
        println!("{}: {count}, more than {min} wanted", self.what);
        assert!(count > min, "{}: only {count}", self.what);
    }
}
