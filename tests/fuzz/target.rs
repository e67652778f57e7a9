//! Running a target: its saved inputs first, then inputs that are made, each the same again for the same seed.

use std::collections::BTreeMap;
use std::env;
use std::hash::{BuildHasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::corpus::Corpus;
use crate::random::Random;

/// How many targets share the inputs.
const TARGETS: usize = 6;
/// Inputs of all targets; `EDGEBOARD_FUZZ` says another number.
const INPUTS: usize = 100_000;
/// Longer inputs are not saved for what they reach.
const MAX_SAVED: usize = 1_500;

/// What came of inputs, in a few words each, and how often.
pub type Outcomes = BTreeMap<String, usize>;

/// Checks so many inputs; a check panics where something is wrong, and says what came of the input. Answers what the saved
/// inputs reach.
///
/// `make` makes an input, `change` another one of it and of parts of a second.
///
/// An input that fails is added to the corpus. With `EDGEBOARD_UPDATE=1` each that reaches what no saved one does is as well.
pub fn run(
    name: &str,
    make: impl Fn(&mut Random) -> Vec<u8>,
    change: impl Fn(&mut Random, &[u8], &[u8]) -> Vec<u8>,
    mut check: impl FnMut(&[u8]) -> String,
) -> Outcomes {
    let mut corpus = Corpus::load(name);
    let seed = number("EDGEBOARD_FUZZ_SEED").unwrap_or_else(|| RandomState::new().hash_one(name) >> 11);
    println!("{name}: set EDGEBOARD_FUZZ_SEED={seed} to repeat this run");
    let mut saved = Outcomes::new();
    for input in &corpus.inputs {
        *saved.entry(check(input)).or_default() += 1;
    }

    let updates = env::var("EDGEBOARD_UPDATE").is_ok_and(|update| update == "1");
    let inputs = number("EDGEBOARD_FUZZ").map_or(INPUTS, |inputs| usize::try_from(inputs).expect("a usize"));
    let mut made = Outcomes::new();
    for i in 0..inputs.div_ceil(TARGETS) {
        let random = &mut Random::new(seed.wrapping_add((i as u64) << 32));
        let input = input(random, &corpus, &make, &change);
        let outcome = catch_unwind(AssertUnwindSafe(|| check(&input))).unwrap_or_else(|panic| {
            corpus.save(&input);
            println!("{name}: input {i} fails, and was added to the corpus: {}", input.escape_ascii());
            resume_unwind(panic);
        });
        if updates && input.len() <= MAX_SAVED && !saved.contains_key(&outcome) {
            corpus.save(&input);
            saved.insert(outcome.clone(), 1);
        }
        *made.entry(outcome).or_default() += 1;
    }
    println!("{name}: {} saved inputs, {} made", corpus.inputs.len(), inputs.div_ceil(TARGETS));
    for (outcome, times) in &made {
        println!("{name}: {times:7} {outcome}");
    }
    saved
}

/// Made anew, or from others by changing them.
fn input(
    random: &mut Random,
    corpus: &Corpus,
    make: impl Fn(&mut Random) -> Vec<u8>,
    change: impl Fn(&mut Random, &[u8], &[u8]) -> Vec<u8>,
) -> Vec<u8> {
    if corpus.inputs.is_empty() || random.once_in(3) {
        return make(random);
    }
    let base = if random.once_in(2) { make(random) } else { random.pick(&corpus.inputs).clone() };
    let other = random.pick(&corpus.inputs).clone();
    change(random, &base, &other)
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} = {text:?} is not a number")))
}
