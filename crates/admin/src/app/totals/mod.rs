//! Totals: what members have, handed on to the site's own database or to a webhook as it changes.
//!
//! Redis marks members that change. A run writes their whole totals, so writing them again does no harm. Marks are forgotten only after
//! that was acknowledged.
//!
//! # Out of scope
//! Rolling and decaying windows, whose scores change without an event, and seasons.
//!
//! # Decisions
//!
//! - Scripts mark the members, in the write that changes them, by unit and period (`lua/lib/common/mark_changed.lua`). The
//!   worker cannot: only the script knows the period of an undo, and the members that a prefix removes.
//! - Marks are set aside, and forgotten after the write was acknowledged (`lua/totals.lua`). A run that ends anywhere leaves
//!   them for the next one.

mod sql;

use std::rc::Rc;

use engine::store::totals::{Ask, Taken, Total, TotalsChunk};
use ranking::composed::counts;
use ranking::name::Id;
use ranking::page::rfc3339;
use ranking::site::{Board, Members, Site, Totals, TotalsTo};
use serde_json::{Value, json};
use serve::app::agenda::{Agenda, Resting};
use serve::app::database::{DatabaseError, Tables, number};
use serve::app::ports::{Clock, Random, Runtime};
use serve::app::redis::Redis;
use serve::config::Config;

use super::copies::runs::{Copied, Runs, Scope, Stopped};
use super::copies::{Copies, Copying};

/// Members in a chunk: 40 KB of JSON where ids have 64 bytes, 600 KB at most.
const CHUNK: u32 = 500;

const COPIED: Copied = Copied { name: "totals", job: "totals" };

/// What a run did.
#[derive(Debug, Default)]
pub struct HandedOn {
    pub members: u64,
    /// A line for each window that failed.
    pub failures: Vec<String>,
}

/// The run that is at a window.
struct Run<'r> {
    site: &'r Site,
    board: &'r Board,
    of: &'r Totals,
    owner: String,
    every_s: u32,
    until_ms: u64,
    copying: Copying,
}

impl Run<'_> {
    fn scope(&self) -> Scope<'_> {
        Scope::window(self.site, self.board, self.of.window.as_str())
    }
}

/// That nothing is due of a window.
fn resting(site: &Site, board: &Board, of: &Totals) -> Resting {
    Resting::Totals(site.name.clone(), board.name.clone(), of.window.to_string())
}

/// Handing totals on to the database or a receiver.
pub struct RunningTotals<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) copies: Copies<'a, R>,
    pub(in crate::app) runs: Runs<'a>,
    pub(in crate::app) tables: Tables<'a, R>,
    pub(in crate::app) agenda: &'a Agenda,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) random: &'a dyn Random,
    pub(in crate::app) receivers: &'a R,
}

impl<R: Runtime> RunningTotals<'_, R> {
    /// Hands on what changed on every site, as far as it is due, for the scheduled run. Answers a line for each window that failed.
    pub async fn hand_on_due(&self, until_ms: u64) -> Vec<String> {
        let mut handed_on = HandedOn::default();
        for site in self.config.sites.values() {
            self.hand_on_site(site, true, until_ms, &mut handed_on).await;
        }
        handed_on.failures
    }

    /// Hands on what changed on a site, due or not, until `until_ms` (by the edge's clock) has come; the rest is for the next run.
    pub async fn hand_on(&self, site: &Rc<Site>, until_ms: u64) -> HandedOn {
        let mut handed_on = HandedOn::default();
        self.hand_on_site(site, false, until_ms, &mut handed_on).await;
        handed_on
    }

    async fn hand_on_site(&self, site: &Rc<Site>, waits: bool, until_ms: u64, handed_on: &mut HandedOn) {
        let mut may_copy = None;
        for (board, of) in site.boards.values().flat_map(|board| board.totals.iter().map(move |of| (board, of))) {
            let now_ms = self.clock.clock_ms();
            let rests = || self.agenda.rests(&resting(site, board, of), now_ms);
            if waits && (rests() || may_copy.is_some() && now_ms >= until_ms) {
                continue;
            }
            if may_copy.is_none() {
                may_copy = Some(self.copies.may_copy(site).await);
            }
            let copying = match &may_copy {
                Some(Ok(copying)) => copying.clone(),
                Some(Err(withheld)) => return handed_on.failures.extend(withheld.failure(site)),
                None => return,
            };
            let every_s = if waits { of.every_s } else { 0 };
            let run = Run { site, board, of, owner: self.random.token(), every_s, until_ms, copying };
            let done = self.runs.count(&COPIED, run.scope(), self.hand_on_window(&run, &mut handed_on.members)).await;
            handed_on.failures.extend(done.err().flatten());
        }
    }

    /// Hands on what changed of a window, chunk by chunk, and counts the members.
    ///
    /// 1. Take a chunk: the next one, or what a run before did not see acknowledged.
    /// 2. Write it. Where a later one was written, take it again: with a number above that.
    /// 3. Have Redis forget its marks, and take the next one, in one call.
    async fn hand_on_window(&self, run: &Run<'_>, members: &mut u64) -> Result<(), Stopped> {
        let (mut written, mut above) = (None, 0);
        loop {
            let count = if self.clock.clock_ms() < run.until_ms { CHUNK } else { 0 };
            let chunk = self.take(run, above, written.as_ref(), count).await?;
            if chunk.remaining == 0 {
                return Ok(());
            }
            match self.write(run, &chunk).await {
                Ok(()) => {
                    *members += chunk.members.len() as u64;
                    self.runs.count_members(&COPIED, run.scope(), chunk.members.len());
                    written = Some(chunk);
                }
                Err(NotWritten::Later(seq)) if above < seq => (above, written) = (seq, None),
                Err(not_written) => {
                    // The next run need not wait until this one counts as gone. What is lost of it does no harm.
                    let _ = self.take(run, 0, None, 0).await;
                    return Err(Stopped::Failed(not_written.detail()));
                }
            }
        }
    }

    async fn take(&self, run: &Run<'_>, above: i64, written: Option<&TotalsChunk>, count: u32) -> Result<TotalsChunk, Stopped> {
        let ask = Ask { owner: &run.owner, every_s: run.every_s, above, count, written };
        let failed = |error: engine::adapter::Error| Stopped::Failed(error.to_string());
        match self.redis.store().map_err(failed)?.totals(run.site, run.board, run.of, ask).await.map_err(failed)? {
            Taken::Chunk(chunk) => Ok(chunk),
            Taken::Rest(rest_s) => {
                self.agenda.rest(resting(run.site, run.board, run.of), self.clock.clock_ms(), 1_000 * rest_s);
                Err(Stopped::Idle)
            }
            Taken::Busy => Err(Stopped::Busy),
        }
    }

    async fn write(&self, run: &Run<'_>, chunk: &TotalsChunk) -> Result<(), NotWritten> {
        if chunk.members.is_empty() {
            return Ok(());
        }
        let withheld = self.copies.may_still_copy(run.site, run.board, &run.copying).await;
        withheld.map_err(|withheld| NotWritten::Failed(withheld.detail()))?;
        match &run.of.to {
            TotalsTo::Database => {
                let answer = self.tables.query(&sql::write(run.site, run.board, run.of, chunk)).await;
                let rows = answer.map_err(|error| NotWritten::Failed(error.detail().into()))?;
                match rows.last().and_then(|rows| rows.first()).and_then(|row| number(row, "seq")) {
                    Some(seq) if seq == chunk.seq => Ok(()),
                    Some(seq) => Err(NotWritten::Later(seq)),
                    None => Err(NotWritten::Failed("the database does not tell what was written".into())),
                }
            }
            TotalsTo::Receiver(to) => {
                let sent = self.receivers.forward(to, &message(run, chunk).to_string(), true).await;
                sent.map_err(|error| NotWritten::Failed(error.detail))
            }
        }
    }

    /// Takes an actor out of what was written to the database.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn erase_totals(&self, site: &Site, actor: &Id) -> Result<(), DatabaseError> {
        let boards = site.boards.values().filter(|board| board.members != Members::Items);
        let names: Vec<&str> = boards.map(|board| board.name.as_str()).collect();
        if names.is_empty() {
            return Ok(());
        }
        self.tables.query(&[sql::erase(&site.name, json!(names).to_string(), actor)]).await.map(drop)
    }
}

/// Why a chunk was not written.
enum NotWritten {
    /// One with this number was.
    Later(i64),
    /// For the log.
    Failed(String),
}

impl NotWritten {
    fn detail(self) -> String {
        match self {
            Self::Later(seq) => format!("the database has a later run, {seq}"),
            Self::Failed(detail) => detail,
        }
    }
}

/// What a webhook gets.
fn message(run: &Run<'_>, chunk: &TotalsChunk) -> Value {
    let member = |total: &Total| {
        let mut member =
            json!({ "id": total.id, "period": total.period.id(total.starts_at, run.site.week_starts_on), "score": total.score });
        if run.board.breakdown {
            member["actions"] = counts(&total.tally).into();
        }
        member
    };
    json!({ "site": run.site.name.as_str(), "totals": {
        "board": run.board.name.as_str(),
        "window": run.of.window.as_str(),
        "seq": chunk.seq,
        "at": rfc3339(chunk.now_ms, true),
        "members": chunk.members.iter().map(member).collect::<Vec<_>>(),
    } })
}
