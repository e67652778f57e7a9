//! The boards of templates that a site has: how they are by the clock of Redis, how many there may be, and the scan that deletes their keys.

use engine::adapter::{Script, Value};
use engine::store::scripts::{END_BOARD, FIND_BOARDS, FORGET_BOARDS, LIST_BOARDS, MAKE_BOARD, SCAN_BOARDS};

use crate::call::{Call, NOON_MS, NOON_S, connect};
use crate::support::{Connection, Server};

const HOME: &str = "eb:{site}";
const WAIT_MS: i64 = 120_000;
const LEASE_MS: i64 = 60_000;

fn send(connection: &Connection, script: &'static Script, args: &[(&'static str, &str)], rest: &[&str]) -> Vec<String> {
    let args = args.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    let rest = rest.iter().map(|text| (*text).to_owned()).collect();
    let text = |value: &Value| match value {
        Value::BulkString(bytes) => String::from_utf8(bytes.clone()).expect("UTF-8"),
        Value::Int(number) => number.to_string(),
        other => panic!("{other:?}"),
    };
    let call = Call { script, keys: vec![HOME.into()], args, rest, ..Call::record("UTC", NOON_S) };
    call.send(connection).iter().map(text).collect()
}

/// Makes a board that begins and ends so many milliseconds after noon; 0: at no instant. Answers the status, and the state.
fn make(connection: &Connection, name: &str, most: u32, starts: i64, ends: i64) -> (String, String) {
    let at = |ms: i64| if ms == 0 { "0".into() } else { (NOON_MS + ms).to_string() };
    let (most, starts, ends) = (most.to_string(), at(starts), at(ends));
    let said =
        [("name", name), ("prefix", "level:"), ("most", &most), ("only_new", "0"), ("title", "a b"), ("starts", &starts), ("ends", &ends)];
    let reply = send(connection, &MAKE_BOARD, &said, &[]);
    (reply[0].clone(), reply.get(2).cloned().unwrap_or_default())
}

/// How boards are, and for how long.
fn states(connection: &Connection, names: &[&str]) -> Vec<(String, i64)> {
    let read = send(connection, &FIND_BOARDS, &[], names);
    read[1..].chunks(3).map(|board| (board[0].clone(), board[1].parse().expect("a number"))).collect()
}

fn scan(connection: &Connection, owner: &str, cursor: &str) -> Vec<String> {
    let (wait, lease) = (WAIT_MS.to_string(), LEASE_MS.to_string());
    send(connection, &SCAN_BOARDS, &[("owner", owner), ("wait", &wait), ("lease", &lease), ("cursor", cursor)], &[])
}

fn pair(state: &str, rest: &str) -> (String, String) {
    (state.into(), rest.into())
}

#[test]
fn a_board_is_as_the_clock_says() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    assert_eq!(make(&connection, "level:1", 5, 60_000, 120_000), pair("OK", "waiting"));
    // The clock goes on meanwhile.
    for (ms, state, most_ms) in [(0, "waiting", 60_000), (50_000, "waiting", 10_000), (60_000, "open", 60_000), (110_000, "open", 10_000)] {
        server.clock.set(NOON_MS + ms);
        let [(is, rest_ms), (other, _)] = &states(&connection, &["level:1", "level:2"])[..] else { panic!("two") };
        assert_eq!((is.as_str(), other.as_str()), (state, ""), "{ms}");
        assert!((1..=most_ms).contains(rest_ms), "{ms}: {rest_ms}");
    }
    server.clock.set(NOON_MS + 120_000);
    assert_eq!(states(&connection, &["level:1"]), [("closed".to_owned(), 0)]);
}

#[test]
fn a_template_has_as_many_boards_as_it_may() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    for name in ["level:b", "level:a"] {
        assert_eq!(make(&connection, name, 2, 0, 0), pair("OK", "open"));
    }
    assert_eq!(make(&connection, "level:c", 2, 0, 0).0, "FULL");
    assert_eq!(make(&connection, "level:a", 2, 0, 0).0, "OK", "it is there");
    let list = |prefix, after| {
        let reply = send(&connection, &LIST_BOARDS, &[("prefix", prefix), ("after", after), ("limit", "1")], &[]);
        (reply[1].clone(), reply.get(2).cloned())
    };
    assert_eq!(list("level:", ""), ("2".into(), Some("level:a".into())));
    assert_eq!(list("level:", "level:a"), ("2".into(), Some("level:b".into())));
    assert_eq!(list("level:", "level:b"), ("2".into(), None));
    assert_eq!(list("leve:", ""), ("0".into(), None));
}

#[test]
fn one_owner_scans_until_the_boards_are_forgotten() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    for name in ["level:1", "level:2"] {
        make(&connection, name, 5, 0, 0);
    }
    let end = |name| send(&connection, &END_BOARD, &[("name", name)], &[])[0].clone();
    assert_eq!([end("level:1"), end("level:1"), end("level:9")], ["OK", "OK", "NONE"]);
    assert_eq!(make(&connection, "level:1", 5, 0, 0).0, "GOING");
    let is_due_in = |reply: Vec<String>, most_ms: i64| {
        assert_eq!(reply[0], "NONE");
        assert!((1..=most_ms).contains(&reply[1].parse().expect("a number")), "{reply:?}");
    };
    is_due_in(scan(&connection, "ann", ""), WAIT_MS);
    server.clock.set(NOON_MS + WAIT_MS + 30_000);
    assert_eq!(scan(&connection, "ann", ""), ["OK", "0", "level:1"]);
    assert_eq!(end("level:2"), "OK", "while the scan goes on, which is not for it");
    assert_eq!(scan(&connection, "bob", ""), ["BUSY"]);
    assert_eq!(scan(&connection, "ann", "17"), ["OK", "17", "level:1"]);
    server.clock.set(NOON_MS + WAIT_MS + 2 * LEASE_MS);
    assert_eq!(scan(&connection, "bob", ""), ["OK", "17", "level:1"], "whoever scanned does no more");
    let forget = |owner| send(&connection, &FORGET_BOARDS, &[("owner", owner)], &["level:1"])[0].clone();
    assert_eq!([forget("ann"), forget("bob")], ["BUSY", "OK"]);
    assert_eq!(states(&connection, &["level:1", "level:2"]), [(String::new(), 0), ("going".to_owned(), 0)]);
    is_due_in(scan(&connection, "bob", ""), WAIT_MS);
    assert_eq!(make(&connection, "level:1", 5, 0, 0), pair("OK", "open"), "its name is free");
}
