//! The archives of boards of templates: upkeep has those archived that are due, a deletion takes their objects away, and after a loss they tell which
//! boards there were.
//!
//! A board that is archived as a whole has all time there besides its periods, as another period that was over then. That is deleted when the board is
//! opened again, since it counts on.
//!
//! Boards of templates have no marks beside Redis, of which there would be thousands. The notes in Redis of what it has whole go with the rest of
//! Redis, so an emptied or older one shows itself on each board.

use engine::adapter::Error;
use engine::store::Store;
use engine::store::archive::{ClosedList, Noted, Step, Stored};
use ranking::name::Name;
use ranking::period::Period;
use ranking::site::{Board, Site};
use ranking::window::Unit;
use serve::app::ports::{Bucket, Runtime};

use super::bucket::ArchiveFiles;
use super::job::Job;
use super::manifest::{ALL_TIME, Place, folder_of_board, folder_of_site};
use super::next::GRACE_S;
use super::run::Run;
use super::{Archive, ArchiveError, Archived, follow};
use crate::app::copies::Copying;
use crate::app::copies::following::Why;

impl<R: Runtime> Archive<'_, R> {
    /// Archives what is over of a board of a template, and has follow what changed there, until `until_ms` (by the edge's clock) has come. Answers
    /// whether that is all.
    pub(in crate::app) async fn archive_made(&self, site: &Site, board: &Board, until_ms: u64, archived: &mut Archived) -> bool {
        archived.remaining_parts = follow::PARTS;
        self.archive_counted(site, board, until_ms, Why::Counted, archived).await == Some(false)
    }

    /// Notes which archives of boards of templates are behind, where some are or were. Answers a line for each failure.
    pub(in crate::app) async fn note_made(&self, site: &Site, archived: Archived, copying: Option<&Copying>) -> Vec<String> {
        let (mut failures, lags) = (archived.failures, copying.is_some_and(|copying| copying.lags));
        if lags || archived.following.values().any(|of| !of.behind.is_empty()) {
            let noted = self.copies.note_following(site, &archived.following).await;
            failures.extend(noted.err().map(|why| format!("{}: archive: {why}", site.name)));
        }
        failures
    }
}

impl<R: Runtime> Archive<'_, R> {
    /// Whether all periods of a board are over in which it counted something, for long enough to be archived.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub(in crate::app) async fn is_over(&self, site: &Site, board: &Board) -> Result<bool, Error> {
        for unit in Unit::COUNTED.into_iter().filter(|unit| board.archives(*unit)) {
            let ClosedList { now_ms, current, periods } = self.redis.read(async |store| store.closed(site, board, unit, 1).await).await?;
            if periods.iter().any(|closed| closed.ends_at + GRACE_S > now_ms / 1_000) {
                return Ok(false);
            }
            let (period, is_open) = (Period { unit, number: current }, periods.iter().all(|closed| closed.number != current));
            let scan = async |store: &Store<'_, R::Transport, R>| store.scan(site, board, period, Stored::Period, "", 1).await;
            if is_open && !self.redis.read(scan).await?.members.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Archives all time of a board on which nothing changes any more since an instant (Unix seconds). Answers whether that is done.
    ///
    /// # Errors
    /// When the archive or Redis does not answer, or another run is at it.
    pub(in crate::app) async fn archive_all_time(
        &self,
        site: &Site,
        board: &Board,
        since: i64,
        until_ms: u64,
    ) -> Result<bool, ArchiveError> {
        let Some(place) = Place::of_all_time(&self.config.key_prefix, site, board) else { return Ok(true) };
        match self.files.manifest(&place).await? {
            Some(known) if known.archived_at_ms >= since * 1_000 => return Ok(true),
            // It was opened since.
            Some(_) => self.files.delete_all_time(site, board).await?,
            None => {}
        }
        let run = Run { site, board, owner: self.random.token(), until_ms };
        let Noted { notes, .. } = self.files.remember(&run, None, Step::Look, &[]).await?.ok_or(ArchiveError::Busy)?;
        let remembered = Job::read(&notes).filter(|(job, _)| job.period() == Some(ALL_TIME));
        let (mut job, mut parts) = remembered.unwrap_or_else(|| (self.job_of_all_time(board, since), Vec::new()));
        let is_done = self.work_on(&run, &notes, &mut job, &mut parts, &mut Archived::default()).await?;
        self.files.release(&run).await?;
        Ok(is_done)
    }
}

impl<R: Runtime> ArchiveFiles<'_, R> {
    /// Takes away what the archive has of all time of a board.
    ///
    /// # Errors
    /// When the archive does not answer; some may be gone.
    pub(in crate::app) async fn delete_all_time(&self, site: &Site, board: &Board) -> Result<(), ArchiveError> {
        let Some(place) = Place::of_all_time(&self.config.key_prefix, site, board) else { return Ok(()) };
        self.bucket()?.delete(&[place.manifest()]).await.map_err(ArchiveError::Failed)?;
        self.delete_under(&place.objects()).await
    }

    /// Takes all objects of a board away.
    ///
    /// # Errors
    /// When the archive does not answer; some may be gone.
    pub(in crate::app) async fn delete_board(&self, site: &Site, board: &str) -> Result<(), ArchiveError> {
        if !self.is_bound() {
            return Ok(());
        }
        self.delete_under(&folder_of_board(&self.config.key_prefix, site, board)).await
    }

    async fn delete_under(&self, folder: &str) -> Result<(), ArchiveError> {
        loop {
            let listed = self.listed(folder, "").await?;
            if listed.is_empty() {
                return Ok(());
            }
            self.bucket()?.delete(&listed).await.map_err(ArchiveError::Failed)?;
        }
    }

    /// The next board of a template that has objects, behind a text that names of boards and a slash are compared with.
    ///
    /// # Errors
    /// When the archive does not answer.
    pub async fn archived_board_behind(&self, site: &Site, behind: &str) -> Result<Option<Name>, ArchiveError> {
        if !self.is_bound() {
            return Ok(None);
        }
        let of_site = folder_of_site(&self.config.key_prefix, site);
        let after = format!("{of_site}{behind}");
        for (template, _) in site.templates.iter() {
            let prefix = format!("{of_site}{template}:");
            let from = if after.starts_with(&prefix) || after < prefix { after.as_str() } else { continue };
            let listed = self.listed(&prefix, if from < prefix.as_str() { "" } else { from }).await?;
            let board_of = |object: &String| Name::of_board(object.strip_prefix(&of_site)?.split_once('/')?.0);
            if let Some(board) = listed.iter().find_map(board_of) {
                return Ok(Some(board));
            }
        }
        Ok(None)
    }
}
