//! The only place that knows keys and scripts: what the application asks of Redis, in the domain's words.

pub mod record;
pub mod top;
pub mod trim;
pub mod upkeep;

use crate::adapter::{Error, Fault, Invocation, Script, Transport, Value, script};
use crate::ranking::site::{Board, Site};
use crate::ranking::window::Kind;
use crate::ranking::zone::{Years, Zones};

include!(concat!(env!("OUT_DIR"), "/scripts.rs"));

/// Every script, for tests that compare them with a server.
pub static SCRIPTS: [&Script; 4] = [&RECORD, &TOP, &TRIM, &UPKEEP];

/// What every key of a board begins with. The hash tag keeps a board's keys on one node of a cluster; the scripts
/// append the rest, so that each key name is made in one place.
fn board_prefix(site: &Site, board: &Board) -> String {
    format!("eb:{{{}:{}}}", site.name, board.name)
}

/// A kind of window as the scripts' arguments have it.
struct WindowArgs {
    kind: &'static str,
    unit: char,
    length: u32,
    amount: String,
    at_s: u32,
}

impl WindowArgs {
    fn of(kind: Kind) -> Self {
        let args = |kind, unit, length, amount, at_s| Self { kind, unit, length, amount, at_s };
        match kind {
            Kind::Calendar(unit) => args("calendar", unit.letter(), 1, "0".into(), 0),
            Kind::Rolling { unit, length } => args("rolling", unit.letter(), length, "0".into(), 0),
            Kind::HalfLife { life_ms } => args("half-life", '-', 1, life_ms.to_string(), 0),
            Kind::Step { every, factor } => args("step", every.letter(), 1, factor.to_string(), 0),
            Kind::Linear { resets, at_s, beta } => args("linear", resets.letter(), 1, beta.to_string(), at_s),
        }
    }
}

/// The years around a guess of the time (Unix seconds), as good as the caller's clock.
fn years_around(guess_s: i64) -> Years {
    Years::around(guess_s, guess_s)
}

/// The years that a `SPAN` reply asks for.
fn wanted_years(fields: &[Value]) -> Option<Years> {
    match fields {
        [Value::BulkString(status), _, Value::Int(from), Value::Int(until)] if status == b"SPAN" => Some(Years::around(*from, *until)),
        _ => None,
    }
}

/// Asks one script, again with more of the zone when it says that what it got does not reach.
async fn ask(
    transport: &impl Transport,
    zones: &impl Zones,
    site: &Site,
    mut years: Years,
    invocation: impl Fn(String) -> Invocation,
) -> Result<Vec<Value>, Error> {
    /// One for the guess, one each for now and for the period that was asked for.
    const TRIES: usize = 3;
    for _ in 0..TRIES {
        let call = invocation(zones.span(&site.timezone, years).to_arg());
        let script = call.script;
        let reply = script::run(transport, &[call]).await?.pop().unwrap_or_else(|| Err(malformed(script)))?;
        let fields = fields(script, reply)?;
        match wanted_years(&fields) {
            Some(wanted) => years = years.and(wanted),
            None => return Ok(fields),
        }
    }
    Err(Error::new(Fault::Malformed, "a script is not content with any span of the zone"))
}

/// The items of a script's reply.
fn fields(script: &Script, reply: Value) -> Result<Vec<Value>, Error> {
    match reply {
        Value::Array(fields) if !fields.is_empty() => Ok(fields),
        _ => Err(malformed(script)),
    }
}

/// A reply's text. Not by `FromRedisValue`, whose errors print values and so bring the printing of floats into the bundle.
fn text(value: &Value) -> Option<&str> {
    match value {
        Value::BulkString(bytes) => std::str::from_utf8(bytes).ok(),
        _ => None,
    }
}

fn malformed(script: &Script) -> Error {
    Error::new(Fault::Malformed, format!("{} answered otherwise than its header says", script.name))
}

/// Asks whether Redis answers.
///
/// # Errors
/// Why it does not.
pub async fn ping(transport: &impl Transport) -> Result<(), Error> {
    let replies = transport.send(&[redis::cmd("PING")]).await?;
    replies.into_iter().try_for_each(|value| script::reply(value).map(drop))
}
