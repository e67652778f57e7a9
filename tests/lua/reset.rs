//! Resets: what random batches do not show. Those are in `batches` and `values`.

use std::collections::BTreeSet;

use ranking::counting::Outcome;
use serde_json::json;

use crate::call::NOON_MS;
use crate::deployment::{BOARD, Deployment, Held};

/// A member that has nothing any more is marked for what hands totals on.
#[test]
fn members_that_go_are_marked() {
    let site = json!({ "actions": { "view": {} }, "activity": false, "boards": { BOARD: {
        "weights": { "view": 1 }, "windows": ["day", "all"], "totals": [{ "window": "all", "to": "d1" }] } } });
    let deployment = Deployment::start(&site, NOON_MS);
    deployment.put(&(0..1500).map(|i| json!({ "action": "view", "item": format!("i{i}") })).collect::<Vec<_>>());
    let key = "eb:{site:board}:changed:all";
    let marked = || match deployment.contents().remove(key).map(|key| key.held) {
        Some(Held::Set(members)) => members.into_iter().collect::<BTreeSet<_>>(),
        _ => BTreeSet::new(),
    };
    let all = marked();
    assert_eq!(all.len(), 1500);
    deployment.server.command(&["DEL", key]);
    deployment.reset(BOARD, Some("day"));
    assert!(marked().is_empty(), "those of the day are not handed on");
    deployment.reset(BOARD, None);
    assert_eq!(marked(), all);
}

/// What comes after a reset counts, and can be undone, also where the clock went back a little since.
#[test]
fn a_clock_that_goes_back_takes_no_event_for_one_of_before_the_reset() {
    let site = json!({
        "actions": { "view": {}, "like": { "reversible": true } },
        "boards": { BOARD: { "weights": { "view": 1, "like": 10 }, "windows": ["hour", "day", "all", "last-3-days"] } },
        "activity": false,
    });
    for start_ms in [NOON_MS + 90_000, NOON_MS + 2_000] {
        for back_ms in [0, 1, 3000, 55_000] {
            let deployment = Deployment::start(&site, start_ms);
            let put = |event: serde_json::Value| deployment.put(&[event]);
            let like = |undo: bool| put(json!({ "action": "like", "item": "a", "actor": "u", "undo": undo }));
            let score = |item: &str| {
                let scores = deployment.server.scores("eb:{site:board}:day:20777");
                scores.into_iter().find(|(member, _)| member == item).map(|(_, score)| score)
            };
            deployment.put(&[json!({ "action": "view", "item": "b" }), json!({ "action": "view", "item": "c" })]);
            deployment.advance(10);
            deployment.reset(BOARD, None);
            deployment.advance(10 - back_ms);
            for time in 1..=2 {
                assert_eq!(put(json!({ "action": "view", "item": "b" })), [Outcome::Counted], "{start_ms} {back_ms}");
                assert_eq!(score("b"), Some(time.to_string()), "{start_ms} {back_ms}");
                assert_eq!((like(false), score("a").as_deref()), (vec![Outcome::Counted], Some("10")), "{start_ms} {back_ms}");
                assert_eq!((like(false), score("a").as_deref()), (vec![Outcome::DoneAlready], Some("10")), "{start_ms} {back_ms}");
                assert_eq!((like(true), score("a")), (vec![Outcome::Counted], None), "{start_ms} {back_ms}");
            }
            // What is reset once more is not taken away again.
            assert_eq!((like(false), score("a").as_deref()), (vec![Outcome::Counted], Some("10")), "{start_ms} {back_ms}");
            deployment.reset(BOARD, None);
            assert_eq!((like(true), score("a")), (vec![Outcome::Reset], None), "{start_ms} {back_ms}");
        }
    }
}
