//! What browsers and pages ask for: events are counted, rankings are read through the caches. Nothing here knows the Workers runtime.
//!
//! Imports point left: `config, ingest ← app ← api`. What a deployment does besides, for administrators and by schedule, is asked for by one
//! trait, [`app::beyond::Beyond`], whose default is that there is nothing else.

/// Which version of the worker this is. Each build has another one.
pub const BUILD: &str = env!("EDGEBOARD_VERSION");

pub mod api;
pub mod app;
pub mod config;
pub mod ingest;
