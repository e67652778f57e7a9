//! `lua/record.lua`: what a batch changes, and what it must not.

use edgeboard::adapter::{Fault, Value};

use crate::call::{BOARD, Call, DAY_S, HOUR_S, NOON_MS, NOON_S, connect, retention, unix_s};
use crate::support::{Connection, Server};

const HOUR: &str = "eb:{site:board}:hour:498660";
const DAY: &str = "eb:{site:board}:day:20777";
const WEEK: &str = "eb:{site:board}:week:2968";
const MONTH: &str = "eb:{site:board}:month:24322";
const YEAR: &str = "eb:{site:board}:year:2026";
const ALL: &str = "eb:{site:board}:all:0";
const EACH: [&str; 6] = [ALL, DAY, HOUR, MONTH, WEEK, YEAR];

fn noon() -> (Server, Connection) {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    (server, connection)
}

fn utc() -> Call {
    Call::record("UTC", NOON_S)
}

/// A sorted set as `member=score`, by score.
fn scores(server: &Server, key: &str) -> String {
    let pairs: Vec<String> = server.scores(key).into_iter().map(|(member, score)| format!("{member}={score}")).collect();
    pairs.join(" ")
}

/// A batch, some seconds after noon, and what must become of its events.
struct Step<'s> {
    after_s: i64,
    batch_id: &'s str,
    events: &'s [[&'s str; 4]],
    outcomes: &'s str,
}

fn step<'s>(after_s: i64, batch_id: &'s str, events: &'s [[&'s str; 4]], outcomes: &'s str) -> Step<'s> {
    Step { after_s, batch_id, events, outcomes }
}

/// A batch without an id.
fn plain<'s>(after_s: i64, events: &'s [[&'s str; 4]], outcomes: &'s str) -> Step<'s> {
    step(after_s, "", events, outcomes)
}

/// Sends the batches to a fresh board of a server; then the window of all time must hold `all`.
#[track_caller]
fn check(server: &Server, call: &Call, steps: &[Step], all: &str) {
    server.command(&["FLUSHALL"]);
    let connection = connect(server);
    for Step { after_s, batch_id, events, outcomes } in steps {
        server.clock.set(NOON_MS + after_s * 1000);
        let call = events.iter().fold(call.clone().set("batch_id", batch_id), |call, event| call.event(*event));
        assert_eq!(call.outcomes(&connection).0, *outcomes, "{after_s} s after noon: {batch_id:?} {events:?}");
    }
    assert_eq!(scores(server, ALL), all);
}

#[test]
fn one_event_counts_in_every_window() {
    let (server, connection) = noon();
    assert_eq!(utc().event(["a", "1", "", ""]).outcomes(&connection).0, "c");
    assert_eq!(server.keys("*"), EACH);
    for key in EACH {
        assert_eq!(scores(&server, key), "a=1", "{key}");
    }
    server.command(&["FLUSHALL"]);
    let some = utc().set("units", "wh").set("retention", &retention("1 2"));
    assert_eq!(some.event(["a", "1", "", ""]).outcomes(&connection).0, "c");
    assert_eq!(server.keys("*"), [HOUR, WEEK], "only the units that were asked for");
}

#[test]
fn a_key_expires_once_and_at_the_instant_that_its_first_write_set() {
    let (server, connection) = noon();
    let one = utc().event(["a", "1", "", ""]);
    let many = one.clone().event(["b", "1", "", ""]).event(["c", "2", "", ""]);
    let expected = [
        (HOUR, unix_s("2026-11-20T13:00:00Z") + 3 * DAY_S),
        (DAY, unix_s("2026-11-21T00:00:00Z") + 60 * DAY_S),
        (WEEK, unix_s("2026-11-23T00:00:00Z") + 366 * DAY_S),
        (MONTH, unix_s("2026-12-01T00:00:00Z") + 3 * 366 * DAY_S),
        (YEAR, -1),
        (ALL, -1),
    ];
    for first in [&one, &many] {
        server.command(&["FLUSHALL"]);
        server.clock.set(NOON_MS);
        first.outcomes(&connection);
        for (key, at) in expected {
            assert_eq!(server.number(&["EXPIRETIME", key]), at, "{key}");
        }
        // Whatever the expiry is now, later writes leave it.
        server.command(&["EXPIREAT", DAY, "1799999999"]);
        server.clock.set(NOON_MS + 600_000);
        for later in [&one, &many] {
            later.outcomes(&connection);
            assert_eq!(server.number(&["EXPIRETIME", HOUR]), expected[0].1);
            assert_eq!(server.number(&["EXPIRETIME", DAY]), 1_799_999_999);
        }
        server.clock.set(expected[0].1 * 1000 - 10_000);
        assert_eq!(server.number(&["EXISTS", HOUR]), 1);
        server.clock.set(expected[0].1 * 1000 + 1);
        assert_eq!(server.number(&["EXISTS", HOUR, DAY]), 1, "the hour is gone, the day is not");
        server.clock.set(expected[3].1 * 1000 + 1);
        assert_eq!(server.keys("*"), [ALL, YEAR]);
    }
}

/// A key that lost all its members is a new key afterwards, and expires like one.
#[test]
fn an_emptied_key_expires_again() {
    let (server, connection) = noon();
    for delta in ["1", "-1", "1"] {
        utc().event(["a", delta, "", ""]).outcomes(&connection);
    }
    assert_eq!(server.number(&["EXPIRETIME", HOUR]), unix_s("2026-11-20T13:00:00Z") + 3 * DAY_S);
    for delta in ["-1", "2"] {
        utc().event(["a", delta, "", ""]).event(["b", "0", "", ""]).outcomes(&connection);
    }
    assert_eq!(server.number(&["EXPIRETIME", HOUR]), unix_s("2026-11-20T13:00:00Z") + 3 * DAY_S);
}

#[test]
fn late_events_count_in_the_periods_of_their_instant() {
    let (server, connection) = noon();
    let sent = |when: &str| {
        server.command(&["FLUSHALL"]);
        server.clock.set(NOON_MS);
        let (outcomes, _) = utc().since(0).event(["a", "1", when, ""]).outcomes(&connection);
        let keys = server.keys("*").into_iter().map(|key| key[BOARD.len() + 1..].to_owned()).collect::<Vec<_>>().join(" ");
        (outcomes, keys)
    };
    let check = |when: &str, code: &str, keys: &str| assert_eq!(sent(when), (code.into(), keys.into()), "{when}");
    check("0", "c", "all:0 day:20777 hour:498660 month:24322 week:2968 year:2026");
    check("3600000", "c", "all:0 day:20777 hour:498659 month:24322 week:2968 year:2026");
    check("@1795132799999", "c", "all:0 day:20776 hour:498647 month:24322 week:2968 year:2026");
    check("@1795132800000", "c", "all:0 day:20777 hour:498648 month:24322 week:2968 year:2026");
    // Hours are kept for three days, days for sixty, weeks for 366, months for three years.
    check("@1794916800000", "c", "all:0 day:20774 hour:498588 month:24322 week:2968 year:2026");
    check("@1794916799999", "c", "all:0 day:20774 month:24322 week:2968 year:2026");
    check("@1789948800000", "c", "all:0 day:20717 month:24320 week:2960 year:2026");
    check("@1789862400000", "c", "all:0 month:24320 week:2959 year:2026");
    check("@1577836800000", "c", "all:0 year:2020");
    check("@0", "c", "all:0 year:1970");
    check("1795176000000", "c", "all:0 year:1970");
    // Before 1970 there are no periods.
    check("1795176100000", "o", "");
    check("999999999999999999999", "o", "");
    check("@1795176060000", "f", "");
    check("@99999999999999999999", "f", "");
    // An event that is reported to have happened in some seconds is one of the future.
    check("-60000", "f", "");
}

#[test]
fn events_that_no_window_keeps_are_too_old() {
    let server = Server::start_at(NOON_MS);
    let both = utc().set("units", "hd").set("retention", &retention("3600 86400"));
    let check = |call: &Call, when: &str, code: &str, keys: &[&str]| {
        server.command(&["FLUSHALL"]);
        server.clock.set(NOON_MS);
        assert_eq!(call.clone().event(["a", "1", when, ""]).outcomes(&connect(&server)).0, code, "{when}");
        assert_eq!(server.keys("*"), keys, "{when}");
    };
    // The hour that ended at 11:00 is kept until 12:00, so at noon it is gone; that of 11:00 is kept until 13:00.
    check(&both, "@1795172399999", "c", &[DAY]);
    check(&both, "@1795172400000", "c", &[DAY, "eb:{site:board}:hour:498659"]);
    check(&both, "@1795132799999", "c", &["eb:{site:board}:day:20776"]);
    // The day that ended at midnight of the 19th was kept until midnight of the 20th.
    check(&both, "@1795046399999", "o", &[]);
    // To the second: what ended at 11:00 is gone when an hour has passed.
    let hour = utc().set("units", "h").set("retention", &retention("3600"));
    check(&hour, "@1795172399999", "o", &[]);
    check(&hour.set("retention", &retention("3601")), "@1795172399999", "c", &["eb:{site:board}:hour:498658"]);
}

#[test]
fn a_batch_mixes_instants() {
    let (server, connection) = noon();
    let batch = utc()
        .event(["a", "1", "", ""])
        .event(["b", "1", "86400000", ""])
        .event(["a", "2", "@1795089600000", ""])
        .event(["c", "1", "@1795179600000", ""])
        .event(["a", "4", "3600000", ""]);
    assert_eq!(batch.outcomes(&connection).0, "cccfc");
    assert_eq!(scores(&server, ALL), "b=1 a=7");
    assert_eq!(scores(&server, DAY), "a=5");
    assert_eq!(scores(&server, "eb:{site:board}:day:20776"), "b=1 a=2");
    assert_eq!(scores(&server, HOUR), "a=1");
    assert_eq!(scores(&server, "eb:{site:board}:hour:498659"), "a=4");
}

#[test]
fn ids_count_once() {
    let server = Server::start_at(NOON_MS);
    // Ids are kept in buckets of an hour: noon begins one.
    let call = utc();
    let (a, b) = (["a", "1", "", ""], ["b", "2", "", ""]);
    let (a1, b1, b2) = (["a", "1", "", "1"], ["b", "2", "", "1"], ["b", "2", "", "2"]);

    // A batch's id stands for all its events, whatever they are the second time.
    check(&server, &call, &[step(0, "x", &[a, b], "cc"), step(1, "x", &[a, b], "dd"), step(2, "x", &[b], "d")], "a=1 b=2");
    check(&server, &call, &[step(0, "x", &[a], "c"), step(1, "x", &[a], "d"), step(2, "y", &[a], "c")], "a=2");
    // Events' own ids do not matter then, not even for later.
    check(&server, &call, &[step(0, "x", &[a1, b1], "cc"), step(1, "", &[a1], "c")], "a=2 b=2");
    // Without ids everything counts.
    check(&server, &call, &[step(0, "", &[a, a, b], "ccc"), step(1, "", &[a, a, b], "ccc")], "a=4 b=4");
    // An event's id counts once, in a batch and over batches, with new events beside it.
    check(&server, &call, &[step(0, "", &[a1, b1, b2], "cdc"), step(1, "", &[b2, b, a1], "dcd"), step(2, "", &[b1], "d")], "a=1 b=4");
    // A batch's id and an event's are of one kind: a retry may bundle events otherwise.
    check(&server, &call, &[step(0, "", &[a1], "c"), step(1, "1", &[b], "d")], "a=1");

    // Known for the replay window at least, and into the next bucket; forgotten when two buckets have passed.
    check(&server, &call, &[step(3590, "x", &[a], "c"), step(3600, "x", &[a], "d"), step(3601, "x", &[a], "d")], "a=1");
    check(&server, &call, &[step(0, "x", &[a], "c"), step(7190, "x", &[a], "d")], "a=1");
    check(&server, &call, &[step(0, "x", &[a], "c"), step(7200, "x", &[a], "c")], "a=2");
    check(&server, &call, &[step(0, "", &[a1, b2], "cc"), step(3700, "", &[b, a1, b2], "cdd"), step(7300, "", &[a1, b2], "dd")], "a=1 b=4");

    // The future is not remembered: when the event's time has come, it counts.
    let future = ["a", "1", "@1795176060000", "1"];
    check(&server, &call, &[step(0, "", &[future], "f"), step(61, "", &[future], "c"), step(62, "", &[future], "d")], "a=1");
    check(&server, &call, &[step(0, "x", &[future], "f"), step(61, "x", &[future], "c"), step(62, "x", &[future], "d")], "a=1");
    // Of a batch that counted in part, the rest does not count later: its id stands for all of it.
    check(&server, &call, &[step(0, "x", &[a, future], "cf"), step(61, "x", &[a, future], "dd")], "a=1");
    // The event of the future does not keep its twin of today from counting.
    check(&server, &call, &[step(0, "", &[future, a1, a1], "fcd")], "a=1");
}

#[test]
fn sets_of_ids_expire() {
    let (server, connection) = noon();
    utc().set("batch_id", "x").event(["a", "1", "", ""]).outcomes(&connection);
    let [seen] = &server.keys("*:seen:*")[..] else { panic!("one set") };
    assert_eq!(seen, "eb:{site:board}:seen:498660");
    let expiry = server.number(&["EXPIRETIME", seen]);
    assert_eq!(expiry, NOON_S + 2 * HOUR_S);
    server.clock.set(NOON_MS + 1_800_000);
    utc().event(["a", "1", "", "y"]).event(["a", "1", "", "z"]).outcomes(&connection);
    assert_eq!(server.number(&["SCARD", seen]), 3);
    assert_eq!(server.number(&["EXPIRETIME", seen]), expiry, "it does not move");
    server.command(&["EXPIREAT", seen, "1799999999"]);
    utc().event(["a", "1", "", "w"]).outcomes(&connection);
    assert_eq!(server.number(&["EXPIRETIME", seen]), 1_799_999_999, "nor is it set again");
    server.command(&["EXPIREAT", seen, &expiry.to_string()]);
    server.clock.set(expiry * 1000 + 1);
    assert_eq!(server.number(&["EXISTS", seen]), 0);
}

#[test]
fn new_members_of_a_full_period_are_refused_and_counted() {
    let server = Server::start_at(NOON_MS);
    let call = utc().set("max_members", "2");
    let (a, b, c, d) = (["a", "1", "", ""], ["b", "2", "", ""], ["c", "3", "", ""], ["d", "4", "", ""]);
    let refused = || server.text(&["GET", &format!("{ALL}:refused")]);

    // One by one.
    check(
        &server,
        &call,
        &[plain(0, &[a], "c"), plain(1, &[b], "c"), plain(2, &[c], "r"), plain(3, &[a], "c"), plain(4, &[c], "r")],
        "a=2 b=2",
    );
    assert_eq!(refused(), "2");
    // In batches: those that are there count, of the new ones the first, and every event of a refused member is counted.
    check(&server, &call, &[plain(0, &[a], "c"), plain(1, &[b, c, a, c, d], "crcrr")], "a=2 b=2");
    assert_eq!(refused(), "3");
    // An event that adds nothing needs no room.
    check(
        &server,
        &call,
        &[plain(0, &[a, b], "cc"), plain(1, &[["c", "0", "", ""]], "c"), plain(2, &[["c", "0", "", ""], b], "cc")],
        "a=1 b=4",
    );
    assert_eq!(server.keys("*:refused"), [""; 0]);
    // A member that leaves makes room for the next batch.
    check(&server, &call, &[plain(0, &[a, b], "cc"), plain(1, &[["a", "-1", "", ""]], "c"), plain(2, &[d, c], "cr")], "b=2 d=4");
    // A batch may be refused in part.
    check(&server, &call.clone().set("max_members", "1"), &[plain(0, &[a], "c"), plain(1, &[b, a], "rc"), plain(2, &[b], "r")], "a=2");

    // Refused by the day that is full, counted by the hour that is not.
    check(&server, &call, &[plain(0, &[a, b], "cc"), plain(3600, &[c], "c"), plain(3601, &[c, d], "cc")], "a=1 b=2");
    assert_eq!(refused(), "3");
    assert_eq!(scores(&server, "eb:{site:board}:hour:498661"), "d=4 c=6");
    assert_eq!(server.number(&["EXISTS", "eb:{site:board}:hour:498661:refused"]), 0);

    // What was refused expires with its period.
    for key in EACH {
        assert_eq!(server.keys(&format!("{}:refused", key.replace("498660", "*"))).len(), usize::from(key != HOUR), "{key}");
        if key != HOUR {
            assert_eq!(server.number(&["EXPIRETIME", &format!("{key}:refused")]), server.number(&["EXPIRETIME", key]), "{key}");
        }
    }

    // And does not move the period's own expiry.
    server.command(&["EXPIREAT", DAY, "1799999999"]);
    call.event(d).outcomes(&connect(&server));
    assert_eq!(server.number(&["EXPIRETIME", DAY]), 1_799_999_999);
}

#[test]
fn sums_of_zero_leave_and_negative_ones_stay() {
    let server = Server::start_at(NOON_MS);
    let (plus, minus, other, none) = (["a", "2", "", ""], ["a", "-2", "", ""], ["b", "1", "", ""], ["c", "0", "", ""]);
    check(&server, &utc(), &[plain(0, &[plus], "c"), plain(1, &[minus], "c")], "");
    assert_eq!(server.keys("*"), [""; 0], "nothing is left, not even an empty counter");
    check(&server, &utc(), &[plain(0, &[plus, other], "cc"), plain(1, &[minus, other], "cc")], "b=2");
    check(&server, &utc(), &[plain(0, &[plus, minus, none], "ccc"), plain(1, &[none], "c")], "");
    assert_eq!(server.keys("*"), [""; 0]);
    check(&server, &utc(), &[plain(0, &[minus], "c"), plain(1, &[minus, other], "cc")], "a=-4 b=1");
    check(&server, &utc(), &[plain(0, &[minus], "c"), plain(1, &[plus], "c"), plain(2, &[plus], "c")], "a=2");
}

#[test]
fn weights_add_up_exactly() {
    let server = Server::start_at(NOON_MS);
    let steps = |delta, more| [[["a", delta, "", ""], ["b", "1", "", ""]], [["a", more, "", ""], ["b", "1", "", ""]]];
    for (delta, more, sum) in [
        ("0.1", "0.2", "0.29999999999999999"),
        ("2.5", "-1.25", "1.25"),
        ("0.000001", "-0.000002", "-9.9999999999999995e-07"),
        ("9007199254740991", "1", "9007199254740992"),
        ("-9007199254740991", "-1", "-9007199254740992"),
        ("4503599627370497", "4503599627370494", "9007199254740991"),
    ] {
        let [first, second] = steps(delta, more);
        let both = if sum.starts_with('-') { format!("a={sum} b=2") } else { sorted(&format!("a={sum}"), "b=2") };
        check(&server, &utc(), &[plain(0, &first[..1], "c"), plain(1, &second[..1], "c")], &format!("a={sum}"));
        check(&server, &utc(), &[plain(0, &first, "cc"), plain(1, &second, "cc")], &both);
        check(&server, &utc(), &[plain(0, &[first[0], second[0], first[1], second[1]], "cccc")], &both);
    }
}

/// Two members of a sorted set, the lower score first.
fn sorted(one: &str, other: &str) -> String {
    let score = |pair: &str| pair.split_once('=').and_then(|(_, score)| score.parse::<f64>().ok());
    if score(one) < score(other) { format!("{one} {other}") } else { format!("{other} {one}") }
}

#[test]
fn ids_of_any_bytes() {
    let (server, connection) = noon();
    let long = ["x".repeat(256), "é".repeat(128), "\"'\\".repeat(85)];
    let short = [
        "{}",
        "}{",
        "{site:board}",
        "eb:{other:board}:all:0",
        ":",
        "::",
        "a b",
        " ",
        "'",
        "\"",
        "\\",
        "\\n",
        "%s",
        "%d%%",
        "]]",
        "--",
        "日本語",
        "👩‍🚀",
        "e\u{301}",
        "é",
        "0",
        "-1",
        "+inf",
        "inf",
        "nan",
        "(1",
        "[a",
        "-",
        "+",
        "NX",
        "GT",
        "INCR",
        "WITHSCORES",
        "1e3",
        "*",
        "?",
        "/posts/1?a=b&c=d#e",
        "\u{a0}",
    ];
    let members: Vec<&str> = long.iter().map(String::as_str).chain(short).collect();
    for member in &members {
        assert_eq!(utc().event([member, "1", "", member]).outcomes(&connection).0, "c", "{member:?}");
    }
    let batch = members.iter().fold(utc(), |call, member| call.event([member, "2", "", ""]));
    assert_eq!(batch.outcomes(&connection).0, "c".repeat(members.len()));
    let again = members.iter().fold(utc(), |call, member| call.event([member, "4", "", member]));
    assert_eq!(again.outcomes(&connection).0, "d".repeat(members.len()));
    for key in EACH {
        let mut held: Vec<String> = server.scores(key).into_iter().map(|(member, score)| format!("{member}={score}")).collect();
        let mut expected: Vec<String> = members.iter().map(|member| format!("{member}=3")).collect();
        held.sort();
        expected.sort();
        assert_eq!(held, expected, "{key}");
    }
    assert_eq!(server.keys("*").len(), EACH.len() + 1, "and the set of ids");
    let top: Vec<Value> = Call::top("UTC", NOON_S, "a").send(&connection);
    assert_eq!(top.len(), 10 + 4 * members.len());
}

#[test]
fn a_hundred_events() {
    let (server, connection) = noon();
    let names: Vec<String> = (0..100).map(|i| format!("m{i}")).collect();
    let each = names.iter().fold(utc(), |call, name| call.event([name, "1", "", name]));
    assert_eq!(each.outcomes(&connection).0, "c".repeat(100));
    assert_eq!(each.outcomes(&connection).0, "d".repeat(100));
    let same = names.iter().fold(utc(), |call, name| call.event(["m0", "1", "", &format!("2{name}")]));
    assert_eq!(same.outcomes(&connection).0, "c".repeat(100));
    let spread = (0..100).fold(utc(), |call, i| call.event([&names[i], "1", &(i * 3_600_000).to_string(), ""]));
    assert_eq!(spread.outcomes(&connection).0, "c".repeat(100));
    assert_eq!(server.number(&["ZCARD", ALL]), 100);
    assert_eq!(server.text(&["ZSCORE", ALL, "m0"]), "102");
    assert_eq!(server.text(&["ZSCORE", ALL, "m99"]), "2");
    assert_eq!(server.keys("*:hour:*").len(), 1 + 72, "of a hundred hours the current one and those of three days");
}

/// Small sorted sets are listpacks, larger ones skip lists; nothing else changes.
#[test]
fn small_and_large_periods_are_alike() {
    let (server, connection) = noon();
    for (members, encoding) in [(128, "listpack"), (129, "skiplist"), (1000, "skiplist")] {
        server.command(&["FLUSHALL"]);
        for start in (0..members).step_by(100) {
            let batch = (start..members.min(start + 100))
                .fold(utc(), |call, i| call.event([&format!("m{i:04}"), &(i % 7 + 1).to_string(), "", ""]));
            batch.outcomes(&connection);
        }
        assert_eq!(server.text(&["OBJECT", "ENCODING", ALL]), encoding);
        utc().event(["m0005", "1", "", ""]).event(["m0010", "-4", "", ""]).outcomes(&connection);
        utc().event(["m0006", "1.5", "", ""]).outcomes(&connection);
        assert_eq!(server.number(&["ZCARD", ALL]), members - 1, "m0010 left");
        assert_eq!(server.text(&["ZSCORE", ALL, "m0005"]), "7");
        assert_eq!(server.text(&["ZSCORE", ALL, "m0006"]), "8.5");
    }
}

/// Each must be refused before anything is written.
#[test]
fn wrong_arguments_change_nothing() {
    let (server, connection) = noon();
    let right = utc().event(["a", "1", "", "id"]);
    let refused = |call: Call, what: String| {
        let error = call.try_send(&connection).map(|reply| panic!("{what}: {reply:?}")).unwrap_err();
        assert_eq!(error.fault, Fault::Refused, "{what}: {error}");
        assert!(error.detail.contains("record: "), "{what}: {error}");
        assert_eq!(server.number(&["DBSIZE"]), 0, "{what}");
    };
    let numbers = ["stable_from", "stable_until", "stable_offset", "day_starts_at", "week_starts_on", "replay_window", "max_members"];
    for name in numbers {
        for garbage in ["", " ", "x", "1x", "nan", "-nan", "inf", "-inf", "1e999", "1,5", "٣"] {
            refused(right.clone().set(name, garbage), format!("{name} = {garbage:?}"));
        }
    }
    for window in ["0", "-3600"] {
        refused(right.clone().set("replay_window", window), format!("replay_window = {window}"));
    }
    for kept in ["", "1", "1 2 3 4 5", "1 2 3 4 5 6 7", "x 2 3 4 5 6", "1 2 3 4 5 nan", "inf 2 3 4 5 6"] {
        refused(right.clone().set("retention", &retention(kept)), format!("retention = {kept:?}"));
    }
    for units in ["", "hdwmyz", "HDWMYA", "hdwmy "] {
        refused(right.clone().set("units", units), format!("units = {units:?}"));
    }
    for delta in ["", "x", "nan", "inf", "-inf", "1e999", "1 2"] {
        refused(utc().event(["a", "1", "", "1"]).event(["b", delta, "", "2"]), format!("delta = {delta:?}"));
    }
    for when in ["x", "@", "@x", "@-1", "@1.5", "@ 1", "nan", "1 2", " "] {
        refused(utc().event(["a", "1", "", "1"]).event(["b", "1", when, "2"]), format!("when = {when:?}"));
    }
    assert_eq!(right.outcomes(&connection).0, "c", "and what is right still counts");
}

/// A key of ours that somebody else made is left alone. The windows before it were written: no script can know a key's
/// type for free, and `eb:` keys are nobody else's.
#[test]
fn a_foreign_key_is_left_alone() {
    let (server, connection) = noon();
    server.command(&["SET", DAY, "foreign"]);
    let error = utc().event(["a", "1", "", ""]).try_send(&connection).expect_err("refused");
    assert_eq!(error.fault, Fault::Refused);
    assert!(error.detail.contains("WRONGTYPE"), "{error}");
    assert_eq!(server.text(&["GET", DAY]), "foreign");
    assert_eq!(server.keys("*"), [DAY, HOUR]);
}
