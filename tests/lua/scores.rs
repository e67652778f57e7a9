//! Between which ranks members stand by an earlier distribution, over random histories, against the page of everybody of then.

use std::collections::BTreeSet;
use std::rc::Rc;

use engine::adapter::Transport;
use engine::store::Store;
use engine::store::curate::{Change, List};
use proptest::prelude::*;
use ranking::distribution::Distribution;
use ranking::name::Id;
use ranking::page::Page;
use ranking::rank_range::{KnownDistribution, RankRange, StandingScore};
use ranking::read::{PeriodRef, Read, ReadReply};
use ranking::score::Score;
use ranking::site::{Ranking, Site};
use ranking::zone::Zones;
use serde_json::json;

use crate::call::{NOON_MS, calls, page, period_ref, read};
use crate::cases::{self, Counter};
use crate::deployment::Deployment;

static LATER: Counter = Counter::new("members who were found later in a distribution");
static MOVED: Counter = Counter::new("of whom something was counted since");
static OVER: Counter = Counter::new("distributions whose period was over");
static SHARED: Counter = Counter::new("ranges of more than one rank");

/// What a caller keeps of a distribution.
fn known(distribution: &Distribution, site: &Site, of: &PeriodRef) -> KnownDistribution {
    let (json, _) = distribution.render(site, &of.board, &of.window).expect("JSON");
    KnownDistribution::read(&json).expect("an answer that tells ranks")
}

/// What members have whom a page shows, as of a distribution; `None` where its period is over.
fn scores_of<T: Transport, Z: Zones>(
    store: &Store<'_, T, Z>,
    site: &Site,
    of: &PeriodRef,
    page: &Page,
    known: &KnownDistribution,
) -> Option<Vec<Option<StandingScore>>> {
    let ids: Vec<Id> = page.entries.iter().map(|entry| entry.id.clone()).collect();
    let as_of_ms = known.as_of_ms().expect("an instant");
    let scores = pollster::block_on(store.scores(site, of, &ids, as_of_ms)).expect("redis answers").expect("a period");
    known.is_of(&scores.info).then_some(scores.members)
}

/// Each member stands where the page of everybody of the same instant says.
#[track_caller]
pub fn check<T: Transport, Z: Zones>(store: &Store<'_, T, Z>, site: &Site, of: &PeriodRef, page: &Page, distribution: &Distribution) {
    let known = known(distribution, site, of);
    let Some(scores) = scores_of(store, site, of, page, &known) else { return };
    for (at, (entry, found)) in page.entries.iter().zip(&scores).enumerate() {
        let found = found.unwrap_or_else(|| panic!("{entry:?} is shown"));
        assert_eq!(found.score, entry.score, "{}", entry.id.as_str());
        assert_eq!(found.pinned_at, (at < usize::try_from(page.pinned).expect("few")).then_some(at as u64 + 1));
        // The rank of a competition where ranks are dense.
        let above = page.entries.iter().skip(usize::try_from(page.pinned).expect("few"));
        let rank = if of.board.ranking == Ranking::Dense && found.pinned_at.is_none() {
            page.pinned + 1 + above.filter(|other| of.board.is_above(other.score, entry.score)).count() as u64
        } else {
            entry.rank
        };
        let RankRange { low, high } = known.range_of(&of.board, found);
        let ranks = if of.window.fades() && found.pinned_at.is_none() { about(page, found.score, Some(&entry.id)) } else { [rank; 2] };
        assert!(low <= ranks[1] && ranks[0] <= high, "{}: {ranks:?} is not of {low} to {high} in {known:?}", entry.id.as_str());
        let interval = distribution.intervals.iter().find(|interval| !of.board.is_above(interval.score, found.score));
        let is_alone = interval.is_some_and(|interval| interval.best == interval.score);
        let is_shared = of.board.ranking == Ranking::Ordinal && interval.is_some_and(|interval| interval.members > 1);
        assert!(found.pinned_at.is_none() && (!is_alone || is_shared) || low == high, "{low} to {high} of one score");
    }
}

/// The ranks of a score, perhaps of somebody on the page, between which rounding decides: scores that fade lose their last digit in an answer, and points that are taken back leave
/// some.
fn about(page: &Page, score: Score, without: Option<&Id>) -> [u64; 2] {
    let by_score = &page.entries[usize::try_from(page.pinned).expect("few")..];
    [1e-12, -1e-12].map(|noise| {
        let others = by_score.iter().filter(|other| without != Some(&other.id));
        page.pinned + 1 + others.filter(|other| other.score.value() > score.value() * (1.0 + noise)).count() as u64
    })
}

const MEMBERS: u32 = 40;
const WINDOWS: [&str; 6] = ["day", "all", "last-3-hours", "hot", "fading", "smooth"];

fn site() -> serde_json::Value {
    let windows = json!([
        "day", "all", "last-3-hours",
        { "name": "hot", "kind": "half-life", "half_life": "1h" },
        { "name": "fading", "kind": "step", "every": "hour", "factor": 0.9 },
        { "name": "smooth", "kind": "linear", "resets": "day" },
    ]);
    let board = json!({ "weights": { "view": 1, "read": 7.25, "down": -1 }, "windows": windows, "limit": 1000 });
    let competition =
        json!({ "weights": { "view": 1, "read": 7.25, "down": -1 }, "windows": windows, "limit": 1000, "ranking": "competition" });
    json!({ "actions": { "view": {}, "read": {}, "down": {} }, "boards": { "ordinal": board, "competition": competition } })
}

#[derive(Clone, Debug)]
enum Step {
    Count {
        member: u32,
        action: &'static str,
        times: u32,
    },
    Pass {
        minutes: i64,
    },
    /// Puts somebody on a list, or takes it off.
    Curate {
        member: u32,
        list: List,
    },
    Remember,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (0..MEMBERS, prop_oneof![Just("view"), Just("read"), Just("down")], 1_u32..60)
            .prop_map(|(member, action, times)| Step::Count { member, action, times }),
        3 => (0_i64..50).prop_map(|minutes| Step::Pass { minutes }),
        1 => (0..MEMBERS, prop_oneof![Just(List::Hidden), Just(List::Pinned)]).prop_map(|(member, list)| Step::Curate { member, list }),
        2 => Just(Step::Remember),
    ]
}

struct Remembered {
    of: PeriodRef,
    page: Page,
    known: KnownDistribution,
    /// Of whom something was counted since.
    moved: BTreeSet<String>,
}

fn remember(deployment: &Deployment) -> Vec<Remembered> {
    let (store, site) = (deployment.store(), deployment.site());
    let each = ["ordinal", "competition"].into_iter().flat_map(|board| WINDOWS.map(|window| (board, window)));
    each.map(|(board, window)| {
        deployment.upkeep(board);
        let of = period_ref(site, board, deployment.window(board, window), None);
        let page = page(&store, site, of.clone(), [0, 1000]);
        let ReadReply::Distribution(distribution) = read(&store, site, Read::Distribution { of: of.clone() }) else { panic!("one") };
        check(&store, site, &of, &page, &distribution);
        let known = known(&distribution, site, &of);
        Remembered { of, page, known, moved: BTreeSet::new() }
    })
    .collect()
}

/// The scores of members as of a distribution that is not of now.
fn find_later(deployment: &Deployment, Remembered { of, page, known, moved }: &Remembered) {
    let Some(scores) = scores_of(&deployment.store(), deployment.site(), of, page, known) else {
        OVER.add(1);
        return;
    };
    for (entry, found) in page.entries.iter().zip(scores) {
        // A score that is taken back is not shown.
        let Some(found) = found else {
            assert!(moved.contains(entry.id.as_str()), "{} is gone", entry.id.as_str());
            continue;
        };
        LATER.add(1);
        let has_moved = moved.contains(entry.id.as_str());
        assert!(has_moved || found.score == entry.score, "{}: {} is not {}", entry.id.as_str(), found.score, entry.score);
        MOVED.add(usize::from(has_moved && found.pinned_at.is_none()));
        let is_rounded = has_moved || of.window.fades();
        let ranks = if is_rounded && found.pinned_at.is_none() {
            about(page, found.score, Some(&entry.id).filter(|_| !has_moved))
        } else {
            [entry.rank; 2]
        };
        let RankRange { low, high } = known.range_of(&of.board, found);
        SHARED.add(usize::from(low < high));
        assert!(low <= ranks[1] && ranks[0] <= high, "{}: {ranks:?} is not of {low} to {high} in {known:?}", entry.id.as_str());
    }
}

#[test]
fn members_rank_where_their_scores_did() {
    cases::run(file!(), cases::number(12), &prop::collection::vec(step(), 40..90), |steps| {
        let deployment = Deployment::start(&site(), NOON_MS);
        let (mut remembered, mut curated) = (remember(&deployment), BTreeSet::new());
        for step in steps {
            match step {
                Step::Count { member, action, times } => {
                    let item = format!("m{member}");
                    let _ = deployment.put(&[json!({ "action": action, "item": item, "count": times })]);
                    for one in &mut remembered {
                        one.moved.insert(item.clone());
                    }
                }
                Step::Pass { minutes } => deployment.advance(minutes * 60_000),
                Step::Curate { member, list } => {
                    let id = Id::new(&format!("m{member}")).expect("an id");
                    let puts = curated.insert((list.name(), member)) || !curated.remove(&(list.name(), member));
                    for board in deployment.site().boards.values() {
                        let change = if puts { Change::Put(&id) } else { Change::Delete(&id) };
                        pollster::block_on(deployment.store().curate(deployment.site(), board, list, change)).expect("redis answers");
                    }
                    remembered = remember(&deployment);
                }
                Step::Remember => remembered = remember(&deployment),
            }
            for one in &remembered {
                find_later(&deployment, one);
            }
        }
        Ok(())
    });
    LATER.assert_above(100);
    MOVED.assert_above(20);
    OVER.assert_above(2);
    SHARED.assert_above(20);
}

/// However many there are: the call, the clock, the state, who is curated, and their scores.
#[test]
fn a_thousand_members_cost_one_command() {
    let deployment = Deployment::start(&site(), NOON_MS);
    let _ = deployment.put(&[json!({ "action": "view", "item": "m1" })]);
    deployment.upkeep("competition");
    for window in WINDOWS {
        let of = period_ref(deployment.site(), "competition", deployment.window("competition", window), None);
        for count in [1, 1_000] {
            let ids: Vec<Id> = (0..count).filter_map(|i| Id::new(&format!("m{i}"))).collect();
            let ask = || pollster::block_on(deployment.store().scores(deployment.site(), &of, &ids, NOON_MS)).expect("redis answers");
            drop(ask());
            deployment.server.command(&["CONFIG", "RESETSTAT"]);
            let scores = ask().expect("a period");
            let calls = calls(&deployment.server);
            let expected = ["fcall_ro", "hmget", "time", "zmscore", "zrange"];
            let own: Vec<&str> = calls.keys().map(String::as_str).filter(|name| expected.contains(name)).collect();
            assert_eq!((own, calls.values().sum::<u64>() <= 7), (expected.into(), true), "{window}: {calls:?}");
            assert_eq!(calls["zmscore"], 1);
            assert_eq!((scores.members.len(), scores.members.iter().flatten().count()), (count, usize::from(count > 1)));
        }
    }
}

/// The last few of these are shown as they were when somebody asked for the distribution, and the period that is over is told.
#[test]
fn of_a_rolling_window_of_values() {
    let options = json!({ "score": "max", "decimals": 2, "actions": ["play"], "windows": ["last-3-days"], "max_members": 1000 });
    let site = json!({ "actions": { "play": {} }, "boards": { "board": options } });
    let deployment = Deployment::start(&site, NOON_MS);
    let put = |item: &str, value: f64| deployment.put(&[json!({ "action": "play", "item": item, "value": value })]);
    for (i, value) in [3.25, 7.5, 7.5, -2.0, 0.01].into_iter().enumerate() {
        put(&format!("m{i}"), value);
    }
    let of = period_ref(deployment.site(), "board", deployment.window("board", "last-3-days"), None);
    let (store, site) = (deployment.store(), Rc::clone(deployment.site()));
    let page = page(&store, &site, of.clone(), [0, 1000]);
    let ReadReply::Distribution(distribution) = read(&store, &site, Read::Distribution { of: of.clone() }) else { panic!("one") };
    assert_eq!(distribution.total, 5);
    check(&store, &site, &of, &page, &distribution);
    let known = known(&distribution, &site, &of);
    put("m3", 9.0);
    let found = scores_of(&store, &site, &of, &page, &known).expect("the same period");
    let ranges: Vec<[u64; 2]> =
        found.into_iter().flatten().map(|found| known.range_of(&of.board, found)).map(|RankRange { low, high }| [low, high]).collect();
    // In the order of the page: the last one is above all since.
    assert_eq!(ranges, [[1, 2], [1, 2], [3, 3], [4, 4], [1, 1]]);
    deployment.advance(86_400_000);
    assert!(scores_of(&deployment.store(), &site, &of, &page, &known).is_none());
}
