//! An item becomes another one, one chunk after the other, while events of both go on: what Redis holds then is what it would hold if all
//! events had been sent to the other one.
//!
//! How far it is stands in Redis alone. So a chunk that somebody else asks for, after a restart, is a run that was killed there and done
//! again.

mod kinds;
mod tracked;

use std::collections::{BTreeMap, BTreeSet};

use engine::store::alias::Alias;
use proptest::prelude::*;
use ranking::page::{Entry, Page, Previous};
use serde_json::{Value as Json, json};

use crate::call::NOON_MS;
use crate::cases::{self, Counter};
use crate::deployment::{BOARD, Contents, Deployment, Held, Key};

const MINUTE_MS: i64 = 60_000;
/// Never near the end of an hour, as clocks move by five minutes.
const START_MS: i64 = NOON_MS + 2 * MINUTE_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;
const OLD: &str = "/old";
const NEW: &str = "/new";
const ITEMS: [&str; 4] = [OLD, NEW, "/a", "/b"];
/// As few entries as this let a chunk look at a few boards.
const FEW: u32 = 40;
const CASES: u32 = 10;

/// A chunk on each target that is not done. Answers whether any is left.
#[track_caller]
fn chunk(deployment: &Deployment, entries: u32) -> bool {
    deployment.alias_chunk(OLD, NEW, entries)
}

#[derive(Clone, Debug)]
struct View {
    item: usize,
    /// The other action.
    is_share: bool,
    count: u32,
    ago_ms: i64,
}

#[derive(Clone, Debug)]
enum Step {
    Views(Vec<View>),
    Advance(i64),
    Upkeep,
    /// A chunk of upkeep of this many entries.
    Keep(u32),
    /// The item becomes the other one, or a chunk of that.
    Alias,
    Restart,
}

fn view() -> impl Strategy<Value = View> {
    let ago_ms = prop_oneof![6 => Just(0), 3 => 0..3 * HOUR_MS, 3 => 0..4 * DAY_MS];
    (0..ITEMS.len(), any::<bool>(), 1..4_u32, ago_ms).prop_map(|(item, is_share, count, ago_ms)| View { item, is_share, count, ago_ms })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => prop::collection::vec(view(), 1..2).prop_map(Step::Views),
        4 => prop::collection::vec(view(), 1..8).prop_map(Step::Views),
        2 => prop_oneof![(1..30_i64).prop_map(|fives| fives * 5 * MINUTE_MS), Just(DAY_MS)].prop_map(Step::Advance),
        2 => Just(Step::Upkeep),
        2 => (1..40_u32).prop_map(Step::Keep),
        6 => Just(Step::Alias),
        1 => Just(Step::Restart),
    ]
}

/// The boards differ by what is kept beside scores.
fn site(kind: usize) -> Json {
    let mut board = json!({
        "weights": { "view": 1, "share": 2.5 },
        "windows": ["hour", "day", "week", "all", "last-3-days", "last-2-hours"],
        "breakdown": true,
    });
    if kind == 1 {
        board["weights"]["share"] = json!(3);
        (board["ties"], board["ranking"]) = (json!("last"), json!("dense"));
    }
    if kind == 2 {
        board["weights"]["share"] = json!(3);
        (board["ties"], board["breakdown"]) = (json!("first"), json!(false));
    }
    json!({ "actions": { "view": {}, "share": {} }, "boards": { BOARD: board }, "activity": false })
}

/// What every key of a board holds that readers see.
fn seen(contents: &Contents) -> BTreeMap<String, Held> {
    let internal =
        |key: &str| [":state", ":moved", ":refused", ":scan", ":touched"].iter().any(|end| key.ends_with(end)) || key.contains(":past:");
    let held = |held: &Held| match held {
        Held::Sorted(members) => {
            let mut members: Vec<_> = members.iter().filter(|(member, _)| !member.starts_with('\0')).cloned().collect();
            members.sort();
            Held::Sorted(members)
        }
        Held::Hash(fields) => Held::Hash(fields.iter().map(|(field, value)| (field.clone(), words(field, value))).collect()),
        other => other.clone(),
    };
    contents.iter().filter(|(key, _)| !internal(key)).map(|(key, of)| (key.clone(), held(&of.held))).collect()
}

/// Whether a key is of no rolling window, or of a board of one that is right for every member. Such a board has a mark; one that is being filled has another one.
fn is_right(contents: &Contents, key: &str) -> bool {
    let Some((before, rest)) = key.split_once(":window:") else { return true };
    let board = rest.splitn(3, ':').take(2).collect::<Vec<_>>().join(":");
    let is_mark = |(member, _): &(String, String)| member.len() > 1 && member.starts_with('\0') && member != "\0scan";
    matches!(contents.get(&format!("{before}:window:{board}")), Some(Key { held: Held::Sorted(members), .. }) if members.iter().any(is_mark))
}

/// Counts by action in no order.
fn words(field: &str, value: &str) -> String {
    let words: Vec<&str> = value.split(' ').collect();
    if !field.starts_with('/') || !words.len().is_multiple_of(3) {
        return value.into();
    }
    let tallies: BTreeSet<&[&str]> = words.chunks(3).collect();
    tallies.into_iter().flatten().copied().collect::<Vec<_>>().join(" ")
}

fn body(views: &[View], becomes: bool, now_ms: i64) -> Vec<Json> {
    let event = |view: &View| {
        let item = if becomes && view.item == 0 { NEW } else { ITEMS[view.item] };
        let action = if view.is_share { "share" } else { "view" };
        let mut event = json!({ "action": action, "item": item, "count": view.count });
        if view.ago_ms > 0 {
            event["at"] = json!(now_ms - view.ago_ms);
        }
        event
    };
    views.iter().map(event).collect()
}

static CHUNKS: Counter = Counter::new("chunks between other steps");
static BETWEEN: Counter = Counter::new("batches with the old item between chunks");

fn check(kind: usize, steps: &[Step]) -> Result<(), TestCaseError> {
    let (mut ours, mut other) = (Deployment::start(&site(kind), START_MS), Deployment::start(&site(kind), START_MS));
    // A board that upkeep began is not whole before it was repaired.
    for of in [&ours, &other] {
        of.put(&[json!({ "action": "view", "item": "/a" })]);
    }
    let (mut is_begun, mut is_pending) = (false, true);
    for step in steps {
        match step {
            Step::Views(views) => {
                let now_ms = ours.now_ms().min(other.now_ms());
                prop_assert_eq!(ours.put(&body(views, false, now_ms)), other.put(&body(views, true, now_ms)));
                BETWEEN.add(usize::from(is_begun && is_pending && views.iter().any(|view| view.item == 0)));
            }
            Step::Advance(ms) => [&ours, &other].iter().for_each(|of| of.advance(*ms)),
            Step::Upkeep => [&ours, &other].iter().for_each(|of| of.upkeep(BOARD)),
            Step::Keep(entries) => {
                for of in [&ours, &other] {
                    of.chunk(BOARD, "last-3-days", *entries);
                }
            }
            Step::Alias => {
                is_pending = chunk(&ours, FEW);
                is_begun = true;
                CHUNKS.add(1);
            }
            Step::Restart => {
                ours.restart();
                other.restart();
            }
        }
    }
    while chunk(&ours, Alias::ENTRIES) {}
    for of in [&ours, &other] {
        of.upkeep(BOARD);
        of.upkeep(BOARD);
    }
    let (found, expected) = (ours.contents(), other.contents());
    // How far an unended repair or scan of a window was when its period ended is not the same: ours had one member more. A board that is
    // repaired since has no index of distinct scores, until upkeep builds it.
    let is_index = |key: &str| key.contains(":window:") && [":distinct", ":holders"].iter().any(|end| key.ends_with(end));
    let is_right = |key: &&String| [&found, &expected].iter().all(|of| is_right(of, key) && (!is_index(key) || of.contains_key(*key)));
    let both = |contents: &Contents| seen(contents).into_iter().filter(|(key, _)| is_right(&key)).collect::<BTreeMap<_, _>>();
    prop_assert_eq!(both(&found), both(&expected));
    for window in ["hour", "day", "week", "all", "last-3-days", "last-2-hours"] {
        let (one, other) = (ours.read(BOARD, window, None), other.read(BOARD, window, None));
        // The board of the period before may be right in one alone, as above.
        let is_known = [&one, &other].iter().all(|page| page.entries.iter().all(|entry| entry.previous != Previous::Unknown));
        let row = |entry: &Entry| (entry.rank, entry.id.clone(), entry.score, entry.tally.clone(), is_known.then_some(entry.previous));
        let rows = |page: &Page| page.entries.iter().map(row).collect::<Vec<_>>();
        prop_assert_eq!((rows(&one), one.total, one.info.complete), (rows(&other), other.total, other.info.complete), "{}", window);
    }
    Ok(())
}

#[test]
fn merged_boards_are_as_if_all_had_been_sent_to_one() {
    let strategy = (0..3_usize, prop::collection::vec(step(), 1..40));
    cases::run(file!(), cases::number_of_whole(CASES), &strategy, |(kind, steps)| check(kind, &steps));
    CHUNKS.assert_above(CASES as usize);
    BETWEEN.assert_above(3);
}
