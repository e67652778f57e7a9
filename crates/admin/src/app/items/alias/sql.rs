//! The statements about items that become others.

use engine::store::alias::Alias;
use ranking::name::{Id, Name};
use serve::app::database::NOW;
use serve::app::database::{Argument, Statement};

use crate::app::items::sql::BEGUN;

/// What an item became, and how far that is.
pub(in crate::app::items) fn alias(site: &Name, id: &Id) -> Statement {
    Statement::new("SELECT target, state FROM aliases WHERE site = ?1 AND id = ?2", vec![site.as_str().into(), id.as_str().into()])
}

/// What an item is now: itself, or the last one that it became.
pub(in crate::app::items) fn end_of(site: &Name, id: &Id) -> Statement {
    let sql = "WITH RECURSIVE step (id, n) AS (SELECT ?2, 0 UNION ALL SELECT aliases.target, n + 1 FROM aliases, step \
               WHERE aliases.site = ?1 AND aliases.id = step.id AND n < 100) SELECT id FROM step ORDER BY n DESC LIMIT 1";
    Statement::new(sql, vec![site.as_str().into(), id.as_str().into()])
}

/// Which of the two was deleted.
pub(in crate::app::items) fn deleted(site: &Name, alias: &Alias) -> Statement {
    let sql = "SELECT id FROM taken_down WHERE site = ?1 AND id IN (?2, ?3)";
    Statement::new(sql, both(site, alias))
}

/// Items that are still becoming another one.
pub(in crate::app::items) fn becoming(site: &Name, id: &Id) -> Statement {
    let sql = "SELECT id FROM aliases WHERE site = ?1 AND target = ?2 AND state = 'going'";
    Statement::new(sql, vec![site.as_str().into(), id.as_str().into()])
}

/// Notes what an item becomes, unless that or it was deleted or became something else meanwhile. One that was done before is done once more.
pub(in crate::app::items) fn begin_alias(site: &Name, alias: &Alias) -> Statement {
    let sql = format!(
        "INSERT INTO aliases (site, id, target, state, made_at, reached) SELECT ?1, ?2, ?3, 'going', {NOW}, {BEGUN} \
         WHERE NOT EXISTS (SELECT 1 FROM aliases WHERE site = ?1 AND id = ?3) \
         AND NOT EXISTS (SELECT 1 FROM taken_down WHERE site = ?1 AND id IN (?2, ?3)) \
         ON CONFLICT (site, id) DO UPDATE SET state = 'going', \
         reached = CASE state WHEN 'going' THEN reached ELSE excluded.reached END WHERE target = excluded.target"
    );
    Statement::new(sql, both(site, alias))
}

/// Gives the details of an item to the one that it became just before, if that has none.
pub(in crate::app::items) fn move_details(site: &Name, alias: &Alias) -> [Statement; 3] {
    let is_alias = "EXISTS (SELECT 1 FROM aliases WHERE site = ?1 AND id = ?2 AND target = ?3)";
    let arguments = || both(site, alias);
    let give = format!(
        "INSERT OR IGNORE INTO items (site, id, details, revision, created_at, updated_at) \
         SELECT site, ?3, details, revision, created_at, {NOW} FROM items WHERE site = ?1 AND id = ?2 AND {is_alias}"
    );
    [
        Statement::new(give, arguments()),
        Statement::new(format!("DELETE FROM items WHERE site = ?1 AND id = ?2 AND {is_alias}"), arguments()),
        Statement::new(format!("DELETE FROM page_reads WHERE site = ?1 AND id = ?2 AND {is_alias}"), arguments()),
    ]
}

/// What became an item, at once or by way of others.
pub(in crate::app::items) fn names(site: &Name, id: &Id) -> Statement {
    let sql = "WITH RECURSIVE named (id) AS (SELECT id FROM aliases WHERE site = ?1 AND target = ?2 UNION \
               SELECT aliases.id FROM aliases, named WHERE aliases.site = ?1 AND aliases.target = named.id) SELECT id FROM named";
    Statement::new(sql, vec![site.as_str().into(), id.as_str().into()])
}

/// When what an item belongs to was written, or it was first said to become this one.
pub(in crate::app::items) fn filed_at(site: &Name, alias: &Alias) -> Statement {
    let sql = "SELECT max((SELECT made_at FROM aliases WHERE site = ?1 AND id = ?2), \
               coalesce((SELECT updated_at FROM items WHERE site = ?1 AND id = ?3), 0)) AS at";
    Statement::new(sql, both(site, alias))
}

/// Says that all that an item had is that of the one that it became.
pub(in crate::app::items) fn end_alias(site: &Name, alias: &Alias) -> Statement {
    Statement::new("UPDATE aliases SET state = 'done' WHERE site = ?1 AND id = ?2 AND target = ?3", both(site, alias))
}

/// Says that there may be boards which do not know yet what some items became.
pub(in crate::app::items) fn begin_again(site: &Name, ids: &[&Id]) -> Statement {
    let sql = format!("UPDATE aliases SET state = 'going', reached = {BEGUN} WHERE site = ?1 AND id IN (SELECT value FROM json_each(?2))");
    Statement::new(sql, vec![site.as_str().into(), Argument::list_of(ids)])
}

/// The items that are still becoming others, the oldest first.
pub(in crate::app::items) fn unsettled_aliases(limit: u32) -> Statement {
    Statement::new("SELECT site, id, target FROM aliases WHERE state <> 'done' ORDER BY made_at LIMIT ?1", vec![limit.into()])
}

/// An item that is deleted is another one no more.
pub(in crate::app::items) fn forget_alias(site: &Name, id: &Id) -> Statement {
    let is_marked = "EXISTS (SELECT 1 FROM taken_down WHERE site = ?1 AND id = ?2 AND state = 'going')";
    let sql = format!("DELETE FROM aliases WHERE site = ?1 AND id = ?2 AND {is_marked}");
    Statement::new(sql, vec![site.as_str().into(), id.as_str().into()])
}

fn both(site: &Name, alias: &Alias) -> Vec<Argument> {
    vec![site.as_str().into(), alias.old.as_str().into(), alias.new.as_str().into()]
}
