//! Reading rankings: isolate memory, edge cache, Redis.
//!
//! [`key`] is the cache key of a read; [`cached`] the policy of the caches; [`fetch`] asks Redis and renders;
//! [`part`] shows several rankings while a node of a cluster is gone; [`ranges`] finds many members in a distribution;
//! [`composed`] adds what the database knows, of which [`KnownMembers`] remembers some; [`repair`] completes rolling boards that a read found incomplete; [`want`] asks upkeep for past ones.

mod cached;
mod composed;
mod fetch;
pub mod fullness;
mod key;
mod part;
mod ranges;
mod repair;
mod want;

pub use super::cache::{CacheResult, CachedResponse, Steady};
pub use super::failure::{Missing, ReadError};
pub use part::Available;
pub use ranges::RankRanges;
pub use ranking::read::{PeriodRef, Read, ReadRequest};
pub use ranking::view::View;

use super::admission::Admissions;
use super::agenda::Agenda;
use super::counters::Counters;
use super::database::Tables;
use super::details::known::KnownMembers;
use super::frozen::FrozenReads;
use super::later::Later;
use super::memory::Memory;
use super::ports::{Clock, Log};
use super::redis::Redis;
use crate::config::Config;

/// Rankings, read through the caches.
pub struct Rankings<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) admission: Admissions<'a, R>,
    pub(in crate::app) frozen: FrozenReads<'a, R>,
    pub(in crate::app) tables: Tables<'a, R>,
    pub(in crate::app) agenda: &'a Agenda,
    pub(in crate::app) client: &'a R,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) counters: &'a Counters,
    pub(in crate::app) edge_cache: &'a R,
    pub(in crate::app) later: Later<'a, R>,
    pub(in crate::app) log: &'a dyn Log,
    pub(in crate::app) members: &'a KnownMembers,
    pub(in crate::app) memory: &'a Memory,
    pub(in crate::app) timer: &'a R,
}
