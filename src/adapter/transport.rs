//! What carries commands to Redis.

use std::rc::Rc;

use super::{Cmd, Error, Value};

/// Carries commands in one round trip.
#[expect(async_fn_in_trait, reason = "an isolate has one thread; no future is sent anywhere")]
pub trait Transport {
    /// Sends the commands in order and answers one reply each. A command that the server refused to do answers
    /// `Value::ServerError`; the others are not affected.
    ///
    /// Bounded in time.
    ///
    /// # Errors
    /// When no replies, or not all of them, could be had; and when a transaction was not executed, which is then not applied.
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error>;
}

impl<T: Transport> Transport for Rc<T> {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        (**self).send(commands, mode).await
    }
}

impl<T: Transport> Transport for &T {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        (**self).send(commands, mode).await
    }
}

/// Whether what others send may come between the commands of one send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It may.
    Pipeline,
    /// It may not: all commands are taken and done as one, or none is. On a cluster their keys must be of one slot.
    Transaction,
}
