//! The layout of keys: a Redis that the version before filled is read, upgraded and counted on; an unknown layout is refused.
//!
//! tests/vectors/layout-1.jsonl holds the commands that make what commit 419a32d kept of four days: views, likes, some undone,
//! votes that count once, rolling windows kept ready by upkeep, and hidden and pinned members.

use std::collections::BTreeMap;

use edgeboard::adapter::{Applied, Error, Fault};
use edgeboard::ranking::counting::Outcome;
use edgeboard::ranking::name::Id;
use edgeboard::ranking::read::{Read, ReadRequest};
use edgeboard::ranking::window::Unit;
use edgeboard::store::curate::{Change, List};
use edgeboard::store::upkeep::{Chunk, Job};
use serde_json::{Value as Json, json};

use crate::call::{NOON_MS, period_ref};
use crate::deployment::{BOARD, Deployment, Held, sorted};

/// Three hours after the last day's noon.
const MADE_MS: i64 = NOON_MS + 3 * 3_600_000;
const BOARDS: [&str; 2] = [BOARD, "ordered"];

fn filled() -> Deployment {
    let site: Json = serde_json::from_str(include_str!("../vectors/layout-1-site.json")).expect("a site");
    let deployment = Deployment::start(&site, MADE_MS);
    for line in include_str!("../vectors/layout-1.jsonl").lines() {
        let words: Vec<String> = serde_json::from_str(line).expect("a command");
        deployment.server.command(&words.iter().map(String::as_str).collect::<Vec<_>>());
    }
    deployment
}

fn shown(deployment: &Deployment, board: &str, window: &str) -> Vec<(String, f64)> {
    let page = deployment.read(board, window, None);
    page.entries.iter().map(|entry| (entry.id.as_str().into(), entry.score.value())).collect()
}

fn rows(rows: &[(&str, f64)]) -> Vec<(String, f64)> {
    rows.iter().map(|(member, score)| ((*member).to_owned(), *score)).collect()
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

#[test]
fn a_redis_of_the_version_before_is_read() {
    let deployment = filled();
    let before = deployment.contents();
    let day = rows(&[("e", 3.0), ("c", 9.0), ("b", 14.0), ("a", 9.0)]);
    for board in BOARDS {
        assert_eq!(shown(&deployment, board, "day")[..2], day[..2], "{board}: pinned");
        assert_eq!(shown(&deployment, board, "all"), rows(&[("e", 24.0), ("c", 36.0), ("b", 56.0), ("a", 36.0)]), "{board}");
        for (window, ..) in deployment.rolling(board) {
            assert!(!deployment.read(board, &window, None).info.complete, "{board} {window}: nobody knows whether it is whole");
        }
    }
    assert_eq!(deployment.contents(), before, "reading writes nothing");
}

#[test]
fn it_upgrades_with_the_first_write() {
    for tracked in [false, true] {
        let deployment = filled();
        let pages: Vec<_> = BOARDS.iter().map(|board| shown(&deployment, board, "all")).collect();
        let event = if tracked { act("like", "a", "new", false) } else { json!({ "action": "view", "item": "a" }) };
        assert!(outcomes(&deployment, &event).values().all(|outcome| *outcome == Outcome::Counted));
        let contents = deployment.contents();
        for (board, mut page) in BOARDS.iter().zip(pages) {
            let state = &contents[&format!("eb:{{site:{board}}}:state")].held;
            let Held::Hash(fields) = state else { panic!("{state:?}") };
            assert_eq!(fields["layout"], "2", "{board}");
            for old in ["hidden", "pinned", "sequence"] {
                assert!(!contents.contains_key(&format!("eb:{{site:{board}}}:{old}")), "{board}: {old} went into the new layout");
            }
            page.iter_mut().filter(|(member, _)| member == "a").for_each(|(_, score)| *score += if tracked { 3.0 } else { 1.0 });
            let after = shown(&deployment, board, "all");
            assert_eq!(after.iter().cloned().collect::<BTreeMap<_, _>>().len(), page.len(), "{board}: {after:?}");
            assert!(page.iter().all(|row| after.contains(row)), "{board}: {after:?} instead of {page:?}");
            assert_eq!(after[..2], page[..2], "{board}: pinned");
        }
        check_rolling(&deployment);
    }
}

/// In the first hour of the last day u30 liked a and b; u31, in the second, liked them and took back one.
#[test]
fn its_likes_can_be_undone() {
    let deployment = filled();
    let check = |event: Json, expected: Outcome| {
        let outcomes = outcomes(&deployment, &event);
        assert_eq!(outcomes.len(), 3, "two boards and the activity log");
        assert!(outcomes.values().all(|outcome| *outcome == expected), "{event}: {outcomes:?} instead of {expected:?}");
    };
    check(act("like", "a", "u30", false), Outcome::DoneAlready);
    check(act("like", "a", "u31", true), Outcome::UndoneAlready);
    check(act("like", "c", "u30", true), Outcome::NotDone);
    let before: Vec<_> = BOARDS.iter().map(|board| sorted(&deployment.contents(), &format!("eb:{{site:{board}}}:all:0"))).collect();
    check(act("like", "a", "u30", true), Outcome::Counted);
    check(act("like", "a", "u30", true), Outcome::UndoneAlready);
    check(act("like", "a", "u30", false), Outcome::Counted);
    check(act("like", "b", "u00", true), Outcome::Counted);
    for (board, mut expected) in BOARDS.iter().zip(before) {
        *expected.get_mut("b").expect("a member") -= 3.0;
        assert_eq!(sorted(&deployment.contents(), &format!("eb:{{site:{board}}}:all:0")), expected, "{board}");
    }
    check_rolling(&deployment);
}

/// Layout 1 kept records for as long as the configuration of their time said, which nothing in their hash tells.
#[test]
fn its_records_do_not_expire_earlier() {
    let deployment = filled();
    let contents = deployment.contents();
    let records =
        contents.keys().rev().find(|key| key.starts_with(&format!("eb:{{site:{BOARD}}}:tracked:")) && key.ends_with(":actor:u30"));
    let records = records.expect("u30 liked something");
    let expires_at = || deployment.server.number(&["PEXPIRETIME", records]);
    for (at, is_kept) in [(MADE_MS + 900 * 86_400_000, true), (MADE_MS + 86_400_000, false)] {
        deployment.server.command(&["HDEL", records, "\0"]);
        deployment.server.command(&["PEXPIREAT", records, &at.to_string()]);
        let item = if is_kept { "x" } else { "y" };
        assert!(outcomes(&deployment, &act("like", item, "u30", false)).values().all(|outcome| *outcome == Outcome::Counted));
        assert_eq!(expires_at() == at, is_kept, "{} instead of {at}", expires_at());
        assert!(expires_at() >= at);
    }
}

/// Where there is nothing of before, no bucket of before is read.
#[test]
fn a_new_target_has_no_records() {
    let site: Json = serde_json::from_str(include_str!("../vectors/layout-1-site.json")).expect("a site");
    for first in [json!({ "action": "view", "item": "a" }), act("like", "a", "u1", false)] {
        let deployment = Deployment::start(&site, MADE_MS);
        outcomes(&deployment, &first);
        outcomes(&deployment, &act("like", "b", "u1", false));
        let bucket = MADE_MS / 1000 / (31 * 86_400);
        for board in ["{site:board}", "{site:ordered}", "{site}"] {
            let buckets = deployment.server.text(&["HGET", &format!("eb:{board}:state"), "buckets"]);
            assert_eq!(buckets, format!(" {bucket} "), "{board} after {first}");
        }
        assert!(outcomes(&deployment, &act("like", "b", "u1", true)).values().all(|outcome| *outcome == Outcome::Counted));
    }
}

/// A state that a later version wrote: every script says so in one line, and none writes.
#[test]
fn an_unknown_layout_is_refused() {
    let deployment = filled();
    for board in ["{site:board}", "{site:ordered}", "{site}"] {
        deployment.server.command(&["HSET", &format!("eb:{board}:state"), "layout", "7"]);
    }
    let before = deployment.contents();
    let check = |what: &str, error: Option<Error>| {
        let error = error.unwrap_or_else(|| panic!("{what} works on an unknown layout"));
        assert_eq!((error.fault, error.applied(), error.is_transient()), (Fault::Configuration, Applied::No, false), "{what}: {error}");
        for part in ["LAYOUT", "layout 2", " 7 "] {
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

/// A window that is not whole for lack of a state is not read as whole because its old boards are there.
#[test]
fn old_rolling_boards_are_not_trusted() {
    let deployment = filled();
    let (window, unit, _) = &deployment.rolling(BOARD)[0];
    assert_eq!(*unit, Unit::Hour);
    let number = deployment.read(BOARD, window, None).info.period.number;
    let key = format!("eb:{{site:{BOARD}}}:window:{window}:{number}");
    deployment.server.command(&["ZADD", &key, "1000", "wrong"]);
    deployment.put(&[json!({ "action": "view", "item": "b" })]);
    assert!(!deployment.read(BOARD, window, None).info.complete);
    check_rolling(&deployment);
}
