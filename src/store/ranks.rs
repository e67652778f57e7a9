//! Where members stand: `lua/ranks.lua`.

use super::reply::malformed;
use super::scripts::{RANKS, RanksArgs, RanksMember, RanksNeighbor, RanksStanding};
use super::window::{calendar_fields, stable_offset_fields};
use super::{Store, WindowRef};
use crate::adapter::{Error, Transport};
use crate::ranking::name::Id;
use crate::ranking::page::{Entry, Previous};
use crate::ranking::standing::{Standing, Standings};
use crate::ranking::zone::{ZoneSpan, Zones};

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Reads where members stand, and up to `around` members on either side of the first.
    ///
    /// # Errors
    /// Why it could not be read.
    pub async fn ranks(&self, of: WindowRef<'_>, ids: &[Id], around: u32) -> Result<Standings, Error> {
        let call = |zone: &ZoneSpan| RanksArgs {
            board: self.board_key(of.site, of.board),
            window: of.fields(),
            visible: of.visible(),
            around: around.into(),
            stable_offset: stable_offset_fields(zone, self.guess_s),
            calendar: calendar_fields(of.site, zone),
            members: ids.iter().map(|id| RanksMember { id: id.as_str().into() }).collect(),
        };
        let reply = self.call(of.site, of.years(self.guess_s), call).await?;
        let standing = |standing: RanksStanding| match standing {
            RanksStanding { rank: Some(rank), score: Some(score), higher: Some(higher) } => Ok(Some(Standing { rank, score, higher })),
            RanksStanding { rank: None, score: None, higher: None } => Ok(None),
            _ => Err(malformed(&RANKS, "standing.rank")),
        };
        let entry = |RanksNeighbor { id, score, rank }| Entry { rank, id, score, previous: Previous::Unknown };
        Ok(Standings {
            head: of.period_info(&reply.period),
            total: reply.total,
            members: reply.standings.into_iter().map(standing).collect::<Result<_, _>>()?,
            around: reply.neighbors.into_iter().map(entry).collect(),
        })
    }
}
