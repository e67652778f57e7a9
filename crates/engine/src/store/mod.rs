//! The only place that knows keys and scripts: the requests of the application to Redis, in the domain's words.
//!
//! Most scripts have one method of `Store`, in a file here that names the script. `record.rs` chooses among the counting
//! scripts.
//!
//! Scripts compute the names of keys, since only they know the time. So not all keys are in `KEYS`. Upstash therefore runs
//! scripts under the lock of the database, and Dragonfly needs `--default_lua_flags=allow-undeclared-keys`.

pub mod activity;
pub mod alias;
mod announce;
pub mod archive;
pub mod audit;
pub mod backlog;
pub mod boards;
pub mod curate;
pub mod did;
mod distribution;
pub mod erase;
pub mod explain;
pub mod facts;
pub mod homes;
pub mod keep_dead;
pub mod keep_off;
mod keys;
pub mod leftover;
mod libraries;
pub mod mark;
pub mod members;
pub mod objects;
mod place;
mod ranks;
mod read;
pub mod ready;
mod rebuild;
pub mod record;
mod record_standing;
pub mod remove;
pub mod reply;
pub mod reset;
pub mod restore;
pub mod revoke;
mod scores;
pub mod scripts;
pub mod series;
pub mod sites;
mod target;
mod top;
pub mod totals;
mod unite;
pub mod upkeep;
pub mod usage;
mod want;
mod window;

use std::cell::Cell;

use ranking::counting::Target;
use ranking::site::{Board, Site};
use ranking::zone::{Years, ZoneSpan, Zones};

use crate::adapter::{Cmd, Error, Fault, Invocation, Mode, Transport, Value, script};
use reply::{Call, ReplyReader};
use scripts::SpanFields;

/// What the application asks of Redis for one request: a method per script, in the file of its name.
#[derive(Clone, Copy, Debug)]
pub struct Store<'r, T, Z> {
    pub transport: T,
    pub zones: &'r Z,
    /// The time by the caller's clock, in Unix seconds. It only chooses the years of a zone to send first: a wrong one costs a
    /// second round trip.
    pub guess_s: i64,
    /// What the names of all keys begin with.
    pub key_prefix: &'r str,
    /// Has replicas asked what is read, see [`Mode::Replica`], and notes for how many seconds the one that answered has not heard its master.
    pub replica: Option<&'r Cell<Option<u32>>>,
}

/// The site of all commands of a trip; `""`: of none, or of several.
pub fn site_of(commands: &[Cmd]) -> &str {
    let mut sites = commands.iter().map(|command| keys::site_of(command.key().unwrap_or_default()));
    let first = sites.next().unwrap_or_default();
    if sites.all(|site| site == first) { first } else { "" }
}

/// The log line of a script that failed in a manner that it does not know: an error of ours. It names the script, the board and the text.
pub fn failed_script(call: &Invocation, error: &Error) -> serde_json::Value {
    let key = call.keys.first().map_or("", String::as_str);
    serde_json::json!({
        "level": "error", "code": "script-failed", "script": call.script.name, "site": keys::site_of(key.as_bytes()),
        "board": keys::board_of(key), "detail": error.detail,
    })
}

/// The log line of a Redis that has no functions, or lets us have none.
pub fn without_functions(error: &Error) -> serde_json::Value {
    serde_json::json!({
        "level": "warn", "code": "no-functions", "detail": error.detail,
        "hint": "scripts are run from their sources, at about 0.1 ms of Redis's CPU more for each call; see docs/operations/redis.md#functions",
    })
}

/// The log line of a Redis that takes no functions whose calls declare their keys.
pub fn without_locks(error: &Error) -> serde_json::Value {
    serde_json::json!({
        "level": "warn", "code": "no-key-locks", "detail": error.detail,
        "hint": "REDIS_LOCKS = \"keys\" is for Upstash; calls lock as without it",
    })
}

/// Calls a script that needs no zone, over a connection.
async fn call_over<C: Call>(transport: &impl Transport, call: C) -> Result<C::Reply, Error> {
    let call = call.invocation();
    let replies = script::run(transport, std::slice::from_ref(&call), Mode::Pipeline).await?;
    let reply = replies.into_iter().next().unwrap_or_else(|| Err(Error::new(Fault::Malformed, "no answer")))?;
    C::read(&mut ReplyReader::new(&call, reply)?)
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// The key that scripts get for a target.
    fn key(&self, site: &Site, target: Target) -> String {
        keys::target_key(self.key_prefix, site, target)
    }

    /// The key that scripts get for a board.
    fn board_key(&self, site: &Site, board: &Board) -> String {
        self.key(site, Target::Board(board))
    }

    /// The key of what is known of a board, for plain commands.
    fn state_key(&self, site: &Site, board: &Board) -> String {
        keys::state_key(&self.board_key(site, board))
    }

    /// The years of a zone around now.
    fn years(&self) -> Years {
        Years::around(self.guess_s, self.guess_s)
    }

    /// Calls a script, with the years of the zone to begin with.
    async fn call<C: Call>(&self, site: &Site, years: Years, call: impl Fn(&ZoneSpan) -> C) -> Result<C::Reply, Error> {
        C::read(&mut self.send(site, years, &|zone| call(zone).invocation()).await?)
    }

    /// Calls a script that needs no zone.
    async fn call_once<C: Call>(&self, call: C) -> Result<C::Reply, Error> {
        call_over(&self.transport, call).await
    }

    /// Calls a script several times, in one round trip. `years` holds for each call the years to begin with, and `call` makes
    /// the call of an index.
    ///
    /// # Errors
    /// The outer error: no replies could be had, and every call's reply is that error.
    async fn call_all<C: Call>(
        &self,
        mode: Mode,
        site: &Site,
        years: Vec<Years>,
        call: impl Fn(usize, &ZoneSpan) -> C,
    ) -> Result<Vec<Result<C::Reply, Error>>, Error> {
        let replies = self.send_all(mode, site, years, &|i, zone| call(i, zone).invocation()).await?;
        Ok(replies.into_iter().map(|reply| C::read(&mut reply?)).collect())
    }

    /// How reads are sent.
    fn reading(&self) -> Mode {
        if self.replica.is_some() { Mode::Replica } else { Mode::Pipeline }
    }

    /// Sends one call.
    async fn send(&self, site: &Site, years: Years, call: &dyn Fn(&ZoneSpan) -> Invocation) -> Result<ReplyReader, Error> {
        let replies = self.send_all(self.reading(), site, vec![years], &|_, zone| call(zone)).await?;
        replies.into_iter().next().unwrap_or_else(|| Err(Error::new(Fault::Malformed, "no answer")))
    }

    /// Sends calls in one round trip, and those again that answer that the years of the zone do not reach. `dyn`, so that all
    /// scripts share the code.
    async fn send_all(
        &self,
        mode: Mode,
        site: &Site,
        mut years: Vec<Years>,
        call: &dyn Fn(usize, &ZoneSpan) -> Invocation,
    ) -> Result<Vec<Result<ReplyReader, Error>>, Error> {
        /// One for the guess, one each for now and for the period that was asked for.
        const TRIES: usize = 3;
        let not_content = || Err(Error::new(Fault::Malformed, "a script is not content with any span of the zone"));
        let mut answers: Vec<Result<ReplyReader, Error>> = years.iter().map(|_| not_content()).collect();
        let mut open: Vec<usize> = (0..years.len()).collect();
        for attempt in 0..TRIES {
            let calls: Vec<Invocation> = open.iter().map(|i| call(*i, &self.zones.span(&site.timezone, years[*i]))).collect();
            let replies = match script::run(&self.transport, &calls, mode).await {
                Ok(mut replies) => {
                    if let (Mode::Replica, Some(silent_s)) = (mode, self.replica) {
                        let last = replies
                            .pop()
                            .and_then(|reply| if let Value::Int(seconds) = reply.ok()? { u32::try_from(seconds).ok() } else { None });
                        silent_s.set(silent_s.get().max(last));
                    }
                    replies
                }
                Err(error) if attempt == 0 => return Err(error),
                // Those that answered before keep their answers.
                Err(error) => calls.iter().map(|_| Err(error.clone())).collect(),
            };
            let mut again = Vec::new();
            for ((i, call), reply) in open.into_iter().zip(&calls).zip(replies) {
                match reply.and_then(|reply| ReplyReader::new(call, reply)) {
                    Ok(mut reply) if reply.next_is("SPAN") => match wanted_years(&mut reply) {
                        Ok(wanted) => {
                            years[i] = years[i].and(wanted);
                            again.push(i);
                        }
                        Err(error) => answers[i] = Err(error),
                    },
                    answer => answers[i] = answer,
                }
            }
            open = again;
            if open.is_empty() {
                break;
            }
        }
        Ok(answers)
    }
}

/// The years that a `SPAN` reply asks for.
fn wanted_years(reply: &mut ReplyReader) -> Result<Years, Error> {
    reply.status()?;
    let span = SpanFields::read(reply)?;
    reply.end()?;
    Ok(Years::around(span.from, span.until))
}
