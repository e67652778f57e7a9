//! Whether Redis answers.

use super::{App, Failure, Runtime};
use crate::store;

impl<R: Runtime> App<R> {
    /// # Errors
    /// Why Redis does not answer.
    pub async fn ready(&self) -> Result<(), Failure> {
        let transport = self.runtime.transport().map_err(|error| Failure::of_read(&error))?;
        store::ping(&transport).await.map_err(|error| Failure::of_read(&error))
    }
}
