//! The reference: what a batch does to one counting target, event by event, in plain maps.
//!
//! The rules are those of DESIGN.md and docs/; no code is shared with the scripts.

use std::collections::{BTreeMap, BTreeSet};

use ranking::counting::Outcome;
use ranking::window::Unit;

use super::boards::{Board, Change, Fading, Micros, Record, Rules};
use super::crowds::{Crowd, Visitor};

/// An event as a target gets it.
#[derive(Clone, Debug)]
pub struct Event {
    pub member: String,
    pub action: String,
    /// Of all of it.
    pub weight: Micros,
    /// How often it happened.
    pub count: i64,
    pub at_ms: i64,
    /// Own, or the batch's with the event's index.
    pub id: Option<String>,
    pub has_own_id: bool,
    /// The visitor who sent it, and its address.
    pub sender: (String, String),
    pub tracked: Option<Tracked>,
}

#[derive(Clone, Debug)]
pub struct Tracked {
    pub is_undo: bool,
    pub is_reversible: bool,
    pub seq: Option<u64>,
    pub once: Option<Unit>,
    pub who: Who,
    /// Action and item.
    pub what: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    Actor(String),
    /// A visitor, and the day by whose salt it is known.
    Visitor(Visitor, i64),
}

/// What counts once: the period, who did what.
type Mark = (Unit, i64, Who, String);

/// A member, or those whose ids begin so.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Removal {
    Member(String),
    Prefix(String),
}

impl Removal {
    fn is_of(&self, member: &str) -> bool {
        match self {
            Self::Member(id) => member == id,
            Self::Prefix(prefix) => member.starts_with(prefix.as_str()),
        }
    }
}

/// Where an event was counted.
#[derive(Default)]
struct Took {
    units: BTreeSet<Unit>,
    windows: BTreeSet<String>,
}

pub struct Model {
    pub rules: Rules,
    pub periods: BTreeMap<(Unit, i64), Board>,
    pub fading: BTreeMap<(String, i64), Fading>,
    /// By bucket of 31 days, who and what.
    records: BTreeMap<(i64, Who, String), Record>,
    /// The greatest seq that was applied, likewise.
    seqs: BTreeMap<(i64, Who, String), u64>,
    /// Marks of what counted once, with their end (Unix seconds; `None` for never).
    pub marks: BTreeMap<Mark, Option<i64>>,
    /// When an id was last remembered.
    ids: BTreeMap<String, i64>,
    sequence: u64,
    /// Who was removed, or what the ids of those begin with: whether it is kept off, and since when that is so.
    pub moved: BTreeMap<Removal, (bool, i64)>,
    /// Marks that never expire are bounded; a call looks at their number when it begins.
    is_ever_full: bool,
    /// How many new members each visitor and network made, until when (Unix seconds).
    joined: (i64, BTreeMap<String, u32>, Crowd),
    /// By day the visitors whose actions counted once, and how many of them came from each network.
    visitors: BTreeMap<i64, (BTreeSet<Visitor>, Crowd)>,
    /// Periods of a unit, from one to another, and decaying windows, each with when they were reset.
    reset_periods: Vec<(Unit, i64, i64, i64)>,
    reset_windows: BTreeMap<String, i64>,
}

/// Whether an event was refused and may count when it comes again, so that nothing knows it. What somebody did or undid before stays known.
fn may_come_again(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Future
        | Outcome::TooOld
        | Outcome::OutOfSeason
        | Outcome::Full
        | Outcome::Reset
        | Outcome::Removed
        | Outcome::Unknown
        | Outcome::NoBoard
        | Outcome::BoardClosed
        | Outcome::TooManyNew
        | Outcome::Crowded => true,
        Outcome::Counted
        | Outcome::Duplicate
        | Outcome::DoneAlready
        | Outcome::NotDone
        | Outcome::UndoneAlready
        | Outcome::UndoneTooLate
        | Outcome::Superseded
        | Outcome::Settled => false,
    }
}

const DAY_MS: i64 = 86_400_000;
const MONTH_MS: i64 = 31 * DAY_MS;
/// For how long a seq is known at least.
const SEQ_KEPT_MS: i64 = 14 * DAY_MS;
/// What is reported later than that cannot be undone.
const LATEST_MS: i64 = 366 * DAY_MS;

impl Model {
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            periods: BTreeMap::new(),
            fading: BTreeMap::new(),
            records: BTreeMap::new(),
            seqs: BTreeMap::new(),
            marks: BTreeMap::new(),
            ids: BTreeMap::new(),
            sequence: 0,
            moved: BTreeMap::new(),
            is_ever_full: false,
            joined: (0, BTreeMap::new(), Crowd::default()),
            visitors: BTreeMap::new(),
            reset_periods: Vec::new(),
            reset_windows: BTreeMap::new(),
        }
    }

    /// How many actions can be undone, or were, and how many have a seq, by all buckets.
    pub fn records(&self) -> usize {
        self.records.len() + self.seqs.len()
    }

    /// How many visitors and networks are known by the salts of their days.
    pub fn visitors(&self) -> usize {
        self.visitors.values().map(|(visitors, crowd)| visitors.len() + crowd.networks()).sum()
    }

    /// Looks at what a call looks at before it counts, be it of one batch or of a group of them.
    pub fn begin(&mut self, now_ms: i64) {
        self.forget(now_ms);
        let most = self.rules.bounds.values().copied().max().unwrap_or(usize::MAX);
        self.is_ever_full = self.marks.values().filter(|until_s| until_s.is_none()).count() >= most;
    }

    /// Takes a batch and what the script answered, which decides only where the rules leave it open.
    pub fn apply(&mut self, now_ms: i64, batch_id: Option<&str>, is_whole: bool, events: &[Event], answered: &[Outcome]) -> Vec<Outcome> {
        let known: Vec<Option<bool>> = self.known_ids(now_ms, batch_id, events);
        let (mut outcomes, mut met): (Vec<Outcome>, BTreeMap<String, usize>) = (Vec::new(), BTreeMap::new());
        for ((place, event), (known, answer)) in events.iter().enumerate().zip(known.into_iter().zip(answered)) {
            if event.at_ms > now_ms || event.at_ms < 0 {
                outcomes.push(if event.at_ms < 0 { Outcome::TooOld } else { Outcome::Future });
                continue;
            }
            let before = event.id.as_ref().and_then(|id| met.insert(id.clone(), place));
            // What repeats an event that is refused may pass all the same: somebody else may have made room.
            let is_repeated = before.is_some_and(|before| !may_come_again(outcomes[before]));
            let is_duplicate = is_repeated || known.unwrap_or(*answer == Outcome::Duplicate);
            let is_expired = self.removals_of(&event.member).any(|(is_off, _)| is_off);
            let is_undo = event.tracked.as_ref().is_some_and(|tracked| tracked.is_undo);
            let is_unknown = !is_undo && self.rules.known.as_ref().is_some_and(|known| !known.contains(&event.member));
            outcomes.push(match (is_duplicate, is_expired, is_unknown) {
                (true, ..) => Outcome::Duplicate,
                (false, true, _) => Outcome::Removed,
                (false, false, true) => Outcome::Unknown,
                (false, false, false) => self.count(now_ms, event),
            });
        }
        let is_known_whole = is_whole && !outcomes.iter().any(|outcome| may_come_again(*outcome));
        let of_batch = batch_id.filter(|_| is_known_whole && !events.is_empty()).map(String::from);
        // An undo that a reset came before has done what it can.
        let is_undo = |event: &Event| event.tracked.as_ref().is_some_and(|tracked| tracked.is_undo);
        let stays = |event: &Event, outcome: Outcome| !may_come_again(outcome) || outcome == Outcome::Reset && is_undo(event);
        let stay = events.iter().zip(&outcomes).filter(|(event, outcome)| stays(event, **outcome)).map(|(event, _)| event);
        let own = stay.filter(|event| event.has_own_id || !is_known_whole).filter_map(|event| event.id.clone());
        self.ids.extend(of_batch.into_iter().chain(own).map(|id| (id, now_ms)));
        outcomes
    }

    /// Whether an event was seen before: surely for one replay window, surely not after three.
    fn known_ids(&self, now_ms: i64, batch_id: Option<&str>, events: &[Event]) -> Vec<Option<bool>> {
        let known = |id: &str| match self.ids.get(id).map(|sent_ms| now_ms - sent_ms) {
            None => Some(false),
            Some(age_ms) if age_ms <= self.rules.replay_window_ms => Some(true),
            Some(age_ms) if age_ms >= 3 * self.rules.replay_window_ms => Some(false),
            Some(_) => None,
        };
        let either = |event: &Event| {
            let own = event.id.as_deref();
            let batch_of_own = own.and_then(|id| id.split_once('/')).map(|(batch, _)| batch);
            let known: Vec<Option<bool>> = [batch_id, own, batch_of_own].into_iter().flatten().map(known).collect();
            if known.contains(&Some(true)) { Some(true) } else { known.iter().all(Option::is_some).then_some(false) }
        };
        events.iter().map(either).collect()
    }

    /// Takes somebody off every window.
    pub fn remove(&mut self, now_ms: i64, removal: &Removal, keep_off: bool) {
        for board in self.periods.values_mut() {
            board.sums.retain(|member, _| !removal.is_of(member));
            board.sequences.retain(|member, _| !removal.is_of(member));
            board.actions.retain(|member, _| !removal.is_of(member));
        }
        for board in self.fading.values_mut() {
            board.sums.retain(|member, _| !removal.is_of(member));
            board.actions.retain(|member, _| !removal.is_of(member));
        }
        self.moved.insert(removal.clone(), (keep_off, now_ms));
    }

    /// Empties the last periods of some units and some decaying windows; with `is_all` what was done once in the current periods counts again.
    pub fn reset(&mut self, at_ms: i64, units: &[(Unit, i64)], decaying: &[String], is_all: bool) {
        for (unit, count) in units {
            let last = self.rules.calendar.number(*unit, at_ms);
            self.periods.retain(|(of, number), _| of != unit || *number <= last - count || *number > last);
            self.reset_periods.push((*unit, last - count + 1, last, at_ms));
        }
        self.fading.retain(|(name, _), _| !decaying.contains(name));
        self.reset_windows.extend(decaying.iter().map(|name| (name.clone(), at_ms)));
        let calendar = self.rules.calendar;
        self.marks.retain(|(unit, number, ..), _| !is_all || *number != calendar.number(*unit, at_ms));
    }

    fn was_reset(&self, unit: Unit, number: i64, at_ms: i64) -> bool {
        self.reset_periods.iter().any(|(of, first, last, reset_ms)| *of == unit && (first..=last).contains(&&number) && at_ms <= *reset_ms)
    }

    fn removals_of(&self, member: &str) -> impl Iterator<Item = (bool, i64)> {
        self.moved.iter().filter(move |(removal, _)| removal.is_of(member)).map(|(_, message)| *message)
    }

    /// Drops what expired.
    pub fn forget(&mut self, now_ms: i64) {
        let rules = self.rules.clone();
        self.periods.retain(|(unit, number), _| rules.keeps(*unit, *number, now_ms));
        self.marks.retain(|_, until_s| until_s.is_none_or(|until_s| until_s * 1000 > now_ms));
        let kept_ms = 2 * rules.actor_history_ms;
        self.records.retain(|(bucket, ..), _| (bucket + 1) * MONTH_MS + kept_ms > now_ms);
        self.seqs.retain(|(bucket, ..), _| (bucket + 1) * MONTH_MS + kept_ms > now_ms);
        let salt_s = |day| rules.calendar.end_s(Unit::Day, day).expect("days end") + 86_400;
        self.visitors.retain(|day, _| salt_s(*day) * 1000 > now_ms);
        let decaying = rules.decaying.iter();
        let current: BTreeMap<&String, i64> = decaying.map(|(name, kind)| (name, rules.boards_of(*kind, now_ms, now_ms).0)).collect();
        self.fading.retain(|(name, number), _| current.get(name).is_some_and(|current| number >= current));
    }

    fn count(&mut self, now_ms: i64, event: &Event) -> Outcome {
        self.sequence += 1;
        let sequence = self.sequence;
        match &event.tracked {
            None => self.add(now_ms, &Change { event, at_ms: event.at_ms, weight: event.weight, sequence, undone: None }).0,
            Some(tracked) => self.in_order(now_ms, event, tracked),
        }
    }

    /// What carries a seq applies if it is newer than what did, and is then settled at least.
    fn in_order(&mut self, now_ms: i64, event: &Event, tracked: &Tracked) -> Outcome {
        let oldest = (now_ms - self.rules.actor_history_ms.max(SEQ_KEPT_MS)).div_euclid(MONTH_MS);
        let is_mine = |(bucket, who, what): &(i64, Who, String)| *bucket >= oldest && *who == tracked.who && *what == tracked.what;
        let applied = self.seqs.iter().filter(|(key, _)| is_mine(key)).map(|(_, seq)| *seq).max();
        if tracked.seq.is_some_and(|seq| applied >= Some(seq)) {
            return Outcome::Superseded;
        }
        let outcome = if tracked.is_undo { self.undo(now_ms, event, tracked) } else { self.act(now_ms, event, tracked) };
        let (is_applied, is_settled) = match outcome {
            Outcome::Counted | Outcome::UndoneTooLate => (true, false),
            Outcome::Reset => (tracked.is_undo, false),
            Outcome::DoneAlready | Outcome::NotDone | Outcome::UndoneAlready => (true, true),
            _ => (false, false),
        };
        let Some(seq) = tracked.seq.filter(|_| is_applied) else { return outcome };
        self.seqs.insert((now_ms.div_euclid(MONTH_MS), tracked.who.clone(), tracked.what.clone()), seq);
        if is_settled { Outcome::Settled } else { outcome }
    }

    /// The last record of a tracked action, with its age, unless its member was removed since.
    fn record(&self, now_ms: i64, member: &str, tracked: &Tracked) -> Option<((i64, Who, String), Record, i64)> {
        let mine = |(key, _): &(&(i64, Who, String), &Record)| key.1 == tracked.who && key.2 == tracked.what;
        let (key, record) = self.records.iter().rfind(mine)?;
        let moved_ms = self.removals_of(member).map(|(_, at_ms)| at_ms).max();
        (moved_ms < Some(record.recorded_ms)).then(|| (key.clone(), record.clone(), now_ms - record.recorded_ms))
    }

    /// The mark of what counts once, and its end; `None` when none is needed.
    fn mark(&self, now_ms: i64, tracked: &Tracked, at_ms: i64) -> Option<(Mark, Option<i64>)> {
        let calendar = self.rules.calendar;
        let unit = tracked.once?;
        let number = calendar.number(unit, at_ms);
        let mut until_s = calendar.end_s(unit, number).map(|end_s| end_s + self.rules.replay_window_ms / 1000);
        if let Who::Visitor(_, day) = tracked.who {
            let salt_s = calendar.end_s(Unit::Day, day).expect("days end") + 86_400;
            until_s = Some(until_s.map_or(salt_s, |until_s| until_s.min(salt_s)));
        }
        let is_over = until_s.is_some_and(|until_s| until_s <= now_ms.div_euclid(1000));
        (!is_over).then(|| ((unit, number, tracked.who.clone(), tracked.what.clone()), until_s))
    }

    fn act(&mut self, now_ms: i64, event: &Event, tracked: &Tracked) -> Outcome {
        let stands = |(_, record, age_ms): &(_, Record, i64)| record.stands && *age_ms <= self.rules.actor_history_ms;
        if tracked.is_reversible && self.record(now_ms, &event.member, tracked).as_ref().is_some_and(stands) {
            return Outcome::DoneAlready;
        }
        let mark = self.mark(now_ms, tracked, event.at_ms);
        if mark.as_ref().is_some_and(|(key, _)| self.marks.contains_key(key)) {
            return Outcome::DoneAlready;
        }
        if self.is_ever_full && matches!(mark, Some((_, None))) {
            return Outcome::Full;
        }
        let place = match &tracked.who {
            Who::Visitor(visitor, day) if mark.is_some() && self.rules.visitors_per_address > 0 => Some((visitor, *day)),
            _ => None,
        };
        if let Some((visitor, day)) = place {
            let (visitors, crowd) = self.visitors.entry(day).or_default();
            if !visitors.contains(visitor) && !crowd.has_room(&visitor.0, self.rules.visitors_per_address) {
                return Outcome::Crowded;
            }
        }
        let change = Change { event, at_ms: event.at_ms, weight: event.weight, sequence: self.sequence, undone: None };
        let (outcome, took) = self.add(now_ms, &change);
        if outcome == Outcome::Counted {
            self.marks.extend(mark);
            if let Some((visitor, day)) = place {
                let (visitors, crowd) = self.visitors.entry(day).or_default();
                if visitors.insert(visitor.clone()) {
                    crowd.add(&visitor.0);
                }
            }
            if tracked.is_reversible {
                let record = Record {
                    stands: true,
                    recorded_ms: now_ms,
                    at_ms: event.at_ms,
                    weight: event.weight,
                    count: event.count,
                    units: took.units,
                    windows: took.windows,
                    sequence: self.sequence,
                };
                self.records.insert((now_ms.div_euclid(MONTH_MS), tracked.who.clone(), tracked.what.clone()), record);
            }
        }
        outcome
    }

    fn undo(&mut self, now_ms: i64, event: &Event, tracked: &Tracked) -> Outcome {
        let known = self.record(now_ms, &event.member, tracked).filter(|(.., age_ms)| *age_ms <= 2 * self.rules.actor_history_ms);
        let Some((key, record, age_ms)) = known else {
            let ever =
                tracked.once == Some(Unit::All) && self.marks.contains_key(&(Unit::All, 0, tracked.who.clone(), tracked.what.clone()));
            return if ever { Outcome::UndoneTooLate } else { Outcome::NotDone };
        };
        if !record.stands {
            return Outcome::UndoneAlready;
        }
        if age_ms > self.rules.actor_history_ms || record.recorded_ms - record.at_ms > LATEST_MS {
            return Outcome::UndoneTooLate;
        }
        let (at_ms, weight) = (record.at_ms, -record.weight);
        self.records.insert(key, Record { stands: false, ..record.clone() });
        let (outcome, _) = self.add(now_ms, &Change { event, at_ms, weight, sequence: self.sequence, undone: Some(record) });
        if let Some((key, _)) = self.mark(now_ms, tracked, at_ms) {
            self.marks.remove(&key);
        }
        if outcome == Outcome::Reset { outcome } else { Outcome::Counted }
    }

    /// Whether a change puts a member on the board that its longest window lacks.
    fn is_new(&self, rules: &Rules, now_ms: i64, change: &Change) -> bool {
        let (unit, _) = *rules.units.last().expect("a unit");
        let number = rules.calendar.number(unit, change.at_ms);
        let is_there = self.periods.get(&(unit, number)).is_some_and(|board| board.sums.contains_key(&change.event.member));
        rules.new_members.is_some()
            && change.undone.is_none()
            && !is_there
            && rules.keeps(unit, number, now_ms)
            && !self.was_reset(unit, number, change.at_ms)
    }

    /// Whether a visitor of an address may make one more new member; it is counted.
    fn may_join(&mut self, rules: &Rules, now_ms: i64, (visitor, address): &(String, String)) -> bool {
        let Some((of_visitor, of_address)) = rules.new_members else { return true };
        let now_s = now_ms.div_euclid(1000);
        if now_s >= self.joined.0 {
            self.joined = (now_s + 3600, BTreeMap::new(), Crowd::default());
        }
        // A visitor is another one at another address.
        let visitor = format!("{visitor} {address}");
        let made = self.joined.1.entry(visitor).or_default();
        let is_within = *made < of_visitor && self.joined.2.has_room(address, of_address);
        if is_within {
            *made += 1;
            self.joined.2.add(address);
        }
        is_within
    }

    /// Adds a change to every window that still keeps its instant.
    fn add(&mut self, now_ms: i64, change: &Change) -> (Outcome, Took) {
        let (mut kept, mut refused, mut took, mut is_before) = (0, 0, Took::default(), false);
        let rules = self.rules.clone();
        let (is_new, joined_before) = (self.is_new(&rules, now_ms, change), self.joined.clone());
        if is_new && !self.may_join(&rules, now_ms, &change.event.sender) {
            return (Outcome::TooManyNew, took);
        }
        for (unit, _) in &rules.units {
            let number = rules.calendar.number(*unit, change.at_ms);
            if !rules.keeps(*unit, number, now_ms) {
                continue;
            }
            if self.was_reset(*unit, number, change.at_ms) {
                is_before = true;
                continue;
            }
            kept += 1;
            if change.undone.as_ref().is_some_and(|record| !record.units.contains(unit)) {
                continue;
            }
            let board = self.periods.entry((*unit, number)).or_default();
            if board.add(&rules, *unit, change) {
                took.units.insert(*unit);
            } else {
                board.refused += 1;
                refused += 1;
            }
        }
        let (faded, full) = self.fade(now_ms, change, &mut took, &mut is_before);
        let outcome = match (faded || refused < kept, refused > 0 || full, is_before) {
            (true, ..) => Outcome::Counted,
            (false, true, _) => Outcome::Full,
            (false, false, true) => Outcome::Reset,
            (false, false, false) => Outcome::TooOld,
        };
        // What is refused begins no hour either.
        if is_new && outcome != Outcome::Counted {
            self.joined = joined_before;
        }
        (outcome, took)
    }

    /// The same for decaying windows: whether any took it, and whether any was full.
    fn fade(&mut self, now_ms: i64, change: &Change, took: &mut Took, is_before: &mut bool) -> (bool, bool) {
        let (mut any, mut full) = (false, false);
        let rules = self.rules.clone();
        for (name, kind) in &rules.decaying {
            if change.undone.as_ref().is_some_and(|record| !record.windows.contains(name)) {
                continue;
            }
            if self.reset_windows.get(name).is_some_and(|reset_ms| change.at_ms <= *reset_ms) {
                *is_before |= !rules.boards_of(*kind, change.at_ms, now_ms).1.is_empty();
                continue;
            }
            let mut refused = false;
            for (number, worth) in rules.boards_of(*kind, change.at_ms, now_ms).1 {
                #[expect(clippy::cast_precision_loss, reason = "small weights")]
                let value = change.weight as f64 / 1e6 * worth;
                if value == 0.0 {
                    continue;
                }
                let counted = self.fading.entry((name.clone(), number)).or_default().add(&rules, name, change, value);
                any |= counted;
                refused |= !counted;
            }
            full |= refused;
            if !refused {
                took.windows.insert(name.clone());
            }
        }
        (any, full)
    }
}
