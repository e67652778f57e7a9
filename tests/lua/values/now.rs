//! Values of now that come alone, as a plan counts them: what that costs, and when more is needed.

use std::collections::BTreeMap;

use ranking::counting::Outcome;
use serde_json::{Value as Json, json};

use crate::call::{NOON_MS, calls};
use crate::deployment::{BOARD, Deployment};

fn site(board: &Json) -> Json {
    let mut of = json!({ "actions": ["finish"], "decimals": 0, "windows": ["hour", "day", "all"] });
    of.as_object_mut().expect("an object").extend(board.as_object().expect("an object").clone());
    json!({ "actions": { "finish": {} }, "activity": false, "boards": { BOARD: of } })
}

fn value(member: &str, value: i64) -> Json {
    json!({ "action": "finish", "item": member, "value": value })
}

fn send(deployment: &Deployment, id: &str, event: &Json) -> Vec<Outcome> {
    deployment.send(&json!({ "id": id, "events": [event] }))
}

/// A member has 5, and what is counted now is planned.
fn planned(board: &Json) -> Deployment {
    let deployment = Deployment::start(&site(board), NOON_MS);
    for id in ["made", "planned"] {
        assert_eq!(send(&deployment, id, &value("a", 5)), [Outcome::Counted]);
    }
    deployment
}

/// The members of the hour, each with its value and what stands beside it.
fn shown(deployment: &Deployment) -> Vec<(String, f64, Option<Json>)> {
    shown_of(deployment, "hour")
}

fn shown_of(deployment: &Deployment, window: &str) -> Vec<(String, f64, Option<Json>)> {
    let entries = deployment.read(BOARD, window, None).entries;
    entries.into_iter().map(|entry| (entry.id.as_str().to_owned(), entry.score.value(), entry.meta)).collect()
}

fn commands(deployment: &Deployment, work: impl FnOnce()) -> BTreeMap<String, u64> {
    deployment.server.command(&["CONFIG", "RESETSTAT"]);
    work();
    let mut commands = calls(&deployment.server);
    // The deployment asks for the time as well, and now and then a set of ids is looked at for whether it is full.
    for name in ["fcall", "time", "scard"] {
        commands.remove(name);
    }
    commands
}

#[test]
fn a_value_is_read_once_and_written_where_it_is_better() {
    for (score, order, better, worse) in [("max", "descending", 9, 4), ("min", "ascending", 1, 6)] {
        let deployment = planned(&json!({ "score": score, "order": order }));
        let read = [("hmget", 1), ("zscore", 3), ("sadd", 1), ("sismember", 1), ("hset", 1)];
        let expected = |more: &[(&str, u64)]| read.iter().chain(more).map(|(name, count)| ((*name).to_owned(), *count)).collect();
        for (id, sent, more) in [("worse", worse, &[][..]), ("equal", 5, &[]), ("better", better, &[("exists", 1), ("zadd", 3)])] {
            let found: BTreeMap<String, u64> =
                commands(&deployment, || assert_eq!(send(&deployment, id, &value("a", sent)), [Outcome::Counted]));
            assert_eq!(found, expected(more), "{score} {id}");
        }
        assert_eq!(send(&deployment, "better", &value("a", better)), [Outcome::Duplicate], "{score}");
        let expected = f64::from(i32::try_from(better).expect("a small value"));
        assert_eq!(shown(&deployment), [("a".to_owned(), expected, None)], "{score}");
    }
}

/// The board of the hour is a new one, those of the day and of all time know the member.
#[test]
fn a_period_that_begins_needs_more() {
    let deployment = planned(&json!({ "score": "max" }));
    deployment.advance(3_600_000);
    assert_eq!(send(&deployment, "next", &value("a", 3)), [Outcome::Counted]);
    assert_eq!(shown(&deployment), [("a".to_owned(), 3.0, None)]);
    assert_eq!(shown_of(&deployment, "day"), [("a".to_owned(), 5.0, None)]);
}

#[test]
fn a_new_member_has_room_or_is_refused() {
    let deployment = planned(&json!({ "score": "max", "max_members": 2 }));
    assert_eq!(send(&deployment, "b", &value("b", 7)), [Outcome::Counted]);
    assert_eq!(send(&deployment, "c", &value("c", 9)), [Outcome::Full]);
    assert_eq!(send(&deployment, "a", &value("a", 8)), [Outcome::Counted]);
    assert_eq!(shown(&deployment), [("a".to_owned(), 8.0, None), ("b".to_owned(), 7.0, None)]);
}

#[test]
fn what_stands_beside_a_value_goes_with_it() {
    let deployment = planned(&json!({ "score": "max" }));
    let described = |sent: i64, meta: &str| {
        let mut event = value("a", sent);
        event["meta"] = json!(meta);
        event
    };
    let is_shown = |sent: f64, meta: Option<&str>| {
        for window in ["hour", "day", "all"] {
            assert_eq!(shown_of(&deployment, window), [("a".to_owned(), sent, meta.map(|meta| json!(meta)))], "{window}");
        }
    };
    // Nothing stands there yet, so the hashes are made.
    assert_eq!(send(&deployment, "first", &described(6, "first")), [Outcome::Counted]);
    is_shown(6.0, Some("first"));
    let planned = commands(&deployment, || drop(send(&deployment, "second", &described(7, "second"))));
    assert_eq!(["hmget", "zscore", "zadd", "hset"].map(|name| planned[name]), [4, 3, 3, 4], "{planned:?}");
    is_shown(7.0, Some("second"));
    for (id, event) in [("worse", described(4, "worse")), ("equal", described(7, "equal")), ("less", value("a", 5))] {
        assert_eq!(send(&deployment, id, &event), [Outcome::Counted]);
        is_shown(7.0, Some("second"));
    }
    let planned = commands(&deployment, || drop(send(&deployment, "better", &value("a", 8))));
    assert_eq!(["exists", "hmget", "zadd", "hdel", "hset"].map(|name| planned[name]), [1, 4, 3, 3, 1], "{planned:?}");
    is_shown(8.0, None);
    assert_eq!(send(&deployment, "again", &described(9, "again")), [Outcome::Counted]);
    is_shown(9.0, Some("again"));
}

/// The member that came to a value first, or last, stands first among equals. The same value again keeps its place.
#[test]
fn places_among_ties_are_those_of_the_events_that_brought_the_values() {
    for (ties, expected) in [("first", ["b", "a", "c"]), ("last", ["c", "a", "b"])] {
        for score in ["max", "last"] {
            let deployment = planned(&json!({ "score": score, "ties": ties }));
            for (id, member, sent) in [("b", "b", 7), ("c", "c", 4), ("a", "a", 7), ("again", "b", 7)] {
                assert_eq!(send(&deployment, id, &value(member, sent)), [Outcome::Counted]);
            }
            let found = commands(&deployment, || drop(send(&deployment, "better", &value("c", 7))));
            // Last numbers are read with the plan; of each board its value, its place, and when that value happened are.
            let instants = if score == "last" { 3 } else { 0 };
            let of = ["zscore", "zmscore", "hmget", "exists", "zadd", "hset", "sadd", "sismember"]
                .map(|name| found.get(name).copied().unwrap_or(0));
            assert_eq!(of, [3, 3, 1 + instants, 1, 6, 1 + instants, 1, 1], "{ties} {score}: {found:?}");
            for window in ["hour", "day", "all"] {
                assert_eq!(
                    shown_of(&deployment, window).iter().map(|(member, ..)| member).collect::<Vec<_>>(),
                    expected,
                    "{ties} {score} {window}"
                );
            }
        }
    }
}

/// A late event of the same hour does not take the place of what happened since.
#[test]
fn the_latest_value_is_kept_by_when_it_happened() {
    let deployment = planned(&json!({ "score": "last" }));
    deployment.advance(60_000);
    let late = |sent: i64, ms: i64| {
        let mut event = value("a", sent);
        event["at"] = json!(deployment.now_ms() - ms);
        event
    };
    let is_shown = |sent: f64| assert_eq!(shown_of(&deployment, "all"), [("a".to_owned(), sent, None)]);
    assert_eq!(send(&deployment, "now", &value("a", 3)), [Outcome::Counted]);
    is_shown(3.0);
    let found = commands(&deployment, || drop(send(&deployment, "late", &late(9, 30_000))));
    assert_eq!(["zadd", "hset"].map(|name| found.get(name).copied().unwrap_or(0)), [0, 1], "{found:?}");
    is_shown(3.0);
    assert_eq!(send(&deployment, "least", &value("a", 1)), [Outcome::Counted]);
    is_shown(1.0);
}

/// A board of sums became one of values, or the other way, in the same hour: its keys are others.
#[test]
fn another_kind_of_score_has_plans_of_its_own() {
    let mut deployment = planned(&json!({ "score": "max" }));
    deployment.configure(&site(&json!({ "score": "min" })));
    for (id, sent) in [("1", 8), ("2", 7), ("3", 9)] {
        assert_eq!(send(&deployment, id, &value("a", sent)), [Outcome::Counted]);
    }
    assert_eq!(shown(&deployment), [("a".to_owned(), 7.0, None)]);
    deployment.configure(&site(&json!({ "score": "max" })));
    assert_eq!(send(&deployment, "4", &value("a", 4)), [Outcome::Counted]);
    assert_eq!(shown(&deployment), [("a".to_owned(), 5.0, None)]);
}
