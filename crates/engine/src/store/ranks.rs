//! Where members stand: `lua/ranks.lua`.

use ranking::name::Id;
use ranking::page::{Entry, Previous};
use ranking::read::{NoPeriod, PeriodRef, ReadReply};
use ranking::site::{Ranking, Site};
use ranking::standing::{Standing, Standings};
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::reply::malformed;
use super::scripts::{RANKS, RanksArgs, RanksMember, RanksNeighbor, RanksReply, RanksStanding};
use super::top::read_ranks;
use super::window::{calendar_with_seasons, kept_fields, known_fields, period_info, read_fields, read_metas, visible_fields, years_of};
use crate::adapter::{Error, Transport};

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Reads where members stand. Where one is asked for alone, also up to `around` members on either side of it, and the next higher
    /// score.
    ///
    /// # Errors
    /// Why it could not be read.
    pub(super) async fn ranks(
        &self,
        site: &Site,
        of: &PeriodRef,
        ids: &[Id],
        around: Option<u32>,
        known: &str,
    ) -> Result<ReadReply, Error> {
        let call = |zone: &ZoneSpan| RanksArgs {
            board: self.board_key(site, &of.board),
            window: read_fields(of),
            known: known_fields(of, known),
            kept: kept_fields(of),
            visible: visible_fields(of),
            around: around.unwrap_or(0).into(),
            next: around.is_some().into(),
            calendar: calendar_with_seasons(site, zone, std::slice::from_ref(&of.window)),
            members: ids.iter().map(|id| RanksMember { id: id.as_str().into() }).collect(),
        };
        let (period, total, ranked_by, next_score, metas, place, around_ranks, standings, neighbors) =
            match self.call(site, years_of(site, of, self.guess_s), call).await? {
                RanksReply::Ok { period, total, ranked_by, next_score, metas, place, around_ranks, standings, neighbors } => {
                    (period, total, ranked_by, next_score, metas, place, around_ranks, standings, neighbors)
                }
                RanksReply::Unchanged { period } => return Ok(ReadReply::Unchanged(vec![period_info(of, period)])),
                RanksReply::Ahead {} => return Ok(ReadReply::NoPeriod(NoPeriod::Ahead)),
                RanksReply::Gone {} => return Ok(ReadReply::NoPeriod(NoPeriod::Expired)),
            };
        let ranking = Ranking::EACH.into_iter().find(|ranking| ranking.name() == ranked_by);
        let standing = |standing: RanksStanding| match standing {
            RanksStanding { rank: Some(rank), score: Some(score), higher: Some(higher) } => {
                Ok(Some(Standing { rank, score: of.board.shown(score), higher }))
            }
            RanksStanding { rank: None, score: None, higher: None } => Ok(None),
            _ => Err(malformed(&RANKS, "standing.rank")),
        };
        let mut metas = read_metas(&metas);
        let of_members = metas.by_ref().take(ids.len()).collect();
        let around_ranks = read_ranks(&RANKS, &around_ranks, "around_ranks", neighbors.len())?;
        let ranks = around_ranks.into_iter().chain(place.unwrap_or(1)..);
        let entry = |(RanksNeighbor { id, score }, rank)| {
            let (score, meta) = (of.board.shown(score), metas.next().flatten());
            Entry { rank, id, score, meta, previous: Previous::Unknown, tally: String::new() }
        };
        Ok(ReadReply::Standings(Standings {
            info: period_info(of, period),
            total,
            ranking: ranking.ok_or_else(|| malformed(&RANKS, "ranked_by"))?,
            next_score: next_score.map(|score| of.board.shown(score)),
            metas: of_members,
            members: standings.into_iter().map(standing).collect::<Result<_, _>>()?,
            around: neighbors.into_iter().zip(ranks).map(entry).collect(),
        }))
    }
}
