//! What is known of an actor, and erasing it.

use super::{App, Failure, Runtime};
use crate::ranking::counting::Target;
use crate::ranking::name::Id;
use crate::ranking::site::Site;
pub use crate::store::activity::ActiveDay;

impl<R: Runtime> App<R> {
    /// What an actor did on each of the last days.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn activity(&self, site: &Site, actor: &Id, days: u32) -> Result<Vec<ActiveDay>, Failure> {
        let read = self.read_store(async |store| store.activity(site, actor, days).await).await;
        read.map_err(|error| Failure::of_read(&error))
    }

    /// Erases an actor from every counting target of a site, chunk by chunk. It stops when nothing is left, or when the edge's
    /// clock has reached `until_ms`. Answers whether all of it is done. Doing it again begins anew, and does no harm.
    ///
    /// # Errors
    /// When Redis does not answer; some of it may be done.
    pub async fn erase(&self, site: &Site, actor: &Id, until_ms: u64) -> Result<bool, Failure> {
        let failed = |error: crate::adapter::Error| Failure { nothing_written: false, detail: error.to_string() };
        let store = self.store().map_err(failed)?;
        // Also from an activity log that is no longer kept.
        let targets = site.boards.values().map(|board| Target::Board(board)).chain([Target::ActivityLog]);
        let mut left: Vec<(Target, String)> = targets.map(|target| (target, String::new())).collect();
        while !left.is_empty() {
            if self.runtime.clock_ms() >= until_ms {
                return Ok(false);
            }
            let cursors = store.erase(site, actor, &left).await.map_err(failed)?;
            left = left.into_iter().zip(cursors).filter_map(|((target, _), cursor)| Some((target, cursor?))).collect();
        }
        Ok(true)
    }
}
