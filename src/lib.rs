//! edgeboard turns clicks into rankings at the edge: a Cloudflare Worker over Redis.
//!
//! Imports point left: `ranking, adapter ← config, ingest, store ← app ← api ← edge`; `ranking` and `adapter` do not know each other, and
//! only `edge`, built for wasm32 alone, knows the Workers runtime. ARCHITECTURE.md is the map.

pub mod adapter;
pub mod api;
pub mod app;
pub mod config;
#[cfg(target_arch = "wasm32")]
mod edge;
pub mod ingest;
pub mod ranking;
pub mod store;
