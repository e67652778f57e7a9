//! Keeping boards: `lua/upkeep.lua`, a bounded chunk at a time, and `lua/rest.lua`, which remembers until when nothing is due.
//!
//! # Decisions
//!
//! - Upkeep does not use `ZSCAN`. Its cursor means nothing to a restarted server or a replica, and it may answer a member
//!   twice, which a sum would count twice. A scan goes by the order of scores, and remembers the last score and member.
//! - The lock of upkeep only saves work. The place of a scan is in Redis, so two runs would advance the same one. The lock is
//!   an instant and valid for three seconds; an instant of the future locks nothing.
//! - The end of a run writes until when a board rests. Every writer that makes work for upkeep empties that field, in a write
//!   that it does anyway. So a look costs one command, and no work is overlooked.
//! - A rolling board is prepared shortly before its boundary. Members that are written until then need no work.

use ranking::counting::Target;
use ranking::score::Score;
use ranking::site::{Board, Site};
use ranking::window::Window;
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::mark::{self, Seen};
use super::record::digest;
use super::reply::malformed;
use super::scripts::{RestArgs, UPKEEP, UpkeepArgs, UpkeepReply, WindowFields};
use super::target;
use super::window::{calendar_with_seasons, window_fields, years_with_seasons};
use crate::adapter::{Cmd, Error, Mode, Transport, Value};

/// A chunk of upkeep.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'p> {
    pub board: &'p Board,
    pub job: Job<'p>,
    /// Who asks: two owners do not work at once.
    pub owner: &'p str,
    /// About how many entries of sorted sets to read at most, a microsecond or two each; 0 only asks how far it is.
    pub entries: u32,
    /// Whether to prepare the next period however far its beginning is.
    pub is_early: bool,
}

/// What a board may need.
#[derive(Clone, Copy, Debug)]
pub enum Job<'p> {
    /// A rolling window is repaired and prepared, another one loses what has faded.
    Window(&'p Window),
    /// Past rankings that readers want are built.
    Past,
    /// Indexes that boards lack are built.
    Indexes,
}

impl Job<'_> {
    fn name(self) -> &'static str {
        match self {
            Self::Window(_) => "window",
            Self::Past => "past",
            Self::Indexes => "indexes",
        }
    }

    fn window(self) -> WindowFields {
        match self {
            Self::Window(window) => window_fields(window),
            Self::Past | Self::Indexes => {
                WindowFields { window: String::new(), kind: String::new(), unit: "-".into(), length: 1, amount: Score::ZERO, at: 0 }
            }
        }
    }
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub task: Task,
    /// Seconds after which the task is to be done; 0 = now.
    pub rest_s: u64,
    /// Entries scanned; of a decaying window the members dropped.
    pub scanned: u64,
    pub total: u64,
    /// Unix milliseconds; 0 for never.
    pub last_run_ms: i64,
}

/// What is being done, or left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The current board is not right for all members yet.
    Repair,
    /// The current board is right; the next period's is to be prepared.
    Prepare,
    /// A past period is being built.
    Past,
    /// Indexes are being built.
    Indexes,
    /// Members that have faded are being dropped.
    Trim,
    /// Nothing.
    Ready,
}

impl Task {
    const EACH: [Self; 6] = [Self::Repair, Self::Prepare, Self::Past, Self::Indexes, Self::Trim, Self::Ready];

    pub fn name(self) -> &'static str {
        match self {
            Self::Repair => "repair",
            Self::Prepare => "prepare",
            Self::Past => "past",
            Self::Indexes => "indexes",
            Self::Trim => "trim",
            Self::Ready => "ready",
        }
    }

    /// Whether readers still see scores that are not right.
    pub fn is_incomplete(self) -> bool {
        matches!(self, Self::Repair | Self::Past)
    }
}

/// What is asked of boards while nothing may be due.
#[derive(Debug)]
pub struct DueList {
    /// Unix seconds.
    pub now_s: i64,
    /// Of each in order; an error where its node of a cluster does not answer.
    pub boards: Vec<Result<Due, Error>>,
}

/// The same of one of them.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// Seconds for which nothing is due; 0: something may be.
    pub rest_s: u64,
    /// Whether nothing came up since the last look, but what its time brings.
    pub is_kept: bool,
    pub seen: Seen,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Does chunks of one site, in one round trip; `None` where another owner is at it.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm. The outer error: of all of them.
    pub async fn upkeep(&self, site: &Site, chunks: &[Chunk<'_>]) -> Result<Vec<Result<Option<Progress>, Error>>, Error> {
        let call = |i: usize, zone: &ZoneSpan| {
            let Chunk { board, job, owner, entries, is_early } = chunks[i];
            UpkeepArgs {
                board: self.board_key(site, board),
                window: job.window(),
                job: job.name().into(),
                owner: owner.into(),
                entries: entries.into(),
                is_early: is_early.into(),
                floor: Score::new(board.floor()).unwrap_or(Score::ZERO),
                target: target::fields(Target::Board(board), site),
                calendar: calendar_with_seasons(site, zone, &board.windows),
            }
        };
        let replies = self
            .call_all(
                Mode::Pipeline,
                site,
                chunks.iter().map(|chunk| years_with_seasons(self.guess_s, &chunk.board.windows)).collect(),
                call,
            )
            .await?;
        Ok(replies.into_iter().map(|reply| progress(reply?)).collect())
    }

    /// For how many seconds nothing is due on each of some boards, and their marks: one command each, in one round trip.
    ///
    /// # Errors
    /// When Redis does not answer for any of them.
    pub async fn due(&self, boards: &[(&Site, &Board)]) -> Result<DueList, Error> {
        let commands = boards.iter().map(|(site, board)| {
            let mut command = Cmd::new("HMGET");
            command.arg(self.state_key(site, board)).args(mark::FIELDS).arg("due");
            command
        });
        let (now_s, replies) = self.send_timed(commands.collect()).await?;
        let due = |((site, board), reply): (&(&Site, &Board), Result<Value, Error>)| {
            let Value::Array(fields) = reply? else { return Err(malformed(&UPKEEP, "due")) };
            let until_s = fields.last().and_then(|due| rests_until(due, &digest_of(site, board)));
            Ok(Due { rest_s: until_s.map_or(0, |until_s| rest_of(until_s, now_s)), is_kept: until_s.is_some(), seen: mark::seen(&fields) })
        };
        Ok(DueList { now_s, boards: boards.iter().zip(replies).map(due).collect() })
    }

    /// Notes of boards of a site, in one round trip, that `owner` begins to look at them, with 0, or that nothing is due there until an instant of
    /// Redis's clock (Unix seconds). The latter is not remembered when something came up in between. Answers of which it was noted.
    pub async fn rest(&self, site: &Site, boards: &[(&Board, i64)], owner: &str) -> Vec<bool> {
        let call = |i: usize, _: &ZoneSpan| {
            let (board, until_s) = boards[i];
            RestArgs { board: self.board_key(site, board), owner: owner.into(), until_s, digest: digest_of(site, board) }
        };
        match self.call_all(Mode::Pipeline, site, vec![self.years(); boards.len()], call).await {
            Ok(message) => message.iter().map(Result::is_ok).collect(),
            Err(_) => vec![false; boards.len()],
        }
    }
}

/// Of what upkeep must know of a board: with another configuration it looks again.
fn digest_of(site: &Site, board: &Board) -> String {
    let fields = target::fields(Target::Board(board), site);
    digest(&[&fields.units, &fields.retention, &fields.rolling, &fields.decaying, &fields.options], 8)
}

/// No rest is longer: after a clock that was ahead it would be, and who loses a key in silence is found again.
pub const LONGEST_REST_S: u64 = 6 * 3600;

/// When a rest ends (Unix seconds), "until digest".
fn rests_until(due: &Value, digest: &str) -> Option<i64> {
    let Value::BulkString(due) = due else { return None };
    let due = str::from_utf8(due).ok()?;
    due.split_once(' ').filter(|(_, of)| *of == digest).and_then(|(until, _)| until.parse().ok())
}

/// The seconds that are left of it.
fn rest_of(until_s: i64, now_s: i64) -> u64 {
    u64::try_from(until_s - now_s).ok().filter(|rest_s| *rest_s <= LONGEST_REST_S).unwrap_or(0)
}

fn progress(reply: UpkeepReply) -> Result<Option<Progress>, Error> {
    Ok(match reply {
        UpkeepReply::Busy { .. } => None,
        UpkeepReply::Ok { task, rest, scanned, total, last_run_ms, .. } => {
            let task = Task::EACH.into_iter().find(|known| known.name() == task).ok_or_else(|| malformed(&UPKEEP, "task"))?;
            Some(Progress { task, rest_s: rest, scanned, total, last_run_ms })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(due: &str, until_s: Option<i64>, rest_s: u64) {
        let found = rests_until(&Value::BulkString(due.into()), "digest");
        assert_eq!((found, found.map_or(0, |until_s| rest_of(until_s, 1_000_000))), (until_s, rest_s), "{due:?}");
    }

    #[test]
    fn rests() {
        check("1000300 digest", Some(1_000_300), 300);
        check("1000000 digest", Some(1_000_000), 0);
        check("999999 digest", Some(999_999), 0);
        check("1000300 other", None, 0);
        check("1021600 digest", Some(1_021_600), LONGEST_REST_S);
        // Of a clock that was ahead.
        check("1021601 digest", Some(1_021_601), 0);
        check("owner", None, 0);
        check("", None, 0);
        assert_eq!(rests_until(&Value::Nil, "digest"), None);
    }
}
