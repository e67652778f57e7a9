//! Reading rankings: isolate memory, edge cache, Redis.
//!
//! [`request`] is what is asked and its cache key; [`cached`] the policy of the caches; [`fetch`] asks Redis and renders;
//! [`repair`] completes rolling boards that a read found incomplete.

mod cached;
mod fetch;
mod repair;
mod request;

pub use cached::{CacheResult, CachedResponse};
pub use request::{PeriodRef, Read, ReadRequest};

use super::Failure;
use crate::ranking::name::Id;

/// Why there is no ranking.
#[derive(Debug)]
pub enum ReadError {
    /// The period is not one of the site's, or has not begun, or is no longer kept.
    NoSuchPeriod(&'static str),
    /// The member is not shown on the board.
    NotOnBoard(Id),
    Failed(Failure),
}
