//! Boards of every kind on which an item becomes another one in the middle of events: each shows what it would show if all had been sent to
//! the other one.

use ranking::page::Page;
use serde_json::{Value as Json, json};

use super::{DAY_MS, HOUR_MS, ITEMS, MINUTE_MS, NEW, START_MS, chunk};
use crate::deployment::{BOARD, Deployment};

const EVENTS: usize = 150;
/// From this event on, a chunk comes after each; before that neither item knows of the other.
const BEGINS: usize = 60;
/// Boards in a chunk: a part of them.
const ENTRIES: u32 = 300;

fn decaying() -> Json {
    json!([
        { "name": "hot", "kind": "half-life", "half_life": "6h" },
        { "name": "fading", "kind": "step", "every": "hour", "factor": 0.9 },
        { "name": "smooth", "kind": "linear", "resets": "day", "at": "02:01:00", "beta": 1.1 },
    ])
}

fn season() -> Json {
    json!({ "name": "league", "kind": "season", "from": "2026-11-02", "until": "2027-03-01", "every": "1 week" })
}

fn values(score: &str, more: &Json) -> Json {
    let mut windows = vec![json!("hour"), json!("day"), json!("all"), season()];
    windows.extend((score != "last").then(|| json!("last-3-days")));
    let mut board = json!({ "score": score, "actions": ["finish"], "decimals": 2, "max_members": 1000, "windows": windows });
    for (name, value) in more.as_object().expect("an object") {
        board[name] = value.clone();
    }
    board
}

/// Compares what a window shows. The servers' clocks go on between calls, so weights that decay differ by some milliseconds' worth.
#[track_caller]
fn compare(ours: &Deployment, other: &Deployment, window: &str, board: &Json) {
    let [one, two] = [ours, other].map(|of| of.read(BOARD, window, None));
    assert_eq!((one.total, one.info.complete), (two.total, two.info.complete), "{window} of {board}");
    let rest = |page: &Page| page.entries.iter().map(|entry| format!("{} {:?} {:?}", entry.rank, entry.id, entry.meta)).collect::<Vec<_>>();
    assert_eq!(rest(&one), rest(&two), "{window} of {board}");
    for (one, two) in one.entries.iter().zip(&two.entries) {
        let (score, expected) = (one.score.value(), two.score.value());
        assert!((score - expected).abs() <= expected.abs() * 1e-5, "{score} is not {expected}: {:?} in {window} of {board}", one.id);
    }
}

fn check(board: &Json) {
    let site = json!({ "actions": { "view": {}, "finish": {} }, "boards": { BOARD: board }, "activity": false });
    let (ours, other) = (Deployment::start(&site, START_MS), Deployment::start(&site, START_MS));
    let is_valued = board.get("score").is_some();
    let event = |i: usize, item: &str, now_ms: i64| {
        let mut event = json!({ "item": item, "action": if is_valued { "finish" } else { "view" } });
        if is_valued {
            // Some are equal, and best values come early and late.
            event["value"] = json!(f64::from(u32::try_from(i * 37 % 23).expect("small")) / 4.0);
            event["meta"] = json!({ "i": i });
        } else {
            event["count"] = json!(1 + i % 3);
        }
        if i % 5 == 4 {
            event["at"] = json!(now_ms - HOUR_MS * i64::try_from(i % 40).expect("small") - MINUTE_MS);
        }
        event
    };
    for i in 0..EVENTS {
        let (item, now_ms) = (ITEMS[i * 7 % 11 % 4], ours.now_ms());
        for (of, item) in [(&ours, item), (&other, if item == ITEMS[0] { NEW } else { item })] {
            of.server.clock.set(now_ms + 37 * MINUTE_MS);
            of.put(&[event(i, item, now_ms)]);
        }
        if i == BEGINS / 2 {
            for of in [&ours, &other] {
                of.upkeep(BOARD);
            }
        }
        if i >= BEGINS {
            chunk(&ours, ENTRIES);
        }
    }
    while chunk(&ours, ENTRIES) {}
    for of in [&ours, &other] {
        // One clock for both.
        of.server.clock.set(START_MS + 5 * DAY_MS);
        of.upkeep(BOARD);
    }
    for window in &ours.site().boards[BOARD].windows {
        compare(&ours, &other, window.name.as_str(), board);
    }
}

#[test]
fn decaying_windows() {
    check(&json!({ "weights": { "view": 1 }, "windows": decaying() }));
    check(&json!({ "weights": { "view": 2.5 }, "windows": decaying(), "breakdown": true }));
}

#[test]
fn seasons() {
    let windows = json!([season(), "all", "last-24-hours", "last-30-minutes"]);
    check(&json!({ "weights": { "view": 1 }, "windows": windows }));
    check(&json!({ "weights": { "view": 1 }, "windows": [season(), "day"], "ties": "first", "ranking": "dense" }));
}

#[test]
#[ignore = "long: npm test -- --engines"]
fn boards_of_values() {
    for (score, order) in [("max", "descending"), ("min", "ascending"), ("last", "descending")] {
        check(&values(score, &json!({ "order": order })));
        check(&values(score, &json!({ "order": order, "ties": "first", "ranking": "competition" })));
        check(&values(score, &json!({ "order": order, "ranking": "dense" })));
    }
}
