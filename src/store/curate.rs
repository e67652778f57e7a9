//! Hiding and pinning members: `lua/curate.lua`.

use super::target::Target;
use super::{CURATE, Store, Zones, fields, id, malformed, script};
use crate::adapter::{Error, Invocation, Mode, Transport, Value};
use crate::ranking::name::Id;
use crate::ranking::site::{Board, Site};

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
        let (verb, member) = match change {
            Change::Put(id) => ("put", id.as_str()),
            Change::Delete(id) => ("delete", id.as_str()),
            Change::Look => ("list", ""),
        };
        let args = vec![list.name().into(), verb.into(), member.into(), list.max_size().to_string()];
        debug_assert_eq!(args.len(), CURATE.args.len());
        let call = Invocation { script: &CURATE, keys: vec![self.key(site, Target::Board(board))], args };
        let reply = script::run(&self.transport, &[call], Mode::Pipeline).await?.pop().unwrap_or_else(|| Err(malformed(&CURATE)))?;
        match fields(&CURATE, reply)?.as_slice() {
            [Value::BulkString(status), _] if status == b"FULL" => Ok(None),
            [_, _, members @ ..] => members.iter().map(|member| id(&CURATE, member)).collect::<Result<_, _>>().map(Some),
            _ => Err(malformed(&CURATE)),
        }
    }
}
