//! The order of ties: members of equal scores stand in the order in which they reached them, whatever happens in whatever
//! order. They share the ranks that a plain count gives them.
//!
//! # Out of scope
//! Zones, and sums themselves: rolling.rs and histories.rs.

mod boards;
mod model;

use proptest::prelude::*;
use proptest::sample::Index;
use ranking::counting::Verb;
use ranking::site::Ranking;

use crate::cases;
use crate::support::Server;
use boards::{Boards, DECIDED, DENSE, LATE, REPAIRS, UNDONE, member_of, score};
use model::{Scope, Sent, Standing};

/// 2026-03-27T22:30:00Z
const START_MS: i64 = 1_774_650_600_000;
const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

const MAX_STEPS: usize = 40;
/// Both orders are kept of the same events, each on a board of its own.
const BOARDS: [&str; 2] = ["first", "last"];
const RANKINGS: [Ranking; 2] = [Ranking::Dense, Ranking::Competition];
const ROLLING: &str = "last-3-days";
/// Days in the rolling window.
const LENGTH: i64 = 3;

#[derive(Clone, Debug)]
enum Step {
    /// Events in one call.
    Batch(Vec<Event>),
    /// Minutes.
    Advance(i64),
    /// To shortly after midnight, and whether upkeep ran before.
    Midnight(bool),
    /// A chunk of upkeep, of so many lookups.
    Chunk(u32),
    /// Upkeep to the end.
    Upkeep,
    /// What readers do: the current rolling board is repaired, and one of the last days' is built.
    Read(i64),
}

#[derive(Clone, Debug)]
enum Event {
    Plain {
        member: u8,
        weight: i64,
        minutes_ago: i64,
    },
    Do {
        member: u8,
        actor: u8,
        weight: i64,
        minutes_ago: i64,
    },
    /// Of one of the tracked actions of earlier calls.
    Undo(Index),
}

fn event(members: u8) -> impl Strategy<Value = Event> {
    let day = 24 * 60;
    let minutes_ago = move || prop_oneof![5 => Just(0), 2 => Just(day), 2 => Just(2 * day), 1 => 1..100_i64, 2 => 60..4 * day];
    let weight = || prop_oneof![6 => Just(1_i64), 3 => Just(2), 2 => Just(-1), 1 => Just(-2)];
    prop_oneof![
        5 => (0..members, weight(), minutes_ago()).prop_map(|(member, weight, minutes_ago)| Event::Plain { member, weight, minutes_ago }),
        3 => (0..members, 0..3_u8, weight(), minutes_ago())
            .prop_map(|(member, actor, weight, minutes_ago)| Event::Do { member, actor, weight, minutes_ago }),
        3 => any::<Index>().prop_map(Event::Undo),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let minutes = prop_oneof![2 => 1..90_i64, 1 => 60..30 * 60_i64, 1 => 24 * 60..5 * 24 * 60_i64];
    let point = (0..2_u8, 0..3_i64).prop_map(|(member, days_ago)| Event::Plain { member, weight: 1, minutes_ago: days_ago * 24 * 60 });
    prop_oneof![
        7 => event(6).prop_map(|event| Step::Batch(vec![event])),
        3 => prop::collection::vec(event(6), 2..6).prop_map(Step::Batch),
        2 => prop::collection::vec(event(2), 3..9).prop_map(Step::Batch),
        2 => prop::collection::vec(point, 4..9).prop_map(Step::Batch),
        2 => minutes.prop_map(Step::Advance),
        4 => any::<bool>().prop_map(Step::Midnight),
        2 => (1..40_u32).prop_map(Step::Chunk),
        2 => Just(Step::Upkeep),
        3 => (1..4_i64).prop_map(Step::Read),
    ]
}

#[test]
fn histories() {
    let server = Server::start_at(START_MS);
    let history = (any::<bool>(), 3..=6_u8, prop::collection::vec(step(), 1..=MAX_STEPS));
    let cases = cases::number(128);
    cases::run(file!(), cases, &history, |(forgets_soon, members, history)| {
        // Time goes by in whole minutes, so that no actor history ends while a step is taken.
        let mut boards = Boards::new(&server, if forgets_soon { "91023s" } else { "31d" }, members);
        history.iter().chain([&Step::Read(1), &Step::Upkeep]).try_for_each(|step| boards.step(step))
    });
    let cases = cases as usize;
    DECIDED.assert_above(20 * cases);
    DENSE.assert_above(cases / 2);
    LATE.assert_above(cases);
    UNDONE.assert_above(cases / 4);
    REPAIRS.assert_above(cases / 8);
}

/// Tracked actions of one member, undone the newest last and each shortly before it is too late. What the first undo said is
/// needed for longer than the actor history.
#[test]
fn undone_actions_are_skipped_for_as_long_as_a_later_one_can_be_undone() {
    let server = Server::start_at(START_MS);
    let mut boards = Boards::new(&server, "1d", 2);
    let point = |member| (member, None, None);
    let like = |actor| (0, Some(actor), Some(Verb::DoReversibly));
    let undo = |actor| (0, Some(actor), Some(Verb::Undo));
    // It is 22:30.
    for (hours_later, (member, actor, verb)) in
        [(0, point(0)), (0, point(1)), (0, like(0)), (0, like(1)), (1, undo(0)), (22, like(2)), (0, undo(1)), (23, undo(2))]
    {
        boards.advance(hours_later * HOUR_MS);
        let sent = Sent { member, actor, at_ms: boards.now_ms, weight: 1, verb };
        boards.put(&[sent]).and_then(|()| boards.check()).unwrap_or_else(|failure| panic!("{failure}"));
    }
    let standing = |member| boards.model.standing(member, Scope::Always);
    assert_eq!([standing(0), standing(1)].map(|standing| (standing.sum, standing.sequence)), [(1, Some(0)), (1, Some(1))]);
}

/// An event's sequence number follows its index in the batch, whatever periods the others lie in.
#[test]
fn a_batch_over_several_periods() {
    let server = Server::start_at(START_MS);
    for hours_ago in [2, 24, 100] {
        let mut boards = Boards::new(&server, "31d", 2);
        let sent = |(member, hours_ago)| Sent { member, actor: None, at_ms: START_MS - hours_ago * HOUR_MS, weight: 1, verb: None };
        let batch = [(0, 0), (0, hours_ago), (1, 0), (1, 0), (1, 0), (0, 0)].map(sent);
        boards.put(&batch).and_then(|()| boards.check()).unwrap_or_else(|failure| panic!("{hours_ago} hours ago: {failure}"));
        assert_eq!(boards.model.standing(0, Scope::Always), Standing { sum: 3, sequence: Some(5) });
    }
}

/// To the last event and the highest score that the order is exact for; past them scores keep theirs.
#[test]
fn the_limits() {
    let server = Server::start_at(START_MS);
    for (before, points, exact) in [
        (0_i64, 1, true),
        (0, (1 << 17) - 1, true),
        (0, 1 << 17, true),
        (0, 267_911_167, true),
        (34_359_738_364, 1, true),
        (34_359_738_364, 267_911_167, true),
        (0, 267_911_168, false),
        (34_359_738_367, 1, false),
    ] {
        let mut boards = Boards::new(&server, "31d", 3);
        for board in BOARDS {
            server.command(&["HSET", &format!("eb:{{site:{board}}}:state"), "layout", "2", "sequence", &before.to_string()]);
        }
        let sent = |member| Sent { member, actor: None, at_ms: boards.now_ms, weight: points, verb: None };
        let batch = [1, 2, 0].map(sent);
        boards.put(&batch).expect("counted");
        let orders = BOARDS.map(|board| {
            let page = boards.read(&boards.configs[0], board, "day", None, [0, 10]);
            assert!(page.entries.iter().all(|entry| entry.score == score(points) && entry.rank == 1));
            page.entries.iter().map(|entry| member_of(&entry.id)).collect::<Vec<u8>>()
        });
        let expected = if exact { [[1, 2, 0], [0, 2, 1]] } else { [[2, 1, 0]; 2] };
        assert_eq!(orders, expected, "{points} after {before} events");
    }
}

/// Scores keep their order up to where whole numbers end.
#[test]
fn great_scores_keep_their_order() {
    let server = Server::start_at(START_MS);
    let limit = 267_911_168;
    let scores = [1 << 53, (1 << 53) - 1, (1 << 52) + limit, (1 << 52) - 1, 1 << 40, limit + 1, limit, limit - 1, 1];
    let mut boards = Boards::new(&server, "31d", 9);
    for member in [4, 0, 7, 2, 8, 1, 6, 3, 5] {
        let sent = Sent { member, actor: None, at_ms: boards.now_ms, weight: scores[usize::from(member)], verb: None };
        boards.put(&[sent]).expect("counted");
    }
    boards.check().unwrap_or_else(|failure| panic!("{failure}"));
}

/// The indexes of a board expire with it, and not before what says that it is there.
#[test]
fn the_indexes_of_a_board_expire_with_it() {
    let server = Server::start_at(START_MS);
    let mut boards = Boards::new(&server, "31d", 3);
    for step in [Step::Batch(vec![Event::Do { member: 0, actor: 0, weight: 1, minutes_ago: 1500 }]), Step::Read(1)] {
        boards.step(&step).unwrap_or_else(|failure| panic!("{failure}"));
    }
    let mut compared = 0;
    for key in server.keys("*") {
        let Some(board) = [":first", ":last", ":distinct", ":holders"].iter().find_map(|end| key.strip_suffix(end)) else { continue };
        compared += 1;
        assert_eq!(server.command(&["EXPIRETIME", &key]), server.command(&["EXPIRETIME", board]), "{key}");
    }
    assert!(compared >= 12, "{compared}");
    boards.advance(130 * DAY_MS);
    let remaining = server.keys("*").into_iter().filter(|key| !key.contains(":all:") && !key.ends_with(":state"));
    assert_eq!(remaining.collect::<Vec<_>>(), Vec::<String>::new());
}
