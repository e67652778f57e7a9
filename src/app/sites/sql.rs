//! Statements about sites that are made while the deployment runs.

use ranking::name::Name;

use super::record::{Record, State};
use crate::app::database::{Argument, Statement};

const COLUMNS: &str = "name, version, state, configuration, tokens, made_at, changed_at";

pub(super) fn find(name: &Name) -> Statement {
    Statement::new(format!("SELECT {COLUMNS} FROM sites WHERE name = ?1"), vec![name.as_str().into()])
}

/// Some names in order, from the one behind another on.
pub(super) fn list(after: &str, limit: u32) -> Statement {
    Statement::new(format!("SELECT {COLUMNS} FROM sites WHERE name > ?1 ORDER BY name LIMIT ?2"), vec![after.into(), limit.into()])
}

/// Some names in order: those of a number, which goes round.
pub(super) fn in_turn(number: u32, limit: u32) -> Statement {
    let turns = "(SELECT max(1, (count(*) + ?1 - 1) / ?1) FROM sites)";
    let select = format!("SELECT {COLUMNS} FROM sites ORDER BY name LIMIT ?1 OFFSET ?1 * (?2 % {turns})");
    Statement::new(select, vec![limit.into(), number.into()])
}

pub(super) fn count() -> Statement {
    Statement::new("SELECT count(*) AS total FROM sites", Vec::new())
}

/// Writes a new one. Answers no row where there is one of the name.
pub(super) fn insert(record: &Record) -> Statement {
    let insert = "INSERT INTO sites (name, version, state, configuration, tokens, made_at, changed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
                  ON CONFLICT DO NOTHING RETURNING version";
    Statement::new(insert, arguments(record))
}

/// Replaces the version before it, which is not going. Answers no row where that is another one by now.
pub(super) fn replace(record: &Record) -> Statement {
    let update = "UPDATE sites SET version = ?2, state = ?3, configuration = ?4, tokens = ?5, changed_at = ?7 \
                  WHERE name = ?1 AND version = ?2 - 1 AND made_at = ?6 RETURNING version";
    Statement::new(update, arguments(record))
}

#[expect(clippy::cast_precision_loss, reason = "versions and instants are far below 2^53")]
fn arguments(record: &Record) -> Vec<Argument> {
    let Record { name, version, state, configuration, tokens, made_ms, changed_ms } = record;
    vec![
        name.as_str().into(),
        Argument::Number(*version as f64),
        State::name(*state).into(),
        configuration.as_str().into(),
        tokens.text().into(),
        Argument::Number(*made_ms as f64),
        Argument::Number(*changed_ms as f64),
    ]
}
