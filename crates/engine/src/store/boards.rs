//! The boards of templates that a site has: `lua/find_boards.lua`, `lua/list_boards.lua`, `lua/make_board.lua`, `lua/end_board.lua`,
//! `lua/put_board.lua`, `lua/archive_board.lua`, `lua/scan_boards.lua` and `lua/forget_boards.lua`; and when upkeep looks at them: `lua/enter_boards.lua`, `lua/due_boards.lua`,
//! `lua/rest_boards.lua` and `lua/list_due.lua`.

use std::collections::{BTreeMap, BTreeSet};

use ranking::counting::Target;
use ranking::name::Name;
use ranking::site::{Board, Site};
use ranking::template::Template;
use ranking::zone::{ZoneSpan, Zones};

use super::leftover::scanned;
use super::scripts::{
    ArchiveBoardArgs, ArchiveBoardReply, BoardEntryFields, DueBoardsArgs, DueBoardsReply, EndBoardArgs, EndBoardReply, EnterBoardsArgs,
    EnterBoardsName, FindBoardsArgs, FindBoardsName, ForgetBoardsArgs, ForgetBoardsName, ForgetBoardsReply, IdleArgs, ListBoardsArgs,
    ListDueArgs, MakeBoardArgs, MakeBoardReply, PutBoardArgs, RestBoardsArgs, RestBoardsName, ScanBoardsArgs, ScanBoardsBoard,
    ScanBoardsReply, SweepBoardsArgs, SweepBoardsBoard,
};
use super::{Store, keys};
use crate::adapter::{Error, Fault, Mode, Transport};

/// For so long nobody else looks for keys: longer than a scheduled run lasts.
const LEASE_MS: i64 = 60_000;
/// Upkeep looks at a board of a template after a day at the latest, while it has something to keep there.
pub const LONGEST_BOARD_REST_S: i64 = 86_400;
/// Keys that Redis looks at in one piece.
const PIECE: u32 = 1_000;

/// How a board of a template is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// There is none of this name.
    Missing,
    /// It begins later.
    Waiting,
    Open,
    /// It has ended: it takes no events, and is read.
    Closed,
    /// Closed, and to be archived when all its periods are over.
    Archiving,
    /// Closed: what it has beside periods is being archived, and nothing changes it any more.
    Copying,
    /// Closed, and kept in the archive alone.
    Archived,
    /// Closed, and being brought back from the archive.
    Opening,
    /// It is being deleted.
    Going,
}

impl State {
    const NAMES: [(&str, Self); 8] = [
        ("waiting", Self::Waiting),
        ("open", Self::Open),
        ("closed", Self::Closed),
        ("archiving", Self::Archiving),
        ("copying", Self::Copying),
        ("archived", Self::Archived),
        ("opening", Self::Opening),
        ("going", Self::Going),
    ];

    fn read(text: &str) -> Self {
        Self::NAMES.into_iter().find(|(name, _)| *name == text).map_or(Self::Missing, |(_, state)| state)
    }

    pub fn name(self) -> &'static str {
        Self::NAMES.into_iter().find(|(_, state)| *state == self).map_or("missing", |(name, _)| name)
    }

    /// Whether all of it is in the archive, and Redis may have nothing of it, or a part.
    pub fn is_archived(self) -> bool {
        matches!(self, Self::Archived | Self::Opening)
    }

    /// Whether what Redis has of it may be corrected.
    pub fn takes_corrections(self) -> bool {
        matches!(self, Self::Waiting | Self::Open | Self::Closed | Self::Archiving)
    }
}

/// A step of a board on its way to the archive or back, see `lua/archive_board.lua`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveStep {
    Archive,
    Copy,
    Archived,
    Delete,
    Open,
    Opened,
}

impl ArchiveStep {
    fn name(self) -> &'static str {
        match self {
            Self::Archive => "archive",
            Self::Copy => "copy",
            Self::Archived => "archived",
            Self::Delete => "delete",
            Self::Open => "open",
            Self::Opened => "opened",
        }
    }
}

/// What is known of a board of a template. Instants are Unix milliseconds.
#[derive(Clone, Debug)]
pub struct Known {
    pub state: State,
    /// Milliseconds for which it stays so by itself; `None`: for ever.
    pub rest_ms: Option<u64>,
    pub made_ms: u64,
    /// 0: it began when it was made.
    pub starts_ms: u64,
    /// 0: never.
    pub ends_ms: u64,
    /// Since when it is being deleted; 0: it is not.
    pub going_ms: u64,
    /// Since when it is archiving, copying, archived or opening; 0: it is not.
    pub archive_ms: u64,
    pub title: String,
    /// All of it, as the registry has it; empty where there is none.
    pub entry: String,
}

/// What an administrator writes of a board. Instants are Unix milliseconds; 0: none.
#[derive(Clone, Debug, Default)]
pub struct BoardDetails {
    pub title: String,
    pub starts_ms: i64,
    pub ends_ms: i64,
}

/// What became of a board that is to be there.
#[derive(Debug)]
pub enum Made {
    /// Whether it was not there before.
    There(Known, bool),
    /// It is being deleted.
    Going,
    /// Its template has as many as it may.
    Full,
    /// Its site has as many as its quota allows.
    OverQuota,
}

/// Boards of a template.
#[derive(Debug)]
pub struct Listed {
    /// How many there are.
    pub total: u64,
    pub boards: Vec<(String, Known)>,
}

/// What became of a step of a board on its way to the archive or back.
#[derive(Debug)]
pub enum Stepped {
    Done(Known),
    /// It is in none of the states that the step is of.
    Refused(Known),
    Missing,
}

/// When upkeep is to look at a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entering {
    /// Unless it does so within a day anyway.
    Soon,
    /// At once: something came up that does not wait.
    Now,
}

/// The boards that upkeep is to look at now.
#[derive(Debug)]
pub struct DueBoards {
    /// Unix seconds.
    pub now_s: i64,
    /// Seconds until it is to look at another one; `None`: now, or at none.
    pub rest_s: Option<u64>,
    pub boards: Vec<DueBoard>,
}

#[derive(Clone, Debug)]
pub struct DueBoard {
    pub name: String,
    /// Since when, as Redis writes it; empty where it was not to be looked at.
    pub entered: String,
    pub state: State,
    /// Since when it is archiving, copying, archived or opening (Unix seconds).
    pub archive_s: i64,
}

impl DueBoard {
    /// Whether it is looked at for something that came up, and not because its time has come.
    pub fn is_entered(&self) -> bool {
        self.entered.starts_with('-')
    }
}

/// The boards whose keys are deleted.
#[derive(Debug, Default)]
pub struct Dropped {
    pub going: BTreeSet<String>,
    /// The lists of hidden, pinned and removed members of these stay.
    pub archived: BTreeSet<String>,
}

impl Dropped {
    fn has(&self, key: &str) -> bool {
        let board = keys::board_of(key);
        self.going.contains(board) || self.archived.contains(board) && !keys::is_list(key)
    }
}

/// A scan of the keys of a site.
#[derive(Debug)]
pub enum Scan {
    /// Go on from a cursor.
    On { cursor: String, boards: Dropped },
    /// No board is due; the next one is after so many milliseconds, if any is going.
    Done { next_ms: Option<u64> },
    /// Somebody else scans.
    Busy,
}

impl Known {
    /// By how it is, for how long, and the entry that `lua/lib/registry.lua` writes.
    fn read(state: &str, rest: u64, entry: &str) -> Self {
        let (instants, title) = entry.split_once('\n').unwrap_or_default();
        // The phase is a word.
        let mut instants = instants.split(' ').filter_map(|ms| ms.parse().ok());
        let mut next = || instants.next().unwrap_or_default();
        Self {
            state: State::read(state),
            rest_ms: Some(rest).filter(|rest| *rest > 0),
            made_ms: next(),
            starts_ms: next(),
            ends_ms: next(),
            going_ms: next(),
            archive_ms: next(),
            title: title.into(),
            entry: entry.into(),
        }
    }

    fn of(fields: &BoardEntryFields) -> Self {
        Self::read(&fields.state, fields.rest, &fields.entry)
    }
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// How some boards of templates are, of each in order.
    ///
    /// # Errors
    /// Why it could not be read.
    pub async fn find_boards(&self, site: &Site, names: &[Name]) -> Result<Vec<Known>, Error> {
        let names = names.iter().map(|name| FindBoardsName { name: name.as_str().into() }).collect();
        let found = self.call_once(FindBoardsArgs { board: self.key(site, Target::ActivityLog), names }).await?.boards;
        Ok(found.iter().map(|found| Known::read(&found.state, found.rest, &found.entry)).collect())
    }

    /// The boards whose names begin so, in the order of these, from the one behind another on.
    ///
    /// # Errors
    /// Why they could not be read.
    pub async fn list_boards(&self, site: &Site, prefix: &str, after: &str, limit: u32) -> Result<Listed, Error> {
        let (prefix, after, limit) = (prefix.into(), after.into(), limit.into());
        let reply = self.call_once(ListBoardsArgs { board: self.key(site, Target::ActivityLog), prefix, after, limit }).await?;
        let boards = reply.boards.into_iter().map(|board| (board.name, Known::read(&board.state, board.rest, &board.entry))).collect();
        Ok(Listed { total: reply.total, boards })
    }

    /// How many boards each template of a site has, in the order of the templates, in one round trip.
    ///
    /// # Errors
    /// Why it could not be read.
    pub async fn count_boards(&self, site: &Site) -> Result<Vec<u64>, Error> {
        let prefixes: Vec<String> = site.templates.values().map(|template| format!("{}:", template.board.name)).collect();
        let (board, years) = (self.key(site, Target::ActivityLog), vec![self.years(); prefixes.len()]);
        let of = |i: usize| ListBoardsArgs { board: board.clone(), prefix: prefixes[i].clone(), after: String::new(), limit: 0 };
        let replies = self.call_all(Mode::Pipeline, site, years, |i, _| of(i)).await?;
        replies.into_iter().map(|reply| Ok(reply?.total)).collect()
    }

    /// Makes a board, or changes its details; without any, one that is there stays as it is.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn make_board(&self, site: &Site, template: &Template, name: &Name, details: Option<&BoardDetails>) -> Result<Made, Error> {
        let only_new = details.is_none().into();
        let BoardDetails { title, starts_ms, ends_ms } = details.cloned().unwrap_or_default();
        let quota = site.quota.boards.map_or(-1, |boards| boards.saturating_sub(site.configured_boards()).into());
        let call = MakeBoardArgs {
            board: self.key(site, Target::ActivityLog),
            name: name.as_str().into(),
            prefix: format!("{}:", template.board.name),
            most: template.max_boards.into(),
            quota,
            only_new,
            title,
            starts: starts_ms,
            ends: ends_ms,
        };
        Ok(match self.call_once(call).await? {
            MakeBoardReply::Ok { is_new, board_entry } => Made::There(Known::of(&board_entry), is_new),
            MakeBoardReply::Going {} => Made::Going,
            MakeBoardReply::Full {} => Made::Full,
            MakeBoardReply::Over {} => Made::OverQuota,
        })
    }

    /// Puts back what is known of a board, in place of what Redis has. Answers how the board is.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn put_board(&self, site: &Site, name: &Name, entry: &str) -> Result<State, Error> {
        let call = PutBoardArgs { board: self.key(site, Target::ActivityLog), name: name.as_str().into(), entry: entry.into() };
        Ok(State::read(&self.call_once(call).await?.board_entry.state))
    }

    /// Begins to delete a board; `None`: there is none.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn end_board(&self, site: &Site, name: &Name) -> Result<Option<Known>, Error> {
        let call = EndBoardArgs { board: self.key(site, Target::ActivityLog), name: name.as_str().into() };
        Ok(match self.call_once(call).await? {
            EndBoardReply::Ok { board_entry } => Some(Known::of(&board_entry)),
            EndBoardReply::None {} => None,
        })
    }

    /// Takes a board a step further on its way to the archive or back.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn archive_board(&self, site: &Site, name: &Name, step: ArchiveStep) -> Result<Stepped, Error> {
        let call = ArchiveBoardArgs { board: self.key(site, Target::ActivityLog), name: name.as_str().into(), step: step.name().into() };
        Ok(match self.call_once(call).await? {
            ArchiveBoardReply::Ok { board_entry } => Stepped::Done(Known::of(&board_entry)),
            ArchiveBoardReply::Refused { board_entry } => Stepped::Refused(Known::of(&board_entry)),
            ArchiveBoardReply::None {} => Stepped::Missing,
        })
    }

    /// Where the scan is that deletes the keys of boards that went `wait_ms` ago, and that the keys before a cursor are done.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn scan_boards(&self, site: &Site, owner: &str, wait_ms: i64, cursor: &str) -> Result<Scan, Error> {
        let board = self.key(site, Target::ActivityLog);
        let call = ScanBoardsArgs { board, owner: owner.into(), wait: wait_ms, lease: LEASE_MS, cursor: cursor.into() };
        Ok(match self.call_once(call).await? {
            ScanBoardsReply::Ok { cursor, boards } => {
                let (archived, going): (Vec<_>, Vec<_>) = boards.into_iter().partition(|board| board.is_archived);
                let names = |boards: Vec<ScanBoardsBoard>| boards.into_iter().map(|board| board.name).collect();
                Scan::On { cursor, boards: Dropped { going: names(going), archived: names(archived) } }
            }
            ScanBoardsReply::None { rest } => Scan::Done { next_ms: Some(rest).filter(|rest| *rest > 0) },
            ScanBoardsReply::Busy {} => Scan::Busy,
        })
    }

    /// Deletes those of some more keys of a site that are of these boards. Answers the cursor behind them; `None` at the end.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn delete_keys_of(&self, site: &Site, boards: &Dropped, cursor: &str) -> Result<Option<String>, Error> {
        let begins = format!("{}{{{}:", keys::keys_of(self.key_prefix, site), site.name);
        let scan = ["SCAN", cursor, "MATCH", &format!("{begins}*"), "COUNT", &PIECE.to_string()].into_iter().collect();
        let (cursor, names) = scanned(self.one(scan).await?).ok_or_else(|| Error::new(Fault::Malformed, "no answer of SCAN"))?;
        let is_of = |key: &String| key.starts_with(&begins) && boards.has(key);
        let deleted: Vec<String> = names.into_iter().filter(is_of).collect();
        if !deleted.is_empty() {
            self.unlink(&deleted).await?;
        }
        Ok(Some(cursor).filter(|cursor| cursor != "0"))
    }

    /// Deletes those of some more keys that are of these sites, none of which is the demo. Answers the cursor behind them, which is `None` at the
    /// end, and how many keys of each site were deleted.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn delete_keys_of_sites(
        &self,
        names: &BTreeSet<String>,
        cursor: &str,
    ) -> Result<(Option<String>, BTreeMap<String, u64>), Error> {
        let begins = format!("{}:{{", self.key_prefix);
        let scan = ["SCAN", cursor, "MATCH", &format!("{begins}*"), "COUNT", &PIECE.to_string()].into_iter().collect();
        let (cursor, keys) = scanned(self.one(scan).await?).ok_or_else(|| Error::new(Fault::Malformed, "no answer of SCAN"))?;
        let of = |key: &String| names.get(keys::site_of(key.as_bytes())).filter(|_| key.starts_with(&begins));
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let mut deleted = Vec::new();
        for key in keys {
            if let Some(name) = of(&key) {
                *counts.entry(name.clone()).or_default() += 1;
                deleted.push(key);
            }
        }
        if !deleted.is_empty() {
            self.unlink(&deleted).await?;
        }
        Ok((Some(cursor).filter(|cursor| cursor != "0"), counts))
    }

    /// Ends a scan: of these boards those that are going are there no more, and of archived ones the keys are deleted. `false`: somebody else scans, and nothing was done.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn forget_boards(&self, site: &Site, owner: &str, boards: &Dropped) -> Result<bool, Error> {
        let names = boards.going.iter().chain(&boards.archived).map(|name| ForgetBoardsName { name: name.clone() }).collect();
        let call = ForgetBoardsArgs { board: self.key(site, Target::ActivityLog), owner: owner.into(), names };
        Ok(matches!(self.call_once(call).await?, ForgetBoardsReply::Ok {}))
    }

    /// Has upkeep look at boards.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn enter_boards(&self, site: &Site, names: &[Name], entering: Entering) -> Result<(), Error> {
        let names = names.iter().map(|name| EnterBoardsName { name: name.as_str().into() }).collect();
        let soon = if entering == Entering::Now { -1 } else { LONGEST_BOARD_REST_S };
        self.call_once(EnterBoardsArgs { board: self.key(site, Target::ActivityLog), soon, names }).await.map(drop)
    }

    /// The boards that upkeep is to look at now, so many at most; `None`: Redis lost them, see [`Self::list_due`].
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn due_boards(&self, site: &Site, most: u32) -> Result<Option<DueBoards>, Error> {
        Ok(match self.call_once(DueBoardsArgs { board: self.key(site, Target::ActivityLog), most: most.into() }).await? {
            DueBoardsReply::Lost {} => None,
            DueBoardsReply::Ok { now, rest, boards } => {
                let of = |board: super::scripts::DueBoardsBoard| DueBoard {
                    state: State::read(&board.state),
                    name: board.name,
                    entered: board.entered,
                    archive_s: board.since / 1_000,
                };
                Some(DueBoards { now_s: now, rest_s: Some(rest).filter(|rest| *rest > 0), boards: boards.into_iter().map(of).collect() })
            }
        })
    }

    /// Some boards that upkeep is not to look at, none of which is being deleted: others each `every_s` seconds.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn sweep_boards(&self, site: &Site, every_s: u64, most: u32) -> Result<Vec<DueBoard>, Error> {
        let call = SweepBoardsArgs { board: self.key(site, Target::ActivityLog), every: every_s.cast_signed(), most: most.into() };
        let of = |board: SweepBoardsBoard| DueBoard {
            state: State::read(&board.state),
            name: board.name,
            entered: String::new(),
            archive_s: board.since / 1_000,
        };
        Ok(self.call_once(call).await?.boards.into_iter().map(of).collect())
    }

    /// Notes of boards that upkeep has nothing left to do there since an instant (microseconds), until something changes.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn note_idle(&self, site: &Site, boards: &[(&Board, i64)]) -> Result<(), Error> {
        let call = |i: usize, _: &ZoneSpan| IdleArgs { board: self.board_key(site, boards[i].0), since: boards[i].1 };
        self.call_all(Mode::Pipeline, site, vec![self.years(); boards.len()], call).await.map(drop)
    }

    /// Has upkeep look at all boards.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn list_due(&self, site: &Site) -> Result<(), Error> {
        self.call_once(ListDueArgs { board: self.key(site, Target::ActivityLog) }).await.map(drop)
    }

    /// Notes when upkeep looks at boards again (Unix seconds); 0: when somebody enters them. It is not noted where something came up in between.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn rest_boards(&self, site: &Site, boards: &[(DueBoard, i64)]) -> Result<(), Error> {
        let name = |(due, at): &(DueBoard, i64)| RestBoardsName { name: due.name.clone(), entered: due.entered.clone(), at: *at };
        let names = boards.iter().map(name).collect();
        self.call_once(RestBoardsArgs { board: self.key(site, Target::ActivityLog), longest: LONGEST_BOARD_REST_S, names }).await.map(drop)
    }
}
