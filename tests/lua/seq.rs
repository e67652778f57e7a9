//! Actions and undos that carry a seq arrive in any order, more than once, and the last one holds.

use std::cell::RefCell;

use proptest::prelude::*;
use ranking::counting::Outcome;
use serde_json::{Value as Json, json};

use crate::cases::{self, Counter};
use crate::deployment::{BOARD, Deployment, sorted};

const DAY_MS: i64 = 86_400_000;
/// A day before a bucket of 31 days ends.
const START_MS: i64 = 667 * 31 * DAY_MS - DAY_MS;

static SUPERSEDED: Counter = Counter::new("events that came too late to matter");
static SETTLED: Counter = Counter::new("events that found everything as they say");

fn site(actor_history: &str) -> Json {
    json!({
        "actor_history": actor_history,
        "activity": true,
        "actions": { "like": { "reversible": true } },
        "boards": { BOARD: { "weights": { "like": 1 }, "windows": ["day", "all"], "ties": "first", "breakdown": true } },
    })
}

fn like(seq: usize, undo: bool) -> Json {
    json!({ "action": "like", "item": "a", "actor": "u", "undo": undo, "seq": seq })
}

/// What became of an event at the board, and at the activity log.
fn sent(deployment: &Deployment, events: &[Json]) -> Vec<Outcome> {
    let sent = deployment.try_send(&json!({ "events": events })).expect("redis answers");
    sent.into_iter().flat_map(|(_, outcomes)| outcomes.expect("it is counted")).collect()
}

fn score(deployment: &Deployment) -> Option<f64> {
    sorted(&deployment.contents(), &format!("eb:{{site:{BOARD}}}:all:0")).get("a").copied()
}

#[test]
fn the_greatest_seq_holds() {
    let deployment = RefCell::new(Deployment::start(&site("31d"), START_MS));
    let events = prop::collection::vec(any::<bool>(), 1..9);
    // Each arrives once or twice; some come together.
    let arrivals = events.prop_flat_map(|undos| {
        let all: Vec<(usize, bool)> = undos.into_iter().enumerate().collect();
        let twice: Vec<(usize, bool)> = all.iter().chain(&all).copied().collect();
        let each = prop::sample::subsequence(twice.clone(), all.len()..=twice.len()).prop_shuffle();
        (each, prop::collection::vec((1..4_usize, prop::sample::select(vec![0, 1, DAY_MS, 4 * DAY_MS, -DAY_MS])), twice.len()))
    });
    let cases = cases::number(60);
    cases::run(file!(), cases, &arrivals, |(arrivals, calls)| {
        let deployment = deployment.borrow_mut();
        deployment.server.command(&["FLUSHALL"]);
        deployment.server.clock.set(START_MS);
        let (mut remaining, mut latest) = (&arrivals[..], (0, true));
        for (size, wait_ms) in calls {
            let (call, rest) = remaining.split_at(size.min(remaining.len()));
            remaining = rest;
            deployment.advance(wait_ms);
            let events: Vec<Json> = call.iter().map(|(seq, undo)| like(seq + 1, *undo)).collect();
            if events.is_empty() {
                break;
            }
            let outcomes = sent(&deployment, &events);
            for (counter, outcome) in [(&SUPERSEDED, Outcome::Superseded), (&SETTLED, Outcome::Settled)] {
                counter.add(outcomes.iter().filter(|became| **became == outcome).count());
            }
            latest = call
                .iter()
                .map(|(seq, undo)| (seq + 1, *undo))
                .fold(latest, |latest, event| if event.0 > latest.0 { event } else { latest });
            assert_eq!(score(&deployment), (!latest.1).then_some(1.0), "{arrivals:?}: {latest:?} is the latest");
        }
        Ok(())
    });
    let cases = usize::try_from(cases).expect("few");
    SUPERSEDED.assert_above(cases);
    SETTLED.assert_above(cases);
}

/// An undo that came first is known for 14 days, however short the actor history is.
#[test]
fn a_seq_outlives_a_short_actor_history() {
    let deployment = Deployment::start(&site("1d"), START_MS);
    assert_eq!(sent(&deployment, &[like(2, true)]), [Outcome::Settled; 2]);
    deployment.advance(14 * DAY_MS - 1000);
    assert_eq!(sent(&deployment, &[like(1, false)]), [Outcome::Superseded; 2]);
    assert_eq!(sent(&deployment, &[like(3, false)]), [Outcome::Counted; 2]);
    deployment.advance(50 * DAY_MS);
    assert_eq!(sent(&deployment, &[like(4, true)]), [Outcome::Settled; 2]);
    let tracked = deployment.server.keys("*:tracked:*");
    assert_eq!(tracked.len(), 2, "what is older has expired: {tracked:?}");
}
