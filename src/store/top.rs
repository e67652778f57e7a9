//! Reading a page of a ranking: `lua/top.lua`.

use super::Store;
use super::scripts::{TopArgs, TopEntry, TopReply};
use super::window::{calendar_fields, kept_s, period_info, visible_fields, window_fields, years_of};
use crate::adapter::{Error, Mode, Transport};
use crate::ranking::page::{Entry, Page, Previous};
use crate::ranking::read::{NoPeriod, PeriodRef};
use crate::ranking::site::Site;
use crate::ranking::zone::{Years, ZoneSpan, Zones};

/// A page of a period of a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageRef<'r> {
    pub of: &'r PeriodRef,
    pub offset: u32,
    pub limit: u32,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Reads pages of one site's boards, in one round trip.
    ///
    /// # Errors
    /// Why one of them could not be read.
    pub(super) async fn top(&self, site: &Site, pages: &[PageRef<'_>]) -> Result<Result<Vec<Page>, NoPeriod>, Error> {
        let years: Vec<Years> = pages.iter().map(|page| years_of(site, page.of, self.guess_s)).collect();
        let call = |i: usize, zone: &ZoneSpan| {
            let PageRef { of, offset, limit } = pages[i];
            TopArgs {
                board: self.board_key(site, &of.board),
                window: window_fields(&of.window, of.period),
                kept: kept_s(of),
                visible: visible_fields(of),
                offset: offset.into(),
                limit: limit.into(),
                compared: if of.board.movement { of.board.limit.into() } else { 0 },
                calendar: calendar_fields(site, zone),
            }
        };
        let replies = self.call_all(Mode::Pipeline, site, years, call).await?;
        let mut read = Vec::with_capacity(pages.len());
        for (page, reply) in pages.iter().zip(replies) {
            match page.read(reply?) {
                Ok(page) => read.push(page),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(read))
    }
}

impl PageRef<'_> {
    fn read(&self, reply: TopReply) -> Result<Page, NoPeriod> {
        let (period, total, refused, pinned, entries) = match reply {
            TopReply::Ok { period, total, refused, pinned, entries } => (period, total, refused, pinned, entries),
            TopReply::Ahead {} => return Err(NoPeriod::Ahead),
            TopReply::Gone {} => return Err(NoPeriod::Gone),
        };
        let entry = |TopEntry { id, score, rank, previous_rank }| {
            let previous = match previous_rank {
                None => Previous::Unknown,
                Some(0) => Previous::New,
                Some(rank) => Previous::Rank(rank),
            };
            Entry { rank, id, score, previous }
        };
        let entries = entries.into_iter().map(entry).collect();
        Ok(Page { info: period_info(self.of, &period), total, refused, pinned, offset: self.offset, entries })
    }
}
