//! Inputs that nobody would send: made by the million, from saved ones and from what each format is made of. Nothing panics,
//! sums of lengths included, and every answer is one that its route promises.
//!
//! `EDGEBOARD_FUZZ=1000000 cargo test --test fuzz` makes a million, as `npm run prove fuzz` does.
//!
//! # Out of scope
//! What a valid batch does to scores: that is the models' of tests/lua.

#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "other tests look into the server as well")]
mod support;

#[path = "../support/runtime.rs"]
#[expect(dead_code, reason = "other tests move its clock, and look at what it kept")]
mod runtime;

mod answer;
mod configuration;
mod corpus;
mod mutation;
mod period;
mod random;
mod redis;
mod replies;
mod requests;
mod target;
mod world;
