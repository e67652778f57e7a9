//! Boards of calendar periods and of decaying windows: what a change does to them.
//!
//! Scores of calendar periods are whole millionths.

use std::collections::{BTreeMap, BTreeSet};

use ranking::window::{Kind, Unit};

use super::calendar::Calendar;
use super::model::Event;

/// Whole millionths.
pub type Micros = i64;

/// What a target is configured to count.
#[derive(Clone, Debug)]
pub struct Rules {
    pub calendar: Calendar,
    /// With the seconds that each period is kept after its end; 0 for ever.
    pub units: Vec<(Unit, i64)>,
    pub decaying: Vec<(String, Kind)>,
    /// Members that a period of a unit, or a decaying window, may hold, by its name.
    pub bounds: BTreeMap<String, usize>,
    /// Visitors of an address whose actions count once on a day; 0: all.
    pub visitors_per_address: u32,
    /// New members that a visitor, and that an address, may put on it in an hour.
    pub new_members: Option<(u32, u32)>,
    /// The members that count; `None`: all.
    pub known: Option<BTreeSet<String>>,
    pub breakdown: bool,
    /// It counts actions by member, and has no scores.
    pub is_log: bool,
    pub replay_window_ms: i64,
    pub actor_history_ms: i64,
}

/// A period's board.
#[derive(Clone, Debug, Default)]
pub struct Board {
    /// Without zeros.
    pub sums: BTreeMap<String, Micros>,
    /// Numbers of the events that stand since a member's sum was last zero.
    pub sequences: BTreeMap<String, Vec<u64>>,
    pub actions: BTreeMap<String, Actions<Micros>>,
    pub refused: u64,
    /// Whether it ever held anything.
    pub was_made: bool,
}

/// By action how often, and the sum.
pub type Actions<S> = BTreeMap<String, (i64, S)>;

/// A board of a decaying window.
#[derive(Clone, Debug, Default)]
pub struct Fading {
    pub sums: BTreeMap<String, f64>,
    /// The greatest value that was ever added for a member: what floats round is reckoned from it.
    pub greatest: BTreeMap<String, f64>,
    pub actions: BTreeMap<String, Actions<f64>>,
}

/// What is remembered of an action that can be undone.
#[derive(Clone, Debug)]
pub struct Record {
    pub stands: bool,
    pub recorded_ms: i64,
    pub at_ms: i64,
    pub weight: Micros,
    /// How often the action happened.
    pub count: i64,
    pub units: BTreeSet<Unit>,
    pub windows: BTreeSet<String>,
    pub sequence: u64,
}

/// What an event adds, once it is known that it counts.
pub struct Change<'e> {
    pub event: &'e Event,
    pub at_ms: i64,
    pub weight: Micros,
    pub sequence: u64,
    /// Of an undo: what its action counted.
    pub undone: Option<Record>,
}

impl Board {
    /// Answers whether there was room.
    pub fn add(&mut self, rules: &Rules, unit: Unit, change: &Change) -> bool {
        let member = &change.event.member;
        if rules.is_log {
            tally(self.actions.entry(member.clone()).or_default(), change, change.weight);
            self.actions.retain(|_, actions| !actions.is_empty());
            self.was_made = true;
            return true;
        }
        let old = self.sums.get(member).copied().unwrap_or(0);
        if old == 0 && change.undone.is_none() && self.sums.len() >= rules.bounds[unit.name()] {
            return false;
        }
        let new = old + change.weight;
        self.sums.insert(member.clone(), new);
        self.sums.retain(|_, sum| *sum != 0);
        self.was_made = true;
        let sequences = self.sequences.entry(member.clone()).or_default();
        match &change.undone {
            Some(record) => sequences.retain(|sequence| *sequence != record.sequence),
            None => sequences.push(change.sequence),
        }
        if new == 0 {
            sequences.clear();
        }
        if rules.breakdown {
            tally(self.actions.entry(member.clone()).or_default(), change, change.weight);
            self.actions.retain(|_, actions| !actions.is_empty());
        }
        true
    }
}

impl Fading {
    pub fn add(&mut self, rules: &Rules, window: &str, change: &Change, value: f64) -> bool {
        let member = &change.event.member;
        let old = self.sums.get(member).copied().unwrap_or(0.0);
        if old == 0.0 && change.undone.is_none() && self.sums.len() >= rules.bounds[window] {
            return false;
        }
        let sum = old + value;
        let greatest = self.greatest.entry(member.clone()).or_default();
        *greatest = greatest.max(value.abs());
        // What rounding leaves of a sum that was taken back.
        self.sums.insert(member.clone(), if sum.abs() < value.abs() * 1e-13 { 0.0 } else { sum });
        self.sums.retain(|_, sum| *sum != 0.0);
        if rules.breakdown {
            tally(self.actions.entry(member.clone()).or_default(), change, value);
            self.actions.retain(|_, actions| !actions.is_empty());
        }
        true
    }
}

/// Counts an action; one that was counted zero times is left out.
fn tally<S: Default + std::ops::AddAssign>(actions: &mut Actions<S>, change: &Change, worth: S) {
    let (count, sum) = actions.entry(change.event.action.clone()).or_default();
    *count += change.undone.as_ref().map_or(change.event.count, |record| -record.count);
    *sum += worth;
    actions.retain(|_, (count, _)| *count != 0);
}

impl Rules {
    pub fn keeps(&self, unit: Unit, number: i64, now_ms: i64) -> bool {
        let kept_s = self.units.iter().find(|(known, _)| *known == unit).map_or(0, |(_, kept_s)| *kept_s);
        let until_s = self.calendar.end_s(unit, number).filter(|_| kept_s > 0).map(|end_s| end_s + kept_s);
        until_s.is_none_or(|until_s| until_s > now_ms.div_euclid(1000))
    }

    /// The current board of a decaying window, and the boards on which an event counts with what it is worth there.
    pub fn boards_of(&self, kind: Kind, at_ms: i64, now_ms: i64) -> (i64, Vec<(i64, f64)>) {
        #[expect(clippy::cast_precision_loss, reason = "instants are below 2^53")]
        let float = |number: i64| number as f64;
        let (life, span, at, now) = match kind {
            Kind::HalfLife { life_ms } => {
                let life = float(i64::try_from(life_ms).expect("small"));
                (life, 512.0 * life, float(at_ms), float(now_ms))
            }
            Kind::Step { every, factor } => {
                let life = std::f64::consts::LN_2 / -factor.value().ln();
                let position = |at_ms: i64| float(self.calendar.number(every, at_ms));
                (life, (512.0 * life).ceil(), position(at_ms), position(now_ms))
            }
            Kind::Linear { resets, at_s, beta } => {
                let calendar = Calendar { day_starts_at_s: at_s.into(), ..self.calendar };
                let current = calendar.number(resets, now_ms);
                let starts_s = calendar.end_s(resets, current - 1).expect("resets end");
                let after_s = at_ms.div_euclid(1000) - starts_s;
                return (current, if after_s < 0 { vec![] } else { vec![(current, beta.value() * float(after_s))] });
            }
            Kind::Calendar(_) | Kind::Rolling { .. } => unreachable!("they do not decay"),
        };
        #[expect(clippy::cast_possible_truncation, reason = "small")]
        let number = |position: f64| (position / span).floor() as i64;
        let current = number(now);
        let numbers = current..=number(now + span / 8.0);
        let reached = numbers.filter(|number| at >= now.max(float(*number) * span) - span / 8.0);
        (current, reached.map(|number| (number, 2_f64.powf((at - float(number) * span) / life))).collect())
    }
}
