//! Counting when something goes wrong between the worker and Redis: nothing counts twice, nothing is acknowledged that may
//! be missing.

use std::rc::Rc;

use ranking::counting::Outcome;
use serde_json::{Value, json};
use serve::config::Config;
use serve::ingest::{ParsedBatch, Source};

use crate::faulty::Mishap::{self, After, Before, Garbled, Passed, Refused};
use crate::support::zones;
use crate::world::{NOON_MS, World, body, header};

const ALL: &str = "eb:{demo:articles}:all:0";

fn view(item: &str) -> Value {
    json!({ "action": "view", "item": item })
}

/// Sends a batch while things happen. It must be answered with a status, take `sends` sends, and leave the item at `score`.
/// When the batch has ids, sending it again must be acknowledged and leave the item at one.
#[track_caller]
fn check(world: &World, mishaps: &[Mishap], batch: &Value, expected: (u16, &str), sends: usize, score: Option<&str>) {
    world.server.command(&["FLUSHDB"]);
    world.runtime.let_happen(mishaps);
    let answer = world.beacon(batch);
    let code = if answer.body().is_empty() { Value::from("") } else { body(&answer)["code"].clone() };
    assert_eq!((answer.status().as_u16(), code.as_str()), (expected.0, Some(expected.1)), "{mishaps:?}");
    let sent = world.runtime.take_sent();
    assert_eq!(sent.len(), sends, "{mishaps:?}: {sent:?}");
    let held = |item: &str| world.server.scores(ALL).into_iter().find(|(member, _)| member == item).map(|(_, score)| score);
    assert_eq!(held("a").as_deref(), score, "{mishaps:?}");
    if expected.0 >= 500 {
        assert_eq!(header(&answer, "retry-after"), "1");
        assert!(!String::from_utf8_lossy(answer.body()).contains("hidden"), "details are for logs");
    }
    if expected.0 == 503 {
        assert_eq!(world.server.number(&["DBSIZE"]), 0, "{mishaps:?}: nothing was written");
    }
    let has_ids =
        batch.get("id").is_some() || batch["events"].as_array().is_some_and(|events| events.iter().all(|event| event.get("id").is_some()));
    if has_ids {
        assert_eq!(world.beacon(batch).status(), 204, "{mishaps:?}");
        assert_eq!(held("a").as_deref(), Some("1"), "{mishaps:?}");
        world.runtime.take_sent();
    }
}

#[test]
fn faults_of_a_batch() {
    let world = World::noon();
    let bare = json!({ "events": [view("a")] });
    let named = json!({ "id": "x", "events": [view("a")] });
    let own = json!({ "events": [{ "action": "view", "item": "a", "id": "y" }] });
    let half_named = json!({ "events": [{ "action": "view", "item": "a", "id": "y" }, view("b")] });
    let (fine, out, unknown) = ((204, ""), (503, "redis-unavailable"), (504, "outcome-unknown"));

    for batch in [&bare, &named, &own, &half_named] {
        check(&world, &[], batch, fine, 1, Some("1"));
        // Nothing was applied, so it is tried once more, whatever the ids.
        check(&world, &[Before], batch, fine, 2, Some("1"));
        check(&world, &[Before, Before], batch, out, 2, None);
        check(&world, &[Before, After], batch, unknown, 2, Some("1"));
    }
    for batch in [&named, &own] {
        // The reply was lost: with ids it is tried again, and counts once.
        check(&world, &[After], batch, fine, 2, Some("1"));
        check(&world, &[After, After], batch, unknown, 2, Some("1"));
        // What the first try may have done stays unknown when the second one does nothing.
        check(&world, &[After, Before], batch, unknown, 2, Some("1"));
    }
    for batch in [&bare, &half_named] {
        check(&world, &[After], batch, unknown, 1, Some("1"));
    }
    for batch in [&bare, &named] {
        check(&world, &[Garbled], batch, unknown, 1, Some("1"));
    }
}

/// A page's ids are forgotten after an hour or two, a server's after a day or two.
#[test]
fn ids_are_remembered_by_sender() {
    let world = World::noon();
    let batch = json!({ "id": "x", "events": [view("a")] });
    const HOUR_MS: u64 = 3_600_000;
    let now = |after_ms: u64| world.server.clock.set(NOON_MS + i64::try_from(after_ms).expect("small"));
    // (after so long, what the browser's beacon leaves as the score, what the server is told)
    for (after_ms, score, accepted) in
        [(0, "2", 1), (HOUR_MS, "2", 0), (4 * HOUR_MS, "3", 0), (23 * HOUR_MS, "4", 0), (75 * HOUR_MS, "6", 1)]
    {
        now(after_ms);
        assert_eq!(world.beacon(&batch).status(), 204);
        assert_eq!(body(&world.events(&batch))["accepted"], accepted, "after {after_ms} ms");
        assert_eq!(world.server.text(&["ZSCORE", ALL, "a"]), score, "after {after_ms} ms");
    }
}

#[test]
fn one_round_trip_for_all_boards_and_windows() {
    let world = World::noon();
    world.beacon(&json!({ "events": [view("a"), view("b"), view("a")] }));
    assert_eq!(world.runtime.take_sent(), ["FCALL record_batch, FCALL record_batch"]);
    assert_eq!(world.server.keys("*:[0-9]*").len(), 6 + 1);
}

/// An action that no board counts costs nothing.
#[test]
fn events_that_count_nowhere_are_not_sent() {
    let world = World::noon();
    world.runtime.set_out(true);
    let answer = world.events(&json!({ "events": [{ "action": "comment", "item": "a" }] }));
    assert_eq!(body(&answer), json!({ "accepted": 1, "duplicate": 0, "rejected": [] }));
    assert_eq!(world.beacon(&json!({ "events": [] })).status(), 204);
    assert!(world.runtime.take_sent().is_empty());
}

#[test]
fn an_unknown_library_is_loaded() {
    let world = World::noon();
    let named = json!({ "id": "x", "events": [view("a")] });
    const COUNTED: &str = "FCALL record_event, FCALL record_event";
    for (mishaps, status, sent) in [
        (&[][..], 204, &[COUNTED, "FUNCTION LOAD", COUNTED][..]),
        // Lost with what counted: by then the server knows the library, and the ids.
        (&[Passed, Passed, After], 204, &[COUNTED, "FUNCTION LOAD", COUNTED, COUNTED]),
        (&[Passed, Passed, Before], 204, &[COUNTED, "FUNCTION LOAD", COUNTED, COUNTED]),
        // Lost with the library: sources do.
        (
            &[Passed, Before],
            204,
            &[COUNTED, "FUNCTION LOAD", "EVALSHA record_event, EVALSHA record_event", "EVAL record_event, EVAL record_event"],
        ),
    ] {
        world.server.command(&["FLUSHDB"]);
        world.server.command(&["FUNCTION", "FLUSH"]);
        world.server.command(&["SCRIPT", "FLUSH"]);
        world.runtime.let_happen(mishaps);
        assert_eq!(world.beacon(&named).status(), status, "{mishaps:?}");
        assert_eq!(world.runtime.take_sent(), sent, "{mishaps:?}");
        assert_eq!(world.server.text(&["ZSCORE", ALL, "a"]), "1", "{mishaps:?}");
    }
}

/// A Redis that restarts has its keys, so ids count once, and its library.
#[test]
fn a_redis_that_restarts() {
    let mut world = World::noon();
    let named = json!({ "id": "x", "events": [view("a")] });
    assert_eq!(body(&world.events(&named)), json!({ "accepted": 1, "duplicate": 0, "rejected": [] }));
    world.server.restart();
    world.runtime.take_sent();
    assert_eq!(body(&world.events(&named)), json!({ "accepted": 0, "duplicate": 1, "rejected": [] }));
    assert_eq!(world.runtime.take_sent(), ["FCALL record_event, FCALL record_event"]);
    assert_eq!(world.server.text(&["ZSCORE", ALL, "a"]), "1");
}

/// Batches of several senders as one, of which one names a board that cannot be looked up.
#[test]
fn who_names_no_board_does_not_wait_for_the_list_of_boards() {
    let mut world = World::noon();
    let board = json!({ "weights": { "view": 1 }, "windows": ["all"] });
    let level = json!({ "weights": { "view": 1 }, "windows": ["all"], "template": true, "on_event": true });
    let site = json!({ "activity": false, "actions": { "view": {} }, "boards": { "articles": board, "level": level } });
    let config = Config::read([("SITES".into(), json!({ "demo": site }))], |zone| zones::parse(zone).is_some());
    world.app.config = Rc::new(config.expect("valid"));
    let site = Rc::clone(world.app.config.sites.get("demo").expect("a site"));
    let batch = |event: &Value| {
        let parsed = ParsedBatch::read(&site, Source::Server(None), event.to_string().as_bytes());
        parsed.expect("a batch").valid().0
    };
    let mut names = view("a");
    names["boards"] = json!(["level:1"]);
    let (named, other) = (batch(&names), batch(&view("b")));
    let counted = || pollster::block_on(world.app.counting().count_merged(&site, &[&named, &other, &named], None));
    world.runtime.let_happen(&[Before]);
    let [Err(first), Ok(second), Err(third)] = &counted()[..] else { panic!("the second one alone is counted") };
    assert_eq!((first, first.nothing_written, &second[..]), (third, true, &[Outcome::Counted][..]));
    assert_eq!(world.server.keys("*:all:0"), [ALL]);
    assert!(counted().iter().all(|counted| counted.as_ref().is_ok_and(|outcomes| outcomes == &[Outcome::Counted])));
    assert_eq!(world.server.scores("eb:{demo:level:1}:all:0"), [("a".into(), "2".into())]);
}

/// Only the board that failed is tried again.
#[test]
fn one_board_of_two_fails() {
    let world = World::noon();
    let bare = json!({ "events": [view("a")] });
    let hours = || world.server.scores("eb:{demo:hours}:hour:498660");
    const BUSY: &str = "BUSY Redis is busy running a script.";
    for place in [0, 1] {
        world.server.command(&["FLUSHDB"]);
        world.runtime.let_happen(&[Refused(place, BUSY)]);
        assert_eq!(world.beacon(&bare).status(), 204);
        assert_eq!(world.runtime.take_sent(), ["FCALL record_event, FCALL record_event", "FCALL record_event"]);
        assert_eq!((world.server.scores(ALL), hours()), (vec![("a".into(), "1".into())], vec![("a".into(), "1".into())]));

        world.server.command(&["FLUSHDB"]);
        world.runtime.let_happen(&[Refused(place, BUSY), Before]);
        let answer = world.beacon(&bare);
        assert_eq!(
            (answer.status().as_u16(), &body(&answer)["code"]),
            (504, &json!("outcome-unknown")),
            "one board has it, the other has not"
        );
        assert_eq!(world.server.scores(ALL).len() + hours().len(), 1);
        world.runtime.take_sent();
    }
    // What can never succeed is not tried again.
    world.server.command(&["FLUSHDB"]);
    world.server.command(&["SET", ALL, "foreign"]);
    let answer = world.beacon(&bare);
    assert_eq!((answer.status().as_u16(), &body(&answer)["code"]), (503, &json!("script-failed")));
    assert_eq!(world.runtime.take_sent().len(), 1);
}

/// All boards get as much of the zone as the oldest event needs, so none of them needs a second trip.
#[test]
fn an_old_event_takes_one_trip() {
    let world = World::noon();
    let batch = json!({ "events": [{ "action": "like", "item": "a", "at": "2015-05-20T12:00:00Z" }, { "action": "view", "item": "a" }] });
    assert_eq!(body(&world.events(&batch)), json!({ "accepted": 2, "duplicate": 0, "rejected": [] }));
    assert_eq!(world.runtime.take_sent(), ["FCALL record_batch, FCALL record_event"]);
    assert_eq!(world.server.text(&["ZSCORE", ALL, "a"]), "3");
    assert_eq!(world.server.text(&["ZSCORE", "eb:{demo:articles}:year:2015", "a"]), "2");
    assert_eq!(world.server.text(&["ZSCORE", "eb:{demo:hours}:hour:498660", "a"]), "1");
}

/// An edge whose clock is years ahead tells too little of the zone. The boards ask for more, and have counted nothing yet.
#[test]
fn the_second_trip_is_lost() {
    let world = World::noon();
    world.runtime.pass_ms(5 * 366 * 86_400_000);
    world.runtime.let_happen(&[Passed, After]);
    let answer = world.events(&json!({ "id": "x", "events": [view("a")] }));
    assert_eq!(body(&answer), json!({ "accepted": 0, "duplicate": 1, "rejected": [] }), "what the lost trip did is seen");
    assert_eq!(world.runtime.take_sent(), ["FCALL record_event, FCALL record_event"; 4]);
    assert_eq!(world.server.text(&["ZSCORE", ALL, "a"]), "1");
    assert_eq!(world.server.text(&["ZSCORE", "eb:{demo:hours}:hour:498660", "a"]), "1");
}

/// What became of each event, on Redis's clock.
#[test]
fn events_are_accounted_for() {
    let world = World::noon();
    let batch = json!({ "events": [
        { "action": "view", "item": "a", "id": "1" },
        { "action": "view", "item": "b", "id": "1" },
        { "action": "view", "item": "c", "at": "2026-11-20T12:00:30Z" },
        { "action": "like", "item": "c", "at": "2026-11-20T12:00:00Z" },
        { "action": "like", "item": "d", "ago": 1_900_000_000_000_u64 },
        { "action": "share", "item": "a" },
        { "action": "like", "item": "d" },
        { "action": "like", "item": "e" },
        { "action": "like", "item": "f" },
        { "action": "view", "item": "f" },
    ] });
    let answer = body(&world.events(&batch));
    let rejected = answer["rejected"].as_array().expect("a list").iter();
    let rejected: Vec<String> = rejected.map(|rejected| format!("{} {}", rejected["index"], rejected["code"])).collect();
    assert_eq!((&answer["accepted"], &answer["duplicate"]), (&json!(4), &json!(1)));
    assert_eq!(rejected, ["2 \"at-in-future\"", "4 \"too-old\"", "5 \"unknown-action\"", "7 \"board-full\"", "8 \"board-full\""]);
}

/// A site of three boards and a log, on which an actor's likes can be undone.
fn world_of_likes() -> World {
    let mut world = World::noon();
    let board = json!({ "weights": { "like": 1 }, "windows": ["all"] });
    let site = json!({
        "origins": ["https://blog.example"],
        "actors": "any",
        "activity": true,
        "actions": { "like": { "public": true, "reversible": true } },
        "boards": { "a": board, "b": board, "c": board },
    });
    world.app.config =
        Rc::new(Config::read([("SITES".into(), json!({ "demo": site }))], |zone| zones::parse(zone).is_some()).expect("valid"));
    world
}

/// Seventy likes of a reader, of which every third is undone: on four targets these are 376 tracked events.
fn likes() -> Value {
    let like = |i: usize| json!({ "action": "like", "item": format!("i{i}"), "actor": "u1" });
    let undo = |i: usize| json!({ "action": "like", "item": format!("i{i}"), "actor": "u1", "undo": true });
    let events: Vec<Value> = (0..70).flat_map(|i| if i % 3 == 0 { vec![like(i), undo(i)] } else { vec![like(i)] }).collect();
    json!({ "id": "x", "events": events })
}

/// Nobody waits for Redis until hundreds of them are done: they come in rounds, in their order, each event at once on all targets.
#[test]
fn many_tracked_events_come_in_rounds() {
    let world = world_of_likes();
    let scores = |board: &str| world.server.scores(&format!("eb:{{demo:{board}}}:all:0")).len();
    let all = || ["a", "b", "c"].map(scores);
    let accepted = json!({ "accepted": 94, "duplicate": 0, "rejected": [] });
    let again = json!({ "accepted": 0, "duplicate": 94, "rejected": [] });
    let round = format!("MULTI, {}, EXEC", ["FCALL record_tracked"; 4].join(", "));

    assert_eq!(body(&world.events(&likes())), accepted);
    assert_eq!(world.runtime.take_sent(), vec![round.as_str(); 5], "at most 20 events on four targets");
    assert_eq!(all(), [46; 3]);
    assert_eq!(body(&world.events(&likes())), again);
    world.runtime.take_sent();

    // A round that failed before it was applied, and one whose reply was lost, are tried again; nothing overtakes them.
    for mishaps in [vec![Passed, Before], vec![Passed, After], vec![After], vec![Passed, Passed, After]] {
        world.server.command(&["FLUSHDB"]);
        world.runtime.let_happen(&mishaps);
        assert_eq!(world.events(&likes()).status(), 200, "{mishaps:?}");
        assert_eq!((world.runtime.take_sent().len(), all()), (6, [46; 3]), "{mishaps:?}");
        assert_eq!(body(&world.events(&likes())), again);
        world.runtime.take_sent();
    }

    // What follows a round that fails twice is not sent; the whole batch sent again counts the rest.
    for mishaps in [[Passed, Before, Before], [Passed, After, After]] {
        world.server.command(&["FLUSHDB"]);
        world.runtime.let_happen(&mishaps);
        let answer = world.events(&likes());
        assert_eq!((answer.status().as_u16(), &body(&answer)["code"]), (504, &json!("outcome-unknown")), "{mishaps:?}");
        assert_eq!(world.runtime.take_sent().len(), 3, "{mishaps:?}");
        assert_eq!(world.events(&likes()).status(), 200);
        assert_eq!((world.runtime.take_sent().len(), all()), (5, [46; 3]), "{mishaps:?}");
    }
}
