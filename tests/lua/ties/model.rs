//! What the windows of a board whose order of ties is kept must show.
//!
//! The model keeps the list of what happened and takes what was undone out of it. Where it cannot know, because a sum passed
//! through zero and what was before is forgotten by design, a member may stand anywhere among its ties.

use std::collections::BTreeMap;

use ranking::counting::{Outcome, Verb};
use ranking::site::Ranking;

use super::{DAY_MS, HOUR_MS, LENGTH};

/// The time that a sum is kept of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scope {
    Day(i64),
    Always,
}

impl Scope {
    pub(super) fn holds(self, at_ms: i64) -> bool {
        self == Self::Always || self == Self::Day(at_ms.div_euclid(DAY_MS))
    }
}

/// What happened to a member.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) member: u8,
    pub(super) at_ms: i64,
    pub(super) what: What,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    /// It got so much.
    Got(i64),
    /// The change of this number was undone.
    Undone(usize),
    /// In which order this scope took the last batch's events decides whether its sum passed through zero.
    Doubt(Scope),
}

/// What is known of a member in a scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Standing {
    pub(super) sum: i64,
    /// The number of the last change that stands since the sum was last zero; `None` when there is none.
    pub(super) sequence: Option<usize>,
}

#[derive(Debug, Default)]
pub(super) struct Model {
    /// Their indexes are their sequence numbers.
    pub(super) changes: Vec<Change>,
    /// An actor's last tracked action on a member, by number, and whether it stands.
    pub(super) tracked: BTreeMap<(u8, u8), (usize, bool)>,
}

impl Model {
    pub(super) fn standing(&self, member: u8, scope: Scope) -> Standing {
        let (mut sum, mut sequences) = (0, Vec::new());
        for (number, change) in self.changes.iter().enumerate().filter(|(_, change)| change.member == member && scope.holds(change.at_ms)) {
            match change.what {
                What::Got(points) => {
                    sum += points;
                    sequences.push(number);
                }
                What::Undone(tracked) => {
                    let What::Got(points) = self.changes[tracked].what else { unreachable!("only what was got is undone") };
                    sum -= points;
                    sequences.retain(|sequence| *sequence != tracked);
                }
                What::Doubt(of) if of == scope => sequences.clear(),
                What::Doubt(_) => {}
            }
            if sum == 0 {
                sequences.clear();
            }
        }
        Standing { sum, sequence: sequences.last().copied() }
    }

    /// The same over the days of a rolling window: its sequence number is the last one of the days on which it has points.
    pub(super) fn rolling(&self, member: u8, last_day: i64) -> Standing {
        let days = (last_day - LENGTH + 1..=last_day).map(|day| self.standing(member, Scope::Day(day)));
        let days: Vec<Standing> = days.filter(|day| day.sum != 0).collect();
        let sequence = if days.iter().all(|day| day.sequence.is_some()) { days.iter().filter_map(|day| day.sequence).max() } else { None };
        Standing { sum: days.iter().map(|day| day.sum).sum(), sequence }
    }

    /// Notes what became of a batch.
    pub(super) fn note(&mut self, batch: &[Sent], outcomes: &[Outcome]) {
        let from = self.changes.len();
        let mut sent: Vec<(u8, i64, i64)> = Vec::new();
        for (event, outcome) in batch.iter().zip(outcomes) {
            if *outcome != Outcome::Counted {
                continue;
            }
            let Sent { member, actor, at_ms, weight, verb } = *event;
            let mut at_ms = at_ms;
            let what = match (verb, actor.and_then(|actor| self.tracked.get_mut(&(member, actor)))) {
                (Some(Verb::Undo), Some((tracked, stands))) => {
                    assert!(std::mem::take(stands), "only what stands can be undone");
                    at_ms = self.changes[*tracked].at_ms;
                    What::Undone(*tracked)
                }
                _ => What::Got(weight),
            };
            if let (Some(actor), What::Got(_)) = (actor, &what) {
                self.tracked.insert((member, actor), (self.changes.len(), true));
            }
            sent.push((member, at_ms, if let What::Got(points) = what { points } else { -1 }));
            self.changes.push(Change { member, at_ms, what });
        }
        self.note_doubts(from, &sent);
    }

    /// A script takes a batch's events by the hours that hold them. Where one of several hours takes away, or finds less than
    /// nothing, a sum that is kept over them may pass through zero, or may not.
    pub(super) fn note_doubts(&mut self, from: usize, sent: &[(u8, i64, i64)]) {
        let mut doubts = Vec::new();
        for (member, at_ms, _) in sent {
            for scope in [Scope::Always, Scope::Day(at_ms.div_euclid(DAY_MS))] {
                let together = sent.iter().filter(|(other, at_ms, _)| other == member && scope.holds(*at_ms));
                let hours = together.clone().map(|(_, at_ms, _)| at_ms.div_euclid(HOUR_MS));
                let earlier = Self { changes: self.changes[..from].to_vec(), tracked: BTreeMap::new() };
                let takes_away = together.clone().any(|(.., points)| *points < 0) || earlier.standing(*member, scope).sum < 0;
                if hours.clone().min() != hours.max() && takes_away {
                    doubts.push(Change { member: *member, at_ms: *at_ms, what: What::Doubt(scope) });
                }
            }
        }
        self.changes.extend(doubts);
    }
}

/// An event on its way. `verb` is set when it is tracked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) member: u8,
    pub(super) actor: Option<u8>,
    pub(super) at_ms: i64,
    pub(super) weight: i64,
    pub(super) verb: Option<Verb>,
}

/// What a window must show: members above zero, best first, with what is known of each.
pub(super) struct Expected {
    pub(super) rows: Vec<(u8, Standing)>,
}

impl Expected {
    pub(super) fn new(members: u8, standing: impl Fn(u8) -> Standing) -> Self {
        let rows = (0..members).map(|member| (member, standing(member))).filter(|(_, standing)| standing.sum > 0);
        Self { rows: rows.collect() }
    }

    /// Its score and rank; `None` when it is not shown.
    pub(super) fn of(&self, member: u8, ranking: Ranking) -> Option<(i64, u64)> {
        let sum = self.rows.iter().find(|(other, _)| *other == member)?.1.sum;
        let mut better: Vec<i64> = self.rows.iter().map(|(_, other)| other.sum).filter(|other| *other > sum).collect();
        if ranking == Ranking::Dense {
            better.sort_unstable();
            better.dedup();
        }
        Some((sum, better.len() as u64 + 1))
    }

    /// Members whose sequence numbers are known, in order.
    pub(super) fn order(&self, ties: &str) -> Vec<u8> {
        let mut known: Vec<_> =
            self.rows.iter().filter_map(|(member, standing)| Some((standing.sum, standing.sequence?, *member))).collect();
        known.sort_by_key(|(sum, sequence, _)| (-sum, if ties == "first" { *sequence } else { usize::MAX - sequence }));
        known.into_iter().map(|(.., member)| member).collect()
    }

    /// How many members stand after a tie, both known.
    pub(super) fn decided(&self) -> usize {
        let order = self.order("first");
        let sum = |member: u8| self.of(member, Ranking::Dense);
        order.windows(2).filter(|pair| sum(pair[0]) == sum(pair[1])).count()
    }
}
