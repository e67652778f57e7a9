//! Events: one action by an optional actor on an item at an instant.

use std::rc::Rc;

use super::name::{Id, Name, ReplayId};
use super::score::Score;
use super::visitor::Fingerprint;

/// When an event happened, given in a way that needs no clock but Redis's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// As it is recorded.
    Now,
    /// This many milliseconds before it is recorded.
    Ago(u64),
    /// At this Unix time, in milliseconds.
    At(u64),
}

/// The most bytes of an event's `meta`, as JSON.
pub const MAX_META: usize = 256;

/// An event whose action is known to the site.
#[derive(Clone, Debug)]
pub struct Event {
    pub action: Name,
    /// None where the action counts for actors alone.
    pub item: Option<Id>,
    pub actor: Option<Id>,
    /// Tells the senders of events without an actor apart, as far as it is known.
    pub visitor: Option<Fingerprint>,
    /// It takes back what its actor did, at the instant of the action.
    pub undo: bool,
    /// How often it happened, at least once. An undo takes back all of it.
    pub count: u32,
    /// What boards that rank values make of it.
    pub value: Option<Score>,
    /// JSON that is shown beside the value, see [`MAX_META`].
    pub meta: Option<Rc<str>>,
    /// Its place in its source's order of what this actor does and undoes to this item: only what is newer than what was applied is
    /// applied.
    pub seq: Option<u64>,
    pub when: When,
    /// The boards of templates that it counts on, besides those that weigh its action anyway.
    pub boards: Vec<Name>,
    /// Makes this event alone safe to send again.
    pub id: Option<ReplayId>,
    /// Its place in the batch as it was sent. Without an id of its own it is known by the batch's id and this place.
    pub index: usize,
}

impl Batch {
    /// Of each event whether it undoes, and when it was.
    pub fn instants(&self) -> impl Iterator<Item = (bool, When)> {
        self.events.iter().map(|event| (event.undo, event.when))
    }
}

/// Who sends events, and by which way. The ids of browsers mean nothing among those of servers, so that nobody can use up the ids of
/// servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SenderClass {
    /// Anyone.
    Browser,
    /// The site's own servers, which show a token.
    Server,
    /// Anyone, by way of a queue. It may deliver a message again for as long as it keeps one. So the ids are known among the queue's own of
    /// browsers for that long, and among those of browsers, who may send the same themselves.
    QueuedBrowser,
    /// The site's own servers and other services, by way of a queue; with ids likewise.
    QueuedServer,
}

impl SenderClass {
    pub const EACH: [Self; 4] = [Self::Browser, Self::Server, Self::QueuedBrowser, Self::QueuedServer];

    /// Whether anyone may have sent it.
    pub fn is_browser(self) -> bool {
        matches!(self, Self::Browser | Self::QueuedBrowser)
    }

    /// Whether it came by way of a queue.
    pub fn is_queued(self) -> bool {
        matches!(self, Self::QueuedBrowser | Self::QueuedServer)
    }

    /// The same by way of a queue.
    pub fn queued(self) -> Self {
        if self.is_browser() { Self::QueuedBrowser } else { Self::QueuedServer }
    }
}

/// Events that are counted together.
#[derive(Clone, Debug)]
pub struct Batch {
    pub sender: SenderClass,
    /// Makes the batch safe to send again.
    pub id: Option<ReplayId>,
    /// Whether these are all the events that the id stands for, or a part of them.
    pub is_whole: bool,
    pub events: Vec<Event>,
    /// The browser that sent them, as far as it is known.
    pub visitor: Option<Fingerprint>,
}

impl Batch {
    /// Events as they were sent. A single one whose id is like `b1946ac92492d234/3` is event 3 of the batch `b1946ac92492d234`.
    pub fn new(sender: SenderClass, id: Option<ReplayId>, mut events: Vec<Event>) -> Self {
        if let (None, [event]) = (&id, events.as_mut_slice())
            && let Some((batch, index)) = event.id.as_ref().and_then(ReplayId::part_of)
        {
            (event.id, event.index) = (None, index);
            return Self { sender, id: Some(batch), is_whole: false, events, visitor: None };
        }
        Self { sender, id, is_whole: true, events, visitor: None }
    }
}
