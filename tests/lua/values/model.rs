//! The reference: what events with values make of a board, event by event, in plain maps. No code is shared with the scripts.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use engine::store::curate::List;
use ranking::counting::Outcome;
use ranking::values::{Order, Policy};

use super::{BEFORE, HOUR_MS, Options, season};

const DAY_MS: i64 = 24 * HOUR_MS;

/// A period: its unit's letter, and its number in UTC.
pub type Period = (char, i64);

#[derive(Clone, Debug)]
pub struct Event {
    pub member: String,
    /// In thousandths.
    pub value: i64,
    pub at_ms: i64,
    pub id: Option<String>,
    pub meta: Option<i64>,
}

/// What a member has in a period.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    pub value: i64,
    pub at_ms: i64,
    pub sequence: u64,
    pub meta: Option<i64>,
}

/// Who is shown, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    pub rank: u64,
    pub member: String,
    /// In thousandths; 0 of a pinned member who has none.
    pub value: i64,
    pub meta: Option<i64>,
}

#[derive(Default)]
pub struct Model {
    /// Members who are not shown, and those who stand first, in the order of their pinning.
    pub hidden: Vec<String>,
    pub pinned: Vec<String>,
    pub periods: BTreeMap<Period, BTreeMap<String, Kept>>,
    ids: BTreeSet<String>,
    pub off: BTreeSet<String>,
    sequence: u64,
    /// Periods of a unit, from one to another, with when they were reset.
    resets: Vec<(char, i64, i64, i64)>,
}

impl Options {
    fn keeps(&self, old: &Kept, event: &Event) -> bool {
        match self.policy {
            Policy::Max => event.value > old.value,
            Policy::Min => event.value < old.value,
            Policy::Last => event.at_ms >= old.at_ms,
            Policy::Sum => unreachable!("values are not summed"),
        }
    }

    /// Who stands first.
    pub fn compare(&self, (one, first): (&String, &Kept), (other, second): (&String, &Kept)) -> Ordering {
        let by_value = match self.order {
            Order::Descending => second.value.cmp(&first.value),
            Order::Ascending => first.value.cmp(&second.value),
        };
        let among_ties = match self.ties {
            Some("first") => first.sequence.cmp(&second.sequence),
            Some(_) => second.sequence.cmp(&first.sequence),
            None => other.cmp(one),
        };
        by_value.then(among_ties)
    }

    /// Members in their order, with their ranks: first those who are pinned, and without those who are hidden.
    pub fn ranked(&self, kept: &BTreeMap<String, Kept>, model: &Model) -> Vec<Shown> {
        let mut members: Vec<_> =
            kept.iter().filter(|(member, _)| !model.hidden.contains(member) && !model.pinned.contains(member)).collect();
        members.sort_by(|one, other| self.compare(*one, *other));
        let mut ranked: Vec<Shown> = Vec::new();
        for member in model.pinned.iter().filter(|member| !model.hidden.contains(member)) {
            let own = kept.get(member);
            let (value, meta) = (own.map_or(0, |own| own.value), own.and_then(|own| own.meta));
            ranked.push(Shown { rank: ranked.len() as u64 + 1, member: member.clone(), value, meta });
        }
        let pinned = ranked.len();
        for (member, Kept { value, meta, .. }) in members {
            let place = ranked.len() as u64 + 1;
            let equal = ranked[pinned..].last().filter(|before| before.value == *value).map(|before| before.rank);
            let next = ranked.last().map_or(1, |before| before.rank + 1);
            let rank = match self.ranking {
                "ordinal" => place,
                "competition" => equal.unwrap_or(place),
                _ => equal.unwrap_or(next),
            };
            ranked.push(Shown { rank, member: member.clone(), value: *value, meta: *meta });
        }
        ranked
    }
}

/// Whether an event leaves its id.
fn is_taken(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Counted | Outcome::Duplicate)
}

impl Model {
    /// Takes a batch that came at `now_ms`.
    pub fn apply(&mut self, options: &Options, now_ms: i64, batch_id: Option<&str>, events: &[Event]) -> Vec<Outcome> {
        let is_known = batch_id.is_some_and(|id| self.ids.contains(id));
        let place = |index: usize| batch_id.map(|id| format!("{id}/{index}"));
        let mut outcomes = Vec::new();
        for (index, event) in events.iter().enumerate() {
            let name = event.id.clone().or_else(|| place(index));
            let is_repeated = is_known || name.is_some_and(|name| self.ids.contains(&name));
            let outcome = if is_repeated { Outcome::Duplicate } else { self.count(options, now_ms, event) };
            if is_taken(outcome) {
                self.ids.extend(event.id.clone());
            }
            outcomes.push(outcome);
        }
        // A batch with a refused event is remembered event by event.
        if outcomes.iter().all(|outcome| is_taken(*outcome)) {
            self.ids.extend(batch_id.map(str::to_owned));
        } else {
            let taken = (0..events.len()).filter(|index| events[*index].id.is_none() && is_taken(outcomes[*index]));
            self.ids.extend(taken.filter_map(place));
        }
        outcomes
    }

    fn count(&mut self, options: &Options, now_ms: i64, event: &Event) -> Outcome {
        self.sequence += 1;
        if self.off.contains(&event.member) {
            return Outcome::Removed;
        }
        let (hour, day) = (event.at_ms.div_euclid(HOUR_MS), event.at_ms.div_euclid(DAY_MS));
        let keeps_hour = (hour + 1) * HOUR_MS + 3 * DAY_MS > now_ms;
        let (mut took, mut is_full, mut is_before) = (false, false, false);
        for period in
            [('h', hour), ('d', day), ('s', season(event.at_ms)), ('a', 0)].into_iter().filter(|(unit, _)| *unit != 'h' || keeps_hour)
        {
            if self.was_reset(period, event.at_ms) {
                is_before = true;
                BEFORE.add(1);
                continue;
            }
            let board = self.periods.entry(period).or_default();
            let kept = Kept { value: event.value, at_ms: event.at_ms, sequence: self.sequence, meta: event.meta };
            match board.get(&event.member) {
                None if board.len() >= options.max_members => {
                    is_full = true;
                    continue;
                }
                Some(old) if !options.keeps(old, event) => {}
                // A member with that score already reached it before.
                Some(old) if old.value == event.value => {
                    let sequence = old.sequence;
                    board.insert(event.member.clone(), Kept { sequence, ..kept });
                }
                _ => {
                    board.insert(event.member.clone(), kept);
                }
            }
            took = true;
        }
        match (took, is_full, is_before) {
            (true, ..) => Outcome::Counted,
            (false, false, true) => Outcome::Reset,
            _ => Outcome::Full,
        }
    }

    /// Empties periods of a unit, from one to another.
    pub fn reset(&mut self, at_ms: i64, unit: char, first: i64, last: i64) {
        self.periods.retain(|(of, number), _| *of != unit || !(first..=last).contains(number));
        self.resets.push((unit, first, last, at_ms));
    }

    fn was_reset(&self, (unit, number): Period, at_ms: i64) -> bool {
        self.resets.iter().any(|(of, first, last, reset_ms)| *of == unit && (first..=last).contains(&&number) && at_ms <= *reset_ms)
    }

    /// Puts a member on a list, or takes it off.
    pub fn curate(&mut self, list: List, member: &str, puts: bool) {
        let of = if list == List::Hidden { &mut self.hidden } else { &mut self.pinned };
        let is_there = of.iter().any(|other| other == member);
        if puts && !is_there {
            of.push(member.into());
        } else if !puts {
            of.retain(|other| other != member);
        }
    }

    /// Takes a member off the board, and off the list of pinned ones.
    pub fn remove(&mut self, member: &str) {
        self.pinned.retain(|other| other != member);
        self.periods.values_mut().for_each(|board| {
            board.remove(member);
        });
    }

    /// The best of three days, of which `last` is the last one. What stands beside is that of the first such day; the place among ties
    /// that of the day that stands best.
    pub fn united(&self, options: &Options, last: i64) -> BTreeMap<String, Kept> {
        let mut united: BTreeMap<String, Kept> = BTreeMap::new();
        for day in last - 2..=last {
            for (member, kept) in self.periods.get(&('d', day)).into_iter().flatten() {
                let Some(old) = united.get_mut(member) else {
                    united.insert(member.clone(), kept.clone());
                    continue;
                };
                if kept.value == old.value {
                    let stands_first = options.compare((member, kept), (member, old)) == Ordering::Less;
                    old.sequence = if stands_first { kept.sequence } else { old.sequence };
                } else if options.keeps(old, &Event { member: member.clone(), value: kept.value, at_ms: kept.at_ms, id: None, meta: None })
                {
                    *old = kept.clone();
                }
            }
        }
        united
    }
}
