//! Taking members off a board, and keeping them off.

use engine::adapter::Error;
pub use engine::store::keep_off::{KeptOff, Whom};
use ranking::name::{Id, Name};
use ranking::site::{Board, Site};

use super::Corrections;
use crate::app::archive::ArchiveError;
use serve::app::failure::Failure;
use serve::app::ports::Runtime;
use serve::app::templates::chunks::TRIP;

/// Members that are named in an answer, at most.
const NAMED: usize = 100;

/// What is to be removed.
#[derive(Clone, Copy, Debug)]
pub struct Removal<'r> {
    pub whom: &'r Whom,
    /// Whether it stays off.
    pub keep_off: bool,
    /// Whether nothing is to be done but looked.
    pub is_dry: bool,
}

/// What was removed, or would be.
#[derive(Debug, Default)]
pub struct Removed {
    /// Whether that is all.
    pub is_done: bool,
    /// Entries of boards.
    pub entries: u64,
    /// Some of the members.
    pub members: Vec<Id>,
}

impl<R: Runtime> Corrections<'_, R> {
    /// Takes somebody off every window of a board, chunk by chunk. It stops when nothing is left, or when the edge's clock has reached
    /// `until_ms`. Doing it again goes on where it was, as Redis remembers for an hour. `None` when no more may be kept off.
    ///
    /// 1. Keep it off, so that it is on no window when all were looked at.
    /// 2. Remove it from one board after the other.
    /// 3. Take it out of the archive, and out of the copy of who is hidden and pinned.
    /// 4. Let it in again, if it is not to stay off.
    ///
    /// # Errors
    /// When Redis or the archive does not answer; some of it may be done, and who is not to stay off is kept off until it is done.
    pub async fn remove(&self, site: &Site, board: &Board, removal: Removal<'_>, until_ms: u64) -> Result<Option<Removed>, Failure> {
        let Removal { whom, keep_off, is_dry } = removal;
        let failed = |error: Error| Failure { nothing_written: is_dry, ..Failure::of_write(&error) };
        let keep = async |is_off| self.redis.repeat(async |store| store.keep_off(site, board, whom, is_off).await).await;
        if !is_dry && !keep(true).await.map_err(|error| Failure::of_write(&error))? {
            return Ok(None);
        }
        let (mut removed, mut cursor) = (Removed::default(), None);
        loop {
            let from: Option<&str> = cursor.as_deref();
            let chunk = self.redis.repeat(async |store| store.remove(site, board, whom, is_dry, from).await).await.map_err(failed)?;
            removed.entries += chunk.entries;
            for member in chunk.members {
                if removed.members.len() < NAMED && !removed.members.contains(&member) {
                    removed.members.push(member);
                }
            }
            if chunk.cursor.is_none() {
                break;
            }
            if self.clock.clock_ms() >= until_ms {
                return Ok(Some(removed));
            }
            cursor = chunk.cursor;
        }
        if board.archive && !is_dry && !self.remove_from_archive(site, board, whom, until_ms).await? {
            return Ok(Some(removed));
        }
        if !is_dry {
            self.copies.copy_removed(site, board, whom).await.map_err(Failure::unfinished)?;
        }
        if !is_dry && !keep_off {
            keep(false).await.map_err(failed)?;
        }
        Ok(Some(Removed { is_done: true, ..removed }))
    }

    /// Takes a member off some boards of a site and keeps it off, as [`Self::remove`] does off one. Answers whether all of it is done, and how many
    /// copies of lists had the member; or the board that may keep off no more.
    ///
    /// # Errors
    /// When Redis or the archive does not answer; some of it may be done. Doing it again goes on.
    pub(in crate::app) async fn remove_from(
        &self,
        site: &Site,
        boards: &[&Board],
        member: &Id,
        until_ms: u64,
    ) -> Result<Result<(bool, usize), Name>, Failure> {
        let failed = |error: Error| Failure { nothing_written: false, ..Failure::of_write(&error) };
        let whom = Whom::Member(member.clone());
        for trip in boards.chunks(TRIP) {
            let kept = self.redis.repeat(async |store| store.keep_off_boards(site, trip, &whom, true).await).await.map_err(failed)?;
            if let Some((full, _)) = trip.iter().zip(kept).find(|(_, is_kept)| !is_kept) {
                return Ok(Err(full.name.clone()));
            }
        }
        let mut remaining: Vec<(&Board, String)> = boards.iter().map(|board| (*board, String::new())).collect();
        while !remaining.is_empty() {
            if self.clock.clock_ms() >= until_ms {
                return Ok(Ok((false, 0)));
            }
            let trip: Vec<(&Board, String)> = remaining.drain(..remaining.len().min(TRIP)).collect();
            let step = self.redis.repeat(async |store| store.remove_from_boards(site, &trip, &whom).await).await;
            let cursors = step.map_err(failed)?.into_iter().map(|removed| removed.cursor);
            remaining.extend(trip.into_iter().zip(cursors).filter_map(|((board, _), cursor)| Some((board, cursor?))));
        }
        for board in boards.iter().filter(|board| board.archive) {
            if !self.remove_from_archive(site, board, &whom, until_ms).await? {
                return Ok(Ok((false, 0)));
            }
        }
        let copies = self.copies.copy_removed_of(site, boards, member).await.map_err(Failure::unfinished)?;
        Ok(Ok((true, copies)))
    }

    /// Takes somebody out of the archive of a board. Answers whether all of it is done.
    async fn remove_from_archive(&self, site: &Site, board: &Board, whom: &Whom, until_ms: u64) -> Result<bool, Failure> {
        let failed = |detail| Failure { nothing_written: false, is_transient: true, script: None, detail };
        match self.amendments.remove_archived(site, board, whom, until_ms).await {
            Err(ArchiveError::Absent) => Ok(true),
            done => done.map_err(|error| failed(error.detail())),
        }
    }

    /// Lets a member in again that was kept off some boards.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub(in crate::app) async fn let_in_to(&self, site: &Site, boards: &[&Board], member: &Id) -> Result<(), Failure> {
        let whom = Whom::Member(member.clone());
        for trip in boards.chunks(TRIP) {
            let let_in = self.redis.repeat(async |store| store.keep_off_boards(site, trip, &whom, false).await).await;
            let_in.map_err(|error| Failure::of_write(&error))?;
        }
        Ok(())
    }

    /// Lets somebody in again that was kept off a board.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn let_in(&self, site: &Site, board: &Board, whom: &Whom) -> Result<(), Failure> {
        let let_in = self.redis.repeat(async |store| store.keep_off(site, board, whom, false).await).await;
        let_in.map(drop).map_err(|error| Failure::of_write(&error))
    }

    /// Some of who is kept off a board, from a cursor on.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn kept_off(&self, site: &Site, board: &Board, cursor: Option<&str>) -> Result<KeptOff, Failure> {
        self.redis.read(async |store| store.kept_off(site, board, cursor).await).await.map_err(|error| Failure::of_read(&error))
    }
}
