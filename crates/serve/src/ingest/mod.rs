//! Events on their way in: parsing, checking against the site, splitting over counting targets, joining the outcomes.
//!
//! Every way in uses this: beacons, the pixel, servers' events, and with them the importer. One place decides what a valid
//! event is and what a refusal says.
//!
//! # Out of scope
//! HTTP and queues. A refusal has a code and a detail; what status that becomes is the caller's business.

mod actor;
mod batch;
mod event;
pub mod message;
mod named;
mod partition;
pub mod queued;
mod refusal;
mod rounds;
mod split;
mod valued;

pub use actor::{ActorNotice, Sender, Source};
pub use batch::{MAX_BODY, MAX_EVENTS, ParsedBatch, needs_order, seq_missing};
pub use event::{MAX_SEQ, PixelEvent, not_allowed};
pub use interface::code::EventCode;
pub use partition::{Part, parts};
pub use refusal::Refusal;
pub use rounds::Piece;
pub use split::{EventOutcome, Split, is_remembered};
