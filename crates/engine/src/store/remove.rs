//! Taking members off a board: `lua/remove.lua`, a bounded chunk at a time.

use ranking::counting::Target;
use ranking::name::Id;
use ranking::site::{Board, Site};
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::keep_off::Whom;
use super::scripts::{RemoveArgs, RemoveReply};
use super::target;
use super::window::{calendar_with_seasons, years_with_seasons};
use crate::adapter::{Error, Transport};

/// Entries in a chunk: some milliseconds of Redis's time.
const ENTRIES: i64 = 3000;

/// What a chunk removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Of the next chunk; `None`: nothing is left.
    pub cursor: Option<String>,
    /// Entries of boards.
    pub entries: u64,
    /// Some of the members.
    pub members: Vec<Id>,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Removes a chunk of what a board knows of somebody, or with `is_dry` only tells what that is. The cursor is that of the last
    /// chunk.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn remove(&self, site: &Site, board: &Board, whom: &Whom, is_dry: bool, cursor: Option<&str>) -> Result<Removed, Error> {
        let (id, is_prefix) = whom.parts();
        let call = |zone: &ZoneSpan| RemoveArgs {
            board: self.board_key(site, board),
            id: id.as_str().into(),
            is_prefix: is_prefix.into(),
            is_dry: is_dry.into(),
            target: target::every_period(Target::Board(board)),
            cursor: cursor.unwrap_or_default().into(),
            entries: ENTRIES,
            calendar: calendar_with_seasons(site, zone, &board.windows),
        };
        let RemoveReply { cursor, entries, members } = self.call(site, years_with_seasons(self.guess_s, &board.windows), call).await?;
        let members = members.into_iter().map(|member| member.id).collect();
        Ok(Removed { cursor: Some(cursor).filter(|cursor| !cursor.is_empty()), entries, members })
    }
}
