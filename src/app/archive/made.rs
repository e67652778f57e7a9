//! The archives of boards of templates: upkeep has those archived that are due, a deletion takes their objects away, and after a loss they tell which
//! boards there were.
//!
//! Boards of templates have no marks beside Redis, of which there would be thousands. The notes in Redis of what it has whole go with the rest of
//! Redis, so an emptied or older one shows itself on each board.

use ranking::name::Name;
use ranking::site::{Board, Site};

use super::bucket::ArchiveFiles;
use super::manifest::{folder_of_board, folder_of_site};
use super::{Archive, ArchiveError, Archived, COPIED, follow};
use crate::app::copies::following::Why;
use crate::app::copies::runs::{Scope, Stopped};
use crate::app::ports::{Bucket, Runtime};

/// Behind every name of an object in a folder.
const END: char = char::MAX;

impl<R: Runtime> Archive<'_, R> {
    /// Archives what is over of a board of a template, and has follow what changed there, until `until_ms` (by the edge's clock) has come. Answers
    /// whether that is all.
    pub(in crate::app) async fn archive_made(&self, site: &Site, board: &Board, until_ms: u64, failures: &mut Vec<String>) -> bool {
        let mut archived = Archived { remaining_parts: follow::PARTS, ..Archived::default() };
        let work = async {
            let waits = self.archive_board(site, board, until_ms, Why::Counted, &mut archived).await?;
            if waits { Err(Stopped::Idle) } else { Ok(()) }
        };
        let done = self.runs.count(&COPIED, Scope::board(site, board), work).await;
        failures.append(&mut archived.failures);
        let is_done = done.is_ok();
        failures.extend(done.err().flatten());
        is_done
    }
}

impl<R: Runtime> ArchiveFiles<'_, R> {
    /// Takes all objects of a board away.
    ///
    /// # Errors
    /// When the archive does not answer; some may be gone.
    pub(in crate::app) async fn delete_board(&self, site: &Site, board: &str) -> Result<(), ArchiveError> {
        if !self.is_bound() {
            return Ok(());
        }
        let folder = folder_of_board(&self.config.key_prefix, site, board);
        loop {
            let listed = self.listed(&folder, "").await?;
            if listed.is_empty() {
                return Ok(());
            }
            self.bucket()?.delete(&listed).await.map_err(ArchiveError::Failed)?;
        }
    }

    /// The next board of a template with an archive that has objects, in the order of the names, behind another one.
    ///
    /// # Errors
    /// When the archive does not answer.
    pub async fn archived_board_behind(&self, site: &Site, behind: Option<&Name>) -> Result<Option<Name>, ArchiveError> {
        let of_site = folder_of_site(&self.config.key_prefix, site);
        let after = behind.map(|board| format!("{of_site}{board}/{END}")).unwrap_or_default();
        for (template, _) in site.templates.iter().filter(|(_, template)| template.board.archive) {
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
