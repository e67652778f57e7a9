//! Batches split over their counting targets, and the outcomes joined again.

use ranking::counting::{Outcome, Target, TargetBatch, TargetEvent, TrackedAction, Verb, Who};
use ranking::event::{Batch, Event, SenderClass};
use ranking::facts::{FactsByItem, Sections};
use ranking::name::Id;
use ranking::score::Score;
use ranking::site::{Members, Site};

use super::Refusal;

/// What became of an event over all counting targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventOutcome {
    Accepted,
    Duplicate,
    /// Refused by every board it counts on.
    Refused(Refusal),
}

impl From<Outcome> for EventOutcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Duplicate => Self::Duplicate,
            outcome => Refusal::of(outcome).map_or(Self::Accepted, Self::Refused),
        }
    }
}

/// Where an event is: (index of the target's batch, index in it).
type Positions = Vec<(usize, usize)>;

/// Batches by counting target.
pub struct Split<'b> {
    /// For each target that any event counts on, its events. What browsers and what servers sent stands apart.
    pub batches: Vec<TargetBatch<'b>>,
    /// Of each event of each batch.
    positions: Vec<Vec<Positions>>,
}

impl<'b> Split<'b> {
    /// Sorts the events of a batch by the boards they count on, and the activity log. An event may count on none.
    pub fn new(site: &'b Site, batch: &'b Batch) -> Self {
        Self::merged(site, &[batch])
    }

    /// The same of batches of several senders, in their order. Where several of them count on a target, each event is known by
    /// itself there: by its own id, or by its batch's id and its place.
    pub fn merged(site: &'b Site, senders: &[&'b Batch]) -> Self {
        Self::knowing(site, senders, FactsByItem::NONE)
    }

    /// The same where boards ask what is known of the events' items.
    pub fn knowing(site: &'b Site, senders: &[&'b Batch], facts: &'b FactsByItem) -> Self {
        let mut batches: Vec<TargetBatch> = Vec::new();
        let mut positions: Vec<Vec<Positions>> = senders.iter().map(|batch| vec![Vec::new(); batch.events.len()]).collect();
        for class in SenderClass::EACH {
            for target in Target::each(site) {
                let (mut events, mut counting, mut browsers) = (Vec::new(), Vec::new(), Vec::new());
                let is_section = matches!(target, Target::Board(board) if matches!(board.sections, Sections::Of(_)));
                for (sender, (batch, positions)) in
                    senders.iter().zip(&mut positions).enumerate().filter(|(_, (batch, _))| batch.sender == class)
                {
                    let before = events.len();
                    for (place, (event, positions)) in batch.events.iter().zip(positions).enumerate() {
                        if is_section && !event.undo && facts.is_seen(sender, place) {
                            continue;
                        }
                        if let Some(event) = target_event(site, target, batch, event, facts) {
                            positions.push((batches.len(), events.len()));
                            events.push(event);
                        }
                    }
                    if events.len() > before {
                        counting.push(*batch);
                        browsers.push((events.len() - before, batch.visitor.as_ref()));
                    }
                }
                let (id, is_whole) = match counting[..] {
                    [batch] => (batch.id.as_ref(), batch.is_whole),
                    _ => (None, true),
                };
                if !counting.is_empty() {
                    batches.push(TargetBatch { target, sender: class, id, is_whole, events, senders: browsers });
                }
                if let Some(undone) = undone_for_others(site, target, class, (senders, facts), (batches.len(), &mut positions)) {
                    batches.push(undone);
                }
            }
        }
        for (number, positions) in positions.iter().flatten().enumerate() {
            for (target, at) in positions {
                batches[*target].events[*at].number = number;
            }
        }
        Self { batches, positions }
    }

    /// Where the events are, each in its order.
    pub(super) fn events(&self) -> impl Iterator<Item = &[(usize, usize)]> {
        self.positions.iter().flatten().map(Vec::as_slice)
    }

    /// The target's batches that a sender's batch has events in.
    pub fn targets_of(&self, sender: usize) -> impl Iterator<Item = usize> + '_ {
        let positions = self.positions.get(sender).into_iter().flatten().flatten();
        (0..self.batches.len()).filter(move |target| positions.clone().any(|(at, _)| at == target))
    }

    /// What became of each event of a sender's batch, in order. `outcomes` are those of [`Self::batches`], in order.
    pub fn join(&self, sender: usize, outcomes: &[&[Outcome]]) -> Vec<Outcome> {
        // The board that is parted decides for its sections.
        let outcome = |(target, at): &(usize, usize)| match self.batches.get(*target)?.target {
            Target::Board(board) if matches!(board.sections, Sections::Of(_)) => None,
            of => Some((matches!(of, Target::Board(_)), *outcomes.get(*target)?.get(*at)?)),
        };
        let positions = self.positions.get(sender).into_iter().flatten();
        positions.map(|positions| joined(positions.iter().filter_map(outcome).collect())).collect()
    }
}

/// Undos of what counted for an author that its item has no more. They have no ids: each finds the record of its action, or nothing.
fn undone_for_others<'b>(
    site: &Site,
    target: Target<'b>,
    sender: SenderClass,
    (senders, facts): (&[&'b Batch], &'b FactsByItem),
    (at, positions): (usize, &mut [Vec<Positions>]),
) -> Option<TargetBatch<'b>> {
    let Target::Board(board) = target else { return None };
    let (mut events, mut undone) = (Vec::new(), Vec::new());
    for (batch, positions) in senders.iter().zip(positions).filter(|(batch, _)| batch.sender == sender && board.members == Members::Authors)
    {
        let before = events.len();
        for (event, positions) in batch.events.iter().zip(positions).filter(|(event, _)| event.undo) {
            let earlier = event.item.as_ref().and_then(|item| facts.of(item)).map_or(&[][..], |facts| &facts.earlier_authors);
            let Some(weight) = board.weight(event.action.as_str(), event.item.as_ref()).filter(|_| board.sections.take(event, facts))
            else {
                continue;
            };
            for credit in earlier {
                let weight = weight.times(event.count);
                let event = event_for(site, target, batch, event, (&credit.author, weight), Some(&credit.known_as));
                positions.push((at, events.len()));
                events.push(TargetEvent { id: None, batch: None, ..event });
            }
        }
        if events.len() > before {
            undone.push((events.len() - before, batch.visitor.as_ref()));
        }
    }
    (!events.is_empty()).then_some(TargetBatch { target, sender, id: None, is_whole: true, events, senders: undone })
}

/// What an event is in a target, if it counts there.
fn target_event<'b>(
    site: &Site,
    target: Target<'b>,
    batch: &'b Batch,
    event: &'b Event,
    facts: &'b FactsByItem,
) -> Option<TargetEvent<'b>> {
    let counted = counts(target, event, facts)?;
    let credit = || facts.of(event.item.as_ref()?)?.author.as_ref();
    let known_as = match target {
        Target::Board(board) if board.members == Members::Authors => credit().map(|credit| &credit.known_as),
        _ => event.item.as_ref(),
    };
    Some(event_for(site, target, batch, event, counted, known_as))
}

/// An event in a target: for whom it counts and how much, and what its item is known by there.
fn event_for<'b>(
    site: &Site,
    target: Target<'b>,
    batch: &'b Batch,
    event: &'b Event,
    (member, weight): (&'b Id, Score),
    known_as: Option<&'b Id>,
) -> TargetEvent<'b> {
    let tracked = tracked(site, target, event).map(|tracked| TrackedAction { item: known_as, ..tracked });
    let Event { action, item, when, id, index, count, .. } = event;
    TargetEvent {
        member,
        weight,
        when: *when,
        id: id.as_ref(),
        batch: batch.id.as_ref(),
        index: *index,
        action,
        item: item.as_ref(),
        count: *count,
        meta: event.meta.as_deref().filter(|_| target.ranks_values()),
        tracked,
        number: 0,
    }
}

/// The member an event counts for at a target, and how much; `None` when it does not count there.
fn counts<'e>(target: Target<'_>, event: &'e Event, facts: &'e FactsByItem) -> Option<(&'e Id, Score)> {
    match target {
        Target::Board(board) => board.counts(event, facts),
        Target::ActivityLog => event.actor.as_ref().map(|actor| (actor, Score::from_integer(event.count.into()))),
    }
}

/// Whether any target remembers of an event who did it.
pub fn is_remembered(site: &Site, event: &Event) -> bool {
    let named = event.boards.iter().filter_map(|name| site.template_of(name)).map(|template| Target::Board(&template.board));
    Target::each(site).chain(named).any(|target| tracked(site, target, event).is_some())
}

/// What is remembered of an event: of actors what can be undone, of visitors as well what counts once. A journal notes all.
fn tracked<'e>(site: &Site, target: Target<'_>, event: &'e Event) -> Option<TrackedAction<'e>> {
    let once = match target {
        Target::Board(board) => board.once.get(event.action.as_str()).copied(),
        Target::ActivityLog => None,
    };
    let who = event.actor.as_ref().map(Who::Actor).or(event.visitor.as_ref().map(Who::Visitor));
    let noted = || (target.journal_s(site) > 0).then_some((Verb::Note, None));
    let (verb, once) = match (event.undo, site.is_reversible(&event.action), once) {
        _ if who.is_none() => noted()?,
        (true, ..) => (Verb::Undo, once),
        (false, true, _) if event.actor.is_some() => (Verb::DoReversibly, once),
        (false, _, Some(_)) => (Verb::Do, once),
        (false, _, None) => noted()?,
    };
    let who = who.unwrap_or(Who::Nobody);
    Some(TrackedAction { verb, once, item: event.item.as_ref(), seq: event.seq, who })
}

/// Counted on any board is accepted; else seen on any is duplicate; else what the first board answered. The activity log is asked
/// for what counts on no board; what counts nowhere is as good as counted.
fn joined(outcomes: Vec<(bool, Outcome)>) -> Outcome {
    let on_boards = outcomes.iter().any(|(on_board, _)| *on_board);
    let deciding = || outcomes.iter().filter(|(on_board, _)| *on_board == on_boards).map(|(_, outcome)| *outcome);
    let best = [Outcome::Counted, Outcome::Settled, Outcome::Duplicate].into_iter().find(|best| deciding().any(|outcome| outcome == *best));
    best.or_else(|| deciding().next()).unwrap_or(Outcome::Counted)
}
