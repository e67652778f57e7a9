//! Counting events, and reading the ranks of their members before and after: `lua/record_standing.lua`.

use ranking::counting::{Target, TargetBatch};
use ranking::period::Period;
use ranking::read::PeriodRef;
use ranking::site::{Ranking, Site};
use ranking::standing::{Move, Moves};
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::record::{
    Keeps, Recorded, batch_fields, counting_fields, instants, mode_of, outcomes, outcomes_of, senders_fields, tracked_event,
};
use super::reply::{Call, ReplyReader, malformed};
use super::scripts::{RECORD_STANDING, RecordStandingArgs, RecordStandingReply, RecordStandingStanding};
use super::target;
use super::window::{calendar_with_seasons, kept_fields, read_fields, stable_offset_fields, visible_fields, years_of};
use crate::adapter::{Error, Transport};

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Records each target's events as [`Store::record`] does, and answers how members moved on a window of periods, in its current
    /// one; `None` where no event counts on its board.
    ///
    /// # Errors
    /// The outer error: no replies could be had, and every target's outcome is that error's.
    pub async fn record_standing(
        &self,
        site: &Site,
        batches: &[TargetBatch<'_>],
        new_salt: &str,
        of: &PeriodRef,
    ) -> Result<(Vec<Recorded>, Option<Moves>), Error> {
        let mode = mode_of(site, batches);
        let is_asked = |batch: &TargetBatch| matches!(batch.target, Target::Board(board) if board.name == of.board.name);
        // All targets of a transaction have the same script.
        let tells = |batch: &TargetBatch| mode.is_transaction() || is_asked(batch);
        let call = |i: usize, zone: &ZoneSpan| match &batches[i] {
            batch if tells(batch) => self.standing_args(site, zone, batch, new_salt, of, is_asked(batch)).invocation(),
            batch => self.entry(site, zone, batch, new_salt, false).invocation(),
        };
        let years = self.years_of(site, instants(batches)).and(years_of(site, of, self.guess_s));
        let replies = self.send_all(mode, site, vec![years; batches.len()], &call).await?;
        let (mut recorded, mut moves) = (Vec::new(), None);
        for (batch, reply) in batches.iter().zip(replies) {
            recorded.push(match reply {
                Ok(mut reply) if tells(batch) => read(&mut reply, site, of).and_then(|(codes, reported)| {
                    if is_asked(batch) {
                        moves = Some(reported);
                    }
                    outcomes_of(batch, &codes)
                }),
                Ok(mut reply) => outcomes(batch, &mut reply),
                Err(error) => Err(error),
            });
        }
        Ok((recorded, moves))
    }

    pub(super) fn standing_args(
        &self,
        site: &Site,
        zone: &ZoneSpan,
        batch: &TargetBatch,
        new_salt: &str,
        of: &PeriodRef,
        is_asked: bool,
    ) -> RecordStandingArgs {
        let (target, keeps) = (target::fields(batch.target, site), Keeps::of(site, batch.target));
        RecordStandingArgs {
            board: self.key(site, batch.target),
            target,
            stable_offset: stable_offset_fields(zone, self.guess_s),
            counting: counting_fields(site, batch),
            batch: batch_fields(site, batch),
            senders: senders_fields(site, batch, new_salt),
            calendar: calendar_with_seasons(site, zone, batch.target.windows()),
            actor_history: site.actor_history_s.into(),
            journal: batch.target.journal_s(site).into(),
            new_salt: new_salt.into(),
            visitors_per_address: site.visitors_per_address.into(),
            window: read_fields(of),
            kept: kept_fields(of),
            asks: is_asked.into(),
            visible: visible_fields(of),
            events: batch.events.iter().map(|event| tracked_event(batch, event, keeps)).collect(),
        }
    }
}

/// The outcomes' codes, and how members moved.
pub(super) fn read(reply: &mut ReplyReader, site: &Site, of: &PeriodRef) -> Result<(String, Moves), Error> {
    let reply = RecordStandingArgs::read(reply)?;
    let RecordStandingReply { outcomes, number, named_at, complete, ranked_by, standings, .. } = reply;
    let place = |rank: Option<u64>, score| match (rank, score) {
        (Some(rank), Some(score)) => Ok(Some((rank, of.board.shown(score)))),
        (None, None) => Ok(None),
        _ => Err(malformed(&RECORD_STANDING, "standing.rank")),
    };
    let move_of = |standing: RecordStandingStanding| {
        let RecordStandingStanding { id, rank_before, score_before, rank, score } = standing;
        Ok(Move { id, before: place(rank_before, score_before)?, after: place(rank, score)? })
    };
    let unit = of.window.period_unit();
    let ranking = Ranking::EACH.into_iter().find(|ranking| ranking.name() == ranked_by);
    let moves = Moves {
        period: unit.and_then(|unit| Period { unit, number }.id(named_at, site.week_starts_on)),
        complete,
        ranking: ranking.ok_or_else(|| malformed(&RECORD_STANDING, "ranked_by"))?,
        members: standings.into_iter().map(move_of).collect::<Result<_, Error>>()?,
    };
    Ok((outcomes, moves))
}
