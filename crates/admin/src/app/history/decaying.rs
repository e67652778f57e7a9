//! Freezing decaying windows. They have no periods, and Redis has them of now alone. So they are frozen as they stand when an hour or a day is
//! over.
//!
//! A day or an hour that was missed is left out. The database, never Redis, is asked for such a day first.

use std::rc::Rc;

use ranking::page::{Page, PeriodInfo};
use ranking::period::Period;
use ranking::read::PeriodRef;
use ranking::site::{Board, Site};
use ranking::window::{Kind, Unit, Window};
use serve::app::agenda::Resting;
use serve::app::ports::Runtime;

use super::{Freezing, History, Last};
use crate::app::copies::Copying;
use crate::app::copies::runs::Stopped;

/// So long after the end of an hour or a day it is frozen at the latest: later it would be shown as what it no longer was.
const LATE_MS: i64 = 1_800_000;
/// So long after the end it waits for a receiver that does not take it.
const REPORTED_MS: i64 = 900_000;

impl<R: Runtime> History<'_, R> {
    /// Freezes a decaying window as it stands, where an hour or a day ended a short while ago. Answers how many: none or one.
    ///
    /// 1. Ask Redis for the current hour or day, and so when the last one ended. Too late it is left out, and nothing is asked until the next.
    /// 2. Ask for the window. One that began anew meanwhile is asked for as it was before. Of a board on which nothing was ever counted nothing
    ///    is frozen.
    /// 3. Hand it on, where the site asks for that, and freeze it as of the hour or day that ended.
    pub(super) async fn freeze_decaying(
        &self,
        site: &Rc<Site>,
        board: &Rc<Board>,
        window: &Window,
        unit: Unit,
        last: Option<&Last>,
        copying: &Copying,
    ) -> Result<u64, Stopped> {
        let rest = Resting::frozen(site, board, window);
        if self.agenda.rests(&rest, self.clock.clock_ms()) {
            return Ok(0);
        }
        let store = self.redis.store()?;
        let of = |window: &Window, number: Option<i64>, unit| {
            let period = number.map(|number| Period { unit, number });
            PeriodRef { board: Rc::clone(board), window: window.clone(), period, hour_starts_at: None }
        };
        let ask = async |of, limit| {
            let page = self.top_of(&store, site, of, limit).await?;
            page.ok_or_else(|| "the current period is not there".to_owned())
        };
        // 1.
        let calendar = Window::new(window.name.clone(), Kind::Calendar(unit));
        let current = ask(of(&calendar, None, unit), 1).await?.info;
        let (number, Some(ended_at), Some(next_at)) = (current.period.number - 1, current.starts_at, current.ends_at) else {
            return Err(Stopped::Failed("the current period has no bounds".into()));
        };
        let is_done = last.is_some_and(|last| last.period.number >= number) || current.now_ms >= ended_at * 1_000 + LATE_MS;
        let rest_until_next =
            || self.agenda.rest(rest.clone(), self.clock.clock_ms(), (next_at * 1_000 - self.clock.edge_ms()).max(0).unsigned_abs());
        if is_done {
            rest_until_next();
            return Ok(0);
        }
        if ended_at * 1_000 > copying.reached_ms() {
            return Ok(0);
        }
        let over = ask(of(&calendar, Some(number), unit), 1).await?.info;
        // 2.
        let mut page = ask(of(window, None, unit), board.history).await?;
        if page.info.starts_at.is_some_and(|starts_at| starts_at >= ended_at) {
            let resets = page.info.period;
            page = ask(of(window, Some(resets.number - 1), resets.unit), board.history).await?;
        }
        if last.is_none() && page.total == 0 {
            let met = store.members(site, &of(window, None, unit), "", 1).await?;
            if met.is_none_or(|met| !met.is_counted) {
                rest_until_next();
                return Ok(0);
            }
        }
        // 3.
        self.copies.may_still_copy(site, board, copying).await?;
        let page = Page { info: PeriodInfo { now_ms: page.info.now_ms, ..over }, ..page };
        let how = Freezing { next_at, reported_ms: REPORTED_MS, asker: None };
        Ok(self.keep_frozen(site, board, window, &page, how).await?.into())
    }
}
