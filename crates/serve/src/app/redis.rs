//! Redis, as the services ask it: over a connection of this request, and once more where that does no harm.

use std::cell::Cell;

use engine::adapter::{Error, Fault, Transport};
use engine::store::Store;

use super::ports::Runtime;

/// The only store. What is read through it says what is asked again.
pub struct Redis<'a, R> {
    pub runtime: &'a R,
    pub key_prefix: &'a str,
}

impl<'a, R: Runtime> Redis<'a, R> {
    /// The store, over a connection of this request.
    ///
    /// # Errors
    /// When there can be no connection, such as without an address.
    pub fn store(&self) -> Result<Store<'a, R::Transport, R>, Error> {
        let guess_s = i64::try_from(self.runtime.clock_ms() / 1000).unwrap_or(0);
        Ok(Store { transport: self.runtime.transport()?, zones: self.runtime, guess_s, key_prefix: self.key_prefix, replica: None })
    }

    /// Whether boards are on several nodes.
    pub fn is_cluster(&self) -> bool {
        self.store().is_ok_and(|store| store.transport.is_cluster())
    }

    /// Reads, and once more where the connection was lost at once, as by a failover: a read does no harm. A caller that waited for a Redis that hangs
    /// does not wait as long again.
    ///
    /// # Errors
    /// When Redis does not answer, or refuses it.
    pub async fn read<T>(&self, read: impl AsyncFn(&Store<'_, R::Transport, R>) -> Result<T, Error>) -> Result<T, Error> {
        self.ask_again(2, read).await
    }

    /// Reads from a replica, and answers for how many seconds that had not heard its master. `None` where there is none that can be asked: then the master
    /// is to be.
    pub async fn read_replica<T>(&self, read: impl AsyncFn(&Store<'_, R::Transport, R>) -> Result<T, Error>) -> Option<(T, u32)> {
        let (store, silent_s) = (self.store().ok()?, Cell::new(None));
        if !store.transport.is_cluster() {
            return None;
        }
        let found = read(&Store { replica: Some(&silent_s), ..store }).await.ok()?;
        Some((found, silent_s.get()?))
    }

    /// Does a step of long work, and again where the connection was lost at once: only a step of which doing it twice does no harm.
    ///
    /// # Errors
    /// When Redis does not answer, or refuses it.
    pub async fn repeat<T>(&self, step: impl AsyncFn(&Store<'_, R::Transport, R>) -> Result<T, Error>) -> Result<T, Error> {
        self.ask_again(4, step).await
    }

    async fn ask_again<T>(&self, tries: usize, ask: impl AsyncFn(&Store<'_, R::Transport, R>) -> Result<T, Error>) -> Result<T, Error> {
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
