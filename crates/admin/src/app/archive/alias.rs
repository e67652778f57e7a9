//! Moving the score of an item in an archive to another item.
//!
//! The archive comes last: what was copied or set aside before is archived first, and what is archived later holds nothing of
//! the old item. A manifest without the old item is left alone, so a period is added once.

use engine::store::alias::Alias;
use engine::store::archive::{Member, Noted, Step};
use ranking::score::Score;
use ranking::site::{Board, Site};
use serve::app::ports::Runtime;

use super::amend::{Changed, rounded};
use super::erase::Amendments;
use super::job::{Job, Task};
use super::manifest::{Manifest, Place};
use super::read::Reader;
use super::restoring::Restoring;
use super::run::Run;
use super::{ArchiveError, Archived, tally};
use crate::app::copies::following::Why;

/// The name of the note of how far one is.
const MERGED: &str = "merged:";

impl<R: Runtime> Amendments<'_, R> {
    /// Adds what an item has in the archive of a board to what the one has that it became, until `until_ms` (by the edge's clock) has come.
    /// Redis has none of it on the board any more. Answers whether all of it is done; doing it again goes on.
    ///
    /// 1. Begin the jobs anew that may have read what Redis had, and end them. What was moved aside before is then archived.
    /// 2. Add it in each archived period, in the order of their names, and remember how far that is.
    ///
    /// # Errors
    /// When the archive or Redis does not answer; some of it may be done.
    pub async fn merge_archived(&self, site: &Site, board: &Board, alias: &Alias, until_ms: u64) -> Result<bool, ArchiveError> {
        match self.merge_archive(site, board, alias, until_ms).await {
            Err(ArchiveError::Busy) => Ok(false),
            done => done,
        }
    }

    async fn merge_archive(&self, site: &Site, board: &Board, alias: &Alias, until_ms: u64) -> Result<bool, ArchiveError> {
        let run = Run { site, board, owner: self.random.token(), until_ms };
        let look = async || self.files.remember(&run, None, Step::Look, &[]).await?.ok_or(ArchiveError::Busy);
        // 1.
        let Noted { notes, .. } = look().await?;
        let mut anew = Vec::new();
        if let Some((mut job, _)) = Job::read(&notes).filter(|(job, _)| job.task == Task::Copy) {
            anew.extend(job.anew());
        }
        let restoring = Restoring::remembered(&notes);
        let is_restored = restoring.as_ref().is_some_and(|restoring| restoring.is_added);
        anew.extend(restoring.filter(|_| !is_restored).into_iter().flat_map(Restoring::anew));
        anew.push(("owner".to_owned(), String::new()));
        self.files.note_held(&run, &anew).await?;
        if is_restored {
            return Ok(false);
        }
        self.archive.archive_board(site, board, until_ms, Why::Counted, &mut Archived::default()).await?;
        let Noted { notes, .. } = look().await?;
        if Job::read(&notes).is_some() {
            self.files.release(&run).await?;
            return Ok(false);
        }
        // 2.
        let note = format!("{MERGED}{}", alias.old.as_str());
        self.each_archived(&run, &notes, note, async |place| self.merge_at(&run, place, alias).await).await
    }

    async fn merge_at(&self, run: &Run<'_>, place: &Place, alias: &Alias) -> Result<(), ArchiveError> {
        let Some(known) = self.files.manifest(place).await? else { return Ok(()) };
        let merged = self.merged(place, &known, alias).await?;
        let lost = match known.when_lost() {
            Some(lost) => self.merged(place, &lost, alias).await?,
            None => None,
        };
        if merged.is_none() && lost.is_none() {
            return Ok(());
        }
        let mut amended = merged.unwrap_or_else(|| known.clone());
        if let (Some(parts), Some(lost)) = (&mut amended.lost, lost) {
            parts.parts = lost.parts;
        }
        self.archive.switch_any(run, place, &known, amended).await
    }

    /// An archived period with the sum of both; `None` where the item is not in it.
    async fn merged(&self, place: &Place, known: &Manifest, alias: &Alias) -> Result<Option<Manifest>, ArchiveError> {
        let found = Reader::new(&self.files, place.clone(), known.clone()).find(&[alias.old.clone(), alias.new.clone()]).await?;
        let [Some(was), own] = found.as_slice() else { return Ok(None) };
        let sum = rounded(was.score.value() + own.as_ref().map_or(0.0, |own| own.score.value()));
        let tally = if known.tallied { tally::added(own.as_ref().map_or("", |own| &own.tally), &was.tally) } else { String::new() };
        let id = alias.new.clone();
        let into = Score::new(sum).filter(|sum| sum.value() != 0.0).map(|score| Member { id: id.clone(), score, tally });
        let changed = vec![
            Changed { id: alias.old.clone(), parts: vec![was.part], into: None },
            Changed { id, parts: own.iter().map(|own| own.part).collect(), into },
        ];
        self.archive.amend(place, known, changed, &self.archive.new_token()).await.map(Some)
    }
}
