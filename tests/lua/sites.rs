//! When upkeep looks at sites that were made at run time, by the clock of Redis.

use engine::adapter::{Script, Value};
use engine::store::scripts::{DUE_SITES, ENTER_SITES, REST_SITES};

use crate::call::{Call, NOON_MS, NOON_S, connect};
use crate::support::{Connection, Server};

const KEYS: [&str; 2] = ["eb:sites{:}:due", "eb:sites{:}:changed"];
const DAY_S: i64 = 86_400;

fn send(connection: &Connection, script: &'static Script, args: &[(&'static str, &str)], rest: &[&str]) -> Vec<String> {
    let args = args.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    let rest = rest.iter().map(|text| (*text).to_owned()).collect();
    let text = |value: &Value| match value {
        Value::BulkString(bytes) => String::from_utf8(bytes.clone()).expect("UTF-8"),
        Value::Int(number) => number.to_string(),
        other => panic!("{other:?}"),
    };
    let call = Call { script, keys: KEYS.map(Into::into).to_vec(), args, rest, ..Call::record("UTC", NOON_S) };
    call.send(connection).iter().map(text).collect()
}

fn enter(connection: &Connection, names: &[&str]) {
    send(connection, &ENTER_SITES, &[("lost", "0"), ("before", "0"), ("in_minute", "1"), ("last", "0")], names);
}

fn enter_lost(connection: &Connection, names: &[&str], before: &str, last: &str) {
    send(connection, &ENTER_SITES, &[("lost", "1"), ("before", before), ("in_minute", "2"), ("last", last)], names);
}

/// The names that are due, and when something last changed there; and the seconds until the next one is.
fn due(connection: &Connection) -> (Vec<(String, String)>, String) {
    let reply = send(connection, &DUE_SITES, &[("most", "3")], &[]);
    assert_eq!(reply[0], "OK");
    (reply[3..].chunks(2).map(|site| (site[0].clone(), site[1].clone())).collect(), reply[2].clone())
}

fn rest(connection: &Connection, name: &str, changed: &str, at_s: i64) {
    let (longest, unknown) = ((7 * DAY_S).to_string(), DAY_S.to_string());
    send(connection, &REST_SITES, &[("longest", &longest), ("unknown", &unknown)], &[name, changed, &at_s.to_string()]);
}

fn pair(name: &str, changed_s: i64) -> (String, String) {
    (name.into(), changed_s.to_string())
}

#[test]
fn a_site_is_due_when_something_changed_and_when_its_rest_is_over() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    assert_eq!(send(&connection, &DUE_SITES, &[("most", "3")], &[]), ["LOST"]);
    enter_lost(&connection, &[], "0", "1");
    assert_eq!(due(&connection), (vec![], "0".into()));
    enter(&connection, &["shop"]);
    assert_eq!(due(&connection).0, [pair("shop", NOON_S)]);
    rest(&connection, "shop", &NOON_S.to_string(), NOON_S + 3_600);
    assert!(due(&connection).0.is_empty());
    server.clock.set(NOON_MS + 60_000);
    enter(&connection, &["shop"]);
    assert_eq!(due(&connection).0, [pair("shop", NOON_S + 60)]);
    rest(&connection, "shop", &NOON_S.to_string(), 0);
    assert_eq!(due(&connection).0, [pair("shop", NOON_S + 60)], "something changed since it was said");
    rest(&connection, "shop", &(NOON_S + 60).to_string(), 0);
    assert_eq!(due(&connection), (vec![], "0".into()));
    assert!(server.texts(&["HKEYS", KEYS[1]]).is_empty(), "nothing is left of it");
}

#[test]
fn lost_sites_are_due_over_time_and_changed_a_day_ago() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    enter_lost(&connection, &["a", "b", "c"], "0", "0");
    assert_eq!(send(&connection, &DUE_SITES, &[("most", "3")], &[]), ["LOST"], "not all of them are there");
    enter_lost(&connection, &["d", "e"], "3", "1");
    let names = || due(&connection).0.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(), ["a", "b"]);
    server.clock.set(NOON_MS + 60_000);
    assert_eq!(names(), ["a", "b", "c"], "no more than were asked for");
    rest(&connection, "a", "", NOON_S + 7_200);
    server.clock.set(NOON_MS + 7_200_000);
    rest(&connection, "b", "", 0);
    rest(&connection, "c", "", 0);
    rest(&connection, "d", "", 0);
    assert_eq!(due(&connection).0, [("e".to_owned(), String::new()), pair("a", NOON_S + 60 - DAY_S)]);
}

#[test]
fn a_rest_of_a_clock_that_was_ahead_ends() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    enter_lost(&connection, &["a"], "0", "1");
    rest(&connection, "a", "", NOON_S + 30 * DAY_S);
    assert_eq!(due(&connection).0.len(), 1);
}
