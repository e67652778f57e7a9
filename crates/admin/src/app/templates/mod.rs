//! Boards of templates: who makes, archives and deletes them.

pub mod going;

use engine::adapter::Error;
use ranking::name::Name;
use ranking::site::Site;
use ranking::template::Template;
use serve::app::agenda::Resting;
use serve::app::templates::{ArchiveStep, BoardDetails, Known, Made, State, Stepped, Templates};
use serve::app::{Failure, Runtime};

use super::copies::Copies;

/// Changes which boards of templates a site has.
pub struct BoardAdministration<'a, R> {
    pub(super) templates: Templates<'a, R>,
    pub(super) copies: Copies<'a, R>,
}

impl<R: Runtime> BoardAdministration<'_, R> {
    /// Makes a board of a template, or changes the details of one.
    ///
    /// # Errors
    /// When Redis does not answer, or the place of the copy. Doing it again does no harm.
    pub async fn make_board(&self, site: &Site, template: &Template, name: &Name, details: &BoardDetails) -> Result<Made, Failure> {
        let made = self.templates.make_board(site, template, name, Some(details)).await?;
        if matches!(made, Made::There(..)) {
            self.copies.copy_board(site, name).await.map_err(Failure::unfinished)?;
        }
        Ok(made)
    }

    /// Takes a board a step further on its way to the archive or back.
    ///
    /// # Errors
    /// When Redis does not answer. Doing it again does no harm.
    pub async fn archive_board(&self, site: &Site, name: &Name, step: ArchiveStep) -> Result<Stepped, Failure> {
        let stepped = self.templates.redis.repeat(async |store| store.archive_board(site, name, step).await).await;
        let stepped = stepped.map_err(|error| Failure::of_write(&error))?;
        self.templates.known.forget(site, name);
        self.templates.agenda.wake(&Resting::MadeBoards(site.name.clone()));
        self.copies.copy_board(site, name).await.map_err(Failure::unfinished)?;
        Ok(stepped)
    }

    /// Begins to delete a board; `None`: there is none.
    ///
    /// # Errors
    /// When Redis does not answer. Doing it again does no harm.
    pub async fn end_board(&self, site: &Site, name: &Name) -> Result<Option<Known>, Failure> {
        let failed = |error: Error| Failure::of_write(&error);
        let ended = self.templates.redis.repeat(async |store| store.end_board(site, name).await).await.map_err(failed)?;
        self.templates.known.forget(site, name);
        self.templates.agenda.wake(&Resting::GoingBoards(site.name.clone()));
        self.copies.copy_board(site, name).await.map_err(Failure::unfinished)?;
        Ok(ended)
    }

    /// Puts back a board of which the copies beside Redis know, in place of what Redis has; else makes it, where it is not there. Answers how it is.
    ///
    /// # Errors
    /// When Redis does not answer, or the place of the copy. Doing it again does no harm.
    pub async fn put_back_board(&self, site: &Site, template: &Template, name: &Name) -> Result<State, Failure> {
        let Some(entry) = self.copies.copied_board(site, name).await.map_err(Failure::unfinished)? else {
            let made = self.templates.make_board(site, template, name, None).await?;
            return Ok(if let Made::There(known, _) = made { known.state } else { State::Missing });
        };
        let put = self.templates.redis.repeat(async |store| store.put_board(site, name, &entry).await).await;
        self.templates.known.forget(site, name);
        for resting in [Resting::GoingBoards(site.name.clone()), Resting::MadeBoards(site.name.clone())] {
            self.templates.agenda.wake(&resting);
        }
        put.map_err(|error| Failure::of_write(&error))
    }
}
