//! Use cases over the store and narrow ports: counting a batch, reading a ranking through the caches.

pub mod actors;
pub mod cache;
pub mod count;
pub mod memory;
pub mod rankings;
pub mod upkeep;

use std::rc::Rc;

use crate::adapter::{self, Transport};
use crate::config::Config;
use crate::ranking::zone::Zones;
use cache::Entry;
use memory::Memory;

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

    /// Lets a future run on after the response was sent.
    fn in_background(&self, future: impl Future<Output = ()> + 'static);

    /// The edge cache of this data center.
    async fn edge_get(&self, key: &str) -> Option<Entry>;

    async fn edge_put(&self, key: &str, entry: &Entry);
}

/// The application in one isolate. Cloning shares everything.
#[derive(Clone)]
pub struct App<R> {
    pub runtime: R,
    pub config: Rc<Config>,
    pub memory: Rc<Memory>,
}

impl<R: Runtime> App<R> {
    /// The edge's idea of the time, in Unix seconds: only to guess which years of a time zone scripts will need.
    fn guess_s(&self) -> i64 {
        i64::try_from(self.runtime.clock_ms() / 1000).unwrap_or(0)
    }
}
