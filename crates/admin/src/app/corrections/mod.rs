//! Corrections by hand: what is hidden or pinned, removed, reset, revoked, or left over of an earlier configuration.

pub mod curation;
pub mod leftovers;
pub mod removal;
pub mod reset;
pub mod revocation;

use engine::store::homes::Settled;
use serve::app::catalog::Catalog;
use serve::app::ports::{Clock, Random};
use serve::app::redis::Redis;

use super::archive::Archive;
use super::archive::bucket::ArchiveFiles;
use super::archive::erase::Amendments;
use super::copies::Copies;

/// Corrections by hand of what is counted.
pub struct Corrections<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) amendments: Amendments<'a, R>,
    pub(in crate::app) archive: Archive<'a, R>,
    pub(in crate::app) catalog: Catalog<'a, R>,
    pub(in crate::app) copies: Copies<'a, R>,
    pub(in crate::app) files: ArchiveFiles<'a, R>,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) random: &'a dyn Random,
    pub(in crate::app) settled: &'a Settled,
}
