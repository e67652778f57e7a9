//! Keeping rolling windows ready: `lua/upkeep.lua`, a bounded chunk at a time.

use super::Store;
use super::reply::malformed;
use super::scripts::{UPKEEP, UpkeepArgs, UpkeepReply};
use super::window::{calendar_fields, window_fields};
use crate::adapter::{Error, Transport};
use crate::ranking::counting::Target;
use crate::ranking::period::Period;
use crate::ranking::site::{Board, Site};
use crate::ranking::window::Window;
use crate::ranking::zone::{ZoneSpan, Zones};

/// A chunk of upkeep.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'p> {
    /// A rolling window.
    pub window: &'p Window,
    /// The past period to build; `None` for the current board and the next.
    pub past: Option<Period>,
    /// Who asks: two owners do not work at once.
    pub owner: &'p str,
    /// About how many scores to read at most, a microsecond or less each; 0 only asks how far it is.
    pub lookups: u32,
}

/// How far a window is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub task: Task,
    pub scanned: u64,
    pub total: u64,
    /// Unix milliseconds; 0 for never.
    pub last_run_ms: i64,
}

/// What is being done, or left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The current board is not right for all members yet.
    Repair,
    /// The current board is right; the next period's is being prepared.
    Prepare,
    /// A past period is being built.
    Past,
    /// Nothing.
    Ready,
}

impl Task {
    const EACH: [Self; 4] = [Self::Repair, Self::Prepare, Self::Past, Self::Ready];

    pub fn name(self) -> &'static str {
        match self {
            Self::Repair => "repair",
            Self::Prepare => "prepare",
            Self::Past => "past",
            Self::Ready => "ready",
        }
    }

    /// Whether readers still see scores that are not right.
    pub fn is_incomplete(self) -> bool {
        matches!(self, Self::Repair | Self::Past)
    }
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Does a chunk; `None` when another owner is at it.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn upkeep(&self, site: &Site, board: &Board, chunk: Chunk<'_>) -> Result<Option<Progress>, Error> {
        let call = |zone: &ZoneSpan| UpkeepArgs {
            board: self.board_key(site, board),
            window: window_fields(chunk.window, chunk.past),
            owner: chunk.owner.into(),
            lookups: chunk.lookups.into(),
            options: Target::Board(board).options(),
            calendar: calendar_fields(site, zone),
        };
        Ok(match self.call(site, self.years(), call).await? {
            UpkeepReply::Busy { .. } => None,
            UpkeepReply::Ok { task, scanned, total, last_run_ms, .. } => {
                let task = Task::EACH.into_iter().find(|known| known.name() == task).ok_or_else(|| malformed(&UPKEEP, "task"))?;
                Some(Progress { task, scanned, total, last_run_ms })
            }
        })
    }
}
