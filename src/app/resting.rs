//! What an isolate leaves alone for a while, kept by its [`Memory`](super::memory::Memory).

use ranking::name::Name;
use ranking::site::{Board, Site};
use ranking::window::Window;

/// What an isolate has done, asked or logged, and leaves alone for a while. Those of a site, a board or a window have their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resting {
    /// Of the deployment: what is logged once an hour, and what is asked once in a while.
    BindingMissing,
    ClocksDiffer,
    Eviction,
    Libraries,
    /// What is left to do about items, by the job's name.
    Unsettled(&'static str),
    /// Work on a site.
    Archive(Name),
    Curation(Name),
    DeadLetters(Name),
    Fullness(Name),
    History(Name),
    Marks(Name),
    WantedPages(Name),
    /// Messages that are to be handed on: looking for them, and that some are known to wait.
    Forward(Name),
    ForwardWaits(Name),
    /// Work on a board.
    Snapshot(Name, Name),
    Upkeep(Name, Name),
    /// Work on a window of a board. Totals are named by their own windows.
    Frozen(Name, Name, Name),
    Grain(Name, Name, Name),
    NearlyFull(Name, Name, Name),
    NotLost(Name, Name, Name),
    Totals(Name, Name, String),
}

impl Resting {
    pub fn upkeep(site: &Site, board: &Board) -> Self {
        Self::Upkeep(site.name.clone(), board.name.clone())
    }

    /// That what is over of a window is frozen.
    pub fn frozen(site: &Site, board: &Board, window: &Window) -> Self {
        Self::Frozen(site.name.clone(), board.name.clone(), window.name.clone())
    }
}
