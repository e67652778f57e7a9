//! Use cases over the store and narrow ports: counting a batch, reading a ranking through the caches.

pub mod actors;
pub mod admission;
mod agenda;
pub mod archive;
pub mod attempts;
pub mod audit;
pub mod cache;
pub mod catalog;
pub mod copies;
pub mod corrections;
pub mod counters;
pub mod counting;
pub mod database;
pub mod deliveries;
mod failure;
pub mod forwarding;
pub mod health;
pub mod history;
pub mod items;
mod later;
pub mod memory;
pub mod moving;
pub mod ports;
pub mod price;
pub mod quota;
pub mod rankings;
pub mod rates;
pub mod recovery;
mod redis;
mod scheduled;
pub mod served;
mod services;
pub mod sites;
pub mod snapshots;
mod statement;
pub mod templates;
pub mod totals;
pub mod upkeep;

pub use crate::config::{Config, Lack, RESERVED};
/// Every script with its source.
pub use engine::store::scripts::{LIBRARY, SCRIPTS};
pub use engine::store::{failed_script, without_functions, without_locks};
pub use failure::{Failure, ScriptFailure};
pub use later::App;
pub use ports::{NotForwarded, Runtime};
