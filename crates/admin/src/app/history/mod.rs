//! History: the best members of every period that is over, frozen in the database. Redis forgets a period some day; its winners stay.
//!
//! A period is frozen once, a while after its end by the clock of Redis and by the edge's. What is counted into it later changes what Redis says as
//! long as it keeps the period, and not the winners. A period that two clocks froze which were ahead is not shown, and is frozen anew after its end.
//!
//! # Out of scope
//! All time, which is never over.
//!
//! # Decisions
//!
//! - A row is a whole period: its best members as one JSON list. It is written once for each revision, so a run that ends in
//!   the middle, or two at once, do no harm.
//! - The database says what is due. Each row names the end of the period after it, so upkeep asks Redis only once a period is
//!   over. The edge's clock decides when to look, and Redis's which period is over.
//! - A frozen period is shown as a page like Redis's, so details, filters and forms work on it as well.

mod anew;
mod decaying;
mod periods;

pub use anew::{Anew, NotFrozen, Source};

use std::rc::Rc;

use engine::store::Store;
use ranking::page::{Page, PeriodInfo};
use ranking::period::Period;
use ranking::read::{NoPeriod, PeriodRef, Read, ReadReply, ReadRequest};
use ranking::site::{Board, Site};
use ranking::window::{Unit, Window};
use serde_json::{Map, Value, json};
use serve::app::agenda::{Agenda, Resting};
use serve::app::database::{DatabaseError, Row, Statement, Tables, number};
use serve::app::forwarding::Forwarding;
use serve::app::frozen::{GRACE_MS, sql};
use serve::app::health::Health;
use serve::app::health::clocks::TOLERATED_MS;
use serve::app::ports::{Clock, Log, Runtime};
use serve::app::redis::Redis;

use super::archive::Archive;
use super::archive::read::ArchiveReads;
use super::audit::Audit;
use super::copies::Copies;
use super::copies::runs::{Copied, Looks, Runs, Scope, Stopped};
use super::upkeep::Upkeep;

const COPIED: Copied = Copied { name: "history", job: "freeze" };
/// While nothing is due, the database is asked for it once in five minutes, and Redis not at all.
const LOOKS: Looks = Looks { is_of: |board| board.history > 0, resting: Resting::History, every_ms: 300_000 };
/// So long after its end a period waits for a receiver that does not take it. It is frozen then all the same.
const REPORTED_MS: i64 = 86_400_000;
/// The last period of a window that was frozen.
#[derive(Clone, Debug)]
struct Last {
    period: Period,
    /// Unix seconds.
    starts_at: i64,
    ends_at: i64,
    /// Unix seconds: when the next one may be over.
    next_at: i64,
    /// Unix milliseconds, by the clock of Redis.
    frozen_at_ms: i64,
}

/// How a period is frozen.
#[derive(Clone, Copy, Debug)]
struct Freezing<'f> {
    /// Unix seconds: when the next one may be over.
    next_at: i64,
    /// It waits so long after its end for a receiver that does not take it.
    reported_ms: i64,
    /// Who asked for it by hand, for the audit log.
    asker: Option<&'f Map<String, Value>>,
}

/// What a run did.
#[derive(Debug, Default)]
pub struct Frost {
    /// Periods that were frozen.
    pub frozen: u64,
    /// A line for each window that failed.
    pub failures: Vec<String>,
}

/// Freezing the periods that are over.
pub struct History<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) archive: Archive<'a, R>,
    pub(in crate::app) archive_reads: ArchiveReads<'a, R>,
    pub(in crate::app) audit: Audit<'a, R>,
    pub(in crate::app) copies: Copies<'a, R>,
    pub(in crate::app) forwarding: Forwarding<'a, R>,
    pub(in crate::app) health: Health<'a, R>,
    pub(in crate::app) runs: Runs<'a>,
    pub(in crate::app) tables: Tables<'a, R>,
    pub(in crate::app) upkeep: Upkeep<'a, R>,
    pub(in crate::app) agenda: &'a Agenda,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) log: &'a dyn Log,
}

impl<R: Runtime> History<'_, R> {
    /// Freezes the periods of every site that are over, for the scheduled run.
    pub async fn freeze_due(&self, until_ms: u64) -> Vec<String> {
        self.runs.each_site(&LOOKS, until_ms, async |site| self.freeze(site, until_ms).await.failures).await
    }

    /// Freezes the periods of a site that are over, until `until_ms` (by the edge's clock) has come; the rest is for the next run.
    ///
    /// 1. Ask the database for the last frozen period of each window. Those that were frozen before their end are noted as early, once the clocks
    ///    agree, and passed over from then on.
    /// 2. Where the next one may be over, ask Redis for the current one.
    /// 3. Hand each period between the two on, where the site asks for that, and freeze it, the oldest first.
    pub async fn freeze(&self, site: &Rc<Site>, until_ms: u64) -> Frost {
        let mut frost = Frost::default();
        let windows: Vec<_> =
            site.boards.values().flat_map(|board| board.frozen_windows().map(move |(window, unit)| (board, window, unit))).collect();
        if windows.is_empty() {
            return frost;
        }
        let failed = |error: DatabaseError| Frost { frozen: 0, failures: vec![format!("{}: history: {}", site.name, error.detail())] };
        let edge_ms = self.clock.edge_ms();
        let mut lasts = match self.lasts(site, &windows, None).await {
            Ok(lasts) => lasts,
            Err(error) => return failed(error),
        };
        let has_early = lasts.iter().flatten().any(|last| last.is_early(edge_ms));
        let is_due = |window: &Window, last: &Option<Last>| last.as_ref().is_none_or(|last| last.next_is_over(window, edge_ms));
        if !has_early && !windows.iter().zip(&lasts).any(|((_, window, _), last)| is_due(window, last)) {
            return frost;
        }
        let copying = match self.copies.may_copy_ended(site).await {
            Ok(copying) => copying,
            Err(withheld) => {
                frost.failures.extend(withheld.failure(site));
                return frost;
            }
        };
        if has_early {
            lasts = match self.lasts(site, &windows, Some(sql::note_early(&site.name, edge_ms))).await {
                Ok(lasts) => lasts,
                Err(error) => return failed(error),
            };
        }
        let mut is_begun = false;
        for ((board, window, unit), last) in windows.into_iter().zip(lasts) {
            if !is_due(window, &last) || is_begun && self.clock.clock_ms() >= until_ms {
                continue;
            }
            is_begun = true;
            let work = async {
                if window.period_unit().is_none() {
                    self.freeze_decaying(site, board, window, unit, last.as_ref(), &copying).await
                } else {
                    self.freeze_window(site, board, window, last, &copying, until_ms).await
                }
            };
            match self.runs.count(&COPIED, Scope::window(site, board, window.name.as_str()), work).await {
                Ok(frozen) => frost.frozen += frozen,
                Err(failure) => frost.failures.extend(failure),
            }
        }
        frost
    }

    /// The last frozen period of each window, after a statement.
    async fn lasts(
        &self,
        site: &Site,
        windows: &[(&Rc<Board>, &Window, Unit)],
        after: Option<Statement>,
    ) -> Result<Vec<Option<Last>>, DatabaseError> {
        let skipped = usize::from(after.is_some());
        let asked = windows.iter().map(|(board, window, _)| sql::last(&site.name, &board.name, &window.name));
        let answer = self.tables.query(&after.into_iter().chain(asked).collect::<Vec<_>>()).await?;
        let rows = answer.into_iter().skip(skipped).zip(windows);
        Ok(rows.map(|(rows, (_, _, unit))| last_of(rows.first()?, *unit, site)).collect())
    }

    /// Hands a period on, where the site asks for that, and freezes it. Answers whether it is frozen: it waits for a while for a receiver that does
    /// not take it.
    async fn keep_frozen(&self, site: &Site, board: &Board, window: &Window, page: &Page, how: Freezing<'_>) -> Result<bool, Stopped> {
        let period = page.info.period.id(page.info.named_at, site.week_starts_on).ok_or_else(|| "a period has no id".to_owned())?;
        let known = self.tables.query(&[sql::revision(&site.name, &board.name, &window.name, &period)]).await?;
        let revision = match known.first().and_then(|rows| rows.first()) {
            None => 1,
            // Another run did it.
            Some(row) if number(row, "early") == Some(0) => return Ok(true),
            Some(row) => 1 + number(row, "revision").and_then(|revision| u32::try_from(revision).ok()).unwrap_or(1),
        };
        Ok(self.put_frozen(site, board, window, page, how, revision).await?)
    }

    /// The same, as a revision that was not frozen yet.
    async fn put_frozen(
        &self,
        site: &Site,
        board: &Board,
        window: &Window,
        page: &Page,
        how: Freezing<'_>,
        revision: u32,
    ) -> Result<bool, String> {
        let failed = |error: DatabaseError| error.detail().to_owned();
        let period = page.info.period.id(page.info.named_at, site.week_starts_on).ok_or("a period has no id")?;
        if let Err(why) = self.forwarding.forward_period(site, board, window, page, revision).await {
            self.log.log(&json!({ "level": "error", "code": "not-forwarded", "site": site.name.as_str(), "detail": why }));
            if page.info.ends_at.is_some_and(|ends_at| page.info.now_ms < ends_at * 1_000 + how.reported_ms) {
                return Ok(false);
            }
        }
        let row = sql::freeze(site, board, window, page, how.next_at, revision).ok_or("a period has no bounds")?;
        if revision > 1 || how.asker.is_some() {
            let mut what = how.asker.cloned().unwrap_or_default();
            what.extend([
                ("did".to_owned(), "freeze".into()),
                ("board".to_owned(), board.name.as_str().into()),
                ("window".to_owned(), window.name.as_str().into()),
                ("period".to_owned(), period.into()),
                ("revision".to_owned(), revision.into()),
            ]);
            self.audit.note(site, &Value::Object(what)).await.map_err(|failure| failure.detail)?;
        }
        self.tables.query(&[row]).await.map_err(failed)?;
        self.runs.count_members(&COPIED, Scope::window(site, board, window.name.as_str()), page.entries.len());
        Ok(true)
    }

    /// The best of a period, asked of Redis; `None` where it is not kept.
    pub(super) async fn top_of(
        &self,
        store: &Store<'_, R::Transport, R>,
        site: &Rc<Site>,
        of: PeriodRef,
        limit: u32,
    ) -> Result<Option<Page>, String> {
        let request = ReadRequest { site: Rc::clone(site), read: Read::Top { of, offset: 0, limit }, by: String::new() };
        let reply = store.read(&request, &[]).await.map_err(|error| error.to_string())?;
        match reply {
            ReadReply::Pages(pages) => {
                let page = pages.into_iter().next();
                let unbuilt = page.as_ref().filter(|page| page.info.is_unbuilt()).zip(request.periods().first());
                if let Some((page, of)) = unbuilt {
                    self.want_built(store, site, of, page.info.period).await?;
                }
                Ok(page)
            }
            ReadReply::NoPeriod(NoPeriod::Expired | NoPeriod::Ahead) => Ok(None),
            _ => Err("Redis answered something else than a page".into()),
        }
    }

    /// Asks upkeep to build a past rolling window.
    async fn want_built(&self, store: &Store<'_, R::Transport, R>, site: &Site, of: &PeriodRef, period: Period) -> Result<(), String> {
        // Each address may want one at a time, and so may the history of each window.
        let by = format!("history-{}", of.window.name);
        store.want(site, &of.board, &of.window, period, &by).await.map_err(|error| error.to_string())?;
        self.agenda.wake(&Resting::upkeep(site, &of.board));
        Ok(())
    }
}

/// Whether a period ended a while before an instant that both clocks have reached.
fn is_over(info: &PeriodInfo, reached_ms: i64) -> bool {
    info.ends_at.is_some_and(|ends_at| ends_at * 1_000 + GRACE_MS <= reached_ms)
}

impl Last {
    /// Whether it was frozen before its end: it has not ended, or was frozen at an instant that has not come. Redis's clock may be ahead of the
    /// edge's where they agree.
    fn is_early(&self, edge_ms: i64) -> bool {
        self.ends_at * 1_000 > edge_ms || self.frozen_at_ms > edge_ms.saturating_add(TOLERATED_MS)
    }

    /// Whether the period after it may be over.
    fn next_is_over(&self, window: &Window, edge_ms: i64) -> bool {
        // What comes late changes a decaying window as what comes in time does, so nothing is waited for.
        let grace_ms = if window.period_unit().is_none() { 0 } else { GRACE_MS };
        self.next_at * 1_000 + grace_ms <= edge_ms
    }
}

fn last_of(row: &Row, unit: Unit, site: &Site) -> Option<Last> {
    let period = Period::parse(unit, row.get("period")?.as_str()?, site.week_starts_on)?;
    let instant = |column| number(row, column);
    Some(Last {
        period,
        starts_at: instant("starts_at")?,
        ends_at: instant("ends_at")?,
        next_at: instant("next_at")?,
        frozen_at_ms: instant("frozen_at")?,
    })
}
