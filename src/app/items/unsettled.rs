//! Work that began with a mark in the database and is not done: the scheduled run ends it.

use ranking::site::Site;

use super::Items;
use crate::app::agenda::Resting;
use crate::app::database::{Row, Statement};
use crate::app::ports::Runtime;

/// While nothing is left to do, the database is asked as seldom as that.
const LOOK_MS: u64 = 300_000;
/// Items that one run ends.
const MAX_UNSETTLED: u32 = 100;

/// What is looked for.
pub(super) const TAKEN_DOWN: &str = "taken down";
pub(super) const ALIASES: &str = "aliases";

impl<R: Runtime> Items<'_, R> {
    /// Has the next run look.
    pub(super) fn look_at_unsettled(&self) {
        for what in [TAKEN_DOWN, ALIASES] {
            self.agenda.wake(&Resting::Unsettled(what));
        }
    }

    /// Ends what the statement for at most so many rows finds, row by row, until `until_ms` (by the edge's clock) has come. `end` answers a
    /// line where something is left; these are the answer.
    pub(super) async fn settle_due(
        &self,
        what: &'static str,
        unsettled: impl Fn(u32) -> Statement,
        until_ms: u64,
        end: impl AsyncFn(&Site, &Row) -> Option<String>,
    ) -> Vec<String> {
        let now_ms = self.clock.clock_ms();
        let look = Resting::Unsettled(what);
        if !self.tables.is_bound() || self.agenda.rests(&look, now_ms) {
            return Vec::new();
        }
        let rows = match self.tables.query(&[unsettled(MAX_UNSETTLED)]).await {
            Ok(answer) => answer.into_iter().next().unwrap_or_default(),
            Err(error) => return vec![format!("{what}: {}", error.detail())],
        };
        if rows.len() < MAX_UNSETTLED as usize {
            self.agenda.rest(look.clone(), now_ms, LOOK_MS);
        }
        let mut remaining = Vec::new();
        for row in &rows {
            // A site that is no longer configured may come back.
            let Some(site) = row.get("site").and_then(|site| self.config.sites.get(site.as_str()?)) else { continue };
            let with_boards = match self.templates.site_with_all_boards(site).await {
                Ok(with_boards) => with_boards,
                Err(failure) => {
                    remaining.push(format!("{}: {}", site.name, failure.detail));
                    continue;
                }
            };
            let site = with_boards.as_ref().unwrap_or(site);
            if let Some(line) = end(site, row).await {
                remaining.push(format!("{}: {line}", site.name));
            }
            if self.clock.clock_ms() >= until_ms {
                self.agenda.wake(&look);
                break;
            }
        }
        remaining
    }
}
