//! Decaying windows: an event of now, which has a way of its own, counts as it does in a batch.

use super::utc;
use crate::call::{Call, DAY_S, HOUR_S, NOON_MS, changed_ms, connect, retention, unix_s};
use crate::support::Server;

const HALF_LIFE_MS: i64 = 6 * HOUR_S * 1000;
/// From one board of the half-life window to the next.
const SPAN_S: i64 = 512 * HALF_LIFE_MS / 1000;
const WINDOWS: &str = " hot:half-life:-:21600000:0 fading:step:h:0.9:0 smooth:linear:d:1.1:7260";

fn call(decaying: &str, now_s: i64) -> Call {
    Call { about_s: now_s, ..utc() }.since(now_s).set("decaying", decaying).set("stable_from", "0").set("stable_until", "4102444800")
}

/// A board's key, its members with their scores, and its expiry.
type Board = (String, Vec<(String, f64)>, i64);

/// The boards of decaying windows.
fn boards(server: &Server) -> Vec<Board> {
    let held = |key: String| {
        let scores = server.scores(&key).into_iter().map(|(member, score)| (member, score.parse().expect("a score"))).collect();
        let expiry = server.number(&["EXPIRETIME", &key]);
        (key, scores, expiry)
    };
    server.keys("*:window:*").into_iter().map(held).collect()
}

#[test]
fn an_event_of_now_fades_as_in_a_batch() {
    let server = Server::start_at(0);
    let connection = connect(&server);
    let landmark_s = unix_s("2026-11-20T12:00:00Z") / SPAN_S * SPAN_S;
    // Scores of a half-life board grow over its time; near its end events count on the next one too.
    for (after_s, in_hot) in [(1, 1), (DAY_S, 1), (50 * DAY_S, 1), (110 * DAY_S, 1), (127 * DAY_S, 2)] {
        for decaying in [WINDOWS, " hot:half-life:-:21600000:0"] {
            let now_s = landmark_s + after_s + 2 * HOUR_S;
            let call = call(decaying, now_s);
            let [alone, together] = [true, false].map(|is_alone| {
                server.command(&["FLUSHALL"]);
                server.clock.set(now_s * 1000);
                // A state that knows this hour.
                call.clone().event(["first", "1", "", ""]).outcomes(&connection);
                for key in server.keys("*:window:*") {
                    server.command(&["DEL", &key]);
                }
                for (delta, ago) in [("1", "900"), ("3", ""), ("-1", "5000")] {
                    let event = call.clone().event(["a", delta, ago, ""]);
                    let event = if is_alone { event } else { event.event(["b", "1", "", ""]) };
                    assert_eq!(event.outcomes(&connection).trim_end_matches('c'), "");
                }
                boards(&server)
            });
            let hot = alone.iter().filter(|(key, ..)| key.contains(":hot:")).count();
            assert_eq!(hot, in_hot, "{alone:?}");
            assert_eq!(alone.len(), together.len(), "{alone:?} {together:?}");
            for ((key, scores, expiry), (other_key, other_scores, other_expiry)) in alone.iter().zip(&together) {
                assert_eq!(key, other_key);
                let score = |scores: &[(String, f64)]| scores.iter().find(|(member, _)| member == "a").expect("it is there").1;
                let (one, other) = (score(scores), score(other_scores));
                // The calls come some milliseconds apart, linear scores count whole seconds.
                let bound = if key.contains(":smooth:") { 20.0 } else { 1e-3 * other.abs() };
                assert!((one - other).abs() <= bound, "{key}: {one} instead of {other}");
                assert!(*expiry > now_s && (expiry - other_expiry).abs() <= 5400, "{key} expires at {expiry}, not {other_expiry}");
            }
        }
    }
}

/// Sums of binary fractions are kept as they are: only weights are multiples of a millionth.
#[test]
fn small_scores_are_exact() {
    let server = Server::start_at(0);
    let connection = connect(&server);
    let landmark_s = unix_s("2026-11-20T12:00:00Z") / SPAN_S * SPAN_S;
    let now_s = landmark_s + 2 * HOUR_S;
    let call = call(" hot:half-life:-:21600000:0", now_s);
    server.clock.set(now_s * 1000);
    call.clone().event(["first", "1", "", ""]).outcomes(&connection);
    assert_eq!(call.event(["a", "1", "", ""]).outcomes(&connection), "c");
    let now_ms = changed_ms(&server);
    #[expect(clippy::cast_precision_loss, reason = "instants are below 2^53")]
    let worth = 2_f64.powf((now_ms - landmark_s * 1000) as f64 / HALF_LIFE_MS as f64);
    let [board] = &boards(&server)[..] else { panic!("one board") };
    let score = board.1.iter().find(|(member, _)| member == "a").expect("it is there").1;
    assert!((score - worth).abs() <= worth * 1e-14, "{score} instead of {worth}");
}

#[test]
fn full_boards_refuse_new_members() {
    let server = Server::start_at(0);
    let connection = connect(&server);
    let now_s = unix_s("2026-11-20T12:00:00Z");
    // Of a board without other windows, and of one with.
    for units in ["", "a"] {
        let retention = "0".repeat(10 * units.len());
        let call = call(WINDOWS, now_s).set("max_members", "1").set("units", units).set("retention", &retention);
        server.command(&["FLUSHALL"]);
        server.clock.set(now_s * 1000);
        for (member, outcome) in [("a", "c"), ("a", "c"), ("b", "r"), ("a", "c")] {
            assert_eq!(call.clone().event([member, "1", "", ""]).outcomes(&connection), outcome, "{units:?} {member}");
        }
        for (key, scores, _) in boards(&server) {
            assert_eq!(scores.len(), 1, "{key}: {scores:?}");
        }
    }
}

/// Of events of one hour a window with a short half-life takes those that are young enough; a batch counts their actions alike.
#[test]
fn a_batch_may_be_taken_in_part() {
    let server = Server::start_at(NOON_MS + 30 * 60_000);
    let connection = connect(&server);
    let call =
        utc().set("units", "h").set("retention", &retention("259200")).set("decaying", "hot:half-life:-:60000:0").set("options", "actions");
    // An eighth of 512 half-lives is 64 minutes.
    let events = [66, 65, 63, 62].map(|minutes| format!("@{}", NOON_MS + (30 - minutes) * 60_000));
    let held = || {
        let keys = server.keys("*:window:hot:*");
        assert_eq!(keys.len(), 2, "{keys:?}");
        (server.scores(&keys[0]), server.texts(&["HGETALL", &keys[1]]))
    };
    for when in &events {
        assert_eq!(call.clone().tracked(["a", "1", when, "", "act"]).outcomes(&connection), "c");
    }
    let expected = held();
    assert!(expected.1.iter().any(|text| text.starts_with("act 2 ")), "{expected:?}");
    server.command(&["FLUSHALL"]);
    let batch = events.iter().fold(call, |call, when| call.tracked(["a", "1", when, "", "act"]));
    assert_eq!(batch.outcomes(&connection), "cccc");
    assert_eq!(held(), expected);
}
