//! Who moves the instant of the last change of a target: whoever changes what some window of it shows, and nobody else.

use engine::store::curate::{Change, List};
use engine::store::upkeep::{Chunk, Job, Progress, Task};
use ranking::counting::{Outcome, Target};
use ranking::name::Id;
use ranking::period::Period;
use ranking::window::Unit;
use serde_json::{Value as Json, json};

use super::{like, site, view};
use crate::call::{DAY_S, NOON_MS};
use crate::deployment::{BOARD, Deployment};

const STATE: &str = "eb:{site:board}:state";
const DAY_MS: i64 = DAY_S * 1000;

fn start(board: Json) -> Deployment {
    Deployment::start(&site(board), NOON_MS + 600_000)
}

/// What the state says: the instants of the last change, and of the last one by hand.
fn instants(deployment: &Deployment) -> [Option<u64>; 2] {
    let both = deployment.server.text(&[
        "EVAL",
        "return table.concat({ redis.call('HGET', KEYS[1], 'changed') or '-', redis.call('HGET', KEYS[1], 'curated') or '-' }, ' ')",
        "1",
        STATE,
    ]);
    let (changed, curated) = both.split_once(' ').expect("two");
    [changed.parse().ok(), curated.parse().ok()]
}

/// What something does to the instants.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Moves {
    Nothing,
    Changed,
    ByHand,
}

/// An instant is that of Redis's clock at the change, in microseconds.
#[track_caller]
fn check<R>(deployment: &Deployment, what: &str, expected: Moves, does: impl FnOnce() -> R) -> R {
    let (before, from_ms) = (instants(deployment), deployment.now_ms());
    let done = does();
    let (after, until_ms) = (instants(deployment), deployment.now_ms() + 1);
    let is_now = |at: Option<u64>| at.is_some_and(|at| (from_ms * 1000..until_ms * 1000).contains(&i64::try_from(at).expect("an instant")));
    let moved = [0, 1].map(|i| before[i] != after[i]);
    assert_eq!(moved, [expected != Moves::Nothing, expected == Moves::ByHand], "{what}: {before:?} {after:?}");
    assert!((0..2).all(|i| !moved[i] || is_now(after[i])), "{what}: {after:?} at {from_ms}");
    done
}

/// Sends events, of which the first becomes this.
#[track_caller]
fn check_send(deployment: &Deployment, what: &str, expected: Moves, outcome: Outcome, body: &Json) {
    let outcomes = check(deployment, what, expected, || deployment.send(body));
    assert_eq!(outcomes.first(), Some(&outcome), "{what}: {outcomes:?}");
}

#[test]
fn events_that_are_counted_or_whose_refusal_is_reported_move_it() {
    for (kind, board) in [
        ("plain", json!({ "max_members": 2 })),
        ("with ties", json!({ "max_members": 2, "ties": "first" })),
        ("with a breakdown", json!({ "max_members": 2, "breakdown": true })),
    ] {
        let deployment = start(board);
        let send = |what: &str, moves, outcome, body: Json| check_send(&deployment, &format!("{kind}: {what}"), moves, outcome, &body);
        let (now, late) = (|item| view(item), json!({ "action": "view", "item": "a", "ago": DAY_MS }));
        send("a view", Moves::Changed, Outcome::Counted, json!({ "id": "1", "events": [now("a")] }));
        send("the same again", Moves::Nothing, Outcome::Duplicate, json!({ "id": "1", "events": [now("a")] }));
        send("a batch", Moves::Changed, Outcome::Counted, json!({ "id": "2", "events": [now("a"), now("b")] }));
        send("the same batch again", Moves::Nothing, Outcome::Duplicate, json!({ "id": "2", "events": [now("a"), now("b")] }));
        send("a late view", Moves::Changed, Outcome::Counted, late);
        send("a view that a full board refuses", Moves::Changed, Outcome::Full, now("c"));
        send("two of them", Moves::Changed, Outcome::Full, json!({ "events": [now("c"), now("d")] }));
        send(
            "a view of before all that is kept",
            Moves::Nothing,
            Outcome::TooOld,
            json!({ "action": "view", "item": "a", "at": NOON_MS - 100 * DAY_MS }),
        );
        let two_old = json!({ "action": "view", "item": "a", "at": NOON_MS - 100 * DAY_MS });
        send("two of them", Moves::Nothing, Outcome::TooOld, json!({ "events": [two_old, two_old] }));
        send("a like", Moves::Changed, Outcome::Counted, like("a", "u1", false));
        send("the same like", Moves::Nothing, Outcome::DoneAlready, like("a", "u1", false));
        send("its undo", Moves::Changed, Outcome::Counted, like("a", "u1", true));
        send("another undo", Moves::Nothing, Outcome::UndoneAlready, like("a", "u1", true));
        send("an undo of what was not done", Moves::Nothing, Outcome::NotDone, like("a", "u2", true));
        let ahead = json!({ "action": "view", "item": "a", "at": deployment.now_ms() + 3_600_000 });
        send("a view of the future", Moves::Nothing, Outcome::Future, ahead);
    }
}

#[test]
fn reading_moves_nothing() {
    let deployment = start(json!({ "windows": ["day", "last-7-days", { "name": "hot", "kind": "half-life", "half_life": "6h" }] }));
    check_send(&deployment, "a view", Moves::Changed, Outcome::Counted, &view("a"));
    for window in ["day", "last-7-days", "hot"] {
        check(&deployment, window, Moves::Nothing, || deployment.read(BOARD, window, None));
    }
}

#[test]
fn curation_moves_both() {
    let deployment = start(json!({}));
    deployment.send(&view("a"));
    let id = Id::new("a").expect("an id");
    let curate = |what: &str, moves, list, change: Change<'_>| {
        let board = &deployment.site().boards[BOARD];
        let done =
            check(&deployment, what, moves, || pollster::block_on(deployment.store().curate(deployment.site(), board, list, change)));
        done.expect("redis answers").expect("there is room");
    };
    for list in [List::Hidden, List::Pinned] {
        curate("looking", Moves::Nothing, list, Change::Look);
        curate("putting", Moves::ByHand, list, Change::Put(&id));
        curate("putting again", Moves::Nothing, list, Change::Put(&id));
        curate("deleting", Moves::ByHand, list, Change::Delete(&id));
        curate("deleting again", Moves::Nothing, list, Change::Delete(&id));
    }
}

/// Erases an actor to the end; answers how many chunks did what.
fn erase(deployment: &Deployment, actor: &str) -> Vec<[Option<u64>; 2]> {
    let (id, board) = (Id::new(actor).expect("an id"), &deployment.site().boards[BOARD]);
    let (mut cursor, mut seen) = (String::new(), vec![instants(deployment)]);
    loop {
        let targets = [(Target::Board(board), cursor)];
        let next = pollster::block_on(deployment.store().erase(deployment.site(), &id, 0, &targets)).expect("redis answers").remove(0);
        seen.push(instants(deployment));
        match next {
            Some(next) => cursor = next,
            None => break,
        }
    }
    seen.dedup();
    seen
}

#[test]
fn an_erasure_moves_both_where_the_actor_was() {
    let windows = json!(["day", "last-7-days", { "name": "hot", "kind": "half-life", "half_life": "6h" }]);
    let deployment = start(json!({ "members": "actors", "windows": windows, "breakdown": true }));
    deployment.send(&json!({ "events": [like("a", "u1", false), like("a", "u2", false)] }));
    check(&deployment, "an actor who is not there", Moves::Nothing, || erase(&deployment, "u9"));
    let seen = check(&deployment, "an actor who is there", Moves::ByHand, || erase(&deployment, "u1"));
    assert!(seen.len() > 1);
    check(&deployment, "the same again", Moves::Nothing, || erase(&deployment, "u1"));
    let items = start(json!({}));
    items.send(&like("a", "u1", false));
    check(&items, "what an actor did is not shown on a board of items", Moves::Nothing, || erase(&items, "u1"));
}

fn chunk(deployment: &Deployment, job: Job<'_>) -> Progress {
    let chunk = Chunk { board: &deployment.site().boards[BOARD], job, owner: "test", entries: 1_000, is_early: true };
    let done = pollster::block_on(deployment.store().upkeep(deployment.site(), &[chunk])).expect("redis answers").remove(0);
    done.expect("upkeep succeeds").expect("nobody else is at it")
}

fn finish(deployment: &Deployment, job: Job<'_>) {
    let chunks = (0..100).find(|_| chunk(deployment, job).task == Task::Ready);
    assert!(chunks.is_some(), "{job:?} does not end");
}

#[test]
fn upkeep_moves_it_when_it_did_something() {
    let deployment = start(json!({ "windows": ["day", "last-7-days"], "ranking": "dense" }));
    deployment.send(&json!({ "events": [view("a"), view("b")] }));
    let window = deployment.window(BOARD, "last-7-days").clone();
    check(&deployment, "preparing", Moves::Nothing, || finish(&deployment, Job::Window(&window)));
    check(&deployment, "an idle minute", Moves::Nothing, || finish(&deployment, Job::Window(&window)));
    check(&deployment, "indexes that are there", Moves::Nothing, || finish(&deployment, Job::Indexes));
    check(&deployment, "no past rankings", Moves::Nothing, || finish(&deployment, Job::Past));

    deployment.server.command(&["DEL", "eb:{site:board}:window:last-7-days:20777"]);
    check(&deployment, "a repair", Moves::Changed, || finish(&deployment, Job::Window(&window)));
    for key in deployment.server.keys("*:day:*:holders*") {
        deployment.server.command(&["DEL", &key]);
    }
    deployment.advance(DAY_MS);
    check(&deployment, "an index that was lost", Moves::Changed, || finish(&deployment, Job::Indexes));

    let (store, board) = (deployment.store(), &deployment.site().boards[BOARD]);
    let period = Period { unit: Unit::Day, number: 20_777 };
    let want = || pollster::block_on(store.want(deployment.site(), board, &window, period, "somebody"));
    check(&deployment, "wanting a past ranking", Moves::Nothing, want).expect("redis answers");
    check(&deployment, "a past ranking", Moves::Changed, || finish(&deployment, Job::Past));
    assert!(deployment.read(BOARD, "last-7-days", Some(20_777)).info.complete);
}

#[test]
fn trimming_moves_it_when_somebody_is_dropped() {
    let deployment = start(json!({ "windows": [{ "name": "hot", "kind": "half-life", "half_life": "1m" }] }));
    deployment.send(&view("a"));
    let window = deployment.window(BOARD, "hot").clone();
    check(&deployment, "nobody has faded", Moves::Nothing, || chunk(&deployment, Job::Window(&window)));
    deployment.advance(30 * 60_000);
    check(&deployment, "somebody has faded", Moves::Changed, || chunk(&deployment, Job::Window(&window)));
    check(&deployment, "nobody is left", Moves::Nothing, || chunk(&deployment, Job::Window(&window)));
}

#[test]
fn other_options_of_the_indexes_move_it() {
    let mut deployment = start(json!({ "windows": ["day", "last-7-days"], "ties": "first" }));
    deployment.send(&view("a"));
    deployment.configure(&site(json!({ "windows": ["day", "last-7-days"], "ties": "last" })));
    let window = deployment.window(BOARD, "last-7-days").clone();
    check(&deployment, "upkeep under other options", Moves::Changed, || chunk(&deployment, Job::Window(&window)));
}
