//! edgeboard turns clicks into rankings at the edge: a Cloudflare Worker over Redis.
//!
//! This crate is the Worker. What it answers is in crates of their own, each of which knows those before it alone:
//! `ranking ← engine ← serve ← admin`. Only this one, built for wasm32 alone, knows the Workers runtime. ARCHITECTURE.md is the map.

#[cfg(target_arch = "wasm32")]
mod edge;
