//! What actors did to an item that becomes another one, beside a plain model: what stands for both is one action.

use std::collections::{BTreeMap, BTreeSet};

use engine::store::alias::Alias;
use engine::store::keep_off::Whom;
use proptest::prelude::*;
use ranking::counting::Outcome;
use ranking::name::Id;
use serde_json::{Value as Json, json};

use super::{DAY_MS, FEW, HOUR_MS, ITEMS, MINUTE_MS, NEW, OLD, START_MS, chunk};
use crate::cases::{self, Counter};
use crate::deployment::{BOARD, Contents, Deployment, Held, sorted};

const CASES: u32 = 12;
const ACTORS: usize = 4;
const PEOPLE: &str = "people";
const VIEW: f64 = 1.0;
const LIKE: f64 = 10.0;
const SHARE: f64 = 100.0;

static CHUNKS: Counter = Counter::new("chunks between other steps");
static DOUBLE: Counter = Counter::new("actors who liked both");
static UNDONE: Counter = Counter::new("likes of the old item that were undone since");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Like,
    Unlike,
    Share,
    View,
}

#[derive(Clone, Debug)]
struct Sent {
    act: Act,
    item: usize,
    actor: usize,
    ago_ms: i64,
}

#[derive(Clone, Debug)]
enum Step {
    Batch(Vec<Sent>),
    Advance(i64),
    Alias,
    Upkeep,
    Restart,
}

fn sent() -> impl Strategy<Value = Sent> {
    let act = prop_oneof![5 => Just(Act::Like), 3 => Just(Act::Unlike), 3 => Just(Act::Share), 1 => Just(Act::View)];
    let ago_ms = prop_oneof![4 => Just(0), 2 => 0..3 * HOUR_MS, 2 => 0..3 * DAY_MS];
    let item = prop_oneof![4 => 0..2_usize, 1 => 2..3_usize];
    (act, item, 0..ACTORS, ago_ms).prop_map(|(act, item, actor, ago_ms)| Sent { act, item, actor, ago_ms })
}

fn batch() -> impl Strategy<Value = Step> {
    // One that comes alone is counted straight.
    prop_oneof![prop::collection::vec(sent(), 1..2), prop::collection::vec(sent(), 1..5)].prop_map(Step::Batch)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => batch(),
        2 => prop_oneof![(1..30_i64).prop_map(|fives| fives * 5 * MINUTE_MS), Just(DAY_MS)].prop_map(Step::Advance),
        4 => Just(Step::Alias),
        1 => Just(Step::Upkeep),
        1 => Just(Step::Restart),
    ]
}

fn site(has_actions: bool) -> Json {
    let windows = json!(["day", "all", "last-3-days"]);
    json!({
        "actions": { "view": {}, "like": { "reversible": true }, "share": {} },
        "boards": {
            BOARD: { "weights": { "view": VIEW, "like": LIKE, "share": SHARE }, "once": { "share": "day" }, "windows": windows, "breakdown": has_actions },
            PEOPLE: { "members": "actors", "weights": { "like": LIKE }, "windows": windows },
        },
    })
}

/// A like: when it happened, and when it was recorded, while it stands.
type Like = Option<(i64, i64)>;

/// What counted, by item.
#[derive(Default)]
struct Model {
    likes: BTreeMap<(usize, &'static str), Like>,
    shared: BTreeSet<(usize, &'static str, i64)>,
    /// Likes aside: by item and day.
    points: BTreeMap<(&'static str, i64), f64>,
    is_merged: bool,
}

impl Model {
    fn apply(&mut self, sent: &Sent, now_ms: i64) -> Outcome {
        let item = if self.is_merged && sent.item == 0 { NEW } else { ITEMS[sent.item] };
        let (at_ms, key) = (now_ms - sent.ago_ms, (sent.actor, item));
        let day = at_ms.div_euclid(DAY_MS);
        let known = self.likes.get(&key).copied();
        match (sent.act, known) {
            (Act::Like, Some(Some(_))) => return Outcome::DoneAlready,
            (Act::Like, _) => drop(self.likes.insert(key, Some((at_ms, now_ms)))),
            (Act::Unlike, None) => return Outcome::NotDone,
            (Act::Unlike, Some(None)) => return Outcome::UndoneAlready,
            (Act::Unlike, Some(Some(_))) => {
                UNDONE.add(usize::from(self.is_merged && sent.item == 0));
                self.likes.insert(key, None);
            }
            // Marks are kept for a day after theirs.
            (Act::Share, _) if now_ms < (day + 2) * DAY_MS && !self.shared.insert((sent.actor, item, day)) => return Outcome::DoneAlready,
            (Act::Share, _) => *self.points.entry((item, day)).or_default() += SHARE,
            (Act::View, _) => *self.points.entry((item, day)).or_default() += VIEW,
        }
        Outcome::Counted
    }

    fn merge(&mut self) {
        self.is_merged = true;
        for actor in 0..ACTORS {
            let Some(old) = self.likes.remove(&(actor, OLD)) else { continue };
            let new = self.likes.entry((actor, NEW)).or_insert(old);
            DOUBLE.add(usize::from(old.is_some() && new.is_some() && old != *new));
            // The one that was recorded first stands; of one call the other item's.
            *new = match (old, *new) {
                (Some(old), Some(new)) => Some(if old.1 < new.1 { old } else { new }),
                (old, new) => old.or(new),
            };
        }
        let shared = std::mem::take(&mut self.shared);
        self.shared = shared.into_iter().map(|(actor, item, day)| (actor, if item == OLD { NEW } else { item }, day)).collect();
        for ((item, day), points) in std::mem::take(&mut self.points) {
            *self.points.entry((if item == OLD { NEW } else { item }, day)).or_default() += points;
        }
    }

    /// Points by member and day.
    fn scores(&self, board: &str) -> BTreeMap<(String, i64), f64> {
        let mut scores = BTreeMap::new();
        for ((actor, item), (at_ms, _)) in self.likes.iter().filter_map(|(key, like)| Some((key, (*like)?))) {
            let member = if board == PEOPLE { format!("u{actor}") } else { (*item).to_owned() };
            *scores.entry((member, at_ms.div_euclid(DAY_MS))).or_default() += LIKE;
        }
        for ((item, day), points) in self.points.iter().filter(|_| board == BOARD) {
            *scores.entry(((*item).to_owned(), *day)).or_default() += points;
        }
        scores
    }
}

fn check_board(model: &Model, contents: &Contents, board: &str, today: i64) -> Result<(), TestCaseError> {
    let (scores, mut all, mut rolling) = (model.scores(board), BTreeMap::new(), BTreeMap::new());
    let mut days: BTreeMap<i64, BTreeMap<String, f64>> = (today - 5..=today).map(|day| (day, BTreeMap::new())).collect();
    for ((member, day), points) in scores {
        *all.entry(member.clone()).or_insert(0.0) += points;
        if day > today - 3 {
            *rolling.entry(member.clone()).or_insert(0.0) += points;
        }
        days.entry(day).or_default().insert(member, points);
    }
    for (day, expected) in days {
        prop_assert_eq!(sorted(contents, &format!("eb:{{site:{board}}}:day:{day}")), expected, "{} {}", board, day);
    }
    prop_assert_eq!(sorted(contents, &format!("eb:{{site:{board}}}:all:0")), all, "{}", board);
    prop_assert_eq!(sorted(contents, &format!("eb:{{site:{board}}}:window:last-3-days:{today}")), rolling, "{}", board);
    Ok(())
}

/// How often the activity log says that each actor liked something, over all days.
fn likes_in_log(contents: &Contents) -> BTreeMap<String, i64> {
    let mut likes = BTreeMap::new();
    for (_, key) in contents.iter().filter(|(key, _)| key.starts_with("eb:{site}:day:")) {
        let Held::Hash(fields) = &key.held else { continue };
        for (actor, tally) in fields.iter().filter(|(actor, _)| !actor.starts_with('\0')) {
            let words: Vec<&str> = tally.split(' ').collect();
            let count = words.chunks(3).find(|words| words[0] == "like").map_or(0, |words| words[1].parse::<i64>().expect("a count"));
            *likes.entry(actor.clone()).or_default() += count;
        }
    }
    likes.retain(|_, count| *count != 0);
    likes
}

fn check(has_actions: bool, steps: impl Iterator<Item = Step>) -> Result<(), TestCaseError> {
    let (mut deployment, mut model) = (Deployment::start(&site(has_actions), START_MS), Model::default());
    deployment.put(&[json!({ "action": "view", "item": "/a" })]);
    deployment.server.command(&["FLUSHALL"]);
    for step in steps {
        // No two calls are of one instant.
        deployment.advance(1000);
        match step {
            Step::Batch(sent) => {
                let now_ms = deployment.now_ms();
                let body = |sent: &Sent| {
                    let action = match sent.act {
                        Act::Like | Act::Unlike => "like",
                        Act::Share => "share",
                        Act::View => "view",
                    };
                    let is_undo = sent.act == Act::Unlike;
                    let mut event = json!({ "action": action, "item": ITEMS[sent.item], "actor": format!("u{}", sent.actor) });
                    if is_undo {
                        event["undo"] = json!(true);
                    } else {
                        event["at"] = json!(now_ms - sent.ago_ms);
                    }
                    event
                };
                let outcomes = deployment.put(&sent.iter().map(body).collect::<Vec<_>>());
                let expected: Vec<Outcome> = sent.iter().map(|sent| model.apply(sent, now_ms)).collect();
                prop_assert_eq!(outcomes, expected, "{:?}", sent);
            }
            Step::Advance(ms) => deployment.advance(ms),
            Step::Alias => {
                chunk(&deployment, FEW);
                if !model.is_merged {
                    model.merge();
                }
                CHUNKS.add(1);
            }
            Step::Upkeep => deployment.upkeep(BOARD),
            Step::Restart => deployment.restart(),
        }
    }
    while chunk(&deployment, Alias::ENTRIES) {}
    if !model.is_merged {
        model.merge();
    }
    for board in [BOARD, PEOPLE] {
        deployment.upkeep(board);
        deployment.upkeep(board);
    }
    let (contents, today) = (deployment.contents(), deployment.now_ms().div_euclid(DAY_MS));
    check_board(&model, &contents, BOARD, today)?;
    check_board(&model, &contents, PEOPLE, today)?;
    let mut standing: BTreeMap<String, i64> = BTreeMap::new();
    for ((actor, _), _) in model.likes.iter().filter(|(_, like)| like.is_some()) {
        *standing.entry(format!("u{actor}")).or_default() += 1;
    }
    prop_assert_eq!(likes_in_log(&contents), standing);
    Ok(())
}

#[test]
fn what_was_done_to_both_is_one_action() {
    // Most histories begin an alias soon, before anybody has liked both.
    let strategy = (any::<bool>(), prop::collection::vec(batch(), 4..9), prop::collection::vec(step(), 1..50));
    cases::run(file!(), cases::number_of_whole(CASES), &strategy, |(has_actions, before, steps)| {
        check(has_actions, before.into_iter().chain(steps))
    });
    CHUNKS.assert_above(CASES as usize / 2);
    DOUBLE.assert_above(0);
    UNDONE.assert_above(0);
}

/// A like of an item, or its undo.
fn like(item: &str, is_undone: bool) -> Json {
    json!({ "action": "like", "item": item, "actor": "u1", "undo": is_undone })
}

/// The points of the new item on all time and on the rolling window.
#[track_caller]
fn points(deployment: &Deployment) -> [Option<f64>; 2] {
    ["all", "last-3-days"].map(|window| {
        let page = deployment.read(BOARD, window, None);
        page.entries.iter().find(|entry| entry.id.as_str() == NEW).map(|entry| entry.score.value())
    })
}

/// Takes an item off the board, and lets it in again.
fn remove_and_let_in(deployment: &Deployment, item: &str) {
    let whom = Whom::Member(Id::new(item).expect("an id"));
    deployment.advance(1000);
    deployment.remove(BOARD, &whom, true);
    deployment.advance(1000);
    deployment.let_in(BOARD, &whom);
    deployment.advance(1000);
}

#[test]
fn what_went_with_a_removal_of_the_old_item_takes_nothing_back() {
    let deployment = Deployment::start(&site(true), START_MS);
    assert_eq!(deployment.put(&[like(OLD, false)]), [Outcome::Counted]);
    remove_and_let_in(&deployment, OLD);
    assert_eq!(deployment.put(&[like(NEW, false)]), [Outcome::Counted]);
    deployment.advance(1000);
    while chunk(&deployment, FEW) {}
    assert_eq!(points(&deployment), [Some(LIKE); 2]);
    assert_eq!(deployment.put(&[like(OLD, false)]), [Outcome::DoneAlready]);
    assert_eq!(deployment.put(&[like(OLD, true)]), [Outcome::Counted]);
    assert_eq!(points(&deployment), [None; 2]);
}

#[test]
fn what_was_done_before_the_new_item_was_let_in_stands() {
    let deployment = Deployment::start(&site(true), START_MS);
    assert_eq!(deployment.put(&[like(OLD, false)]), [Outcome::Counted]);
    remove_and_let_in(&deployment, NEW);
    while chunk(&deployment, FEW) {}
    assert_eq!(points(&deployment), [Some(LIKE); 2]);
    deployment.advance(1000);
    assert_eq!(deployment.put(&[like(NEW, false)]), [Outcome::DoneAlready]);
    assert_eq!(deployment.put(&[like(NEW, true)]), [Outcome::Counted]);
    assert_eq!(points(&deployment), [None; 2]);
}
