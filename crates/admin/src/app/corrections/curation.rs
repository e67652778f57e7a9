//! Hiding and pinning members.

pub use engine::store::curate::{Change, List};
use ranking::name::Id;
use ranking::site::{Board, Site};
use serve::app::failure::Failure;
use serve::app::ports::Runtime;

use super::Corrections;

impl<R: Runtime> Corrections<'_, R> {
    /// Changes who is hidden or pinned on a board, and the copy of that, or answers who is; `None` when there is no room.
    ///
    /// # Errors
    /// When Redis does not answer, or the place of the copy.
    pub async fn curate(&self, site: &Site, board: &Board, list: List, change: Change<'_>) -> Result<Option<Vec<Id>>, Failure> {
        if matches!(change, Change::Look) {
            let read = self.redis.read(async |store| store.curate(site, board, list, change).await).await;
            return read.map_err(|error| Failure::of_read(&error));
        }
        let failed = |error: engine::adapter::Error| Failure::of_write(&error);
        let changed = self.redis.store().map_err(failed)?.curate(site, board, list, change).await.map_err(failed)?;
        if changed.is_some() {
            self.copies.copy_curated(site, board, list, change).await.map_err(Failure::unfinished)?;
        }
        Ok(changed)
    }
}
