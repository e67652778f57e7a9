//! Hiding and pinning members: `lua/curate.lua`.

use ranking::name::Id;
use ranking::site::{Board, Site};
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::scripts::{CurateArgs, CurateReply};
use super::window::calendar_fields;
use crate::adapter::{Error, Transport};

/// A list of a board's members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// They are not shown, and leave no hole.
    Hidden,
    /// They stand first, in the order of their pinning.
    Pinned,
}

impl List {
    pub fn name(self) -> &'static str {
        match self {
            Self::Hidden => "hidden",
            Self::Pinned => "pinned",
        }
    }

    /// Members that may be on it: each is looked up whenever the board is read.
    pub fn max_size(self) -> u32 {
        match self {
            Self::Hidden => 1_000,
            Self::Pinned => 100,
        }
    }
}

/// What to do with a list.
#[derive(Clone, Copy, Debug)]
pub enum Change<'c> {
    Put(&'c Id),
    Delete(&'c Id),
    /// Nothing; only look.
    Look,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Changes a list, or answers who is on it; `None` when there is no room.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn curate(&self, site: &Site, board: &Board, list: List, change: Change<'_>) -> Result<Option<Vec<Id>>, Error> {
        let (verb, id) = match change {
            Change::Put(id) => ("put", id.as_str()),
            Change::Delete(id) => ("delete", id.as_str()),
            Change::Look => ("list", ""),
        };
        let call = |zone: &ZoneSpan| CurateArgs {
            board: self.board_key(site, board),
            list: list.name().into(),
            verb: verb.into(),
            id: id.into(),
            max_size: list.max_size().into(),
            calendar: calendar_fields(site, zone),
        };
        Ok(match self.call(site, self.years(), call).await? {
            CurateReply::Full { .. } => None,
            CurateReply::Ok { members, .. } => Some(members.into_iter().map(|member| member.id).collect()),
        })
    }
}
