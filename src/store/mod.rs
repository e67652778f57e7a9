//! The only place that knows keys and scripts: what the application asks of Redis, in the domain's words.

pub mod record;
pub mod top;

use crate::adapter::{Error, Fault, Script, Transport, Value, script};
use crate::ranking::site::{Board, Site};
use crate::ranking::zone::{Years, Zones};

include!(concat!(env!("OUT_DIR"), "/scripts.rs"));

/// Every script, for tests that compare them with a server.
pub static SCRIPTS: [&Script; 2] = [&RECORD, &TOP];

/// What every key of a board begins with. The hash tag keeps a board's keys on one node of a cluster; the scripts
/// append the rest, so that each key name is made in one place.
fn board_prefix(site: &Site, board: &Board) -> String {
    format!("eb:{{{}:{}}}", site.name, board.name)
}

/// The zone's rows over some years, and the years a script asked for when they did not suffice.
#[derive(Clone, Copy, Debug)]
struct Span {
    years: Years,
}

impl Span {
    /// Around a guess of the time (Unix seconds), as good as the caller's clock.
    fn around(guess_s: i64) -> Self {
        Self { years: Years::around(guess_s, guess_s) }
    }

    /// Reads a `SPAN` reply.
    fn wanted(fields: &[Value]) -> Option<Self> {
        match fields {
            [Value::BulkString(status), _, Value::Int(from), Value::Int(until)] if status == b"SPAN" => {
                Some(Self { years: Years::around(*from, *until) })
            }
            _ => None,
        }
    }
}

/// The items of a script's reply.
fn fields(script: &Script, reply: Value) -> Result<Vec<Value>, Error> {
    match reply {
        Value::Array(fields) if !fields.is_empty() => Ok(fields),
        _ => Err(malformed(script)),
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
