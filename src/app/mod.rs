//! Use cases over the store and narrow ports: counting a batch, reading a ranking through the caches.

pub mod actors;
pub mod admission;
mod announcement;
pub mod archive;
pub mod attempts;
pub mod audit;
mod backlog;
pub mod cache;
pub mod clocks;
pub mod copies;
pub mod count;
pub mod counters;
pub mod curation;
pub mod database;
pub mod dead;
mod forward;
pub mod fullness;
pub mod gather;
mod grouped;
pub mod health;
pub mod history;
pub mod items;
pub mod leftovers;
mod libraries;
pub mod memory;
mod outbox;
pub mod price;
pub mod queue;
pub mod rankings;
pub mod rates;
pub mod rebuild;
pub mod removal;
pub mod reset;
pub mod revocation;
mod scheduled;
mod sections;
pub mod snapshots;
pub mod totals;
pub mod upkeep;

use std::rc::Rc;

use engine::adapter::{self, Applied, Fault, Transport};
use engine::store::Store;

pub use crate::config::{Config, Lack};
use admission::Limited;
use cache::Entry;
use database::{Answered, Statement};
/// Every script with its source.
pub use engine::store::scripts::{LIBRARY, SCRIPTS};
pub use engine::store::{failed_script, without_functions};
use memory::Memory;
use ranking::site::Receiver;
use ranking::zone::Zones;

/// Why a message was not handed on.
#[derive(Clone, Debug)]
pub struct NotForwarded {
    /// The receiver refused it, and would do so again.
    pub is_final: bool,
    /// For the log.
    pub detail: String,
}

/// What the application needs of the place it runs in.
#[expect(async_fn_in_trait, reason = "an isolate has one thread; no future is sent anywhere")]
pub trait Runtime: Zones + Clone + 'static {
    type Transport: Transport;

    /// A way to Redis for this request.
    ///
    /// # Errors
    /// When there can be none, such as without an address.
    fn transport(&self) -> Result<Self::Transport, adapter::Error>;

    /// The edge's clock, in Unix milliseconds. Only its differences mean anything; its value guesses which years of a
    /// time zone to look up first.
    fn clock_ms(&self) -> u64;

    async fn sleep_ms(&self, ms: u32);

    /// A random word that nobody can guess.
    fn token(&self) -> String;

    /// Hands a message to the object of this name that gathers events, and answers what it says: nothing when it did not get the
    /// message. `None` when that is not known.
    async fn send_to_group(&self, name: &str, message: &str) -> Option<String>;

    /// Hands counted events on, as a message. `is_patient`: it is sent again where that may help.
    ///
    /// # Errors
    /// What happened the last time.
    async fn forward(&self, to: &Receiver, message: &str, is_patient: bool) -> Result<(), NotForwarded>;

    /// Whether there is a queue.
    fn has_queue(&self) -> bool {
        false
    }

    /// Hands a message to the queue that keeps events, which delivers it after so many seconds at least. `None` where there is none.
    ///
    /// # Errors
    /// For the log: why it is not known whether the queue has it.
    async fn send_to_queue(&self, _message: &str, _delay_s: u32) -> Option<Result<(), String>> {
        None
    }

    /// Lets a future run on after the response was sent.
    fn in_background(&self, future: impl Future<Output = ()> + 'static);

    /// The edge cache of this data center.
    async fn edge_get(&self, key: &str) -> Option<Entry>;

    async fn edge_put(&self, key: &str, entry: &Entry);

    /// The address of who asks, as the edge says it.
    fn address(&self) -> Option<String>;

    /// Whether a user agent declares itself a bot.
    fn is_bot(&self, user_agent: &str) -> bool;

    /// Whether the edge takes who asks for a bot, where it says so.
    fn is_automated(&self) -> bool;

    /// The name of the live ranking that asks, for all who watch it, where one does.
    fn live(&self) -> Option<String> {
        None
    }

    /// Whether one more of a key is within the runtime's own limit of a minute; `None` where it has none.
    async fn is_within(&self, limited: Limited, key: &str) -> Option<bool>;

    /// Whether the deployment has a database.
    fn has_database(&self) -> bool {
        false
    }

    /// Runs statements in one transaction, and answers the rows of each.
    ///
    /// # Errors
    /// For the log: what the database said.
    async fn query(&self, _statements: &[Statement]) -> Result<Answered, String> {
        Err("there is no database".into())
    }

    /// What a page of a site says of itself, or where it went, as JSON: see `src/edge/page.js`.
    ///
    /// # Errors
    /// For the log: what happened.
    async fn read_page(&self, _url: &str) -> Result<String, String> {
        Err("there are no pages".into())
    }

    /// Asks the dataset of metrics, by a query that is made with its name, for JSON. `None` where there is none to read.
    ///
    /// # Errors
    /// For the log: what happened.
    async fn ask_dataset(&self, _sql: impl Fn(&str) -> String) -> Option<Result<String, String>> {
        None
    }

    /// Whether the deployment has a bucket for the archive.
    fn has_bucket(&self) -> bool {
        false
    }

    /// An object of the bucket; `None` where there is none of this name. What ends in `.gz` was packed, and is as it was before.
    ///
    /// # Errors
    /// For the log: what the bucket said.
    async fn bucket_get(&self, _name: &str) -> Result<Option<Vec<u8>>, String> {
        Err("there is no bucket".into())
    }

    /// An object that is not packed, with its tag; `None` where there is none of this name.
    ///
    /// # Errors
    /// For the log: what the bucket said.
    async fn bucket_find(&self, _name: &str) -> Result<Option<archive::Tagged>, String> {
        Err("there is no bucket".into())
    }

    /// Writes a text where the object is still the one with a tag, or where there is none, of an empty one. Answers whether it did.
    ///
    /// # Errors
    /// For the log: what the bucket said.
    async fn bucket_replace(&self, _name: &str, _text: String, _tag: &str) -> Result<bool, String> {
        Err("there is no bucket".into())
    }

    /// Writes an object; one whose name ends in `.gz` is packed.
    ///
    /// # Errors
    /// For the log: what the bucket said.
    async fn bucket_put(&self, _name: &str, _bytes: &[u8]) -> Result<(), String> {
        Err("there is no bucket".into())
    }

    /// Takes up to a thousand objects away.
    ///
    /// # Errors
    /// For the log: what the bucket said.
    async fn bucket_delete(&self, _names: &[String]) -> Result<(), String> {
        Err("there is no bucket".into())
    }

    /// Names of up to a thousand objects that begin so, in order, from the one behind another on.
    ///
    /// # Errors
    /// For the log: what the bucket said.
    async fn bucket_list(&self, _prefix: &str, _after: &str) -> Result<Vec<String>, String> {
        Err("there is no bucket".into())
    }

    /// What was counted in this place, whichever module did: rows of [`counters::Counters::json`].
    fn counts(&self, memory: &Memory) -> String {
        memory.counters.json()
    }

    /// The commit that the worker was built of, where that is known.
    fn commit(&self) -> String {
        "unknown".into()
    }

    /// Writes a line to the log of the deployment.
    fn log(&self, line: &serde_json::Value);

    /// Writes a line to the log as an error of the runtime's.
    fn log_error(&self, line: &serde_json::Value) {
        self.log(line);
    }
}

/// Which version of the worker this is. Each build has another one.
pub(crate) const VERSION: &str = env!("EDGEBOARD_VERSION");

/// Redis did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// `false`: some of it was written, or may have been.
    pub nothing_written: bool,
    /// Whether the same may succeed later: Redis was out, or did not answer. Else it was refused.
    pub is_transient: bool,
    /// Where a script failed in a manner that it does not know, which was logged then.
    pub script: Option<ScriptFailure>,
    /// For the log: what the server or the runtime said. Never shown to clients.
    pub detail: String,
}

/// What is known of a call of which a script failed in a manner that it does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptFailure {
    /// Whether it is certain that nothing was written where a script failed.
    pub is_undone: bool,
    /// Of a batch: the targets that counted it all the same, see [`Target::label`](ranking::counting::Target::label).
    pub counted: Vec<String>,
}

impl ScriptFailure {
    /// What is known by the error of one script.
    fn of(error: &adapter::Error) -> Option<Self> {
        error.is_of_script().then(|| Self { is_undone: error.applied() == Applied::No, counted: Vec::new() })
    }
}

impl Failure {
    /// A failure to read: nothing was to be written.
    fn of_read(error: &adapter::Error) -> Self {
        let script = ScriptFailure::of(error).map(|script| ScriptFailure { is_undone: true, ..script });
        Self { nothing_written: true, is_transient: error.is_transient(), script, detail: error.to_string() }
    }

    /// A failure to write, by what the error says of it.
    fn of_write(error: &adapter::Error) -> Self {
        let nothing_written = error.applied() == Applied::No;
        Self { nothing_written, is_transient: error.is_transient(), script: ScriptFailure::of(error), detail: error.to_string() }
    }

    /// What is done in Redis, and not beside it.
    fn unfinished(detail: String) -> Self {
        Self { nothing_written: false, is_transient: true, script: None, detail }
    }

    /// What failed after another attempt, of which it says nothing.
    fn after(self, nothing_written: bool) -> Self {
        Self { nothing_written: self.nothing_written && nothing_written, ..self }
    }
}

/// The application in one isolate. Cloning shares everything.
#[derive(Clone)]
pub struct App<R> {
    pub runtime: R,
    pub config: Rc<Config>,
    pub memory: Rc<Memory>,
}

impl<R: Runtime> App<R> {
    /// The store, over a connection of this request.
    fn store(&self) -> Result<Store<'_, R::Transport, R>, adapter::Error> {
        let guess_s = i64::try_from(self.runtime.clock_ms() / 1000).unwrap_or(0);
        Ok(Store { transport: self.runtime.transport()?, zones: &self.runtime, guess_s, key_prefix: self.config.key_prefix.as_str() })
    }

    /// The edge's clock, as instants of Redis are told.
    fn edge_ms(&self) -> i64 {
        i64::try_from(self.runtime.clock_ms()).unwrap_or(i64::MAX)
    }

    /// Reads from Redis, and once more where the connection was lost at once, as by a failover: a read does no harm. Who waited
    /// for a Redis that hangs does not wait as long again.
    async fn read_store<T>(
        &self,
        read: impl AsyncFn(&Store<'_, R::Transport, R>) -> Result<T, adapter::Error>,
    ) -> Result<T, adapter::Error> {
        self.ask_again(2, read).await
    }

    /// Does a step of long work, and again where the connection was lost at once: only a step of which doing it twice does no harm.
    async fn repeat<T>(&self, step: impl AsyncFn(&Store<'_, R::Transport, R>) -> Result<T, adapter::Error>) -> Result<T, adapter::Error> {
        self.ask_again(4, step).await
    }

    async fn ask_again<T>(
        &self,
        tries: usize,
        ask: impl AsyncFn(&Store<'_, R::Transport, R>) -> Result<T, adapter::Error>,
    ) -> Result<T, adapter::Error> {
        const AT_ONCE_MS: u64 = 1_000;
        let (store, asked_at_ms) = (self.store()?, self.runtime.clock_ms());
        let mut left = tries;
        loop {
            let answer = ask(&store).await;
            left -= 1;
            let is_lost = answer.as_ref().is_err_and(|error| error.fault == Fault::Lost);
            if !is_lost || left == 0 || self.runtime.clock_ms() >= asked_at_ms + AT_ONCE_MS {
                return answer;
            }
        }
    }
}
