//! The parts of a score: `lua/explain.lua`.

use ranking::explained::{Explained, ExplainedPeriod, MAX_EXPLAINED, Share};
use ranking::name::{Id, Name};
use ranking::read::{NoPeriod, PeriodRef, ReadReply};
use ranking::score::Score;
use ranking::site::Site;
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::reply::malformed;
use super::scripts::{EXPLAIN, ExplainArgs, ExplainPart, ExplainReply};
use super::window::{calendar_with_seasons, kept_fields, known_fields, period_info, read_fields, visible_fields, years_of};
use crate::adapter::{Error, Transport};

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Reads what a member's score is made of, by base period and action.
    ///
    /// # Errors
    /// Why it could not be read.
    pub(super) async fn explain(
        &self,
        site: &Site,
        of: &PeriodRef,
        (id, before): (&Id, Option<i64>),
        known: &str,
    ) -> Result<ReadReply, Error> {
        let call = |zone: &ZoneSpan| ExplainArgs {
            board: self.board_key(site, &of.board),
            window: read_fields(of),
            known: known_fields(of, known),
            kept: kept_fields(of),
            visible: visible_fields(of),
            id: id.as_str().into(),
            before: before.map_or(String::new(), |before| before.to_string()),
            most: MAX_EXPLAINED.into(),
            calendar: calendar_with_seasons(site, zone, std::slice::from_ref(&of.window)),
        };
        let (info, score, scale, counted_since, next, parts) = match self.call(site, years_of(site, of, self.guess_s), call).await? {
            ExplainReply::Ok { period, score, scale, counted_since, next, parts } => {
                (period_info(of, period), score, scale, counted_since, next, parts)
            }
            ExplainReply::Unchanged { period } => return Ok(ReadReply::Unchanged(vec![period_info(of, period)])),
            ExplainReply::Ahead {} => return Ok(ReadReply::NoPeriod(NoPeriod::Ahead)),
            ExplainReply::Gone {} => return Ok(ReadReply::NoPeriod(NoPeriod::Expired)),
        };
        let period = |part: ExplainPart| {
            Ok(ExplainedPeriod {
                number: part.number,
                starts_at: part.starts_at,
                score: part.sum,
                shares: shares(&part.actions).ok_or_else(|| malformed(&EXPLAIN, "part.actions"))?,
            })
        };
        let periods = parts.into_iter().map(period).collect::<Result<_, _>>()?;
        let is_part = before.is_some() || next.is_some();
        Ok(ReadReply::Explained(Explained { info, score, scale, counted_since, next, is_part, periods }))
    }
}

/// Reads `action count sum …`; `None` when it is something else.
pub fn shares(text: &str) -> Option<Vec<Share>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let share = |words: &[&str]| match words {
        [action, count, sum] => Some(Share { action: Name::new(action)?, count: count.parse().ok()?, sum: Score::parse(sum)? }),
        _ => None,
    };
    words.chunks(3).map(share).collect()
}
