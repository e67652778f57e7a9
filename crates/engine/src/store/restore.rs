//! Putting back what Redis lost, from the archive: `lua/lost.lua` and `lua/restore.lua`.

use ranking::counting::Target;
use ranking::period::Period;
use ranking::site::{Board, Site, Ties};
use ranking::window::Unit;
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::archive::Member;
use super::scripts::{LostArgs, LostLost, LostReply, RestoreArgs, RestoreMember, RestoreReply};
use super::target;
use super::window::{calendar_with_seasons, years_with_seasons};
use crate::adapter::{Error, Transport};

/// Members that are added at once, at most: some milliseconds of Redis's time.
pub const MEMBERS: usize = 1_000;

/// The periods that lost their beginning.
#[derive(Debug)]
pub struct LostList {
    /// Unix milliseconds.
    pub now_ms: i64,
    /// Since when each unit is counted, to be given to the next call.
    pub since: String,
    pub periods: Vec<Lost>,
}

/// A period of which nothing is known before an instant. Instants are Unix seconds.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    pub period: Period,
    /// 0 of all time.
    pub starts_at: i64,
    pub since: i64,
    /// 0 of all time.
    pub ends_at: i64,
}

/// What is remembered of restoring a board: the job before a call, and after it. Empty ones are none.
#[derive(Clone, Copy, Debug)]
pub struct Remembered<'r> {
    pub owner: &'r str,
    pub before: &'r str,
    pub after: &'r str,
}

/// A period that is restored.
#[derive(Clone, Copy, Debug)]
pub struct Restored {
    pub period: Period,
    /// Whether it is over, and restored as it was.
    pub is_closed: bool,
    /// Unix seconds.
    pub starts_at: i64,
    /// When Redis forgets it; 0 for never.
    pub kept_until: i64,
}

/// A step of restoring a period.
#[derive(Clone, Copy, Debug)]
pub enum Step<'s> {
    /// Add members to what lies aside, where so many are. `total` is how many there will be.
    Add { members: &'s [Member], added: u64, total: u64 },
    /// Put some of it in its place. When all is there, a note says so.
    Put { note: &'s str, noted: &'s str, total: u64 },
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is done; so many entries are still to be put in their place.
    Done(u64),
    /// Another owner is at it.
    Busy,
    /// What was added is gone, and so is the job.
    Lost,
    /// The period has something already. The job is gone.
    Changed,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// The periods of a board's calendar windows that lost their beginning, or never had it. `since` is what an earlier call answered.
    ///
    /// # Errors
    /// Why they are not known.
    pub async fn lost(&self, site: &Site, board: &Board, units: &[Unit], since: &str) -> Result<LostList, Error> {
        let call = |zone: &ZoneSpan| LostArgs {
            board: self.board_key(site, board),
            units: units.iter().map(|unit| unit.code()).collect(),
            since: since.into(),
            calendar: calendar_with_seasons(site, zone, &board.windows),
        };
        let LostReply { now_ms, since, losts } = self.call(site, years_with_seasons(self.guess_s, &board.windows), call).await?;
        let lost = |LostLost { unit, number, starts_at, since, ends_at }: LostLost| {
            let unit = units.iter().copied().find(|known| unit == known.code().to_string())?;
            Some(Lost { period: Period { unit, number }, starts_at, since, ends_at })
        };
        Ok(LostList { now_ms, since, periods: losts.into_iter().filter_map(lost).collect() })
    }

    /// The period of a unit in which the first event was counted on a board, and when (Unix seconds): the current one and now where none was.
    /// `None` where nobody knows.
    ///
    /// # Errors
    /// Why it is not known.
    pub async fn first_counted(&self, site: &Site, board: &Board, unit: Unit) -> Result<Option<(Period, i64)>, Error> {
        let LostList { periods, .. } = self.lost(site, board, &[unit], "").await?;
        Ok(periods.first().map(|first| (first.period, first.since)))
    }

    /// Does a step of restoring a period, and remembers the job.
    ///
    /// # Errors
    /// Why nobody knows; what is remembered tells.
    pub async fn restore(
        &self,
        site: &Site,
        board: &Board,
        of: Restored,
        step: Step<'_>,
        Remembered { owner, before, after }: Remembered<'_>,
    ) -> Result<Outcome, Error> {
        let (verb, members, added, total, note, noted) = match step {
            Step::Add { members, added, total } => ("add", members, added, total, "", ""),
            Step::Put { note, noted, total } => ("put", &[][..], 0, total, note, noted),
        };
        // Who stands first has the lowest number, or the greatest.
        let sequence = match (verb, board.ties) {
            ("add", Some(Ties::Last)) => total.saturating_sub(added),
            ("add", _) => added + 1,
            _ => total,
        };
        let member = |Member { id, score, tally }: &Member| {
            let tally = if board.breakdown { tally.clone() } else { String::new() };
            RestoreMember { id: id.as_str().into(), score: *score, tally }
        };
        let call = |zone: &ZoneSpan| RestoreArgs {
            board: self.board_key(site, board),
            owner: owner.into(),
            verb: verb.into(),
            before: before.into(),
            after: after.into(),
            note: note.into(),
            noted: noted.into(),
            unit: of.period.unit.code().into(),
            number: of.period.number,
            is_closed: of.is_closed.into(),
            sequence: sequence.try_into().unwrap_or(i64::MAX),
            added: added.try_into().unwrap_or(i64::MAX),
            starts_at: of.starts_at,
            kept_until: of.kept_until,
            target: target::fields(Target::Board(board), site),
            calendar: calendar_with_seasons(site, zone, &board.windows),
            members: members.iter().map(member).collect(),
        };
        Ok(match self.call(site, years_with_seasons(self.guess_s, &board.windows), call).await? {
            RestoreReply::Ok { remaining, .. } => Outcome::Done(remaining),
            RestoreReply::Busy { .. } => Outcome::Busy,
            RestoreReply::Lost { .. } => Outcome::Lost,
            RestoreReply::Changed { .. } => Outcome::Changed,
        })
    }
}
