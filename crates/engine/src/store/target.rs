//! A counting target, as the scripts' arguments have it.

use std::fmt::Write;

use ranking::counting::Target;
use ranking::retention::Retention;
use ranking::site::{Late, Ranking, Site, Ties};
use ranking::values::Values;
use ranking::window::{Kind, Unit};

use super::scripts::TargetFields;
use super::window::kind_fields;

/// What its configuration counts.
pub(super) fn fields(target: Target, site: &Site) -> TargetFields {
    let mut fields = with_units(
        target,
        &match target {
            Target::Board(board) => board.counted_units(),
            Target::ActivityLog => vec![(Unit::Day, site.actor_history_s.into())],
        },
    );
    if matches!(target, Target::ActivityLog) && site.activity_entries > 0 {
        let _ = write!(fields.options, " entries:{}:{}", site.activity_entries, site.actor_history_s);
    }
    fields
}

/// The same with every period that may be there, whatever was configured before.
pub(super) fn every_period(target: Target) -> TargetFields {
    with_units(
        target,
        &match target {
            Target::Board(board) => Retention::countable_units(&board.windows),
            Target::ActivityLog => vec![(Unit::Day, Site::MAX_ACTOR_HISTORY_S.into())],
        },
    )
}

fn with_units(target: Target, units: &[(Unit, u64)]) -> TargetFields {
    let mut fields = TargetFields {
        units: units.iter().map(|(unit, _)| unit.code()).collect(),
        retention: String::new(),
        rolling: String::new(),
        decaying: String::new(),
        changed: changed(target),
        archived: archived(target),
        options: options(target),
    };
    for (unit, kept_s) in units {
        let kept_s = if let Target::Board(board) = target { board.stored_s(*unit, *kept_s) } else { *kept_s };
        let _ = write!(fields.retention, "{kept_s:010}");
    }
    for window in target.windows() {
        let (kind, unit, length, amount, at_s) = kind_fields(window.kind);
        let _ = match window.kind {
            Kind::Calendar(_) => Ok(()),
            // Where values are ranked it is made when it is asked for.
            Kind::Rolling { .. } if target.ranks_values() => Ok(()),
            Kind::Rolling { .. } => write!(fields.rolling, " {}:{unit}:{length}", window.name),
            _ => write!(fields.decaying, " {}:{kind}:{unit}:{amount}:{at_s}", window.name),
        };
    }
    fields
}

/// The indexes besides the scores.
pub(super) fn options(target: Target) -> String {
    let Target::Board(board) = target else { return "activity-log actions".into() };
    let ties = board.ties.map(Ties::name);
    let dense = (board.ranking == Ranking::Dense).then_some("dense");
    let actions = board.breakdown.then_some("actions");
    let keeps = board.values.map(Values::keeps);
    let is_final = (board.archive && board.late == Late::Refuse).then_some("final");
    let words: Vec<&str> = [ties, dense, actions, keeps, is_final].into_iter().flatten().collect();
    words.join(" ")
}

/// The units whose members are marked when they change.
fn changed(target: Target) -> String {
    let Target::Board(board) = target else { return String::new() };
    board.totals.iter().map(|totals| totals.unit.code()).collect()
}

/// The units whose periods are archived when they are over.
fn archived(target: Target) -> String {
    let Target::Board(board) = target else { return String::new() };
    Unit::COUNTED.into_iter().filter(|unit| board.archives(*unit)).map(Unit::code).collect()
}
