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

use super::copies::machine::{Copier, Next, Written};
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

/// Handing on what changed of a window.
struct HandingOn<'r, R> {
    totals: &'r RunningTotals<'r, R>,
    scope: Scope<'r>,
    of: &'r Totals,
    owner: String,
    every_s: u32,
    until_ms: u64,
    copying: Copying,
    /// A number that the next chunk's must be above.
    above: i64,
    /// Members that were written.
    members: u64,
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
            let (owner, scope) = (self.random.token(), Scope::window(site, board, of.window.as_str()));
            let mut run = HandingOn { totals: self, scope, of, owner, every_s, until_ms, copying, above: 0, members: 0 };
            let done = self.runs.count(&COPIED, scope, self.copies.copy(scope, &mut run)).await;
            handed_on.members += run.members;
            handed_on.failures.extend(done.err().flatten());
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

impl<R: Runtime> Copier for HandingOn<'_, R> {
    type Chunk = TotalsChunk;
    type Error = Stopped;

    /// The next chunk, or what a run before did not see acknowledged. Redis forgets the marks of the one before in the same call.
    async fn take(&mut self, written: Option<TotalsChunk>) -> Result<Next<TotalsChunk>, Stopped> {
        let is_late = self.totals.clock.clock_ms() >= self.until_ms;
        let chunk = self.ask(written.as_ref(), if is_late { 0 } else { CHUNK }).await?;
        Ok(match chunk.remaining {
            0 if is_late => Next::Pending,
            0 => Next::Done,
            _ => Next::Chunk(chunk),
        })
    }

    fn copying(&self, chunk: &TotalsChunk) -> Option<&Copying> {
        (!chunk.members.is_empty()).then_some(&self.copying)
    }

    /// Where a later chunk was written, this one is taken again: with a number above that.
    async fn write(&mut self, chunk: &mut TotalsChunk) -> Result<Written, Stopped> {
        match self.last_written(chunk).await? {
            seq if seq == chunk.seq => {}
            seq if self.above < seq => {
                self.above = seq;
                return Ok(Written::Again);
            }
            seq => return Err(Stopped::Failed(format!("the database has a later run, {seq}"))),
        }
        self.members += chunk.members.len() as u64;
        self.totals.runs.count_members(&COPIED, self.scope, chunk.members.len());
        Ok(Written::Whole)
    }

    async fn release(&mut self) {
        let _ = self.ask(None, 0).await;
    }
}

impl<R: Runtime> HandingOn<'_, R> {
    async fn ask(&self, written: Option<&TotalsChunk>, count: u32) -> Result<TotalsChunk, Stopped> {
        let ask = Ask { owner: &self.owner, every_s: self.every_s, above: self.above, count, written };
        match self.totals.redis.store()?.totals(self.scope.site, self.scope.board, self.of, ask).await? {
            Taken::Chunk(chunk) => Ok(chunk),
            Taken::Rest(rest_s) => {
                let rest = resting(self.scope.site, self.scope.board, self.of);
                self.totals.agenda.rest(rest, self.totals.clock.clock_ms(), 1_000 * rest_s);
                Err(Stopped::Idle)
            }
            Taken::Busy => Err(Stopped::Busy),
        }
    }

    /// Writes a chunk, unless a later one was written. Answers the number of the last one that was.
    async fn last_written(&self, chunk: &TotalsChunk) -> Result<i64, Stopped> {
        if chunk.members.is_empty() {
            return Ok(chunk.seq);
        }
        match &self.of.to {
            TotalsTo::Database => {
                let rows = self.totals.tables.query(&sql::write(self.scope.site, self.scope.board, self.of, chunk)).await?;
                let seq = rows.last().and_then(|rows| rows.first()).and_then(|row| number(row, "seq"));
                seq.ok_or_else(|| Stopped::Failed("the database does not tell what was written".into()))
            }
            TotalsTo::Receiver(to) => {
                let sent = self.totals.receivers.forward(to, &self.message(chunk).to_string(), true).await;
                sent.map(|()| chunk.seq).map_err(|error| Stopped::Failed(error.detail))
            }
        }
    }

    /// What a webhook gets.
    fn message(&self, chunk: &TotalsChunk) -> Value {
        let member = |total: &Total| {
            let mut member =
                json!({ "id": total.id, "period": total.period.id(total.starts_at, self.scope.site.week_starts_on), "score": total.score });
            if self.scope.board.breakdown {
                member["actions"] = counts(&total.tally).into();
            }
            member
        };
        json!({ "site": self.scope.site.name.as_str(), "totals": {
            "board": self.scope.board.name.as_str(),
            "window": self.of.window.as_str(),
            "seq": chunk.seq,
            "at": rfc3339(chunk.now_ms, true),
            "members": chunk.members.iter().map(member).collect::<Vec<_>>(),
        } })
    }
}
