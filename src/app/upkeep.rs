//! Keeping windows: rolling boards ready for their next period, decaying boards free of what has faded.
//!
//! Nothing here is needed for correct counts: a board that was not prepared is repaired when it is read.

use super::{App, Failure, Runtime};
use crate::adapter::Error;
use crate::ranking::period::Period;
use crate::ranking::site::{Board, Site};
use crate::ranking::window::{Kind, Window};
use crate::store::upkeep::Chunk;
pub use crate::store::upkeep::{Progress, Task};

/// Scores read in one chunk. Redis serves nobody else meanwhile: less than 1 ms.
const LOOKUPS: u32 = 600;
/// Members dropped in one chunk.
const DROPS: u32 = 1_000;

/// What became of a window.
#[derive(Debug)]
pub struct WindowUpkeep<'a> {
    pub board: &'a Board,
    pub window: &'a Window,
    pub done: Result<Done, Failure>,
}

#[derive(Debug)]
pub enum Done {
    /// Rolling: how far it is.
    Rolling(Progress),
    /// Decaying: members dropped.
    Decaying { dropped: u64 },
    /// Somebody else is at it.
    Busy,
}

impl<R: Runtime> App<R> {
    /// Does what the windows of a site need, chunk by chunk, until nothing is left or `until_ms` (by the edge's clock) has
    /// come; the rest is for the next run.
    pub async fn upkeep<'a>(&self, site: &'a Site, until_ms: u64) -> Vec<WindowUpkeep<'a>> {
        let owner = self.runtime.token();
        let mut kept = Vec::new();
        for (board, window) in kept_windows(site) {
            let done = match window.kind {
                Kind::Rolling { .. } => {
                    let chunk = Chunk { window, past: None, owner: &owner, lookups: LOOKUPS };
                    self.scan(site, board, chunk, until_ms, |task| task == Task::Ready).await
                }
                _ => self.drop_faded(site, board, window, until_ms).await.map(|dropped| Done::Decaying { dropped }),
            };
            kept.push(WindowUpkeep { board, window, done: done.map_err(|error| Failure::of_write(&error)) });
        }
        kept
    }

    /// How far the rolling windows of a site are.
    pub async fn upkeep_progress<'a>(&self, site: &'a Site) -> Vec<WindowUpkeep<'a>> {
        let mut progress = Vec::new();
        for (board, window) in kept_windows(site).filter(|(_, window)| matches!(window.kind, Kind::Rolling { .. })) {
            let chunk = Chunk { window, past: None, owner: "", lookups: 0 };
            let done = self.scan(site, board, chunk, 0, |_| true).await;
            progress.push(WindowUpkeep { board, window, done: done.map_err(|error| Failure::of_read(&error)) });
        }
        progress
    }

    /// Works on a rolling board that readers found incomplete until it is complete; `false` when the time was up before,
    /// or when others are at it.
    ///
    /// # Errors
    /// When Redis does not answer as it should.
    pub async fn complete(
        &self,
        site: &Site,
        board: &Board,
        window: &Window,
        past: Option<Period>,
        owner: &str,
        until_ms: u64,
    ) -> Result<bool, Error> {
        let chunk = Chunk { window, past, owner, lookups: LOOKUPS };
        let done = self.scan(site, board, chunk, until_ms, |task| !task.is_incomplete()).await?;
        Ok(matches!(done, Done::Rolling(progress) if !progress.task.is_incomplete()))
    }

    /// Does one chunk after the other, over one connection, until it is enough or the time is up.
    async fn scan(
        &self,
        site: &Site,
        board: &Board,
        chunk: Chunk<'_>,
        until_ms: u64,
        enough: impl Fn(Task) -> bool,
    ) -> Result<Done, Error> {
        let store = self.store()?;
        loop {
            let Some(progress) = store.upkeep(site, board, chunk).await? else {
                return Ok(Done::Busy);
            };
            if enough(progress.task) || self.runtime.clock_ms() >= until_ms {
                return Ok(Done::Rolling(progress));
            }
        }
    }

    async fn drop_faded(&self, site: &Site, board: &Board, window: &Window, until_ms: u64) -> Result<u64, Error> {
        let store = self.store()?;
        let mut dropped = 0;
        loop {
            let now = store.trim(site, board, window, DROPS).await?;
            dropped += now;
            if now < u64::from(DROPS) || self.runtime.clock_ms() >= until_ms {
                return Ok(dropped);
            }
        }
    }
}

/// The windows that need upkeep.
fn kept_windows(site: &Site) -> impl Iterator<Item = (&Board, &Window)> {
    let windows = site.boards.values().flat_map(|board| board.windows.iter().map(move |window| (&**board, window)));
    windows.filter(|(_, window)| matches!(window.kind, Kind::Rolling { .. } | Kind::HalfLife { .. } | Kind::Step { .. }))
}
