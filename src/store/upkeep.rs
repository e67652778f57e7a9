//! Keeping rolling windows ready: `lua/upkeep.lua`, a bounded chunk at a time.

use super::target::Target;
use super::{Store, UPKEEP, WindowArgs, Zones, calendar_args, malformed, text};
use crate::adapter::{Error, Invocation, Transport, Value};
use crate::ranking::period::Period;
use crate::ranking::site::{Board, Site};
use crate::ranking::window::Window;
use crate::ranking::zone::ZoneSpan;

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
        let invocation = |zone: &ZoneSpan| {
            let WindowArgs { unit, length, .. } = WindowArgs::of(chunk.window.kind);
            let mut args = vec![
                chunk.window.name.to_string(),
                unit.into(),
                length.to_string(),
                chunk.past.map_or(String::new(), |period| period.number.to_string()),
                chunk.owner.into(),
                chunk.lookups.to_string(),
                Target::Board(board).options(),
            ];
            args.extend(calendar_args(site, zone));
            debug_assert_eq!(args.len(), UPKEEP.args.len());
            Invocation { script: &UPKEEP, keys: vec![self.key(site, Target::Board(board))], args }
        };
        match self.ask(site, self.years(), &invocation).await?.as_slice() {
            [Value::BulkString(status), _] if status == b"BUSY" => Ok(None),
            [_, _, task, Value::Int(scanned), Value::Int(total), Value::Int(last_run_ms)] => {
                let tasks = [Task::Repair, Task::Prepare, Task::Past, Task::Ready];
                let task = tasks.into_iter().find(|known| text(task) == Some(known.name())).ok_or_else(|| malformed(&UPKEEP))?;
                let count = |count: i64| u64::try_from(count).map_err(|_| malformed(&UPKEEP));
                Ok(Some(Progress { task, scanned: count(*scanned)?, total: count(*total)?, last_run_ms: *last_run_ms }))
            }
            _ => Err(malformed(&UPKEEP)),
        }
    }
}
