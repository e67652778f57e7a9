//! Making rolling windows of a board anew, on demand.

use ranking::site::{Board, Site};
use ranking::window::Window;
use serve::app::agenda::Resting;
use serve::app::failure::Failure;
use serve::app::ports::Runtime;

use super::{Upkeep, WindowUpkeep};

impl<R: Runtime> Upkeep<'_, R> {
    /// Makes rolling windows of a board anew of their base periods, for as long as the edge's clock has not reached `until_ms`. What is left
    /// then is done by upkeep, or by who reads the window. Answers how far they are.
    ///
    /// # Errors
    /// When Redis does not answer; doing it again does no harm.
    pub async fn rebuild<'a>(
        &self,
        site: &'a Site,
        board: &'a Board,
        windows: &[&'a Window],
        until_ms: u64,
    ) -> Result<Vec<WindowUpkeep<'a>>, Failure> {
        let store = self.redis.store().map_err(|error| Failure::of_write(&error))?;
        store.rebuild(site, board, windows).await.map_err(|error| Failure::of_write(&error))?;
        // Upkeep may have heard a moment ago that nothing is due.
        self.agenda.wake(&Resting::upkeep(site, board));
        let works: Vec<(&Board, &Window)> = windows.iter().map(|window| (board, *window)).collect();
        self.complete(site, &works, until_ms).await;
        let progress = self.upkeep_progress(site).await.into_iter();
        Ok(progress.filter(|kept| kept.board.name == board.name && windows.iter().any(|window| window.name == kept.window.name)).collect())
    }
}
