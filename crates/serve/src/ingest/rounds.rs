//! Batches cut between events, so that nobody else waits for Redis for long.
//!
//! A transaction keeps Redis from everybody else until it ends. So it takes 80 tracked events over all targets, some five
//! milliseconds, and the rest follows in rounds. A call that is no transaction takes 150. An event is in one round on all of
//! its targets, and a round leaves when the one before was answered. So two requests still meet in one order at each event. A
//! batch that goes in rounds is remembered event by event. The round after a failed one is not sent.

use std::borrow::Cow;
use std::ops::Range;

use ranking::counting::TargetBatch;

use super::Split;

/// Tracked events that a call takes at most: a batch of a client in one piece, and of a group what takes some milliseconds. Each takes up to 60 µs.
const MAX_OF_CALL: usize = 150;
/// Tracked events that a transaction takes at most, over all of its targets: less than 5 ms of Redis's time on twenty boards, of which the calls
/// themselves take most.
const MAX_OF_TRANSACTION: usize = 80;

/// Events of a target's batch that are sent by themselves.
#[derive(Clone, Debug)]
pub struct Piece<'s, 'b> {
    /// The index of the target's batch.
    pub target: usize,
    pub batch: Cow<'s, TargetBatch<'b>>,
}

impl<'b> Split<'b> {
    /// The targets' batches in lists that are sent one after the other, mostly one. An event is in the same list for all of its targets, and no
    /// later event in an earlier one: so actions are done and undone in their order.
    pub fn rounds(&self) -> Vec<Vec<Piece<'_, 'b>>> {
        let events = self.batches.iter().flat_map(|batch| &batch.events);
        let is_much = events.filter(|event| event.tracked.is_some()).count() > MAX_OF_TRANSACTION.min(MAX_OF_CALL);
        let lists = if is_much { self.cuts() } else { Vec::new() };
        if lists.len() <= 1 {
            return vec![self.whole()];
        }
        let piece = |(target, events): (usize, &Range<usize>)| Piece { target, batch: Cow::Owned(piece_of(&self.batches[target], events)) };
        let pieces = |list: &Vec<Range<usize>>| list.iter().enumerate().filter(|(_, events)| !events.is_empty()).map(piece).collect();
        lists.iter().map(pieces).collect()
    }

    /// All of them at once.
    pub fn whole(&self) -> Vec<Piece<'_, 'b>> {
        self.batches.iter().enumerate().map(|(target, batch)| Piece { target, batch: Cow::Borrowed(batch) }).collect()
    }

    /// For each list the events of each target that are in it.
    fn cuts(&self) -> Vec<Vec<Range<usize>>> {
        let is_ordered = self.batches.iter().any(TargetBatch::is_ordered);
        let max = if is_ordered { MAX_OF_TRANSACTION } else { MAX_OF_CALL };
        let mut lists = vec![vec![0..0; self.batches.len()]];
        let mut tracked = vec![0; self.batches.len()];
        for positions in self.events() {
            let own = |target: usize| {
                positions.iter().filter(|(of, at)| *of == target && self.batches[target].events[*at].tracked.is_some()).count()
            };
            let more: Vec<usize> = (0..self.batches.len()).map(own).collect();
            let sums = tracked.iter().zip(&more).map(|(sum, more)| sum + more);
            let most = if is_ordered { sums.sum() } else { sums.max().unwrap_or_default() };
            // An event that is too much by itself goes by itself.
            if most > max && tracked.iter().any(|sum| *sum > 0) {
                let ends = lists.last().into_iter().flatten().map(|events| events.end..events.end).collect();
                lists.push(ends);
                tracked.fill(0);
            }
            for (target, at) in positions {
                if let Some(list) = lists.last_mut() {
                    list[*target].end = at + 1;
                }
            }
            tracked.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        lists
    }
}

/// Some events of a target's batch, with those who sent them.
fn piece_of<'b>(batch: &TargetBatch<'b>, events: &Range<usize>) -> TargetBatch<'b> {
    let (mut senders, mut from) = (Vec::new(), 0);
    for (count, sender) in &batch.senders {
        let until = from + count;
        let own = until.min(events.end).saturating_sub(events.start.max(from));
        if own > 0 {
            senders.push((own, *sender));
        }
        from = until;
    }
    TargetBatch { is_whole: false, events: batch.events[events.clone()].to_vec(), senders, ..*batch }
}
