//! Rolling and decaying windows against a plain model, on a real redis-server under a clock that the tests move.

#[path = "support/mod.rs"]
mod support;

#[path = "windows/decaying.rs"]
mod decaying;
#[path = "windows/model.rs"]
mod model;
#[path = "windows/rolling.rs"]
mod rolling;
