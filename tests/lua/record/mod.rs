//! The scripts that count: what a batch changes, and what it must not.

mod decaying;
mod id_clocks;
mod ids;
mod networks;
mod parts;
mod plans;
mod queued;
mod refused;
mod since;
mod standing;
mod sums;

use std::collections::BTreeSet;

use engine::adapter::{Applied, Fault};

use crate::call::{BOARD, Call, DAY_S, NOON_MS, NOON_S, connect, counted_keys, retention, unix_s};
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

/// A sorted set as `member=score`, by score. Servers write the same number with more or fewer digits.
fn scores(server: &Server, key: &str) -> String {
    let number = |score: String| score.parse::<f64>().expect("a number");
    let pairs: Vec<String> = server.scores(key).into_iter().map(|(member, score)| format!("{member}={}", number(score))).collect();
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
        assert_eq!(call.outcomes(&connection), *outcomes, "{after_s} s after noon: {batch_id:?} {events:?}");
    }
    assert_eq!(scores(server, ALL), all);
}

#[test]
fn one_event_counts_in_every_window() {
    let (server, connection) = noon();
    assert_eq!(utc().event(["a", "1", "", ""]).outcomes(&connection), "c");
    assert_eq!(counted_keys(&server), EACH);
    for key in EACH {
        assert_eq!(scores(&server, key), "a=1", "{key}");
    }
    server.command(&["FLUSHALL"]);
    let some = utc().set("units", "wh").set("retention", &retention("1 2"));
    assert_eq!(some.event(["a", "1", "", ""]).outcomes(&connection), "c");
    assert_eq!(counted_keys(&server), [HOUR, WEEK], "only the units that were asked for");
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
        assert_eq!(counted_keys(&server), [ALL, YEAR]);
    }
}

/// A key that lost all its members stays, and keeps its expiry.
#[test]
fn an_emptied_key_stays() {
    let (server, connection) = noon();
    let ends = |members: i64| {
        assert_eq!(counted_keys(&server), EACH);
        assert_eq!(server.number(&["ZCOUNT", HOUR, "(-inf", "+inf"]), members);
        assert_eq!(server.number(&["EXPIRETIME", HOUR]), unix_s("2026-11-20T13:00:00Z") + 3 * DAY_S);
    };
    for (delta, members) in [("1", 1), ("-1", 0), ("1", 1)] {
        utc().event(["a", delta, "", ""]).outcomes(&connection);
        ends(members);
    }
    for (delta, members) in [("-1", 0), ("2", 1)] {
        utc().event(["a", delta, "", ""]).event(["b", "0", "", ""]).outcomes(&connection);
        ends(members);
    }
}

#[test]
fn late_events_count_in_the_periods_of_their_instant() {
    let (server, connection) = noon();
    let sent = |when: &str| {
        server.command(&["FLUSHALL"]);
        server.clock.set(NOON_MS);
        let outcomes = utc().since(0).event(["a", "1", when, ""]).outcomes(&connection);
        let keys = counted_keys(&server).into_iter().map(|key| key[BOARD.len() + 1..].to_owned()).collect::<Vec<_>>().join(" ");
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
        assert_eq!(call.clone().event(["a", "1", when, ""]).outcomes(&connect(&server)), code, "{when}");
        assert_eq!(counted_keys(&server), keys, "{when}");
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
    assert_eq!(batch.outcomes(&connection), "cccfc");
    assert_eq!(scores(&server, ALL), "b=1 a=7");
    assert_eq!(scores(&server, DAY), "a=5");
    assert_eq!(scores(&server, "eb:{site:board}:day:20776"), "b=1 a=2");
    assert_eq!(scores(&server, HOUR), "a=1");
    assert_eq!(scores(&server, "eb:{site:board}:hour:498659"), "a=4");
}

/// Each must be refused before anything is written.
#[test]
fn wrong_arguments_change_nothing() {
    let (server, connection) = noon();
    let right = utc().event(["a", "1", "", "id"]);
    let refused = |call: Call, what: String| {
        let error = call.try_send(&connection).map(|reply| panic!("{what}: {reply:?}")).unwrap_err();
        assert_eq!(error.fault, Fault::Refused, "{what}: {error}");
        assert!(!error.detail.contains("user_script"), "{what}: {error}");
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
    assert_eq!(right.outcomes(&connection), "c", "and what is right still counts");
}

/// A key of ours that somebody else made is left alone, and so are all others: an event of now takes back what it wrote before it
/// met that key, and a batch reads every key first.
#[test]
fn a_foreign_key_stays_as_it_is() {
    let (server, connection) = noon();
    let one = || utc().set("batch_id", "x").event(["a", "1", "", ""]);
    for (is_new, call) in [(true, one()), (false, one()), (true, one().event(["b", "1", "", ""])), (false, one().event(["b", "1", "", ""]))]
    {
        server.command(&["FLUSHALL"]);
        if !is_new {
            utc().set("batch_id", "before").event(["a", "1", "", ""]).outcomes(&connection);
        }
        server.command(&["DEL", DAY]);
        server.command(&["SET", DAY, "foreign"]);
        let held = || {
            let others = server.keys("*").into_iter().filter(|key| key != DAY);
            // The order of a hash may differ from one dump to the next.
            let held = |key: &str| match &*server.text(&["TYPE", key]) {
                "hash" => {
                    let fields = server.texts(&["HGETALL", key]);
                    format!("{:?}", fields.chunks(2).collect::<BTreeSet<_>>())
                }
                _ => format!("{:?}", server.command(&["DUMP", key])),
            };
            others.map(|key| (held(&key), key)).collect::<Vec<_>>()
        };
        let before = held();
        let error = call.try_send(&connection).expect_err("refused");
        assert_eq!((error.fault, error.applied()), (Fault::ScriptUndone, Applied::No), "{error}");
        assert!(error.detail.contains("WRONGTYPE"), "{error}");
        assert_eq!(server.text(&["GET", DAY]), "foreign");
        assert_eq!(held(), before);
        server.command(&["DEL", DAY]);
        assert!(call.outcomes(&connection).bytes().all(|code| code == b'c'), "it counts when that key is gone");
    }
}
