//! Emptying the current periods of a board.

use super::{App, Failure, Runtime};
use crate::adapter::Error;
use crate::ranking::site::{Board, Site};
use crate::ranking::window::Window;
pub use crate::store::reset::{Reset, ResetPeriods};

impl<R: Runtime> App<R> {
    /// Empties a window of a board, or with `None` all of its windows, at one instant; with `is_dry` it only tells what that is.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn reset(&self, site: &Site, board: &Board, window: Option<&Window>, is_dry: bool) -> Result<Reset, Failure> {
        let failed = |error: Error| Failure { nothing_written: is_dry, ..Failure::of_write(&error) };
        self.store().map_err(failed)?.reset(site, board, window, is_dry).await.map_err(failed)
    }
}
