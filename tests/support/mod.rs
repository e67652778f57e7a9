//! What the Rust integration tests stand on: a real redis-server, or a cluster, on a clock that tests move, the real adapter over
//! blocking TCP connections, and time zones from chrono-tz.
//!
//! # Out of scope
//! Redis's replies are not faked anywhere: a test that needs a fault puts it between the adapter and the server.

pub mod clock;
pub mod cluster;
pub mod connection;
pub mod gateway;
pub mod node;
pub mod server;
pub mod zones;

pub use connection::Connection;
pub use server::Server;
pub use zones::TzZones;
