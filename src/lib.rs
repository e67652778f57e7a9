//! edgeboard turns clicks into rankings at the edge: a Cloudflare Worker over Redis.
//!
//! Imports point left: `ranking ← engine`, both crates of their own, `← config, ingest ← app ← api ← edge`. Only `edge`, built for wasm32
//! alone, knows the Workers runtime. ARCHITECTURE.md is the map.

pub mod api;
pub mod app;
pub mod config;
#[cfg(target_arch = "wasm32")]
mod edge;
pub mod ingest;
