//! Removing who begins with a prefix from large boards, in small chunks, beside writers and upkeep.

use std::collections::BTreeMap;

use engine::store::curate::{Change, List};
use engine::store::keep_off::Whom;
use engine::store::revoke::{Culprit, Revocation};
use ranking::counting::Outcome;
use ranking::name::Id;
use serde_json::{Value as Json, json};

use crate::call::{NOON_MS, calls};
use crate::deployment::{BOARD, Contents, Deployment, Held, sorted};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

fn site(ties: bool) -> Json {
    let mut board = json!({
        "weights": { "view": 1, "less": -1 },
        "windows": ["hour", "day", "all", "last-3-days", "last-2-hours", { "name": "hot", "kind": "half-life", "half_life": "6h" }],
        "breakdown": true,
    });
    if ties {
        (board["ties"], board["ranking"]) = (json!("last"), json!("dense"));
        board["windows"].as_array_mut().expect("a list").pop();
    }
    json!({ "actions": { "view": {}, "less": {} }, "boards": { BOARD: board }, "activity": false })
}

/// `days` of events, the latest of now; of junk so many members, of each other member some.
fn fill(deployment: &Deployment, junk: usize, with_junk: bool) {
    for day in (0..3_i64).rev() {
        let ago = |i: usize| day * DAY_MS + i64::try_from(i % 7).expect("small") * 1_200_000;
        let view = |(i, item): (usize, String)| json!({ "action": "view", "item": item, "ago": ago(i) });
        let real = (0..60).map(|i| format!("real-{}", i % 25));
        deployment.put(&real.enumerate().map(view).collect::<Vec<_>>());
        if with_junk {
            let junk: Vec<Json> = (0..junk).map(|i| format!("junk-{i}")).enumerate().map(view).collect();
            deployment.put(&junk);
            // Whose sum is zero, but not their counts by action.
            let less = |i: usize| json!({ "action": "less", "item": format!("junk-{i}"), "ago": ago(i) });
            deployment.put(&(0..40).map(less).collect::<Vec<_>>());
        }
    }
}

/// What every key holds, but the sequence numbers, the state and the instants in what is kept off.
fn seen(contents: &Contents) -> BTreeMap<String, Held> {
    let internal = |key: &str| {
        [":state", ":moved", ":removing", ":refused", ":scan"].iter().any(|end| key.ends_with(end)) || key.contains(":window:hot")
    };
    let held = |held: &Held| match held {
        Held::Sorted(members) => {
            let mut members: Vec<_> = members.iter().filter(|(member, _)| !member.starts_with('\0')).cloned().collect();
            members.sort();
            Held::Sorted(members)
        }
        other => other.clone(),
    };
    contents.iter().filter(|(key, _)| !internal(key)).map(|(key, of)| (key.clone(), held(&of.held))).collect()
}

#[track_caller]
fn check(ties: bool, meanwhile: impl Fn(&Deployment, usize)) {
    let (mut deployment, clean) = (Deployment::start(&site(ties), NOON_MS), Deployment::start(&site(ties), NOON_MS));
    for (of, with_junk) in [(&deployment, true), (&clean, false)] {
        fill(of, 1500, with_junk);
        of.upkeep(BOARD);
    }
    let whom = Whom::Prefix(Id::new("junk-").expect("an id"));
    let (site, mut cursor, mut chunks) = (deployment.site().clone(), None::<String>, 0);
    pollster::block_on(deployment.store().keep_off(&site, &site.boards[BOARD], &whom, true)).expect("redis answers");
    loop {
        let removed = pollster::block_on(deployment.store().remove(&site, &site.boards[BOARD], &whom, false, cursor.as_deref()));
        let removed = removed.expect("redis answers");
        chunks += 1;
        meanwhile(&deployment, chunks);
        if chunks == 3 {
            deployment.restart();
        }
        cursor = removed.cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert!(chunks > 5, "only {chunks} chunks");
    for of in [&deployment, &clean] {
        of.upkeep(BOARD);
    }
    let (found, expected) = (deployment.contents(), clean.contents());
    let holds_junk = |key: &&String| format!("{:?}", found[*key]).contains("junk-");
    assert_eq!(found.keys().filter(|key| !key.ends_with(":moved") && !key.ends_with(":removing")).find(holds_junk), None);
    if !ties {
        assert_eq!(seen(&found), seen(&expected));
    }
    for window in ["hour", "day", "all", "last-3-days", "last-2-hours"] {
        let (one, other) = (deployment.read(BOARD, window, None), clean.read(BOARD, window, None));
        let rows = |page: &ranking::page::Page| page.entries.iter().map(|entry| (entry.id.clone(), entry.rank)).collect::<Vec<_>>();
        assert_eq!((rows(&one), one.total, one.info.complete), (rows(&other), other.total, other.info.complete), "{window}");
    }
}

#[test]
fn junk_leaves_large_boards() {
    check(false, |_, _| ());
}

#[test]
fn junk_leaves_boards_with_indexes() {
    check(true, |_, _| ());
}

/// More of it comes meanwhile, and a window is repaired.
#[test]
fn junk_leaves_boards_that_are_written_and_repaired() {
    check(false, |deployment, chunk| {
        deployment.put(&(0..20).map(|i| json!({ "action": "view", "item": format!("junk-{}", i * chunk) })).collect::<Vec<_>>());
        if chunk == 2 {
            deployment.server.command(&["HSET", "eb:{site:board}:state", "window:last-3-days", "broken"]);
        }
        if chunk < 6 {
            deployment.chunk(BOARD, "last-3-days", 100);
        }
    });
}

/// Where nobody was removed nothing is asked; else it is one command for a batch, and one for a single event.
#[test]
fn removed_members_cost_one_command() {
    let deployment = Deployment::start(
        &json!({ "actions": { "view": {} }, "activity": false, "boards": { BOARD: {
        "weights": { "view": 1 }, "windows": ["day", "last-7-days"] } } }),
        NOON_MS,
    );
    let view = |i: usize| json!({ "action": "view", "item": format!("item-{i}") });
    let batch: Vec<Json> = (0..50).map(view).collect();
    let cost = |events: &[Json]| {
        deployment.put(events);
        deployment.server.command(&["CONFIG", "RESETSTAT"]);
        deployment.put(events);
        calls(&deployment.server).values().sum::<u64>()
    };
    let before = [cost(&batch), cost(&batch[..1])];
    for whom in [Whom::Member(Id::new("gone").expect("an id")), Whom::Prefix(Id::new("junk-").expect("an id"))] {
        deployment.remove(BOARD, &whom, true);
    }
    assert_eq!([cost(&batch), cost(&batch[..1])], before.map(|commands| commands + 1));
}

/// There is room for so many ids, and for prefixes of eight lengths.
#[test]
fn who_is_kept_off_is_bounded() {
    let deployment = Deployment::start(&site(false), NOON_MS);
    let (site, store) = (deployment.site(), deployment.store());
    let keep_off = |whom: &Whom| pollster::block_on(store.keep_off(site, &site.boards[BOARD], whom, true)).expect("redis answers");
    let prefix = |length: usize| Whom::Prefix(Id::new(&"x".repeat(length)).expect("an id"));
    assert!(keep_off(&Whom::Member(Id::new("a").expect("an id"))));
    assert_eq!(
        (1..=9).map(|length| keep_off(&prefix(length))).collect::<Vec<_>>(),
        [true, true, true, true, true, true, true, true, false]
    );
    deployment.server.command(&["HSET", "eb:{site:board}:state", "moved", &format!("0={}", Whom::MOST)]);
    assert!(!keep_off(&Whom::Member(Id::new("b").expect("an id"))));
    assert!(keep_off(&Whom::Member(Id::new("a").expect("an id"))), "who is off already takes no room");
}

/// Whether a like and its undo count does not depend on the clock, which may have gone back a little since, or before, the member was removed
/// and let in again.
#[test]
fn a_clock_that_goes_back_takes_no_like_for_one_of_before_the_removal() {
    let site = json!({
        "actions": { "view": {}, "like": { "reversible": true } },
        "boards": { BOARD: { "weights": { "view": 1, "like": 10 }, "windows": ["day", "all", "last-3-days"] } },
        "journal": "8d",
        "activity": false,
    });
    let deployment = Deployment::start(&site, NOON_MS);
    let (whom, board) = (Whom::Member(Id::new("a").expect("an id")), "eb:{site:board}:day:20777");
    let like = |undo: bool| deployment.put(&[json!({ "action": "like", "item": "a", "actor": "u", "undo": undo })]);
    let score = || deployment.server.scores(board).into_iter().find(|(member, _)| member == "a").map(|(_, score)| score);
    for back_ms in [0, 1, 3000, 55_000] {
        deployment.server.command(&["FLUSHALL"]);
        deployment.server.clock.set(NOON_MS + 90_000);
        // It was removed, and then the clock went back.
        like(false);
        deployment.remove(BOARD, &whom, false);
        deployment.advance(-back_ms);
        assert_eq!(like(true), [Outcome::NotDone], "{back_ms}: it is of before");
        assert_eq!((like(false), score().as_deref()), (vec![Outcome::Counted], Some("10")), "{back_ms}");
        assert_eq!((like(false), score().as_deref()), (vec![Outcome::DoneAlready], Some("10")), "{back_ms}");
        assert_eq!((like(true), score()), (vec![Outcome::Counted], None), "{back_ms}");
        assert_eq!((like(false), score().as_deref()), (vec![Outcome::Counted], Some("10")), "{back_ms}");
        // The journal has it, so it can be revoked.
        let culprit = Culprit::Actor(Id::new("u").expect("an id"));
        let revocation = Revocation { culprit, known_as: Vec::new(), from_ms: 0, until_ms: i64::MAX, is_dry: false };
        let mut remaining: Vec<_> = deployment.targets().into_iter().map(|target| (target, String::new())).collect();
        while !remaining.is_empty() {
            let chunks = pollster::block_on(deployment.store().revoke(deployment.site(), &revocation, &remaining)).expect("redis answers");
            remaining = remaining.into_iter().zip(chunks).filter_map(|((target, _), chunk)| Some((target, chunk.cursor?))).collect();
        }
        assert_eq!(score(), None, "{back_ms}");
        assert_eq!(like(false), [Outcome::Counted], "{back_ms}");
        // The clock goes back, and then it is removed.
        deployment.advance(-back_ms / 2);
        deployment.remove(BOARD, &whom, false);
        assert_eq!((like(true), score()), (vec![Outcome::NotDone], None), "{back_ms}: nothing is left to take back");
        // Something else is counted in between, and then a prefix is removed: of what was done after the removal before, too.
        for whom in [&whom, &Whom::Prefix(Id::new("a").expect("a prefix"))] {
            assert_eq!((like(false), score().as_deref()), (vec![Outcome::Counted], Some("10")), "{back_ms}");
            deployment.advance(-back_ms / 5);
            deployment.put(&[json!({ "action": "view", "item": "b" })]);
            deployment.remove(BOARD, whom, false);
            assert_eq!((like(true), score()), (vec![Outcome::NotDone], None), "{back_ms}: {whom:?}");
            assert_eq!((like(false), score().as_deref()), (vec![Outcome::Counted], Some("10")), "{back_ms}");
            assert_eq!((like(true), score()), (vec![Outcome::Counted], None), "{back_ms}: {whom:?}");
        }
    }
}

/// Hiding is a decision of its own: who is removed and let in again stays hidden, and is pinned no more.
#[test]
fn who_is_removed_stays_hidden() {
    let deployment = Deployment::start(&site(true), NOON_MS);
    let (store, board) = (deployment.store(), &deployment.site().boards[BOARD]);
    let curate =
        |list, change: Change<'_>| pollster::block_on(store.curate(deployment.site(), board, list, change)).expect("redis answers");
    let listed = |list| curate(list, Change::Look).expect("a list").iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>();
    let [hidden, pinned, both] = ["hidden", "pinned", "both"].map(|id| Id::new(id).expect("an id"));
    for (list, id) in [(List::Hidden, &hidden), (List::Pinned, &pinned), (List::Pinned, &both), (List::Hidden, &both)] {
        curate(list, Change::Put(id));
    }
    let view = |id: &Id| json!({ "action": "view", "item": id.as_str() });
    let views = [view(&hidden), view(&pinned), view(&both)];
    deployment.put(&views);
    for id in [&hidden, &pinned, &both] {
        deployment.remove(BOARD, &Whom::Member(id.clone()), false);
    }
    assert_eq!((listed(List::Hidden), listed(List::Pinned)), (vec!["both".to_owned(), "hidden".to_owned()], Vec::<String>::new()));
    deployment.put(&views);
    let page = deployment.read(BOARD, "day", None);
    assert_eq!(page.entries.iter().map(|entry| (entry.id.as_str(), entry.rank)).collect::<Vec<_>>(), [("pinned", 1)]);
    assert_eq!(page.pinned, 0);
}

/// A removal that comes again has nothing to take off boards.
#[test]
fn who_was_pinned_while_it_was_kept_off_is_no_more_once_it_is_removed_again() {
    let deployment = Deployment::start(&site(true), NOON_MS);
    let (store, board) = (deployment.store(), &deployment.site().boards[BOARD]);
    let (id, curate) = (Id::new("pinned").expect("an id"), |change: Change<'_>| {
        pollster::block_on(store.curate(deployment.site(), board, List::Pinned, change)).expect("redis answers")
    });
    for keep_off in [true, false] {
        deployment.remove(BOARD, &Whom::Member(id.clone()), true);
        curate(Change::Put(&id));
        deployment.remove(BOARD, &Whom::Member(id.clone()), keep_off);
        assert_eq!(curate(Change::Look), Some(vec![]), "{keep_off}");
    }
}

/// Every reply is lost: who asks again does not know the cursor.
#[test]
fn a_removal_goes_on_where_it_was() {
    let whom = Whom::Prefix(Id::new("junk-").expect("an id"));
    let chunks = |knows_cursor: bool| {
        let deployment = Deployment::start(&site(false), NOON_MS);
        fill(&deployment, 1500, true);
        let (site, mut cursor, mut entries) = (deployment.site().clone(), None::<String>, Vec::new());
        let board = &site.boards[BOARD];
        loop {
            pollster::block_on(deployment.store().keep_off(&site, board, &whom, true)).expect("redis answers");
            let from = cursor.as_deref().filter(|_| knows_cursor);
            let removed = pollster::block_on(deployment.store().remove(&site, board, &whom, false, from)).expect("redis answers");
            entries.push(removed.entries);
            cursor = removed.cursor;
            if cursor.is_none() {
                break;
            }
        }
        let again = pollster::block_on(deployment.store().remove(&site, board, &whom, false, None)).expect("redis answers");
        assert_eq!((again.entries, again.cursor), (0, None), "it has ended");
        // Let in and removed again, it is another removal.
        deployment.let_in(BOARD, &whom);
        deployment.put(&[json!({ "action": "view", "item": "junk-1" })]);
        assert!(deployment.remove(BOARD, &whom, true) > 0);
        assert_eq!(sorted(&deployment.contents(), "eb:{site:board}:all:0").get("junk-1"), None);
        // After an hour it begins anew, and finds nothing.
        deployment.advance(3_700_000);
        let anew = pollster::block_on(deployment.store().remove(&site, board, &whom, false, None)).expect("redis answers");
        assert!(anew.cursor.is_some(), "it looks at all boards again");
        entries
    };
    let expected = chunks(true);
    assert!(expected.len() > 5, "only {} chunks", expected.len());
    // The order of a scan, and so what is in a chunk, is another one on each server.
    let found = chunks(false);
    assert_eq!((found.len(), found.iter().sum::<u64>()), (expected.len(), expected.iter().sum()));
}
