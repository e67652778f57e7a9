//! Rolling windows: whatever happens in whatever order, every member of every board that is said to be ready has the sum
//! of its base periods.

use std::collections::{BTreeMap, BTreeSet};

use engine::store::upkeep::Task;
use proptest::prelude::*;
use ranking::grain::Grain;
use ranking::page::{LostPeriod, Page};
use ranking::period::Period;
use ranking::window::{Kind, Unit};
use serde_json::json;

use crate::cases::{self, Counter};
use crate::model::{CountedEvent, Ranking};

/// 2026-03-27T22:30:00Z: London's clocks go forward in two days.
const START_MS: i64 = 1_774_650_600_000;
const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

const WINDOWS: [(&str, Unit, u32); 8] = [
    ("last-3-minutes", Unit::Minutes(Grain::One), 3),
    ("last-60-minutes", Unit::Minutes(Grain::Five), 12),
    ("last-2-hours", Unit::Hour, 2),
    ("last-3-hours", Unit::Hour, 3),
    ("last-2-days", Unit::Day, 2),
    ("last-7-days", Unit::Day, 7),
    ("last-3-weeks", Unit::Week, 3),
    ("last-2-months", Unit::Month, 2),
];

static LATE: Counter = Counter::new("late events that were counted");
static UNDONE: Counter = Counter::new("events that were taken back");
static REPAIRS: Counter = Counter::new("chunks of repair that readers set off");
static LOST: Counter = Counter::new("periods that a ranking says to have lost");
static COMPARED: Counter = Counter::new("boards with members that were said to be ready");

#[derive(Clone, Debug)]
enum Op {
    /// Events of members now: (member, delta).
    Events(Vec<(u8, i8)>),
    /// An event some time ago.
    Late(u8, i8, i64),
    /// Takes back one of the events so far.
    Undo(prop::sample::Index),
    Advance(i64),
    /// Goes on to so many milliseconds before an hour ends: the boundary then passes while the next operations run.
    Near(i64),
    Chunk(usize, u32),
    /// Upkeep of all windows to the end.
    Upkeep,
    /// Reading every window, with the repair that readers do.
    Read,
    /// The board of a period goes.
    Evict(prop::sample::Index),
    LibraryFlush,
    /// Redis restarts from what it has.
    Restart,
    /// Redis restarts from an older snapshot.
    Snapshot,
    Restore,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let delta = prop_oneof![4 => 1..4_i8, 1 => -4..0_i8];
    let event = (0..12_u8, delta.clone());
    let span = prop_oneof![
        2 => 1_000..5 * MINUTE_MS,
        3 => MINUTE_MS..90 * MINUTE_MS,
        3 => HOUR_MS..30 * HOUR_MS,
        2 => DAY_MS..9 * DAY_MS,
        1 => 10 * DAY_MS..120 * DAY_MS,
    ];
    let op = prop_oneof![
        8 => prop::collection::vec(event, 1..4).prop_map(Op::Events),
        5 => (0..12_u8, delta, span.clone()).prop_map(|(member, delta, ago)| Op::Late(member, delta, ago)),
        3 => any::<prop::sample::Index>().prop_map(Op::Undo),
        6 => span.prop_map(Op::Advance),
        2 => (0..80_i64).prop_map(Op::Near),
        5 => (0..WINDOWS.len(), 1..40_u32).prop_map(|(window, lookups)| Op::Chunk(window, lookups)),
        3 => Just(Op::Upkeep),
        4 => Just(Op::Read),
        1 => any::<prop::sample::Index>().prop_map(Op::Evict),
        1 => Just(Op::LibraryFlush),
        1 => Just(Op::Restart),
        1 => Just(Op::Snapshot),
        1 => Just(Op::Restore),
    ];
    prop::collection::vec(op, 1..50)
}

fn windows() -> serde_json::Value {
    let hour = json!({ "name": "last-60-minutes", "kind": "rolling", "grain": "5 minutes" });
    json!(["day", "last-3-minutes", hour, "last-2-hours", "last-3-hours", "last-2-days", "last-7-days", "last-3-weeks", "last-2-months"])
}

fn event(at_ms: i64, member: u8, delta: i8) -> CountedEvent {
    CountedEvent { at_ms, member: format!("m{member}"), delta: delta.into() }
}

fn upkeep_all(ranking: &Ranking) {
    for (window, ..) in WINDOWS {
        while ranking.upkeep(window, 500) != Task::Ready {}
    }
}

/// Every board that is said to be ready is right for every member.
#[track_caller]
fn check(ranking: &Ranking, after: &str) {
    let now_ms = ranking.now_ms();
    for (window, unit, length) in WINDOWS {
        let current = ranking.number(unit, now_ms);
        if ranking.has_unnoticed(unit) {
            continue;
        }
        let ready = ranking.ready(window, current);
        for number in [current, current + 1] {
            if ready == Some(current + 1) || ready == Some(number) {
                let key = format!("eb:{{site:board}}:window:{window}:{number}");
                let expected = ranking.sums(unit, length, number);
                assert_eq!(ranking.set(&key), expected, "{window} {number} (current {current}) after {after}");
                COMPARED.add(usize::from(!expected.is_empty()));
            }
        }
    }
}

/// What readers see, after the repair that they set off.
#[track_caller]
fn check_read(ranking: &Ranking) {
    check_day(ranking);
    for (window, unit, length) in WINDOWS {
        check_period(ranking, window, unit, length, None);
        let current = ranking.number(unit, ranking.now_ms());
        // What grains are made of soon expires.
        let back = if unit.grain_s().is_some() { 1 } else { i64::from(length) };
        for number in [current - 1, current - back] {
            check_period(ranking, window, unit, length, Some(Period { unit, number }));
        }
    }
}

/// The periods that a page says to have lost.
fn lost_in(ranking: &Ranking, unit: Unit, page: &Page) -> BTreeSet<i64> {
    LOST.add(page.info.lost.len());
    let number = |lost: &LostPeriod| {
        assert_eq!(ranking.number(unit, lost.starts_at * 1000), lost.number);
        assert_ne!(ranking.number(unit, lost.starts_at * 1000 - 1), lost.number);
        lost.number
    };
    page.info.lost.iter().map(number).collect()
}

/// Days that went are named while they are in the longest window of days.
#[track_caller]
fn check_day(ranking: &Ranking) {
    let current = ranking.number(Unit::Day, ranking.now_ms());
    for number in current - 8..=current {
        let page = ranking.page("day", Some(Period { unit: Unit::Day, number }));
        let lost = lost_in(ranking, Unit::Day, &page);
        if number > current - 7 || !lost.is_empty() {
            assert_eq!(lost, ranking.lost(Unit::Day, 1, number), "{number} {:?}", page.info);
        }
        let mut expected = ranking.sums(Unit::Day, 1, number);
        expected.retain(|_, sum| *sum > 0);
        assert_eq!(expected, scores(page), "{number}");
    }
}

/// The scores on a page.
fn scores(page: Page) -> BTreeMap<String, i64> {
    #[expect(clippy::cast_possible_truncation, reason = "small whole numbers")]
    page.entries.into_iter().map(|entry| (entry.id.as_str().to_owned(), entry.score.value() as i64)).collect()
}

/// What readers see of a period, or of the current one, which is that of the instant at which the script read it.
#[track_caller]
fn check_period(ranking: &Ranking, window: &str, unit: Unit, length: u32, period: Option<Period>) {
    let complete = (0..10_000).find_map(|_| {
        let page = ranking.page(window, period);
        if page.info.complete {
            return Some(page);
        }
        REPAIRS.add(1);
        match period.filter(|period| period.number < ranking.number(unit, page.info.now_ms)) {
            Some(period) => drop(ranking.build_past(window, period, 100)),
            None => drop(ranking.upkeep(window, 100)),
        }
        None
    });
    let page = complete.unwrap_or_else(|| panic!("{window} {period:?} is not repaired"));
    let current = ranking.number(unit, page.info.now_ms);
    let number = period.map_or(current, |period| period.number);
    let lost = lost_in(ranking, unit, &page);
    // A past window may have been built before.
    if number == current {
        assert_eq!(lost, ranking.lost(unit, length, number), "{window} {:?}", page.info);
    } else if lost != ranking.lost(unit, length, number) {
        return;
    }
    let mut expected = ranking.sums(unit, length, number);
    expected.retain(|_, sum| *sum > 0);
    let info = page.info.clone();
    assert_eq!(expected, scores(page), "{window} {period:?} {info:?}");
}

fn run(ops: &[Op]) {
    let mut ranking = Ranking::new("Europe/London", windows(), START_MS);
    let mut snapshot = None;
    for op in ops {
        let now_ms = ranking.now_ms();
        match op {
            Op::Events(events) => {
                let counted: Vec<CountedEvent> = events.iter().map(|(member, delta)| event(now_ms, *member, *delta)).collect();
                ranking.put(&counted);
            }
            Op::Late(member, delta, ago) => {
                let before = ranking.counted.len();
                ranking.put(&[event(now_ms - ago, *member, *delta)]);
                LATE.add(ranking.counted.len() - before);
            }
            Op::Undo(index) if !ranking.counted.is_empty() => {
                let CountedEvent { at_ms, member, delta } = index.get(&ranking.counted).clone();
                let before = ranking.counted.len();
                ranking.put(&[CountedEvent { at_ms, member, delta: -delta }]);
                UNDONE.add(ranking.counted.len() - before);
            }
            Op::Undo(_) => {}
            Op::Advance(ms) => ranking.server.clock.set(now_ms + ms),
            Op::Near(ms) => ranking.server.clock.set((now_ms + ms) / HOUR_MS * HOUR_MS + HOUR_MS - ms),
            Op::Chunk(window, lookups) => drop(ranking.upkeep(WINDOWS[*window].0, *lookups)),
            Op::Upkeep => upkeep_all(&ranking),
            Op::Read => check_read(&ranking),
            Op::Evict(index) => ranking.evict(&WINDOWS.map(|(_, unit, _)| unit), *index),
            Op::LibraryFlush => drop(ranking.server.command(&["FUNCTION", "FLUSH"])),
            Op::Restart => ranking.server.reload(&[]),
            Op::Snapshot => {
                ranking.server.snapshot();
                snapshot = Some((ranking.counted.clone(), ranking.lost.clone()));
            }
            Op::Restore => {
                if let Some((counted, lost)) = &snapshot {
                    ranking.server.reload(&["NOSAVE"]);
                    ranking.counted.clone_from(counted);
                    ranking.lost.clone_from(lost);
                }
            }
        }
        // That writes the snapshot anew.
        if matches!(op, Op::Restart) {
            snapshot = Some((ranking.counted.clone(), ranking.lost.clone()));
        }
        check(&ranking, &format!("{op:?}"));
    }
    check_read(&ranking);
    upkeep_all(&ranking);
    check(&ranking, "everything");
}

#[test]
fn histories() {
    let cases = cases::number(64);
    cases::run(file!(), cases, &ops(), |ops| {
        run(&ops);
        Ok(())
    });
    let cases = cases as usize;
    LATE.assert_above(cases / 2);
    UNDONE.assert_above(cases / 4);
    REPAIRS.assert_above(15 * cases);
    LOST.assert_above(cases / 8);
    COMPARED.assert_above(15 * cases);
}

/// The sizes around which Redis changes how it stores a sorted set.
#[test]
fn small_and_large_sets() {
    for size in [127_u32, 128, 129, 700] {
        let mut ranking = Ranking::new("Europe/London", windows(), START_MS);
        for day in 0..9 {
            let now_ms = ranking.now_ms();
            for part in (0..size).collect::<Vec<_>>().chunks(100) {
                let counted: Vec<CountedEvent> = part
                    .iter()
                    .filter(|member| (*member + day) % 3 != 0)
                    .map(|member| CountedEvent { at_ms: now_ms, member: format!("m{member}"), delta: f64::from(1 + member % 5) })
                    .collect();
                ranking.put(&counted);
            }
            if day % 2 == 0 {
                upkeep_all(&ranking);
            }
            check(&ranking, "a day");
            check_read(&ranking);
            ranking.server.clock.set(now_ms + DAY_MS);
        }
    }
}

/// Two rolling windows of one unit share its base boards.
#[test]
fn base_boards_are_shared() {
    let mut ranking = Ranking::new("UTC", json!(["last-2-days", "last-7-days"]), START_MS);
    let now_ms = ranking.now_ms();
    ranking.put(&[event(now_ms, 1, 1)]);
    let keys = ranking.server.keys("*");
    assert_eq!(keys.iter().filter(|key| key.contains(":day:")).count(), 1, "{keys:?}");
    assert!(matches!(ranking.window("last-7-days").kind, Kind::Rolling { length: 7, .. }));
}
