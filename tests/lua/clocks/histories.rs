//! Random histories.

use proptest::prelude::*;
use serde_json::json;

use super::{
    BOARD, COMPLETE, Contents, DAY_MS, Deployment, HOUR_MS, INCOMPLETE, MINUTE_MS, SECOND_MS, check_all, like, repair, rolling_keys, site,
    view,
};
use crate::cases::{self, Counter};

/// 2026-03-27T22:30:00Z: London's clocks go forward in two days.
const START_MS: i64 = 1_774_650_600_000;
const MEMBERS: u8 = 12;

static BACK: Counter = Counter::new("steps back");
static AHEAD: Counter = Counter::new("clocks that were ahead");
static VANISHED: Counter = Counter::new("keys that vanished");
static CHUNKS: Counter = Counter::new("chunks of upkeep");

#[derive(Clone, Debug)]
enum Op {
    /// An event by itself: member, milliseconds ago.
    Event(u8, i64),
    /// Events in one batch: members, whether they take away, milliseconds ago.
    Batch(Vec<(u8, bool, i64)>),
    Like(u8),
    Undo(u8),
    Advance(i64),
    Back(i64),
    /// The clock is ahead for three seconds, in which events come and perhaps upkeep.
    Ahead(i64, Vec<u8>, bool),
    /// A key vanishes.
    Vanish(Kind, prop::sample::Index),
    Chunk(prop::sample::Index, u32),
    Upkeep,
    Reload,
    Repair,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Base,
    Rolling,
    /// What upkeep notes while it scans.
    Scan,
    State,
}

impl Kind {
    fn keys(self, contents: &Contents) -> Vec<String> {
        let of = |wanted: &dyn Fn(&str) -> bool| contents.keys().filter(|key| wanted(key)).cloned().collect();
        match self {
            Self::Base => of(&|key| [":hour:", ":day:", ":week:", ":month:"].iter().any(|unit| key.contains(unit))),
            Self::Rolling => rolling_keys(contents),
            Self::State => of(&|key| key.ends_with(":state")),
            Self::Scan => of(&|key| key.ends_with(":touched") || key.ends_with(":scan")),
        }
    }
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let span = || {
        prop_oneof![
            3 => MINUTE_MS..90 * MINUTE_MS,
            3 => HOUR_MS..30 * HOUR_MS,
            2 => DAY_MS..9 * DAY_MS,
            1 => 10 * DAY_MS..120 * DAY_MS,
        ]
    };
    let ago = || prop_oneof![4 => Just(0_i64), 2 => 0..2 * MINUTE_MS, 3 => span()];
    let back = prop_oneof![3 => SECOND_MS..MINUTE_MS, 2 => span(), 1 => Just(DAY_MS), 1 => Just(40 * DAY_MS)];
    let ahead = prop_oneof![2 => span(), 1 => Just(5 * DAY_MS), 1 => Just(400 * DAY_MS)];
    let member = || 0..MEMBERS;
    let kind = prop_oneof![4 => Just(Kind::Base), 4 => Just(Kind::Rolling), 2 => Just(Kind::Scan), 1 => Just(Kind::State)];
    let op = prop_oneof![
        8 => (member(), ago()).prop_map(|(member, ago)| Op::Event(member, ago)),
        6 => prop::collection::vec((member(), prop::bool::weighted(0.2), ago()), 2..6).prop_map(Op::Batch),
        2 => member().prop_map(Op::Like),
        2 => member().prop_map(Op::Undo),
        5 => span().prop_map(Op::Advance),
        3 => back.prop_map(Op::Back),
        2 => (ahead, prop::collection::vec(member(), 0..3), any::<bool>()).prop_map(|(ms, members, upkeep)| Op::Ahead(ms, members, upkeep)),
        3 => (kind, any::<prop::sample::Index>()).prop_map(|(kind, index)| Op::Vanish(kind, index)),
        6 => (any::<prop::sample::Index>(), 1..60_u32).prop_map(|(window, lookups)| Op::Chunk(window, lookups)),
        4 => Just(Op::Upkeep),
        1 => Just(Op::Reload),
        2 => Just(Op::Repair),
    ];
    prop::collection::vec(op, 1..60)
}

fn play(deployment: &Deployment, ops: &[Op]) {
    deployment.server.command(&["FLUSHALL"]);
    deployment.server.clock.set(START_MS);
    let windows = deployment.rolling(BOARD);
    let send = |op: &Op| match op {
        Op::Event(member, ago) => deployment.put(&[view(member, *ago)]),
        Op::Batch(events) => {
            let event = |(member, takes, ago): &(u8, bool, i64)| json!({ "action": if *takes { "back" } else { "view" }, "item": format!("m{member}"), "ago": ago });
            deployment.put(&events.iter().map(event).collect::<Vec<_>>())
        }
        Op::Like(member) => deployment.put(&[like(member, false)]),
        Op::Undo(member) => deployment.put(&[like(member, true)]),
        other => unreachable!("{other:?}"),
    };
    for (i, op) in ops.iter().enumerate() {
        deployment.forget(i);
        match op {
            Op::Event(..) | Op::Batch(..) | Op::Like(..) | Op::Undo(..) => drop(send(op)),
            Op::Advance(ms) => deployment.advance(*ms),
            Op::Back(ms) => {
                deployment.advance(-ms);
                BACK.add(1);
            }
            Op::Ahead(ms, members, upkeep) => {
                let now_ms = deployment.now_ms();
                deployment.advance(*ms);
                for member in members {
                    send(&Op::Event(*member, 0));
                }
                if *upkeep {
                    deployment.upkeep(BOARD);
                }
                check_all(deployment, &format!("{i}: while ahead: {op:?}"));
                deployment.server.clock.set(now_ms + 3 * SECOND_MS);
                AHEAD.add(1);
            }
            Op::Vanish(kind, index) => {
                let keys = kind.keys(&deployment.contents());
                if !keys.is_empty() {
                    let key: &String = index.get(&keys);
                    deployment.server.command(&["DEL", key]);
                    VANISHED.add(1);
                }
            }
            Op::Chunk(window, lookups) => {
                deployment.chunk(BOARD, &window.get(&windows).0, *lookups);
                CHUNKS.add(1);
            }
            Op::Upkeep => deployment.upkeep(BOARD),
            Op::Reload => deployment.server.reload(&[]),
            Op::Repair => repair(deployment, &format!("{i}: {op:?}")),
        }
        check_all(deployment, &format!("{i}: {op:?}"));
    }
    repair(deployment, "everything");
}

#[test]
fn histories() {
    let deployment = Deployment::start(&site("Europe/London"), START_MS);
    let cases = cases::number(64);
    cases::run(file!(), cases, &ops(), |ops| {
        play(&deployment, &ops);
        Ok(())
    });
    let cases = usize::try_from(cases).expect("few");
    for counter in [&BACK, &AHEAD, &VANISHED] {
        counter.assert_above(cases / 2);
    }
    for counter in [&CHUNKS, &COMPLETE, &INCOMPLETE] {
        counter.assert_above(2 * cases);
    }
}
