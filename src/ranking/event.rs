//! Events: one action by an optional actor on an item at an instant.

use super::name::{Fingerprint, Id, Name, ReplayId};

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

/// An event whose action is known to the site.
#[derive(Clone, Debug)]
pub struct Event {
    pub action: Name,
    pub item: Id,
    pub actor: Option<Id>,
    /// Tells the senders of events without an actor apart, as far as it is known.
    pub visitor: Option<Fingerprint>,
    /// It takes back what its actor did, at the instant of the action.
    pub undo: bool,
    pub when: When,
    /// Makes this event alone safe to send again.
    pub id: Option<ReplayId>,
}

/// Events that are counted together.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Makes the whole batch safe to send again; events' own ids then do not matter.
    pub id: Option<ReplayId>,
    pub events: Vec<Event>,
}
