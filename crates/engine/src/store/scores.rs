//! The scores of members, for who knows a distribution: `lua/scores.lua`.

use ranking::name::Id;
use ranking::rank_range::{Scores, StandingScore};
use ranking::read::{NoPeriod, PeriodRef};
use ranking::site::Site;
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::reply::malformed;
use super::scripts::{SCORES, ScoresArgs, ScoresMember, ScoresReply, ScoresScore};
use super::window::{calendar_with_seasons, kept_fields, known_fields, period_info, read_fields, visible_fields, years_of};
use crate::adapter::{Error, Transport};

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Reads what members have on a window. Scores that fade are those of an instant (Unix milliseconds).
    ///
    /// # Errors
    /// Why it could not be read.
    pub async fn scores(&self, site: &Site, of: &PeriodRef, ids: &[Id], as_of_ms: i64) -> Result<Result<Scores, NoPeriod>, Error> {
        self.unite(site, std::slice::from_ref(of)).await?;
        let call = |zone: &ZoneSpan| ScoresArgs {
            board: self.board_key(site, &of.board),
            window: read_fields(of),
            known: known_fields(of, ""),
            kept: kept_fields(of),
            visible: visible_fields(of),
            as_of: as_of_ms,
            calendar: calendar_with_seasons(site, zone, std::slice::from_ref(&of.window)),
            members: ids.iter().map(|id| ScoresMember { id: id.as_str().into() }).collect(),
        };
        let (period, scores) = match self.call(site, years_of(site, of, self.guess_s), call).await? {
            ScoresReply::Ok { period, scores } => (period, scores),
            ScoresReply::Ahead {} => return Ok(Err(NoPeriod::Ahead)),
            ScoresReply::Gone {} => return Ok(Err(NoPeriod::Expired)),
            ScoresReply::Unchanged { .. } => return Err(malformed(&SCORES, "status")),
        };
        let standing = |score: ScoresScore| match score {
            ScoresScore { score: Some(score), pin: Some(pin) } => {
                Ok(Some(StandingScore { score: of.board.shown(score), pinned_at: (pin > 0).then_some(pin) }))
            }
            ScoresScore { score: None, pin: None } => Ok(None),
            _ => Err(malformed(&SCORES, "score.pin")),
        };
        let members = scores.into_iter().map(standing).collect::<Result<_, _>>()?;
        Ok(Ok(Scores { info: period_info(of, period), members }))
    }
}
