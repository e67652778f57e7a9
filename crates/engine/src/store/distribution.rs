//! How many members lie in each interval of the scores: `lua/distribution.lua`.

use ranking::distribution::{Distribution, Interval};
use ranking::read::{NoPeriod, PeriodRef, ReadReply};
use ranking::score::Score;
use ranking::site::Site;
use ranking::values::Values;
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::scripts::{DistributionArgs, DistributionInterval, DistributionReply};
use super::window::{calendar_with_seasons, kept_fields, known_fields, period_info, read_fields, visible_fields, years_of};
use crate::adapter::{Error, Transport};

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Reads how many members lie in each interval of the scores.
    ///
    /// # Errors
    /// Why it could not be read.
    pub(super) async fn distribution(&self, site: &Site, of: &PeriodRef, known: &str) -> Result<ReadReply, Error> {
        let call = |zone: &ZoneSpan| DistributionArgs {
            board: self.board_key(site, &of.board),
            window: read_fields(of),
            known: known_fields(of, known),
            kept: kept_fields(of),
            visible: visible_fields(of),
            origin: of.board.values.map_or(Score::ZERO, Values::origin),
            calendar: calendar_with_seasons(site, zone, std::slice::from_ref(&of.window)),
        };
        let interval =
            |DistributionInterval { best, score, members }| Interval { best: of.board.shown(best), score: of.board.shown(score), members };
        Ok(match self.call(site, years_of(site, of, self.guess_s), call).await? {
            DistributionReply::Ok { period, total, pinned, intervals } => ReadReply::Distribution(Distribution {
                info: period_info(of, period),
                total,
                pinned,
                intervals: intervals.into_iter().map(interval).collect(),
            }),
            DistributionReply::Unchanged { period } => ReadReply::Unchanged(vec![period_info(of, period)]),
            DistributionReply::Ahead {} => ReadReply::NoPeriod(NoPeriod::Ahead),
            DistributionReply::Gone {} => ReadReply::NoPeriod(NoPeriod::Expired),
        })
    }
}
