//! The statements about frozen periods.
//!
//! A period that has not ended by the clock that asks, or that was frozen at an instant that has not come, was frozen by clocks that were ahead. It
//! is noted as early by the first run that finds it so, and taken for one that was not frozen until it is frozen anew.

use ranking::name::{Id, Name};
use ranking::page::{Entry, Page};
use ranking::site::{Board, Site};
use ranking::window::Window;
use serde_json::{Value, json};

use crate::app::database::{Argument, Statement};
use crate::app::health::clocks::TOLERATED_MS;

const OF_WINDOW: &str = "site = ?1 AND board = ?2 AND window_name = ?3";

/// The last period of a window that was frozen.
pub fn last(site: &Name, board: &Name, window: &Name) -> Statement {
    let columns = "period, starts_at, ends_at, next_at, frozen_at";
    let sql = format!("SELECT {columns} FROM history WHERE {OF_WINDOW} AND early = 0 ORDER BY starts_at DESC LIMIT 1");
    Statement::new(sql, of_window(site, board, window))
}

/// Notes which periods of a site were frozen before their end: those that no clock has reached at `now_ms` (Unix milliseconds).
pub fn note_early(site: &Name, now_ms: i64) -> Statement {
    let [ended_by, frozen_by] = ended_by(now_ms);
    let sql = "UPDATE history SET early = 1 WHERE site = ?1 AND early = 0 AND (ends_at > ?2 OR frozen_at > ?3)";
    Statement::new(sql, vec![site.as_str().into(), ended_by, frozen_by])
}

/// Shows periods as they were frozen that could not be frozen anew: those between two instants (Unix seconds).
pub fn show_early(site: &Name, board: &Name, window: &Name, after: i64, before: i64) -> Statement {
    let mut arguments = of_window(site, board, window);
    arguments.extend([whole(after), whole(before)]);
    Statement::new(format!("UPDATE history SET early = 0 WHERE {OF_WINDOW} AND early = 1 AND starts_at > ?4 AND starts_at < ?5"), arguments)
}

/// How often a period was frozen, if it was.
pub fn revision(site: &Name, board: &Name, window: &Name, period: &str) -> Statement {
    let mut arguments = of_window(site, board, window);
    arguments.push(period.into());
    Statement::new(format!("SELECT revision, early FROM history WHERE {OF_WINDOW} AND period = ?4"), arguments)
}

/// What is frozen of a period, whether it is shown or not.
pub fn kept(site: &Name, board: &Name, window: &Name, period: &str) -> Statement {
    let mut arguments = of_window(site, board, window);
    arguments.push(period.into());
    let columns = "period, starts_at, ends_at, next_at, frozen_at, total, revision, early, entries";
    Statement::new(format!("SELECT {columns} FROM history WHERE {OF_WINDOW} AND period = ?4"), arguments)
}

/// Keeps a period's page, unless this revision of it or a later one was kept before; `None` for a period without an id.
pub fn freeze(site: &Site, board: &Board, window: &Window, page: &Page, next_at: i64, revision: u32) -> Option<Statement> {
    let entries: Vec<_> = page.entries.iter().map(frozen_entry).collect();
    let info = &page.info;
    let period = info.period.id(info.named_at, site.week_starts_on)?;
    let sql = "INSERT INTO history (site, board, window_name, period, starts_at, ends_at, next_at, frozen_at, total, revision, entries) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO UPDATE SET starts_at = excluded.starts_at, \
               ends_at = excluded.ends_at, next_at = excluded.next_at, frozen_at = excluded.frozen_at, total = excluded.total, \
               revision = excluded.revision, early = 0, entries = excluded.entries WHERE excluded.revision > history.revision";
    let numbers = [info.starts_at?, info.ends_at?, next_at, info.now_ms, i64::try_from(page.total).ok()?, revision.into()];
    let mut arguments = of_window(&site.name, &board.name, &window.name);
    arguments.push(period.into());
    arguments.extend(numbers.map(whole));
    arguments.push(json!(entries).to_string().into());
    Some(Statement::new(sql, arguments))
}

/// `[1, "/posts/1", 42]`, and what stands beside a value.
pub fn frozen_entry(entry: &Entry) -> Value {
    match &entry.meta {
        None => json!([entry.rank, entry.id.as_str(), entry.score]),
        Some(meta) => json!([entry.rank, entry.id.as_str(), entry.score, meta]),
    }
}

/// One frozen period that has ended by `now_ms` (Unix milliseconds, by the edge's clock).
pub fn find(site: &Name, board: &Name, window: &Name, period: &str, now_ms: i64) -> Statement {
    let mut arguments = of_window(site, board, window);
    arguments.push(period.into());
    arguments.extend(ended_by(now_ms));
    let columns = "period, starts_at, ends_at, frozen_at, total, revision, entries";
    Statement::new(
        format!("SELECT {columns} FROM history WHERE {OF_WINDOW} AND period = ?4 AND early = 0 AND ends_at <= ?5 AND frozen_at <= ?6"),
        arguments,
    )
}

/// Frozen periods that begin before an instant (Unix seconds) and have ended by `now_ms`, the latest first, each with its first entry.
pub fn list(site: &Name, board: &Name, window: &Name, before: i64, now_ms: i64, limit: u32) -> Statement {
    let mut arguments = of_window(site, board, window);
    arguments.extend([whole(before), limit.into()]);
    arguments.extend(ended_by(now_ms));
    let columns = "period, starts_at, ends_at, frozen_at, total, revision, winner";
    let is_right = "starts_at < ?4 AND early = 0 AND ends_at <= ?6 AND frozen_at <= ?7";
    Statement::new(format!("SELECT {columns} FROM history WHERE {OF_WINDOW} AND {is_right} ORDER BY starts_at DESC LIMIT ?5"), arguments)
}

/// The frozen periods of `windows` that any of `instants` is of: JSON lists of `[board, window, longest]` and `[board, at]`, in Unix seconds. A
/// thousand at most.
pub fn around(site: &Name, windows: String, instants: String) -> Statement {
    let is_of = "h.site = ?1 AND h.board = w.value ->> 0 AND h.window_name = w.value ->> 1 AND h.starts_at <= (e.value ->> 1) \
                 AND h.starts_at > (e.value ->> 1) - (w.value ->> 2)";
    let is_shown = "e.value ->> 0 = w.value ->> 0 AND h.ends_at > (e.value ->> 1) AND h.early = 0";
    Statement::new(
        format!(
            "SELECT DISTINCT h.board, h.window_name, h.period, h.starts_at FROM json_each(?2) AS w CROSS JOIN json_each(?3) AS e \
             CROSS JOIN history AS h ON {is_of} WHERE {is_shown} ORDER BY w.key, h.starts_at LIMIT 1000"
        ),
        vec![site.as_str().into(), windows.into(), instants.into()],
    )
}

/// When a period that is shown ends at the latest, and when it was frozen: by the clock of Redis, which may be ahead of the edge's where they
/// agree.
fn ended_by(now_ms: i64) -> [Argument; 2] {
    [whole(now_ms / 1_000), whole(now_ms.saturating_add(TOLERATED_MS))]
}

/// Takes a member out of the frozen periods of some boards: a JSON list of their names.
pub fn erase(site: &Name, boards: String, member: &Id) -> Statement {
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
