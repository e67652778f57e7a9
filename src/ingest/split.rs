//! A batch split over its counting targets, and the outcomes joined again.

use super::Refusal;
use crate::ranking::counting::{Outcome, Target, TargetBatch, TargetEvent, TrackedAction, Verb, Who};
use crate::ranking::event::{Batch, Event};
use crate::ranking::name::Id;
use crate::ranking::score::Score;
use crate::ranking::site::Site;

/// What became of an event over all counting targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventOutcome {
    Accepted,
    Duplicate,
    /// Refused by every board it counts on.
    Refused(Refusal),
}

/// A batch by counting target.
pub struct Split<'b> {
    /// For each target that any event counts on, its events.
    pub batches: Vec<TargetBatch<'b>>,
    /// For each event of the batch, where it is: (index of the target's batch, index in it).
    positions: Vec<Vec<(usize, usize)>>,
}

impl<'b> Split<'b> {
    /// Sorts the events by the boards they count on, and the activity log. An event may count on none.
    pub fn new(site: &'b Site, batch: &'b Batch) -> Self {
        let mut batches: Vec<TargetBatch> = Vec::new();
        let mut positions = vec![Vec::new(); batch.events.len()];
        for target in Target::each(site) {
            let mut events = Vec::new();
            for (event, positions) in batch.events.iter().zip(&mut positions) {
                if let Some((member, weight)) = counts(target, event) {
                    positions.push((batches.len(), events.len()));
                    let tracked = tracked(site, target, event);
                    let Event { action, when, id, index, .. } = event;
                    events.push(TargetEvent { member, weight, when: *when, id: id.as_ref(), index: *index, action, tracked });
                }
            }
            if !events.is_empty() {
                batches.push(TargetBatch { target, sender: batch.sender, id: batch.id.as_ref(), is_whole: batch.is_whole, events });
            }
        }
        Self { batches, positions }
    }

    /// What became of each event of the batch, in order. `outcomes` are those of [`Self::batches`], in order.
    pub fn join(&self, outcomes: &[Vec<Outcome>]) -> Vec<EventOutcome> {
        let outcome = |(target, at): &(usize, usize)| {
            let on_board = matches!(self.batches.get(*target)?.target, Target::Board(_));
            Some((on_board, *outcomes.get(*target)?.get(*at)?))
        };
        self.positions.iter().map(|positions| joined(positions.iter().filter_map(outcome).collect())).collect()
    }
}

/// The member an event counts for at a target, and how much; `None` when it does not count there.
fn counts<'e>(target: Target<'_>, event: &'e Event) -> Option<(&'e Id, Score)> {
    match target {
        Target::Board(board) => board.counts(event),
        Target::ActivityLog => event.actor.as_ref().map(|actor| (actor, Score::ONE)),
    }
}

/// What is remembered of an event: of actors what can be undone, of visitors as well what counts once.
fn tracked<'e>(site: &Site, target: Target<'_>, event: &'e Event) -> Option<TrackedAction<'e>> {
    let action = event.action.as_str();
    let once = match target {
        Target::Board(board) => board.once.get(action).copied(),
        Target::ActivityLog => None,
    };
    let reversible = site.actions.get(action).is_some_and(|action| action.reversible);
    let verb = match (event.undo, reversible, once) {
        (true, ..) => Verb::Undo,
        (false, true, _) if event.actor.is_some() => Verb::DoReversibly,
        (false, _, Some(_)) => Verb::Do,
        (false, _, None) => return None,
    };
    let who = event.actor.as_ref().map(Who::Actor).or(event.visitor.as_ref().map(Who::Visitor))?;
    Some(TrackedAction { verb, once, item: &event.item, who })
}

/// Counted on any board is accepted; else seen on any is duplicate; else what the first board said. The activity log is asked
/// for what counts on no board.
fn joined(outcomes: Vec<(bool, Outcome)>) -> EventOutcome {
    let on_boards = outcomes.iter().any(|(on_board, _)| *on_board);
    let deciding = || outcomes.iter().filter(|(on_board, _)| *on_board == on_boards).map(|(_, outcome)| *outcome);
    if deciding().any(|outcome| outcome == Outcome::Counted) {
        return EventOutcome::Accepted;
    }
    if deciding().any(|outcome| outcome == Outcome::Duplicate) {
        return EventOutcome::Duplicate;
    }
    deciding().next().and_then(Refusal::of).map_or(EventOutcome::Accepted, EventOutcome::Refused)
}
