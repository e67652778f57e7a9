//! What administrators, servers and schedules ask for: items, corrections, revocation, copies of what Redis has, upkeep, the queue's messages.
//! Nothing here knows the Workers runtime.
//!
//! Imports point left: `app ← api`. It extends what [`serve`] answers, see [`app::Administration`].

pub mod api;
pub mod app;
