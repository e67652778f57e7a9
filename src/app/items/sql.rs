//! The statements about items and actors.

use super::{Cursor, Expected, Kind};
use crate::app::database::{Argument, Statement};
use crate::ranking::name::{Id, Name};

/// The database's clock, in Unix milliseconds.
const NOW: &str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
const COLUMNS: &str = "id, details, revision, created_at, updated_at";

pub(super) fn find(site: &Name, kind: Kind, id: &Id) -> Statement {
    let sql = format!("SELECT {COLUMNS} FROM {} WHERE site = ?1 AND id = ?2", kind.table());
    Statement::new(sql, vec![site.as_str().into(), id.as_str().into()])
}

/// Answers a row when something was written.
pub(super) fn write(site: &Name, kind: Kind, id: &Id, details: String, revision: &str, expected: &Expected) -> Statement {
    let table = kind.table();
    let insert = format!(
        "INSERT INTO {table} (site, id, details, revision, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, {NOW}, {NOW}) \
         ON CONFLICT (site, id)"
    );
    let assign = format!("SET details = ?3, revision = ?4, updated_at = CASE revision WHEN ?4 THEN updated_at ELSE {NOW} END");
    let mut arguments: Vec<Argument> = vec![site.as_str().into(), id.as_str().into(), details.into(), revision.into()];
    let sql = match expected {
        Expected::Any => format!("{insert} DO UPDATE {assign} RETURNING id"),
        Expected::Nothing => format!("{insert} DO NOTHING RETURNING id"),
        Expected::Something => format!("UPDATE {table} {assign} WHERE site = ?1 AND id = ?2 RETURNING id"),
        Expected::Revisions(revisions) => {
            arguments.push(list_of(revisions));
            let is_expected = "revision IN (SELECT value FROM json_each(?5))";
            format!("UPDATE {table} {assign} WHERE site = ?1 AND id = ?2 AND {is_expected} RETURNING id")
        }
    };
    Statement::new(sql, arguments)
}

/// `lines`: a JSON list of `[id, details, revision]`. Answers a row for each that is new or another one now.
pub(super) fn write_all(site: &Name, kind: Kind, lines: String) -> Statement {
    let table = kind.table();
    let sql = format!(
        "INSERT INTO {table} (site, id, details, revision, created_at, updated_at) \
         SELECT ?1, value ->> 0, value ->> 1, value ->> 2, {NOW}, {NOW} FROM json_each(?2) WHERE true \
         ON CONFLICT (site, id) DO UPDATE SET details = excluded.details, revision = excluded.revision, updated_at = excluded.updated_at \
         WHERE revision <> excluded.revision RETURNING 1"
    );
    Statement::new(sql, vec![site.as_str().into(), lines.into()])
}

pub(super) fn delete(site: &Name, kind: Kind, id: &Id, expected: &Expected) -> Statement {
    let mut sql = format!("DELETE FROM {} WHERE site = ?1 AND id = ?2", kind.table());
    let mut arguments: Vec<Argument> = vec![site.as_str().into(), id.as_str().into()];
    match expected {
        Expected::Any | Expected::Something => {}
        Expected::Nothing => sql.push_str(" AND false"),
        Expected::Revisions(revisions) => {
            sql.push_str(" AND revision IN (SELECT value FROM json_each(?3))");
            arguments.push(list_of(revisions));
        }
    }
    Statement::new(sql, arguments)
}

pub(super) fn list(site: &Name, kind: Kind, from: Option<&Cursor>, limit: u32) -> Statement {
    let mut arguments: Vec<Argument> = vec![site.as_str().into(), limit.into()];
    let behind = from.map_or("", |from| {
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of this age are far below 2^53")]
        arguments.extend([Argument::Number(from.updated_at_ms as f64), from.id.as_str().into()]);
        " AND (updated_at, id) < (?3, ?4)"
    });
    let sql = format!("SELECT {COLUMNS} FROM {} WHERE site = ?1{behind} ORDER BY updated_at DESC, id DESC LIMIT ?2", kind.table());
    Statement::new(sql, arguments)
}

fn list_of(texts: &[String]) -> Argument {
    Argument::Text(serde_json::json!(texts).to_string())
}
