//! Which rank a score would have, and which score has a rank: `lua/place.lua`.

use ranking::read::{NoPeriod, PeriodRef, ReadReply};
use ranking::site::{Ranking, Site};
use ranking::standing::{Asked, Place};
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::reply::malformed;
use super::scripts::{PLACE, PlaceArgs, PlaceReply};
use super::window::{calendar_with_seasons, kept_fields, known_fields, period_info, read_fields, visible_fields, years_of};
use crate::adapter::{Error, Transport};

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Reads the rank of a score, or the score of a rank.
    ///
    /// # Errors
    /// Why it could not be read.
    pub(super) async fn place(&self, site: &Site, of: &PeriodRef, asked: Asked, known: &str) -> Result<ReadReply, Error> {
        let (by, text) = match asked {
            Asked::Score(score) => ("score", of.board.values.map_or(score, |values| values.nearest(score)).to_string()),
            Asked::Rank(rank) => ("rank", rank.to_string()),
        };
        let call = |zone: &ZoneSpan| PlaceArgs {
            board: self.board_key(site, &of.board),
            window: read_fields(of),
            known: known_fields(of, known),
            kept: kept_fields(of),
            visible: visible_fields(of),
            by: by.into(),
            asked: text.clone(),
            calendar: calendar_with_seasons(site, zone, std::slice::from_ref(&of.window)),
        };
        Ok(match self.call(site, years_of(site, of, self.guess_s), call).await? {
            PlaceReply::Ok { period, total, ranked_by, rank, score } => {
                let ranking = Ranking::EACH.into_iter().find(|ranking| ranking.name() == ranked_by);
                let ranking = ranking.ok_or_else(|| malformed(&PLACE, "ranked_by"))?;
                ReadReply::Place(Place {
                    info: period_info(of, period),
                    total,
                    ranking,
                    rank,
                    score: score.map(|score| of.board.shown(score)),
                })
            }
            PlaceReply::Unchanged { period } => ReadReply::Unchanged(vec![period_info(of, period)]),
            PlaceReply::Ahead {} => ReadReply::NoPeriod(NoPeriod::Ahead),
            PlaceReply::Gone {} => ReadReply::NoPeriod(NoPeriod::Expired),
        })
    }
}
