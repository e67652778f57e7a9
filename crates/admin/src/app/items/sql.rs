//! The statements about items and actors.

use engine::store::facts::Progress;
use ranking::name::{Id, Name};
use serve::app::database::{Argument, NOW, Statement};

use super::{Cursor, Expected, Kind};

/// What a mark has reached that is begun now: see `migrations/0017_reached.sql`.
pub(super) const BEGUN: &str = "lower(hex(randomblob(8))) || ' '";
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
            arguments.push(Argument::list_of(revisions));
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

pub(super) fn delete(site: &Name, kind: Kind, id: &Id) -> Statement {
    let sql = format!("DELETE FROM {} WHERE site = ?1 AND id = ?2", kind.table());
    Statement::new(sql, vec![site.as_str().into(), id.as_str().into()])
}

/// Marks an item as one to be taken down, if it is as expected. Answers a row then.
pub(super) fn mark(site: &Name, id: &Id, expected: &Expected) -> Statement {
    let mut arguments: Vec<Argument> = vec![site.as_str().into(), id.as_str().into()];
    let is_there = "EXISTS (SELECT 1 FROM items WHERE site = ?1 AND id = ?2";
    let is_expected = match expected {
        Expected::Any => "true".into(),
        Expected::Nothing => format!("NOT {is_there})"),
        Expected::Something => format!("{is_there})"),
        Expected::Revisions(revisions) => {
            arguments.push(Argument::list_of(revisions));
            format!("{is_there} AND revision IN (SELECT value FROM json_each(?3)))")
        }
    };
    let sql = format!(
        "INSERT INTO taken_down (site, id, state, taken_at, reached) SELECT ?1, ?2, 'going', {NOW}, {BEGUN} WHERE {is_expected} \
         ON CONFLICT (site, id) DO UPDATE SET state = 'going', \
         reached = CASE state WHEN 'going' THEN reached ELSE excluded.reached END RETURNING id"
    );
    Statement::new(sql, arguments)
}

/// Deletes the details of an item that was marked just before.
pub(super) fn delete_marked(site: &Name, id: &Id) -> Statement {
    let is_marked = "EXISTS (SELECT 1 FROM taken_down WHERE site = ?1 AND id = ?2 AND state = 'going')";
    let sql = format!("DELETE FROM items WHERE site = ?1 AND id = ?2 AND {is_marked}");
    Statement::new(sql, vec![site.as_str().into(), id.as_str().into()])
}

/// Says that an item is off all boards. Answers a row, unless it is to be let in again meanwhile.
pub(super) fn settle(site: &Name, id: &Id) -> Statement {
    let sql = "UPDATE taken_down SET state = 'off' WHERE site = ?1 AND id = ?2 AND state <> 'returning' RETURNING id";
    Statement::new(sql, vec![site.as_str().into(), id.as_str().into()])
}

/// Marks the items that are off all boards, and those that became others, as not begun: Redis lost that.
pub(super) fn apply_again(site: &Name) -> [Statement; 2] {
    let taken_down = "taken_down SET state = CASE state WHEN 'off' THEN 'going' ELSE state END";
    [taken_down, "aliases SET state = 'going'"]
        .map(|set| Statement::new(format!("UPDATE {set}, reached = {BEGUN} WHERE site = ?1"), vec![site.as_str().into()]))
}

/// Which board what a mark stands for has reached.
pub(super) fn reached(table: &str, site: &Name, id: &Id) -> Statement {
    let sql = format!("SELECT reached FROM {table} WHERE site = ?1 AND id = ?2");
    Statement::new(sql, vec![site.as_str().into(), id.as_str().into()])
}

/// Notes which one it has reached. Answers a row, unless somebody else did so since it was read.
pub(super) fn reach(table: &str, site: &Name, id: &Id, [known, now]: [&str; 2]) -> Statement {
    let sql = format!("UPDATE {table} SET reached = ?4 WHERE site = ?1 AND id = ?2 AND reached = ?3 RETURNING id");
    Statement::new(sql, vec![site.as_str().into(), id.as_str().into(), known.into(), now.into()])
}

/// How many deletions and aliases of a site are not done.
pub(super) fn remaining_of(site: &Name) -> Statement {
    let sql = "SELECT (SELECT count(*) FROM taken_down WHERE site = ?1 AND state <> 'off') \
               + (SELECT count(*) FROM aliases WHERE site = ?1 AND state <> 'done') AS n";
    Statement::new(sql, vec![site.as_str().into()])
}

/// The items that somebody is not done with, the oldest first.
pub(super) fn unsettled(limit: u32) -> Statement {
    let sql = "SELECT site, id, state FROM taken_down WHERE state <> 'off' ORDER BY taken_at LIMIT ?1";
    Statement::new(sql, vec![limit.into()])
}

/// Marks those of some items that are taken down as to be let in again. Answers a row for each.
pub(super) fn begin_return(site: &Name, ids: &[&Id]) -> Statement {
    let sql = format!(
        "UPDATE taken_down SET state = 'returning', reached = CASE state WHEN 'returning' THEN reached ELSE {BEGUN} END \
         WHERE site = ?1 AND id IN (SELECT value FROM json_each(?2)) RETURNING id"
    );
    Statement::new(sql, vec![site.as_str().into(), Argument::list_of(ids)])
}

/// Forgets that items were taken down. One that was deleted again meanwhile is to be taken off again: its letting in may have come later.
pub(super) fn end_return(site: &Name, ids: &[&Id]) -> [Statement; 2] {
    let these = "site = ?1 AND id IN (SELECT value FROM json_each(?2))";
    let arguments = || vec![site.as_str().into(), Argument::list_of(ids)];
    [
        Statement::new(format!("DELETE FROM taken_down WHERE {these} AND state = 'returning'"), arguments()),
        Statement::new(format!("UPDATE taken_down SET state = 'going', reached = {BEGUN} WHERE {these}"), arguments()),
    ]
}

/// The pages that are due and were not given up.
pub(super) fn due_pages(limit: u32, max_tries: u32) -> Statement {
    let sql = format!("SELECT site, id FROM page_reads WHERE due_at <= {NOW} AND tries < ?2 ORDER BY due_at LIMIT ?1");
    Statement::new(sql, vec![limit.into(), max_tries.into()])
}

/// Tries again after 5 minutes, 20, 80 and so on.
pub(super) fn put_off_page(site: &Name, id: &Id) -> Statement {
    let sql = format!("UPDATE page_reads SET tries = tries + 1, due_at = {NOW} + 300000 * (1 << (2 * tries)) WHERE site = ?1 AND id = ?2");
    Statement::new(sql, vec![site.as_str().into(), id.as_str().into()])
}

pub(super) fn forget_page(site: &Name, id: &Id) -> Statement {
    Statement::new("DELETE FROM page_reads WHERE site = ?1 AND id = ?2", vec![site.as_str().into(), id.as_str().into()])
}

/// `named`: items by their own ids and by those of what became them, which count where they do. `items` selects ids twice.
fn named(items: &str) -> String {
    format!(
        "named (name, item) AS ({items} UNION SELECT aliases.id, item FROM aliases, named \
         WHERE aliases.site = ?1 AND aliases.target = named.name)"
    )
}

/// What items belong to.
pub(super) fn filed(site: &Name, ids: &[&Id]) -> Statement {
    let sql = format!(
        "WITH RECURSIVE {} SELECT name AS id, name <> item AS is_alias, category, author, updated_at FROM named \
         JOIN items ON items.site = ?1 AND items.id = named.item",
        named("SELECT value, value FROM json_each(?2)")
    );
    Statement::new(sql, vec![site.as_str().into(), Argument::list_of(ids)])
}

/// The same of those that were written behind a place, in their order, each behind what became it. A writer of the last second may not be done.
pub(super) fn written_since(site: &Name, from: &Progress, limit: u32) -> Statement {
    let sql = format!(
        "WITH RECURSIVE page AS (SELECT id, category, author, updated_at FROM items \
         WHERE site = ?1 AND (updated_at, id) > (?2, ?3) AND updated_at < {NOW} - 1000 ORDER BY updated_at, id LIMIT ?4), {} \
         SELECT name AS id, name <> item AS is_alias, category, author, updated_at FROM named JOIN page ON page.id = named.item \
         ORDER BY updated_at, item, name = item",
        named("SELECT id, id FROM page")
    );
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of this age are far below 2^53")]
    let at_ms = Argument::Number(from.at_ms as f64);
    Statement::new(sql, vec![site.as_str().into(), at_ms, from.item.as_str().into(), limit.into()])
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
