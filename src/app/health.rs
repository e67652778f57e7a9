//! Whether Redis can count.

use super::{App, Failure, Runtime};

impl<R: Runtime> App<R> {
    /// Asks Redis to run a script that writes.
    ///
    /// # Errors
    /// Why it does not: it is out, a replica, out of memory, or misses a right.
    pub async fn ready(&self) -> Result<(), Failure> {
        let store = self.store().map_err(|error| Failure::of_read(&error))?;
        store.ready().await.map_err(|error| Failure::of_read(&error))
    }
}
