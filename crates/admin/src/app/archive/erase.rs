//! Taking an actor, another member, or all members with a prefix out of what is archived.

use std::rc::Rc;

use engine::store::archive::{Noted, Notes, Step, Stored};
use engine::store::keep_off::Whom;
use ranking::name::Id;
use ranking::site::{Board, Members, Site};
use serve::app::ports::{Clock, Random, Runtime};
use serve::app::redis::Redis;
use serve::config::Config;

use super::amend::{CORRECTED, Changed};
use super::bucket::ArchiveFiles;
use super::job::{Job, resets_of, value};
use super::manifest::{Manifest, Place, folder_of_manifests};
use super::read::Reader;
use super::restoring::Restoring;
use super::run::Run;
use super::{Archive, ArchiveError};

/// The names of the notes of how far an erasure is: of a member, and of a prefix.
const ERASED: &str = "erased:";
const ERASED_PREFIX: &str = "erased-prefix:";

/// Corrections of what is archived: members that are erased, removed or merged.
pub struct Amendments<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) archive: Archive<'a, R>,
    pub(in crate::app) files: ArchiveFiles<'a, R>,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) random: &'a dyn Random,
}

impl<R: Runtime> Amendments<'_, R> {
    /// Takes an actor out of the archives of the boards that rank actors, until `until_ms` (by the edge's clock) has come. Answers whether
    /// all of it is done; doing it again goes on.
    ///
    /// # Errors
    /// When the archive or Redis does not answer; some of it may be done.
    pub async fn erase_archived(&self, site: &Rc<Site>, actor: &Id, until_ms: u64) -> Result<bool, ArchiveError> {
        let boards = site.boards.values().filter(|board| board.archive && board.members != Members::Items);
        for board in boards {
            let run = Run { site, board, owner: self.random.token(), until_ms };
            if !self.erase_archive(&run, board, &Whom::Member(actor.clone())).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes a member, or whose ids begin with a prefix, out of the archive of a board, likewise.
    ///
    /// # Errors
    /// When the archive or Redis does not answer; some of it may be done.
    pub async fn remove_archived(&self, site: &Site, board: &Board, whom: &Whom, until_ms: u64) -> Result<bool, ArchiveError> {
        let run = Run { site, board, owner: self.random.token(), until_ms };
        self.erase_archive(&run, board, whom).await
    }

    /// 1. Take them out of what was moved aside and of what is being restored, and begin the job anew that may have read them.
    /// 2. Take them out of each archived period, in the order of their names, and remember how far that is.
    async fn erase_archive(&self, run: &Run<'_>, board: &Board, whom: &Whom) -> Result<bool, ArchiveError> {
        let Some(Noted { notes, .. }) = self.files.remember(run, None, Step::Look, &[]).await? else { return Ok(false) };
        match self.erase_noted(run, board, whom, notes).await {
            Err(ArchiveError::Busy) => Ok(false),
            done => done,
        }
    }

    async fn erase_noted(&self, run: &Run<'_>, board: &Board, whom: &Whom, notes: Notes) -> Result<bool, ArchiveError> {
        let jobs = [
            Job::read(&notes).and_then(|(mut job, _)| Some((job.period()?, job.anew()))),
            Restoring::remembered(&notes).and_then(|job| Some((job.period()?, job.anew()))),
        ];
        for (period, anew) in jobs.into_iter().flatten() {
            self.redis.repeat(async |store| store.drop_remaining(run.site, board, period, Stored::Remaining, whom).await).await?;
            self.files.note_held(run, &anew).await?;
        }
        for (period, at_ms, _) in resets_of(&notes) {
            self.redis.repeat(async |store| store.drop_remaining(run.site, board, period, Stored::Reset(at_ms), whom).await).await?;
        }
        let note = match whom {
            Whom::Member(id) => format!("{ERASED}{}", id.as_str()),
            Whom::Prefix(prefix) => format!("{ERASED_PREFIX}{}", prefix.as_str()),
        };
        self.each_archived(run, &notes, note, async |place| {
            while self.erase_some(run, place, whom).await? {}
            Ok(())
        })
        .await
    }

    /// Does something with each archived period, in the order of their names, and remembers under this name how far that is; then it is at the
    /// board no more. Answers whether all of it is done.
    pub(super) async fn each_archived(
        &self,
        run: &Run<'_>,
        notes: &Notes,
        note: String,
        change: impl AsyncFn(&Place) -> Result<(), ArchiveError>,
    ) -> Result<bool, ArchiveError> {
        let free = ("owner".to_owned(), String::new());
        let folder = folder_of_manifests(&self.config.key_prefix, run.site, run.board);
        let mut after = value(notes, &note).unwrap_or_default().to_owned();
        loop {
            let listed = self.files.listed(&folder, &after).await?;
            if listed.is_empty() {
                self.files.note_held(run, &[(note, String::new()), free]).await?;
                return Ok(true);
            }
            for name in listed {
                if self.clock.clock_ms() >= run.until_ms {
                    self.files.note_held(run, &[(note, after), free]).await?;
                    return Ok(false);
                }
                if let Some(place) = Place::of_manifest(&self.config.key_prefix, run.site, run.board, &name) {
                    change(&place).await?;
                }
                after = name;
            }
            self.files.note_held(run, &[(note.clone(), after.clone())]).await?;
        }
    }

    /// Takes them out of a period. Answers whether more of them may be there.
    async fn erase_some(&self, run: &Run<'_>, place: &Place, whom: &Whom) -> Result<bool, ArchiveError> {
        let Some(manifest) = self.files.manifest(place).await? else { return Ok(false) };
        let dropped = self.concerned(place, &manifest, whom).await?;
        let lost = manifest.when_lost();
        let dropped_lost = match &lost {
            Some(lost) => self.concerned(place, lost, whom).await?,
            None => Vec::new(),
        };
        if dropped.is_empty() && dropped_lost.is_empty() {
            return Ok(false);
        }
        let is_more = dropped.len().max(dropped_lost.len()) as u64 >= CORRECTED;
        let mut amended = self.without(place, &manifest, dropped).await?;
        if let (Some(lost), Some(known)) = (&mut amended.lost, lost) {
            lost.parts = self.without(place, &known, dropped_lost).await?.parts;
        }
        self.archive.switch_any(run, place, &manifest, amended).await?;
        Ok(is_more)
    }

    /// Who is to be taken out of an archived period, each with the part that has it: of those who share a prefix some.
    async fn concerned(&self, place: &Place, known: &Manifest, whom: &Whom) -> Result<Vec<(Id, usize)>, ArchiveError> {
        match whom {
            Whom::Member(id) => {
                let found = Reader::new(&self.files, place.clone(), known.clone()).find(std::slice::from_ref(id)).await?;
                Ok(found.into_iter().flatten().map(|found| (id.clone(), found.part)).collect())
            }
            Whom::Prefix(prefix) => {
                let mut concerned = Vec::new();
                for (i, part) in known.parts.iter().enumerate() {
                    let members = self.files.part(place, part).await?;
                    let of = members.into_iter().map(|member| member.id).filter(|id| id.as_str().starts_with(prefix.as_str()));
                    concerned.extend(of.map(|id| (id, i)));
                    if concerned.len() as u64 >= CORRECTED {
                        break;
                    }
                }
                Ok(concerned)
            }
        }
    }

    /// An archived period without some of its members.
    async fn without(&self, place: &Place, known: &Manifest, dropped: Vec<(Id, usize)>) -> Result<Manifest, ArchiveError> {
        let changed = dropped.into_iter().map(|(id, part)| Changed { id, parts: vec![part], into: None });
        self.archive.amend(place, known, changed.collect(), &self.archive.new_token()).await
    }
}
