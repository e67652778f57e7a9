//! Boards of values: random histories over each policy, order, window and way with ties, against a reference in plain Rust.
//!
//! `EDGEBOARD_CASES=10000 cargo test --test lua values` runs ten thousand histories.

mod model;
mod now;

use std::cell::RefCell;
use std::collections::BTreeMap;

use engine::store::curate::{Change, List};
use engine::store::keep_off::Whom;
use proptest::prelude::*;
use ranking::counting::Outcome;
use ranking::name::Id;
use ranking::page::{Entry, Page};
use ranking::read::{Read, ReadReply};
use ranking::site::Ranking;
use ranking::values::{Order, Policy};
use ranking::window::{Kind, Unit};
use serde_json::{Value as Json, json};

use crate::call::{period_ref, read};
use crate::cases::{self, Counter};
use crate::deployment::{BOARD, Deployment};
use model::{Event, Model, Shown};

/// 2026-11-18T07:12:34.100Z
const START_MS: i64 = 1_794_985_954_100;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// A call that came so late says nothing: its instants may lie in another second than the reference's.
const LATEST_MS: i64 = 700;
const ROLLING: &str = "last-3-days";
const LEAGUE: &str = "league";

static COUNTED: Counter = Counter::new("events that were counted");
static DUPLICATE: Counter = Counter::new("events whose id was known");
static FULL: Counter = Counter::new("events that were refused");
static KEPT_OFF: Counter = Counter::new("events of members that were removed");
static BEFORE: Counter = Counter::new("events in periods that were reset since");
static RANKED: Counter = Counter::new("members whose ranks were compared");
static TIED: Counter = Counter::new("pairs of ties that were compared");
static PINNED: Counter = Counter::new("pinned members that were compared");
static PLANNED: Counter = Counter::new("histories that planned values of now");
static UNITED: Counter = Counter::new("rolling windows that were compared");

/// A board's options.
#[derive(Clone, Debug)]
struct Options {
    policy: Policy,
    order: Order,
    ties: Option<&'static str>,
    ranking: &'static str,
    max_members: usize,
    /// Whether something stands beside some values.
    has_metas: bool,
}

#[derive(Clone, Debug)]
struct Sent {
    member: u8,
    value: i64,
    ago_ms: i64,
    id: Option<u8>,
    meta: Option<i64>,
}

#[derive(Clone, Copy, Debug)]
enum ResetOf {
    Board,
    Window(u8),
}

#[derive(Clone, Debug)]
struct Step {
    after_ms: i64,
    id: Option<u8>,
    events: Vec<Sent>,
    /// Its reply is lost, so it is sent again.
    again: bool,
    /// Before it a member is removed, and kept off or not.
    remove: Option<(u8, bool)>,
    /// Before it a window is reset, or all of them.
    reset: Option<ResetOf>,
    /// Before it a member is put on a list, or taken off.
    curate: Option<(List, u8, bool)>,
}

fn options() -> impl Strategy<Value = Options> {
    let policies = prop::sample::select(vec![Policy::Max, Policy::Min, Policy::Last]);
    let orders = prop::sample::select(Order::EACH.to_vec());
    let ties = prop::sample::select(vec![None, Some("first"), Some("last")]);
    let rankings = prop::sample::select(vec!["ordinal", "competition", "dense"]);
    (policies, orders, ties, rankings, prop::sample::select(vec![3, 1000]), any::<bool>())
        .prop_map(|(policy, order, ties, ranking, max_members, has_metas)| Options { policy, order, ties, ranking, max_members, has_metas })
}

fn step() -> impl Strategy<Value = Step> {
    let after_ms = prop_oneof![8 => 1..100_i64, 2 => 1..7_200_i64, 1 => 1..108_000_i64].prop_map(|seconds| seconds * 1000);
    // Late events lie between those that were sent when they happened, since a script comes some milliseconds after its batch.
    let late = prop_oneof![0..3_600_i64, 0..360_000_i64].prop_map(|seconds| seconds * 1000 + 150);
    let ago_ms = || prop_oneof![3 => Just(0).boxed(), 2 => late.clone().boxed()];
    let value = || prop_oneof![2 => -3..4_i64, 1 => -50_000..50_000_i64];
    let sent = (0..6_u8, value(), ago_ms(), prop::option::weighted(0.1, 0..20_u8), prop::option::weighted(0.3, 0..100_i64))
        .prop_map(|(member, value, ago_ms, id, meta)| Sent { member, value, ago_ms, id, meta });
    let remove = prop::option::weighted(0.05, (0..6_u8, any::<bool>()));
    let events = prop_oneof![2 => prop::collection::vec(sent.boxed(), 1..2), 1 => prop::collection::vec(sent_again(), 1..12)];
    let reset = prop::option::weighted(0.06, prop_oneof![Just(ResetOf::Board), (0..5_u8).prop_map(ResetOf::Window)]);
    let lists = prop::sample::select(vec![List::Hidden, List::Pinned]);
    // Some have no value at all.
    let curate = prop::option::weighted(0.15, (lists, 0..8_u8, prop::bool::weighted(0.7)));
    (after_ms, prop::option::weighted(0.5, 0..30_u8), events, prop::bool::weighted(0.2), remove, reset, curate)
        .prop_map(|(after_ms, id, events, again, remove, reset, curate)| Step { after_ms, id, events, again, remove, reset, curate })
}

/// Events of now alone, which are counted by themselves.
fn sent_again() -> impl Strategy<Value = Sent> {
    (0..6_u8, -3..4_i64, prop::option::weighted(0.2, 0..100_i64)).prop_map(|(member, value, meta)| Sent {
        member,
        value,
        ago_ms: 0,
        id: None,
        meta,
    })
}

impl Options {
    fn has_rolling(&self) -> bool {
        let is_least = matches!((self.policy, self.order), (Policy::Max, Order::Ascending) | (Policy::Min, Order::Descending));
        self.policy != Policy::Last && !(self.ties.is_some() && is_least)
    }

    fn configuration(&self) -> Json {
        let season = json!({ "name": LEAGUE, "kind": "season", "from": "2026-11-02", "until": "2027-03-01", "every": "1 week" });
        let mut windows = vec![json!("hour"), json!("day"), json!("all"), season];
        windows.extend(self.has_rolling().then(|| json!(ROLLING)));
        let mut board = json!({
            "members": "actors",
            "score": self.policy.name(),
            "order": self.order.name(),
            "decimals": 3,
            "actions": ["finish"],
            "windows": windows,
            "ranking": self.ranking,
            "max_members": self.max_members,
            "replay_window": "31d",
        });
        if let Some(ties) = self.ties {
            board["ties"] = json!(ties);
        }
        json!({ "actions": { "finish": {} }, "activity": false, "boards": { BOARD: board } })
    }
}

#[expect(clippy::cast_precision_loss, reason = "small values")]
fn shown(value: i64) -> f64 {
    value as f64 / 1000.0
}

fn shown_of(entries: &[Entry]) -> Vec<(u64, &str, f64, Option<i64>)> {
    entries.iter().map(|entry| (entry.rank, entry.id.as_str(), entry.score.value(), entry.meta.as_ref().and_then(Json::as_i64))).collect()
}

/// A page, and each member by itself with those around it, are as the reference says.
#[track_caller]
fn check(deployment: &Deployment, options: &Options, window: &str, number: Option<i64>, expected: &[Shown]) {
    let Page { info, total, pinned, entries, .. } = deployment.read(BOARD, window, number);
    assert!(info.complete, "{window}");
    let found = shown_of(&entries);
    let reported: Vec<(u64, &str, f64, Option<i64>)> =
        expected.iter().map(|entry| (entry.rank, entry.member.as_str(), shown(entry.value), entry.meta)).collect();
    assert_eq!(found, reported, "{window} {number:?} of {options:?}");
    assert_eq!(total, expected.len() as u64, "{window}");
    let pinned = usize::try_from(pinned).expect("few");
    PINNED.add(pinned);
    TIED.add(expected[pinned..].windows(2).filter(|pair| pair[0].value == pair[1].value).count());
    let site = deployment.site();
    for (place, Shown { rank, member, value, meta }) in expected.iter().enumerate() {
        let window = deployment.window(BOARD, window);
        let period = number.and_then(|number| Some(ranking::period::Period { unit: window.period_unit()?, number }));
        let of = period_ref(site, BOARD, window, period);
        let id = Id::new(member).expect("an id");
        let ReadReply::Standings(standings) = read(&deployment.store(), site, Read::Member { of, id, around: 1 }) else {
            panic!("{member}")
        };
        let standing = standings.members[0].expect("it is shown");
        if standings.ranking == Ranking::Competition && options.ranking == "dense" {
            assert_eq!(window.name.as_str(), ROLLING, "only there dense ranks are not known");
            continue;
        }
        let near = &reported[place.saturating_sub(1)..reported.len().min(place + 2)];
        assert_eq!((standing.rank, standing.score.value()), (*rank, shown(*value)), "{member}");
        assert_eq!(standings.metas[0].as_ref().and_then(Json::as_i64), *meta, "{member}");
        assert_eq!(shown_of(&standings.around), near, "around {member} in {window:?} of {options:?}");
        RANKED.add(1);
    }
}

/// Sends a batch to the server and to the reference, whose outcomes must agree. `false` when it took so long that nothing can be said.
fn send(deployment: &Deployment, options: &Options, model: &mut Model, step: &Step, now_ms: i64) -> bool {
    let id = step.id.map(|id| format!("b{id}"));
    let events: Vec<Event> = step
        .events
        .iter()
        .map(|sent| Event {
            member: format!("u{}", sent.member),
            value: sent.value,
            at_ms: now_ms - sent.ago_ms,
            id: sent.id.map(|id| format!("e{id}")),
            meta: sent.meta.filter(|_| options.has_metas),
        })
        .collect();
    let json = |event: &Event| {
        let mut json = json!({ "action": "finish", "actor": event.member, "value": shown(event.value), "at": event.at_ms });
        if event.at_ms == now_ms {
            json.as_object_mut().expect("an object").remove("at");
        }
        if let Some(id) = &event.id {
            json["id"] = json!(id);
        }
        if let Some(meta) = event.meta {
            json["meta"] = json!(meta);
        }
        json
    };
    let mut body = json!({ "events": events.iter().map(json).collect::<Vec<_>>() });
    if let Some(id) = &id {
        body["id"] = json!(id);
    }
    for _ in 0..=usize::from(step.again && id.is_some()) {
        deployment.server.clock.set(now_ms);
        let outcomes = deployment.send(&body);
        if deployment.now_ms() > now_ms + LATEST_MS {
            return false;
        }
        assert_eq!(outcomes, model.apply(options, now_ms, id.as_deref(), &events), "{body} of {options:?}");
        for outcome in outcomes {
            let counter = match outcome {
                Outcome::Counted => &COUNTED,
                Outcome::Duplicate => &DUPLICATE,
                Outcome::Full => &FULL,
                _ => &KEPT_OFF,
            };
            counter.add(1);
        }
    }
    true
}

/// The season of an instant, by its start in seconds: each week, from a Monday on.
fn season(at_ms: i64) -> i64 {
    /// 2026-11-02
    const FIRST_DAY: i64 = 20_759;
    let weeks = (at_ms.div_euclid(DAY_MS) - FIRST_DAY).div_euclid(7);
    (FIRST_DAY + 7 * weeks) * 86_400
}

/// Resets a window, or all of them, on the server and in the reference.
fn reset(deployment: &Deployment, model: &mut Model, of: ResetOf) {
    let windows = &deployment.site().boards[BOARD].windows;
    let window = match of {
        ResetOf::Board => None,
        ResetOf::Window(window) => Some(&windows[usize::from(window) % windows.len()]),
    };
    let at_ms = deployment.reset(BOARD, window.map(|window| window.name.as_str())).at_ms;
    for window in window.map_or(&windows[..], std::slice::from_ref) {
        let (unit, length) = match window.kind {
            Kind::Rolling { unit, length } => (unit, i64::from(length)),
            _ => (window.period_unit().expect("a calendar window"), 1),
        };
        let last = match unit {
            Unit::Hour => at_ms.div_euclid(HOUR_MS),
            Unit::Day => at_ms.div_euclid(DAY_MS),
            Unit::Season => season(at_ms),
            _ => 0,
        };
        model.reset(at_ms, unit.code(), last - length + 1, last);
    }
}

fn play(deployment: &mut Deployment, options: &Options, history: &[Step]) {
    let (mut now_ms, mut model) = (START_MS, Model::default());
    deployment.server.command(&["FLUSHALL"]);
    deployment.server.clock.set(now_ms);
    deployment.configure(&options.configuration());
    for (i, step) in history.iter().enumerate() {
        now_ms += step.after_ms;
        if let Some((member, keep_off)) = step.remove {
            let member = format!("u{member}");
            deployment.server.clock.set(now_ms);
            deployment.remove(BOARD, &Whom::Member(Id::new(&member).expect("an id")), keep_off);
            model.remove(&member);
            if keep_off {
                model.off.insert(member);
            } else {
                model.off.remove(&member);
            }
            now_ms += 1000;
        }
        if let Some(of) = step.reset {
            deployment.server.clock.set(now_ms);
            reset(deployment, &mut model, of);
            now_ms += 1000;
        }
        if let Some((list, member, puts)) = step.curate {
            let member = format!("u{member}");
            let id = Id::new(&member).expect("an id");
            let change = if puts { Change::Put(&id) } else { Change::Delete(&id) };
            let (store, board) = (deployment.store(), &deployment.site().boards[BOARD]);
            let there = pollster::block_on(store.curate(deployment.site(), board, list, change)).expect("redis answers");
            assert!(there.is_some(), "there is room");
            model.curate(list, &member, puts);
        }
        if !send(deployment, options, &mut model, step, now_ms) {
            return;
        }
        if i % 4 > 0 && i + 1 < history.len() {
            continue;
        }
        let none = BTreeMap::new();
        let of = |period| options.ranked(model.periods.get(&period).unwrap_or(&none), &model);
        let (hour, day) = (now_ms.div_euclid(HOUR_MS), now_ms.div_euclid(DAY_MS));
        check(deployment, options, "hour", None, &of(('h', hour)));
        check(deployment, options, "all", None, &of(('a', 0)));
        for season in [season(now_ms), season(now_ms - 7 * DAY_MS)] {
            check(deployment, options, LEAGUE, Some(season), &of(('s', season)));
        }
        for day in day - 2..=day {
            check(deployment, options, "day", Some(day), &of(('d', day)));
        }
        for day in options.has_rolling().then_some([day - 1, day]).into_iter().flatten() {
            check(deployment, options, ROLLING, Some(day), &options.ranked(&model.united(options, day), &model));
            UNITED.add(1);
        }
    }
    let states = deployment.server.keys("*:state");
    let planned = states.iter().filter(|state| deployment.server.number(&["HEXISTS", state, "planned:server"]) == 1);
    PLANNED.add(planned.count());
}

#[test]
fn random_histories() {
    let deployment = RefCell::new(Deployment::start(
        &json!({ "actions": { "a": {} }, "boards": { BOARD: { "weights": { "a": 1 }, "windows": ["day"] } } }),
        START_MS,
    ));
    let history = (options(), prop::collection::vec(step(), 4..24));
    let cases = cases::number(100);
    cases::run(file!(), cases, &history, |(options, history)| {
        play(&mut deployment.borrow_mut(), &options, &history);
        Ok(())
    });
    let cases = usize::try_from(cases).expect("few");
    PLANNED.assert_above(cases / 25);
    for (counter, times) in
        [(&COUNTED, 10), (&DUPLICATE, 2), (&FULL, 0), (&KEPT_OFF, 0), (&BEFORE, 0), (&RANKED, 35), (&TIED, 2), (&PINNED, 1), (&UNITED, 2)]
    {
        counter.assert_above(times * cases);
    }
}
