//! A Redis-compatible client without a socket.
//!
//! A [`Transport`] carries commands ([`Cmd`]) and replies ([`Value`]), as RESP over a byte
//! stream ([`resp`]) or as Upstash's JSON over HTTP ([`rest`]). [`script`] runs Lua: functions of a library, or scripts.
//!
//! # Out of scope
//! Sockets, `fetch` and timers: whoever implements [`Transport`] owns them, and bounds the time of every send.

pub mod breaker;
pub mod command;
pub mod error;
pub mod resp;
pub mod rest;
pub mod script;
pub mod transport;
pub mod url;
pub mod value;

pub use breaker::Breaker;
pub use command::Cmd;
pub use error::{Applied, Error, Fault};
pub use script::{Invocation, Library, Script};
pub use transport::{Mode, Transport};
pub use value::{ServerError, Value};
