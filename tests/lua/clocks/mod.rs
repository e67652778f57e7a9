//! Clocks that step back or were ahead, and keys that vanish: whatever is said to be complete is the sum of the base boards.
//!
//! The histories are those of the model of the rolling board: events on time and late, batches, actions and their undos, chunks
//! of upkeep, boundaries, steps of the clock, vanished keys, restarts. What the base boards hold is the truth; nothing else is
//! modelled.

mod histories;
mod losses;
mod matrix;
mod once;
mod scans;
mod turned;

use std::collections::BTreeMap;

use ranking::page::Page;
use ranking::window::Unit;
use serde_json::{Value as Json, json};

use crate::cases::Counter;
use crate::deployment::{BOARD, Contents, Deployment, Held, sorted};

const SECOND_MS: i64 = 1000;
const MINUTE_MS: i64 = 60 * SECOND_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

static COMPLETE: Counter = Counter::new("readings of members that were said to be complete");
static INCOMPLETE: Counter = Counter::new("readings that were said to be incomplete");

fn site(timezone: &str) -> Json {
    json!({
        "timezone": timezone,
        "activity": false,
        "actions": { "view": {}, "back": {}, "like": { "reversible": true } },
        "boards": { BOARD: {
            "weights": { "view": 1, "back": -2, "like": 3 },
            "windows": ["hour", "day", "week", "month", "year", "last-3-minutes", "last-2-hours", "last-3-days", "last-2-weeks", "last-2-months"],
        } },
    })
}

fn view(member: impl std::fmt::Display, ago_ms: i64) -> Json {
    json!({ "action": "view", "item": format!("m{member}"), "ago": ago_ms })
}

fn like(member: impl std::fmt::Display, undo: bool) -> Json {
    json!({ "action": "like", "item": format!("m{member}"), "actor": "u", "undo": undo })
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
fn check(deployment: &Deployment, window: &(String, Unit, u32), after: &str) -> bool {
    let page = deployment.read(BOARD, &window.0, None);
    check_page(&page, page.info.complete.then(|| deployment.contents()).as_ref(), window, after)
}

/// Reads every rolling window.
#[track_caller]
fn check_all(deployment: &Deployment, after: &str) {
    let windows = deployment.rolling(BOARD);
    let pages: Vec<Page> = windows.iter().map(|(window, ..)| deployment.read(BOARD, window, None)).collect();
    let contents = pages.iter().any(|page| page.info.complete).then(|| deployment.contents());
    for (page, window) in pages.iter().zip(&windows) {
        check_page(page, contents.as_ref(), window, after);
    }
}

#[track_caller]
fn check_page(page: &Page, contents: Option<&Contents>, (window, unit, length): &(String, Unit, u32), after: &str) -> bool {
    let Some(contents) = contents.filter(|_| page.info.complete) else {
        INCOMPLETE.add(1);
        return false;
    };
    let number = page.info.period.number;
    let mut expected = sums(contents, *unit, *length, number);
    let held = sorted(contents, &format!("eb:{{site:{BOARD}}}:window:{window}:{number}"));
    assert_eq!(held, expected, "{window} {number} after {after}");
    expected.retain(|_, sum| *sum > 0.0);
    let shown: BTreeMap<String, f64> = page.entries.iter().map(|entry| (entry.id.as_str().into(), entry.score.value())).collect();
    assert_eq!(shown, expected, "what is shown of {window} {number} after {after}");
    COMPLETE.add(usize::from(!expected.is_empty()));
    true
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

/// The keys that hold sorted sets of rolling windows.
fn rolling_keys(contents: &Contents) -> Vec<String> {
    let sets = contents.iter().filter(|(_, key)| matches!(key.held, Held::Sorted(_)));
    sets.map(|(key, _)| key.clone()).filter(|key| key.contains(":window:")).collect()
}
