//! What is refused leaves nothing behind by which it would be known: it counts when it passes later, and what counted does not count again.

use super::{ALL, noon, scores, utc};
use crate::call::{BOARD, Call, NOON_MS, connect, retention};
use crate::support::Server;

/// Calls that count by each of the ways: as planned with and without indexes, plain, and in tables.
pub(super) fn ways() -> Vec<(&'static str, Call)> {
    vec![
        ("plain", utc()),
        ("in the order of ties", utc().set("options", "first")),
        ("by action", utc().set("options", "actions")),
        ("dense", utc().set("options", "dense")),
        ("rolling", utc().set("rolling", "last-3-days:d:3")),
        ("fading", utc().set("units", "").set("retention", "").set("decaying", "hot:half-life:-:21600000:0")),
    ]
}

/// What makes an event tracked: nothing; a visitor's action that counts once a day; one of an actor that can be undone.
const KINDS: [&str; 3] = ["", "view:o:d:0123456789a:visitor:v.a", "like:r:-:0123456789a:actor:u"];

/// How an event is known: by its batch, by itself, and as a part of a batch.
const NAMES: [(&str, &str, &str); 3] = [("x", "", "1"), ("", "own", "1"), ("x", "/3", "0")];

fn only(call: &Call, kind: &str, member: &str, (batch, id, has_all): (&str, &str, &str)) -> Call {
    let call = call.clone().set("batch_id", batch).set("has_all", has_all).set("new_salt", "salt");
    let tracked = if kind.is_empty() && call.args["options"] == "actions" { "view" } else { kind };
    call.tracked([member, "1", "", id, tracked])
}

/// All keys but the state, the salts of days and the counters of what was refused.
fn kept(server: &Server) -> Vec<String> {
    let is_kept = |key: &String| ![":state", ":refused"].iter().any(|end| key.ends_with(end)) && !key.contains(":salt:");
    server.keys("*").into_iter().filter(is_kept).collect()
}

fn ids(server: &Server) -> i64 {
    server.keys(&format!("{BOARD}:ids:*")).iter().map(|key| server.number(&["SCARD", key])).sum()
}

/// An event that is refused within some bounds counts once within others, by each way, kind and name. `before`: a member that is counted
/// first within the same bounds.
#[track_caller]
fn check(server: &Server, kinds: &[&str], outcome: &str, before: &str, bounds: impl Fn(Call, bool) -> Call) {
    let connection = &connect(server);
    for (way, call) in ways() {
        for kind in kinds {
            for name in NAMES {
                let (refuses, passes) = (bounds(call.clone(), true), bounds(call.clone(), false));
                let about = format!("{outcome} {way} {kind:?} {name:?}");
                server.command(&["FLUSHALL"]);
                server.clock.set(NOON_MS);
                // The second one makes a plan.
                for (n, id) in ["w1", "w2", "w3"].into_iter().enumerate() {
                    let warm = only(&call, "", "a", ("", id, "1"));
                    assert_eq!(warm.outcomes(connection), "c", "{about} {n}");
                }
                if !before.is_empty() {
                    assert_eq!(only(&refuses, "", before, ("", "w4", "1")).outcomes(connection), "c", "{about}");
                }
                let (keys, known) = (kept(server), ids(server));
                for _ in 0..2 {
                    assert_eq!(only(&refuses, kind, "b", name).outcomes(connection), outcome, "{about}");
                }
                assert_eq!(kept(server), keys, "{about}: no mark and no record");
                assert_eq!(ids(server), known, "{about}: no id");
                assert_eq!(only(&passes, kind, "b", name).outcomes(connection), "c", "{about}: it passes");
                assert_eq!(only(&passes, kind, "b", name).outcomes(connection), "d", "{about}: once");
            }
        }
    }
}

#[test]
fn a_full_board_remembers_nothing_of_what_it_refuses() {
    let (server, _) = noon();
    check(&server, &KINDS, "r", "", |call, refuses| call.set("max_members", if refuses { "1" } else { "9" }));
}

#[test]
fn a_sender_of_too_many_new_members_may_send_them_later() {
    let (server, _) = noon();
    check(&server, &KINDS[..2], "m", "z", |call, refuses| call.set("newcomers", if refuses { "1 0 salt 1:v.a" } else { "1 0 salt 1:w.b" }));
}

/// The hour of new members begins with one that counts: what counts them always ends.
#[test]
fn a_full_board_begins_no_hour_of_new_members() {
    let (server, connection) = noon();
    let newcomers = format!("{BOARD}:newcomers");
    for (way, call) in ways() {
        // An hour later there is no room either.
        let units = if call.args["units"].is_empty() { "" } else { "da" };
        let call = call.set("units", units).set("retention", &retention(if units.is_empty() { "" } else { "5184000 0" }));
        let action = if call.args["options"] == "actions" { "view" } else { "" };
        for events in [1, 2] {
            server.command(&["FLUSHALL"]);
            let send = |member: &str, sender: &str, room: &str| {
                let bounded = call.clone().set("newcomers", &format!("1 0 salt {events}:{sender}.a")).set("max_members", room);
                (0..events).fold(bounded, |call, _| call.tracked([member, "1", "", "", action])).outcomes(&connection)
            };
            let hour_later = |hours: i64| server.clock.set(NOON_MS + hours * 3_700_000);
            hour_later(0);
            assert!(send("a", "v", "1").starts_with('c'), "{way}");
            hour_later(1);
            assert!(send("b", "v", "1").starts_with('r'), "{way}");
            assert!(send("b", "w", "9").starts_with('c'), "{way}");
            assert!(server.number(&["TTL", &newcomers]) > 0, "{way}: it ends");
            hour_later(2);
            assert!(send("c", "w", "9").starts_with('c'), "{way}: a new hour");
        }
    }
}

#[test]
fn a_visitor_of_a_crowded_address_may_come_later() {
    let (server, connection) = noon();
    let crowd = "view:o:d:0123456789b:visitor:w.a";
    for (way, call) in ways() {
        for name in NAMES {
            server.command(&["FLUSHALL"]);
            assert_eq!(only(&call, crowd, "a", ("", "", "1")).set("visitors_per_address", "1").outcomes(&connection), "c", "{way}");
            let (keys, known) = (kept(&server), ids(&server));
            let visit = only(&call, KINDS[1], "b", name);
            for _ in 0..2 {
                assert_eq!(visit.clone().set("visitors_per_address", "1").outcomes(&connection), "v", "{way} {name:?}");
            }
            assert_eq!((kept(&server), ids(&server)), (keys, known), "{way} {name:?}");
            assert_eq!(visit.clone().set("visitors_per_address", "2").outcomes(&connection), "c", "{way} {name:?}");
            assert_eq!(visit.set("visitors_per_address", "2").outcomes(&connection), "d", "{way} {name:?}");
        }
    }
}

#[test]
fn an_item_that_is_announced_later_counts() {
    let (server, _) = noon();
    check(&server, &KINDS[..1], "x", "", |call, refuses| call.set("known_for", if refuses { "60" } else { "0" }));
}

/// A batch of which some are refused is known event by event, by the places in it.
#[test]
fn a_batch_with_a_refused_event_is_remembered_event_by_event() {
    let (server, connection) = noon();
    let (a, b, c) = (["a", "1", "", "/0"], ["b", "2", "", "/3"], ["c", "4", "", "/3"]);
    let (again, own) = (["a", "8", "", "/7"], ["a", "16", "", "own"]);
    for (way, call) in ways() {
        for is_tracked in [false, true] {
            let send = |room: &str, id: &str, has_all: &str, events: &[[&str; 4]]| {
                let call = call.clone().set("batch_id", id).set("has_all", has_all).set("max_members", room);
                let plain = if call.args["options"] == "actions" { "view" } else { "" };
                let tracked = |event: &[&str; 4]| {
                    if is_tracked { format!("like:r:-:{:0>11}:actor:u{}", event[0], event[1]) } else { plain.into() }
                };
                let event = |call: Call, event: &[&str; 4]| call.tracked([event[0], event[1], event[2], event[3], &tracked(event)]);
                events.iter().fold(call, event).outcomes(&connection)
            };
            let whole = |room: &str, events: &[[&str; 4]]| send(room, "x", "1", events);
            let begin = || {
                server.command(&["FLUSHALL"]);
                assert_eq!(whole("1", &[a, b, own]), "crc", "{way}");
                assert_eq!(whole("1", &[a, b, own]), "drd", "{way}: the others are known");
            };
            // It passes, or is mended in its place.
            for (event, expected) in [(b, "b"), (c, "c")] {
                begin();
                assert_eq!(whole("2", &[a, event, own]), "dcd", "{way}: {expected}");
                assert_eq!(whole("2", &[a, event, own]), "ddd", "{way}: {expected}");
                assert_eq!(send("2", "x", "0", &[event]), "d", "{way}");
            }
            // Its places mean the same in parts, and in a group of several senders.
            begin();
            assert_eq!(send("2", "x", "0", &[a]), "d", "{way}");
            assert_eq!(send("2", "", "1", &[["a", "1", "", "x/0"], ["b", "2", "", "x/3"]]), "dc", "{way}");
            assert_eq!(whole("2", &[a, b, own]), "ddd", "{way}");
            // What came besides under the same id counts too: it is not what was refused, and not what counted.
            begin();
            assert_eq!(whole("2", &[a, b, again, own]), "dccd", "{way}");
            // A whole batch that counted before is known throughout.
            server.command(&["FLUSHALL"]);
            assert_eq!(whole("9", &[a, again]), "cc", "{way}");
            assert_eq!(whole("1", &[a, b, again]), "ddd", "{way}");
        }
    }
}

/// A refused event that is in a call twice is refused twice: nobody may take it for counted.
#[test]
fn what_repeats_a_refused_event_is_refused() {
    let (server, connection) = noon();
    let (a, b) = (["a", "1", "", "one"], ["b", "2", "", "two"]);
    let send = |room: &str, events: &[[&str; 4]]| {
        events.iter().fold(utc().set("max_members", room), |call, event| call.event(*event)).outcomes(&connection)
    };
    assert_eq!(send("1", &[a, b, b, a]), "crrd");
    assert_eq!(send("2", &[a, b, b, a]), "dcdd");
    assert_eq!(scores(&server, ALL), "a=1 b=2");
}

/// The future of a batch comes, and the rest of it does not count again.
#[test]
fn an_event_of_the_future_counts_when_its_batch_comes_again() {
    let (server, connection) = noon();
    let (now, later) = (["a", "1", "", "/0"], ["a", "2", "@1795176060000", "/1"]);
    let send = |after_s: i64| {
        server.clock.set(NOON_MS + after_s * 1000);
        utc().set("batch_id", "x").event(now).event(later).outcomes(&connection)
    };
    assert_eq!([send(0), send(1), send(61), send(62)], ["cf", "df", "dc", "dd"]);
    assert_eq!(scores(&server, ALL), "a=3");
}
