//! Doing a job of the archive: copying a period, or adding to it.

use engine::store::archive::{Closed, ClosedList, Notes, Scanned, Step, Stored};
use ranking::period::Period;
use serde_json::json;
use serve::app::ports::Runtime;

use super::follow::{Lagging, lags_of, names};
use super::job::{Job, OLDER, RESET, Task, UNNAMED, early, value, whole};
use super::manifest::{FORMAT, Group, Manifest, PART, Place, UNINDEXED};
use super::part::{Part, lines_of, sha256};
use super::run::Run;
use super::{Archive, ArchiveError, Archived, COPIED};
use crate::app::copies::runs::Scope;

impl<R: Runtime> Archive<'_, R> {
    /// Does a job, and answers whether it is done; else time ran out, or what one run may write.
    ///
    /// 1. Move the period aside, where Redis is to forget it, or where it has only what came since: that is added to the archive.
    /// 2. Write its members in parts, best first. A part that was written before as it is now is kept.
    /// 3. Write who is in which part.
    /// 4. Write what is known of it all, and take away what that no longer names. The audit log tells of a period that is archived anew.
    /// 5. Have Redis forget the period, or keep it until it is moved aside.
    pub(super) async fn work_on(
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
        let (known, is_reset) = (self.files.manifest(&place).await?, matches!(job.task, Task::Reset { .. }));
        let note = value(notes, &whole(period.unit, job.number));
        let is_known = known.as_ref().is_some_and(|known| {
            let is_own = known.job == job.token && !job.corrects;
            is_own || names(note, &known.job) || known.until_us == 0 && note == Some(UNNAMED)
        });
        // What an older Redis has of it may have been anew before it was archived.
        let until_us = known.as_ref().map_or(0, |known| known.until_us);
        let is_anew = lags_of(notes).iter().any(|lag| lag.period == period && lag.is_anew && lag.since_ms >= until_us / 1_000);
        let is_since = job.corrects || note.is_none() && (is_anew || job.had_remaining);
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
        let noted = self.files.remember(run, Some(period), step, &job.notes(None)).await?.ok_or(ArchiveError::Busy)?;
        let archived_at_ms = noted.now_ms;
        if begins {
            job.since_us = noted.since_us;
        }
        if let Some(known) = corrected {
            return self.correct(run, job, period, &place, known, noted.since_us).await;
        }
        // 2.
        while !job.is_scanned {
            if self.clock.clock_ms() >= run.until_ms || job.follows.is_some() && archived.remaining_parts == 0 {
                return Ok(false);
            }
            let Scanned { members, place: next } =
                self.redis.read(async |store| store.scan(run.site, run.board, period, job.task.copy(), &job.place, PART).await).await?;
            self.runs.count_members(&COPIED, Scope::board(run.site, run.board), members.len());
            let same =
                known.as_ref().and_then(|known| known.parts.get(parts.len()).filter(|part| part.sha256 == sha256(&lines_of(&members))));
            let part = if let Some(same) = same {
                self.files.part(&place, same).await?;
                Some(same.clone())
            } else {
                archived.remaining_parts = archived.remaining_parts.saturating_sub(usize::from(job.follows.is_some()));
                self.files.put_part(&place, &format!("{}-{:05}", job.token, parts.len()), &members).await?
            };
            (job.is_scanned, job.place) = (next.is_none(), next.unwrap_or_default());
            let notes = job.noted_with(parts, part);
            self.files.checkpoint(run, period, Step::Note { kept_until: 0 }, &notes).await?;
        }
        // 3.
        let sizes = Manifest::group_sizes(parts.len());
        while job.groups.len() < sizes.len() {
            if self.clock.clock_ms() >= run.until_ms {
                return Ok(false);
            }
            let (group, from) = (job.groups.len(), sizes[..job.groups.len()].iter().sum::<usize>());
            let mut index = None;
            if parts.len() > UNINDEXED {
                let marks = self.files.index_of(&place, &parts[from..from + sizes[group]]).await?;
                index = Some(self.files.put_index(&place, &format!("{}-{group:05}", job.token), &marks).await?);
            }
            job.groups.push(Group { parts: sizes[group], index });
            self.files.checkpoint(run, period, Step::Note { kept_until: 0 }, &job.notes(None)).await?;
        }
        // 4.
        if parts.is_empty() && (known.is_some() || is_reset) && !self.is_empty(run, job).await? {
            // It is archived, and Redis lost it meanwhile.
            self.finish(run, job, period).await?;
            return Ok(true);
        }
        let manifest = Manifest {
            until_us: job.until_us(&noted),
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
        self.files.put_manifest(run, &place, &manifest).await?;
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
        let is_pending = job.task == Task::Leave;
        notes.push((whole(period.unit, job.number), if is_pending { String::new() } else { OLDER.into() }));
        if is_pending {
            self.files.checkpoint(run, period, Step::Leave { corrects: false }, &[]).await?;
            self.files.checkpoint(run, period, Step::Forget { of: Stored::Remaining, count: 0 }, &notes).await?;
        } else {
            self.files.note_held(run, &notes).await?;
        }
        Ok(true)
    }

    /// Notes in the audit log that a period is archived anew, which clocks that were ahead had archived before its end.
    async fn note_made_anew(&self, run: &Run<'_>, period: Period, starts_at: i64, revision: u32) -> Result<(), ArchiveError> {
        let id = period.id(Some(starts_at), run.site.week_starts_on);
        let (board, unit) = (run.board.name.as_str(), period.unit.name());
        let what = json!({ "did": "archive", "board": board, "unit": unit, "period": id, "revision": revision });
        self.audit.note(run.site, &what).await.map_err(|failure| ArchiveError::Failed(failure.detail))
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

    /// Whether Redis has what is archived of a period, which is nobody.
    async fn is_empty(&self, run: &Run<'_>, job: &Job) -> Result<bool, ArchiveError> {
        let Some(period) = job.period().filter(|_| matches!(job.task, Task::Copy | Task::Leave)) else { return Ok(false) };
        let ClosedList { periods, .. } =
            self.redis.store()?.closed_one(run.site, run.board, period, run.board.stored_periods(period.unit)).await?;
        let is_there = |closed: &Closed| if job.task == Task::Leave { closed.remaining > 0 } else { closed.size > 0 };
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
            Step::Forget { of: job.task.copy(), count: 0 }
        };
        self.files.checkpoint(run, period, step, &notes).await.map(drop)
    }
}
