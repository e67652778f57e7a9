//! The copy of the lists of hidden and pinned members. They are a person's work, and in no archive.
//!
//! It is written with each change, and a restoration puts it back. Nothing is taken out of it because Redis lacks it.
//!
//! It is copied change by change, each by its id. So an empty Redis never empties the copy, and a member that is shown again or
//! erased leaves it also while something is missing.

use std::collections::BTreeSet;
use std::rc::Rc;

use engine::adapter::{Error, Transport};
use engine::store::Store;
use engine::store::curate::{Change, List};
use engine::store::keep_off::Whom;
use ranking::name::Id;
use ranking::site::{Board, Members, Site};
use ranking::zone::Zones;
use serde::{Deserialize, Serialize};
use serve::app::agenda::Resting;
use serve::app::ports::Runtime;

use super::document::Document;
use super::{CONTENDED, Copies, HOUR_MS, TRIES, Withheld};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Lists {
    hidden: Vec<String>,
    /// In their order.
    pinned: Vec<String>,
}

impl Lists {
    fn list(&mut self, list: List) -> &mut Vec<String> {
        match list {
            List::Hidden => &mut self.hidden,
            List::Pinned => &mut self.pinned,
        }
    }

    fn put(&mut self, list: List, id: &Id) {
        let ids = self.list(list);
        if !ids.iter().any(|known| known == id.as_str()) {
            ids.push(id.as_str().to_owned());
        }
    }

    fn delete(&mut self, list: List, id: &Id) {
        self.list(list).retain(|known| known != id.as_str());
    }
}

fn name_of(board: &str) -> String {
    format!("{board}/curation")
}

impl<R: Runtime> Copies<'_, R> {
    /// Changes the copy of a list as Redis's list was changed just before.
    ///
    /// # Errors
    /// For the log: why that may not be done; doing it again does no harm.
    pub(in crate::app) async fn copy_curated(&self, site: &Site, board: &Board, list: List, change: Change<'_>) -> Result<(), String> {
        self.change_lists(site, board, async |lists| {
            match change {
                Change::Put(id) => lists.put(list, id),
                Change::Delete(id) => lists.delete(list, id),
                Change::Look => {}
            }
            Ok(())
        })
        .await
    }

    /// Takes a member that was removed from some boards of a site out of their copies, likewise. Answers how many had it.
    ///
    /// # Errors
    /// For the log: why that may not be done; doing it again does no harm.
    pub(in crate::app) async fn copy_removed_of(&self, site: &Site, boards: &[&Board], id: &Id) -> Result<usize, String> {
        let having = self.boards_with(site, boards, id).await?;
        for board in &having {
            self.copy_removed(site, board, &Whom::Member(id.clone())).await?;
        }
        Ok(having.len())
    }

    /// Of which of some boards the copy may have a member: of those in the database only where it does.
    async fn boards_with<'b>(&self, site: &Site, boards: &[&'b Board], id: &Id) -> Result<Vec<&'b Board>, String> {
        let names: Vec<String> = boards.iter().map(|board| name_of(board.name.as_str())).collect();
        let Some(having) = self.documents.documents_with(site, &names, id.as_str()).await? else { return Ok(boards.to_vec()) };
        Ok(boards.iter().zip(&names).filter(|(_, name)| having.contains(*name)).map(|(board, _)| *board).collect())
    }

    /// Takes who was removed from a board out of the copy, as far as Redis did out of its lists.
    ///
    /// # Errors
    /// For the log: why that may not be done; doing it again does no harm.
    pub(in crate::app) async fn copy_removed(&self, site: &Site, board: &Board, whom: &Whom) -> Result<(), String> {
        // A prefix leaves the lists as they are.
        let Whom::Member(id) = whom else { return Ok(()) };
        self.change_lists(site, board, async |lists| {
            for list in [List::Hidden, List::Pinned] {
                if lists.list(list).iter().any(|known| known == id.as_str()) && !self.curated_now(site, board, list).await?.contains(id) {
                    lists.delete(list, id);
                }
            }
            Ok(())
        })
        .await
    }

    /// Takes an actor out of the copies.
    ///
    /// # Errors
    /// For the log: why it may still be in one; doing it again does no harm.
    pub async fn erase_curated(&self, site: &Site, actor: &Id) -> Result<(), String> {
        let boards: Vec<&Board> = site.boards.values().map(|board| &**board).filter(|board| board.members != Members::Items).collect();
        for board in self.boards_with(site, &boards, actor).await? {
            self.change_lists(site, board, async |lists| {
                lists.delete(List::Hidden, actor);
                lists.delete(List::Pinned, actor);
                Ok(())
            })
            .await?;
        }
        Ok(())
    }

    /// Copies the lists of boards that have no copy yet, for the scheduled run. Answers a line for each site where that failed.
    pub async fn copy_curation_due(&self, until_ms: u64) -> Vec<String> {
        let mut failures = Vec::new();
        for site in self.config.sites.values().filter(|_| self.documents.has_documents()) {
            let (now_ms, rest) = (self.clock.clock_ms(), Resting::Curation(site.name.clone()));
            if now_ms >= until_ms || self.agenda.rests(&rest, now_ms) {
                continue;
            }
            match self.copy_curation(site, until_ms).await {
                Ok(true) => self.agenda.rest(rest, now_ms, HOUR_MS),
                Ok(false) | Err(Withheld::Lost(_) | Withheld::Clocks(_)) => {}
                Err(Withheld::Unknown(why)) => failures.push(format!("{}: who is hidden and pinned: {why}", site.name)),
            }
        }
        failures
    }

    /// Hides and pins again who the copies have.
    pub(in crate::app) async fn restore_curated(&self, site: &Site) -> Result<(), String> {
        for board in site.boards.values() {
            let Lists { hidden, pinned } = self.documents.document::<Lists>(site, &name_of(board.name.as_str())).await?.value;
            for (list, ids) in [(List::Pinned, pinned), (List::Hidden, hidden)] {
                let known = if ids.is_empty() { Vec::new() } else { self.curated_now(site, board, list).await? };
                for id in ids.iter().filter_map(|id| Id::kept(id)).filter(|id| !known.contains(id)) {
                    let put = self.redis.store().map_err(|error| error.to_string())?.curate(site, board, list, Change::Put(&id)).await;
                    put.map_err(|error| error.to_string())?;
                }
            }
        }
        Ok(())
    }

    /// Forgets the lists of boards whose keys are removed from Redis.
    pub(super) async fn forget_curation(&self, site: &Site, boards: &BTreeSet<String>) -> Result<(), String> {
        let names: Vec<String> = boards.iter().map(|board| name_of(board)).collect();
        self.documents.delete_documents(site, &names).await
    }

    /// Answers whether that is all.
    async fn copy_curation(&self, site: &Rc<Site>, until_ms: u64) -> Result<bool, Withheld> {
        // One connection for the lists of all boards.
        let (mut copying, mut store) = (None, None);
        for board in site.boards.values() {
            let name = name_of(board.name.as_str());
            let mut document = self.documents.document::<Lists>(site, &name).await.map_err(Withheld::Unknown)?;
            if !document.is_new() {
                continue;
            }
            if copying.is_none() {
                copying = Some(self.may_copy(site).await?);
            } else if self.clock.clock_ms() >= until_ms {
                return Ok(false);
            }
            let unknown = |error: Error| Withheld::Unknown(error.to_string());
            let over = match &store {
                Some(over) => over,
                None => store.insert(self.redis.store().map_err(unknown)?),
            };
            document.value = lists_over(over, site, board).await.map_err(unknown)?;
            if let Some(copying) = &copying {
                self.may_still_copy(site, board, copying).await?;
            }
            // Where somebody changed a list meanwhile, that one copied them.
            self.documents.put_document(site, &name, &document).await.map_err(Withheld::Unknown)?;
        }
        Ok(true)
    }

    /// Changes the copy of a board's lists; where there is none, makes it of what Redis has.
    async fn change_lists(&self, site: &Site, board: &Board, change: impl AsyncFn(&mut Lists) -> Result<(), String>) -> Result<(), String> {
        if !self.documents.has_documents() {
            return Ok(());
        }
        let name = name_of(board.name.as_str());
        for _ in 0..TRIES {
            let known: Document<Lists> = self.documents.document(site, &name).await?;
            let mut changed = known.clone();
            if known.is_new() && self.loss(site).await?.is_none() {
                changed.value = self.lists_now(site, board).await?;
            }
            change(&mut changed.value).await?;
            if changed.value == known.value || self.documents.put_document(site, &name, &changed).await? {
                return Ok(());
            }
        }
        Err(CONTENDED.into())
    }

    async fn lists_now(&self, site: &Site, board: &Board) -> Result<Lists, String> {
        let lists = self.redis.read(async |store| lists_over(store, site, board).await).await;
        lists.map_err(|error| error.to_string())
    }

    async fn curated_now(&self, site: &Site, board: &Board, list: List) -> Result<Vec<Id>, String> {
        let look = self.redis.read(async |store| store.curate(site, board, list, Change::Look).await).await;
        look.map(Option::unwrap_or_default).map_err(|error| error.to_string())
    }
}

/// The hidden and pinned members of a board.
async fn lists_over<T: Transport, Z: Zones>(store: &Store<'_, T, Z>, site: &Site, board: &Board) -> Result<Lists, Error> {
    let names = |ids: Option<Vec<Id>>| ids.unwrap_or_default().iter().map(|id| id.as_str().to_owned()).collect();
    let hidden = names(store.curate(site, board, List::Hidden, Change::Look).await?);
    Ok(Lists { hidden, pinned: names(store.curate(site, board, List::Pinned, Change::Look).await?) })
}
