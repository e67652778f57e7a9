//! Snapshots: what the current windows of a board show, kept in the database. Where Redis cannot be asked and no cache has a ranking, or
//! Redis knows of nothing that was ever counted, they are shown, and say of when they are.
//!
//! # Out of scope
//! A Redis that lost everything and counts again: what it has is shown.
//!
//! # Decisions
//!
//! - The database is asked where Redis does not answer, and for rankings without members, where the board has snapshots.
//! - `since` in the state distinguishes a Redis that lost everything from a board that was emptied by hand: counting writes it,
//!   and nothing removes it.
//! - The lease is a row of the database: Redis may be what is out, and rows of the database are what is written.
//! - A snapshot passes no cache: the next reader asks Redis again.

mod kept;
mod pages;
mod shown;
mod sql;

use std::rc::Rc;

use ranking::page::Page;
use ranking::read::PeriodRef;
use ranking::site::{Board, Members, Site, Snapshot};
use serde::Serialize;
use serve::app::admission::Admissions;
use serve::app::agenda::{Agenda, Resting};
use serve::app::database::{DatabaseError, Statement, Tables};
use serve::app::health::Health;
use serve::app::ports::{Clock, Log, Runtime};
use serve::app::rankings::Rankings;
use serve::app::redis::Redis;
use serve::config::Config;

use self::kept::Kept;
use self::pages::PAGE;
use self::sql::WindowName;
use super::copies::machine::{Copier, Next, Written};
use super::copies::runs::{Copied, Runs, Scope, Stopped};
use super::copies::{Copies, Copying};
use super::history::History;

const COPIED: Copied = Copied { name: "snapshot", job: "snapshot" };

/// Snapshots of a board are taken that often at most.
const EVERY_MS: u64 = 300_000;
/// Cron comes some seconds early or late.
const SLACK_MS: u64 = 20_000;
/// Pages that are written at once. One of ids of 256 bytes, with 512 bytes beside each score, has about 0.8 MB.
const PAGES_AT_ONCE: usize = 5;

/// Taking the snapshots of a board: of all its windows, or of none where Redis lost something meanwhile.
struct Taking<'r, R> {
    snapshots: &'r Snapshots<'r, R>,
    site: &'r Rc<Site>,
    board: &'r Rc<Board>,
    copying: Copying,
    now_ms: u64,
    until_ms: u64,
    /// Members that they have.
    members: usize,
}

/// Snapshots of rankings, which are shown when Redis has none.
pub struct Snapshots<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) admission: Admissions<'a, R>,
    pub(in crate::app) copies: Copies<'a, R>,
    pub(in crate::app) health: Health<'a, R>,
    pub(in crate::app) history: History<'a, R>,
    pub(in crate::app) rankings: Rankings<'a, R>,
    pub(in crate::app) runs: Runs<'a>,
    pub(in crate::app) tables: Tables<'a, R>,
    pub(in crate::app) agenda: &'a Agenda,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) log: &'a dyn Log,
}

impl<R: Runtime> Snapshots<'_, R> {
    /// Takes the snapshots of every site that are due, for the scheduled run. Answers a line for each board that failed.
    pub async fn take_snapshots_due(&self, until_ms: u64) -> Vec<String> {
        let mut failures = Vec::new();
        for site in self.config.sites.values() {
            for board in site.boards.values().filter(|board| board.snapshot.is_some()) {
                let now_ms = self.clock.clock_ms();
                let rest = Resting::Snapshot(site.name.clone(), board.name.clone());
                if now_ms >= until_ms || self.agenda.rests(&rest, now_ms) {
                    continue;
                }
                let copying = match self.copies.may_copy_ended(site).await {
                    Ok(copying) => copying,
                    Err(withheld) => {
                        failures.extend(withheld.failure(site));
                        break;
                    }
                };
                self.agenda.rest(rest.clone(), now_ms, EVERY_MS - SLACK_MS);
                let scope = Scope::board(site, board);
                let mut run = Taking { snapshots: self, site, board, copying, now_ms, until_ms, members: 0 };
                match self.runs.count(&COPIED, scope, self.copies.copy(scope, &mut run)).await {
                    Ok(_) => self.runs.count_members(&COPIED, scope, run.members),
                    Err(None) => {}
                    Err(Some(failure)) => {
                        self.agenda.wake(&rest);
                        failures.push(failure);
                    }
                }
            }
        }
        failures
    }

    /// Keeps all members of a window, in pages that belong to what is kept of it at an instant.
    async fn put_pages(&self, name: WindowName<'_>, taken_at_ms: u64, page: &Page) -> Result<(), Stopped> {
        let mut pages = Vec::new();
        for (begins_at, entries) in (0..).step_by(PAGE as usize).zip(page.entries.chunks(PAGE as usize)) {
            let members: Vec<_> = entries.iter().map(kept::keep).collect();
            pages.push(name.put_page(taken_at_ms, begins_at, json_of(&members)?));
        }
        for some in pages.chunks(PAGES_AT_ONCE) {
            self.tables.query(some).await?;
        }
        Ok(())
    }

    /// Forgets the snapshots of the boards of actors, of which one is erased. They are taken anew.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn forget_snapshots(&self, site: &Site) -> Result<(), DatabaseError> {
        let boards = site.boards.values().filter(|board| board.members == Members::Actors && board.snapshot.is_some());
        let names: Vec<&str> = boards.map(|board| board.name.as_str()).collect();
        if names.is_empty() {
            return Ok(());
        }
        self.tables.query(&sql::forget(&site.name, &names)).await.map(drop)
    }
}

impl<R: Runtime> Copier for Taking<'_, R> {
    type Chunk = Vec<Statement>;
    type Error = Stopped;

    /// Takes the lease, in the database, and reads all windows. Where nothing was ever counted, what was kept stays: Redis may have lost it.
    async fn take(&mut self, written: Option<Vec<Statement>>) -> Result<Next<Vec<Statement>>, Stopped> {
        if written.is_some() {
            return Ok(Next::Done);
        }
        let Self { snapshots, site, board, now_ms, until_ms, .. } = *self;
        let name = |window| WindowName { site: &site.name, board: &board.name, window };
        let lease = name("").lease(now_ms, now_ms.saturating_sub(EVERY_MS - SLACK_MS - 1_000));
        if snapshots.tables.query(&[lease]).await?.iter().flatten().next().is_none() {
            return Err(Stopped::Busy);
        }
        let mut kept = Vec::new();
        let store = snapshots.redis.store()?;
        for window in &board.windows {
            let of = PeriodRef { board: Rc::clone(board), window: window.clone(), period: None, hour_starts_at: None };
            let Some(mut page) = snapshots.history.top_of(&store, site, of.clone(), board.limit).await? else { continue };
            if page.total == 0 && store.members(site, &of, "", 1).await?.is_none_or(|met| !met.is_counted) {
                continue;
            }
            let name = name(window.name.as_str());
            if board.snapshot == Some(Snapshot::All) {
                snapshots.fill_page(&store, site, &of, &mut page, until_ms).await?;
                snapshots.put_pages(name, now_ms, &page).await?;
            }
            self.members += page.entries.len();
            kept.extend(name.switch(now_ms, json_of(&Kept::of(&page, board.limit))?));
        }
        Ok(Next::Chunk(kept))
    }

    fn copying(&self, _chunk: &Vec<Statement>) -> Option<&Copying> {
        Some(&self.copying)
    }

    async fn write(&mut self, kept: &mut Vec<Statement>) -> Result<Written, Stopped> {
        self.snapshots.tables.query(kept).await?;
        Ok(Written::Whole)
    }
}

fn json_of(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}
