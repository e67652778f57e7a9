//! What carries commands to Redis.

use std::rc::Rc;

use super::{Cmd, Error, Invocation, Value};

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

    /// Whether the server has functions, as far as is known. One that has none runs scripts.
    fn has_functions(&self) -> bool {
        true
    }

    /// Is told that the server has no functions, or lets us have none, and why.
    fn lacks_functions(&self, _error: &Error) {}

    /// Is told that the server took no library just now: it is not sent again at once.
    fn refused_library(&self) {}

    /// Is told of each script that failed in a manner that it does not know: it is to be logged.
    fn script_failed(&self, _call: &Invocation, _error: &Error) {}
}

impl<T: Transport> Transport for Rc<T> {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        (**self).send(commands, mode).await
    }

    fn has_functions(&self) -> bool {
        (**self).has_functions()
    }

    fn lacks_functions(&self, error: &Error) {
        (**self).lacks_functions(error);
    }

    fn refused_library(&self) {
        (**self).refused_library();
    }

    fn script_failed(&self, call: &Invocation, error: &Error) {
        (**self).script_failed(call, error);
    }
}

impl<T: Transport> Transport for &T {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        (**self).send(commands, mode).await
    }

    fn has_functions(&self) -> bool {
        (**self).has_functions()
    }

    fn lacks_functions(&self, error: &Error) {
        (**self).lacks_functions(error);
    }

    fn refused_library(&self) {
        (**self).refused_library();
    }

    fn script_failed(&self, call: &Invocation, error: &Error) {
        (**self).script_failed(call, error);
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
