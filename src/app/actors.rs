//! What is known of an actor, and forgetting it.

use super::{App, Runtime};
use crate::adapter::Error;
use crate::ranking::name::Id;
use crate::ranking::site::{Board, Site};
use crate::store::activity::{ActiveDay, activity};
use crate::store::curate::{Change, List, curate};
use crate::store::erase::erase;
use crate::store::target::Target;

impl<R: Runtime> App<R> {
    /// What an actor did on each of the last days.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn activity(&self, site: &Site, actor: &Id, days: u32) -> Result<Vec<ActiveDay>, Error> {
        activity(&self.runtime.transport()?, &self.runtime, site, self.guess_s(), actor, days).await
    }

    /// Erases an actor from every target of a site, piece by piece, until nothing is left or `until_ms` (by the edge's clock)
    /// has come; answers whether all of it is done. Doing it again begins anew, and does no harm.
    ///
    /// # Errors
    /// When Redis does not answer; some of it may be done.
    pub async fn erase(&self, site: &Site, actor: &Id, until_ms: u64) -> Result<bool, Error> {
        let transport = self.runtime.transport()?;
        // Also from a ledger that is no longer kept.
        let targets = site.boards.values().map(|board| Target::Board(board)).chain([Target::ActivityLog]);
        let mut left: Vec<(Target, String)> = targets.map(|target| (target, String::new())).collect();
        while !left.is_empty() {
            if self.runtime.clock_ms() >= until_ms {
                return Ok(false);
            }
            let cursors = erase(&transport, &self.runtime, site, self.guess_s(), actor, &left).await?;
            left = left.into_iter().zip(cursors).filter_map(|((target, _), cursor)| Some((target, cursor?))).collect();
        }
        Ok(true)
    }

    /// Changes who is hidden or pinned on a board, or answers who is; `None` when there is no room.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn curate(&self, site: &Site, board: &Board, list: List, change: Change<'_>) -> Result<Option<Vec<Id>>, Error> {
        curate(&self.runtime.transport()?, site, board, list, change).await
    }
}
