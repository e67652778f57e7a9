//! Taking an actor, or another member, out of what is archived.

use std::rc::Rc;

use super::ArchiveError;
use super::job::{Job, Run};
use super::manifest::{Manifest, Place, folder_of_manifests};
use super::read::Reader;
use super::restoring::Restoring;
use crate::app::{App, Runtime};
use crate::ranking::name::Id;
use crate::ranking::site::{Board, Members, Site};
use crate::store::archive::{Noted, Step};

/// The name of the note of how far an erasure is.
const ERASED: &str = "erased:";

impl<R: Runtime> App<R> {
    /// Takes an actor out of the archives of the boards that rank actors, until `until_ms` (by the edge's clock) has come. Answers whether
    /// all of it is done; doing it again goes on.
    ///
    /// # Errors
    /// When the archive or Redis does not answer; some of it may be done.
    pub async fn erase_archived(&self, site: &Rc<Site>, actor: &Id, until_ms: u64) -> Result<bool, ArchiveError> {
        let boards = site.boards.values().filter(|board| board.archive && board.members != Members::Items);
        for board in boards {
            let run = Run { site, board, owner: self.runtime.token(), until_ms };
            if !self.erase_archive(&run, board, actor).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes a member out of the archive of a board, likewise.
    ///
    /// # Errors
    /// When the archive or Redis does not answer; some of it may be done.
    pub async fn remove_archived(&self, site: &Site, board: &Board, member: &Id, until_ms: u64) -> Result<bool, ArchiveError> {
        let run = Run { site, board, owner: self.runtime.token(), until_ms };
        self.erase_archive(&run, board, member).await
    }

    /// 1. Take the actor out of what was moved aside and of what is being restored, and begin the job anew that may have read it.
    /// 2. Take it out of each archived period, in the order of their names, and remember how far that is.
    async fn erase_archive(&self, run: &Run<'_>, board: &Board, actor: &Id) -> Result<bool, ArchiveError> {
        let Some(Noted { notes, .. }) = self.remember(run, None, Step::Look, &[]).await? else { return Ok(false) };
        let free = ("owner".to_owned(), String::new());
        let step = Step::Note { kept_until: 0 };
        if let Some((mut job, _)) = Job::read(&notes)
            && let Some(period) = job.period()
        {
            self.store()?.drop_left(run.site, board, period, actor).await?;
            self.remember(run, None, step, &job.anew()).await?;
        }
        if let Some(job) = Restoring::remembered(&notes)
            && let Some(period) = job.period()
        {
            self.store()?.drop_left(run.site, board, period, actor).await?;
            self.remember(run, None, step, &job.anew()).await?;
        }
        let note = format!("{ERASED}{actor}", actor = actor.as_str());
        let folder = folder_of_manifests(&self.config.key_prefix, run.site, board);
        let mut after = notes.into_iter().find(|(name, _)| *name == note).map(|(_, value)| value).unwrap_or_default();
        loop {
            let listed = self.listed(&folder, &after).await?;
            if listed.is_empty() {
                self.remember(run, None, step, &[(note, String::new()), free]).await?;
                return Ok(true);
            }
            for name in listed {
                if self.runtime.clock_ms() >= run.until_ms {
                    self.remember(run, None, step, &[(note, after), free]).await?;
                    return Ok(false);
                }
                if let Some(place) = Place::of_manifest(&self.config.key_prefix, run.site, board, &name) {
                    self.erase_period(&place, actor).await?;
                }
                after = name;
            }
            self.remember(run, None, step, &[(note.clone(), after.clone())]).await?;
        }
    }

    async fn erase_period(&self, place: &Place, actor: &Id) -> Result<(), ArchiveError> {
        let Some(manifest) = self.manifest(place).await? else { return Ok(()) };
        let when_lost = match manifest.when_lost() {
            Some(lost) => self.without(place, &lost, actor).await?,
            None => None,
        };
        let amended = self.without(place, &manifest, actor).await?;
        if amended.is_none() && when_lost.is_none() {
            return Ok(());
        }
        let mut amended = amended.unwrap_or(manifest);
        if let (Some(lost), Some(without)) = (&mut amended.lost, when_lost) {
            lost.parts = without.parts;
        }
        self.put_manifest(place, &amended).await
    }

    /// An archived period without an actor; `None` where it is not there.
    async fn without(&self, place: &Place, known: &Manifest, actor: &Id) -> Result<Option<Manifest>, ArchiveError> {
        let found = Reader::new(self, place.clone(), known.clone()).find(std::slice::from_ref(actor)).await?;
        let Some(Some(found)) = found.first() else { return Ok(None) };
        let token: String = self.runtime.token().chars().filter(char::is_ascii_alphanumeric).take(16).collect();
        self.amend(place, known, vec![(actor.clone(), Some(found.part), None)], &token).await.map(Some)
    }
}
