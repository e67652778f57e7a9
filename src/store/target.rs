//! What `record` writes: a board, or a site's activity log of what its actors do.

use std::fmt::Write;

use super::WindowArgs;
use crate::ranking::site::{Board, Members, Ranking, Site, Ties};
use crate::ranking::window::{Kind, Unit, Window, countable_units, counted_units};

/// A target of a site. The activity log is a board without scores: it counts by action what each actor did on a day.
#[derive(Clone, Copy, Debug)]
pub enum Target<'s> {
    Board(&'s Board),
    ActivityLog,
}

/// Actors whose day the activity log holds, at most; beyond them it is not kept, and boards count on.
const MAX_ACTORS: u32 = 1_000_000;

impl<'s> Target<'s> {
    /// Every target of a site.
    pub fn each(site: &'s Site) -> impl Iterator<Item = Self> {
        site.boards.values().map(|board| Self::Board(board)).chain(site.activity.then_some(Self::ActivityLog))
    }

    /// What every key of the target begins with. The hash tag keeps its keys on one node of a cluster; the scripts append the
    /// rest, so that each key name is made in one place.
    pub fn prefix(self, key_prefix: &str, site: &Site) -> String {
        match self {
            Self::Board(board) => format!("{key_prefix}:{{{}:{}}}", site.name, board.name),
            Self::ActivityLog => format!("{key_prefix}:{{{}}}", site.name),
        }
    }

    /// Whether its members are actors.
    pub fn has_actors(self) -> bool {
        match self {
            Self::Board(board) => board.members == Members::Actors,
            Self::ActivityLog => true,
        }
    }

    pub fn max_members(self) -> u32 {
        match self {
            Self::Board(board) => board.max_members,
            Self::ActivityLog => MAX_ACTORS,
        }
    }

    /// Seconds for which ids are remembered: in the activity log for as long as on any board.
    pub fn replay_window_s(self, site: &Site) -> u32 {
        match self {
            Self::Board(board) => board.replay_window_s,
            Self::ActivityLog => site.boards.values().map(|board| board.replay_window_s).max().unwrap_or(1),
        }
    }

    /// The arguments `units` and `retention` of the scripts.
    pub fn periods(self, site: &Site) -> (String, String) {
        let units = match self {
            Self::Board(board) => counted_units(&board.windows),
            Self::ActivityLog => vec![(Unit::Day, u64::from(site.actor_history_s))],
        };
        period_args(&units)
    }

    /// The same of every period that may be there, whatever was configured before.
    pub fn any_periods(self) -> (String, String) {
        period_args(&match self {
            Self::Board(_) => countable_units(),
            Self::ActivityLog => vec![(Unit::Day, u64::from(Site::MAX_ACTOR_HISTORY_S))],
        })
    }

    /// The argument `rolling`: `name:unit:length …`
    pub fn rolling(self) -> String {
        let mut text = String::new();
        for window in self.windows() {
            if let Kind::Rolling { unit, length } = window.kind {
                let _ = write!(text, " {}:{}:{length}", window.name, unit.code());
            }
        }
        text
    }

    /// The argument `decaying`: `name:kind:unit:amount:at …`
    pub fn decaying(self) -> String {
        let mut text = String::new();
        for window in self.windows().iter().filter(|window| !window.sums_weights()) {
            let WindowArgs { kind, unit, amount, at_s, .. } = WindowArgs::of(window.kind);
            let _ = write!(text, " {}:{kind}:{unit}:{amount}:{at_s}", window.name);
        }
        text
    }

    /// The argument `options`: the indexes besides the scores.
    pub fn options(self) -> String {
        let Self::Board(board) = self else { return "activity-log actions".into() };
        let ties = board.ties.map(Ties::name);
        let dense = (board.ranking == Ranking::Dense).then_some("dense");
        let actions = board.breakdown.then_some("actions");
        let words: Vec<&str> = [ties, dense, actions].into_iter().flatten().collect();
        words.join(" ")
    }

    fn windows(self) -> &'s [Window] {
        match self {
            Self::Board(board) => &board.windows,
            Self::ActivityLog => &[],
        }
    }
}

fn period_args(units: &[(Unit, u64)]) -> (String, String) {
    let mut retention = String::new();
    for (_, kept_s) in units {
        let _ = write!(retention, "{kept_s:010}");
    }
    (units.iter().map(|(unit, _)| unit.code()).collect(), retention)
}
