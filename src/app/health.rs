//! Whether Redis can count.

use std::cell::RefCell;

use super::{App, Failure, Runtime};

/// What was found holds for so long, so that nobody keeps Redis busy by asking.
const KEPT_MS: u64 = 1_000;

/// What was found the last time, and when.
#[derive(Default)]
pub struct Readiness(RefCell<Option<(u64, Result<(), Failure>)>>);

impl<R: Runtime> App<R> {
    /// Asks Redis to run a script that writes, about once a second at most.
    ///
    /// # Errors
    /// Why it does not: it is out, a replica, out of memory, or misses a right.
    pub async fn ready(&self) -> Result<(), Failure> {
        let now_ms = self.runtime.clock_ms();
        if let Some((found_ms, found)) = &*self.memory.readiness.0.borrow()
            && (*found_ms..*found_ms + KEPT_MS).contains(&now_ms)
        {
            return found.clone();
        }
        let found = self.ask_ready().await;
        self.memory.readiness.0.replace(Some((self.runtime.clock_ms(), found.clone())));
        found
    }

    async fn ask_ready(&self) -> Result<(), Failure> {
        let store = self.store().map_err(|error| Failure::of_read(&error))?;
        store.ready().await.map_err(|error| Failure::of_read(&error))
    }
}
