//! The statements about totals.

use engine::store::totals::{Total, TotalsChunk};
use ranking::composed::counts;
use ranking::name::{Id, Name};
use ranking::site::{Board, Site, Totals};
use serde_json::{Value, json};
use serve::app::database::{Argument, Statement};

const OF_WINDOW: &str = "site = ?1 AND board = ?2 AND window_name = ?3";

/// Writes a chunk, unless a later one was written, and answers the number of the last one that was.
pub(super) fn write(site: &Site, board: &Board, of: &Totals, chunk: &TotalsChunk) -> Vec<Statement> {
    let row = |total: &Total| {
        let actions = board.breakdown.then(|| Value::Object(counts(&total.tally)).to_string());
        json!([total.period.id(total.starts_at, site.week_starts_on), total.id, total.score, actions])
    };
    let rows = Value::Array(chunk.members.iter().map(row).collect()).to_string();
    let with = |more: Vec<Argument>| {
        [site.name.as_str(), board.name.as_str(), of.window.as_str()].map(Argument::from).into_iter().chain(more).collect()
    };
    let seq = || number(chunk.seq);
    let is_latest = format!("NOT EXISTS (SELECT 1 FROM totals_runs WHERE {OF_WINDOW} AND seq > ?5)");
    vec![
        Statement::new(
            format!(
                "INSERT INTO totals (site, board, window_name, period, member, score, actions, updated_at) \
                 SELECT ?1, ?2, ?3, value ->> 0, value ->> 1, value ->> 2, value ->> 3, ?6 FROM json_each(?4) \
                 WHERE value ->> 2 IS NOT NULL AND {is_latest} \
                 ON CONFLICT DO UPDATE SET score = excluded.score, actions = excluded.actions, updated_at = excluded.updated_at"
            ),
            with(vec![rows.clone().into(), seq(), number(chunk.now_ms)]),
        ),
        Statement::new(
            format!(
                "DELETE FROM totals WHERE {OF_WINDOW} AND {is_latest} AND (period, member) IN \
                 (SELECT value ->> 0, value ->> 1 FROM json_each(?4) WHERE value ->> 2 IS NULL)"
            ),
            with(vec![rows.into(), seq()]),
        ),
        Statement::new(
            "INSERT INTO totals_runs (site, board, window_name, seq) VALUES (?1, ?2, ?3, ?4) \
             ON CONFLICT DO UPDATE SET seq = max(seq, excluded.seq)",
            with(vec![seq()]),
        ),
        Statement::new(format!("SELECT seq FROM totals_runs WHERE {OF_WINDOW}"), with(Vec::new())),
    ]
}

/// Takes a member out of the totals of some boards: a JSON list of their names.
pub(super) fn erase(site: &Name, boards: String, member: &Id) -> Statement {
    Statement::new(
        "DELETE FROM totals WHERE site = ?1 AND board IN (SELECT value FROM json_each(?2)) AND member = ?3",
        vec![site.as_str().into(), boards.into(), member.as_str().into()],
    )
}

#[expect(clippy::cast_precision_loss, reason = "numbers of chunks are instants, far below 2^53")]
fn number(number: i64) -> Argument {
    Argument::Number(number as f64)
}
