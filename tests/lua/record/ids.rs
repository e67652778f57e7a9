//! Ids: what counts once however often it is sent.

use engine::adapter::Value;

use super::{ALL, EACH, check, noon, scores, step, utc};
use crate::call::{Call, HOUR_S, NOON_MS, NOON_S, connect, counted_keys};
use crate::support::Server;

#[test]
fn ids_count_once() {
    let server = Server::start_at(NOON_MS);
    // Two sets take turns, for an hour each: the first id begins one.
    let call = utc();
    let (a, b) = (["a", "1", "", ""], ["b", "2", "", ""]);
    let (a1, b1, b2) = (["a", "1", "", "1"], ["b", "2", "", "1"], ["b", "2", "", "2"]);

    // A batch's id stands for all its events, whatever they are the second time.
    check(&server, &call, &[step(0, "x", &[a, b], "cc"), step(1, "x", &[a, b], "dd"), step(2, "x", &[b], "d")], "a=1 b=2");
    check(&server, &call, &[step(0, "x", &[a], "c"), step(1, "x", &[a], "d"), step(2, "y", &[a], "c")], "a=2");
    // Events' own ids count once beside it, in the batch and later.
    check(&server, &call, &[step(0, "x", &[a1, b1, b2], "cdc"), step(1, "", &[a1, b], "dc"), step(2, "y", &[b2, b], "dc")], "a=1 b=6");
    // Without ids everything counts.
    check(&server, &call, &[step(0, "", &[a, a, b], "ccc"), step(1, "", &[a, a, b], "ccc")], "a=4 b=4");
    // An event's id counts once, in a batch and over batches, with new events beside it.
    check(&server, &call, &[step(0, "", &[a1, b1, b2], "cdc"), step(1, "", &[b2, b, a1], "dcd"), step(2, "", &[b1], "d")], "a=1 b=4");
    // A batch's id and an event's are of one kind: a retry may bundle events otherwise.
    check(&server, &call, &[step(0, "", &[a1], "c"), step(1, "1", &[b], "d")], "a=1");

    // Known for the replay window at least, and through the next set's turn; forgotten when two have passed.
    check(&server, &call, &[step(3590, "x", &[a], "c"), step(3600, "x", &[a], "d"), step(3601, "x", &[a], "d")], "a=1");
    check(&server, &call, &[step(0, "x", &[a], "c"), step(7190, "x", &[a], "d")], "a=1");
    check(&server, &call, &[step(0, "x", &[a], "c"), step(7200, "x", &[a], "c")], "a=2");
    check(&server, &call, &[step(0, "", &[a1, b2], "cc"), step(3700, "", &[b, a1, b2], "cdd"), step(7300, "", &[a1, b2], "dd")], "a=1 b=4");

    // The future is not remembered: when the event's time has come, it counts.
    let future = ["a", "1", "@1795176060000", "1"];
    check(&server, &call, &[step(0, "", &[future], "f"), step(61, "", &[future], "c"), step(62, "", &[future], "d")], "a=1");
    check(&server, &call, &[step(0, "x", &[future], "f"), step(61, "x", &[future], "c"), step(62, "x", &[future], "d")], "a=1");
    // Of a batch that counted in part, the rest counts later, and nothing else again.
    let both = [["a", "1", "", "/0"], ["a", "1", "@1795176060000", "/1"]];
    check(&server, &call, &[step(0, "x", &both, "cf"), step(61, "x", &both, "dc"), step(62, "x", &both, "dd")], "a=2");
    // The event of the future does not keep its twin of today from counting.
    check(&server, &call, &[step(0, "", &[future, a1, a1], "fcd")], "a=1");
}

/// A batch that is split is known by its id and its events' places; so it may be sent in parts and whole.
#[test]
fn a_batch_may_come_in_parts() {
    let server = Server::start_at(NOON_MS);
    let (whole, part) = (utc(), utc().set("has_all", "0"));
    let (a, b, own) = (["a", "1", "", "/0"], ["b", "2", "", "/1"], ["c", "4", "", "own"]);
    let check = |steps: &[(&Call, &str, &[[&str; 4]], &str)], all: &str| {
        server.command(&["FLUSHALL"]);
        let connection = connect(&server);
        for (call, id, events, outcomes) in steps {
            let call = events.iter().fold((*call).clone().set("batch_id", id), |call, event| call.event(*event));
            assert_eq!(call.outcomes(&connection), *outcomes, "{id} {events:?}");
        }
        assert_eq!(scores(&server, ALL), all);
    };
    // A part stands for its events only.
    check(&[(&part, "x", &[a], "c"), (&part, "x", &[a], "d"), (&part, "x", &[b], "c"), (&whole, "x", &[a, b], "dd")], "a=1 b=2");
    check(&[(&part, "x", &[b], "c"), (&whole, "x", &[a, b], "cd"), (&part, "x", &[a], "d"), (&whole, "x", &[a, b], "dd")], "a=1 b=2");
    // The whole stands for its parts.
    check(&[(&whole, "x", &[a, b], "cc"), (&part, "x", &[a], "d"), (&part, "x", &[b], "d")], "a=1 b=2");
    // So it does when they come in another batch, each under its own name, and with new ones.
    let named = [["a", "1", "", "x/0"], ["b", "2", "", "x/1"], ["c", "4", "", "z/0"]];
    check(&[(&whole, "x", &[a, b], "cc"), (&whole, "", &named, "ddc"), (&whole, "y", &named[..1], "d")], "a=1 b=2 c=4");
    check(&[(&whole, "", &named, "ccc"), (&whole, "x", &[a, b], "dd"), (&part, "z", &[["c", "4", "", "/0"]], "d")], "a=1 b=2 c=4");
    // An event may be named by its own batch, too.
    check(&[(&whole, "x", &[a, named[0], b], "cdc")], "a=1 b=2");
    check(&[(&whole, "x", &[named[0], a, b], "cdc"), (&whole, "x", &[a, b], "dd")], "a=1 b=2");
    // Places of one batch are not those of another one.
    check(&[(&part, "x", &[a], "c"), (&part, "y", &[a], "c"), (&part, "", &[["a", "1", "", "x/0"]], "d")], "a=2");
    // An event's own id goes before its place.
    check(&[(&part, "x", &[a, own], "cc"), (&part, "y", &[own], "d"), (&whole, "x", &[a, b, own], "dcd")], "a=1 b=2 c=4");
}

/// A browser that guesses a server's id does not keep the server's batch from counting.
#[test]
fn ids_of_browsers_and_of_servers_do_not_meet() {
    let (server, connection) = noon();
    for (id, event) in [("x", ["a", "1", "", ""]), ("", ["a", "1", "", "y"]), ("z", ["a", "1", "", "/3"])] {
        let has_all = if event[3].starts_with('/') { "0" } else { "1" };
        let call = utc().set("batch_id", id).set("has_all", has_all).event(event);
        for sender in ["browser", "server"] {
            assert_eq!(call.clone().set("sender", sender).outcomes(&connection), "c", "{sender} {id}");
            assert_eq!(call.clone().set("sender", sender).outcomes(&connection), "d", "{sender} {id}");
        }
    }
    assert_eq!(scores(&server, ALL), "a=6");
}

#[test]
fn sets_of_ids_expire() {
    let (server, connection) = noon();
    utc().set("batch_id", "x").event(["a", "1", "", ""]).outcomes(&connection);
    let [seen] = &server.keys("*:ids:*")[..] else { panic!("one set") };
    assert_eq!(seen, "eb:{site:board}:ids:browser:1");
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
        assert_eq!(utc().event([member, "1", "", member]).outcomes(&connection), "c", "{member:?}");
    }
    let batch = members.iter().fold(utc(), |call, member| call.event([member, "2", "", ""]));
    assert_eq!(batch.outcomes(&connection), "c".repeat(members.len()));
    let again = members.iter().fold(utc(), |call, member| call.event([member, "4", "", member]));
    assert_eq!(again.outcomes(&connection), "d".repeat(members.len()));
    for key in EACH {
        let mut held: Vec<String> = server.scores(key).into_iter().map(|(member, score)| format!("{member}={score}")).collect();
        let mut expected: Vec<String> = members.iter().map(|member| format!("{member}=3")).collect();
        held.sort();
        expected.sort();
        assert_eq!(held, expected, "{key}");
    }
    assert_eq!(counted_keys(&server).len(), EACH.len() + 1, "and the set of ids");
    let top: Vec<Value> = Call::top("UTC", NOON_S, "a").send(&connection);
    assert_eq!(top.len(), 19 + 2 * members.len());
}
