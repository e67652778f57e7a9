//! Taking members off a board: `lua/remove.lua`, a bounded chunk at a time.
//!
//! # Decisions
//!
//! - A flag in the state says that somebody was removed, and every call reads the state. So a board without removals costs
//!   nothing more, any other one `HMGET`.
//! - A prefix is one field, and the flag lists the lengths of prefixes. So thousands of junk ids do not cost memory each.
//! - A removed member is kept off until all boards were searched. Otherwise an event in the meantime could stay on some of
//!   them.
//! - A removal notes its progress (`:removing`), so that one of many trips ends although replies are lost. The note names the
//!   instant since when the member is kept off and the boards that it is taken from. Another removal or another configuration
//!   begins anew. The note expires after an hour, and when a period is restored. A step whose reply was lost is repeated up to
//!   three times (`App::repeat`).
//! - A removal stays known after the member is let in again. An undo must not take away a second time what the removal took.
//! - An instant decides whether an action was recorded before a removal or after it, even when the clock goes back a little. A
//!   removal takes what was recorded until a minute ahead (`lua/lib/removed.lua`). An action after the removal is recorded
//!   behind that (`lua/lib/reversible.lua`).
//! - A removal unpins a member, and leaves a hidden one hidden. A pinned member without points would stand first. Showing
//!   somebody again is a decision that a removal does not make.
//! - Windows that the configuration of the call lacks are rebuilt when they come back (`lua/lib/erasure.lua`). A removal, an
//!   alias, an erasure, a reset and a restore go by the configured windows, and change the base boards of others as well.
//! - Junk is found by scanning boards with `ZSCAN`. A member that is met twice does no harm here, and the cursor is kept with
//!   the id of the server's process.

use ranking::counting::Target;
use ranking::name::Id;
use ranking::site::{Board, Site};
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::keep_off::Whom;
use super::scripts::{RemoveArgs, RemoveReply};
use super::target;
use super::window::{calendar_with_seasons, years_with_seasons};
use crate::adapter::{Error, Mode, Transport};

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

impl Removed {
    fn of(RemoveReply { cursor, entries, members }: RemoveReply) -> Self {
        let members = members.into_iter().map(|member| member.id).collect();
        Self { cursor: Some(cursor).filter(|cursor| !cursor.is_empty()), entries, members }
    }
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Removes a chunk of what a board knows of somebody, or with `is_dry` only tells what that is. The cursor is that of the last
    /// chunk.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn remove(&self, site: &Site, board: &Board, whom: &Whom, is_dry: bool, cursor: Option<&str>) -> Result<Removed, Error> {
        let call = |zone: &ZoneSpan| self.fields_of_removal(site, board, whom, is_dry, cursor.unwrap_or_default(), zone);
        Ok(Removed::of(self.call(site, years_with_seasons(self.guess_s, &board.windows), call).await?))
    }

    /// Removes a chunk of what each of several boards knows of somebody, in one round trip. A board comes with its cursor, which is empty at first.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn remove_from_boards(&self, site: &Site, boards: &[(&Board, String)], whom: &Whom) -> Result<Vec<Removed>, Error> {
        let years = boards.iter().map(|(board, _)| years_with_seasons(self.guess_s, &board.windows)).collect();
        let call = |i: usize, zone: &ZoneSpan| {
            let (board, cursor) = &boards[i];
            self.fields_of_removal(site, board, whom, false, cursor, zone)
        };
        let replies = self.call_all(Mode::Pipeline, site, years, call).await?;
        replies.into_iter().map(|reply| Ok(Removed::of(reply?))).collect()
    }

    fn fields_of_removal(&self, site: &Site, board: &Board, whom: &Whom, is_dry: bool, cursor: &str, zone: &ZoneSpan) -> RemoveArgs {
        let (id, is_prefix) = whom.parts();
        RemoveArgs {
            board: self.board_key(site, board),
            id: id.as_str().into(),
            is_prefix: is_prefix.into(),
            is_dry: is_dry.into(),
            target: target::every_period(Target::Board(board)),
            cursor: cursor.into(),
            entries: ENTRIES,
            calendar: calendar_with_seasons(site, zone, &board.windows),
        }
    }
}
