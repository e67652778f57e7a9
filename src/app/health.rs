//! Whether Redis answers.

use super::{App, Failure, Runtime};

impl<R: Runtime> App<R> {
    /// # Errors
    /// Why Redis does not answer.
    pub async fn ready(&self) -> Result<(), Failure> {
        let store = self.store().map_err(|error| Failure::of_read(&error))?;
        store.ping().await.map_err(|error| Failure::of_read(&error))
    }
}
