//! Deleting the boards that are going: their keys, what documents say of them, and their entries last. Then their names are free. Of archived boards the
//! keys are deleted, but for who is hidden, pinned or removed.
//!
//! What counted once for an actor or a visitor on a board has a key of its own, which nothing lists. So all keys of the site are looked at, once for
//! all boards that are due.

use std::collections::BTreeSet;

use engine::adapter::Error;
use engine::store::boards::{Dropped, Scan};
use ranking::site::Site;
use serve::app::agenda::{Agenda, Resting};
use serve::app::failure::Failure;
use serve::app::ports::{Clock, Random, Runtime};
use serve::app::redis::Redis;
use serve::app::templates::FRESH_MS;
use serve::config::Config;

use crate::app::archive::ArchiveError;
use crate::app::archive::bucket::ArchiveFiles;
use crate::app::copies::Copies;

/// Milliseconds after which no isolate writes to a board that is going.
pub(in crate::app) const WAIT_MS: i64 = 2 * FRESH_MS.cast_signed();
/// While none is going, a site is asked no more often than that: an idle month costs 8,640 calls a site.
const LOOK_MS: u64 = 300_000;

/// Deletes the boards that are going.
pub struct BoardDeletions<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) copies: Copies<'a, R>,
    pub(in crate::app) files: ArchiveFiles<'a, R>,
    pub(in crate::app) agenda: &'a Agenda,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) random: &'a dyn Random,
}

impl<R: Runtime> BoardDeletions<'_, R> {
    /// Deletes what is due of every site that has templates, until about `until_ms`. Answers a line for each failure.
    pub async fn delete_boards_due(&self, until_ms: u64) -> Vec<String> {
        let mut failures = Vec::new();
        for site in self.config.sites.values().filter(|site| !site.templates.is_empty()) {
            let (rest, now_ms) = (Resting::GoingBoards(site.name.clone()), self.clock.clock_ms());
            if self.agenda.rests(&rest, now_ms) || now_ms >= until_ms {
                continue;
            }
            match self.delete_boards(site, until_ms).await {
                Ok(rest_ms) if rest_ms > 0 => self.agenda.rest(rest, now_ms, rest_ms),
                Ok(_) => {}
                Err(failure) => failures.push(format!("{}/boards: {}", site.name, failure.detail)),
            }
        }
        failures
    }

    /// 1. Ask which boards are due, and how far the scan of the keys is.
    /// 2. Delete their keys, a piece after the other, and note each.
    /// 3. Delete the objects in the archive of those that are going.
    /// 4. Forget the boards of which nothing is left.
    ///
    /// When it is interrupted, the scan goes on where it was noted. Answers for how many milliseconds nothing is due.
    async fn delete_boards(&self, site: &Site, until_ms: u64) -> Result<u64, Failure> {
        let failed = |error: Error| Failure::of_write(&error);
        let owner = self.random.token();
        let store = self.redis.store().map_err(failed)?;
        let mut scan = store.scan_boards(site, &owner, WAIT_MS, "").await.map_err(failed)?;
        loop {
            let (cursor, boards) = match scan {
                Scan::On { cursor, boards } => (cursor, boards),
                Scan::Done { next_ms } => return Ok(next_ms.unwrap_or(LOOK_MS).min(LOOK_MS)),
                Scan::Busy => return Ok(0),
            };
            let Some(next) = store.delete_keys_of(site, &boards, &cursor).await.map_err(failed)? else {
                let going = self.delete_objects(site, boards.going, until_ms).await.map_err(Failure::unfinished)?;
                self.copies.forget_boards(site, &going).await.map_err(Failure::unfinished)?;
                store.forget_boards(site, &owner, &Dropped { going, ..boards }).await.map_err(failed)?;
                return Ok(0);
            };
            scan = store.scan_boards(site, &owner, WAIT_MS, &next).await.map_err(failed)?;
            if self.clock.clock_ms() >= until_ms {
                return Ok(0);
            }
        }
    }

    /// Answers of which boards no object is left: one at least, where there are any.
    async fn delete_objects(&self, site: &Site, boards: BTreeSet<String>, until_ms: u64) -> Result<BTreeSet<String>, String> {
        let mut deleted = BTreeSet::new();
        for board in boards {
            self.files.delete_board(site, &board).await.map_err(ArchiveError::detail)?;
            deleted.insert(board);
            if self.clock.clock_ms() >= until_ms {
                break;
            }
        }
        Ok(deleted)
    }
}
