//! The statements about snapshots.

use ranking::name::Name;
use serde_json::json;
use serve::app::database::{Argument, Statement};

use super::pages::PAGE;

/// A window of a board of a site.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowName<'n> {
    pub site: &'n Name,
    pub board: &'n Name,
    /// Empty for all of the board's.
    pub window: &'n str,
}

impl WindowName<'_> {
    fn with(&self, rest: impl IntoIterator<Item = Argument>) -> Vec<Argument> {
        let names = [self.site.as_str(), self.board.as_str(), self.window].map(Argument::from);
        names.into_iter().chain(rest).collect()
    }

    /// Answers a row when the snapshots of the board may be taken: those of before are older than `since_ms`, or of the future: of more than a minute of it,
    /// since of two runs at once the later one may ask first.
    pub fn lease(&self, now_ms: u64, since_ms: u64) -> Statement {
        Statement::new(
            "INSERT INTO snapshots (site, board, window_name, taken_at, page) VALUES (?1, ?2, ?3, ?4, '') \
             ON CONFLICT DO UPDATE SET taken_at = excluded.taken_at WHERE taken_at < ?5 OR taken_at > ?4 + 60000 RETURNING taken_at",
            self.with([instant(now_ms), instant(since_ms)]),
        )
    }

    /// Keeps a page of all members, which nobody sees before [`Self::switch`].
    pub fn put_page(&self, taken_at_ms: u64, begins_at: u32, members: String) -> Statement {
        Statement::new(
            "INSERT OR REPLACE INTO snapshot_pages (site, board, window_name, taken_at, begins_at, members) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            self.with([instant(taken_at_ms), begins_at.into(), members.into()]),
        )
    }

    /// Keeps what the window shows, and forgets the pages of other snapshots.
    pub fn switch(&self, taken_at_ms: u64, page: String) -> [Statement; 2] {
        let put = "INSERT OR REPLACE INTO snapshots (site, board, window_name, taken_at, page) VALUES (?1, ?2, ?3, ?4, ?5)";
        let forget = "DELETE FROM snapshot_pages WHERE site = ?1 AND board = ?2 AND window_name = ?3 AND taken_at <> ?4";
        [Statement::new(put, self.with([instant(taken_at_ms), page.into()])), Statement::new(forget, self.with([instant(taken_at_ms)]))]
    }

    /// What the window showed, and the pages that hold the members from one place to another.
    pub fn find(&self, from: u32, to: u32) -> Statement {
        Statement::new(
            format!(
                "SELECT s.taken_at, page, begins_at, members FROM snapshots s LEFT JOIN snapshot_pages p \
                 ON p.site = s.site AND p.board = s.board AND p.window_name = s.window_name AND p.taken_at = s.taken_at \
                 AND begins_at > ?4 - {PAGE} AND begins_at < ?5 \
                 WHERE s.site = ?1 AND s.board = ?2 AND s.window_name = ?3 ORDER BY begins_at"
            ),
            self.with([from.into(), to.into()]),
        )
    }
}

/// Forgets all snapshots of some boards.
pub(super) fn forget(site: &Name, boards: &[&str]) -> [Statement; 2] {
    ["snapshots", "snapshot_pages"].map(|table| {
        let sql = format!("DELETE FROM {table} WHERE site = ?1 AND board IN (SELECT value FROM json_each(?2))");
        Statement::new(sql, vec![site.as_str().into(), json!(boards).to_string().into()])
    })
}

#[expect(clippy::cast_precision_loss, reason = "instants are far below 2^53")]
fn instant(ms: u64) -> Argument {
    Argument::Number(ms as f64)
}
