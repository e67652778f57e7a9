//! Clocks that step back or were ahead, and keys that vanish: whatever is said to be complete is the sum of the base boards.
//!
//! The histories are those of the model of the rolling board: events on time and late, batches, actions and their undos, chunks
//! of upkeep, boundaries, steps of the clock, vanished keys, restarts. What the base boards hold is the truth; nothing else is
//! modelled.

mod scans;

use std::collections::BTreeMap;

use edgeboard::ranking::window::Unit;
use serde_json::{Value as Json, json};

use crate::cases::Counter;
use crate::deployment::{BOARD, Contents, Deployment, sorted};

const DAY_MS: i64 = 86_400_000;

static COMPLETE: Counter = Counter::new("readings of members that were said to be complete");
static INCOMPLETE: Counter = Counter::new("readings that were said to be incomplete");

fn site(timezone: &str) -> Json {
    json!({
        "timezone": timezone,
        "activity": false,
        "actions": { "view": {}, "back": {}, "like": { "reversible": true } },
        "boards": { BOARD: {
            "weights": { "view": 1, "back": -2, "like": 3 },
            "windows": ["hour", "day", "week", "month", "year", "last-2-hours", "last-3-days", "last-2-weeks", "last-2-months"],
        } },
    })
}

fn view(member: impl std::fmt::Display, ago_ms: i64) -> Json {
    json!({ "action": "view", "item": format!("m{member}"), "ago": ago_ms })
}

fn base_key(unit: Unit, number: i64) -> String {
    format!("eb:{{site:{BOARD}}}:{}:{number}", unit.name())
}

/// The sums of the base boards, without zeros.
fn sums(contents: &Contents, unit: Unit, length: u32, last: i64) -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::new();
    for number in last - i64::from(length) + 1..=last {
        for (member, score) in sorted(contents, &base_key(unit, number)) {
            *sums.entry(member).or_insert(0.0) += score;
        }
    }
    sums.retain(|_, sum| *sum != 0.0);
    sums
}

/// Reads a rolling window; what is said to be complete must be right for every member. Answers whether it is.
#[track_caller]
fn check(deployment: &Deployment, (window, unit, length): &(String, Unit, u32), after: &str) -> bool {
    let page = deployment.read(BOARD, window, None);
    if !page.info.complete {
        INCOMPLETE.add(1);
        return false;
    }
    let (contents, number) = (deployment.contents(), page.info.period.number);
    let mut expected = sums(&contents, *unit, *length, number);
    let held = sorted(&contents, &format!("eb:{{site:{BOARD}}}:window:{window}:{number}"));
    assert_eq!(held, expected, "{window} {number} after {after}");
    expected.retain(|_, sum| *sum > 0.0);
    let shown: BTreeMap<String, f64> = page.entries.into_iter().map(|entry| (entry.id.as_str().into(), entry.score.value())).collect();
    assert_eq!(shown, expected, "what is shown of {window} {number} after {after}");
    COMPLETE.add(usize::from(!expected.is_empty()));
    true
}

/// Reads every rolling window.
#[track_caller]
fn check_all(deployment: &Deployment, after: &str) {
    for window in deployment.rolling(BOARD) {
        check(deployment, &window, after);
    }
}

/// Repairs what is announced to be incomplete, and then all must be complete and right.
#[track_caller]
fn repair(deployment: &Deployment, after: &str) {
    for window in deployment.rolling(BOARD) {
        let chunks = (0..2000).find(|_| {
            let complete = check(deployment, &window, after);
            if !complete {
                deployment.chunk(BOARD, &window.0, 300);
            }
            complete
        });
        assert!(chunks.is_some(), "the repair of {} does not end after {after}", window.0);
    }
}
