//! Emptying the current periods of a board.

use std::rc::Rc;

use engine::adapter::Error;
pub use engine::store::reset::{Reset, ResetPeriods};
use ranking::site::{Board, Site};
use ranking::window::Window;

use super::Corrections;
use crate::app::archive::ArchiveError;
use serve::app::failure::Failure;
use serve::app::ports::Runtime;

/// Why nothing was reset, as far as is known.
#[derive(Debug)]
pub enum ResetError {
    Redis(Failure),
    /// What is over could not be archived first.
    Archive(ArchiveError),
}

impl<R: Runtime> Corrections<'_, R> {
    /// Empties a window of a board, or with `None` all of its windows, at one instant; with `is_dry` it only tells what that is.
    ///
    /// 1. Where the board has an archive, see that it takes something, and archive the periods that are over: a rolling window takes some of them.
    /// 2. Empty it. What its calendar windows had is moved aside in the same instant.
    /// 3. Archive that. What fails, or takes too long, is done by upkeep.
    ///
    /// # Errors
    /// When the archive or Redis does not answer, or more is to be archived than until `until_ms` (by the edge's clock).
    pub async fn reset(
        &self,
        site: &Rc<Site>,
        board: &Rc<Board>,
        window: Option<&Window>,
        is_dry: bool,
        until_ms: u64,
    ) -> Result<Reset, ResetError> {
        if board.archive && !is_dry {
            self.files.try_archive(site, board).await.map_err(ResetError::Archive)?;
            self.archive.archive_now(site, board, until_ms).await.map_err(ResetError::Archive)?;
        }
        let failed = |error: Error| ResetError::Redis(Failure { nothing_written: is_dry, ..Failure::of_write(&error) });
        let reset = self.redis.store().map_err(failed)?.reset(site, board, window, is_dry).await.map_err(failed)?;
        if board.archive && !is_dry {
            let _ = self.archive.archive_now(site, board, until_ms).await;
        }
        Ok(reset)
    }
}
