//! Reading rankings: isolate memory, edge cache, Redis.
//!
//! [`key`] is the cache key of a read; [`cached`] the policy of the caches; [`fetch`] asks Redis and renders;
//! [`repair`] completes rolling boards that a read found incomplete; [`want`] asks upkeep for past ones.

mod cached;
mod fetch;
mod key;
mod repair;
mod want;

pub use crate::ranking::read::{PeriodRef, Read, ReadRequest};
pub use cached::{CacheResult, CachedResponse};

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
