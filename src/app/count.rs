//! Counting a batch: into every board, with retries where they cannot count twice.

use super::{App, Runtime};
use crate::adapter::{Applied, Error};
use crate::ranking::event::Batch;
use crate::ranking::site::Site;
use crate::store::record::{BoardBatch, BoardEvent, Outcome, Recorded, record};

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
    /// 1. Sort the events by the boards they count on; an event that counts nowhere is accepted.
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
        Ok(places.iter().map(|places| verdict(places.iter().filter_map(|(board, at)| outcomes.get(*board)?.get(*at).copied()))).collect())
    }

    async fn send<'b>(&self, site: &Site, batches: impl Iterator<Item = &'b BoardBatch<'b>>) -> Vec<Recorded> {
        let batches: Vec<BoardBatch> = batches.cloned().collect();
        let recorded = match self.runtime.transport() {
            Ok(transport) => record(&transport, &self.runtime, site, self.guess_s(), &batches).await,
            Err(error) => Err(error),
        };
        recorded.unwrap_or_else(|error| batches.iter().map(|_| Err(error.clone())).collect())
    }
}

/// The events by board, and for each event where it stands: (board, place in the board's batch).
fn sort<'b>(site: &'b Site, batch: &'b Batch) -> (Vec<BoardBatch<'b>>, Vec<Vec<(usize, usize)>>) {
    let mut batches: Vec<BoardBatch> = Vec::new();
    let mut places = vec![Vec::new(); batch.events.len()];
    for board in site.boards.values() {
        let mut events = Vec::new();
        for (event, places) in batch.events.iter().zip(&mut places) {
            if let Some((member, weight)) = board.counts(event) {
                places.push((batches.len(), events.len()));
                events.push(BoardEvent { member, weight, when: event.when, id: event.id.as_ref() });
            }
        }
        if !events.is_empty() {
            batches.push(BoardBatch { board, id: batch.id.as_ref(), events });
        }
    }
    (batches, places)
}

/// Whether a board's batch is to be sent: the first time, or again.
fn may_try(batch: &BoardBatch, before: Option<&Recorded>) -> bool {
    match before {
        None => true,
        Some(Ok(_)) => false,
        Some(Err(error)) => {
            let counts_once = batch.id.is_some() || batch.events.iter().all(|event| event.id.is_some());
            error.is_transient() && (error.applied() == Applied::No || counts_once)
        }
    }
}

/// Counted anywhere is accepted; else seen anywhere is duplicate; else what the first board said.
fn verdict(outcomes: impl Iterator<Item = Outcome>) -> Verdict {
    let outcomes: Vec<Outcome> = outcomes.collect();
    match outcomes.first() {
        Some(_) if outcomes.contains(&Outcome::Counted) => Verdict::Accepted,
        Some(_) if outcomes.contains(&Outcome::Duplicate) => Verdict::Duplicate,
        Some(refusal) => Verdict::Refused(*refusal),
        None => Verdict::Accepted,
    }
}
