//! What a reader that knows an answer is told, and what that costs.

use std::collections::BTreeMap;

use engine::store::curate::{Change, List};
use engine::store::upkeep::{Chunk, Job, Task};
use ranking::period::Period;
use ranking::read::{Read, ReadReply, ReadRequest};
use ranking::window::Unit;
use serde_json::{Value as Json, json};

use super::{ask, id, is_unchanged, like, reads, several, site, view, whole};
use crate::call::{NOON_MS, calls, period_ref};
use crate::deployment::{BOARD, Deployment};

const WINDOWS: [&str; 7] = ["day", "all", "last-7-days", "last-2-hours", "hot", "fading", "smooth"];
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
const TODAY: i64 = 20_777;
/// How long the scores of `hot` stand still.
const TICK_MS: i64 = 6 * HOUR_MS / 64;

fn windows() -> Json {
    json!([
        "day", "all", "last-7-days", "last-2-hours",
        { "name": "hot", "kind": "half-life", "half_life": "6h" },
        { "name": "fading", "kind": "step", "every": "hour", "factor": 0.9 },
        { "name": "smooth", "kind": "linear", "resets": "day", "beta": 1.1 },
    ])
}

/// A board of every kind of window, with a day before.
fn start(board: Json) -> Deployment {
    let mut all = json!({ "windows": windows(), "breakdown": true });
    all.as_object_mut().expect("an object").extend(board.as_object().expect("an object").clone());
    let deployment = Deployment::start(&site(all), NOON_MS - DAY_MS + 60_000);
    deployment.put(&[view("a"), view("b"), like("b", "u1", false)]);
    deployment.advance(DAY_MS);
    deployment.put(&[view("a"), view("a"), view("b"), view("c"), like("c", "u1", false)]);
    deployment.upkeep(BOARD);
    deployment
}

fn each_read(deployment: &Deployment) -> Vec<(String, Read)> {
    let day = |number| Some(Period { unit: Unit::Day, number });
    let of = |window: &str, period| {
        let named = |read: Read| (format!("{window} {period:?}: {read:?}").chars().take(60).collect::<String>(), read);
        reads(deployment, window, period).into_iter().map(named).collect::<Vec<_>>()
    };
    let current = WINDOWS.iter().flat_map(|window| of(window, None));
    current.chain(of("day", day(TODAY - 1))).chain(of("day", day(TODAY))).chain(of("last-7-days", day(TODAY))).collect()
}

#[test]
fn what_has_not_changed_costs_three_commands() {
    let summed = ["day", "all", "last-7-days", "last-2-hours"];
    for board in [json!({}), json!({ "ties": "first", "windows": summed }), json!({ "ranking": "dense", "windows": summed })] {
        let deployment = start(board);
        let store = deployment.store();
        for (what, read) in each_read_of(&deployment) {
            let (info, _) = whole(&deployment, &read);
            assert!(info.complete && !info.known.is_empty() && !info.curated.is_empty(), "{what}: {info:?}");
            for known in [&info.known, &info.curated] {
                deployment.server.command(&["CONFIG", "RESETSTAT"]);
                let request = ReadRequest { site: deployment.site().clone(), read: read.clone(), by: String::new() };
                let reply = pollster::block_on(store.read(&request, &[known])).expect("redis answers");
                let expected: BTreeMap<String, u64> = ["fcall_ro", "time", "hmget"].map(|command| (command.into(), 1)).into();
                assert_eq!(calls(&deployment.server), expected, "{what}");
                let ReadReply::Unchanged(again) = reply else { panic!("{what}: {reply:?}") };
                let ends = (info.period, info.named_at, info.starts_at, info.ends_at, info.scored_at_ms);
                let ends_again = (again[0].period, again[0].named_at, again[0].starts_at, again[0].ends_at, again[0].scored_at_ms);
                assert_eq!(ends, ends_again, "{what}");
                assert!(again[0].now_ms >= info.now_ms);
            }
        }
    }
}

/// Those of the windows that the board has.
fn each_read_of(deployment: &Deployment) -> Vec<(String, Read)> {
    let has = |window: &&&str| deployment.site().boards[BOARD].window(window).is_some();
    if WINDOWS.iter().filter(has).count() == WINDOWS.len() {
        return each_read(deployment);
    }
    let of = |window: &&str| reads(deployment, window, None).into_iter().map(|read| ((*window).to_owned(), read)).collect::<Vec<_>>();
    WINDOWS.iter().filter(has).flat_map(of).collect()
}

#[test]
fn whatever_is_shown_changes_it() {
    let deployment = start(json!({}));
    let board = &deployment.site().boards[BOARD];
    let curate = |list, change: Change<'_>| {
        pollster::block_on(deployment.store().curate(deployment.site(), board, list, change))
            .expect("redis answers")
            .expect("there is room");
    };
    let a = id("a");
    let changes: [(&str, bool, &dyn Fn()); 7] = [
        ("a view", false, &|| drop(deployment.put(&[view("a")]))),
        ("an undo", false, &|| drop(deployment.put(&[like("c", "u1", true)]))),
        ("a late view", false, &|| drop(deployment.put(&[json!({ "action": "view", "item": "c", "ago": DAY_MS })]))),
        ("hiding", true, &|| curate(List::Hidden, Change::Put(&a))),
        ("showing", true, &|| curate(List::Hidden, Change::Delete(&a))),
        ("pinning", true, &|| curate(List::Pinned, Change::Put(&a))),
        ("unpinning", true, &|| curate(List::Pinned, Change::Delete(&a))),
    ];
    for (change, is_by_hand, make) in changes {
        let before: Vec<_> = each_read(&deployment).into_iter().map(|(what, read)| (what, whole(&deployment, &read), read)).collect();
        make();
        for (what, (info, shown), read) in before {
            // Of a page that is as it was there is nothing to tell.
            let is_same = matches!(read, Read::Top { .. }) && whole(&deployment, &read).1 == shown;
            assert_eq!(is_unchanged(&deployment, &read, &info.known), is_same, "{change}: {what}");
            assert_eq!(is_unchanged(&deployment, &read, &info.curated), !is_by_hand, "{change}: {what}");
        }
    }
}

/// Of a page on which nothing shows of what was counted, that is told, and once more from its new version on.
#[test]
fn a_page_stays_unchanged_while_others_are_counted() {
    let deployment = start(json!({}));
    deployment.put(&[json!({ "action": "view", "item": "a", "count": 20 })]);
    let of = || period_ref(deployment.site(), BOARD, deployment.window(BOARD, "all"), None);
    let first = Read::Top { of: of(), offset: 0, limit: 1 };
    let mut known = whole(&deployment, &first).0.known;
    for _ in 0..3 {
        deployment.advance(1);
        deployment.put(&[view("c")]);
        let (_, reply) = ask(&deployment, &first, &[&known]);
        let ReadReply::Unchanged(info) = reply else { panic!("{reply:?}") };
        assert_ne!(info[0].known, known, "a new version");
        known.clone_from(&info[0].known);
        deployment.server.command(&["CONFIG", "RESETSTAT"]);
        assert!(is_unchanged(&deployment, &first, &known));
        let asked: Vec<String> = calls(&deployment.server).into_keys().collect();
        assert_eq!(asked, ["fcall_ro", "hmget", "time"], "and nothing is read for it");
    }
    for (item, why) in [("new", "one member more"), ("a", "a score that shows")] {
        deployment.advance(1);
        deployment.put(&[view(item)]);
        assert!(!is_unchanged(&deployment, &first, &known), "{why}");
        known = whole(&deployment, &first).0.known;
    }
}

#[test]
fn what_is_incomplete_is_never_unchanged() {
    let deployment = start(json!({}));
    deployment.server.command(&["HSET", "eb:{site:board}:state", "window:last-7-days", "broken"]);
    for read in &reads(&deployment, "last-7-days", None)[..4] {
        let (info, _) = whole(&deployment, read);
        assert!(!info.complete && info.known.is_empty(), "{info:?}");
        assert!(!is_unchanged(&deployment, read, &info.known));
    }
}

/// A state of before has no instant, and neither has a board that was never written.
#[test]
fn what_has_no_instant_is_never_unchanged() {
    let deployment = start(json!({}));
    deployment.server.command(&["HDEL", "eb:{site:board}:state", "changed", "curated"]);
    for lost in [false, true] {
        for (what, read) in each_read(&deployment) {
            if !lost || !matches!(read, Read::Top { .. }) {
                continue;
            }
            let (info, _) = whole(&deployment, &read);
            assert!(info.known.is_empty(), "{what}");
        }
        deployment.server.command(&["FLUSHALL"]);
    }
}

#[test]
fn a_new_period_changes_it() {
    let deployment = start(json!({}));
    let current: Vec<_> = ["day", "last-7-days", "smooth", "fading"].map(|window| reads(&deployment, window, None)).concat();
    let past = reads(&deployment, "day", Some(Period { unit: Unit::Day, number: TODAY - 1 }));
    let known = |reads: &[Read]| reads.iter().map(|read| whole(&deployment, read).0.known).collect::<Vec<_>>();
    let (known_now, known_past) = (known(&current), known(&past));
    deployment.advance(12 * HOUR_MS);
    for (read, known) in current.iter().zip(&known_now) {
        assert!(!known.is_empty() && !is_unchanged(&deployment, read, known), "{read:?}");
    }
    for (read, known) in past.iter().zip(&known_past) {
        assert!(is_unchanged(&deployment, read, known), "{read:?}");
    }
}

/// A past period is not compared with the one before it any more when that one is not kept: `retention` is what `kept` says.
#[test]
fn the_ranks_of_before_end_with_the_period_before() {
    let deployment = start(json!({}));
    let kept_days = i64::try_from(Unit::Day.retention_s()).expect("small") / 86_400;
    let read = reads(&deployment, "day", Some(Period { unit: Unit::Day, number: TODAY })).remove(0);
    deployment.advance((kept_days - 1) * DAY_MS);
    let (info, shown) = whole(&deployment, &read);
    assert!(shown["entries"][0].get("previous_rank").is_some(), "{shown}");
    deployment.advance(DAY_MS);
    assert!(!is_unchanged(&deployment, &read, &info.known));
    let (info, shown) = whole(&deployment, &read);
    assert!(shown["entries"][0].get("previous_rank").is_none(), "{shown}");
    assert!(is_unchanged(&deployment, &read, &info.known));
}

#[test]
fn scores_of_a_half_life_stand_still_for_a_tick() {
    let deployment = start(json!({}));
    let reads = reads(&deployment, "hot", None);
    let to_next = TICK_MS - deployment.now_ms() % TICK_MS;
    deployment.advance(to_next + 1_000);
    let now_ms = deployment.now_ms();
    let before: Vec<_> = reads.iter().map(|read| whole(&deployment, read)).collect();
    deployment.advance(TICK_MS - 60_000);
    for (read, (info, shown)) in reads.iter().zip(&before) {
        assert_eq!(info.scored_at_ms, Some(now_ms - now_ms % TICK_MS), "{read:?}");
        assert_eq!(whole(&deployment, read).1, *shown, "{read:?}");
        assert!(is_unchanged(&deployment, read, &info.known), "{read:?}");
        assert!(shown["scored_at"].is_string(), "{shown}");
    }
    deployment.advance(60_000);
    for (read, (info, shown)) in reads.iter().zip(&before) {
        assert!(!is_unchanged(&deployment, read, &info.known), "{read:?}");
        let (later, faded) = whole(&deployment, read);
        assert_eq!(later.scored_at_ms, info.scored_at_ms.map(|at_ms| at_ms + TICK_MS), "{read:?}");
        assert_ne!(faded, *shown, "{read:?}");
    }
}

#[test]
fn a_tick_lasts_as_long_as_a_ranking_is_fresh() {
    let deployment = start(json!({ "fresh": "1h" }));
    let (info, shown) = whole(&deployment, &reads(&deployment, "hot", None)[0]);
    assert_eq!(info.scored_at_ms, Some(NOON_MS), "{shown}");
    assert_eq!(shown["scored_at"], json!("2026-11-20T12:00:00.000Z"));
}

/// Of several rankings, those that have not changed are read with those that have.
#[test]
fn several_rankings_are_answered_whole() {
    let mut all = site(json!({ "windows": windows() }));
    all["boards"]["other"] = json!({ "weights": { "view": 1 }, "windows": ["day"] });
    all["actions"]["share"] = json!({});
    all["boards"]["third"] = json!({ "weights": { "share": 1 }, "windows": ["day"] });
    let deployment = Deployment::start(&all, NOON_MS + 60_000);
    deployment.put(&[view("a"), json!({ "action": "share", "item": "s" })]);
    let of = [BOARD, "other", "third"].map(|board| {
        let window = deployment.window(board, "day");
        period_ref(deployment.site(), board, window, None)
    });
    let read = several(of.into());
    let known = |reply: &ReadReply| reply.periods().iter().map(|info| info.known.clone()).collect::<Vec<_>>();
    let (_, first) = ask(&deployment, &read, &[]);
    let tokens = known(&first);
    let texts: Vec<&str> = tokens.iter().map(String::as_str).collect();
    assert!(matches!(ask(&deployment, &read, &texts).1, ReadReply::Unchanged(infos) if infos.len() == 3));

    deployment.put(&[json!({ "action": "share", "item": "s" })]);
    deployment.server.command(&["CONFIG", "RESETSTAT"]);
    let (_, reply) = ask(&deployment, &read, &texts);
    assert_eq!(calls(&deployment.server)["fcall_ro"], 5, "two of three were unchanged");
    let ReadReply::Pages(pages) = &reply else { panic!("{reply:?}") };
    let scores: Vec<f64> = pages.iter().map(|page| page.entries[0].score.value()).collect();
    assert_eq!(scores, [1.0, 1.0, 2.0]);
    let again = known(&reply);
    assert_eq!((&again[..2], again[2] == tokens[2]), (&tokens[..2], false));
}

/// A past rolling ranking is complete when upkeep has built it, and stays what it was when that is gone.
#[test]
fn past_rankings_of_rolling_windows() {
    let deployment = start(json!({}));
    let (window, period) = (deployment.window(BOARD, "last-7-days").clone(), Period { unit: Unit::Day, number: TODAY - 1 });
    let read = Read::Top { of: period_ref(deployment.site(), BOARD, &window, Some(period)), offset: 0, limit: 10 };
    assert!(whole(&deployment, &read).0.known.is_empty());
    let board = &deployment.site().boards[BOARD];
    pollster::block_on(deployment.store().want(deployment.site(), board, &window, period, "somebody")).expect("redis answers");
    let chunk = Chunk { board, job: Job::Past, owner: "test", entries: 1_000, is_early: false };
    while pollster::block_on(deployment.store().upkeep(deployment.site(), &[chunk]))
        .expect("redis answers")
        .remove(0)
        .expect("upkeep succeeds")
        .expect("nobody else is at it")
        .task
        != Task::Ready
    {}
    let (info, shown) = whole(&deployment, &read);
    assert!(info.complete && is_unchanged(&deployment, &read, &info.known), "{shown}");
    deployment.advance(2 * HOUR_MS);
    assert!(!whole(&deployment, &read).0.complete);
    assert!(is_unchanged(&deployment, &read, &info.known));
    deployment.put(&[json!({ "action": "view", "item": "b", "ago": DAY_MS })]);
    assert!(!is_unchanged(&deployment, &read, &info.known));
}
