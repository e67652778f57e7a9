//! Periods that are archived: `lua/closed.lua`, `lua/scan.lua`, `lua/behind.lua` and `lua/archive.lua`.

use ranking::name::Id;
use ranking::period::Period;
use ranking::score::Score;
use ranking::site::{Board, Site, Ties};
use ranking::window::Unit;
use ranking::zone::{Years, ZoneSpan, Zones};

use super::Store;
use super::keep_off::Whom;
use super::leftover::scanned;
use super::scripts::{
    ArchiveArgs, ArchiveNote, ArchiveReply, BehindArgs, BehindMember, ClosedArgs, ClosedClosed, ClosedReply, ScanArgs, ScanMember,
};
use super::window::{calendar_with_seasons, years_with_seasons};
use crate::adapter::{Error, Fault, Transport, Value};

/// The periods of a unit that hold something, and are not the current one.
#[derive(Debug)]
pub struct ClosedList {
    /// Unix milliseconds.
    pub now_ms: i64,
    /// The number of the current period.
    pub current: i64,
    /// The oldest first.
    pub periods: Vec<Closed>,
}

/// A period that is over. Instants are Unix seconds.
#[derive(Clone, Copy, Debug)]
pub struct Closed {
    pub number: i64,
    pub starts_at: i64,
    pub ends_at: i64,
    /// Entries that are there, and entries that were moved aside.
    pub size: u64,
    pub remaining: u64,
}

/// A member of a period.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub id: Id,
    pub score: Score,
    /// What it did by action: "action count sum …"; empty where that is not known.
    pub tally: String,
}

/// Some members of a period, best first.
#[derive(Debug)]
pub struct Scanned {
    pub members: Vec<Member>,
    /// Where to go on; `None` at the end.
    pub place: Option<String>,
}

/// A member whose changes the archive of a period does not have yet.
#[derive(Clone, Debug)]
pub struct Behind {
    /// As Redis has it; of score 0 where it is not there.
    pub member: Member,
    /// A line for each change until it was taken, and since: "at score tally", what it had until then (Unix microseconds).
    pub taken: String,
    pub since: String,
}

/// Some of them.
#[derive(Debug)]
pub struct BehindList {
    /// Whether Redis has the period.
    pub is_there: bool,
    /// Some may come twice.
    pub members: Vec<Behind>,
    /// Where to go on; `None` at the end.
    pub cursor: Option<String>,
}

/// Where a period's members are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Where they are counted.
    Period,
    /// Moved aside, since Redis forgets the period.
    Remaining,
    /// Moved aside by a reset, at that instant (Unix milliseconds).
    Reset(i64),
}

impl Stored {
    fn name(self) -> String {
        match self {
            Self::Period => String::new(),
            Self::Remaining => "left".into(),
            Self::Reset(at_ms) => format!("reset:{at_ms}"),
        }
    }
}

/// What to do with a period besides remembering.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Answer all that is remembered.
    Look,
    /// Have Redis keep the period until then at least (Unix seconds); 0: as it does.
    Note { kept_until: i64 },
    /// Note from now on who changes in it, whatever was noted before.
    Begin,
    /// Move aside who changed in it.
    Take,
    /// Forget those that were moved aside: the archive has them.
    Follow,
    /// Move it aside; `corrects`: to be added to the archive.
    Leave { corrects: bool },
    /// Forget the best so many entries of what was moved aside; 0: all.
    Forget { of: Stored, count: u64 },
}

/// What is remembered of archiving a board: by name.
pub type Notes = Vec<(String, String)>;

/// What was remembered, and when.
#[derive(Debug)]
pub struct Noted {
    /// Unix milliseconds.
    pub now_ms: i64,
    /// Unix microseconds: of [`Step::Begin`] since when changes are noted, of [`Step::Take`] until when those are that were moved aside, of
    /// [`Step::Leave`] when the period was moved aside; else 0.
    pub since_us: i64,
    pub notes: Notes,
}

/// How members are met and removed, of a sorted set or of a hash.
#[derive(Clone, Copy)]
struct Commands {
    scan: &'static str,
    remove: &'static str,
}

/// The number that `lua/closed.lua` takes for all periods.
const ALL_PERIODS: i64 = -1;

const SORTED_SET: Commands = Commands { scan: "ZSCAN", remove: "ZREM" };
const HASH: Commands = Commands { scan: "HSCAN", remove: "HDEL" };

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// The last `back` periods of a unit before the current one; all seasons that are over.
    ///
    /// # Errors
    /// Why they are not known.
    pub async fn closed(&self, site: &Site, board: &Board, unit: Unit, back: u32) -> Result<ClosedList, Error> {
        self.closed_of(site, board, unit, back, ALL_PERIODS).await
    }

    /// The same of one period: a list of one, or of none.
    ///
    /// # Errors
    /// Why it is not known.
    pub async fn closed_one(&self, site: &Site, board: &Board, of: Period, back: u32) -> Result<ClosedList, Error> {
        self.closed_of(site, board, of.unit, back, of.number).await
    }

    async fn closed_of(&self, site: &Site, board: &Board, unit: Unit, back: u32, number: i64) -> Result<ClosedList, Error> {
        let from = self.guess_s.saturating_sub_unsigned(unit.needed_s(back));
        let (windows, years) = match unit {
            Unit::Season => (&board.windows[..], years_with_seasons(self.guess_s, &board.windows)),
            _ => (&[][..], Years::around(from, self.guess_s)),
        };
        let call = |zone: &ZoneSpan| ClosedArgs {
            board: self.board_key(site, board),
            unit: unit.code().into(),
            back: back.into(),
            number,
            calendar: calendar_with_seasons(site, zone, windows),
        };
        let ClosedReply { now_ms, current, closeds } = self.call(site, years, call).await?;
        let period = |ClosedClosed { number, starts_at, ends_at, size, remaining }| Closed { number, starts_at, ends_at, size, remaining };
        Ok(ClosedList { now_ms, current, periods: closeds.into_iter().map(period).collect() })
    }

    /// Members of a period from a place on, or of what was moved aside, with their counts by action where the board keeps them.
    ///
    /// # Errors
    /// Why they could not be read.
    pub async fn scan(&self, site: &Site, board: &Board, of: Period, copy: Stored, place: &str, count: u32) -> Result<Scanned, Error> {
        let reply = self
            .call_once(ScanArgs {
                board: self.board_key(site, board),
                unit: of.unit.code().into(),
                number: of.number,
                copy: copy.name(),
                ties: board.ties.map_or("", Ties::name).into(),
                tallied: board.breakdown.into(),
                place: place.into(),
                count: count.into(),
            })
            .await?;
        let member = |ScanMember { id, score, tally }| Member { id, score: board.shown(score), tally };
        let members = reply.members.into_iter().map(member).collect();
        Ok(Scanned { members, place: Some(reply.place).filter(|place| !place.is_empty()) })
    }

    /// Members of a period, without marks.
    ///
    /// # Errors
    /// Why it is not known.
    pub async fn period_size(&self, site: &Site, board: &Board, of: Period) -> Result<u64, Error> {
        let key = format!("{}:{}:{}", self.board_key(site, board), of.unit.name(), of.number);
        match self.one(["ZCOUNT", &key, "(-inf", "+inf"].into_iter().collect()).await? {
            Value::Int(size) => Ok(size.try_into().unwrap_or_default()),
            _ => Err(Error::new(Fault::Malformed, "ZCOUNT answered no number")),
        }
    }

    /// Some of the members whom the archive of a period is behind with: those that were `taken`, or those that are noted.
    ///
    /// # Errors
    /// Why they could not be read.
    pub async fn behind(&self, site: &Site, board: &Board, of: Period, taken: bool, cursor: &str, count: u32) -> Result<BehindList, Error> {
        let reply = self
            .call_once(BehindArgs {
                board: self.board_key(site, board),
                unit: of.unit.code().into(),
                number: of.number,
                taken: taken.into(),
                cursor: if cursor.is_empty() { "0".into() } else { cursor.into() },
                count: count.into(),
            })
            .await?;
        let behind = |BehindMember { id, score, tally, taken, since }| {
            let tally = if board.breakdown { tally } else { String::new() };
            Behind { member: Member { id, score: board.shown(score), tally }, taken, since }
        };
        let cursor = Some(reply.cursor).filter(|cursor| cursor != "0");
        Ok(BehindList { is_there: reply.is_there, members: reply.members.into_iter().map(behind).collect(), cursor })
    }

    /// Remembers notes, of which empty ones are forgotten, and does a step with a period; `None` while another owner is at it. What
    /// is remembered is answered to [`Step::Look`] alone.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm, but for forgetting a part.
    pub async fn archive(
        &self,
        site: &Site,
        board: &Board,
        owner: &str,
        of: Period,
        step: Step,
        notes: &[(String, String)],
    ) -> Result<Option<Noted>, Error> {
        let (verb, corrects, kept_until, copy, count) = match step {
            Step::Look => ("look", false, 0, Stored::Remaining, 0),
            Step::Note { kept_until } => ("note", false, kept_until, Stored::Remaining, 0),
            Step::Begin => ("begin", false, 0, Stored::Remaining, 0),
            Step::Take => ("take", false, 0, Stored::Remaining, 0),
            Step::Follow => ("follow", false, 0, Stored::Remaining, 0),
            Step::Leave { corrects } => ("leave", corrects, 0, Stored::Remaining, 0),
            Step::Forget { of, count } => ("forget", false, 0, of, count.try_into().unwrap_or(i64::MAX)),
        };
        let reply = self
            .call_once(ArchiveArgs {
                board: self.board_key(site, board),
                owner: owner.into(),
                verb: verb.into(),
                unit: of.unit.code().into(),
                number: of.number,
                ties: board.ties.map_or("", Ties::name).into(),
                corrects: corrects.into(),
                kept_until,
                copy: copy.name(),
                count,
                notes: notes.iter().map(|(name, value)| ArchiveNote { name: name.clone(), value: value.clone() }).collect(),
            })
            .await?;
        Ok(match reply {
            ArchiveReply::Busy { .. } => None,
            ArchiveReply::Ok { now_ms, since_us, kepts } => {
                Some(Noted { now_ms, since_us, notes: kepts.into_iter().map(|kept| (kept.name, kept.value)).collect() })
            }
        })
    }

    /// Takes a member, or whose ids begin with a prefix, out of what was moved aside at a place, or is being restored.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn drop_remaining(&self, site: &Site, board: &Board, of: Period, place: Stored, whom: &Whom) -> Result<(), Error> {
        let key = format!("{}:{}:{}", self.board_key(site, board), of.unit.name(), of.number);
        for copy in [&*place.name(), "restored"] {
            for (beside, of) in [("", SORTED_SET), (":first", SORTED_SET), (":last", SORTED_SET), (":actions", HASH)] {
                let key = format!("{key}:{copy}{beside}");
                match whom {
                    Whom::Member(member) => self.drop_copy(of, &key, &[member.as_str()]).await?,
                    Whom::Prefix(prefix) => self.drop_copy_matching(of, &key, prefix).await?,
                }
            }
        }
        Ok(())
    }

    /// Nobody writes what is aside meanwhile, so a scan meets each.
    async fn drop_copy_matching(&self, of: Commands, key: &str, prefix: &Id) -> Result<(), Error> {
        let special = |c: char| matches!(c, '*' | '?' | '[' | ']' | '\\').then_some('\\');
        let literal: String = prefix.as_str().chars().flat_map(|c| special(c).into_iter().chain([c])).collect();
        let (pattern, mut cursor) = (literal + "*", "0".to_owned());
        loop {
            let scan = [of.scan, key, &cursor, "MATCH", &pattern, "COUNT", "1000"].into_iter().collect();
            let (next, found) = scanned(self.one(scan).await?).ok_or_else(|| Error::new(Fault::Malformed, "no answer of a scan"))?;
            let members: Vec<&str> = found.iter().step_by(2).map(String::as_str).collect();
            if !members.is_empty() {
                self.drop_copy(of, key, &members).await?;
            }
            if next == "0" {
                return Ok(());
            }
            cursor = next;
        }
    }

    async fn drop_copy(&self, of: Commands, key: &str, members: &[&str]) -> Result<(), Error> {
        self.one([of.remove, key].into_iter().chain(members.iter().copied()).collect()).await.map(drop)
    }
}
