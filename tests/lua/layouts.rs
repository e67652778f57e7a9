//! The layout of keys: an unknown one is refused; and what a Redis still has whose states were lost.

use std::collections::BTreeMap;

use engine::adapter::{Applied, Error, Fault};
use engine::store::curate::{Change, List};
use engine::store::upkeep::{Chunk, Job};
use ranking::counting::Outcome;
use ranking::name::Id;
use ranking::read::{Read, ReadRequest};
use serde_json::{Value as Json, json};

use crate::call::{NOON_MS, period_ref};
use crate::deployment::{BOARD, Deployment, sorted};

const BOARDS: [&str; 2] = [BOARD, "ordered"];

fn site() -> Json {
    let weights = json!({ "view": 1, "like": 3, "vote": 2 });
    let hot = json!({ "name": "hot", "kind": "half-life", "half_life": "6h" });
    json!({
        "timezone": "Europe/London",
        "actions": { "view": {}, "like": { "reversible": true }, "vote": {} },
        "boards": {
            BOARD: {
                "weights": weights, "once": { "vote": "day" },
                "windows": ["hour", "day", "week", "month", "year", "all", "last-2-hours", "last-7-days", hot],
            },
            "ordered": {
                "weights": weights, "windows": ["day", "all", "last-7-days"],
                "ties": "first", "ranking": "dense", "breakdown": true,
            },
        },
    })
}

/// Views and likes of a day, b's by u1 and u2, of which u2 took one back.
fn filled() -> Deployment {
    let deployment = Deployment::start(&site(), NOON_MS);
    for (item, actor) in [("a", "u1"), ("b", "u1"), ("b", "u2"), ("c", "u3")] {
        deployment.put(&[json!({ "action": "view", "item": item }), act("like", item, actor, false)]);
    }
    deployment.put(&[act("like", "b", "u2", true)]);
    deployment.advance(3 * 3_600_000);
    deployment
}

fn act(action: &str, item: &str, actor: &str, undo: bool) -> Json {
    json!({ "action": action, "item": item, "actor": actor, "undo": undo })
}

/// What became of an event on each board.
#[track_caller]
fn outcomes(deployment: &Deployment, event: &Json) -> BTreeMap<String, Outcome> {
    let sent = deployment.try_send(&json!({ "events": [event] })).expect("redis answers");
    sent.into_iter().map(|(board, outcomes)| (board, outcomes.expect("it is counted")[0])).collect()
}

/// Every rolling window is said to be incomplete, or right; after upkeep it is complete.
#[track_caller]
fn check_rolling(deployment: &Deployment) {
    for board in BOARDS {
        for (window, unit, length) in deployment.rolling(board) {
            let check = || {
                let page = deployment.read(board, &window, None);
                let (contents, last) = (deployment.contents(), page.info.period.number);
                let mut sums: BTreeMap<String, f64> = BTreeMap::new();
                for number in last - i64::from(length) + 1..=last {
                    for (member, score) in sorted(&contents, &format!("eb:{{site:{board}}}:{}:{number}", unit.name())) {
                        *sums.entry(member).or_default() += score;
                    }
                }
                let held = sorted(&contents, &format!("eb:{{site:{board}}}:window:{window}:{last}"));
                assert!(!page.info.complete || held == sums, "{board} {window}: {held:?} instead of {sums:?}");
                page.info.complete
            };
            check();
            deployment.upkeep(board);
            assert!(check(), "{board} {window} is complete after upkeep");
        }
    }
}

/// What was recorded is still known, and no rolling window is taken for whole.
#[test]
fn a_state_that_was_lost() {
    let deployment = filled();
    for board in ["{site:board}", "{site:ordered}", "{site}"] {
        deployment.server.command(&["DEL", &format!("eb:{board}:state")]);
    }
    let before = deployment.contents();
    for board in BOARDS {
        for (window, ..) in deployment.rolling(board) {
            assert!(!deployment.read(board, &window, None).info.complete, "{board} {window}: nobody knows whether it is whole");
        }
    }
    assert_eq!(deployment.contents(), before, "reading writes nothing");
    let check = |event: Json, expected: Outcome| {
        let outcomes = outcomes(&deployment, &event);
        assert_eq!(outcomes.len(), 3, "two boards and the activity log");
        assert!(outcomes.values().all(|outcome| *outcome == expected), "{event}: {outcomes:?} instead of {expected:?}");
    };
    check(act("like", "a", "u1", false), Outcome::DoneAlready);
    check(act("like", "b", "u2", true), Outcome::UndoneAlready);
    check(act("like", "c", "u1", true), Outcome::NotDone);
    let sums: Vec<_> = BOARDS.iter().map(|board| sorted(&deployment.contents(), &format!("eb:{{site:{board}}}:all:0"))).collect();
    check(act("like", "a", "u1", true), Outcome::Counted);
    check(act("like", "a", "u1", true), Outcome::UndoneAlready);
    check(act("like", "a", "u1", false), Outcome::Counted);
    check(act("like", "b", "u1", true), Outcome::Counted);
    for (board, mut expected) in BOARDS.iter().zip(sums) {
        *expected.get_mut("b").expect("a member") -= 3.0;
        assert_eq!(sorted(&deployment.contents(), &format!("eb:{{site:{board}}}:all:0")), expected, "{board}");
    }
    check_rolling(&deployment);
}

/// Where there is nothing of before, no bucket of before is read.
#[test]
fn a_new_target_has_no_records() {
    for first in [json!({ "action": "view", "item": "a" }), act("like", "a", "u1", false)] {
        let deployment = Deployment::start(&site(), NOON_MS);
        outcomes(&deployment, &first);
        outcomes(&deployment, &act("like", "b", "u1", false));
        let bucket = NOON_MS / 1000 / (31 * 86_400);
        for board in ["{site:board}", "{site:ordered}", "{site}"] {
            let buckets = deployment.server.text(&["HGET", &format!("eb:{board}:state"), "buckets"]);
            assert_eq!(buckets, format!(" {bucket} "), "{board} after {first}");
        }
        assert!(outcomes(&deployment, &act("like", "b", "u1", true)).values().all(|outcome| *outcome == Outcome::Counted));
    }
}

/// The first event takes over what a worker of layout 2 wrote: its plans are gone then, and it refuses the layout.
#[test]
fn a_state_of_layout_2_is_taken_over() {
    const PLAN: &str = "498663:20777\n0\n17951868000001795190400020100111\n\n\n\neb:{site:board}:all:0\neb:{site:board}:day:20777\n\n\n\n";
    let state = |board: &str| format!("eb:{board}:state");
    let scores = |deployment: &Deployment, board: &str| sorted(&deployment.contents(), &format!("eb:{{site:{board}}}:all:0"));
    for (action, weight) in [("view", 1.0), ("like", 3.0)] {
        let deployment = filled();
        let mut expected = BOARDS.map(|board| scores(&deployment, board));
        for state in ["{site:board}", "{site:ordered}", "{site}"].map(state) {
            for dropped in ["plan:server", "planned:server"] {
                deployment.server.command(&["HDEL", &state, dropped]);
            }
            let plans = ["boards:browser", PLAN, "boards:server", PLAN, "boards:queue", PLAN, "arguments:queue", "dhm"];
            deployment.server.command(&[&["HSET", &state, "layout", "2"][..], &plans].concat());
        }
        let before = deployment.contents();
        deployment.read(BOARD, "day", None);
        assert_eq!(deployment.contents(), before, "reading takes nothing over");
        for actor in ["u8", "u9"] {
            let counted = outcomes(&deployment, &act(action, "a", actor, false));
            assert_eq!((counted.len(), counted.values().all(|outcome| *outcome == Outcome::Counted)), (3, true), "{action}: {counted:?}");
            for (board, expected) in BOARDS.iter().zip(&mut expected) {
                *expected.get_mut("a").expect("a member") += weight;
                assert_eq!(scores(&deployment, board), *expected, "{action} by {actor} on {board}");
            }
            for state in ["{site:board}", "{site:ordered}", "{site}"].map(state) {
                assert_eq!(deployment.server.text(&["HGET", &state, "layout"]), "3", "{action} by {actor}: {state}");
                for dropped in ["boards:browser", "boards:server", "boards:queue", "arguments:queue"] {
                    assert_eq!(deployment.server.number(&["HEXISTS", &state, dropped]), 0, "{action} by {actor}: {dropped} of {state}");
                }
            }
        }
    }
}

/// A state that a later version wrote: every script says so in one line, and none writes.
#[test]
fn an_unknown_layout_is_refused() {
    let mut deployment = filled();
    // What a home has decided is not refused, but waits.
    deployment.has_homes = false;
    for board in ["{site:board}", "{site:ordered}", "{site}"] {
        deployment.server.command(&["HSET", &format!("eb:{board}:state"), "layout", "7"]);
    }
    let before = deployment.contents();
    let check = |what: &str, error: Option<Error>| {
        let error = error.unwrap_or_else(|| panic!("{what} works on an unknown layout"));
        assert_eq!((error.fault, error.applied(), error.is_transient()), (Fault::Configuration, Applied::No, false), "{what}: {error}");
        for part in ["LAYOUT", "layout 3", "layout 2", " 7 "] {
            assert!(error.detail.contains(part), "{what}: {error}");
        }
        assert_eq!(error.detail.lines().count(), 1, "{what}: {error}");
        assert_eq!(deployment.contents(), before, "{what} writes nothing");
    };
    let view = json!({ "action": "view", "item": "a" });
    for events in [vec![view.clone()], vec![view.clone(), view], vec![act("like", "a", "u", false)]] {
        for (board, outcomes) in deployment.try_send(&json!({ "events": events })).expect("redis answers") {
            check(&format!("{} events on {board:?}", events.len()), outcomes.err());
        }
    }
    let (site, store) = (deployment.site(), deployment.store());
    let id = Id::new("a").expect("an id");
    for board in BOARDS {
        for window in &site.boards[board].windows {
            let of = || period_ref(site, board, window, None);
            let reads = [
                Read::Top { of: of(), offset: 0, limit: 10 },
                Read::Ranks { of: of(), ids: vec![id.clone()], among: false },
                Read::Member { of: of(), id: id.clone(), around: 1 },
                Read::Explain { of: of(), id: id.clone(), before: None },
            ];
            for read in reads {
                let what = format!("{read:?}");
                check(&what, pollster::block_on(store.read(&ReadRequest { site: site.clone(), read, by: String::new() }, &[])).err());
            }
            let chunk = Chunk { board: &site.boards[board], job: Job::Window(window), owner: "test", entries: 100, is_early: true };
            let done = pollster::block_on(store.upkeep(site, &[chunk])).and_then(|mut done| done.remove(0));
            check("upkeep", done.err());
        }
        let put = store.curate(site, &site.boards[board], List::Hidden, Change::Put(&id));
        check("curation", pollster::block_on(put).err());
    }
    check("activity", pollster::block_on(store.activity(site, &id, 3)).err());
}
