//! The number that shows whether Redis lost something: `lua/mark.lua`.
//!
//! The mark is a number that only grows, not an instant, since clocks go back. Upkeep raises it in Redis before it raises the
//! copy beside Redis, and reads Redis last. So a smaller number in Redis is never a race. It is a field of the state, where
//! reading it costs no command: upkeep reads the state anyway. Each board has its own, since a node of a cluster or an evicted
//! state loses some boards only.

use ranking::site::{Board, Site};
use ranking::zone::Zones;
use serde::{Deserialize, Serialize};

use super::Store;
use super::reply::malformed;
use super::scripts::{MARK, MarkArgs, MarkReply};
use crate::adapter::{Cmd, Error, Mode, Transport, Value, script};

/// A number that only grows, and when it did. Another Redis, or none, has a smaller one, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub number: i64,
    /// Unix seconds.
    pub at: i64,
}

/// What Redis has of a board's mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub mark: Option<Mark>,
    /// Microseconds: the last time that something changed; `None` where nothing ever did.
    pub changed_us: Option<i64>,
    /// Unix seconds: the same without what upkeep built, which counts nothing.
    pub counted_at: Option<i64>,
    /// Whether upkeep found nothing left to do since something changed, see [`Store::note_idle`].
    pub is_noted: bool,
    /// Whether the board says that it lost something, see [`Marking::Lost`] and [`Marking::Behind`].
    pub says_lost: bool,
}

impl Seen {
    /// Unix seconds: the last time that something changed.
    pub fn changed_at(&self) -> Option<i64> {
        self.changed_us.map(|changed_us| changed_us / US)
    }
}

/// What to do with a board's mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marking {
    /// Raise it, unless that was done within so many seconds.
    Raise { every_s: u32 },
    /// Note that the board has only what it counted since.
    Lost,
    /// Note that it may miss something of before now.
    Behind,
    /// Note that nothing is missing any more, and raise it.
    Settle,
}

/// The fields of a state that [`Seen`] is read from.
pub(super) const FIELDS: [&str; 5] = ["mark", "changed", "built", "idle", "counted_since"];

/// In a second.
const US: i64 = 1_000_000;

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// What Redis has of some boards' marks: a command each, in one round trip. Answers when, too (Unix seconds).
    ///
    /// # Errors
    /// When Redis does not answer for any of them. The inner error: the node of a cluster that has the board does not.
    pub async fn marks(&self, site: &Site, boards: &[&Board]) -> Result<(i64, Vec<Result<Seen, Error>>), Error> {
        let commands = boards.iter().map(|board| {
            let mut command = Cmd::new("HMGET");
            command.arg(self.state_key(site, board)).args(FIELDS);
            command
        });
        let (now_s, replies) = self.send_timed(commands.collect()).await?;
        let seen = |reply: Result<Value, Error>| match reply? {
            Value::Array(fields) => Ok(seen(&fields)),
            _ => Err(malformed(&MARK, "mark")),
        };
        Ok((now_s, replies.into_iter().map(seen).collect()))
    }

    /// Sends commands in one round trip, and answers what each says and when that was (Unix seconds). Where a node of a cluster does not answer,
    /// it is another one's time, in a second trip.
    ///
    /// # Errors
    /// When Redis does not answer any of them.
    pub(super) async fn send_timed(&self, mut commands: Vec<Cmd>) -> Result<(i64, Vec<Result<Value, Error>>), Error> {
        commands.push(Cmd::new("TIME"));
        let mut replies: Vec<Result<Value, Error>> =
            self.transport.send(&commands, Mode::Pipeline).await?.into_iter().map(script::reply).collect();
        let mut time = replies.pop().ok_or_else(|| malformed(&MARK, "time"))?;
        if let (true, Some(answering)) = (time.is_err(), replies.iter().position(Result::is_ok)) {
            let again = [commands.swap_remove(answering), Cmd::new("TIME")];
            time = self.transport.send(&again, Mode::Pipeline).await?.pop().map_or(time, script::reply);
        }
        let now_s = seconds_of(&time?).ok_or_else(|| malformed(&MARK, "time"))?;
        Ok((now_s, replies))
    }

    /// Raises a board's mark above a number, or notes what became of the board. Answers the mark that it has then.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn mark(&self, site: &Site, board: &Board, marking: Marking, above: i64) -> Result<Mark, Error> {
        let (verb, every_s) = match marking {
            Marking::Raise { every_s } => ("raise", every_s),
            Marking::Lost => ("lost", 0),
            Marking::Behind => ("behind", 0),
            Marking::Settle => ("settle", 0),
        };
        let args = MarkArgs { board: self.board_key(site, board), verb: verb.into(), above, every: every_s.into() };
        let MarkReply { number, at, .. } = self.call_once(args).await?;
        Ok(Mark { number, at })
    }
}

/// The seconds of an answer to `TIME`.
pub(super) fn seconds_of(time: &Value) -> Option<i64> {
    let Value::Array(time) = time else { return None };
    text(time.first()?)?.parse().ok()
}

/// What a state says in [`FIELDS`].
pub(super) fn seen(fields: &[Value]) -> Seen {
    let mark = |text: &str| {
        let (number, at) = text.split_once(' ')?;
        Some(Mark { number: number.parse().ok()?, at: at.parse().ok()? })
    };
    let [number, changed, built, idle, since] = [0, 1, 2, 3, 4].map(|i| fields.get(i).and_then(text));
    let before_built = built.as_deref().and_then(|built| built.split_once(' ')).filter(|(at, _)| changed.as_deref() == Some(*at));
    let counted_us = before_built.map(|(_, before)| before).or(changed.as_deref()).and_then(|us| us.parse::<i64>().ok());
    Seen {
        mark: number.as_deref().and_then(mark),
        changed_us: changed.as_deref().and_then(|us| us.parse().ok()),
        counted_at: counted_us.map(|us| us / US),
        is_noted: changed.is_some() && changed == idle,
        says_lost: since.is_some_and(|since| since != "0"),
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::BulkString(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        Value::Int(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(changed: &str, built: &str, counted_at: Option<i64>) {
        let fields =
            ["", changed, built, "9000000"].map(|field| if field.is_empty() { Value::Nil } else { Value::BulkString(field.into()) });
        let seen = seen(&fields);
        assert_eq!((seen.counted_at, seen.is_noted), (counted_at, changed == "9000000"), "{changed:?} {built:?}");
    }

    #[test]
    fn what_upkeep_built_counts_nothing() {
        check("", "", None);
        check("9000000", "", Some(9));
        check("9000000", "9000000 4000000", Some(4));
        check("9000000", "9000000 0", Some(0));
        // Something was counted since it was built.
        check("9500000", "9000000 4000000", Some(9));
    }
}
