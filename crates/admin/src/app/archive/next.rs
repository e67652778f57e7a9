//! The next job on the archive of a board.

use engine::store::archive::{Closed, ClosedList, Notes};
use ranking::period::Period;
use ranking::site::Board;
use ranking::window::Unit;
use serve::app::agenda::name_of;
use serve::app::ports::Runtime;

use super::follow::{Lag, lags_of};
use super::job::{Job, Task, UNNAMED, WHOLE, early, resets_of, value, whole};
use super::manifest::ALL_TIME;
use super::run::Run;
use super::{Archive, ArchiveError, Archived};
use crate::app::copies::following::Why;

/// A period is archived that long after its end, so that what pages held back is in it. A minute after it was frozen, if it is.
pub(super) const GRACE_S: i64 = 360;
/// Redis keeps a period for 30 days for the archive. When only so many seconds are left, the run says so.
const WARNING_S: i64 = 20 * 86_400;
const DAY_S: i64 = 86_400;

impl<R: Runtime> Archive<'_, R> {
    /// What is to be done next on a board: the oldest period that Redis is to forget, else the oldest that is over. `now_s` is an instant that both
    /// clocks have reached.
    pub(super) async fn next_job(
        &self,
        run: &Run<'_>,
        notes: &Notes,
        now_s: i64,
        archived: &mut Archived,
    ) -> Result<Option<Job>, ArchiveError> {
        let Run { site, board, .. } = run;
        if let Some((period, at_ms, [starts_at, ends_at])) = resets_of(notes).next() {
            let taken = Closed { number: period.number, starts_at, ends_at, size: 0, remaining: 0 };
            let job = self.job(Task::Reset { at_ms }, false, period.unit, taken);
            return Ok(Some(Job { tallied: board.breakdown, ..job }));
        }
        for unit in Unit::COUNTED.into_iter().filter(|unit| board.archives(*unit)) {
            let kept_s = board.kept_s(unit);
            let list = self.redis.read(async |store| store.closed(site, board, unit, board.stored_periods(unit)).await).await?;
            let found = found_early(notes, unit, &list);
            if !found.is_empty() {
                self.files.note_held(run, &found).await?;
            }
            for closed in list.periods {
                let is_expired = kept_s > 0 && closed.ends_at.saturating_add_unsigned(kept_s) <= now_s;
                let note = value(notes, &whole(unit, closed.number));
                let (is_whole, is_copied) = (note.is_some(), note.is_some_and(|note| note != UNNAMED));
                let is_early = value(notes, &early(unit, closed.number)).is_some();
                let task = match closed.remaining > 0 || is_expired {
                    true => Task::Leave,
                    false if (!is_copied || is_early) && closed.ends_at + GRACE_S <= now_s => Task::Copy,
                    false => continue,
                };
                let forgotten_in_s = closed.ends_at.saturating_add_unsigned(board.stored_s(unit, kept_s)) - now_s;
                if task == Task::Leave && is_whole && forgotten_in_s < WARNING_S {
                    let (name, days) = (name_of(site, board), forgotten_in_s / DAY_S);
                    archived.failures.push(format!("{name}: archive: Redis forgets the {} {} in {days} days", unit.name(), closed.number));
                }
                return Ok(Some(Job { tallied: board.breakdown, is_early, ..self.job(task, is_whole, unit, closed) }));
            }
        }
        Ok(None)
    }

    /// The next period whose archive is behind, and as urgent as that, with what is known of it in Redis. Those that are not archived, or have not
    /// ended, are skipped, and those that Redis is to forget: they are archived anew then. So is the one that is being copied.
    pub(super) async fn next_lag(
        &self,
        run: &Run<'_>,
        notes: &Notes,
        least: Why,
        skipped: &mut Vec<(Period, i64)>,
    ) -> Result<Option<(Lag, Closed)>, ArchiveError> {
        let Run { site, board, .. } = run;
        let copied = Job::read(notes).and_then(|(job, _)| job.period());
        for lag in lags_of(notes) {
            let Lag { period, why, .. } = lag;
            let is_copied = value(notes, &whole(period.unit, period.number)).is_some_and(|note| note != UNNAMED);
            let is_skipped = Some(period) == copied || skipped.iter().any(|(known, _)| *known == period);
            if is_skipped || why < least || !is_copied || !board.archives(period.unit) {
                continue;
            }
            let ClosedList { now_ms, periods, .. } =
                self.redis.store()?.closed_one(site, board, period, board.stored_periods(period.unit)).await?;
            let kept_s = board.kept_s(period.unit);
            let is_due = |closed: &Closed| kept_s == 0 || closed.ends_at.saturating_add_unsigned(kept_s) > now_ms / 1_000;
            match periods.into_iter().find(|closed| closed.remaining == 0 && is_due(closed)) {
                Some(closed) => return Ok(Some((lag, closed))),
                None => skipped.push((period, period.about(site.week_starts_on).unwrap_or_default())),
            }
        }
        Ok(None)
    }

    fn job(&self, task: Task, is_whole: bool, unit: Unit, closed: Closed) -> Job {
        let Closed { number, starts_at, ends_at, .. } = closed;
        let token = self.new_token();
        Job {
            task,
            is_whole,
            corrects: false,
            had_remaining: closed.remaining > 0,
            follows: None,
            is_early: false,
            tallied: false,
            unit: unit.code(),
            number,
            starts_at,
            ends_at,
            since_us: 0,
            token,
            place: String::new(),
            is_scanned: false,
            parts: 0,
            groups: Vec::new(),
        }
    }

    /// The job that archives all time of a board that nothing changes since an instant (Unix seconds).
    pub(super) fn job_of_all_time(&self, board: &Board, since: i64) -> Job {
        let closed = Closed { number: ALL_TIME.number, starts_at: 0, ends_at: since, size: 0, remaining: 0 };
        Job { tallied: board.breakdown, ..self.job(Task::Copy, false, ALL_TIME.unit, closed) }
    }

    /// The job that archives a period anew.
    pub(super) fn job_anew(&self, run: &Run<'_>, Lag { period, why, since_ms, .. }: Lag, closed: Closed) -> Job {
        let job = self.job(Task::Copy, true, period.unit, closed);
        Job { tallied: run.board.breakdown, follows: Some((why, since_ms)), ..job }
    }
}

/// The notes that periods of a unit were archived before their end by clocks that were ahead, where nobody noted it yet: Redis has them whole, and
/// they are not over.
fn found_early(notes: &Notes, unit: Unit, closed: &ClosedList) -> Notes {
    let prefix = format!("{WHOLE}{}:", unit.name());
    let numbers = notes.iter().filter_map(|(name, _)| name.strip_prefix(&prefix)?.parse::<i64>().ok());
    let is_open = |number: &i64| *number >= closed.current && closed.periods.iter().all(|closed| closed.number != *number);
    numbers
        .filter(is_open)
        .map(|number| early(unit, number))
        .filter(|name| value(notes, name).is_none())
        .map(|name| (name, "1".into()))
        .collect()
}
