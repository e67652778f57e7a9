//! Counting a batch: into every board, with retries where they cannot count twice.

use super::{App, Runtime};
use crate::adapter::{Applied, Error};
use crate::ranking::event::{Batch, Event};
use crate::ranking::name::Id;
use crate::ranking::score::Score;
use crate::ranking::site::Site;
use crate::store::record::{Outcome, Recorded, TargetBatch, TargetEvent, TrackedAction, Verb, Who, record};
use crate::store::target::Target;

/// What became of an event over all boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Accepted,
    Duplicate,
    /// Refused by every board it counts on.
    Refused(Outcome),
}

/// Why a batch, or a part of it, was not counted.
#[derive(Debug)]
pub struct NotCounted {
    /// `No`: nothing was written. Otherwise some of it was, or may have been.
    pub applied: Applied,
    pub error: Error,
}

/// The first try and one more.
const TRIES: usize = 2;

impl<R: Runtime> App<R> {
    /// 1. Sort the events by the boards they count on, and the ledger; an event that counts nowhere is accepted.
    /// 2. Record all boards in one round trip.
    /// 3. Try again once where it failed, if nothing was applied or if ids keep it from counting twice.
    ///
    /// # Errors
    /// When a board could not be reached. Sending the batch again with the same ids is always safe.
    pub async fn count(&self, site: &Site, batch: &Batch) -> Result<Vec<Verdict>, NotCounted> {
        let (batches, places) = sort(site, batch);
        let mut recorded: Vec<Option<Recorded>> = batches.iter().map(|_| None).collect();
        // A second try that fails before anything was applied says nothing about the first.
        let mut doubtful = false;
        for _ in 0..TRIES {
            let pending: Vec<usize> = (0..batches.len()).filter(|i| may_try(&batches[*i], recorded[*i].as_ref())).collect();
            if pending.is_empty() {
                break;
            }
            let answers = self.send(site, pending.iter().map(|i| &batches[*i])).await;
            for (i, answer) in pending.into_iter().zip(answers) {
                doubtful |= answer.as_ref().is_err_and(|error| error.applied() != Applied::No);
                recorded[i] = Some(answer);
            }
        }
        let outcomes: Vec<Recorded> = recorded.into_iter().flatten().collect();
        if let Some(error) = outcomes.iter().find_map(|recorded| recorded.as_ref().err()) {
            let nothing = !doubtful && outcomes.iter().all(Result::is_err);
            return Err(NotCounted { applied: if nothing { Applied::No } else { Applied::Unknown }, error: error.clone() });
        }
        let outcomes: Vec<Vec<Outcome>> = outcomes.into_iter().flatten().collect();
        let outcome = |(target, at): &(usize, usize)| {
            let on_board = matches!(batches.get(*target)?.target, Target::Board(_));
            Some((on_board, *outcomes.get(*target)?.get(*at)?))
        };
        Ok(places.iter().map(|places| verdict(places.iter().filter_map(outcome))).collect())
    }

    async fn send<'b>(&self, site: &Site, batches: impl Iterator<Item = &'b TargetBatch<'b>>) -> Vec<Recorded> {
        let batches: Vec<TargetBatch> = batches.cloned().collect();
        let by_visitor = |event: &TargetEvent| event.tracked.as_ref().is_some_and(|tracked| matches!(tracked.who, Who::Visitor(_)));
        let needs_salt = batches.iter().any(|batch| batch.events.iter().any(by_visitor));
        let new_salt = if needs_salt { self.runtime.token() } else { String::new() };
        let recorded = match self.runtime.transport() {
            Ok(transport) => record(&transport, &self.runtime, site, self.guess_s(), &batches, &new_salt).await,
            Err(error) => Err(error),
        };
        recorded.unwrap_or_else(|error| batches.iter().map(|_| Err(error.clone())).collect())
    }
}

/// The events by target, and for each event where it stands: (target, place in the target's batch).
fn sort<'b>(site: &'b Site, batch: &'b Batch) -> (Vec<TargetBatch<'b>>, Vec<Vec<(usize, usize)>>) {
    let mut batches: Vec<TargetBatch> = Vec::new();
    let mut places = vec![Vec::new(); batch.events.len()];
    for target in Target::each(site) {
        let mut events = Vec::new();
        for (event, places) in batch.events.iter().zip(&mut places) {
            if let Some((member, weight)) = counts(target, event) {
                places.push((batches.len(), events.len()));
                let tracked = tracked(site, target, event);
                events.push(TargetEvent { member, weight, when: event.when, id: event.id.as_ref(), action: &event.action, tracked });
            }
        }
        if !events.is_empty() {
            batches.push(TargetBatch { target, id: batch.id.as_ref(), events });
        }
    }
    (batches, places)
}

/// The member an event counts for in a target, and how much; `None` when it does not count there.
fn counts<'e>(target: Target<'_>, event: &'e Event) -> Option<(&'e Id, Score)> {
    match target {
        Target::Board(board) => board.counts(event),
        Target::ActivityLog => event.actor.as_ref().map(|actor| (actor, Score::ONE)),
    }
}

/// What is remembered of an event: deeds that can be undone for actors only, what counts once for visitors as well.
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

/// Whether a target's batch is to be sent: the first time, or again.
fn may_try(batch: &TargetBatch, before: Option<&Recorded>) -> bool {
    match before {
        None => true,
        Some(Ok(_)) => false,
        Some(Err(error)) => {
            let counts_once = batch.id.is_some() || batch.events.iter().all(|event| event.id.is_some());
            error.is_transient() && (error.applied() == Applied::No || counts_once)
        }
    }
}

/// Counted on any board is accepted; else seen on any is duplicate; else what the first board said. The ledger is asked for
/// what counts on no board.
fn verdict(outcomes: impl Iterator<Item = (bool, Outcome)>) -> Verdict {
    let outcomes: Vec<(bool, Outcome)> = outcomes.collect();
    let on_boards = outcomes.iter().any(|(on_board, _)| *on_board);
    let said = || outcomes.iter().filter(|(on_board, _)| *on_board == on_boards).map(|(_, outcome)| *outcome);
    match said().next() {
        Some(_) if said().any(|outcome| outcome == Outcome::Counted) => Verdict::Accepted,
        Some(_) if said().any(|outcome| outcome == Outcome::Duplicate) => Verdict::Duplicate,
        Some(refusal) => Verdict::Refused(refusal),
        None => Verdict::Accepted,
    }
}
