//! Reading a page of a ranking: `lua/top.lua`.
//!
//! A rank is asked of a script, not of `ZREVRANK`. Among a million members a script costs Redis a third more CPU. But the
//! period follows from the clock of Redis, and rank, score, total and percentile must be of one instant. A transaction of plain
//! commands cannot use the score that an earlier command found.

use ranking::name::Name;
use ranking::page::{Entry, Page, PeriodInfo, Previous};
use ranking::read::{NoPeriod, PeriodRef, ReadReply};
use ranking::site::Site;
use ranking::zone::{Years, ZoneSpan, Zones};

use super::Store;
use super::reply::malformed;
use super::scripts::{TOP, TopArgs, TopEntry, TopReply};
use super::window::{calendar_with_seasons, kept_fields, known_fields, period_info, read_fields, read_metas, visible_fields, years_of};
use crate::adapter::{Error, Fault, Script, Transport};

/// A page of a period of a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageRef<'r> {
    pub of: &'r PeriodRef,
    pub offset: u32,
    pub limit: u32,
    /// See [`PeriodInfo::known`]; empty to read it whatever is known.
    pub known: &'r str,
    /// Whether to tell what each member did by action.
    pub tallied: bool,
}

/// What a script answered of a page.
enum PageReply {
    Page(Page),
    Unchanged(PeriodInfo),
    NoPeriod(NoPeriod),
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Reads pages of one site's boards, in one round trip. When only some of them are as they are known, a second one reads these too.
    ///
    /// # Errors
    /// Why one of them could not be read. Where a node does not answer and another one does, that is [`ReadReply::Part`].
    pub(super) async fn top(&self, site: &Site, pages: &[PageRef<'_>]) -> Result<ReadReply, Error> {
        let (mut read, mut unchanged) = (Vec::with_capacity(pages.len()), Vec::new());
        let first = self.pages(site, pages).await?;
        if let Some(part) = part_of(pages.iter().map(|page| page.of), pages.iter().map(|page| page.of).zip(&first)) {
            return Ok(part);
        }
        let first = first.into_iter().collect::<Result<Vec<_>, _>>()?;
        let open: Vec<PageRef<'_>> =
            pages.iter().zip(&first).filter(|(_, reply)| reply.is_unchanged()).map(|(page, _)| PageRef { known: "", ..*page }).collect();
        let is_known = open.len() == pages.len();
        let again = if open.is_empty() || is_known { Vec::new() } else { self.pages(site, &open).await? };
        let mut again = again.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter();
        for reply in first {
            let reply = if reply.is_unchanged() { again.next().unwrap_or(reply) } else { reply };
            match reply {
                PageReply::Page(page) => read.push(page),
                PageReply::Unchanged(info) => unchanged.push(info),
                PageReply::NoPeriod(why) => return Ok(ReadReply::NoPeriod(why)),
            }
        }
        match unchanged.is_empty() {
            true => Ok(ReadReply::Pages(read)),
            false if is_known => Ok(ReadReply::Unchanged(unchanged)),
            false => Err(Error::new(Fault::Malformed, "a page is unchanged though nothing is known of it")),
        }
    }

    async fn pages(&self, site: &Site, pages: &[PageRef<'_>]) -> Result<Vec<Result<PageReply, Error>>, Error> {
        let years: Vec<Years> = pages.iter().map(|page| years_of(site, page.of, self.guess_s)).collect();
        let call = |i: usize, zone: &ZoneSpan| {
            let PageRef { of, offset, limit, known, tallied } = pages[i];
            TopArgs {
                board: self.board_key(site, &of.board),
                window: read_fields(of),
                known: known_fields(of, known),
                kept: kept_fields(of),
                visible: visible_fields(of),
                offset: offset.into(),
                limit: limit.into(),
                compared: if of.board.movement { of.board.limit.into() } else { 0 },
                tallied: tallied.into(),
                calendar: calendar_with_seasons(site, zone, std::slice::from_ref(&of.window)),
            }
        };
        let replies = self.call_all(self.reading(), site, years, call).await?;
        Ok(pages.iter().zip(replies).map(|(page, reply)| page.read(reply?)).collect())
    }
}

/// Which boards of those that are asked for do not answer, where others may.
pub(super) fn part_of<'p, A: 'p>(
    mut asked: impl Iterator<Item = &'p PeriodRef>,
    answers: impl Iterator<Item = (&'p PeriodRef, &'p Result<A, Error>)>,
) -> Option<ReadReply> {
    let (mut unavailable, mut detail) = (Vec::<Name>::new(), String::new());
    for (of, answer) in answers {
        if let Err(error) = answer
            && error.is_transient()
            && !unavailable.contains(&of.board.name)
        {
            unavailable.push(of.board.name.clone());
            detail = error.to_string();
        }
    }
    let is_part = !unavailable.is_empty() && asked.any(|of| !unavailable.contains(&of.board.name));
    is_part.then_some(ReadReply::Part { unavailable, detail })
}

impl PageReply {
    fn is_unchanged(&self) -> bool {
        matches!(self, Self::Unchanged(_))
    }
}

impl PageRef<'_> {
    fn read(&self, reply: TopReply) -> Result<PageReply, Error> {
        let (period, total, refused, pinned, metas, ranks, previous_ranks, tallies, entries) = match reply {
            TopReply::Ok { period, total, refused, pinned, metas, ranks, previous_ranks, tallies, entries } => {
                (period, total, refused, pinned, metas, ranks, previous_ranks, tallies, entries)
            }
            TopReply::Unchanged { period } => return Ok(PageReply::Unchanged(period_info(self.of, period))),
            TopReply::Ahead {} => return Ok(PageReply::NoPeriod(NoPeriod::Ahead)),
            TopReply::Gone {} => return Ok(PageReply::NoPeriod(NoPeriod::Expired)),
        };
        let ranks = read_ranks(&TOP, &ranks, "ranks", entries.len())?;
        let previous_ranks = read_ranks(&TOP, &previous_ranks, "previous_ranks", entries.len())?;
        let (mut metas, mut tallies) = (read_metas(&metas), tallies.split('\n'));
        let (mut ranks, mut previous_ranks, mut place) = (ranks.into_iter(), previous_ranks.into_iter(), u64::from(self.offset));
        let entry = |TopEntry { id, score }| {
            place += 1;
            let previous = match previous_ranks.next() {
                None => Previous::Unknown,
                Some(0) => Previous::New,
                Some(rank) => Previous::Rank(rank),
            };
            let (rank, tally) = (ranks.next().unwrap_or(place), tallies.next().unwrap_or_default().to_owned());
            Entry { rank, id, score: self.of.board.shown(score), meta: metas.next().flatten(), previous, tally }
        };
        let entries = entries.into_iter().map(entry).collect();
        Ok(PageReply::Page(Page { info: period_info(self.of, period), total, refused, pinned, offset: self.offset, entries }))
    }
}

/// A rank for each entry, or none of all.
pub(super) fn read_ranks(script: &'static Script, words: &str, field: &str, entries: usize) -> Result<Vec<u64>, Error> {
    let ranks: Option<Vec<u64>> = words.split_whitespace().map(|word| word.parse().ok()).collect();
    ranks.filter(|ranks| ranks.is_empty() || ranks.len() == entries).ok_or_else(|| malformed(script, field))
}
