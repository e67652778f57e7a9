//! A counting target, as the scripts' arguments have it.

use std::fmt::Write;

use super::scripts::TargetFields;
use super::window::kind_fields;
use crate::ranking::counting::Target;
use crate::ranking::retention::Retention;
use crate::ranking::site::{Late, Ranking, Site, Ties};
use crate::ranking::values::Values;
use crate::ranking::window::{Kind, Unit, Window};

impl<'s> Target<'s> {
    /// What its configuration counts.
    pub(super) fn fields(self, site: &Site) -> TargetFields {
        let mut fields = self.with_units(&match self {
            Self::Board(board) => board.counted_units(),
            Self::ActivityLog => vec![(Unit::Day, site.actor_history_s.into())],
        });
        if matches!(self, Self::ActivityLog) && site.activity_entries > 0 {
            let _ = write!(fields.options, " entries:{}:{}", site.activity_entries, site.actor_history_s);
        }
        fields
    }

    /// The same with every period that may be there, whatever was configured before.
    pub(super) fn every_period(self) -> TargetFields {
        self.with_units(&match self {
            Self::Board(board) => Retention::countable_units(&board.windows),
            Self::ActivityLog => vec![(Unit::Day, Site::MAX_ACTOR_HISTORY_S.into())],
        })
    }

    fn with_units(self, units: &[(Unit, u64)]) -> TargetFields {
        let mut fields = TargetFields {
            units: units.iter().map(|(unit, _)| unit.code()).collect(),
            retention: String::new(),
            rolling: String::new(),
            decaying: String::new(),
            changed: self.changed(),
            archived: self.archived(),
            options: self.options(),
        };
        for (unit, kept_s) in units {
            let kept_s = if let Self::Board(board) = self { board.stored_s(*unit, *kept_s) } else { *kept_s };
            let _ = write!(fields.retention, "{kept_s:010}");
        }
        for window in self.windows() {
            let (kind, unit, length, amount, at_s) = kind_fields(window.kind);
            let _ = match window.kind {
                Kind::Calendar(_) => Ok(()),
                // Where values are ranked it is made when it is asked for.
                Kind::Rolling { .. } if self.ranks_values() => Ok(()),
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
        let keeps = board.values.map(Values::keeps);
        let is_final = (board.archive && board.late == Late::Refuse).then_some("final");
        let words: Vec<&str> = [ties, dense, actions, keeps, is_final].into_iter().flatten().collect();
        words.join(" ")
    }

    /// The units whose members are marked when they change.
    fn changed(self) -> String {
        let Self::Board(board) = self else { return String::new() };
        board.totals.iter().map(|totals| totals.unit.code()).collect()
    }

    /// The units whose periods are archived when they are over.
    fn archived(self) -> String {
        let Self::Board(board) = self else { return String::new() };
        Unit::COUNTED.into_iter().filter(|unit| board.archives(*unit)).map(Unit::code).collect()
    }

    /// What it ranks by.
    pub(super) fn windows(self) -> &'s [Window] {
        match self {
            Self::Board(board) => &board.windows,
            Self::ActivityLog => &[],
        }
    }
}
