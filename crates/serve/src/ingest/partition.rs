//! A batch over partitions: all that an actor or a visitor does goes to the same one, so that it stays in its order there.

use ranking::event::{Batch, Event};

/// The events of a batch that belong to one partition.
pub struct Part {
    pub partition: u32,
    pub batch: Batch,
    /// For each of its events, its place in the list of the whole batch.
    pub places: Vec<usize>,
}

/// The parts of a batch, each with an event at least. One that lies in one partition stays whole. The batch has an id.
pub fn parts(batch: &Batch, partitions: u32) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (place, event) in batch.events.iter().enumerate() {
        let partition = partition_of(batch, event, partitions);
        let known = parts.iter().position(|part| part.partition == partition);
        let at = known.unwrap_or_else(|| {
            let of_part = Batch { events: Vec::new(), ..batch.clone() };
            parts.push(Part { partition, batch: of_part, places: Vec::new() });
            parts.len() - 1
        });
        parts[at].batch.events.push(event.clone());
        parts[at].places.push(place);
    }
    if parts.len() > 1 {
        for part in &mut parts {
            part.batch.is_whole = false;
        }
    }
    parts
}

/// By who acts; where nobody is known, by the batch, so that it stays together.
fn partition_of(batch: &Batch, event: &Event, partitions: u32) -> u32 {
    if partitions == 1 {
        return 0;
    }
    let actor = event.actor.as_ref().map(|actor| actor.as_str());
    let who = actor.or(event.visitor.as_ref().map(|visitor| visitor.as_str())).or(batch.id.as_ref().map(|id| id.as_str()));
    fnv1a(who.unwrap_or_default()) % partitions
}

/// <http://www.isthe.com/chongo/tech/comp/fnv/>
fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ranking::event::{SenderClass, When};
    use ranking::name::{Id, Name, ReplayId};

    #[test]
    fn an_actor_has_one_partition() {
        let event = |index: usize| Event {
            action: Name::new("like").expect("a name"),
            item: Id::new("a"),
            actor: (!index.is_multiple_of(10)).then(|| Id::new(&format!("u{}", index % 10)).expect("an id")),
            visitor: None,
            undo: false,
            count: 1,
            value: None,
            meta: None,
            seq: None,
            when: When::Now,
            boards: Vec::new(),
            id: None,
            index,
        };
        let batch = Batch::new(SenderClass::Server, ReplayId::new("b"), (0..40).map(event).collect());
        let whole = parts(&batch, 1);
        assert!(whole.len() == 1 && whole[0].batch.is_whole && whole[0].places == (0..40).collect::<Vec<_>>());
        let parts = parts(&batch, 4);
        assert_eq!(parts.len(), 4, "ten actors lie in four partitions");
        let mut places: Vec<usize> = parts.iter().flat_map(|part| part.places.iter().copied()).collect();
        places.sort_unstable();
        assert_eq!(places, (0..40).collect::<Vec<_>>());
        for part in &parts {
            assert!(!part.batch.is_whole && part.places.is_sorted());
            assert!(part.batch.events.iter().zip(&part.places).all(|(event, place)| event.index == *place));
        }
        let with = |actor: usize| parts.iter().filter(|part| part.places.iter().any(|place| place % 10 == actor)).count();
        assert!((0..10).all(|actor| with(actor) == 1));
    }
}
