//! Use cases over the store and narrow ports: counting a batch, reading a ranking through the caches.

pub mod actors;
pub mod admission;
mod agenda;
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
pub mod ports;
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

use engine::adapter::{self, Applied, Fault};
use engine::store::Store;

pub use crate::config::{Config, Lack};
/// Every script with its source.
pub use engine::store::scripts::{LIBRARY, SCRIPTS};
pub use engine::store::{failed_script, without_functions};
use memory::Memory;
pub use ports::{NotForwarded, Runtime};

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
        let mut remaining = tries;
        loop {
            let answer = ask(&store).await;
            remaining -= 1;
            let is_lost = answer.as_ref().is_err_and(|error| error.fault == Fault::Lost);
            if !is_lost || remaining == 0 || self.runtime.clock_ms() >= asked_at_ms + AT_ONCE_MS {
                return answer;
            }
        }
    }
}
