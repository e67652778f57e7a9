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
use super::{Archive, ArchiveError, Archived};
use crate::app::copies::following::{Following, Why};

/// The run that is at a board.
pub(super) struct Run<'r> {
    pub site: &'r Site,
    pub board: &'r Board,
    pub owner: String,
    pub until_ms: u64,
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
        let (run, mut skipped) = (Run { site, board, owner: self.random.token(), until_ms }, Vec::new());
        let waits = loop {
            let looked = self.files.remember(&run, None, Step::Look, &[]).await?;
            let Some(Noted { notes, now_ms, .. }) = looked else { return Err(ArchiveError::Busy) };
            let reached_ms = match self.health.agreed_ms(now_ms) {
                Ok(reached_ms) => reached_ms,
                Err(differ) => {
                    self.files.note_held(&run, &[("owner".into(), String::new())]).await?;
                    return Err(ArchiveError::Clocks(differ));
                }
            };
            let remembered = Job::read(&notes);
            if let Some((job, _)) = remembered.as_ref().filter(|(job, _)| job.is_ahead(reached_ms / 1_000)) {
                self.files.note_held(&run, &job.ended()).await?;
                continue;
            }
            archived.following.insert(board.name.to_string(), Following::of(&run, &notes, &skipped, now_ms));
            let lag = self.next_lag(&run, &notes, least, &mut skipped).await?;
            if lag.is_some() && self.clock.clock_ms() >= run.until_ms {
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
                            self.files.note_held(&run, &job.ended()).await?;
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
        self.files.note_held(&run, &[("owner".into(), String::new())]).await?;
        Ok(waits)
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
}
