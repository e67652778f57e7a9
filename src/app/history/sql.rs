//! The statements about frozen periods.

use serde_json::{Value, json};

use crate::app::database::{Argument, Statement};
use crate::ranking::name::{Id, Name};
use crate::ranking::page::{Entry, Page};
use crate::ranking::site::{Board, Site};
use crate::ranking::window::Window;

const OF_WINDOW: &str = "site = ?1 AND board = ?2 AND window_name = ?3";

/// The last period of a window that was frozen.
pub(super) fn last(site: &Name, board: &Name, window: &Name) -> Statement {
    let sql = format!("SELECT period, next_at FROM history WHERE {OF_WINDOW} ORDER BY starts_at DESC LIMIT 1");
    Statement::new(sql, of_window(site, board, window))
}

/// Keeps a period's page, unless it was kept before; `None` for a period without an id.
pub(super) fn freeze(site: &Site, board: &Board, window: &Window, page: &Page, next_at: i64) -> Option<Statement> {
    let entries: Vec<_> = page.entries.iter().map(frozen_entry).collect();
    let info = &page.info;
    let period = info.period.id(info.named_at, site.week_starts_on)?;
    let sql = "INSERT OR IGNORE INTO history (site, board, window_name, period, starts_at, ends_at, next_at, frozen_at, total, entries) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let numbers = [info.starts_at?, info.ends_at?, next_at, info.now_ms, i64::try_from(page.total).ok()?];
    let mut arguments = of_window(&site.name, &board.name, &window.name);
    arguments.push(period.into());
    arguments.extend(numbers.map(whole));
    arguments.push(json!(entries).to_string().into());
    Some(Statement::new(sql, arguments))
}

/// `[1, "/posts/1", 42]`, and what stands beside a value.
fn frozen_entry(entry: &Entry) -> Value {
    match &entry.meta {
        None => json!([entry.rank, entry.id.as_str(), entry.score]),
        Some(meta) => json!([entry.rank, entry.id.as_str(), entry.score, meta]),
    }
}

/// One frozen period.
pub(super) fn find(site: &Name, board: &Name, window: &Name, period: &str) -> Statement {
    let mut arguments = of_window(site, board, window);
    arguments.push(period.into());
    Statement::new(
        format!("SELECT period, starts_at, ends_at, frozen_at, total, entries FROM history WHERE {OF_WINDOW} AND period = ?4"),
        arguments,
    )
}

/// Frozen periods that begin before an instant (Unix seconds), the latest first, each with its first entry.
pub(super) fn list(site: &Name, board: &Name, window: &Name, before: i64, limit: u32) -> Statement {
    let mut arguments = of_window(site, board, window);
    arguments.extend([whole(before), limit.into()]);
    let columns = "period, starts_at, ends_at, frozen_at, total, entries -> 0 AS first";
    Statement::new(
        format!("SELECT {columns} FROM history WHERE {OF_WINDOW} AND starts_at < ?4 ORDER BY starts_at DESC LIMIT ?5"),
        arguments,
    )
}

/// Takes a member out of the frozen periods of some boards: a JSON list of their names.
pub(super) fn erase(site: &Name, boards: String, member: &Id) -> Statement {
    let others = "SELECT json_group_array(json(value)) FROM json_each(entries) WHERE value ->> 1 <> ?3";
    let has = "EXISTS (SELECT 1 FROM json_each(entries) WHERE value ->> 1 = ?3)";
    let of = "site = ?1 AND board IN (SELECT value FROM json_each(?2))";
    Statement::new(
        format!("UPDATE history SET entries = ({others}) WHERE {of} AND {has}"),
        vec![site.as_str().into(), boards.into(), member.as_str().into()],
    )
}

fn of_window(site: &Name, board: &Name, window: &Name) -> Vec<Argument> {
    [site, board, window].map(|name| name.as_str().into()).into()
}

#[expect(clippy::cast_precision_loss, reason = "instants and counts are far below 2^53")]
fn whole(number: i64) -> Argument {
    Argument::Number(number as f64)
}
