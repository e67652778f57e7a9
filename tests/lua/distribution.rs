//! How many members lie in each interval of the scores, as a page of everybody tells it. Random histories of other tests check it with each page that
//! they read.

use std::rc::Rc;

use engine::adapter::Transport;
use engine::store::Store;
use proptest::prelude::*;
use ranking::distribution::Interval;
use ranking::page::Page;
use ranking::read::{PeriodRef, Read, ReadReply};
use ranking::score::Score;
use ranking::site::{Board, Site};
use ranking::values::Order;
use ranking::zone::Zones;
use serde_json::json;

use crate::call::{NOON_MS, period_ref, read};
use crate::cases::{self, Counter};
use crate::deployment::{BOARD, Deployment};

const MOST: usize = 100;
const STEPS: [u32; 6] = [32, 16, 8, 4, 2, 1];

static MANY: Counter = Counter::new("distributions of more than half of the most intervals");
static BELOW: Counter = Counter::new("distributions with values below zero");
static CUT: Counter = Counter::new("distributions whose last interval takes the rest");

/// How far a score is from zero, as it is stored: the better the greater.
fn distance(board: &Board, score: Score) -> f64 {
    board.values.map_or(score.value(), |values| {
        let parts = (score.value() * 10_f64.powi(values.decimals.into())).round();
        if values.order == Order::Ascending { -parts } else { parts }
    })
}

/// The number of the octave of a distance, mirrored below zero.
fn octave(distance: f64) -> i64 {
    #[expect(clippy::cast_possible_wrap, reason = "eleven bits")]
    let exponent = ((distance.abs().to_bits() >> 52) & 0x7ff) as i64 - 1022;
    if distance == 0.0 {
        0
    } else if distance < 0.0 {
        -exponent
    } else {
        exponent
    }
}

/// In which interval of its octave a distance is.
#[expect(clippy::cast_possible_truncation, reason = "at most 32")]
fn step(distance: f64, steps: u32) -> i64 {
    let octave = octave(distance.abs());
    if distance == 0.0 { 0 } else { ((distance.abs() / 2_f64.powi(octave as i32 - 1) - 1.0) * f64::from(steps)).floor() as i64 }
}

/// How many members, the best first, are in each interval, if octaves have so many of them.
fn grouped(distances: &[f64], steps: u32) -> Vec<usize> {
    let groups = distances.chunk_by(|one, other| (octave(*one), step(*one, steps)) == (octave(*other), step(*other, steps)));
    let mut sizes: Vec<usize> = groups.map(<[f64]>::len).collect();
    let rest: usize = sizes.iter().skip(MOST - 1).sum();
    if sizes.len() > MOST {
        sizes.truncate(MOST - 1);
        sizes.push(rest);
    }
    sizes
}

/// The most intervals to an octave that are few enough in all.
fn finest(distances: &[f64]) -> u32 {
    let [Some(best), Some(least)] = [distances.first(), distances.last()] else { return 32 };
    let octaves = octave(*best) - octave(*least) + 1;
    STEPS.into_iter().find(|steps| octaves * i64::from(*steps) <= 100).unwrap_or(1)
}

/// The intervals are those of a page of everybody, if this is one.
#[track_caller]
pub fn check<T: Transport, Z: Zones>(store: &Store<'_, T, Z>, site: &Rc<Site>, of: &PeriodRef, page: &Page) {
    if page.total != page.entries.len() as u64 {
        return;
    }
    let ReadReply::Distribution(found) = read(store, site, Read::Distribution { of: of.clone() }) else { panic!("a distribution") };
    let same = |info: &ranking::page::PeriodInfo| (info.starts_at, info.complete, info.scored_at_ms);
    // Time goes on between both.
    if same(&found.info) != same(&page.info) {
        return;
    }
    assert_eq!((found.total, found.pinned), (page.total, page.pinned));
    let scores: Vec<Score> = page.entries[usize::try_from(page.pinned).expect("few")..].iter().map(|entry| entry.score).collect();
    let mut rest = &scores[..];
    for Interval { best, score, members } in &found.intervals {
        let is_within = |other: &Score| !of.board.is_above(*other, *best) && !of.board.is_above(*score, *other);
        let count = rest.iter().take_while(|other| !of.board.is_above(*score, **other)).count();
        assert_eq!((*members, *members > 0), (count as u64, true), "from {score} of {:?}: {scores:?}", found.intervals);
        assert!(rest[..count].iter().all(is_within), "{best} to {score} of {scores:?}");
        rest = &rest[count..];
    }
    assert!(rest.is_empty() && found.intervals.len() <= MOST, "{rest:?}");
    crate::scores::check(store, site, of, page, &found);
    // Octaves of scores that fade are those of the stored ones.
    if !of.window.fades() {
        let distances: Vec<f64> = scores.iter().map(|score| distance(&of.board, *score)).collect();
        let sizes: Vec<usize> = found.intervals.iter().map(|interval| usize::try_from(interval.members).expect("few")).collect();
        // A hidden member lies between two ends as well.
        let finest = finest(&distances);
        let matches = STEPS.into_iter().filter(|steps| *steps <= finest).any(|steps| grouped(&distances, steps) == sizes);
        assert!(matches, "{sizes:?} of {scores:?}");
    }
}

/// A number from around zero up to what a double counts exactly, with at most six decimals.
fn score() -> impl Strategy<Value = f64> {
    let any = (-20_i32..53, 1.0..2.0_f64, any::<bool>()).prop_map(|(exponent, part, is_whole)| {
        let score = part * 2_f64.powi(exponent);
        let score = if is_whole || exponent > 30 { score.ceil() } else { (score * 1e6).round() / 1e6 };
        score.min(9_007_199_254_740_992.0)
    });
    prop_oneof![any, (1_u32..60).prop_map(f64::from)]
}

fn read_distribution(deployment: &Deployment) -> Vec<Interval> {
    let of = period_ref(deployment.site(), BOARD, deployment.window(BOARD, "all"), None);
    match read(&deployment.store(), deployment.site(), Read::Distribution { of }) {
        ReadReply::Distribution(found) => found.intervals,
        other => panic!("{other:?}"),
    }
}

/// What a board of these members' scores shows is grouped as finely as may be.
fn play(options: &serde_json::Value, key: &str, stored: &[f64], shown: impl Fn(f64) -> Option<f64>) -> Result<(), TestCaseError> {
    let mut board = json!({ "windows": ["all"], "limit": 1000 });
    board.as_object_mut().expect("it is one").extend(options.as_object().expect("it is one").clone());
    let deployment = Deployment::start(&json!({ "actions": { "view": {} }, "boards": { BOARD: board } }), NOON_MS);
    for (i, score) in stored.iter().enumerate() {
        deployment.server.command(&["ZADD", key, &score.to_string(), &format!("m{i}")]);
    }
    drop(deployment.read(BOARD, "all", None));
    let mut distances: Vec<f64> = stored.iter().filter_map(|score| shown(*score)).collect();
    distances.sort_unstable_by(|one, other| other.total_cmp(one));
    let sizes: Vec<usize> = read_distribution(&deployment).iter().map(|interval| usize::try_from(interval.members).expect("few")).collect();
    // Nobody is hidden, so each interval ends with somebody.
    let (of, mut rest) = (read_distribution(&deployment), &distances[..]);
    for (Interval { best, score, .. }, size) in of.iter().zip(&sizes) {
        let (these, behind) = rest.split_at(*size);
        // A million of milliards in thousandths has one digit more than a double.
        let is_at =
            |score: Score, expected: f64| (distance(&deployment.site().boards[BOARD], score) - expected).abs() <= 1e-15 * expected.abs();
        prop_assert!(is_at(*best, these[0]) && is_at(*score, these[size - 1]), "{} to {} of {:?}", best, score, these);
        rest = behind;
    }
    let steps = finest(&distances);
    let expected = grouped(&distances, steps);
    MANY.add(usize::from(sizes.len() > MOST / 2));
    BELOW.add(usize::from(distances.first().is_some_and(|best| *best > 0.0) && distances.last().is_some_and(|least| *least < 0.0)));
    CUT.add(usize::from(distances.chunk_by(|one, other| octave(*one) == octave(*other)).count() > MOST));
    prop_assert_eq!(sizes, expected, "{} to an octave of {:?}", steps, distances);
    Ok(())
}

#[test]
fn any_scores() {
    let signed = || (score(), any::<bool>()).prop_map(|(score, is_negative)| if is_negative { -score.ceil() } else { score });
    // Of twelve octaves nearly all intervals have members.
    let crowded = (0_i32..12, 1.0..2.0_f64).prop_map(|(exponent, part)| (part * 2_f64.powi(exponent)).ceil());
    let scores = prop_oneof![
        prop::collection::vec(signed(), 0..40),
        prop::collection::vec(signed(), 100..400),
        prop::collection::vec(crowded, 200..400),
    ];
    cases::run(file!(), cases::number_of_whole(40), &(scores, any::<bool>()), |(scores, has_values)| {
        if has_values {
            const MIDDLE: f64 = 4_503_599_627_370_496.0;
            let stored: Vec<f64> = scores.iter().map(|score| MIDDLE + score.trunc().clamp(1.0 - MIDDLE, MIDDLE - 1.0)).collect();
            let options = json!({ "score": "min", "order": "ascending", "decimals": 3, "actions": ["view"] });
            return play(&options, "eb:{site:board}:min:ascending:3:all:0", &stored, |stored| Some(stored - MIDDLE));
        }
        play(&json!({ "weights": { "view": 1 } }), "eb:{site:board}:all:0", &scores, |score| (score > 0.0).then_some(score))
    });
    MANY.assert_above(3);
    BELOW.assert_above(3);
}

/// Values of every octave on both sides of zero are more than there are intervals.
#[test]
fn more_octaves_than_intervals() {
    const MIDDLE: f64 = 4_503_599_627_370_496.0;
    let sides = (0..52).flat_map(|exponent| [2_f64.powi(exponent), -2_f64.powi(exponent)]);
    let stored: Vec<f64> = sides.map(|distance| MIDDLE + distance).chain([MIDDLE]).collect();
    let options = json!({ "score": "max", "decimals": 0, "actions": ["view"] });
    play(&options, "eb:{site:board}:max:descending:0:all:0", &stored, |stored| Some(stored - MIDDLE)).expect("as it should be");
    CUT.assert_above(0);
}
