//! Decaying windows against sums over all events.

use std::collections::BTreeMap;

use proptest::prelude::*;
use ranking::counting::Outcome;
use ranking::window::Unit;
use serde_json::json;

use crate::call::{Call, NOON_MS, NOON_S, connect};
use crate::cases::{self, Counter};
use crate::deployment::{BOARD, Deployment, sorted};
use crate::model::{CountedEvent, Ranking};
use crate::support::Server;

const START_MS: i64 = 1_774_650_600_000;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// How long the scores of the half-life window stand still: a 64th of the half-life.
const TICK_MS: i64 = 6 * HOUR_MS / 64;
/// From one landmark of the half-life window to the next.
const SPAN_MS: i64 = 512 * 6 * HOUR_MS;

static LATE: Counter = Counter::new("late events");
static UNDONE: Counter = Counter::new("events that were taken back");
static LANDMARKS: Counter = Counter::new("landmarks that were passed");

fn ranking() -> Ranking {
    let windows = json!([
        { "name": "hot", "kind": "half-life", "half_life": "6h" },
        { "name": "fading", "kind": "step", "every": "hour", "factor": 0.9 },
        { "name": "smooth", "kind": "linear", "resets": "day", "at": "02:01:00", "beta": 1.1 },
    ]);
    Ranking::new("Europe/London", windows, START_MS)
}

/// What an event is worth on each window: now, on a half-life board as of the last tick.
fn worth(ranking: &Ranking, window: &str, event: &CountedEvent, now_ms: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "instants are below 2^53")]
    let age = |from: i64, to: i64| (to - from) as f64;
    match window {
        "hot" => event.delta * 2_f64.powf(-age(event.at_ms, now_ms) / age(0, 6 * HOUR_MS)),
        "fading" => event.delta * 0.9_f64.powf(age(ranking.number(Unit::Hour, event.at_ms), ranking.number(Unit::Hour, now_ms))),
        _ => {
            // The last reset, found by looking back minute by minute.
            let day = |at_ms: i64| ranking.day_starting_at(at_ms, 121 * 60);
            let minute = 60_000;
            let mut reset_ms = now_ms - now_ms.rem_euclid(minute);
            while day(reset_ms - minute) == day(now_ms) {
                reset_ms -= minute;
            }
            if event.at_ms < reset_ms { 0.0 } else { event.delta * 1.1 * (age(reset_ms, event.at_ms) / 1000.0).floor() }
        }
    }
}

/// What rounding may make of a sum, as a part of the sum of its terms' sizes. The exponent of a term is at most 512, so its
/// rounding changes the term by 512 ln 2 / 2^53 = 4e-14 at most; there are three exponents: the script's two, at writing and at
/// reading, and the model's. Adding up 80 terms changes the sum by 80 / 2^53 = 9e-15. What an undo leaves below 1e-13 of a term
/// is dropped. Together that is below 3e-13.
const ROUNDING: f64 = 1e-12;
/// Events are left out that are worth less than 2^-64 = 5e-20; a history has 80 of at most 4.
const DROPPED: f64 = 1e-15;

/// Order and values equal those of a recomputation, as of the instant at which the script read them.
#[track_caller]
fn check(ranking: &Ranking, window: &str) {
    let page = ranking.page(window, None);
    assert!(page.info.complete);
    let now_ms = page.info.now_ms;
    let at_ms = if window == "hot" { now_ms - now_ms % TICK_MS } else { now_ms };
    assert_eq!(page.info.scored_at_ms, (window == "hot").then_some(at_ms), "{window}");
    let seen: Vec<(&str, f64)> = page.entries.iter().map(|entry| (entry.id.as_str(), entry.score.value())).collect();
    // By member its score, and the sizes of its terms.
    let mut expected: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for event in &ranking.counted {
        let (term, sum) = (worth(ranking, window, event, at_ms), expected.entry(&event.member).or_default());
        *sum = (sum.0 + term, sum.1 + term.abs());
    }
    // What has faded below the board's floor is not shown.
    let floor = if window == "smooth" { 0.0 } else { ranking.board().floor() };
    for (member, (score, size)) in &expected {
        let error = ROUNDING * size + DROPPED;
        match seen.iter().find(|(id, _)| id == member).map(|(_, score)| *score) {
            Some(found) => assert!((found - score).abs() <= error, "{window} {member}: {found} instead of {score}"),
            None => assert!(*score <= floor + error, "{window} {member} is missing: {score}"),
        }
    }
    assert!(seen.iter().all(|(id, _)| expected.contains_key(id)), "{window}: {seen:?}");
    for pair in seen.windows(2) {
        let (before, after) = (expected[pair[0].0], expected[pair[1].0]);
        let error = ROUNDING * (before.1 + after.1) + DROPPED;
        assert!(before.0 >= after.0 - error, "{window}: {pair:?} instead of {before:?} {after:?}");
    }
}

#[test]
fn histories() {
    let steps =
        prop::collection::vec((0..8_u8, prop_oneof![4 => 1..5_i8, 1 => -2..0_i8], 0..5 * DAY_MS, 0..3 * DAY_MS, any::<bool>()), 1..40);
    let cases = cases::number(40);
    cases::run(file!(), cases, &steps, |steps| {
        let mut ranking = ranking();
        for (member, delta, late, advance, undo) in steps {
            let now_ms = ranking.now_ms();
            let at_ms = if late < DAY_MS { now_ms - late } else { now_ms };
            ranking.put(&[CountedEvent { at_ms, member: format!("m{member}"), delta: delta.into() }]);
            LATE.add(usize::from(at_ms < now_ms - HOUR_MS));
            if undo {
                let CountedEvent { at_ms, member, delta } = ranking.counted[ranking.counted.len() / 2].clone();
                ranking.put(&[CountedEvent { at_ms, member, delta: -delta }]);
                UNDONE.add(1);
            }
            if advance % 3 == 0 {
                // A day to half a year: landmarks are 128 days apart with a half-life of 6 hours.
                ranking.server.clock.set(now_ms + advance * 60);
            } else {
                ranking.server.clock.set(now_ms + advance / 20);
            }
            LANDMARKS.add(usize::from(ranking.now_ms() / SPAN_MS > now_ms / SPAN_MS));
            for window in ["hot", "fading", "smooth"] {
                check(&ranking, window);
            }
        }
        Ok(())
    });
    let cases = cases as usize;
    LATE.assert_above(cases / 2);
    UNDONE.assert_above(cases);
    LANDMARKS.assert_above(cases / 4);
}

#[test]
fn fifty_years() {
    let mut ranking = ranking();
    for day in 0..50 * 12 {
        let now_ms = START_MS + day * 31 * DAY_MS;
        ranking.server.clock.set(now_ms);
        for member in 0..3 {
            ranking.put(&[CountedEvent { at_ms: now_ms - member * HOUR_MS, member: format!("m{}", (day + member) % 5), delta: 1.0 }]);
        }
        check(&ranking, "hot");
        check(&ranking, "fading");
    }
    let keys = ranking.server.keys("*:window:hot:*");
    assert!(keys.len() <= 2, "old boards are gone: {keys:?}");
}

/// The order on a half-life board is the order of recomputed scores: ten thousand histories, a tenth of them across the
/// landmark that lies in each.
#[test]
fn order_equals_a_recomputation() {
    let mut ranking = ranking();
    let mut random = 1_u64;
    let mut next = |below: u64| {
        // A linear congruential generator (Knuth's MMIX).
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    for history in 0..10_000 {
        if history % 500 == 0 {
            // From one landmark to the next, and a little before or after it.
            let landmark_ms = (START_MS / SPAN_MS + 1 + history / 500) * SPAN_MS;
            ranking.server.command(&["FLUSHALL"]);
            ranking.server.clock.set(landmark_ms + (i64::try_from(next(20)).expect("small") - 10) * HOUR_MS);
        }
        for key in ranking.server.keys("*:window:hot:*") {
            ranking.server.command(&["DEL", &key]);
        }
        ranking.counted.clear();
        let now_ms = ranking.now_ms();
        let counted: Vec<CountedEvent> = (0..=next(12))
            .map(|_| CountedEvent {
                at_ms: now_ms - i64::try_from(next(48 * 3_600_000)).expect("small"),
                member: format!("m{}", next(6)),
                delta: [1.0, 2.0, 3.0, -1.0][usize::try_from(next(4)).expect("small")],
            })
            .collect();
        ranking.put(&counted);
        check(&ranking, "hot");
    }
}

/// A clock that goes back by less than a minute, over a landmark and again, finds every event of before.
#[test]
fn a_clock_goes_back_over_a_landmark() {
    let mut ranking = ranking();
    let mut random = 3_u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((random >> 33) % below).expect("small")
    };
    for landmark in 0..25 {
        let landmark_ms = (START_MS / SPAN_MS + 1 + landmark) * SPAN_MS;
        ranking.server.command(&["FLUSHALL"]);
        ranking.counted.clear();
        // At last a batch, an hour ago, as the clock goes on.
        for step in 0..16 {
            let after_ms = if step < 12 { next(58_000) - 28_000 } else { 40_000 + (step - 12) * (20_000 + next(20_000)) };
            ranking.server.clock.set(landmark_ms + after_ms);
            let at_ms = ranking.now_ms() - if step == 15 { HOUR_MS } else { 0 };
            let events: Vec<CountedEvent> =
                (0..=next(3)).map(|_| CountedEvent { at_ms, member: format!("m{}", next(5)), delta: 1.0 }).collect();
            ranking.put(&events);
            check(&ranking, "hot");
        }
    }
}

/// An event of now whose call has more to do, such as a new plan, counts once on a half-life all the same.
#[test]
fn an_event_of_now_fades_once() {
    const LIFE_MS: i64 = 21_600_000;
    let kept = Call::record("UTC", NOON_S);
    let alone = kept.clone().set("units", "").set("retention", "");
    for call in [kept, alone] {
        let server = Server::start_at(NOON_MS);
        let connection = connect(&server);
        for i in 0..130 {
            server.clock.set(NOON_MS + i);
            call.clone().set("decaying", "hot:half-life:-:21600000:0").tracked(["a", "1", "", "", ""]).send(&connection);
        }
        let number = NOON_MS.div_euclid(512 * LIFE_MS);
        let sum: f64 = server.text(&["ZSCORE", &format!("eb:{{site:board}}:window:hot:{number}"), "a"]).parse().expect("a score");
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of a few years")]
        let worth = 2_f64.powf((NOON_MS - number * 512 * LIFE_MS) as f64 / LIFE_MS as f64);
        assert!((sum / worth - 130.0).abs() < 0.01, "{}", sum / worth);
    }
}

/// Undos leave nothing of a linear sum, however much greater it was: here 10,000 times what is taken back last.
#[test]
fn a_linear_sum_is_undone_to_nothing() {
    const RESET_MS: i64 = NOON_MS - NOON_MS % DAY_MS;
    let site = json!({ "actions": { "like": { "reversible": true } }, "boards": { BOARD: {
        "weights": { "like": 0.1 }, "windows": [{ "name": "smooth", "kind": "linear", "resets": "day", "beta": 1.1 }] } } });
    for is_batch in [false, true] {
        let deployment = Deployment::start(&site, RESET_MS + 3_000);
        let like = |actor: usize, undo: bool| json!({ "action": "like", "item": "x", "actor": format!("u{actor}"), "undo": undo });
        deployment.put(&[like(0, false)]);
        let actors = 1..8;
        for actor in actors.clone() {
            deployment.advance(9_876_543);
            deployment.put(&[like(actor, false)]);
        }
        let undos: Vec<_> = actors.chain([0]).map(|actor| like(actor, true)).collect();
        let sent = if is_batch { vec![undos] } else { undos.into_iter().map(|undo| vec![undo]).collect() };
        for events in sent {
            assert_eq!(deployment.put(&events), vec![Outcome::Counted; events.len()]);
        }
        let contents = deployment.contents();
        let remaining = contents.keys().filter(|key| key.contains(":window:smooth:")).map(|key| sorted(&contents, key));
        for scores in remaining {
            assert_eq!(scores, BTreeMap::new(), "{is_batch}");
        }
    }
}
