//! Members whose totals changed: `lua/totals.lua` and `lua/mark_totals.lua`.
//!
//! Chunks are numbered upwards by Redis, never below its clock. The database keeps the last number, and takes no older chunk.
//! So a run that was stopped for a minute overwrites nothing, and a Redis that lost its numbers is not refused for ever.

use ranking::name::Id;
use ranking::period::Period;
use ranking::score::Score;
use ranking::site::{Board, Site, Totals};
use ranking::zone::{Years, ZoneSpan, Zones};

use super::Store;
use super::scripts::{MarkTotalsArgs, MarkTotalsMember, TotalsArgs, TotalsMark, TotalsMember, TotalsReply};
use super::window::calendar_fields;
use crate::adapter::{Error, Transport};

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    pub owner: &'a str,
    /// Seconds between two runs; 0: now.
    pub every_s: u32,
    /// A number that the chunk's must be above.
    pub above: i64,
    /// Members at most; 0: none, the owner is done.
    pub count: u32,
    /// The chunk that was written.
    pub written: Option<&'a TotalsChunk>,
}

/// Members of one window, and their totals at one instant.
#[derive(Debug)]
pub struct TotalsChunk {
    /// Unix milliseconds.
    pub now_ms: i64,
    /// Greater than that of each chunk before.
    pub seq: i64,
    /// Members whose totals are being handed on, with these; 0 when the run is over.
    pub remaining: u64,
    pub members: Vec<Total>,
}

#[derive(Debug)]
pub struct Total {
    mark: String,
    pub period: Period,
    /// Unix seconds; `None` of all time.
    pub starts_at: Option<i64>,
    pub id: Id,
    /// `None` when it is not on the board.
    pub score: Option<Score>,
    /// "action count sum …".
    pub tally: String,
}

/// What was handed out.
#[derive(Debug)]
pub enum Taken {
    Chunk(TotalsChunk),
    /// Nothing is due for so many seconds.
    Rest(u64),
    /// Another owner is at it.
    Busy,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Notes that totals of members, at least one, changed in periods of a window, so that they are handed on once more.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn mark_totals(&self, site: &Site, board: &Board, of: &Totals, members: &[(i64, Id)]) -> Result<(), Error> {
        let member = |(number, id): &(i64, Id)| MarkTotalsMember { number: *number, id: id.as_str().into() };
        let members = members.iter().map(member).collect();
        let args = MarkTotalsArgs { board: self.board_key(site, board), unit: of.unit.code().into(), members };
        self.call_once(args).await.map(drop)
    }

    /// Forgets what was written, and answers what is to be written next.
    ///
    /// # Errors
    /// Why nobody knows; the next owner does what is left.
    pub async fn totals(&self, site: &Site, board: &Board, of: &Totals, ask: Ask<'_>) -> Result<Taken, Error> {
        const BEFORE_S: i64 = 400 * 86_400;
        let unit = of.unit;
        let kept_s = i64::try_from(board.kept_s(unit)).unwrap_or(0);
        let marks = ask.written.map(|chunk| chunk.members.iter().map(|total| total.mark.clone()).collect()).unwrap_or_default();
        let marks: Vec<String> = marks;
        let call = |zone: &ZoneSpan| TotalsArgs {
            board: self.board_key(site, board),
            owner: ask.owner.into(),
            unit: unit.code().into(),
            kept: kept_s,
            every: ask.every_s.into(),
            above: ask.above,
            written: ask.written.map_or(0, |chunk| chunk.seq),
            count: ask.count.into(),
            calendar: calendar_fields(site, zone),
            marks: marks.iter().map(|mark| TotalsMark { mark: mark.clone() }).collect(),
        };
        Ok(match self.call(site, Years::around(self.guess_s - kept_s - BEFORE_S, self.guess_s), call).await? {
            TotalsReply::Busy { .. } => Taken::Busy,
            TotalsReply::Rest { rest, .. } => Taken::Rest(rest),
            TotalsReply::Ok { now_ms, seq, remaining, members } => {
                let total = |TotalsMember { mark, number, starts_at, id, score, tally }| Total {
                    mark,
                    period: Period { unit, number },
                    starts_at,
                    id,
                    score: score.map(|score| board.shown(score)),
                    tally,
                };
                Taken::Chunk(TotalsChunk { now_ms, seq, remaining, members: members.into_iter().map(total).collect() })
            }
        })
    }
}
