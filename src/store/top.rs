//! Reading a page of a ranking: `lua/top.lua`.

use super::target::Target;
use super::{Mode, Store, TOP, WindowRef, Zones, count, id, malformed, score, text};
use crate::adapter::{Error, Invocation, Transport, Value};
use crate::ranking::page::{Entry, Page, Previous};
use crate::ranking::window::Kind;
use crate::ranking::zone::{Years, ZoneSpan};

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
            let WindowRef { site, board, .. } = requests[i].of;
            Invocation { script: &TOP, keys: vec![self.key(site, Target::Board(board))], args: requests[i].args(zone) }
        };
        let answers = self.ask_all(Mode::Pipeline, first.of.site, years, &call).await?;
        requests.iter().zip(answers).map(|(request, answer)| request.read(&answer?)).collect()
    }
}

impl PageRequest<'_> {
    fn args(&self, zone: &ZoneSpan) -> Vec<String> {
        let mut args = self.of.window_args();
        args.extend(self.of.view_args());
        args.extend([self.of.number_arg(), self.offset.to_string(), self.limit.to_string()]);
        args.extend(self.of.calendar_args(zone));
        debug_assert_eq!(args.len(), TOP.args.len());
        args
    }

    fn read(&self, reply: &[Value]) -> Result<Page, Error> {
        let (head, rest) = self.of.head(&TOP, reply)?;
        let [total, refused, pinned, entries @ ..] = rest else { return Err(malformed(&TOP)) };
        // The period before ended where this one starts.
        let compares = match self.of.window.kind {
            Kind::Calendar(unit) => self.of.board.keeps(unit, head.starts_at, head.now_ms),
            _ => true,
        };
        let entry = |fields: &[Value]| {
            let [member, sum, rank, previous] = fields else { return Err(malformed(&TOP)) };
            let previous = match previous {
                _ if !compares => Previous::Unknown,
                Value::Int(_) => Previous::Rank(count(&TOP, previous)?),
                unknown if text(unknown) == Some("") => Previous::Unknown,
                _ => Previous::New,
            };
            Ok(Entry { rank: count(&TOP, rank)?, id: id(&TOP, member)?, score: score(&TOP, sum)?, previous })
        };
        Ok(Page {
            head,
            total: count(&TOP, total)?,
            refused: count(&TOP, refused)?,
            pinned: count(&TOP, pinned)?,
            offset: self.offset,
            entries: entries.chunks(4).map(entry).collect::<Result<_, _>>()?,
        })
    }
}
