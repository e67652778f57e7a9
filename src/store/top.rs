//! Reading a page of a ranking: `lua/top.lua`.

use super::Store;
use super::scripts::{TopArgs, TopEntry, TopReply};
use super::window::{calendar_fields, period_info, visible_fields, window_fields, years_of};
use crate::adapter::{Error, Mode, Transport};
use crate::ranking::page::{Entry, Page, Previous};
use crate::ranking::read::PeriodRef;
use crate::ranking::site::Site;
use crate::ranking::window::Kind;
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
    pub(super) async fn top(&self, site: &Site, pages: &[PageRef<'_>]) -> Result<Vec<Page>, Error> {
        let years: Vec<Years> = pages.iter().map(|page| years_of(site, page.of, self.guess_s)).collect();
        let call = |i: usize, zone: &ZoneSpan| {
            let PageRef { of, offset, limit } = pages[i];
            TopArgs {
                board: self.board_key(site, &of.board),
                window: window_fields(&of.window, of.period),
                visible: visible_fields(of),
                offset: offset.into(),
                limit: limit.into(),
                calendar: calendar_fields(site, zone),
            }
        };
        let replies = self.call_all(Mode::Pipeline, site, years, call).await?;
        pages.iter().zip(replies).map(|(page, reply)| Ok(page.read(reply?))).collect()
    }
}

impl PageRef<'_> {
    fn read(&self, reply: TopReply) -> Page {
        let info = period_info(self.of, &reply.period);
        // The period before ended where this one starts.
        let compares = match self.of.window.kind {
            Kind::Calendar(unit) => self.of.board.keeps(unit, info.starts_at, info.now_ms),
            _ => true,
        };
        let entry = |TopEntry { id, score, rank, previous_rank }| {
            let previous = match previous_rank.filter(|_| compares) {
                None => Previous::Unknown,
                Some(0) => Previous::New,
                Some(rank) => Previous::Rank(rank),
            };
            Entry { rank, id, score, previous }
        };
        Page {
            info,
            total: reply.total,
            refused: reply.refused,
            pinned: reply.pinned,
            offset: self.offset,
            entries: reply.entries.into_iter().map(entry).collect(),
        }
    }
}
