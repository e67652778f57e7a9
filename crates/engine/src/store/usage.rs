//! What a site uses of its quota: a hash with the commands of each month of UTC, as they are estimated.
//!
//! Plain commands: what is added twice, or not at all, since a reply got lost, changes an estimate by a few seconds' calls.

use ranking::counting::Target;
use ranking::month::Month;
use ranking::site::Site;
use ranking::zone::Zones;

use super::mark::seconds_of;
use super::{Store, keys};
use crate::adapter::{Cmd, Error, Fault, Mode, Transport, Value, script};

/// What a site used in a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    pub month: Month,
    pub commands: u64,
    /// By the clock of Redis, in Unix milliseconds.
    pub now_ms: i64,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Adds commands to what a site uses in the month of now, and answers that: two commands in one trip, and once more two where the caller guessed
    /// another month. The clock of Redis tells it.
    ///
    /// # Errors
    /// Why nobody knows.
    pub async fn add_usage(&self, site: &Site, guess: Month, commands: u32) -> Result<Usage, Error> {
        let add = |month: Month, by: i64| {
            let mut command = Cmd::new("HINCRBY");
            command.arg(self.usage_key(site)).arg(field_of(month)).arg(by.to_string());
            command
        };
        let (used, now_ms) = self.with_time(add(guess, commands.into())).await?;
        let month = Month::of(now_ms);
        if month == guess {
            return Ok(Usage { month, commands: used, now_ms });
        }
        let moved = [add(guess, -i64::from(commands)), add(month, commands.into())];
        let used = self.transport.send(&moved, Mode::Pipeline).await?.into_iter().nth(1).map(script::reply).transpose()?;
        Ok(Usage { month, commands: number(used.as_ref())?, now_ms })
    }

    /// What a site used in the month of now.
    ///
    /// # Errors
    /// Why it could not be read.
    pub async fn usage(&self, site: &Site, guess: Month) -> Result<Usage, Error> {
        let get = |month: Month| {
            let mut command = Cmd::new("HGET");
            command.arg(self.usage_key(site)).arg(field_of(month));
            command
        };
        let (commands, now_ms) = self.with_time(get(guess)).await?;
        let month = Month::of(now_ms);
        let commands = if month == guess { commands } else { self.with_time(get(month)).await?.0 };
        Ok(Usage { month, commands, now_ms })
    }

    fn usage_key(&self, site: &Site) -> String {
        keys::usage_key(&self.key(site, Target::ActivityLog))
    }

    /// What a command answers, and when (Unix milliseconds).
    async fn with_time(&self, command: Cmd) -> Result<(u64, i64), Error> {
        let mut replies = self.transport.send(&[command, Cmd::new("TIME")], Mode::Pipeline).await?.into_iter().map(script::reply);
        let (used, time) = (replies.next().transpose()?, replies.next().transpose()?);
        let now_s = time.as_ref().and_then(seconds_of).ok_or_else(|| unlike("no answer of TIME"))?;
        Ok((number(used.as_ref())?, 1000 * now_s))
    }
}

fn field_of(month: Month) -> String {
    format!("commands:{}", month.id())
}

/// A count, which is 0 where nothing was added; one that was taken back below 0 likewise.
fn number(reply: Option<&Value>) -> Result<u64, Error> {
    let count = match reply {
        Some(Value::Nil) => Some(0),
        Some(Value::Int(count)) => Some(*count),
        Some(Value::BulkString(bytes)) => str::from_utf8(bytes).ok().and_then(|text| text.parse().ok()),
        _ => None,
    };
    count.map(|count: i64| u64::try_from(count).unwrap_or(0)).ok_or_else(|| unlike("no count"))
}

fn unlike(what: &str) -> Error {
    Error::new(Fault::Malformed, what)
}
