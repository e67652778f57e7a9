//! What the application needs of the place it runs in: a small trait for each thing, and [`Runtime`], which has them all.
//!
//! A service holds those that it uses, in fields of their names (`super::services`). What a deployment may lack is handed out as an `Option`: a queue, a database, a bucket.

#![expect(async_fn_in_trait, reason = "an isolate has one thread; no future is sent anywhere")]

use engine::adapter::{self, Transport};
use ranking::site::Receiver;
use ranking::zone::Zones;

use super::beyond::Beyond;
use super::cache::Entry;
use super::counters::Counters;
use super::rates::Limited;
use super::statement::{Answered, Statement};
use crate::config::KnownZones;

/// The user agents of bots, as the npm package isbot lists them: a regular expression. `scripts/build.mjs` writes it.
pub const BOTS: &str = include_str!(concat!(env!("OUT_DIR"), "/bots.txt"));

pub trait Clock {
    /// The edge's clock, in Unix milliseconds. Only its differences mean anything; its value guesses which years of a
    /// time zone to look up first.
    fn clock_ms(&self) -> u64;

    /// The same, with the sign of Redis's instants.
    fn edge_ms(&self) -> i64 {
        i64::try_from(self.clock_ms()).unwrap_or(i64::MAX)
    }

    async fn sleep_ms(&self, ms: u32)
    where
        Self: Sized;
}

pub trait Random {
    /// A word that nobody can guess.
    fn token(&self) -> String;
}

pub trait Background {
    /// Lets a future run on after the response was sent.
    fn in_background(&self, future: impl Future<Output = ()> + 'static);
}

/// The edge cache of this data center.
pub trait EdgeCache {
    async fn edge_get(&self, key: &str) -> Option<Entry>;

    async fn edge_put(&self, key: &str, entry: &Entry);
}

/// The client that asks.
pub trait Client {
    /// Its address, as the edge says it.
    fn address(&self) -> Option<String>;

    /// Whether a user agent declares itself a bot.
    fn is_bot(&self, user_agent: &str) -> bool;

    /// Whether the edge takes the client for a bot, where it says so.
    fn is_automated(&self) -> bool;

    /// The name of the live ranking that asks, for all who watch it, where one does.
    fn live(&self) -> Option<String> {
        None
    }

    /// Whether one more of a key is within the runtime's own limit of a minute; `None` where it has none.
    async fn is_within(&self, limited: Limited, key: &str) -> Option<bool>;
}

/// The objects that gather events.
pub trait Groups {
    /// Hands a message to the object of this name, and answers what it says: nothing when it did not get the message. `None` when that is
    /// not known.
    async fn send_to_group(&self, name: &str, message: &str) -> Option<String>;
}

/// Why a message was not handed on.
#[derive(Clone, Debug)]
pub struct NotForwarded {
    /// The receiver refused it, and would do so again.
    pub is_final: bool,
    /// For the log.
    pub detail: String,
}

/// The receivers of counted events.
pub trait Receivers {
    /// Hands counted events on, as a message. `is_patient`: it is sent again where that may help.
    ///
    /// # Errors
    /// What happened the last time.
    async fn forward(&self, to: &Receiver, message: &str, is_patient: bool) -> Result<(), NotForwarded>;
}

/// The queue that keeps events.
pub trait Queue {
    /// Hands a message to it, which it delivers after so many seconds at least.
    ///
    /// # Errors
    /// For the log: why it is not known whether the queue has it.
    async fn send(&self, message: &str, delay_s: u32) -> Result<(), String>;
}

/// The database of items.
pub trait Database {
    /// Runs statements in one transaction, and answers the rows of each.
    ///
    /// # Errors
    /// For the log: what the database said.
    async fn query(&self, statements: &[Statement]) -> Result<Answered, String>;
}

/// An object, and what tells it from others that had its name.
#[derive(Debug)]
pub struct Tagged {
    pub bytes: Vec<u8>,
    pub tag: String,
}

/// The bucket of the archive. Every error is what the bucket said, for the log.
pub trait Bucket {
    /// An object; `None` where there is none of this name. What ends in `.gz` was packed, and is as it was before.
    ///
    /// # Errors
    /// See above.
    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, String>;

    /// An object that is not packed, with its tag; `None` where there is none of this name.
    ///
    /// # Errors
    /// See above.
    async fn find(&self, name: &str) -> Result<Option<Tagged>, String>;

    /// Writes a text where the object is still the one with a tag, or where there is none, of an empty one. Answers whether it did.
    ///
    /// # Errors
    /// See above.
    async fn replace(&self, name: &str, text: String, tag: &str) -> Result<bool, String>;

    /// Writes an object; one whose name ends in `.gz` is packed.
    ///
    /// # Errors
    /// See above.
    async fn put(&self, name: &str, bytes: &[u8]) -> Result<(), String>;

    /// Takes up to a thousand objects away.
    ///
    /// # Errors
    /// See above.
    async fn delete(&self, names: &[String]) -> Result<(), String>;

    /// Names of up to a thousand objects that begin so, in order, from the one behind another on.
    ///
    /// # Errors
    /// See above.
    async fn list(&self, prefix: &str, after: &str) -> Result<Vec<String>, String>;
}

/// The pages of sites.
pub trait Pages {
    /// What a page says of itself, or where it went, as JSON: see `src/edge/page.js`.
    ///
    /// # Errors
    /// For the log: what happened.
    async fn read_page(&self, url: &str) -> Result<String, String>;
}

/// The dataset of metrics.
pub trait Dataset {
    /// Asks it, by a query that is made with its name, for JSON. `None` where there is none to read.
    ///
    /// # Errors
    /// For the log: what happened.
    async fn ask_dataset(&self, sql: impl Fn(&str) -> String) -> Option<Result<String, String>>;
}

pub trait Log {
    /// Writes a line to the log of the deployment.
    fn log(&self, line: &serde_json::Value);

    /// Writes a line to the log as an error of the runtime's.
    fn log_error(&self, line: &serde_json::Value) {
        self.log(line);
    }
}

/// All of it, for one request.
pub trait Runtime:
    Zones + Clock + Random + Background + EdgeCache + Client + Groups + Receivers + Pages + Dataset + Log + Clone + 'static
{
    type Transport: Transport;
    /// What the deployment has besides what serves.
    type Beyond: Beyond<Self>;
    type Queue: Queue;
    type Database: Database;
    type Bucket: Bucket;
    type KnownZones: KnownZones;

    /// The time zones that it knows, for the configuration of sites.
    fn known_zones(&self) -> Self::KnownZones;

    /// A way to Redis.
    ///
    /// # Errors
    /// When there can be none, such as without an address.
    fn transport(&self) -> Result<Self::Transport, adapter::Error>;

    fn queue(&self) -> Option<Self::Queue>;

    fn database(&self) -> Option<Self::Database>;

    fn bucket(&self) -> Option<&Self::Bucket>;

    /// What was counted in this place: rows of [`Counters::json`].
    fn counts(&self, counters: &Counters) -> String {
        counters.json()
    }

    /// The commit that the worker was built of, where that is known.
    fn commit(&self) -> String {
        "unknown".into()
    }
}
