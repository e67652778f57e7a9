//! Why an event or a batch is not counted.

use ranking::counting::Outcome;

/// A refused event or batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: EventCode,
    /// For people: names the field, its value and what is allowed.
    pub detail: String,
}

impl Refusal {
    pub fn new(code: EventCode, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into() }
    }
}

/// Declares the codes with their names and meanings, and lists them all.
macro_rules! event_codes {
    ($($variant:ident $name:literal $meaning:literal)*) => {
        /// A stable code for a refusal. Its name is part of the wire format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum EventCode { $(#[doc = $meaning] $variant,)* }

        impl EventCode {
            pub const EACH: &[Self] = &[$(Self::$variant,)*];

            /// In kebab case.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it means, for the reference.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }
        }
    };
}

event_codes! {
    InvalidJson "invalid-json" "The body is not JSON, or not of the kind that the address takes."
    BodyTooLarge "body-too-large" "The body has more bytes than the address takes."
    TooManyEvents "too-many-events" "The batch has more than 100 events, or the beacon more than the site's `max_beacon_events`."
    InvalidEvent "invalid-event" "An event is not an object."
    UnknownField "unknown-field" "An event or a batch has a field that does not exist."
    InvalidAction "invalid-action" "The action is missing or is not text."
    UnknownAction "unknown-action" "The site has no such action."
    ActionNotPublic "action-not-public" "Browsers may not send this action."
    InvalidItem "invalid-item" "The item is missing or is not an id."
    InvalidActor "invalid-actor" "The actor is not an id, or an undo names none."
    InvalidVisitor "invalid-visitor" "The visitor is not an address and an agent, or a browser names one."
    InvalidAgo "invalid-ago" "`ago` is not a number of milliseconds in range."
    InvalidAt "invalid-at" "`at` is not an instant, is sent together with `ago`, or comes from a browser."
    InvalidUndo "invalid-undo" "`undo` is not true or false."
    InvalidCount "invalid-count" "`count` is not a whole number from 1 to 4294967295, or is of a browser or an undo."
    InvalidValue "invalid-value" "`value` is missing, is not a number that the boards of the action allow, or no board of the action ranks values."
    InvalidMeta "invalid-meta" "`meta` has more than 256 bytes as JSON, or the event has no `value`."
    InvalidSeq "invalid-seq" "`seq` is not a whole number from 1 to 9007199254740991, or the event is nothing that can be undone."
    UndoNotPossible "undo-not-possible" "The action is not reversible, or a browser asks for an undo."
    SeqMissing "seq-missing" "The action can be undone, and comes by a queue, which keeps no order: it needs a `seq`."
    InvalidId "invalid-id" "An id has characters or a length that are not allowed."
    AtInFuture "at-in-future" "`at` is later than Redis's clock."
    TooOld "too-old" "No window keeps the event's period any more."
    OutOfSeason "out-of-season" "The board counts in seasons only, and the event is of none."
    BoardFull "board-full" "The member is new and every window has `max_members` already."
    Reset "reset" "The board was reset after the instant of the event, or of the action that it undoes, in all windows that the event counts in."
    ItemGone "item-gone" "The member was removed from every board that the event counts on."
    UnknownItem "unknown-item" "The site counts known items only, and its server announced no such item."
    TooManyNew "too-many-new" "The member is new, and its sender or the sender's network put as many on the board within the hour as `new_members` lets it."
    TooManyVisitors "too-many-visitors" "The action counts once, and enough others of the visitor's address or network came first that day: `visitors_per_address`."
    AlreadyDone "already-done" "The action counts once, and was done before."
    NotDone "not-done" "There is nothing to undo."
    AlreadyUndone "already-undone" "The action was undone before."
    UndoTooLate "undo-too-late" "The action is older than the site's `actor_history`."
    Superseded "superseded" "What the actor did or undid with a newer `seq` was applied already."
}

/// What an outcome that did not count is called; `None` for those that did, now or before.
impl Refusal {
    pub fn of(outcome: Outcome) -> Option<Self> {
        let (code, detail) = match outcome {
            Outcome::Counted | Outcome::Duplicate | Outcome::Settled => return None,
            Outcome::Future => (EventCode::AtInFuture, "at is later than Redis's clock"),
            Outcome::TooOld => (EventCode::TooOld, "no window keeps the period that it belongs to any more"),
            Outcome::OutOfSeason => (EventCode::OutOfSeason, "the board counts in seasons only, and it happened in none of them"),
            Outcome::Full => (EventCode::BoardFull, "the member is new and every window has max_members already"),
            Outcome::Reset => (EventCode::Reset, "the board was reset after it happened"),
            Outcome::Gone => (EventCode::ItemGone, "it was removed from the board, and does not count there any more"),
            Outcome::Unknown => (EventCode::UnknownItem, "the site's server announced no such item, and known_items lets no other count"),
            Outcome::TooManyNew => (
                EventCode::TooManyNew,
                "the member is new, and its sender or the sender's network put enough new ones on the board: new_members",
            ),
            Outcome::Crowded => (
                EventCode::TooManyVisitors,
                "the action counts once, and enough others of the visitor's address or network came first that day: visitors_per_address",
            ),
            Outcome::DoneAlready => (EventCode::AlreadyDone, "the actor did this before, and it counts once"),
            Outcome::NotDone => (EventCode::NotDone, "nothing to undo: the actor did not do this, or it is no longer remembered"),
            Outcome::UndoneAlready => (EventCode::AlreadyUndone, "nothing to undo: it was undone before"),
            Outcome::UndoneTooLate => {
                (EventCode::UndoTooLate, "it was done longer ago than the site's actor_history, or was reported a year late")
            }
            Outcome::Superseded => (EventCode::Superseded, "what the actor did or undid with this seq or a newer one was applied"),
        };
        Some(Self::new(code, detail))
    }
}
