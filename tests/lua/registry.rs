//! The boards of templates that a site has: how they are by the clock of Redis, how many there may be, and the scan that deletes their keys.

use std::collections::BTreeSet;

use engine::adapter::{Script, Value};
use engine::store::scripts::{
    ARCHIVE_BOARD, DUE_BOARDS, END_BOARD, ENTER_BOARDS, FIND_BOARDS, FORGET_BOARDS, LIST_BOARDS, LIST_DUE, MAKE_BOARD, PUT_BOARD,
    REST_BOARDS, SCAN_BOARDS, SWEEP_BOARDS,
};

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
    let args = [
        ("name", name),
        ("prefix", "level:"),
        ("most", &most),
        ("quota", "-1"),
        ("only_new", "0"),
        ("title", "a b"),
        ("starts", &starts),
        ("ends", &ends),
    ];
    let reply = send(connection, &MAKE_BOARD, &args, &[]);
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
fn a_site_has_as_many_boards_as_its_quota_allows() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    let make = |name: &str, prefix: &str, quota: &str| {
        let args = [
            ("name", name),
            ("prefix", prefix),
            ("most", "9"),
            ("quota", quota),
            ("only_new", "1"),
            ("title", ""),
            ("starts", "0"),
            ("ends", "0"),
        ];
        send(&connection, &MAKE_BOARD, &args, &[])[0].clone()
    };
    assert_eq!(make("level:a", "level:", "0"), "OVER");
    assert_eq!([make("level:a", "level:", "2"), make("best:a", "best:", "2")], ["OK", "OK"]);
    assert_eq!([make("level:b", "level:", "2"), make("best:b", "best:", "1")], ["OVER", "OVER"]);
    assert_eq!([make("level:a", "level:", "1"), make("level:b", "level:", "-1")], ["OK", "OK"], "it is there; any number");
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
    assert_eq!(scan(&connection, "ann", ""), ["OK", "0", "level:1", "0"]);
    assert_eq!(end("level:2"), "OK", "while the scan goes on, which is not for it");
    assert_eq!(scan(&connection, "bob", ""), ["BUSY"]);
    assert_eq!(scan(&connection, "ann", "17"), ["OK", "17", "level:1", "0"]);
    server.clock.set(NOON_MS + WAIT_MS + 2 * LEASE_MS);
    assert_eq!(scan(&connection, "bob", ""), ["OK", "17", "level:1", "0"], "whoever scanned does no more");
    let forget = |owner| send(&connection, &FORGET_BOARDS, &[("owner", owner)], &["level:1"])[0].clone();
    assert_eq!([forget("ann"), forget("bob")], ["BUSY", "OK"]);
    assert_eq!(states(&connection, &["level:1", "level:2"]), [(String::new(), 0), ("going".to_owned(), 0)]);
    is_due_in(scan(&connection, "bob", ""), WAIT_MS);
    assert_eq!(make(&connection, "level:1", 5, 0, 0), pair("OK", "open"), "its name is free");
}

/// Takes `level:1` a step further. Answers the status, and the state.
fn step(connection: &Connection, step: &str) -> (String, String) {
    let reply = send(connection, &ARCHIVE_BOARD, &[("name", "level:1"), ("step", step)], &[]);
    (reply[0].clone(), reply.get(1).cloned().unwrap_or_default())
}

const STEPS: [&str; 6] = ["archive", "copy", "archived", "delete", "open", "opened"];

#[test]
fn a_board_goes_to_the_archive_and_back_a_step_at_a_time() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    for name in STEPS {
        assert_eq!(step(&connection, name).0, "NONE");
    }
    make(&connection, "level:1", 5, 0, 0);
    // What each state allows, and how the board is then. All else changes nothing.
    let is_only = |state: &str, allowed: &[&str]| {
        for name in STEPS.into_iter().filter(|name| !allowed.contains(name)) {
            assert_eq!(step(&connection, name), pair("REFUSED", state), "{name}");
        }
    };
    is_only("open", &["open"]);
    make(&connection, "level:1", 5, 0, -1);
    is_only("closed", &["archive", "open"]);
    assert_eq!(step(&connection, "archive"), pair("OK", "archiving"));
    assert_eq!(step(&connection, "archive"), pair("OK", "archiving"), "again");
    assert_eq!(make(&connection, "level:1", 5, 0, -1), pair("OK", "archiving"), "what is said of it changes");
    assert_eq!(step(&connection, "open"), pair("OK", "closed"), "it is taken back");
    step(&connection, "archive");
    assert_eq!(make(&connection, "level:1", 5, 0, 60_000), pair("OK", "open"), "it ends later");
    make(&connection, "level:1", 5, 0, -1);
    step(&connection, "archive");
    assert_eq!(step(&connection, "copy"), pair("OK", "copying"));
    is_only("copying", &["archive", "archived"]);
    assert_eq!(step(&connection, "archived"), pair("OK", "archived"));
    is_only("archived", &["archive", "delete"]);
    server.clock.set(NOON_MS + WAIT_MS + 30_000);
    assert_eq!(scan(&connection, "ann", ""), ["OK", "0", "level:1", "1"]);
    assert_eq!(step(&connection, "delete"), pair("OK", "archived"), "once more, after this scan");
    let forget = |owner| send(&connection, &FORGET_BOARDS, &[("owner", owner)], &["level:1"])[0].clone();
    assert_eq!(forget("ann"), "OK");
    assert_eq!(step(&connection, "open").0, "REFUSED", "its keys are to be deleted once more");
    server.clock.set(NOON_MS + 2 * (WAIT_MS + 30_000));
    scan(&connection, "ann", "");
    assert_eq!(forget("ann"), "OK");
    assert_eq!(states(&connection, &["level:1"])[0].0, "archived", "its entry stays");
    assert_eq!(make(&connection, "level:1", 5, 0, 0), pair("OK", "archived"));
    assert_eq!(step(&connection, "open"), pair("OK", "opening"));
    is_only("opening", &["open", "opened"]);
    assert_eq!(step(&connection, "opened"), pair("OK", "open"));
    is_only("open", &["open"]);

    // What a copy has goes on.
    let entry = format!("{NOON_MS} 0 0 0 opening {NOON_MS}\na b");
    let put = |entry: &str| send(&connection, &PUT_BOARD, &[("name", "level:1"), ("entry", entry)], &[])[1].clone();
    assert_eq!([put(&entry), step(&connection, "opened").1], ["opening", "open"]);
    assert_eq!(put(&format!("{NOON_MS} 0 0 {NOON_MS}\na b")), "going");
    is_only("going", &[]);
    assert_eq!(states(&connection, &["level:1"])[0].0, "going");
}

const SOON_S: &str = "21600";

fn enter(connection: &Connection, soon: &str, names: &[&str]) {
    assert_eq!(send(connection, &ENTER_BOARDS, &[("soon", soon)], names), ["OK"]);
}

/// What is due, each as its name, since when, and its state; and the seconds until the next.
fn due(connection: &Connection, most: &str) -> (Vec<[String; 3]>, String) {
    let reply = send(connection, &DUE_BOARDS, &[("most", most)], &[]);
    assert_eq!((reply[0].as_str(), reply[1].len()), ("OK", 10), "{reply:?}");
    (reply[3..].chunks(4).map(|board| [0, 1, 2].map(|i| board[i].clone())).collect(), reply[2].clone())
}

/// Says when boards are due next, each as its name, since when it was due, and when it is.
fn rest(connection: &Connection, boards: &[[&str; 3]]) {
    assert_eq!(send(connection, &REST_BOARDS, &[("longest", SOON_S)], &boards.concat()), ["OK"]);
}

fn names_of(due: &[[String; 3]]) -> Vec<&str> {
    due.iter().map(|[name, ..]| name.as_str()).collect()
}

#[test]
fn upkeep_looks_at_boards_when_they_are_due() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    for name in ["level:1", "level:2", "level:3"] {
        make(&connection, name, 5, 0, 0);
    }
    // Nothing was ever entered: all are looked at once.
    assert_eq!(send(&connection, &DUE_BOARDS, &[("most", "5")], &[]), ["LOST"]);
    assert_eq!(send(&connection, &LIST_DUE, &[], &[]), ["OK"]);
    let (all, next) = due(&connection, "5");
    assert_eq!((names_of(&all), next.as_str()), (vec!["level:1", "level:2", "level:3"], "0"));
    assert_eq!(names_of(&due(&connection, "2").0), ["level:1", "level:2"]);
    assert_eq!(send(&connection, &END_BOARD, &[("name", "level:3")], &[])[0], "OK");
    assert_eq!(due(&connection, "5").0.last().map(|[.., state]| state.as_str()), Some("going"));

    let at = |s: i64| (NOON_S + s).to_string();
    rest(&connection, &[["level:1", "0", &at(100)], ["level:2", "0", "0"], ["level:3", "0", "0"]]);
    let (none, next) = due(&connection, "5");
    assert!(none.is_empty() && (99..=100).contains(&next.parse::<i64>().expect("a number")), "{none:?} {next}");
    // Counting enters what is not looked at soon anyway.
    enter(&connection, SOON_S, &["level:1", "level:2"]);
    let (entered, _) = due(&connection, "5");
    assert_eq!(names_of(&entered), ["level:2"]);
    let since = entered[0][1].clone();
    // A wish that comes while upkeep works there stays.
    server.clock.set(NOON_MS + 10);
    enter(&connection, "-1", &["level:2"]);
    rest(&connection, &[["level:2", &since, &at(200)]]);
    let (again, _) = due(&connection, "5");
    assert_eq!(names_of(&again), ["level:2"]);
    rest(&connection, &[["level:2", &again[0][1], &at(200)]]);
    assert!(due(&connection, "5").0.is_empty());
    server.clock.set(NOON_MS + 200_000);
    assert_eq!(names_of(&due(&connection, "5").0), ["level:1", "level:2"]);
}

#[test]
fn who_waits_longest_is_looked_at_first() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    let names = ["level:3", "level:1", "level:2"];
    for name in names {
        make(&connection, name, 5, 0, 0);
    }
    assert_eq!(send(&connection, &LIST_DUE, &[], &[]), ["OK"]);
    // Within a millisecond as well, where two wishes are two.
    for _ in 0..100 {
        for name in names {
            enter(&connection, "-1", &[name]);
        }
        let (listed, _) = due(&connection, "5");
        assert_eq!(names_of(&listed), names);
        assert_eq!(listed.iter().map(|[_, entered, _]| entered).collect::<BTreeSet<_>>().len(), 3, "{listed:?}");
    }
}

#[test]
fn a_rest_of_a_clock_that_was_ahead_ends() {
    let server = Server::start_at(NOON_MS + 1_000_000_000);
    let connection = connect(&server);
    for name in ["level:1", "level:2"] {
        make(&connection, name, 5, 0, 0);
    }
    assert_eq!(send(&connection, &LIST_DUE, &[], &[]), ["OK"]);
    let later = (NOON_S + 1_000_100).to_string();
    rest(&connection, &[["level:1", "0", &later], ["level:2", "0", &later]]);
    server.clock.set(NOON_MS);
    assert!(due(&connection, "5").0.is_empty());
    // An event there sees it, and so does upkeep where it looks at another board.
    enter(&connection, SOON_S, &["level:1"]);
    let (entered, _) = due(&connection, "5");
    assert_eq!(names_of(&entered), ["level:1"]);
    rest(&connection, &[["level:1", &entered[0][1], &(NOON_S + 60).to_string()]]);
    assert_eq!(names_of(&due(&connection, "5").0), ["level:2"]);
}

#[test]
fn boards_that_nobody_entered_have_their_turns() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    let sweep = || send(&connection, &SWEEP_BOARDS, &[("every", "60"), ("most", "2")], &[])[1..].to_vec();
    assert_eq!(sweep(), Vec::<String>::new());
    let names = ["level:1", "level:2", "level:3", "level:4", "level:5"];
    for name in names {
        make(&connection, name, 5, 0, 0);
    }
    send(&connection, &END_BOARD, &[("name", "level:4")], &[]);
    enter(&connection, SOON_S, &["level:2"]);
    let mut swept: Vec<String> = Vec::new();
    for minute in 0..5 {
        server.clock.set(NOON_MS + minute * 60_000);
        let boards = sweep();
        assert!(boards.len() <= 2 * 3, "{boards:?}");
        assert_eq!(sweep(), boards, "others have their turn in a minute");
        swept.extend(boards.chunks(3).map(|board| board[..2].join(" ")));
    }
    swept.sort();
    swept.dedup();
    assert_eq!(swept, ["level:1 open", "level:3 open", "level:5 open"]);
}
