//! What a batch is told of where its members stood and stand: it is what reading tells before and after, and costs that.

use std::collections::BTreeSet;

use engine::store::curate::{Change, List};
use engine::store::keep_off::Whom;
use proptest::prelude::*;
use ranking::counting::Outcome;
use ranking::name::Id;
use ranking::read::{Read, ReadReply};
use ranking::score::Score;
use ranking::standing::Moves;
use ranking::visitor::VisitorKey;
use serde_json::{Value as Json, json};
use serve::ingest::{ParsedBatch, Source, Split};

use crate::call::{DAY_S, NOON_MS, calls, period_ref, read, whole};
use crate::cases::{self, Counter};
use crate::deployment::{BOARD, Deployment};

static COMPARED: Counter = Counter::new("batches whose moves were compared");
static ALONE: Counter = Counter::new("single events that cannot be undone, whose moves were compared");
static ALONE_CURATED: Counter = Counter::new("those of them where somebody is hidden or pinned");

const DAY_MS: i64 = DAY_S * 1000;
const MEMBERS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
const WINDOWS: [&str; 4] = ["day", "all", "last-7-days", "league"];
const LOST: [&str; 3] = [":window:last-7-days:", ":day:", ":all:"];

fn id(name: &str) -> Id {
    Id::new(name).expect("an id")
}

/// Counts a batch, and answers what became of its events on the board, and how their members moved.
fn record(deployment: &Deployment, window: &str, body: &Json) -> (Vec<Outcome>, Option<Moves>) {
    let site = deployment.site();
    let batch = ParsedBatch::read(site, Source::Server(None), body.to_string().as_bytes()).and_then(whole);
    let batch = batch.unwrap_or_else(|refusal| panic!("{refusal:?}: {body}"));
    let split = Split::new(site, &batch);
    let of = period_ref(site, BOARD, deployment.window(BOARD, window), None);
    let recorded = pollster::block_on(deployment.store().record_standing(site, &split.batches, "salt", &of));
    let (mut recorded, moves) = recorded.expect("redis answers");
    (recorded.remove(0).expect("the batch is counted"), moves)
}

/// Where all members stand.
fn places(deployment: &Deployment, window: &str) -> Vec<Option<(u64, Score)>> {
    let of = period_ref(deployment.site(), BOARD, deployment.window(BOARD, window), None);
    let ids = MEMBERS.map(id).to_vec();
    match read(&deployment.store(), deployment.site(), Read::Ranks { of, ids, among: false }) {
        ReadReply::Standings(standings) => {
            standings.members.into_iter().map(|member| member.map(|standing| (standing.rank, standing.score))).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn curate(deployment: &Deployment, member: &str, list: List, puts: bool) {
    let id = id(member);
    let change = if puts { Change::Put(&id) } else { Change::Delete(&id) };
    let board = &deployment.site().boards[BOARD];
    pollster::block_on(deployment.store().curate(deployment.site(), board, list, change)).expect("redis answers");
}

#[derive(Clone, Debug)]
enum Step {
    /// Members, actions, and how long ago.
    Count(Vec<(usize, &'static str, u64)>),
    /// A batch of one, and what it is known by; and the milliseconds until then.
    Alone(usize, &'static str, Option<u8>, i64),
    /// A batch, or one event, by the site's server or a browser, that asks for nothing; and the milliseconds until then.
    Unasked(Vec<(usize, &'static str, u64)>, bool, i64),
    /// From now on another window is asked for: one of them.
    Ask(usize),
    Curate(usize, List, bool),
    /// With upkeep, or without.
    NextDay(bool),
    Upkeep,
    /// All that a member has; events that come later count.
    Remove(usize),
    /// Boards of whose keys this is a part go before their time. A rolling window is repaired.
    Lose(&'static str),
    /// All windows, or one.
    Reset(Option<&'static str>),
}

fn step() -> impl Strategy<Value = Step> {
    let actions = prop::sample::select(vec!["view", "view", "like", "unlike", "bury"]);
    let event = (0..MEMBERS.len(), actions, prop::sample::select(vec![0, 0, 0, 90_000_000]));
    let plain = (0..MEMBERS.len(), prop::sample::select(vec!["view", "view", "bury", "like", "unlike"]), Just(0));
    prop_oneof![
        4 => (prop::collection::vec(plain, 1..2), any::<bool>(), 0..3_i64).prop_map(|(events, browser, ms)| Step::Unasked(events, browser, ms)),
        2 => (prop::collection::vec(event.clone(), 1..4), any::<bool>(), 0..3_i64).prop_map(|(events, browser, ms)| Step::Unasked(events, browser, ms)),
        2 => (0..WINDOWS.len()).prop_map(Step::Ask),
        8 => prop::collection::vec(event, 1..5).prop_map(Step::Count),
        8 => (0..MEMBERS.len(), prop::sample::select(vec!["view", "bury"]), prop::option::of(0..4_u8), 1..40_i64)
            .prop_map(|(member, action, id, ms)| Step::Alone(member, action, id, ms)),
        4 => (0..MEMBERS.len(), prop::sample::select(vec![List::Hidden, List::Pinned]), prop::bool::weighted(0.75)).prop_map(|(m, list, put)| Step::Curate(m, list, put)),
        1 => any::<bool>().prop_map(Step::NextDay),
        1 => Just(Step::Upkeep),
        1 => (0..MEMBERS.len()).prop_map(Step::Remove),
        1 => prop::sample::select(LOST.to_vec()).prop_map(Step::Lose),
        1 => prop::sample::select(vec![None, Some("day"), Some("all")]).prop_map(Step::Reset),
    ]
}

/// What most changes and needs the scores of who is curated: single events that ask, among others of everybody.
fn step_past_curated() -> impl Strategy<Value = Step> {
    let member = || 0..MEMBERS.len();
    let event = (member(), prop::sample::select(vec!["view", "like", "unlike", "bury"]), prop::sample::select(vec![0, 0, 0, 90_000_000]));
    let plain = || prop::sample::select(vec!["view", "view", "bury"]);
    let views = prop::collection::vec((member(), Just("view"), Just(0)), 2..4);
    prop_oneof![
        16 => (member(), prop::sample::select(vec!["view", "view", "view", "bury", "like", "unlike"]), 1..40_i64)
            .prop_map(|(member, action, ms)| Step::Alone(member, action, None, ms)),
        12 => (member(), plain(), any::<bool>(), 0..3_i64).prop_map(|(m, action, browser, ms)| Step::Unasked(vec![(m, action, 0)], browser, ms)),
        2 => (views, any::<bool>(), 0..3_i64).prop_map(|(events, browser, ms)| Step::Unasked(events, browser, ms)),
        2 => (prop::collection::vec(event.clone(), 1..3), any::<bool>(), 0..3_i64).prop_map(|(events, browser, ms)| Step::Unasked(events, browser, ms)),
        1 => prop::collection::vec(event, 1..3).prop_map(Step::Count),
        1 => (0..WINDOWS.len()).prop_map(Step::Ask),
        1 => (member(), prop::sample::select(vec![List::Hidden, List::Pinned]), any::<bool>()).prop_map(|(m, list, put)| Step::Curate(m, list, put)),
        1 => prop::sample::select(LOST.to_vec()).prop_map(Step::Lose),
        1 => prop_oneof![any::<bool>().prop_map(Step::NextDay), Just(Step::Upkeep), member().prop_map(Step::Remove)],
    ]
}

/// The first window is asked for at first.
fn check(deployment: &Deployment, windows: &[&str], steps: &[Step]) -> Result<(), TestCaseError> {
    let mut window = windows[0];
    let values = deployment.site().boards[BOARD].values.is_some();
    let event = |member: usize, action: &str, ago: u64| {
        if values {
            return json!({ "action": "finish", "actor": MEMBERS[member], "value": action.len(), "ago": ago });
        }
        let undo = action == "unlike";
        let action = if undo { "like" } else { action };
        let event = json!({ "action": action, "item": MEMBERS[member], "actor": "u1", "ago": ago });
        if undo { undone(event) } else { event }
    };
    let mut curated = BTreeSet::new();
    for step in steps {
        match step {
            Step::Curate(member, list, puts) => {
                curate(deployment, MEMBERS[*member], *list, *puts);
                let place = (*member, *list == List::Hidden);
                if *puts {
                    curated.insert(place)
                } else {
                    curated.remove(&place)
                };
            }
            Step::Reset(reset) => {
                deployment.reset(BOARD, *reset);
                deployment.advance(1000);
            }
            Step::NextDay(with_upkeep) => {
                deployment.advance(DAY_MS);
                if *with_upkeep {
                    deployment.upkeep(BOARD);
                }
            }
            Step::Upkeep => deployment.upkeep(BOARD),
            Step::Ask(i) => window = windows[i % windows.len()],
            Step::Remove(member) => {
                deployment.remove(BOARD, &Whom::Member(id(MEMBERS[*member])), false);
                // What happens in the millisecond of a removal happened before it.
                deployment.advance(1000);
            }
            Step::Lose(part) => {
                for key in deployment.contents().keys().filter(|key| key.contains(part)) {
                    deployment.server.command(&["DEL", key]);
                }
            }
            Step::Unasked(events, browser, ms) => {
                deployment.advance(*ms);
                let events: Vec<_> = events.iter().map(|(member, action, ago)| event(*member, action, *ago)).collect();
                let visitor = VisitorKey::new("a-secret").fingerprint(&deployment.site().name, "192.0.2.1", "agent").expect("an address");
                deployment.try_send_as(&json!({ "events": events }), browser.then_some(visitor), |_| ()).expect("redis answers");
            }
            Step::Count(events) => {
                let body = json!({ "events": events.iter().map(|(member, action, ago)| event(*member, action, *ago)).collect::<Vec<_>>() });
                compare(deployment, window, &events.iter().map(|(member, ..)| *member).collect::<Vec<_>>(), &body)?;
            }
            Step::Alone(member, action, id, ms) => {
                deployment.advance(*ms);
                let mut body = event(*member, action, 0);
                if let Some(id) = id {
                    body["id"] = format!("b{id}").into();
                }
                let is_compared = compare(deployment, window, &[*member], &body)?;
                ALONE.add(usize::from(is_compared));
                ALONE_CURATED.add(usize::from(is_compared && !curated.is_empty()));
            }
        }
    }
    Ok(())
}

/// Whether what is told of a batch, whose events have these members, is what reading tells. Answers whether something was counted and told.
fn compare(deployment: &Deployment, window: &str, members: &[usize], body: &Json) -> Result<bool, TestCaseError> {
    let before = places(deployment, window);
    let (outcomes, moves) = record(deployment, window, body);
    let after = places(deployment, window);
    let moves = moves.expect("the events count on the board");
    if !moves.complete {
        // A window of a board that was curated before it counted anything waits for upkeep.
        prop_assert_eq!(window, "last-7-days");
        deployment.upkeep(BOARD);
        return Ok(false);
    }
    COMPARED.add(1);
    let counted = members.iter().zip(&outcomes).filter(|(_, outcome)| **outcome == Outcome::Counted).map(|(member, _)| *member);
    let counted: BTreeSet<usize> = counted.collect();
    let mut reported: Vec<_> =
        moves.members.iter().map(|reported| (reported.id.as_str().to_owned(), reported.before, reported.after)).collect();
    reported.sort_by(|one, other| one.0.cmp(&other.0));
    let expected: Vec<_> = counted.iter().map(|member| (MEMBERS[*member].to_owned(), before[*member], after[*member])).collect();
    prop_assert_eq!(reported, expected, "{:?}", body);
    Ok(!counted.is_empty())
}

/// The site's board with room for so many members; without indexes it may have a window that fades as well.
fn crowded(mut site: Json, max_members: u32, fades: bool) -> Json {
    let board = &mut site["boards"][BOARD];
    board["max_members"] = max_members.into();
    if fades && board["ties"].is_null() && board["ranking"] != "dense" {
        board["windows"].as_array_mut().expect("a list").push(json!({ "name": "hot", "kind": "half-life", "half_life": "6h" }));
    }
    site
}

fn site(ranking: &str, ties: &str, min_score: u32) -> Json {
    let league = json!({ "name": "league", "kind": "season", "from": "2026-11-18", "until": "2026-11-23", "every": "2 days" });
    let windows = json!(["day", "all", "last-7-days", league]);
    let mut board = json!({ "weights": { "view": 1, "like": 3, "bury": -2 }, "windows": windows, "ranking": ranking });
    if !ties.is_empty() {
        board["ties"] = ties.into();
    }
    if min_score > 0 {
        board["min_score"] = min_score.into();
    }
    json!({ "actions": { "view": {}, "bury": {}, "like": { "reversible": true } }, "boards": { BOARD: board } })
}

/// A board of values, whose rolling windows are only made when they are read.
fn site_of_values(score: &str, order: &str, ranking: &str, ties: &str) -> Json {
    let mut site = site(ranking, ties, 0);
    let mut windows = site["boards"][BOARD]["windows"].clone();
    windows.as_array_mut().expect("a list").retain(|window| window != "last-7-days");
    let board =
        json!({ "members": "actors", "actions": ["finish"], "score": score, "order": order, "ranking": ranking, "windows": windows });
    let ties = site["boards"][BOARD]["ties"].take();
    site["actions"] = json!({ "finish": {} });
    site["boards"][BOARD] = board;
    if !ties.is_null() {
        site["boards"][BOARD]["ties"] = ties;
    }
    site
}

#[test]
fn members_of_values_move_as_reading_tells() {
    let mut deployment = Deployment::start(&site("ordinal", "", 0), NOON_MS);
    let kind = (
        prop::sample::select(vec!["max", "max", "min", "last"]),
        prop::sample::select(vec!["descending", "ascending"]),
        prop::sample::select(vec!["ordinal", "competition", "dense"]),
        prop::sample::select(vec!["", "", "first", "last"]),
        prop::sample::select(vec!["day", "all", "league"]),
    );
    let deployment = std::cell::RefCell::new(&mut deployment);
    cases::run(
        file!(),
        cases::number_of_whole(60),
        &(kind, prop::collection::vec(step(), 1..12)),
        |((score, order, ranking, ties, window), steps)| {
            let mut deployment = deployment.borrow_mut();
            deployment.server.command(&["FLUSHALL"]);
            deployment.configure(&site_of_values(score, order, ranking, ties));
            check(&deployment, &[window, "all", "day", "league"], &steps)
        },
    );
    COMPARED.assert_above(20);
}

/// Nor does a value that is kept, or not, cost more.
#[test]
fn values_take_as_many() {
    let mut deployment = Deployment::start(&site("ordinal", "", 0), NOON_MS);
    for (score, ties) in ["max", "min", "last"].into_iter().flat_map(|score| ["", "first"].map(|ties| (score, ties))) {
        for ranking in ["ordinal", "competition", "dense"] {
            deployment.configure(&site_of_values(score, "ascending", ranking, ties));
            deployment.server.command(&["FLUSHALL"]);
            let finish = |value: u32| json!({ "action": "finish", "actor": "a", "value": value });
            let cost = |value: u32, asks: bool| {
                // Of one millisecond the first value is the last one.
                deployment.advance(1000);
                deployment.server.command(&["CONFIG", "RESETSTAT"]);
                if asks {
                    record(&deployment, "all", &finish(value));
                } else {
                    deployment.send(&finish(value));
                }
                calls(&deployment.server).values().sum::<u64>()
            };
            // The first ones make the keys, and send the scripts.
            for (value, asks) in [(50, false), (51, true), (49, true), (48, false)] {
                cost(value, asks);
            }
            let check = |values: [[u32; 2]; 4]| {
                for [plain, asked] in values {
                    let plain = cost(plain, false);
                    let more = cost(asked, true).saturating_sub(plain);
                    assert!(more <= MORE_ALONE, "{score} {ties} {ranking} {asked}: {more}");
                }
            };
            check([[47, 46], [20, 19], [60, 61], [62, 62]]);
            curate(&deployment, "f", List::Hidden, true);
            curate(&deployment, "e", List::Pinned, true);
            cost(18, true);
            check([[17, 16], [10, 9], [70, 71], [72, 72]]);
        }
    }
}

/// On boards of sums: of each history first some steps are done that are always the same.
fn compare_histories(cases: u32, always: &[Step], step: &impl Strategy<Value = Vec<Step>>) {
    let mut deployment = Deployment::start(&site("ordinal", "", 0), NOON_MS);
    let kind = (
        prop::sample::select(vec!["ordinal", "ordinal", "competition", "dense"]),
        prop::sample::select(vec!["", "", "first", "last"]),
        prop::sample::select(vec![0, 0, 2]),
        prop::sample::select(WINDOWS.to_vec()),
        (prop::sample::select(vec![1_000_000, 1_000_000, 1_000_000, 4]), any::<bool>(), any::<bool>()),
    );
    let deployment = std::cell::RefCell::new(&mut deployment);
    cases::run(file!(), cases, &(kind, step), |((ranking, ties, min_score, window, (max_members, fades, breakdown)), steps)| {
        let mut deployment = deployment.borrow_mut();
        deployment.server.command(&["FLUSHALL"]);
        let mut site = crowded(site(ranking, ties, min_score), max_members, fades);
        site["boards"][BOARD]["breakdown"] = breakdown.into();
        deployment.configure(&site);
        check(&deployment, &[window, "all", "last-7-days", "day", "league"], &[always, &steps].concat())
    });
}

#[test]
fn members_move_as_reading_tells() {
    compare_histories(cases::number_of_whole(100), &[], &prop::collection::vec(step(), 1..24));
    COMPARED.assert_above(20);
    ALONE.assert_above(20);
}

/// The state remembers the scores of who is curated, whoever changes them.
#[test]
fn members_move_past_curated_ones_as_reading_tells() {
    let views = (0..MEMBERS.len()).map(|member| (member, "view", 0)).collect();
    let mut always = vec![Step::Count(views)];
    // These plan what single events of both senders are counted on.
    always.extend([true, false, true, false].map(|browser| Step::Unasked(vec![(0, "view", 0)], browser, 1)));
    always.extend([(5, List::Hidden), (4, List::Pinned), (3, List::Hidden)].map(|(member, list)| Step::Curate(member, list, true)));
    compare_histories(cases::number_of_whole(100), &always, &prop::collection::vec(step_past_curated(), 8..40));
    ALONE_CURATED.assert_above(100);
}

/// The first batch of a board begins its index of distinct scores, and is told by it.
#[test]
fn the_first_batch_gets_dense_ranks() {
    let deployment = Deployment::start(&site("dense", "", 0), NOON_MS);
    let steps = [Step::Count(vec![(0, "like", 0), (1, "view", 0), (2, "like", 0)])];
    check(&deployment, &["all"], &steps).expect("what is told is what is read");
    assert_eq!(places(&deployment, "all")[1].map(|(rank, _)| rank), Some(2));
}

/// Events that are told of another window count in their season as well; what is told of seasons is that of the last one that began.
#[test]
fn seasons_are_counted_and_reported() {
    let deployment = Deployment::start(&site("ordinal", "", 0), NOON_MS - 4 * DAY_MS);
    let event = json!({ "action": "view", "item": "a" });
    let reported = |window: &str| {
        let moves = record(&deployment, window, &event).1.expect("the event counts on the board");
        let rank = |place: Option<(u64, Score)>| place.map(|(rank, _)| rank);
        (
            moves.period.expect("a name"),
            moves.members.iter().map(|reported| (rank(reported.before), rank(reported.after))).collect::<Vec<_>>(),
        )
    };
    assert_eq!(reported("league"), ("2026-11-18".into(), vec![(None, None)]), "before all seasons");
    deployment.advance(4 * DAY_MS);
    assert_eq!(reported("day"), ("2026-11-20".into(), vec![(None, Some(1))]));
    assert_eq!(places(&deployment, "league")[0].map(|(rank, score)| (rank, score.value())), Some((1, 1.0)));
    assert_eq!(reported("league"), ("2026-11-20".into(), vec![(Some(1), Some(1))]));
    deployment.advance(30 * DAY_MS);
    assert_eq!(reported("league"), ("2026-11-22".into(), vec![(None, None)]), "after all seasons");
}

/// What a call sends more when it is asked where the member stands, of an event of each of these kinds.
#[track_caller]
fn more_commands(deployment: &Deployment, window: &str, events: &Json) -> i64 {
    let undone: Vec<Json> = events.as_array().expect("a list").iter().cloned().map(undone).collect();
    let cost = |events: &Json, asks: bool| {
        let body = json!({ "events": events });
        deployment.server.command(&["CONFIG", "RESETSTAT"]);
        if asks {
            record(deployment, window, &body);
        } else {
            deployment.send(&body);
        }
        calls(&deployment.server)
    };
    // The first ones make the keys, and send the scripts.
    for asks in [false, true, false] {
        cost(events, asks);
        cost(&json!(undone), asks);
    }
    let plain = cost(events, false);
    cost(&json!(undone), false);
    let asked = cost(events, true);
    cost(&json!(undone), false);
    asked.values().sum::<u64>().cast_signed() - plain.values().sum::<u64>().cast_signed()
}

fn undone(mut event: Json) -> Json {
    event["undo"] = true.into();
    event
}

/// As many as reading takes where members stand, twice: for a lone member, of a rolling window with an order of ties and dense ranks, and for each of several.
const MORE_ALONE: u64 = 15;
const MORE_EACH: u64 = 8;

#[test]
fn it_takes_eight_commands_a_member() {
    let mut deployment = Deployment::start(&site("ordinal", "", 0), NOON_MS);
    let like = |item: &str| json!({ "action": "like", "item": item, "actor": "u1" });
    for (ranking, ties) in
        ["ordinal", "competition", "dense"].into_iter().flat_map(|ranking| ["", "first", "last"].map(|ties| (ranking, ties)))
    {
        deployment.configure(&site(ranking, ties, 0));
        for window in WINDOWS {
            let what = format!("{ranking} {ties} {window}");
            deployment.server.command(&["FLUSHALL"]);
            let others = MEMBERS.iter().enumerate().map(|(i, item)| json!({ "action": "view", "item": item, "count": i + 1 }));
            deployment.put(&others.collect::<Vec<_>>());
            let check = |of: &str| {
                let alone = more_commands(&deployment, window, &json!([like("a")]));
                let five = more_commands(&deployment, window, &json!(["a", "b", "c", "d", "e"].map(like)));
                assert!(alone <= MORE_ALONE.cast_signed(), "{what}, {of}: {alone}");
                assert!(five <= 5 * MORE_EACH.cast_signed(), "{what}, {of}: {five}, five members");
            };
            check("all");
            deployment.reset(BOARD, None);
            // What happens in the millisecond of a reset happened before it.
            deployment.advance(1000);
            deployment.put(&[json!({ "action": "view", "item": "a" }), json!({ "action": "view", "item": "b" })]);
            check("after a reset");
            curate(&deployment, "f", List::Hidden, true);
            curate(&deployment, "e", List::Pinned, true);
            check("with some curated");
        }
    }
}

/// Whatever changes the score of who is curated, the next call that asks knows it: here it rises above a member, or falls below.
#[test]
fn scores_of_curated_members_are_never_old() {
    let mut deployment = Deployment::start(&site("ordinal", "", 0), NOON_MS);
    let (asks, hidden) = (Step::Alone(1, "view", None, 5), 5);
    let copy = |action, browser, count| Step::Unasked(vec![(hidden, action, 0); count], browser, 1);
    let writers = [
        vec![copy("view", false, 1); 8],
        vec![copy("view", true, 1); 8],
        vec![copy("view", false, 8)],
        vec![copy("like", false, 1), asks.clone(), copy("unlike", true, 1)],
        vec![Step::Unasked(vec![(hidden, "view", 0), (hidden, "like", 0)], true, 1)],
        vec![Step::Alone(hidden, "view", None, 1), asks.clone(), copy("view", true, 8)],
        vec![copy("view", true, 8), asks.clone(), Step::Remove(hidden)],
        vec![copy("view", false, 8), Step::Lose(LOST[0]), asks.clone(), Step::Upkeep],
        vec![copy("view", false, 8), asks.clone(), asks.clone(), Step::Lose(":day:"), Step::Lose(":all:"), Step::Alone(2, "view", None, 1)],
    ];
    for (ranking, ties, window) in ["ordinal", "competition"]
        .into_iter()
        .flat_map(|ranking| ["", "first"].map(|ties| (ranking, ties)))
        .flat_map(|(r, t)| WINDOWS.map(|w| (r, t, w)))
    {
        deployment.configure(&site(ranking, ties, 0));
        for writer in &writers {
            deployment.server.command(&["FLUSHALL"]);
            let mut steps = vec![Step::Count((0..MEMBERS.len()).map(|member| (member, "view", 0)).collect())];
            // These plan what single events of both senders are counted on.
            steps.extend([true, false, true, false].map(|browser| Step::Unasked(vec![(0, "view", 0)], browser, 1)));
            steps.extend([Step::Curate(hidden, List::Hidden, true), asks.clone(), asks.clone()]);
            steps.extend(writer.iter().cloned().chain([asks.clone(), asks.clone()]));
            check(&deployment, &[window], &steps).unwrap_or_else(|error| panic!("{ranking} {ties} {window} {writer:?}: {error}"));
        }
    }
}
