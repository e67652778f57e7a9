//! Use cases of administration: what Redis has is copied, corrected, taken away and kept complete.

pub mod actors;
mod admin;
pub mod archive;
pub mod audit;
mod beyond;
pub mod copies;
pub mod corrections;
pub mod deliveries;
pub mod history;
pub mod items;
pub mod moving;
pub mod recovery;
mod scheduled;
pub mod served;
mod services;
pub mod sites;
pub mod snapshots;
pub mod templates;
pub mod totals;
pub mod upkeep;

pub use admin::Admin;
pub use beyond::Administration;
