//! Sums, and how many of them a period holds.

use super::{ALL, DAY, EACH, HOUR, check, noon, plain, scores, utc};
use crate::call::{Call, NOON_MS, connect, counted_keys};
use crate::support::Server;

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
fn windows_are_full_by_their_own_bounds() {
    let server = Server::start_at(NOON_MS);
    let hot = "eb:{site:board}:window:hot:162";
    let (a, b, c) = ([["a", "1", "", ""]], [["b", "2", "", ""]], [["c", "3", "", ""]]);
    for (options, decaying) in [("", ""), ("", "hot:half-life:-:21600000:0"), ("first", ""), ("dense", "")] {
        let call = utc().set("options", options).set("decaying", decaying).set("max_members", "3 d=2 h=1 :hot=1");
        let alone = [plain(0, &a, "c"), plain(1, &b, "c"), plain(2, &c, "c"), plain(3, &a, "c")];
        let rest = [b[0], c[0], a[0]];
        let together = [plain(0, &a, "c"), plain(1, &rest, "ccc")];
        for steps in [&alone[..], &together[..]] {
            check(&server, &call, steps, "a=2 b=2 c=3");
            assert_eq!((scores(&server, DAY).as_str(), scores(&server, HOUR).as_str()), ("a=2 b=2", "a=2"), "{options:?}");
            assert_eq!(server.text(&["GET", &format!("{HOUR}:refused")]), "2");
            assert_eq!(server.keys(&format!("{ALL}:refused")), [""; 0]);
            if !decaying.is_empty() {
                assert_eq!(server.number(&["ZCOUNT", hot, "(-inf", "+inf"]), 1, "{:?}", server.keys("*:window:*"));
            }
        }
        // All of them are full.
        let full = call.set("max_members", "2 a=1 d=1 w=1 m=1 y=1 h=1 :hot=1");
        check(&server, &full, &[plain(0, &a, "c"), plain(1, &b, "r"), plain(2, &[a[0], b[0]], "cr")], "a=2");
    }
}

/// A batch counts as its events do one after the other, also where a sum below zero passes through zero on a full board: it makes
/// room for whoever comes next. So with each index, and none.
#[test]
fn a_sum_that_passes_zero_makes_room() {
    let server = Server::start_at(NOON_MS);
    // All of one instant, since what decays passes zero only then.
    let at = &format!("@{NOON_MS}");
    let (below, up, other) = (["a", "-2", at], ["a", "1", at], ["b", "1", at]);
    for options in ["", "first", "last", "dense", "actions", "dense actions"] {
        for call in [utc(), utc().set("decaying", "hot:half-life:-:21600000:0")] {
            let call = call.set("max_members", "1").set("options", options);
            let action = if options.contains("actions") { "act" } else { "" };
            let add = |call: Call, [member, delta, when]: [&str; 3]| call.tracked([member, delta, when, "", action]);
            server.command(&["FLUSHALL"]);
            let connection = connect(&server);
            let mut alone = String::new();
            for sent in [below, up, up, other, up] {
                alone += &add(call.clone(), sent).outcomes(&connection);
            }
            let expected = (alone, scores(&server, ALL), server.text(&["GET", &format!("{ALL}:refused")]));
            server.command(&["FLUSHALL"]);
            let first = add(call.clone(), below).outcomes(&connection);
            let rest = [up, up, other, up].into_iter().fold(call, add).outcomes(&connection);
            assert_eq!((first + &rest, scores(&server, ALL), server.text(&["GET", &format!("{ALL}:refused")])), expected, "{options:?}");
            assert_eq!(expected.1, "b=1", "{options:?}");
        }
    }
}

#[test]
fn sums_of_zero_leave_and_negative_ones_stay() {
    let server = Server::start_at(NOON_MS);
    let (plus, minus, other, none) = (["a", "2", "", ""], ["a", "-2", "", ""], ["b", "1", "", ""], ["c", "0", "", ""]);
    check(&server, &utc(), &[plain(0, &[plus], "c"), plain(1, &[minus], "c")], "");
    assert_eq!(counted_keys(&server), EACH, "no counter of what was refused");
    check(&server, &utc(), &[plain(0, &[plus, other], "cc"), plain(1, &[minus, other], "cc")], "b=2");
    check(&server, &utc(), &[plain(0, &[plus, minus, none], "ccc"), plain(1, &[none], "c")], "");
    assert_eq!(counted_keys(&server), EACH, "as if they had come one by one");
    check(&server, &utc(), &[plain(0, &[none], "c"), plain(1, &[none, none], "cc")], "");
    assert_eq!(counted_keys(&server), [""; 0], "what adds nothing makes no board");
    check(&server, &utc(), &[plain(0, &[minus], "c"), plain(1, &[minus, other], "cc")], "a=-4 b=1");
    check(&server, &utc(), &[plain(0, &[minus], "c"), plain(1, &[plus], "c"), plain(2, &[plus], "c")], "a=2");
}

#[test]
fn weights_add_up_exactly() {
    let server = Server::start_at(NOON_MS);
    let steps = |delta, more| [[["a", delta, "", ""], ["b", "1", "", ""]], [["a", more, "", ""], ["b", "1", "", ""]]];
    for (delta, more, sum) in [
        ("0.1", "0.2", "0.3"),
        ("2.5", "-1.25", "1.25"),
        ("0.000001", "-0.000002", "-0.000001"),
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
fn a_hundred_events() {
    let (server, connection) = noon();
    let names: Vec<String> = (0..100).map(|i| format!("m{i}")).collect();
    let each = names.iter().fold(utc(), |call, name| call.event([name, "1", "", name]));
    assert_eq!(each.outcomes(&connection), "c".repeat(100));
    assert_eq!(each.outcomes(&connection), "d".repeat(100));
    let same = names.iter().fold(utc(), |call, name| call.event(["m0", "1", "", &format!("2{name}")]));
    assert_eq!(same.outcomes(&connection), "c".repeat(100));
    let spread = (0..100).fold(utc(), |call, i| call.event([&names[i], "1", &(i * 3_600_000).to_string(), ""]));
    assert_eq!(spread.outcomes(&connection), "c".repeat(100));
    assert_eq!(server.number(&["ZCOUNT", ALL, "(-inf", "+inf"]), 100);
    assert_eq!(server.text(&["ZSCORE", ALL, "m0"]), "102");
    assert_eq!(server.text(&["ZSCORE", ALL, "m99"]), "2");
    assert_eq!(server.keys("*:hour:*").len(), 1 + 72, "of a hundred hours the current one and those of three days");
}

/// Small sorted sets are listpacks, larger ones skip lists, counted with their mark; nothing else changes.
#[test]
fn small_and_large_periods_are_alike() {
    let (server, connection) = noon();
    for (members, encoding) in [(127, "listpack"), (128, "skiplist"), (1000, "skiplist")] {
        server.command(&["FLUSHALL"]);
        for start in (0..members).step_by(100) {
            let batch = (start..members.min(start + 100))
                .fold(utc(), |call, i| call.event([&format!("m{i:04}"), &(i % 7 + 1).to_string(), "", ""]));
            batch.outcomes(&connection);
        }
        assert_eq!(server.text(&["OBJECT", "ENCODING", ALL]), encoding);
        utc().event(["m0005", "1", "", ""]).event(["m0010", "-4", "", ""]).outcomes(&connection);
        utc().event(["m0006", "1.5", "", ""]).outcomes(&connection);
        assert_eq!(server.number(&["ZCOUNT", ALL, "(-inf", "+inf"]), members - 1, "m0010 left");
        assert_eq!(server.text(&["ZSCORE", ALL, "m0005"]), "7");
        assert_eq!(server.text(&["ZSCORE", ALL, "m0006"]), "8.5");
    }
}
