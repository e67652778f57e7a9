//! A Redis-compatible client without a socket.
//!
//! Commands and replies are the `redis` crate's (`Cmd`, `Value`); a [`Transport`] carries them, as RESP over a byte
//! stream ([`resp`]) or as Upstash's JSON over HTTP ([`rest`]). [`script`] runs Lua by its digest.
//!
//! # Out of scope
//! Sockets, `fetch` and timers: whoever implements [`Transport`] owns them, and bounds the time of every send.

pub mod error;
pub mod resp;
pub mod rest;
pub mod script;
pub mod transport;
pub mod url;

pub use error::{Applied, Error, Fault};
pub use redis::{Cmd, Value};
pub use script::{Invocation, Script};
pub use transport::{Mode, Transport};
