//! What `record` writes: a board, or a site's activity log of what its actors do.

use std::fmt::Write;

use super::scripts::TargetFields;
use super::window::kind_fields;
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

    /// What its configuration counts.
    pub(super) fn fields(self, site: &Site) -> TargetFields {
        self.with_units(&match self {
            Self::Board(board) => counted_units(&board.windows),
            Self::ActivityLog => vec![(Unit::Day, site.actor_history_s.into())],
        })
    }

    /// The same with every period that may be there, whatever was configured before.
    pub(super) fn every_period(self) -> TargetFields {
        self.with_units(&match self {
            Self::Board(_) => countable_units(),
            Self::ActivityLog => vec![(Unit::Day, Site::MAX_ACTOR_HISTORY_S.into())],
        })
    }

    fn with_units(self, units: &[(Unit, u64)]) -> TargetFields {
        let mut fields = TargetFields {
            units: units.iter().map(|(unit, _)| unit.code()).collect(),
            retention: String::new(),
            rolling: String::new(),
            decaying: String::new(),
            options: self.options(),
        };
        for (_, kept_s) in units {
            let _ = write!(fields.retention, "{kept_s:010}");
        }
        for window in self.windows() {
            let (kind, unit, length, amount, at_s) = kind_fields(window.kind);
            let _ = match window.kind {
                Kind::Calendar(_) => Ok(()),
                Kind::Rolling { .. } => write!(fields.rolling, " {}:{unit}:{length}", window.name),
                _ => write!(fields.decaying, " {}:{kind}:{unit}:{amount}:{at_s}", window.name),
            };
        }
        fields
    }

    /// The indexes besides the scores.
    pub(super) fn options(self) -> String {
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
