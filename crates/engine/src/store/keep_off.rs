//! Members that are kept off a board: `lua/keep_off.lua`.

use ranking::name::Id;
use ranking::site::{Board, Site};
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::scripts::{KeepOffArgs, KeepOffReply};
use super::window::calendar_fields;
use crate::adapter::{Error, Mode, Transport};

/// A member, or all whose ids begin with a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whom {
    Member(Id),
    Prefix(Id),
}

impl Whom {
    /// Ids and prefixes that a board may keep off, with those that were let in again. Each is a field of a hash.
    pub const MOST: u32 = 100_000;

    pub(super) fn parts(&self) -> (&Id, bool) {
        match self {
            Self::Member(id) => (id, false),
            Self::Prefix(id) => (id, true),
        }
    }
}

/// A part of who is kept off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptOff {
    /// Each with since when, in Unix milliseconds.
    pub members: Vec<(Whom, i64)>,
    /// Where to go on, if that is not all.
    pub cursor: Option<String>,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Keeps somebody off a board, or lets it in again; `false` when there is no room.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn keep_off(&self, site: &Site, board: &Board, whom: &Whom, is_off: bool) -> Result<bool, Error> {
        let (id, is_prefix) = whom.parts();
        let reply = self.moved(site, board, if is_off { "put" } else { "delete" }, id.as_str(), is_prefix).await?;
        Ok(matches!(reply, KeepOffReply::Ok { .. }))
    }

    /// The same of several boards, in one round trip. Answers of each whether there is room.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn keep_off_boards(&self, site: &Site, boards: &[&Board], whom: &Whom, is_off: bool) -> Result<Vec<bool>, Error> {
        let (id, is_prefix) = whom.parts();
        let verb = if is_off { "put" } else { "delete" };
        let call = |i: usize, zone: &ZoneSpan| self.fields_of_moved(site, boards[i], (verb, id.as_str(), is_prefix), zone);
        let replies = self.call_all(Mode::Pipeline, site, vec![self.years(); boards.len()], call).await?;
        replies.into_iter().map(|reply| Ok(matches!(reply?, KeepOffReply::Ok { .. }))).collect()
    }

    /// Some of who is kept off, from a cursor on.
    ///
    /// # Errors
    /// When Redis does not answer, or the cursor is none.
    pub async fn kept_off(&self, site: &Site, board: &Board, cursor: Option<&str>) -> Result<KeptOff, Error> {
        Ok(match self.moved(site, board, "list", cursor.unwrap_or("0"), false).await? {
            KeepOffReply::Full { .. } => KeptOff { members: Vec::new(), cursor: None },
            KeepOffReply::Ok { members, cursor, .. } => {
                let whom = |is_prefix, id| if is_prefix { Whom::Prefix(id) } else { Whom::Member(id) };
                let members = members.into_iter();
                KeptOff {
                    members: members.map(|of| (whom(of.is_prefix, of.id), i64::try_from(of.since_ms).unwrap_or(i64::MAX))).collect(),
                    cursor: Some(cursor).filter(|cursor| !cursor.is_empty()),
                }
            }
        })
    }

    async fn moved(&self, site: &Site, board: &Board, verb: &str, id: &str, is_prefix: bool) -> Result<KeepOffReply, Error> {
        let call = |zone: &ZoneSpan| self.fields_of_moved(site, board, (verb, id, is_prefix), zone);
        self.call(site, self.years(), call).await
    }

    fn fields_of_moved(&self, site: &Site, board: &Board, (verb, id, is_prefix): (&str, &str, bool), zone: &ZoneSpan) -> KeepOffArgs {
        KeepOffArgs {
            board: self.board_key(site, board),
            verb: verb.into(),
            id: id.into(),
            is_prefix: is_prefix.into(),
            max_size: Whom::MOST.into(),
            calendar: calendar_fields(site, zone),
        }
    }
}
