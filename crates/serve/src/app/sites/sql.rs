//! Statements about sites that are made while the deployment runs.

use ranking::name::Name;

use super::record::{Record, State};
use crate::app::database::{Argument, Statement};

const COLUMNS: &str = "name, version, state, configuration, tokens, made_at, changed_at, going_at, deleted, refused, members, counted_at";

pub fn find(name: &Name) -> Statement {
    Statement::new(format!("SELECT {COLUMNS} FROM sites WHERE name = ?1"), vec![name.as_str().into()])
}

/// Some names in order, from the one behind another on.
pub fn list(after: &str, limit: u32) -> Statement {
    Statement::new(
        format!("SELECT {COLUMNS} FROM sites WHERE name > ?1 AND state <> 'gone' ORDER BY name LIMIT ?2"),
        vec![after.into(), limit.into()],
    )
}

/// Those of some names that are there and are not being deleted.
pub fn find_all(names: &[&str]) -> Statement {
    let select = format!(
        "SELECT {COLUMNS} FROM sites WHERE state IN ('active', 'suspended') AND name IN (SELECT value FROM json_each(?1)) ORDER BY name"
    );
    Statement::new(select, vec![serde_json::to_string(names).unwrap_or_default().into()])
}

/// Some names of those, in order, from the one behind another on.
pub fn names(after: &str, limit: u32) -> Statement {
    let select = "SELECT name FROM sites WHERE name > ?1 AND state IN ('active', 'suspended') ORDER BY name LIMIT ?2";
    Statement::new(select, vec![after.into(), limit.into()])
}

pub fn count() -> Statement {
    Statement::new("SELECT count(*) AS total FROM sites WHERE state <> 'gone'", Vec::new())
}

/// Writes a new one, in place of one that is gone. Answers no row where there is one of the name.
pub fn insert(record: &Record) -> Statement {
    let insert = "INSERT INTO sites (name, version, state, configuration, tokens, made_at, changed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
                  ON CONFLICT DO UPDATE SET version = ?2, state = ?3, configuration = ?4, tokens = ?5, made_at = ?6, changed_at = ?7, \
                  going_at = 0, owner = '', owned_until = 0, deleted = '{}', refused = '', members = 0, counted_at = 0 WHERE state = 'gone' RETURNING version";
    Statement::new(insert, arguments(record))
}

/// Notes why this version of the worker refuses a version of one; empty: it does not.
pub fn note_refused(record: &Record, line: &str) -> Statement {
    let update = "UPDATE sites SET refused = ?3 WHERE name = ?1 AND version = ?2";
    Statement::new(update, vec![record.name.as_str().into(), whole(record.version), line.into()])
}

/// Some of those that are refused.
pub fn list_refused(limit: u32) -> Statement {
    Statement::new("SELECT name FROM sites WHERE refused <> '' ORDER BY name LIMIT ?1", vec![limit.into()])
}

/// Begins to delete one. Answers no row where there is none, or it is going already.
pub fn end(name: &Name, now_ms: i64) -> Statement {
    let update = "UPDATE sites SET version = version + 1, state = 'going', changed_at = ?2, going_at = ?2, deleted = '{}', refused = '' \
                  WHERE name = ?1 AND state IN ('active', 'suspended') RETURNING name";
    Statement::new(update, vec![name.as_str().into(), whole(now_ms)])
}

/// Takes the sites for an owner that went long enough ago and have none.
pub fn take(owner: &str, (now_ms, before_ms, until_ms): (i64, i64, i64), limit: u32) -> Statement {
    let update = format!(
        "UPDATE sites SET owner = ?1, owned_until = ?4 WHERE name IN (SELECT name FROM sites WHERE state = 'going' AND going_at <= ?3 \
         AND (owned_until <= ?2 OR owner = ?1) ORDER BY going_at LIMIT ?5) RETURNING {COLUMNS}"
    );
    Statement::new(update, vec![owner.into(), whole(now_ms), whole(before_ms), whole(until_ms), limit.into()])
}

/// Whether any is going.
pub fn any_going() -> Statement {
    Statement::new("SELECT name FROM sites WHERE state = 'going' LIMIT 1", Vec::new())
}

/// Notes how far deleting a site is.
pub fn note(record: &Record, owner: &str) -> Statement {
    let update = "UPDATE sites SET deleted = ?3 WHERE name = ?1 AND owner = ?2 AND state = 'going'";
    let deleted = serde_json::to_string(&record.deleted).unwrap_or_default();
    Statement::new(update, vec![record.name.as_str().into(), owner.into(), deleted.into()])
}

/// Gives up what an owner took.
pub fn release(owner: &str) -> Statement {
    Statement::new("UPDATE sites SET owner = '', owned_until = 0 WHERE owner = ?1", vec![owner.into()])
}

/// Frees the name of a site of which nothing is left.
pub fn free(name: &Name, owner: &str, now_ms: i64) -> Statement {
    let update = "UPDATE sites SET version = version + 1, state = 'gone', configuration = '{}', tokens = '{}', changed_at = ?3, owner = '' \
                  WHERE name = ?1 AND owner = ?2 AND state = 'going'";
    Statement::new(update, vec![name.as_str().into(), owner.into(), whole(now_ms)])
}

/// When the last one was freed.
pub fn last_freed() -> Statement {
    Statement::new("SELECT max(changed_at) AS at FROM sites WHERE state = 'gone'", Vec::new())
}

/// Has those deleted once more that were freed after an instant.
pub fn delete_again(after_ms: i64) -> Statement {
    let update = "UPDATE sites SET version = version + 1, state = 'going', deleted = '{}' WHERE state = 'gone' AND changed_at > ?1";
    Statement::new(update, vec![whole(after_ms)])
}

/// Forgets the names that were free before an instant.
pub fn forget_freed(before_ms: i64) -> Statement {
    Statement::new("DELETE FROM sites WHERE state = 'gone' AND changed_at < ?1", vec![whole(before_ms)])
}

/// The tables that have rows of sites.
pub const TABLES: [&str; 11] = [
    "items",
    "actors",
    "history",
    "taken_down",
    "page_reads",
    "totals",
    "totals_runs",
    "snapshots",
    "snapshot_pages",
    "aliases",
    "state_documents",
];

/// Deletes some rows of a site, and answers one for each.
pub fn delete_rows(table: &'static str, name: &Name, limit: u32) -> Statement {
    let delete = format!("DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} WHERE site = ?1 LIMIT ?2) RETURNING 1 AS deleted");
    Statement::new(delete, vec![name.as_str().into(), limit.into()])
}

/// Replaces the version before it, which is not going. Answers no row where that is another one by now.
pub fn replace(record: &Record) -> Statement {
    let update = "UPDATE sites SET version = ?2, state = ?3, configuration = ?4, tokens = ?5, changed_at = ?7, refused = '' \
                  WHERE name = ?1 AND version = ?2 - 1 AND made_at = ?6 AND state IN ('active', 'suspended') RETURNING version";
    Statement::new(update, arguments(record))
}

#[expect(clippy::cast_precision_loss, reason = "it is far below 2^53")]
fn whole(number: i64) -> Argument {
    Argument::Number(number as f64)
}

fn arguments(record: &Record) -> Vec<Argument> {
    let Record { name, version, state, configuration, tokens, made_ms, changed_ms, .. } = record;
    vec![
        name.as_str().into(),
        whole(*version),
        State::name(*state).into(),
        configuration.as_str().into(),
        tokens.text().into(),
        whole(*made_ms),
        whole(*changed_ms),
    ]
}
