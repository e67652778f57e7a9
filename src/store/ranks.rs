//! Where members stand: `lua/ranks.lua`.

use super::target::Target;
use super::{RANKS, Store, WindowRef, Zones, count, id, malformed, score, text};
use crate::adapter::{Error, Invocation, Transport, Value};
use crate::ranking::name::Id;
use crate::ranking::page::{Entry, Previous};
use crate::ranking::standing::{Standing, Standings};
use crate::ranking::zone::ZoneSpan;

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Reads where members stand, and up to `around` members on either side of the first.
    ///
    /// # Errors
    /// Why it could not be read.
    pub async fn ranks(&self, of: WindowRef<'_>, ids: &[Id], around: u32) -> Result<Standings, Error> {
        let invocation = |zone: &ZoneSpan| {
            let mut args = of.window_args();
            args.extend(of.view_args());
            let stable = zone.stable_offset_at(self.guess_s);
            args.extend([
                of.number_arg(),
                around.to_string(),
                stable.from.to_string(),
                stable.until.to_string(),
                stable.offset.to_string(),
            ]);
            args.extend(of.calendar_args(zone));
            debug_assert_eq!(args.len(), RANKS.args.len());
            args.extend(ids.iter().map(|id| id.as_str().to_owned()));
            Invocation { script: &RANKS, keys: vec![self.key(of.site, Target::Board(of.board))], args }
        };
        let reply = self.ask(of.site, of.years(self.guess_s), &invocation).await?;
        let (head, rest) = of.head(&RANKS, &reply)?;
        let standing = |fields: &[Value]| match fields {
            [rank, _, _] if text(rank) == Some("") => Ok(None),
            [rank, sum, higher] => {
                Ok(Some(Standing { rank: count(&RANKS, rank)?, score: score(&RANKS, sum)?, higher: count(&RANKS, higher)? }))
            }
            _ => Err(malformed(&RANKS)),
        };
        let entry = |fields: &[Value]| match fields {
            [member, sum, rank] => {
                Ok(Entry { rank: count(&RANKS, rank)?, id: id(&RANKS, member)?, score: score(&RANKS, sum)?, previous: Previous::Unknown })
            }
            _ => Err(malformed(&RANKS)),
        };
        match rest {
            [total, rest @ ..] if rest.len() >= 3 * ids.len() => {
                let (members, around) = rest.split_at(3 * ids.len());
                Ok(Standings {
                    head,
                    total: count(&RANKS, total)?,
                    members: members.chunks(3).map(standing).collect::<Result<_, _>>()?,
                    around: around.chunks(3).map(entry).collect::<Result<_, _>>()?,
                })
            }
            _ => Err(malformed(&RANKS)),
        }
    }
}
