//! Reading a page of a ranking: `lua/top.lua`.

use super::scripts::{TopArgs, TopEntry, TopReply};
use super::window::calendar_fields;
use super::{Store, WindowRef};
use crate::adapter::{Error, Mode, Transport};
use crate::ranking::page::{Entry, Page, Previous};
use crate::ranking::window::Kind;
use crate::ranking::zone::{Years, ZoneSpan, Zones};

/// Which members of a period of a window.
#[derive(Clone, Copy, Debug)]
pub struct PageRequest<'b> {
    pub of: WindowRef<'b>,
    pub offset: u32,
    pub limit: u32,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Reads pages of one site's boards, in one round trip.
    ///
    /// # Errors
    /// Why one of them could not be read.
    pub async fn top(&self, requests: &[PageRequest<'_>]) -> Result<Vec<Page>, Error> {
        let Some(first) = requests.first() else { return Ok(Vec::new()) };
        let years: Vec<Years> = requests.iter().map(|request| request.of.years(self.guess_s)).collect();
        let call = |i: usize, zone: &ZoneSpan| {
            let PageRequest { of, offset, limit } = requests[i];
            TopArgs {
                board: self.board_key(of.site, of.board),
                window: of.fields(),
                visible: of.visible(),
                offset: offset.into(),
                limit: limit.into(),
                calendar: calendar_fields(of.site, zone),
            }
        };
        let replies = self.call_all(Mode::Pipeline, first.of.site, years, call).await?;
        requests.iter().zip(replies).map(|(request, reply)| Ok(request.page(reply?))).collect()
    }
}

impl PageRequest<'_> {
    fn page(&self, reply: TopReply) -> Page {
        let head = self.of.period_info(&reply.period);
        // The period before ended where this one starts.
        let compares = match self.of.window.kind {
            Kind::Calendar(unit) => self.of.board.keeps(unit, head.starts_at, head.now_ms),
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
            head,
            total: reply.total,
            refused: reply.refused,
            pinned: reply.pinned,
            offset: self.offset,
            entries: reply.entries.into_iter().map(entry).collect(),
        }
    }
}
