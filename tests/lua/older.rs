//! A worker of layout 2 beside this version, on one Redis. It sends the scripts of its last version (6d7e01a), as its build made them.

use engine::adapter::{Cmd, Value};

use crate::call::{BOARD, Call, NOON_MS, NOON_S, connect};
use crate::support::{Connection, Server};

const RECORD_EVENT: &str = include_str!("../vectors/layout-2/record_event.txt");
const RECORD_TRACKED: &str = include_str!("../vectors/layout-2/record_tracked.txt");

/// Its arguments that are one text in `record_event`, and some of the others.
const TARGET: &str = "options rolling units retention decaying changed stable_from stable_until stable_offset";
const CALENDAR: &str = "day_starts_at week_starts_on zone";
const COUNTING: &str = "replay_window once_kept max_members known_for";
const BATCH: &str = "sender batch_id has_all newcomers";
const TRACKED: &str = "actor_history journal new_salt visitors_per_address";

/// What it answers to an event, see [`Call::tracked`]: the outcome, or an error.
fn by_older(connection: &Connection, call: &Call, event: &[String; 5]) -> Result<String, String> {
    let named =
        |lists: &[&str]| -> Vec<String> { lists.iter().flat_map(|list| list.split(' ')).map(|name| call.args[name].clone()).collect() };
    let (script, arguments) = if event[4].is_empty() {
        let about = named(&[TARGET, CALENDAR, COUNTING]).join("\n");
        (RECORD_EVENT, [vec![about], named(&[BATCH])].concat())
    } else {
        (RECORD_TRACKED, named(&[TARGET, COUNTING, BATCH, CALENDAR, TRACKED]))
    };
    let words = ["EVAL", script, "1", BOARD].into_iter().map(String::from).chain(arguments).chain(event.iter().cloned());
    let command: Cmd = words.collect();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    match connection.exchange(&[command]).expect("redis-server answers").remove(0) {
        Value::BulkString(outcome) => Ok(text(outcome)),
        Value::Array(reply) => match &reply[..] {
            [Value::BulkString(ok), Value::BulkString(outcome)] if ok == b"OK" => Ok(text(outcome.clone())),
            _ => panic!("{reply:?}"),
        },
        Value::ServerError(error) => Err(format!("{error:?}")),
        other => panic!("{other:?}"),
    }
}

/// All keys, and digests of what they hold.
fn digests(server: &Server) -> [Vec<String>; 2] {
    let keys = server.keys("*");
    let named: Vec<&str> = ["DEBUG", "DIGEST-VALUE"].into_iter().chain(keys.iter().map(String::as_str)).collect();
    let digests = server.texts(&named);
    [keys, digests]
}

/// Every fourth click is a like of b, by an actor of its own; the others are views of a.
fn click(n: usize) -> [String; 5] {
    let id = format!("click-{n}");
    if n % 4 == 3 {
        ["b".into(), "3".into(), String::new(), id, format!("like:r:-:AAAAAAAAAAA:actor:u{n}")]
    } else {
        ["a".into(), "1".into(), String::new(), id, String::new()]
    }
}

/// The first event that this version counts takes the board over. The older worker then refuses each click, and writes nothing; whoever sends it again to
/// the other one has it counted once. So are those that the older one counted.
#[test]
fn clicks_go_to_either_worker_in_turn() {
    const BEFORE: usize = 8;
    const CLICKS: usize = 80;
    let server = Server::start_debugged(NOON_MS);
    let connection = connect(&server);
    let call = Call::record("UTC", NOON_S).set("rolling", "last-7-days:d:7");
    let state = format!("{BOARD}:state");
    let by_this = |event: &[String; 5]| call.clone().tracked(event.each_ref().map(String::as_str)).outcomes(&connection);
    for n in 0..BEFORE {
        assert_eq!(by_older(&connection, &call, &click(n)).as_deref(), Ok("c"), "{n}");
    }
    assert_eq!(server.text(&["HGET", &state, "layout"]), "2");
    assert_eq!(server.number(&["HEXISTS", &state, "boards:browser"]), 1, "it has a plan");
    for n in BEFORE..BEFORE + CLICKS {
        if n % 2 == 1 {
            let held = digests(&server);
            let refusal = by_older(&connection, &call, &click(n)).expect_err("refused");
            assert!(refusal.contains("LAYOUT") && refusal.contains("layout 2"), "{refusal}");
            assert_eq!(digests(&server), held, "it wrote nothing of {n}");
        }
        assert_eq!(by_this(&click(n)), "c", "{n}");
        assert_eq!(by_this(&click(n - BEFORE)), "d", "{n}: again what either counted");
        assert_eq!(server.text(&["HGET", &state, "layout"]), "3");
    }
    let likes = (BEFORE + CLICKS) / 4;
    let views = (BEFORE + CLICKS - likes).to_string();
    let check = |likes: usize| {
        for key in ["hour:498660", "day:20777", "all:0", "window:last-7-days:20777", "window:last-7-days:20778"] {
            for (member, score) in [("a", &views), ("b", &(3 * likes).to_string())] {
                assert_eq!(server.text(&["ZSCORE", &format!("{BOARD}:{key}"), member]), *score, "{member} of {key}");
            }
        }
    };
    check(likes);
    let [member, ..] = click(3);
    let undo = [member, "-3".into(), String::new(), "undo".into(), "like:u:-:AAAAAAAAAAA:actor:u3".into()];
    assert!(by_older(&connection, &call, &undo).is_err());
    assert_eq!(by_this(&undo), "c", "what the older one counted is undone");
    check(likes - 1);
}
