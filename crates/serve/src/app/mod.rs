//! Use cases over the store and narrow ports: counting a batch, reading a ranking through the caches.

pub mod admission;
pub mod agenda;
pub mod attempts;
pub mod beyond;
pub mod cache;
pub mod catalog;
pub mod counters;
pub mod counting;
pub mod database;
pub mod details;
pub mod failure;
pub mod forwarding;
pub mod frozen;
pub mod health;
mod later;
pub mod memory;
pub mod ports;
pub mod price;
pub mod quota;
pub mod rankings;
pub mod rates;
pub mod redis;
mod services;
pub mod sites;
mod statement;
pub mod templates;

pub use crate::config::{Config, Lack, RESERVED};
/// Every script with its source.
pub use engine::store::scripts::{LIBRARY, SCRIPTS};
pub use engine::store::{failed_script, without_functions, without_locks};
pub use failure::{Failure, ScriptFailure};
pub use later::{App, Later};
pub use ports::{NotForwarded, Runtime};
