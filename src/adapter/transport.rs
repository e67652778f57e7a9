//! What carries commands to Redis.

use redis::{Cmd, Value};

use super::Error;

/// Carries commands in one round trip.
#[allow(async_fn_in_trait, reason = "an isolate has one thread; no future is sent anywhere")]
pub trait Transport {
    /// Sends the commands in order, not as a transaction, and answers one reply each. A command that the server refused
    /// answers `Value::ServerError`; the others are not affected.
    ///
    /// Bounded in time.
    ///
    /// # Errors
    /// When no replies, or not all of them, could be had.
    async fn send(&self, commands: &[Cmd]) -> Result<Vec<Value>, Error>;
}
