//! The scripts on a real redis-server, under a clock that the tests move.

#[path = "../support/mod.rs"]
mod support;

mod assembler;
mod call;
mod cases;
mod closures;
mod cluster;
mod decaying;
mod errors;
mod histories;
mod model;
mod periods;
mod record;
mod rolling;
mod scripts;
mod sizes;
mod ties;
mod top;
