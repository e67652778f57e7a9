//! A Redis-compatible client without a socket.
//!
//! A [`Transport`] carries commands ([`Cmd`]) and replies ([`Value`]), as RESP over a byte
//! stream ([`resp`]) or as Upstash's JSON over HTTP ([`rest`]). [`script`] runs Lua: functions of a library, or scripts.
//!
//! # Out of scope
//! Sockets, `fetch` and timers: an implementation of [`Transport`] owns them, and bounds the time of every send.
//!
//! # Decisions
//!
//! - `upstash-redis-rs` is not used. Version 0.1.2 needs a nightly feature (`macro_metavar_expr`), and its futures are not
//!   `Send` on wasm32. So it compiles neither on stable nor for Workers. It has neither scripts nor sorted sets. [`rest`]
//!   speaks the Upstash REST protocol in 150 lines.
//! - Our own code reads RESP ([`value`]). The `redis` crate did before. It parses a whole reply or a blocking stream, so the end of a
//!   reply had to be found first anyway. Its parser combinators were a sixteenth of the bundle: 18 of 300 KB gzipped. The crates
//!   redis-protocol and resp-rs read a reply from its beginning with all that arrives, which is quadratic for long ones. Only the
//!   part of the protocol that RESP2 servers answer is needed.
//! - A cluster is a [`Transport`] over those of its nodes ([`cluster`]). Transactions need one slot there, and boards have
//!   different ones.

pub mod breaker;
pub mod cluster;
pub mod command;
pub mod error;
pub mod locks;
pub mod resp;
pub mod rest;
pub mod script;
pub mod slots;
pub mod transport;
pub mod url;
pub mod value;

pub use breaker::Breaker;
pub use cluster::{Cluster, Nodes};
pub use command::Cmd;
pub use error::{Applied, Error, Fault};
pub use locks::{Locking, Locks};
pub use script::{Invocation, Library, Script};
pub use transport::{Mode, Server, Servers, Transport};
pub use value::{ServerError, Value};
