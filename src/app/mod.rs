//! Use cases over the store and narrow ports: counting a batch, reading a ranking through the caches.

pub mod actors;
pub mod admission;
mod agenda;
mod announcement;
pub mod archive;
pub mod attempts;
pub mod audit;
mod backlog;
pub mod cache;
pub mod clocks;
pub mod copies;
pub mod count;
pub mod counters;
pub mod curation;
pub mod database;
pub mod dead;
mod failure;
mod forward;
pub mod fullness;
pub mod gather;
mod grouped;
pub mod health;
pub mod history;
pub mod items;
mod later;
pub mod leftovers;
mod libraries;
pub mod memory;
mod outbox;
pub mod ports;
pub mod price;
pub mod queue;
pub mod rankings;
pub mod rates;
pub mod rebuild;
mod redis;
pub mod removal;
pub mod reset;
pub mod revocation;
mod scheduled;
mod sections;
mod services;
pub mod snapshots;
pub mod totals;
pub mod upkeep;

pub use crate::config::{Config, Lack};
/// Every script with its source.
pub use engine::store::scripts::{LIBRARY, SCRIPTS};
pub use engine::store::{failed_script, without_functions};
pub use failure::{Failure, ScriptFailure};
pub use later::App;
pub use ports::{NotForwarded, Runtime};

/// Which version of the worker this is. Each build has another one.
pub(crate) const VERSION: &str = env!("EDGEBOARD_VERSION");
