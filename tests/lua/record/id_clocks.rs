//! Ids under a clock that steps back, and sets of ids that are full.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::utc;
use crate::call::{Call, DAY_S, HOUR_S, NOON_MS, NOON_S, calls, connect};
use crate::cases::{self, Counter};
use crate::support::{Connection, Server};

const CASES: u32 = 64;
/// What sets of ids hold, about (`MAX_IDS` in lua/lib/ids).
const MAX_IDS: i64 = 1_000_000;

static KNOWN: Counter = Counter::new("ids that were known after a step back");

/// What the clock does before an id is sent.
#[derive(Clone, Debug)]
enum Move {
    /// It goes on, by seconds.
    On(i64),
    /// Somebody sets it back.
    Back(i64),
}

fn call(now_s: i64, id: u8, is_batch: bool) -> Call {
    let id = format!("id{id}");
    let call = Call::record("UTC", now_s);
    if is_batch {
        return call.set("batch_id", &id).event(["a", "1", "", "/0"]).event(["b", "1", "", "/1"]);
    }
    call.event(["a", "1", "", &id])
}

/// An id that was sent less than a replay window ago, by a clock that only goes on, counts nothing, whatever the server's does.
fn play(server: &Server, steps: &[(Move, u8, bool)]) -> Result<(), TestCaseError> {
    server.command(&["FLUSHALL"]);
    let connection = connect(server);
    let (mut now_s, mut passed_s, mut went_back) = (NOON_S, 0, false);
    let mut sent_at: BTreeMap<u8, i64> = BTreeMap::new();
    for (step, id, is_batch) in steps {
        match step {
            Move::On(s) => {
                now_s += s;
                passed_s += s;
            }
            Move::Back(s) => {
                now_s -= s;
                went_back = true;
            }
        }
        server.clock.set(now_s * 1000);
        let outcomes = call(now_s, *id, *is_batch).outcomes(&connection);
        match sent_at.insert(*id, passed_s) {
            None => prop_assert!(!outcomes.contains('d'), "new: {outcomes}"),
            // The server's clock goes on while the test works.
            Some(at_s) if passed_s - at_s < HOUR_S - 60 => {
                prop_assert!(!outcomes.contains('c'), "known {} s after it was sent: {outcomes}", passed_s - at_s);
                KNOWN.add(usize::from(went_back));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

#[test]
fn ids_count_once_whatever_the_clock_does() {
    let server = Server::start_at(NOON_MS);
    let moves = prop_oneof![
        6 => (0..2 * HOUR_S / 3).prop_map(Move::On),
        1 => (0..3 * HOUR_S).prop_map(Move::On),
        2 => prop::sample::select(vec![2, 60, HOUR_S, DAY_S, 40 * DAY_S]).prop_map(Move::Back),
    ];
    let history = prop::collection::vec((moves, 0..6_u8, any::<bool>()), 1..40);
    cases::run(file!(), cases::number_of_whole(CASES), &history, |steps| play(&server, &steps));
    KNOWN.assert_above(100);
}

/// A flood of ids does not fill the memory: a full set takes its turn early, and ids of a moment ago are still known.
#[test]
fn a_full_set_takes_its_turn() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    let one = |id: &str, connection: &Connection| utc().event(["a", "1", "", id]).outcomes(connection);
    let many = |id: &str, connection: &Connection| {
        utc().set("batch_id", id).event(["a", "1", "", "/0"]).event(["b", "1", "", "/1"]).outcomes(connection)
    };
    for (path, send) in [("one event", &one as &dyn Fn(&str, &Connection) -> String), ("a batch", &many)] {
        server.command(&["FLUSHALL"]);
        assert!(!send("first", &connection).contains('d'), "{path}");
        let [set] = &server.keys("*:ids:*")[..] else { panic!("{path}: one set") };
        for first in (0..MAX_IDS).step_by(1_000) {
            let ids: Vec<String> = (first..first + 1_000).map(|id| format!("id{id:06}")).collect();
            server.command(&[&["SADD", set], &ids.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat());
        }
        // It is looked for now and then, by the clock.
        let turned = (0..3_000).find(|i| {
            send(&format!("more{i}"), &connection);
            server.keys("*:ids:*").len() == 2
        });
        assert!(turned.is_some(), "{path}");
        assert_eq!(send("first", &connection), if path == "a batch" { "dd" } else { "d" });
        assert!(server.number(&["TTL", set]) > HOUR_S - 600, "{path}: it is known for the window");
        assert!(server.number(&["SCARD", set]) < MAX_IDS + 3_001, "{path}");
    }
}

/// In one millisecond of 64 an event also asks whether the set is full, which takes that command and no other.
#[test]
fn looking_for_a_full_set_takes_one_command() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    for options in ["", "first", "actions"] {
        server.command(&["FLUSHALL"]);
        // By whether the call asked: its commands besides.
        let mut costs: BTreeMap<bool, BTreeSet<u64>> = BTreeMap::new();
        let tries = (0..3_000).find(|i| {
            server.clock.set(NOON_MS + 65 * i);
            server.command(&["CONFIG", "RESETSTAT"]);
            let call = utc().set("options", options).set("rolling", "last-7-days:d:7");
            assert_eq!(call.tracked(["a", "1", "", &format!("id{i}"), "view"]).outcomes(&connection), "c");
            let mut calls = calls(&server);
            let looks = calls.remove("scard").is_some();
            // The first ones make the keys, and the plan.
            if *i > 3 {
                costs.entry(looks).or_default().insert(calls.values().sum());
            }
            *i > 40 && costs.len() == 2
        });
        assert!(tries.is_some(), "{options}: {costs:?}");
        assert_eq!(costs[&true], costs[&false], "{options}");
    }
}
