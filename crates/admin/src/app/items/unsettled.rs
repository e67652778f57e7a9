//! Work that began with a mark in the database and is not done: the scheduled run ends it.
//!
//! It goes through the boards of a site in chunks. How far it is stands beside the mark, where there may be several.

use std::cell::Cell;

use ranking::name::{Id, Name};
use ranking::site::Site;
use serve::app::agenda::Resting;
use serve::app::database::{Row, Statement};
use serve::app::ports::Runtime;
use serve::app::templates::chunks::{Chunk, Concerned};

use super::{Items, Unfinished, sql};

/// While nothing is left to do, the database is asked that often at most.
const LOOK_MS: u64 = 300_000;
/// Items that one run ends.
const MAX_UNSETTLED: u32 = 100;

/// Statements about chunks of boards in a request or a run, about: D1 takes 1,000, and others need some.
const STATEMENTS: usize = 400;

/// How many statements a request or a run may still spend on chunks of boards.
pub struct Allowance(Cell<usize>);

impl Default for Allowance {
    fn default() -> Self {
        Self(Cell::new(STATEMENTS))
    }
}

impl Allowance {
    fn spend(&self, statements: usize) {
        self.0.set(self.0.get().saturating_sub(statements));
    }

    fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

/// What a mark is about.
#[derive(Clone, Copy)]
pub(super) struct Marked<'m> {
    /// The table that has it.
    pub table: &'static str,
    pub id: &'m Id,
}

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

    /// Does what a mark stands for with one chunk of the boards after the other, and notes how far that is. `visit` answers how many statements it took.
    ///
    /// # Errors
    /// Why it is not done: [`Unfinished::Left`] where `until_ms` (by the edge's clock) has come or the allowance is spent, or somebody else goes on.
    pub(super) async fn visit_boards(
        &self,
        site: &Site,
        marked: Marked<'_>,
        (until_ms, allowance): (u64, &Allowance),
        visit: impl AsyncFn(&Chunk) -> Result<usize, Unfinished>,
    ) -> Result<(), Unfinished> {
        let Marked { table, id } = marked;
        let mut reached = if site.templates.is_empty() {
            String::new()
        } else {
            let answer = self.tables.query(&[sql::reached(table, &site.name, id)]).await.map_err(Unfinished::Database)?;
            allowance.spend(1);
            let known = answer.first().and_then(|rows| Some(rows.first()?.get("reached")?.as_str()?.to_owned()));
            known.unwrap_or_default()
        };
        loop {
            let (begun, board) = reached.split_once(' ').unwrap_or_default();
            let chunk =
                self.templates.chunk_behind(site, Name::of_board(board).as_ref(), Concerned::All).await.map_err(Unfinished::Redis)?;
            allowance.spend(visit(&chunk).await?);
            self.templates.enter_archived(&chunk.site).await;
            let Some(next) = chunk.next else { return Ok(()) };
            let next = format!("{begun} {next}");
            let note = sql::reach(table, &site.name, id, [&reached, &next]);
            let noted = self.tables.query(&[note]).await.map_err(Unfinished::Database)?;
            allowance.spend(1);
            self.look_at_unsettled();
            if noted.iter().all(Vec::is_empty) || allowance.is_spent() || self.clock.clock_ms() >= until_ms {
                return Err(Unfinished::Remaining);
            }
            reached = next;
        }
    }

    /// Ends what the statement for at most so many rows finds, row by row, until `until_ms` (by the edge's clock) has come. `end` answers a
    /// line where something is left; these are the answer.
    pub(super) async fn settle_due(
        &self,
        what: &'static str,
        unsettled: impl Fn(u32) -> Statement,
        until_ms: u64,
        end: impl AsyncFn(&Site, &Row, &Allowance) -> Option<String>,
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
        let (mut remaining, allowance) = (Vec::new(), Allowance::default());
        for row in &rows {
            // A site that is no longer configured may come back.
            let Some(site) = row.get("site").and_then(|site| self.config.sites.get(site.as_str()?)) else { continue };
            if let Some(line) = end(site, row, &allowance).await {
                remaining.push(format!("{}: {line}", site.name));
            }
            if allowance.is_spent() || self.clock.clock_ms() >= until_ms {
                self.agenda.wake(&look);
                break;
            }
        }
        remaining
    }
}
