//! Why an event or a batch is not counted.

use interface::code::EventCode;
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
            Outcome::Removed => (EventCode::ItemGone, "it was removed from the board, and does not count there any more"),
            Outcome::Unknown => (EventCode::UnknownItem, "the site's server announced no such item, and known_items lets no other count"),
            Outcome::NoBoard => (EventCode::UnknownBoard, "it names a board that there is not, or that there is no room for"),
            Outcome::BoardClosed => (EventCode::BoardClosed, "it names a board that has not begun, or has ended"),
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
