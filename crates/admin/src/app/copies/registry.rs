//! The copy of what is known of boards of templates: their details, and their states. A restoration puts it back.
//!
//! It is written behind each change by hand, and of what Redis has then. So of two that change a board at once, the last one to write has both. A board that
//! an event made has no copy: the next event makes it again.

use std::collections::BTreeSet;

use ranking::name::Name;
use ranking::site::Site;
use serde::{Deserialize, Serialize};
use serve::app::ports::Runtime;

use super::{CONTENDED, Copies, TRIES};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Registered {
    /// As the registry in Redis has it.
    entry: String,
}

fn name_of(board: &str) -> String {
    format!("{board}/{NAME}")
}

/// Behind the name of the board.
const NAME: &str = "board";

impl<R: Runtime> Copies<'_, R> {
    /// Copies what Redis has of a board.
    ///
    /// # Errors
    /// For the log: why that may not be done; doing it again does no harm.
    pub(in crate::app) async fn copy_board(&self, site: &Site, board: &Name) -> Result<(), String> {
        if !self.documents.has_documents() {
            return Ok(());
        }
        let name = name_of(board.as_str());
        for _ in 0..TRIES {
            let mut known = self.documents.document::<Registered>(site, &name).await?;
            let names = std::slice::from_ref(board);
            let found = self.redis.read(async |store| store.find_boards(site, names).await).await.map_err(|error| error.to_string())?;
            let Some(entry) = found.into_iter().next().map(|found| found.entry).filter(|entry| !entry.is_empty()) else { return Ok(()) };
            if known.value.entry == entry {
                return Ok(());
            }
            known.value.entry = entry;
            if self.documents.put_document(site, &name, &known).await? {
                return Ok(());
            }
        }
        Err(CONTENDED.into())
    }

    /// The entry of a board as it was copied; `None`: it was not.
    ///
    /// # Errors
    /// For the log: why nobody knows.
    pub async fn copied_board(&self, site: &Site, board: &Name) -> Result<Option<String>, String> {
        if !self.documents.has_documents() {
            return Ok(None);
        }
        let known = self.documents.document::<Registered>(site, &name_of(board.as_str())).await?;
        Ok(Some(known.value.entry).filter(|entry| !entry.is_empty()))
    }

    /// The next board of which something is known in the database, behind a text that names of boards and a slash are compared with.
    ///
    /// # Errors
    /// For the log: why nobody knows.
    pub async fn copied_board_behind(&self, site: &Site, behind: &str) -> Result<Option<Name>, String> {
        Ok(self.documents.name_behind(site, behind, NAME).await?.and_then(|name| Name::of_board(name.split_once('/')?.0)))
    }

    /// Forgets what is known of boards that are gone.
    pub(super) async fn forget_registered(&self, site: &Site, boards: &BTreeSet<String>) -> Result<(), String> {
        let names: Vec<String> = boards.iter().map(|board| name_of(board)).collect();
        self.documents.delete_documents(site, &names).await
    }
}
