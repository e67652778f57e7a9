//! Freezing a period anew, by hand: as Redis or the archive has it now.
//!
//! A period is frozen anew only when its content changed: what would be written is compared with the row. So a repeated request
//! makes no revision. A period behind the last one of its window waits for those between, since upkeep continues from the last.
//! An empty result overwrites no row: Redis cannot tell an empty period from one that it lost before anything noticed.

use std::rc::Rc;

use ranking::page::{Page, PeriodInfo};
use ranking::period::Period;
use ranking::read::{NoPeriod, PeriodRef, Read, ReadReply, ReadRequest};
use ranking::site::{Board, Site};
use ranking::window::{Kind, Window};
use serde_json::{Map, Value, json};
use serve::app::agenda::Resting;
use serve::app::database::{DatabaseError, number};
use serve::app::failure::Failure;
use serve::app::frozen::{Frozen, sql};
use serve::app::health::clocks::reached;
use serve::app::ports::Runtime;

use super::{Freezing, History, Last, REPORTED_MS, is_over, last_of};
use crate::app::archive::ArchiveError;
use crate::app::copies::Withheld;

/// What became of a period that was to be frozen anew.
#[derive(Debug)]
pub enum Anew {
    /// It is frozen as it is now.
    Frozen {
        frozen: Frozen,
        source: Source,
        /// Whether it was frozen otherwise before, or not at all.
        is_changed: bool,
    },
    /// It is to be asked for again: a past ranking is being built, periods before it are frozen first, another run is at the archive, or the
    /// receiver does not take it yet.
    Waits,
}

/// The store that had the period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Redis,
    Archive,
}

/// Why a period was not frozen anew. What was frozen of it stays.
#[derive(Debug)]
pub enum NotFrozen {
    Redis(Failure),
    Database(DatabaseError),
    Archive(ArchiveError),
    /// Nothing may be copied now.
    Withheld(Withheld),
    /// It has not been over for a while.
    NotOver,
    /// Nobody has it.
    Missing(&'static str),
}

/// What was frozen of a period.
struct Known {
    frozen: Frozen,
    next_at: i64,
    /// It was frozen before its end.
    is_early: bool,
    /// As they were written.
    entries: Value,
}

impl<R: Runtime> History<'_, R> {
    /// Freezes a period of a window anew, for who asked it by hand.
    ///
    /// 1. Ask what is frozen of it. Redis must answer, and it must be allowed to copy what is over. Ask Redis for the period, which must be over.
    /// 2. Where upkeep has yet to freeze it, freeze what is due first, so that no period before it is left out.
    /// 3. Where Redis has nothing of it, ask the archive, once that has what came late. A past ranking of several periods is built first.
    /// 4. What is frozen already as it is now stays. Else hand it on, where the site asks for that, and freeze it as the next revision.
    ///
    /// # Errors
    /// Why it is not frozen anew.
    pub async fn freeze_anew(&self, site: &Rc<Site>, of: PeriodRef, asker: &Map<String, Value>, until_ms: u64) -> Result<Anew, NotFrozen> {
        let (board, window, hour_starts_at) = (Rc::clone(&of.board), of.window.clone(), of.hour_starts_at);
        let Some(period) = of.period else { return Err(NotFrozen::Missing("it has no id")) };
        let id = period.id(hour_starts_at, site.week_starts_on).ok_or(NotFrozen::Missing("it has no id"))?;
        let read = Read::Top { of, offset: 0, limit: board.history };
        let request = ReadRequest { site: Rc::clone(site), read, by: format!("history-{}", window.name) };
        // 1.
        let before = self.known_period(site, &board, &window, &id).await?;
        match self.page_now(&request).await {
            Ok(_) => {}
            // By Redis's clock alone.
            Err(NotFrozen::NotOver) => {
                let ready = self.health.ready().await.map_err(NotFrozen::Redis)?;
                reached(ready.redis_ms, ready.edge_ms).map_err(|differ| NotFrozen::Withheld(Withheld::Clocks(differ)))?;
                return Err(NotFrozen::NotOver);
            }
            Err(error) => return Err(error),
        }
        // What is read behind the marks is of the Redis that has them.
        let copying = self.copies.may_copy_ended(site).await.map_err(NotFrozen::Withheld)?;
        let page = self.page_now(&request).await?;
        if page.as_ref().is_some_and(|page| !is_over(&page.info, copying.reached_ms())) {
            return Err(NotFrozen::NotOver);
        }
        if hour_starts_at.is_some() && page.as_ref().is_some_and(|page| page.info.named_at != hour_starts_at) {
            return Err(NotFrozen::Missing("no hour of the site's time zone starts then"));
        }
        // 2.
        if self.is_ahead(site, &board, &window, period).await? {
            self.agenda.wake(&Resting::frozen(site, &board, &window));
            self.freeze(site, until_ms).await;
            match self.known_period(site, &board, &window, &id).await? {
                Some(Known { frozen, is_early: false, .. }) => {
                    return Ok(Anew::Frozen { frozen, source: Source::Redis, is_changed: true });
                }
                _ if self.last_period(site, &board, &window).await?.is_some() => return Ok(Anew::Waits),
                _ => {}
            }
        }
        // 3.
        let Some((page, source)) = self.find_ended(&request, page, until_ms).await? else { return Ok(Anew::Waits) };
        if !is_over(&page.info, copying.reached_ms()) {
            return Err(NotFrozen::NotOver);
        }
        // 4.
        let page = Page { info: PeriodInfo { now_ms: copying.redis_ms().unwrap_or(page.info.now_ms), ..page.info }, ..page };
        let (revision, next_at) = match before {
            Some(known) if known.has(&page) => {
                return Ok(Anew::Frozen { frozen: known.frozen, source, is_changed: false });
            }
            Some(known) if !known.is_early => (known.frozen.revision + 1, Some(known.next_at)),
            known => (known.map_or(0, |known| known.frozen.revision) + 1, page.info.ends_at),
        };
        self.copies.may_still_copy(site, &board, &copying).await.map_err(NotFrozen::Withheld)?;
        let how = Freezing { next_at: next_at.unwrap_or_default(), reported_ms: REPORTED_MS, asker: Some(asker) };
        let failed = |why| NotFrozen::Database(DatabaseError::Failed(why));
        if !self.put_frozen(site, &board, &window, &page, how, revision).await.map_err(failed)? {
            return Ok(Anew::Waits);
        }
        let frozen = Frozen::of(page, &id, revision).ok_or(NotFrozen::Missing("it has no bounds"))?;
        Ok(Anew::Frozen { frozen, source, is_changed: true })
    }

    async fn known_period(&self, site: &Site, board: &Board, window: &Window, id: &str) -> Result<Option<Known>, NotFrozen> {
        let answer = self.tables.query(&[sql::kept(&site.name, &board.name, &window.name, id)]).await.map_err(NotFrozen::Database)?;
        let Some(row) = answer.first().and_then(|rows| rows.first()) else { return Ok(None) };
        let entries = row.get("entries").and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok()).unwrap_or(Value::Null);
        let frozen = Frozen::read(row, entries.as_array().into_iter().flatten());
        let is_early = number(row, "early") != Some(0);
        Ok(frozen.map(|frozen| Known { frozen, next_at: number(row, "next_at").unwrap_or_default(), is_early, entries }))
    }

    async fn last_period(&self, site: &Site, board: &Rc<Board>, window: &Window) -> Result<Option<Last>, NotFrozen> {
        let answer = self.tables.query(&[sql::last(&site.name, &board.name, &window.name)]).await.map_err(NotFrozen::Database)?;
        let row = answer.first().and_then(|rows| rows.first());
        Ok(row.zip(board.period_unit(window)).and_then(|(row, unit)| last_of(row, unit, site)))
    }

    /// Whether a period comes after the last one of its window that was frozen.
    async fn is_ahead(&self, site: &Site, board: &Rc<Board>, window: &Window, period: Period) -> Result<bool, NotFrozen> {
        Ok(self.last_period(site, board, window).await?.is_none_or(|last| last.period.number < period.number))
    }

    /// What Redis has of a period; `None` where it keeps it no longer.
    async fn page_now(&self, request: &ReadRequest) -> Result<Option<Page>, NotFrozen> {
        let reply = self.redis.read(async |store| store.read(request, &[]).await).await;
        match reply.map_err(|error| NotFrozen::Redis(Failure::of_read(&error)))? {
            ReadReply::Pages(pages) => Ok(pages.into_iter().next()),
            ReadReply::NoPeriod(NoPeriod::Ahead) => Err(NotFrozen::NotOver),
            _ => Ok(None),
        }
    }

    /// What there is to freeze of a period that is over, of which Redis had a page or nothing; `None` where that has to wait.
    async fn find_ended(&self, request: &ReadRequest, page: Option<Page>, until_ms: u64) -> Result<Option<(Page, Source)>, NotFrozen> {
        let [of, ..] = request.periods() else { return Err(NotFrozen::Missing("it is of no window")) };
        let is_rolling = matches!(of.window.kind, Kind::Rolling { .. });
        let page = match page {
            Some(page) if !page.info.complete && is_rolling => {
                let store = self.redis.store().map_err(|error| NotFrozen::Redis(Failure::of_read(&error)))?;
                let failed = |why| NotFrozen::Database(DatabaseError::Failed(why));
                self.want_built(&store, &request.site, of, page.info.period).await.map_err(failed)?;
                self.upkeep.upkeep(&request.site, until_ms).await;
                self.page_now(request).await?
            }
            page => page,
        };
        match page {
            Some(page) if page.info.complete && page.total > 0 => return Ok(Some((page, Source::Redis))),
            Some(page) if !page.info.complete && is_rolling => return Ok(None),
            _ => {}
        }
        if of.board.archive && !is_rolling {
            match self.archive.archive_now(&request.site, &of.board, until_ms).await {
                Ok(()) => {}
                Err(ArchiveError::Busy) => return Ok(None),
                Err(error) => return Err(NotFrozen::Archive(error)),
            }
            if let Some(ReadReply::Pages(pages)) = self.archive_reads.unarchived(request).await.map_err(NotFrozen::Archive)?
                && let Some(page) = pages.into_iter().next().filter(|page| page.total > 0)
            {
                return Ok(Some((page, Source::Archive)));
            }
        }
        Err(NotFrozen::Missing("neither Redis nor the archive has anybody in it"))
    }
}

impl Known {
    /// Whether the page would be frozen as this is.
    fn has(&self, page: &Page) -> bool {
        let entries: Vec<_> = page.entries.iter().map(sql::frozen_entry).collect();
        // Both as they are read back.
        let entries = serde_json::from_str(&json!(entries).to_string()).unwrap_or(Value::Null);
        let bounds = (Some(self.frozen.starts_at), Some(self.frozen.ends_at), self.frozen.total);
        !self.is_early && bounds == (page.info.starts_at, page.info.ends_at, page.total) && entries == self.entries
    }
}
