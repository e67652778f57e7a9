//! What carries commands to Redis.

use std::rc::Rc;

#[cfg(doc)]
use super::Fault;
use super::slots::slot_of;
use super::{Cmd, Error, Invocation, Locking, Value};

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

    /// Sends a command that names no key to each server that some commands go to, and answers one reply each.
    ///
    /// # Errors
    /// Those of a send.
    async fn send_to_servers_of(&self, _commands: &[Cmd], command: Cmd) -> Result<Vec<Value>, Error> {
        self.send(&[command], Mode::Pipeline).await
    }

    /// The servers that it carries commands to, as they are now.
    ///
    /// # Errors
    /// When none of them says which there are.
    async fn servers(&self) -> Result<Servers, Error> {
        Ok(Servers { each: vec![Server { tag: String::new(), slots: String::new() }], unserved: String::new(), at_once: 1 })
    }

    /// Whether keys lie on several servers by their slots, so that a transaction has one slot.
    fn is_cluster(&self) -> bool {
        false
    }

    /// Whether the server has functions, as far as is known. One that has none runs scripts.
    fn has_functions(&self) -> bool {
        true
    }

    /// Notes that the server has no functions, or lets us have none, and why.
    fn lacks_functions(&self, _error: &Error) {}

    /// Notes that the server took no library just now: it is not sent again at once.
    fn refused_library(&self) {}

    /// What is known of the keys of calls, where the server locks by key.
    fn locks(&self) -> Option<Locking<'_>> {
        None
    }

    /// Notes that the server took no library of functions that lock by key, if that is what it was sent, and why.
    fn refused_locks(&self, _error: &Error) {}

    /// Gets each script that failed in a manner that it does not know: it is to be logged.
    fn script_failed(&self, _call: &Invocation, _error: &Error) {}
}

impl<T: Transport> Transport for Rc<T> {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        (**self).send(commands, mode).await
    }

    async fn send_to_servers_of(&self, commands: &[Cmd], command: Cmd) -> Result<Vec<Value>, Error> {
        (**self).send_to_servers_of(commands, command).await
    }

    async fn servers(&self) -> Result<Servers, Error> {
        (**self).servers().await
    }

    fn is_cluster(&self) -> bool {
        (**self).is_cluster()
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

    fn locks(&self) -> Option<Locking<'_>> {
        (**self).locks()
    }

    fn refused_locks(&self, error: &Error) {
        (**self).refused_locks(error);
    }

    fn script_failed(&self, call: &Invocation, error: &Error) {
        (**self).script_failed(call, error);
    }
}

impl<T: Transport> Transport for &T {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        (**self).send(commands, mode).await
    }

    async fn send_to_servers_of(&self, commands: &[Cmd], command: Cmd) -> Result<Vec<Value>, Error> {
        (**self).send_to_servers_of(commands, command).await
    }

    async fn servers(&self) -> Result<Servers, Error> {
        (**self).servers().await
    }

    fn is_cluster(&self) -> bool {
        (**self).is_cluster()
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

    fn locks(&self) -> Option<Locking<'_>> {
        (**self).locks()
    }

    fn refused_locks(&self, error: &Error) {
        (**self).refused_locks(error);
    }

    fn script_failed(&self, call: &Invocation, error: &Error) {
        (**self).script_failed(call, error);
    }
}

/// Servers that share keys by their slots, or the only one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Servers {
    pub each: Vec<Server>,
    /// The slots that no server has, as `0-5460 7000`.
    pub unserved: String,
    /// How many of them one send reaches at the same time.
    pub at_once: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// A hash tag with which a key lies there; empty where there is one server.
    pub tag: String,
    /// Its slots, as those of [`Servers::unserved`].
    pub slots: String,
}

impl Server {
    /// Whether a key lies there.
    pub fn has(&self, key: &str) -> bool {
        let slot = slot_of(key.as_bytes());
        let has = |range: &str| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            first.parse().is_ok_and(|first| slot >= first) && last.parse().is_ok_and(|last| slot <= last)
        };
        self.slots.split(' ').any(has)
    }
}

/// Whether what others send may come between the commands of one send, and when it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It may.
    Pipeline,
    /// It may not: all commands are taken and done as one, or none is. On a cluster those of one slot are, each slot's by itself.
    Transaction,
    /// Either, and what was done is answered once a replica of the server has it. Otherwise it answers an error, [`Fault::Unreplicated`].
    Replicated { is_transaction: bool },
    /// It may, and a replica is asked, of a cluster alone: for functions that only read, whose keys have one slot. One answer more is the last:
    /// how many seconds the replica has not heard its master. Where no replica answers, nothing was done ([`Fault::Connect`]).
    Replica,
}

impl Mode {
    pub fn is_transaction(self) -> bool {
        matches!(self, Self::Transaction | Self::Replicated { is_transaction: true })
    }

    /// The same, answered once a replica has it.
    #[must_use]
    pub fn replicated(self) -> Self {
        Self::Replicated { is_transaction: self.is_transaction() }
    }
}
