//! Freezing the periods of a window that are over, the oldest first.

use std::rc::Rc;
use std::vec;

use engine::store::Store;
use ranking::page::{Page, PeriodInfo};
use ranking::period::Period;
use ranking::read::PeriodRef;
use ranking::site::{Board, Site};
use ranking::window::{Kind, Window};
use serve::app::agenda::Resting;
use serve::app::frozen::{GRACE_MS, sql};
use serve::app::ports::Runtime;

use super::{Freezing, History, Last, REPORTED_MS, is_over};
use crate::app::copies::Copying;
use crate::app::copies::machine::{Copier, Next, Written};
use crate::app::copies::runs::{Scope, Stopped};

/// Periods of a rolling window or of seasons that are made up for: a past ranking of several periods has to be built first. Of other
/// windows all are that Redis still has.
const MAX_MISSED: i64 = 31;

/// Unix seconds: before all that is frozen.
const BEGINNING_S: i64 = -1 << 40;
/// A window of which nothing is to be frozen yet is looked at again after so long at the latest, whatever was frozen of it.
const REST_MS: i64 = 3_600_000;

/// The periods of a window that are to be frozen.
struct Periods<'r, R: Runtime> {
    history: &'r History<'r, R>,
    site: &'r Rc<Site>,
    board: &'r Rc<Board>,
    window: &'r Window,
    copying: &'r Copying,
    until_ms: u64,
    store: Store<'r, R::Transport, R>,
    /// The period that goes on.
    current: PeriodInfo,
    /// Unix seconds: when the first event was counted, where nothing is frozen yet.
    since: Option<i64>,
    /// The periods that remain.
    numbers: vec::IntoIter<i64>,
    /// How many were frozen.
    frozen: u64,
}

impl<R: Runtime> History<'_, R> {
    /// Freezes what is over of a window. Answers how many periods.
    pub(super) async fn freeze_window(
        &self,
        site: &Rc<Site>,
        board: &Rc<Board>,
        window: &Window,
        last: Option<Last>,
        copying: &Copying,
        until_ms: u64,
    ) -> Result<u64, Stopped> {
        let rest = Resting::frozen(site, board, window);
        if self.agenda.rests(&rest, self.clock.clock_ms()) {
            return Ok(0);
        }
        // One connection for all of them.
        let store = self.redis.store()?;
        let of = PeriodRef { board: Rc::clone(board), window: window.clone(), period: None, hour_starts_at: None };
        let current = self.top_of(&store, site, of, 1).await?.ok_or_else(|| "the current period is not there".to_owned())?.info;
        let before = current.period.number - 1;
        let most = match window.kind {
            Kind::Calendar(unit) => board.stored_periods(unit).into(),
            _ => MAX_MISSED,
        };
        // Nothing is frozen of before the first event, and all of a calendar window that Redis has since then.
        let first = if last.is_some() { None } else { store.first_counted(site, board, current.period.unit).await? };
        let first_number = match (&first, &window.kind) {
            (Some((period, _)), Kind::Calendar(_)) => period.number.min(before),
            _ => before,
        };
        let from = last.as_ref().map_or(first_number, |last| last.period.number + 1).max(before - most + 1);
        let numbers: Vec<i64> =
            if window.seasons.is_empty() { (from..=before).collect() } else { begun(window, current.period, last.as_ref()) };
        let (numbers, since) = (numbers.into_iter(), first.map(|(_, since)| since));
        let mut run = Periods { history: self, site, board, window, copying, until_ms, store, current, since, numbers, frozen: 0 };
        let is_done = self.copies.copy(Scope::window(site, board, window.name.as_str()), &mut run).await?;
        let Periods { current, frozen, .. } = run;
        if is_done && let Some(starts_at) = current.starts_at.filter(|_| from <= before) {
            // What Redis has no more cannot be frozen anew.
            let after = last.as_ref().map_or(BEGINNING_S, |last| last.starts_at);
            self.tables.query(&[sql::show_early(&site.name, &board.name, &window.name, after, starts_at)]).await?;
        }
        if frozen == 0 && is_done {
            let over_ms = current.ends_at.map_or(REST_MS, |ends_at| ends_at * 1_000 + GRACE_MS - self.clock.edge_ms());
            self.agenda.rest(rest, self.clock.clock_ms(), over_ms.clamp(0, REST_MS).unsigned_abs());
        }
        Ok(frozen)
    }
}

impl<R: Runtime> Copier for Periods<'_, R> {
    type Chunk = Page;
    type Error = Stopped;

    async fn take(&mut self, _written: Option<Page>) -> Result<Next<Page>, Stopped> {
        for number in self.numbers.by_ref() {
            if self.history.clock.clock_ms() >= self.until_ms {
                return Ok(Next::Pending);
            }
            let period = Some(Period { unit: self.current.period.unit, number });
            let of = PeriodRef { board: Rc::clone(self.board), window: self.window.clone(), period, hour_starts_at: None };
            let Some(page) = self.history.top_of(&self.store, self.site, of, self.board.history).await? else { continue };
            // A past rolling window may have to be built first; upkeep was asked to.
            if !page.info.complete || !is_over(&page.info, self.copying.reached_ms()) {
                return Ok(Next::Pending);
            }
            let began_later = self.since.is_some_and(|since| page.info.ends_at.is_some_and(|ends_at| ends_at <= since));
            if !began_later || page.total > 0 {
                return Ok(Next::Chunk(page));
            }
        }
        Ok(Next::Done)
    }

    fn copying(&self, _page: &Page) -> Option<&Copying> {
        Some(self.copying)
    }

    async fn write(&mut self, page: &mut Page) -> Result<Written, Stopped> {
        let number = page.info.period.number;
        let next_at = match after(self.window, number) {
            Some(next_at) => Some(next_at),
            None if number == self.current.period.number - 1 => self.current.ends_at,
            None => page.info.ends_at,
        };
        let how = Freezing { next_at: next_at.unwrap_or_default(), reported_ms: REPORTED_MS, asker: None };
        if !self.history.keep_frozen(self.site, self.board, self.window, page, how).await? {
            return Ok(Written::Pending);
        }
        self.frozen += 1;
        Ok(Written::Whole)
    }
}

/// The seasons that have begun until the one of now and that were not frozen, the oldest first. The last of them may go on.
fn begun(window: &Window, current: Period, last: Option<&Last>) -> Vec<i64> {
    let begun = window.seasons.iter().map(|season| season.starts).filter(|starts| *starts <= current.number);
    let mut remaining: Vec<i64> = begun.filter(|starts| last.is_none_or(|last| *starts > last.period.number)).collect();
    // As of other windows, what was over before a history was kept is not made up for, but for the last one.
    let most = if last.is_none() { 2 } else { usize::try_from(MAX_MISSED).unwrap_or(usize::MAX) };
    remaining.drain(..remaining.len().saturating_sub(most));
    remaining
}

/// When (Unix seconds) the season after one is over at the earliest, in any zone; after the last one never. `None` of other periods.
fn after(window: &Window, number: i64) -> Option<i64> {
    const EAST_S: i64 = 14 * 3600;
    const NEVER_S: i64 = 1 << 40;
    let next = window.seasons.iter().find(|season| season.starts > number);
    (!window.seasons.is_empty()).then(|| next.map_or(NEVER_S, |next| next.ends - EAST_S))
}
