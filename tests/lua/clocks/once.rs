//! What counts once counts once under a clock that steps back: ids, tracked actions.

use ranking::counting::Outcome;
use serde_json::{Value as Json, json};

use super::{BOARD, DAY_MS, Deployment, HOUR_MS, MINUTE_MS, SECOND_MS, check_all, like, repair, site, sums};
use crate::call::NOON_MS;

const STEPS_MS: [i64; 4] = [2 * SECOND_MS, HOUR_MS, DAY_MS, 40 * DAY_MS];

/// Ids of batches and of events.
#[test]
fn an_id_counts_once() {
    let deployment = Deployment::start(&site("UTC"), NOON_MS);
    let batch = json!({ "id": "batch", "events": [{ "action": "view", "item": "a" }, { "action": "view", "item": "b" }] });
    let events = json!({ "events": [{ "action": "view", "item": "a", "id": "one" }, { "action": "view", "item": "b", "id": "two" }] });
    let single = json!({ "events": [{ "action": "view", "item": "c", "id": "three" }] });
    for step_ms in STEPS_MS {
        deployment.server.command(&["FLUSHALL"]);
        deployment.server.clock.set(NOON_MS + SECOND_MS);
        let all = |expected: Outcome, when: &str| {
            for body in [&batch, &events, &single] {
                assert!(deployment.send(body).iter().all(|outcome| *outcome == expected), "{when}, step {step_ms}: {body}");
            }
        };
        all(Outcome::Counted, "first");
        for _ in 0..4 {
            deployment.advance(-step_ms);
            all(Outcome::Duplicate, "stepped back");
            deployment.advance(MINUTE_MS);
            all(Outcome::Duplicate, "a minute later");
        }
        // A clock that goes on by two replay windows has ids forgotten, whatever was before.
        if 4 * step_ms < 2 * DAY_MS {
            deployment.server.clock.set(NOON_MS + 3 * SECOND_MS);
            all(Outcome::Duplicate, "right again");
        }
        // Sent while the clock was ahead, and again when it was right.
        deployment.server.command(&["FLUSHALL"]);
        deployment.server.clock.set(NOON_MS + step_ms);
        all(Outcome::Counted, "ahead");
        deployment.server.clock.set(NOON_MS);
        all(Outcome::Duplicate, "back");
    }
}

/// Ids are forgotten at last, and their sets with them, whatever the clock did.
#[test]
fn ids_take_turns_after_a_step_back() {
    let deployment = Deployment::start(&site("UTC"), NOON_MS);
    let send = |id: &str| deployment.send(&json!({ "id": id, "events": [{ "action": "view", "item": "a" }] }))[0];
    for step_ms in STEPS_MS {
        deployment.server.command(&["FLUSHALL"]);
        deployment.server.clock.set(NOON_MS);
        assert_eq!(send("first"), Outcome::Counted);
        deployment.advance(-step_ms);
        for day in 0..5 {
            assert_eq!(send(&format!("{day}")), Outcome::Counted, "{step_ms}");
            deployment.advance(DAY_MS + MINUTE_MS);
        }
        assert_eq!(send("first"), Outcome::Counted, "{step_ms}: it is forgotten");
        assert_eq!(send("first"), Outcome::Duplicate, "{step_ms}");
        let kept = deployment.server.keys("*:ids:*");
        assert!(kept.len() <= 3, "{step_ms}: {kept:?}");
    }
}

/// A like is remembered in stretches of 31 days; noon of 2026-11-20 is 11 days after one began.
#[test]
fn a_like_counts_once_and_is_undone() {
    let deployment = Deployment::start(&site("UTC"), NOON_MS);
    let stretch_ms = 31 * DAY_MS;
    let begins_ms = NOON_MS - NOON_MS % stretch_ms;
    for step_ms in [2 * SECOND_MS, HOUR_MS, DAY_MS, 20 * DAY_MS] {
        deployment.server.command(&["FLUSHALL"]);
        deployment.server.clock.set(begins_ms + SECOND_MS);
        let send = |undo: bool| deployment.put(&[like("x", undo)])[0];
        assert_eq!(send(false), Outcome::Counted);
        deployment.advance(-step_ms);
        assert_eq!(send(false), Outcome::DoneAlready, "stepped back by {step_ms}");
        deployment.server.clock.set(begins_ms + 4 * SECOND_MS);
        assert_eq!(send(false), Outcome::DoneAlready, "right again after {step_ms}");
        deployment.advance(-step_ms);
        assert_eq!(send(true), Outcome::Counted, "undone while stepped back by {step_ms}");
        assert_eq!(send(true), Outcome::UndoneAlready, "{step_ms}");
        deployment.server.clock.set(begins_ms + 8 * SECOND_MS);
        assert_eq!(send(true), Outcome::UndoneAlready, "right again after {step_ms}");
        repair(&deployment, "likes");
        let page = deployment.read(BOARD, "year", None);
        assert_eq!(page.entries.len(), 0, "nothing is left of it after {step_ms}");
    }
}

/// Boards that are emptied again and again are no vanished boards.
#[test]
fn likes_and_undos_on_a_quiet_day_start_no_repair() {
    let deployment = Deployment::start(&site("UTC"), NOON_MS);
    deployment.put(&[json!({ "action": "view", "item": "m0", "ago": 2 * DAY_MS })]);
    repair(&deployment, "the beginning");
    deployment.upkeep(BOARD);
    for turn in 0..1000 {
        let item = format!("i{}", turn % 3);
        let act = |undo: bool| -> Json { json!({ "action": "like", "item": item, "actor": format!("u{turn}"), "undo": undo }) };
        if turn % 2 == 0 {
            assert_eq!(deployment.put(&[act(false)]), [Outcome::Counted]);
            assert_eq!(deployment.put(&[act(true)]), [Outcome::Counted]);
        } else {
            assert_eq!(deployment.put(&[act(false), act(true)]), [Outcome::Counted; 2]);
        }
        if turn % 50 == 0 {
            for (window, unit, length) in deployment.rolling(BOARD) {
                let page = deployment.read(BOARD, &window, None);
                assert!(page.info.complete, "{window} after {turn} likes");
                assert_eq!(sums(&deployment.contents(), unit, length, page.info.period.number).len(), page.entries.len(), "{window}");
                assert!(!deployment.chunk(BOARD, &window, 100), "no work for {window} after {turn} likes");
            }
        }
    }
    deployment.advance(DAY_MS);
    check_all(&deployment, "the next day");
    repair(&deployment, "the next day");
}
