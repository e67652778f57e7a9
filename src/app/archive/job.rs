//! Archiving one period after the other. A job is remembered in Redis after each step, so that the next run goes on where one ended.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::follow::{Followed, Following, Lag, Lagging, Why, lags_of, names};
use super::manifest::{FORMAT, Group, Manifest, PART, Place, UNINDEXED};
use super::part::{Part, lines_of, sha256};
use super::{ArchiveError, Archived, job_of};
use crate::app::counters::Series;
use crate::app::upkeep::name_of;
use crate::app::{App, Runtime};
use crate::ranking::period::Period;
use crate::ranking::site::{Board, Site};
use crate::ranking::window::Unit;
use crate::store::Store;
use crate::store::archive::{Closed, ClosedList, Noted, Notes, Scanned, Step, Stored};

/// A period is archived that long after its end, so that what pages held back is in it. A minute after it was frozen, if it is.
const GRACE_S: i64 = 360;
/// Redis keeps a period for 30 days for the archive. When only so many seconds are left, the run says so.
const WARNING_S: i64 = 20 * 86_400;
const DAY_S: i64 = 86_400;

/// The names of what Redis remembers: the job, the parts that it wrote, and which periods it has whole that are archived, as `whole:day:20777`,
/// with the manifest's revision.
const JOB: &str = "job";
const PARTS: &str = "part:";
const WHOLE: &str = "whole:";
/// Since when changes are noted of the period that is being copied (Unix microseconds). The script notes it.
const BEGUN: &str = "begun";
/// What that says of a period that was archived before changes were noted.
const UNNAMED: &str = "1";
/// What it says of one that an older Redis has, which lacks what its archive got since.
const OLDER: &str = "older";
/// Periods of which Redis has all, and that were archived before their end, as `early:day:20777`.
const EARLY: &str = "early:";
/// What a reset took, as `reset:d:20777:1795176000123`: when that begins and ends.
const RESET: &str = "reset:";

/// What is done with a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Task {
    /// Redis keeps it.
    Copy,
    /// Redis forgets it.
    Leave,
    /// A reset took it, at that instant (Unix milliseconds).
    Reset { at_ms: i64 },
}

impl Task {
    /// Where Redis has its members.
    fn aside(self) -> Stored {
        match self {
            Self::Copy => Stored::Period,
            Self::Leave => Stored::Left,
            Self::Reset { at_ms } => Stored::Reset(at_ms),
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact that is remembered by its name")]
pub(super) struct Job {
    pub task: Task,
    /// Whether Redis had all that is archived of the period when the job began.
    pub is_whole: bool,
    /// Whether it is added.
    pub corrects: bool,
    /// Whether something was moved aside when the job began.
    #[serde(default)]
    pub had_left: bool,
    /// Of a period that was archived before, and that so much changed in that all of it is written anew: why, and since when its archive is
    /// behind (Unix milliseconds).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<(Why, i64)>,
    /// Whether it was archived before its end, and is archived anew.
    #[serde(default)]
    pub is_early: bool,
    /// Whether its members are written with their counts by action.
    #[serde(default)]
    pub tallied: bool,
    /// The unit's code.
    pub unit: char,
    pub number: i64,
    pub starts_at: i64,
    pub ends_at: i64,
    /// Since when changes of the period are noted (Unix microseconds): of a copy, which is of that instant. 0: it has not begun.
    #[serde(skip)]
    pub since_us: i64,
    /// What the names of its objects begin with. No two jobs have the same.
    pub token: String,
    /// How far the scan is: the place to go on from, and parts that were written.
    pub place: String,
    pub is_scanned: bool,
    pub parts: usize,
    pub groups: Vec<Group>,
}

impl Job {
    pub fn period(&self) -> Option<Period> {
        let unit = Unit::COUNTED.into_iter().find(|unit| unit.code() == self.unit)?;
        Some(Period { unit, number: self.number })
    }

    /// The job that is remembered, with its parts.
    pub fn read(notes: &Notes) -> Option<(Self, Vec<Part>)> {
        let mut job: Self = serde_json::from_slice(value(notes, JOB)?.as_bytes()).ok()?;
        job.since_us = value(notes, BEGUN).and_then(|at| at.parse().ok()).unwrap_or(0);
        let part = |i| serde_json::from_slice(value(notes, &format!("{PARTS}{i}"))?.as_bytes()).ok();
        let parts = (0..job.parts).map(part).collect::<Option<_>>()?;
        Some((job, parts))
    }

    /// What to remember of it, with a part that is new.
    pub fn notes(&self, part: Option<(usize, &Part)>) -> Notes {
        let json = |of: serde_json::Result<String>| of.unwrap_or_default();
        let mut notes = vec![(JOB.into(), json(serde_json::to_string(self)))];
        notes.extend(part.map(|(i, part)| (format!("{PARTS}{i}"), json(serde_json::to_string(part)))));
        notes
    }

    /// The same from the beginning, with the notes that are to be forgotten.
    pub fn anew(&mut self) -> Notes {
        let parts = self.forgotten_parts();
        (self.place, self.is_scanned, self.parts, self.groups, self.since_us) = (String::new(), false, 0, Vec::new(), 0);
        let mut notes = self.notes(None);
        notes.extend(parts);
        notes.push((BEGUN.into(), String::new()));
        notes
    }

    /// The notes that are to be forgotten when it ends.
    fn ended(&self) -> Notes {
        let mut notes = self.forgotten_parts();
        notes.extend([(JOB.into(), String::new()), (BEGUN.into(), String::new())]);
        notes
    }

    /// Whether clocks that were ahead began to copy a period that is not over. It is begun anew then.
    fn is_ahead(&self, now_s: i64) -> bool {
        self.task == Task::Copy && self.follows.is_none() && self.ends_at + GRACE_S > now_s
    }

    fn forgotten_parts(&self) -> Notes {
        (0..self.parts).map(|i| (format!("{PARTS}{i}"), String::new())).collect()
    }
}

/// The name of the note that Redis has a period whole that is archived.
pub(super) fn whole(unit: Unit, number: i64) -> String {
    format!("{WHOLE}{}:{number}", unit.name())
}

/// The name of the note that a period was archived before its end.
fn early(unit: Unit, number: i64) -> String {
    format!("{EARLY}{}:{number}", unit.name())
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

/// What is remembered under a name.
pub(super) fn value<'n>(notes: &'n Notes, name: &str) -> Option<&'n str> {
    notes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// What resets took and nobody has archived yet: the period, when it was reset (Unix milliseconds), and when it begins and ends.
pub(super) fn resets_of(notes: &Notes) -> impl Iterator<Item = (Period, i64, [i64; 2])> {
    notes.iter().filter_map(|(name, bounds)| {
        let [unit, number, at_ms] = name.strip_prefix(RESET)?.split(':').collect::<Vec<_>>().try_into().ok()?;
        let unit = Unit::COUNTED.into_iter().find(|known| unit.starts_with(known.code()))?;
        let (starts_at, ends_at) = bounds.split_once(' ')?;
        Some((Period { unit, number: number.parse().ok()? }, at_ms.parse().ok()?, [starts_at.parse().ok()?, ends_at.parse().ok()?]))
    })
}

/// The run that is at a board.
pub(super) struct Run<'r> {
    pub site: &'r Site,
    pub board: &'r Board,
    pub owner: String,
    pub until_ms: u64,
}

impl<R: Runtime> App<R> {
    /// Archives what is due of a board, one period after the other: first those that follow, where they are as urgent as `least`, then what resets
    /// took. The clocks must agree. Answers whether less urgent ones are left.
    pub(super) async fn archive_board(
        &self,
        site: &Site,
        board: &Board,
        until_ms: u64,
        least: Why,
        archived: &mut Archived,
    ) -> Result<bool, ArchiveError> {
        if !self.runtime.has_bucket() {
            return Err(ArchiveError::Absent);
        }
        let (run, mut skipped) = (Run { site, board, owner: self.runtime.token(), until_ms }, Vec::new());
        let waits = loop {
            let looked = self.remember(&run, None, Step::Look, &[]).await?;
            let Some(Noted { notes, now_ms, .. }) = looked else { return Err(ArchiveError::Busy) };
            let reached_ms = match self.agreed_ms(now_ms) {
                Ok(reached_ms) => reached_ms,
                Err(differ) => {
                    self.note_held(&run, &[("owner".into(), String::new())]).await?;
                    return Err(ArchiveError::Clocks(differ));
                }
            };
            let remembered = Job::read(&notes);
            if let Some((job, _)) = remembered.as_ref().filter(|(job, _)| job.is_ahead(reached_ms / 1_000)) {
                self.note_held(&run, &job.ended()).await?;
                continue;
            }
            archived.following.insert(board.name.to_string(), Following::of(&run, &notes, &skipped, now_ms));
            let lag = self.next_lag(&run, &notes, least, &mut skipped).await?;
            if lag.is_some() && self.runtime.clock_ms() >= run.until_ms {
                break true;
            }
            let is_less = |(job, _): &(Job, _)| job.follows.is_some_and(|(why, _)| why < least);
            let (mut job, mut parts) = if let Some((lag, closed)) = lag {
                skipped.push((lag.period, closed.starts_at));
                match self.follow_period(&run, &notes, lag, closed, archived).await? {
                    Followed::Done => {
                        skipped.pop();
                        archived.periods += 1;
                        continue;
                    }
                    // One at a time is archived anew, the most urgent first.
                    Followed::Much if remembered.as_ref().is_none_or(|(job, _)| job.follows.is_some_and(|(why, _)| why < lag.why)) => {
                        if let Some((job, _)) = remembered {
                            self.note_held(&run, &job.ended()).await?;
                        }
                        (self.job_anew(&run, lag, closed), Vec::new())
                    }
                    Followed::Much | Followed::Later => continue,
                }
            } else if remembered.as_ref().is_some_and(is_less) {
                break true;
            } else if let Some(remembered) = remembered {
                remembered
            } else if let Some(job) = self.next_job(&run, &notes, reached_ms / 1_000, archived).await? {
                (job, Vec::new())
            } else {
                self.sweep_some(&run, &notes, now_ms).await?;
                break lags_of(&notes).iter().any(|lag| lag.why < least);
            };
            if !self.work_on(&run, &notes, &mut job, &mut parts, archived).await? {
                break true;
            }
            archived.periods += 1;
        };
        self.note_held(&run, &[("owner".into(), String::new())]).await?;
        Ok(waits)
    }

    /// Remembers something, with a step; `None` where another run is at it.
    pub(super) async fn remember(
        &self,
        run: &Run<'_>,
        of: Option<Period>,
        step: Step,
        notes: &[(String, String)],
    ) -> Result<Option<Noted>, ArchiveError> {
        let of = of.unwrap_or(Period { unit: Unit::All, number: 0 });
        let archive = async |store: &Store<'_, R::Transport, R>| store.archive(run.site, run.board, &run.owner, of, step, notes).await;
        match step {
            Step::Look | Step::Note { .. } | Step::Leave { corrects: false } => Ok(self.repeat(archive).await?),
            _ => Ok(archive(&self.store()?).await?),
        }
    }

    /// The same, where another run can only be at it when this one took too long. Answers when (Unix milliseconds).
    pub(super) async fn checkpoint(&self, run: &Run<'_>, of: Period, step: Step, notes: &[(String, String)]) -> Result<i64, ArchiveError> {
        self.remember(run, Some(of), step, notes).await?.map(|noted| noted.now_ms).ok_or(ArchiveError::Busy)
    }

    /// Remembers something; fails where another run is at it, so that a run that stood still changes nothing that the other one wrote.
    pub(super) async fn note_held(&self, run: &Run<'_>, notes: &[(String, String)]) -> Result<(), ArchiveError> {
        self.remember(run, None, Step::Note { kept_until: 0 }, notes).await?.map(drop).ok_or(ArchiveError::Busy)
    }

    /// What is to be done next on a board: the oldest period that Redis is to forget, else the oldest that is over. `now_s` is an instant that both
    /// clocks have reached.
    async fn next_job(&self, run: &Run<'_>, notes: &Notes, now_s: i64, archived: &mut Archived) -> Result<Option<Job>, ArchiveError> {
        let Run { site, board, .. } = run;
        if let Some((period, at_ms, [starts_at, ends_at])) = resets_of(notes).next() {
            let taken = Closed { number: period.number, starts_at, ends_at, size: 0, left: 0 };
            let job = self.job(Task::Reset { at_ms }, false, period.unit, taken);
            return Ok(Some(Job { tallied: board.breakdown, ..job }));
        }
        for unit in Unit::COUNTED.into_iter().filter(|unit| board.archives(*unit)) {
            let kept_s = board.kept_s(unit);
            let list = self.read_store(async |store| store.closed(site, board, unit, board.stored_periods(unit)).await).await?;
            let found = found_early(notes, unit, &list);
            if !found.is_empty() {
                self.note_held(run, &found).await?;
            }
            for closed in list.periods {
                let is_gone = kept_s > 0 && closed.ends_at.saturating_add_unsigned(kept_s) <= now_s;
                let note = value(notes, &whole(unit, closed.number));
                let (is_whole, is_copied) = (note.is_some(), note.is_some_and(|note| note != UNNAMED));
                let is_early = value(notes, &early(unit, closed.number)).is_some();
                let task = match closed.left > 0 || is_gone {
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

    fn job(&self, task: Task, is_whole: bool, unit: Unit, closed: Closed) -> Job {
        let Closed { number, starts_at, ends_at, .. } = closed;
        let token = self.new_token();
        Job {
            task,
            is_whole,
            corrects: false,
            had_left: closed.left > 0,
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

    /// Does a job, and answers whether it is done; else time ran out, or what one run may write.
    ///
    /// 1. Move the period aside, where Redis is to forget it, or where it has only what came since: that is added to the archive.
    /// 2. Write its members in parts, best first. A part that was written before as it is now is kept.
    /// 3. Write who is in which part.
    /// 4. Write what is known of it all, and take away what that no longer names. The audit log tells of a period that is archived anew.
    /// 5. Have Redis forget the period, or keep it until it is moved aside.
    async fn work_on(
        &self,
        run: &Run<'_>,
        notes: &Notes,
        job: &mut Job,
        parts: &mut Vec<Part>,
        archived: &mut Archived,
    ) -> Result<bool, ArchiveError> {
        let period = job.period().ok_or_else(|| ArchiveError::Failed(format!("the job is of no unit: {}", job.unit)))?;
        let place = Place::of(&self.config.key_prefix, run.site, run.board, period, Some(job.starts_at))
            .ok_or_else(|| ArchiveError::Failed(format!("the {} {} has no id", period.unit.name(), period.number)))?;
        // 1.
        let place = if let Task::Reset { at_ms } = job.task { place.reset_at(at_ms) } else { place };
        let (known, is_reset) = (self.manifest(&place).await?, matches!(job.task, Task::Reset { .. }));
        let note = value(notes, &whole(period.unit, job.number));
        let is_known = known.as_ref().is_some_and(|known| {
            let is_own = known.job == job.token && !job.corrects;
            is_own || names(note, &known.job) || known.until_us == 0 && note == Some(UNNAMED)
        });
        // What an older Redis has of it may have been anew before it was archived.
        let until_us = known.as_ref().map_or(0, |known| known.until_us);
        let is_anew = lags_of(notes).iter().any(|lag| lag.period == period && lag.is_anew && lag.since_ms * 1_000 > until_us);
        let is_since = job.corrects || note.is_none() && (is_anew || job.had_left);
        let corrected = known.as_ref().filter(|_| !is_reset && is_since && !is_known);
        if corrected.is_some() {
            (job.task, job.corrects) = (Task::Leave, true);
        }
        let begins = job.task == Task::Copy && job.since_us == 0;
        let step = match job.task {
            Task::Leave => Step::Leave { corrects: job.corrects },
            Task::Copy if begins => Step::Begin,
            _ => Step::Note { kept_until: 0 },
        };
        if let Some(known) = known.as_ref().filter(|_| !is_reset && !is_since && !is_known) {
            return self.follow_older(run, job, period, &place, known, note).await;
        }
        let noted = self.remember(run, Some(period), step, &job.notes(None)).await?.ok_or(ArchiveError::Busy)?;
        let archived_at_ms = noted.now_ms;
        if begins {
            job.since_us = noted.since_us;
        }
        if let Some(known) = corrected {
            return self.correct(run, job, period, &place, known, archived_at_ms).await;
        }
        // 2.
        while !job.is_scanned {
            if self.runtime.clock_ms() >= run.until_ms || job.follows.is_some() && archived.parts_left == 0 {
                return Ok(false);
            }
            let Scanned { members, place: next } =
                self.read_store(async |store| store.scan(run.site, run.board, period, job.task.aside(), &job.place, PART).await).await?;
            self.memory.counters.add(Series::JobMembers, run.site.name.as_str(), &job_of(run.board), members.len() as u64);
            let same =
                known.as_ref().and_then(|known| known.parts.get(parts.len()).filter(|part| part.sha256 == sha256(&lines_of(&members))));
            let part = if let Some(same) = same {
                self.part(&place, same).await?;
                Some(same.clone())
            } else {
                archived.parts_left = archived.parts_left.saturating_sub(usize::from(job.follows.is_some()));
                self.put_part(&place, &format!("{}-{:05}", job.token, parts.len()), &members).await?
            };
            (job.is_scanned, job.place) = (next.is_none(), next.unwrap_or_default());
            let notes = job.noted_with(parts, part);
            self.checkpoint(run, period, Step::Note { kept_until: 0 }, &notes).await?;
        }
        // 3.
        let sizes = Manifest::group_sizes(parts.len());
        while job.groups.len() < sizes.len() {
            if self.runtime.clock_ms() >= run.until_ms {
                return Ok(false);
            }
            let (group, from) = (job.groups.len(), sizes[..job.groups.len()].iter().sum::<usize>());
            let mut index = None;
            if parts.len() > UNINDEXED {
                let marks = self.index_of(&place, &parts[from..from + sizes[group]]).await?;
                index = Some(self.put_index(&place, &format!("{}-{group:05}", job.token), &marks).await?);
            }
            job.groups.push(Group { parts: sizes[group], index });
            self.checkpoint(run, period, Step::Note { kept_until: 0 }, &job.notes(None)).await?;
        }
        // 4.
        if parts.is_empty() && (known.is_some() || is_reset) && !self.is_empty(run, job).await? {
            // It is archived, and Redis lost it meanwhile.
            self.finish(run, job, period).await?;
            return Ok(true);
        }
        let manifest = Manifest {
            until_us: if job.task == Task::Copy { job.since_us } else { archived_at_ms * 1_000 },
            lost_from_us: None,
            format: FORMAT,
            number: job.number,
            starts_at: job.starts_at,
            ends_at: job.ends_at,
            archived_at_ms,
            revision: known.as_ref().map_or(1, |known| known.revision + u32::from(job.is_early && known.job != job.token)),
            total: parts.iter().map(|part| part.count).sum(),
            tallied: job.tallied && run.board.breakdown,
            job: job.token.clone(),
            parts: parts.clone(),
            groups: job.groups.clone(),
            tag: known.map(|known| known.tag).unwrap_or_default(),
            lost: None,
        };
        if job.is_early {
            self.note_made_anew(run, period, job.starts_at, manifest.revision).await?;
        }
        let manifest = if job.task == Task::Copy { self.at_its_beginning(run, period, &place, manifest).await? } else { manifest };
        self.put_manifest(run, &place, &manifest).await?;
        // 5.
        self.finish(run, job, period).await?;
        Ok(true)
    }

    /// Adds what came for a period that an older Redis has, and ends the job: what else Redis has of it, the archive has. Redis keeps it, until it is
    /// restored or would be moved aside.
    async fn follow_older(
        &self,
        run: &Run<'_>,
        job: &Job,
        period: Period,
        place: &Place,
        known: &Manifest,
        note: Option<&str>,
    ) -> Result<bool, ArchiveError> {
        self.follow(run, period, place, known, note, &mut { usize::MAX }).await?;
        let mut notes = job.ended();
        let is_left = job.task == Task::Leave;
        notes.push((whole(period.unit, job.number), if is_left { String::new() } else { OLDER.into() }));
        if is_left {
            self.checkpoint(run, period, Step::Leave { corrects: false }, &[]).await?;
            self.checkpoint(run, period, Step::Forget { of: Stored::Left, count: 0 }, &notes).await?;
        } else {
            self.note_held(run, &notes).await?;
        }
        Ok(true)
    }

    /// Notes in the audit log that a period is archived anew, which clocks that were ahead had archived before its end.
    async fn note_made_anew(&self, run: &Run<'_>, period: Period, starts_at: i64, revision: u32) -> Result<(), ArchiveError> {
        let id = period.id(Some(starts_at), run.site.week_starts_on);
        let (board, unit) = (run.board.name.as_str(), period.unit.name());
        let what = json!({ "did": "archive", "board": board, "unit": unit, "period": id, "revision": revision });
        self.note(run.site, &what).await.map_err(|failure| ArchiveError::Failed(failure.detail))
    }

    /// A copy as the period was when it began: who changed meanwhile may be in it twice, or not at all.
    async fn at_its_beginning(&self, run: &Run<'_>, period: Period, place: &Place, copied: Manifest) -> Result<Manifest, ArchiveError> {
        let Lagging::Members(changed) = self.noted(run, period, false, u64::MAX).await? else { return Ok(copied) };
        if changed.is_empty() {
            return Ok(copied);
        }
        let changed = self.assigned(place, &copied, changed, None, run.board.breakdown).await?;
        self.amend(place, &copied, changed, &self.new_token()).await
    }

    /// The next period whose archive is behind, and as urgent as that, with what is known of it in Redis. Those that are not archived, or have not
    /// ended, are skipped, and those that Redis is to forget: they are archived anew then. So is the one that is being copied.
    async fn next_lag(
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
                self.store()?.closed_one(site, board, period, board.stored_periods(period.unit)).await?;
            let kept_s = board.kept_s(period.unit);
            let is_due = |closed: &Closed| kept_s == 0 || closed.ends_at.saturating_add_unsigned(kept_s) > now_ms / 1_000;
            match periods.into_iter().find(|closed| closed.left == 0 && is_due(closed)) {
                Some(closed) => return Ok(Some((lag, closed))),
                None => skipped.push((period, period.about(site.week_starts_on).unwrap_or_default())),
            }
        }
        Ok(None)
    }

    /// Has the archive of a period follow.
    async fn follow_period(
        &self,
        run: &Run<'_>,
        notes: &Notes,
        Lag { period, .. }: Lag,
        closed: Closed,
        archived: &mut Archived,
    ) -> Result<Followed, ArchiveError> {
        let place = Place::of(&self.config.key_prefix, run.site, run.board, period, Some(closed.starts_at))
            .ok_or_else(|| ArchiveError::Failed(format!("the {} {} has no id", period.unit.name(), period.number)))?;
        // All of it is archived anew where the archive lost it.
        let Some(known) = self.manifest(&place).await? else { return Ok(Followed::Much) };
        let note = value(notes, &whole(period.unit, period.number));
        self.follow(run, period, &place, &known, note, &mut archived.parts_left).await
    }

    /// The job that archives a period anew.
    fn job_anew(&self, run: &Run<'_>, Lag { period, why, since_ms, .. }: Lag, closed: Closed) -> Job {
        let job = self.job(Task::Copy, true, period.unit, closed);
        Job { tallied: run.board.breakdown, follows: Some((why, since_ms)), ..job }
    }

    /// Whether Redis has what is archived of a period, which is nobody.
    async fn is_empty(&self, run: &Run<'_>, job: &Job) -> Result<bool, ArchiveError> {
        let Some(period) = job.period().filter(|_| matches!(job.task, Task::Copy | Task::Leave)) else { return Ok(false) };
        let ClosedList { periods, .. } =
            self.store()?.closed_one(run.site, run.board, period, run.board.stored_periods(period.unit)).await?;
        let is_there = |closed: &Closed| if job.task == Task::Leave { closed.left > 0 } else { closed.size > 0 };
        Ok(periods.iter().any(is_there))
    }

    /// Ends a job: Redis forgets the period, or the job alone.
    pub(super) async fn finish(&self, run: &Run<'_>, job: &Job, period: Period) -> Result<(), ArchiveError> {
        let mut notes = job.ended();
        let is_kept = job.task == Task::Copy;
        notes.push(match job.task {
            Task::Reset { at_ms } => (format!("{RESET}{}:{}:{at_ms}", job.unit, job.number), String::new()),
            _ => (whole(period.unit, job.number), if is_kept { job.token.clone() } else { String::new() }),
        });
        notes.push((early(period.unit, job.number), String::new()));
        let step = if is_kept {
            let stored_s = run.board.stored_s(period.unit, run.board.kept_s(period.unit));
            Step::Note { kept_until: if stored_s == 0 { 0 } else { job.ends_at.saturating_add_unsigned(stored_s) } }
        } else {
            Step::Forget { of: job.task.aside(), count: 0 }
        };
        self.checkpoint(run, period, step, &notes).await.map(drop)
    }
}

impl Job {
    /// What to remember when a part was written, which is added to the others.
    fn noted_with(&mut self, parts: &mut Vec<Part>, part: Option<Part>) -> Notes {
        let Some(part) = part else { return self.notes(None) };
        self.parts += 1;
        let notes = self.notes(Some((parts.len(), &part)));
        parts.push(part);
        notes
    }
}
