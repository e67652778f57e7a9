//! Restoring a Redis that lost what it had, from the archive: every archived period that Redis would still keep, and what of the periods
//! that go on follows from archived ones.
//!
//! A period that lost its beginning is built from the longest archived periods that lie in it and ended before it was counted again: a year of
//! months, days and hours. So nothing is counted twice, and a Redis that lost nothing gets nothing. What a reset took stays away.
//!
//! # Out of scope
//! Curation, removals, what counts once, and what can be undone: they are in no archive.
//!
//! What is restored follows from the instants since when units are counted (`lua/lost.lua`). Archived periods that ended, and
//! were archived, before that are in nothing that Redis counted after it. A period that is corrected after a loss keeps its
//! earlier parts until it is archived anew: the correction is in the longer periods already.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::store::archive::{Member, Noted, Notes, Step as Noting};
use engine::store::restore::{Lost, LostList, MEMBERS, Outcome, Remembered, Restored, Step};
use ranking::period::Period;
use ranking::site::{Board, Site};
use ranking::window::{Kind, Unit};
use serve::app::ports::{Clock, Random, Runtime};
use serve::app::redis::Redis;
use serve::config::Config;

use super::bucket::ArchiveFiles;
use super::follow::names;
use super::job::{value, whole};
use super::manifest::{ALL_TIME, Manifest, Place, folder_of_manifests};
use super::resets::Resets;
use super::restoring::{ABOUT_S, Filled, JOB, Restoration, Restoring, Whole, period_of};
use super::run::Run;
use super::{Archive, ArchiveError, Archived};
use crate::app::copies::following::Why;

/// How often a period is tried again for which something came meanwhile.
const TRIES: usize = 3;

/// The names of what Redis remembers: since when each unit is counted, and the periods that got what they had lost.
const SINCE: &str = "since";
const FILLED: &str = "restored:";

/// A board that is being restored: what is remembered of it.
struct Work<'w> {
    run: Run<'w>,
    is_dry: bool,
    notes: Notes,
    /// The job as it is remembered.
    remembered: String,
    resets: Resets,
}

/// What became of a period.
enum End {
    Done,
    /// Time ran out.
    Late,
    /// Something came for it meanwhile.
    Changed,
}

/// Filling Redis from the archive.
pub struct ArchiveRestore<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) archive: Archive<'a, R>,
    pub(in crate::app) files: ArchiveFiles<'a, R>,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) random: &'a dyn Random,
}

impl<R: Runtime> ArchiveRestore<'_, R> {
    /// Restores a board from its archive until `until_ms` (by the edge's clock) has come; doing it again goes on.
    ///
    /// 1. Add to the archive what came for archived periods since Redis lost them.
    /// 2. Put together what the periods lost that were counted when Redis did.
    /// 3. Put back each archived period that Redis would keep, and has not whole.
    ///
    /// # Errors
    /// When the archive or Redis does not answer; some of it may be done.
    pub async fn restore(&self, site: &Rc<Site>, board: &Rc<Board>, is_dry: bool, until_ms: u64) -> Result<Restoration, ArchiveError> {
        let mut restored = Restoration::default();
        for _ in 0..TRIES {
            if !is_dry {
                match self.archive.archive_board(site, board, until_ms, Why::Counted, &mut Archived::default()).await {
                    Err(ArchiveError::Busy) => return Ok(Restoration { is_busy: true, ..restored }),
                    done => drop(done?),
                }
            }
            let run = Run { site, board, owner: self.random.token(), until_ms };
            let Some(Noted { notes, .. }) = self.files.remember(&run, None, Noting::Look, &[]).await? else {
                return Ok(Restoration { is_busy: true, ..restored });
            };
            let remembered = value(&notes, JOB).unwrap_or_default().to_owned();
            let resets = self.files.resets(site, board).await?;
            let mut work = Work { run, is_dry, notes, remembered, resets };
            restored.filled.clear();
            let end = self.restore_periods(&mut work, &mut restored).await;
            let freed = [("owner".into(), String::new())];
            match end {
                Err(ArchiveError::Busy) => return Ok(Restoration { is_busy: true, ..restored }),
                Err(error) => return Err(error),
                Ok(end) => {
                    self.files.remember(&work.run, None, Noting::Note { kept_until: 0 }, &freed).await?;
                    match end {
                        End::Done => return Ok(Restoration { is_done: true, ..restored }),
                        End::Late => return Ok(restored),
                        End::Changed => {}
                    }
                }
            }
        }
        Ok(restored)
    }

    async fn restore_periods(&self, work: &mut Work<'_>, restored: &mut Restoration) -> Result<End, ArchiveError> {
        let (site, board) = (work.run.site, work.run.board);
        let mut units: Vec<Unit> =
            Unit::COUNTED.into_iter().filter(|unit| board.windows.iter().any(|window| window.kind == Kind::Calendar(*unit))).collect();
        if let Some(place) = Place::of_all_time(&self.config.key_prefix, site, board)
            && let Some(manifest) = self.files.ended_manifest(&place).await?
        {
            match self.restore_all_time(work, &place, &manifest, restored).await? {
                End::Done => {}
                end => return Ok(end),
            }
            units.retain(|unit| *unit != ALL_TIME.unit);
        }
        let known = value(&work.notes, SINCE).unwrap_or_default().to_owned();
        let LostList { now_ms, since, periods } = self.redis.read(async |store| store.lost(site, board, &units, &known).await).await?;
        if !work.is_dry && since != known {
            self.files.remember(&work.run, None, Noting::Note { kept_until: 0 }, &[(SINCE.into(), since)]).await?;
        }
        for lost in periods {
            match self.restore_lost(work, lost, restored).await? {
                End::Done => {}
                end => return Ok(end),
            }
        }
        for unit in units.iter().copied().filter(|unit| board.archives(*unit)) {
            match self.restore_closed(work, unit, now_ms / 1_000, restored).await? {
                End::Done => {}
                end => return Ok(end),
            }
        }
        Ok(End::Done)
    }

    /// All time of a board that was archived as a whole: as it was then, and not put together from periods.
    async fn restore_all_time(
        &self,
        work: &mut Work<'_>,
        place: &Place,
        manifest: &Manifest,
        restored: &mut Restoration,
    ) -> Result<End, ArchiveError> {
        if names(value(&work.notes, &whole(ALL_TIME.unit, ALL_TIME.number)), &manifest.job) {
            return Ok(End::Done);
        }
        (restored.periods, restored.members) = (restored.periods + 1, restored.members + manifest.total);
        if work.is_dry { Ok(End::Done) } else { self.put_back(work, ALL_TIME, place, manifest, &place.manifest()).await }
    }

    /// The periods of a unit that are over, archived, and kept by Redis.
    async fn restore_closed(&self, work: &mut Work<'_>, unit: Unit, now_s: i64, restored: &mut Restoration) -> Result<End, ArchiveError> {
        let (site, board) = (work.run.site, work.run.board);
        let kept_s = i64::try_from(board.kept_s(unit)).unwrap_or(0);
        let has: BTreeMap<String, String> = work.notes.iter().cloned().collect();
        let folder = format!("{}{}/", folder_of_manifests(&self.config.key_prefix, site, board), unit.name());
        let mut after = String::new();
        loop {
            let listed = self.files.listed(&folder, &after).await?;
            let Some(last) = listed.last().cloned() else { return Ok(End::Done) };
            for name in listed {
                let Some(period) = period_of(&name, &folder, unit, site) else { continue };
                let about = period.about(site.week_starts_on).unwrap_or(0);
                let is_old = kept_s > 0 && about + unit.longest_s() + ABOUT_S + kept_s <= now_s;
                if is_old {
                    continue;
                }
                let Some((place, manifest)) = self.files.archived_at(site, board, &name).await? else { continue };
                if names(has.get(&whole(unit, period.number)).map(String::as_str), &manifest.job) {
                    continue;
                }
                if kept_s > 0 && manifest.ends_at + kept_s <= now_s || work.resets.took_closed(&name, &manifest) {
                    continue;
                }
                if !work.is_dry {
                    match self.put_back(work, period, &place, &manifest, &name).await? {
                        End::Done => {}
                        end => return Ok(end),
                    }
                }
                restored.periods += 1;
                restored.members += manifest.total;
                let id = period.id(Some(manifest.starts_at), site.week_starts_on).unwrap_or_default();
                restored.archived.push(Whole { unit, period: id, until_ms: manifest.whole_until_us() / 1_000 });
            }
            after = last;
        }
    }

    /// One of them.
    async fn put_back(
        &self,
        work: &mut Work<'_>,
        period: Period,
        place: &Place,
        known: &Manifest,
        name: &str,
    ) -> Result<End, ArchiveError> {
        let board = work.run.board;
        let stored_s = board.stored_s(period.unit, board.kept_s(period.unit));
        let of = Restored {
            period,
            is_closed: true,
            starts_at: known.starts_at,
            kept_until: if stored_s == 0 { 0 } else { known.ends_at.saturating_add_unsigned(stored_s) },
        };
        let mut job = work.job(period, true);
        loop {
            if !job.is_added && job.covered.is_empty() {
                match self.add(work, of, &mut job, place, known, name).await? {
                    Outcome::Busy => return Err(ArchiveError::Busy),
                    Outcome::Lost | Outcome::Changed => {
                        job = Restoring::new(period, true);
                        continue;
                    }
                    Outcome::Done(0) => {}
                    Outcome::Done(_) => return Ok(End::Late),
                }
            }
            job.is_added = true;
            let note = whole(period.unit, period.number);
            return self.put(work, of, &job, &note, &known.job, known.total).await;
        }
    }

    /// A period that lost its beginning.
    async fn restore_lost(&self, work: &mut Work<'_>, lost: Lost, restored: &mut Restoration) -> Result<End, ArchiveError> {
        let (site, board, Lost { period, starts_at, since, ends_at }) = (work.run.site, work.run.board, lost);
        let note = format!("{FILLED}{}:{}", period.unit.name(), period.number);
        let id = period.id(Some(starts_at), site.week_starts_on).unwrap_or_default();
        let filled = |covered| Filled { unit: period.unit, period: id.clone(), since, covered };
        if since <= starts_at {
            return Ok(End::Done);
        }
        if let Some(covered) = value(&work.notes, &note) {
            restored.filled.push(filled(serde_json::from_str(covered).unwrap_or_default()));
            return Ok(End::Done);
        }
        let stored_s = board.stored_s(period.unit, board.kept_s(period.unit));
        let mut job = work.job(period, false);
        if !job.is_added && !self.add_pieces(work, lost, &mut job).await? {
            return Ok(End::Late);
        }
        job.is_added = true;
        restored.filled.push(filled(job.covered.clone()));
        if work.is_dry {
            return Ok(End::Done);
        }
        let of = Restored {
            period,
            is_closed: false,
            starts_at: job.covered.first().map_or(since, |first| first.0),
            kept_until: if stored_s == 0 || ends_at == 0 { 0 } else { ends_at.saturating_add_unsigned(stored_s) },
        };
        let noted = serde_json::to_string(&job.covered).unwrap_or_default();
        self.put(work, of, &job, &note, &noted, 0).await
    }

    /// Adds every archived period that a period which lost its beginning is built from. Answers whether that is all.
    async fn add_pieces(&self, work: &mut Work<'_>, lost: Lost, job: &mut Restoring) -> Result<bool, ArchiveError> {
        let (site, board) = (work.run.site, work.run.board);
        let of = Restored { period: lost.period, is_closed: false, starts_at: 0, kept_until: 0 };
        let own = Place::of(&self.config.key_prefix, site, board, lost.period, Some(lost.starts_at));
        let reset_at = own.map_or(0, |own| work.resets.last(&own.manifest()));
        while let Some(unit) = piece(job.piece) {
            let folder = format!("{}{}/", folder_of_manifests(&self.config.key_prefix, site, board), unit.name());
            let listed = self.files.listed(&folder, &job.after).await?;
            if listed.is_empty() || unit >= lost.period.unit {
                (job.piece, job.after) = (job.piece + 1, String::new());
                continue;
            }
            for name in listed {
                if self.clock.clock_ms() >= work.run.until_ms {
                    self.remember_job(work, job).await?;
                    return Ok(false);
                }
                let about = period_of(&name, &folder, unit, site).and_then(|period| period.about(site.week_starts_on));
                let is_near = about.is_some_and(|about| {
                    let (from, until) = (about - ABOUT_S, about + unit.longest_s() + ABOUT_S);
                    from < lost.since && until > lost.starts_at && !job.covers(from, until)
                });
                let found = if is_near { self.files.archived_at(site, board, &name).await? } else { None };
                let fits = |known: &Manifest| {
                    let is_from_before = known.ends_at <= lost.since && known.archived_at_ms <= lost.since * 1_000;
                    let is_new = lost.starts_at <= known.starts_at && !job.overlaps(known.starts_at, known.ends_at);
                    is_from_before && is_new && work.resets.is_since(&name, known, reset_at)
                };
                let Some((place, manifest)) = found.filter(|(_, manifest)| fits(manifest)) else {
                    job.after = name;
                    continue;
                };
                let manifest = manifest.when_lost().unwrap_or(manifest);
                if work.is_dry {
                    *job = job.clone().behind(&name, &manifest);
                    continue;
                }
                match self.add(work, of, job, &place, &manifest, &name).await? {
                    Outcome::Done(0) => {}
                    Outcome::Done(_) => return Ok(false),
                    Outcome::Busy => return Err(ArchiveError::Busy),
                    Outcome::Lost | Outcome::Changed => {
                        *job = Restoring::new(lost.period, false);
                        break;
                    }
                }
            }
        }
        Ok(true)
    }

    /// Adds the rest of an archived period to what lies aside. [`Outcome::Done`] says whether time ran out: then it is not 0.
    async fn add(
        &self,
        work: &mut Work<'_>,
        of: Restored,
        job: &mut Restoring,
        place: &Place,
        manifest: &Manifest,
        name: &str,
    ) -> Result<Outcome, ArchiveError> {
        while let Some(part) = manifest.parts.get(job.part) {
            let members = self.files.part(place, part).await?;
            let chunks: Vec<&[Member]> = members.chunks(MEMBERS).collect();
            while let Some(members) = chunks.get(job.chunk) {
                if self.clock.clock_ms() >= work.run.until_ms {
                    return Ok(Outcome::Done(1));
                }
                let step = Step::Add { members, added: job.added, total: manifest.total };
                let mut next = Restoring { chunk: job.chunk + 1, added: job.added + members.len() as u64, ..job.clone() };
                if next.chunk == chunks.len() {
                    (next.part, next.chunk) = (job.part + 1, 0);
                }
                if next.part == manifest.parts.len() {
                    next = next.behind(name, manifest);
                }
                match self.step(work, of, step, &next.text()).await? {
                    Outcome::Done(_) => *job = next,
                    other => return Ok(other),
                }
                if job.part == 0 && job.chunk == 0 {
                    return Ok(Outcome::Done(0));
                }
                if job.chunk == 0 {
                    break;
                }
            }
        }
        *job = job.clone().behind(name, manifest);
        Ok(Outcome::Done(0))
    }

    /// Puts what lies aside in its place.
    async fn put(
        &self,
        work: &mut Work<'_>,
        of: Restored,
        job: &Restoring,
        note: &str,
        noted: &str,
        total: u64,
    ) -> Result<End, ArchiveError> {
        loop {
            let text = job.text();
            // What is remembered is that all is added, until the last of it is put.
            if work.remembered != text {
                self.remember_job(work, job).await?;
            }
            match self.step(work, of, Step::Put { note, noted, total }, "").await? {
                Outcome::Done(0) => return Ok(End::Done),
                Outcome::Done(_) if self.clock.clock_ms() >= work.run.until_ms => return Ok(End::Late),
                Outcome::Done(_) => {}
                Outcome::Busy | Outcome::Lost => return Err(ArchiveError::Busy),
                Outcome::Changed => return Ok(End::Changed),
            }
        }
    }

    async fn step(&self, work: &mut Work<'_>, of: Restored, step: Step<'_>, after: &str) -> Result<Outcome, ArchiveError> {
        let remembered = Remembered { owner: &work.run.owner, before: &work.remembered, after };
        let outcome = self.redis.store()?.restore(work.run.site, work.run.board, of, step, remembered).await?;
        match outcome {
            Outcome::Done(0) => work.remembered = after.into(),
            Outcome::Lost | Outcome::Changed => work.remembered.clear(),
            Outcome::Done(_) | Outcome::Busy => {}
        }
        Ok(outcome)
    }

    async fn remember_job(&self, work: &mut Work<'_>, job: &Restoring) -> Result<(), ArchiveError> {
        if work.is_dry {
            return Ok(());
        }
        let text = job.text();
        let noted = self.files.remember(&work.run, None, Noting::Note { kept_until: 0 }, &[(JOB.into(), text.clone())]).await?;
        noted.ok_or(ArchiveError::Busy)?;
        work.remembered = text;
        Ok(())
    }
}

impl Work<'_> {
    /// The job that is remembered of a period; else a new one.
    fn job(&self, period: Period, is_closed: bool) -> Restoring {
        let known = Restoring::read(&self.remembered).filter(|job| job.period() == Some(period) && job.is_closed == is_closed);
        known.filter(|_| !self.is_dry).unwrap_or_else(|| Restoring::new(period, is_closed))
    }
}

/// What periods are built from, the longest first: the unit at a place of that list.
fn piece(at: usize) -> Option<Unit> {
    Unit::EACH.into_iter().rev().filter(|unit| *unit != Unit::All).nth(at)
}
