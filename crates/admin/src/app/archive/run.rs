//! A run over the archive of a board: one period after the other. What is done is remembered in Redis after each step, so that the next run goes on
//! where one ended.
//!
//! One run at a time works on a board. Its owner is in the notes, for half a minute after each step. After that another run may
//! take the board over, and the first one stops: it asks before it changes a manifest, and replaces only the manifest that it
//! read (R2's `onlyIf`; `lua/replace_object.lua`). The names of other objects end with a digest of their content, so two runs
//! at one job overwrite nothing. What is deleted was listed before a run asks whether the board is still its own.

use engine::store::Store;
use engine::store::archive::{Closed, Noted, Notes, Step};
use ranking::period::Period;
use ranking::site::{Board, Site};
use ranking::window::Unit;
use serve::app::ports::Runtime;

use super::bucket::ArchiveFiles;
use super::follow::{Followed, Lag, lags_of};
use super::job::{Job, value, whole};
use super::manifest::Place;
use super::part::Part;
use super::{Archive, ArchiveError, Archived};
use crate::app::copies::following::{Following, Why};
use crate::app::copies::machine::{Copier, Next, Written};
use crate::app::copies::runs::Scope;

/// The run that is at a board.
pub(super) struct Run<'r> {
    pub site: &'r Site,
    pub board: &'r Board,
    pub owner: String,
    pub until_ms: u64,
}

/// Archiving what is due of a board.
struct Archiving<'r, R> {
    archive: &'r Archive<'r, R>,
    run: &'r Run<'r>,
    least: Why,
    archived: &'r mut Archived,
    /// Periods that do not follow in this run, and when they begin.
    skipped: Vec<(Period, i64)>,
}

/// What is due of a board, with what Redis remembers of it: a period that follows, or else a job.
struct Due {
    notes: Notes,
    lag: Option<(Lag, Closed)>,
    /// The job that is remembered, with its parts; else the next one.
    job: Option<(Job, Vec<Part>)>,
}

impl<R: Runtime> Archive<'_, R> {
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
        if !self.files.is_bound() {
            return Err(self.files.no_bucket());
        }
        let run = Run { site, board, owner: self.random.token(), until_ms };
        let mut archiving = Archiving { archive: self, run: &run, least, archived, skipped: Vec::new() };
        let is_done = self.copies.copy(Scope::board(site, board), &mut archiving).await?;
        self.files.release(&run).await?;
        Ok(!is_done)
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
        let Some(known) = self.files.manifest(&place).await? else { return Ok(Followed::Much) };
        let note = value(notes, &whole(period.unit, period.number));
        self.follow(run, period, &place, &known, note, &mut archived.remaining_parts).await
    }
}

impl<R: Runtime> Copier for Archiving<'_, R> {
    type Chunk = Due;
    type Error = ArchiveError;

    async fn take(&mut self, _written: Option<Due>) -> Result<Next<Due>, ArchiveError> {
        let Self { archive, run, least, .. } = *self;
        let looked = archive.files.remember(run, None, Step::Look, &[]).await?;
        let Noted { notes, now_ms, .. } = looked.ok_or(ArchiveError::Busy)?;
        let reached_ms = match archive.health.agreed_ms(now_ms) {
            Ok(reached_ms) => reached_ms,
            Err(differ) => {
                archive.files.release(run).await?;
                return Err(ArchiveError::Clocks(differ));
            }
        };
        let mut job = Job::read(&notes);
        if let Some((ahead, _)) = job.as_ref().filter(|(job, _)| job.is_ahead(reached_ms / 1_000)) {
            archive.files.note_held(run, &ahead.ended()).await?;
            return Ok(Next::Chunk(Due { notes, lag: None, job: None }));
        }
        self.archived.following.insert(run.board.name.to_string(), Following::of(run, &notes, &self.skipped, now_ms));
        let lag = archive.next_lag(run, &notes, least, &mut self.skipped).await?;
        let is_less = |(job, _): &(Job, _)| job.follows.is_some_and(|(why, _)| why < least);
        if lag.is_some() && archive.clock.clock_ms() >= run.until_ms || lag.is_none() && job.as_ref().is_some_and(is_less) {
            return Ok(Next::Pending);
        }
        if lag.is_none() && job.is_none() {
            job = archive.next_job(run, &notes, reached_ms / 1_000, self.archived).await?.map(|job| (job, Vec::new()));
            if job.is_none() {
                archive.sweep_some(run, &notes, now_ms).await?;
                let waits = lags_of(&notes).iter().any(|lag| lag.why < least);
                return Ok(if waits { Next::Pending } else { Next::Done });
            }
        }
        Ok(Next::Chunk(Due { notes, lag, job }))
    }

    async fn write(&mut self, Due { notes, lag, job }: &mut Due) -> Result<Written, ArchiveError> {
        let Self { archive, run, .. } = *self;
        if let Some((lag, closed)) = *lag {
            self.skipped.push((lag.period, closed.starts_at));
            match archive.follow_period(run, notes, lag, closed, self.archived).await? {
                Followed::Done => {
                    self.skipped.pop();
                    self.archived.periods += 1;
                    return Ok(Written::Whole);
                }
                // One at a time is archived anew, the most urgent first.
                Followed::Much if job.as_ref().is_none_or(|(job, _)| job.follows.is_some_and(|(why, _)| why < lag.why)) => {
                    if let Some((job, _)) = job {
                        archive.files.note_held(run, &job.ended()).await?;
                    }
                    *job = Some((archive.job_anew(run, lag, closed), Vec::new()));
                }
                Followed::Much | Followed::Later => return Ok(Written::Whole),
            }
        }
        let Some((job, parts)) = job else { return Ok(Written::Whole) };
        if !archive.work_on(run, notes, job, parts, self.archived).await? {
            return Ok(Written::Pending);
        }
        self.archived.periods += 1;
        Ok(Written::Whole)
    }
}

impl<R: Runtime> ArchiveFiles<'_, R> {
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
            Step::Look | Step::Note { .. } | Step::Leave { corrects: false } => Ok(self.redis.repeat(archive).await?),
            _ => Ok(archive(&self.redis.store()?).await?),
        }
    }

    /// The same, where another run can only be at it when this one took too long. Answers when (Unix milliseconds).
    pub(super) async fn checkpoint(&self, run: &Run<'_>, of: Period, step: Step, notes: &[(String, String)]) -> Result<i64, ArchiveError> {
        self.remember(run, Some(of), step, notes).await?.map(|noted| noted.now_ms).ok_or(ArchiveError::Busy)
    }

    /// Remembers something; fails where another run is at it, so that a run that was held up changes nothing that the other one wrote.
    pub(super) async fn note_held(&self, run: &Run<'_>, notes: &[(String, String)]) -> Result<(), ArchiveError> {
        self.remember(run, None, Step::Note { kept_until: 0 }, notes).await?.map(drop).ok_or(ArchiveError::Busy)
    }

    /// Lets the next run have the board at once.
    pub(super) async fn release(&self, run: &Run<'_>) -> Result<(), ArchiveError> {
        self.note_held(run, &[("owner".into(), String::new())]).await
    }
}
