//! The scripts on a real redis-server, under a clock that the tests move.

#[path = "../support/mod.rs"]
mod support;

mod aliases;
mod assembler;
mod backlog;
mod batches;
mod call;
mod cases;
mod clocks;
mod cluster;
mod configurations;
mod decaying;
mod deployment;
mod distribution;
mod errors;
mod faults;
mod histories;
mod homes;
mod layouts;
mod libraries;
mod mark;
mod marks;
mod members;
mod model;
mod native;
mod periods;
mod reading;
mod reconfigured;
mod record;
mod registry;
mod removal;
mod reset;
mod restore;
mod rolling;
mod scores;
mod scripts;
mod seq;
mod sites;
mod sizes;
mod skipped;
mod ties;
mod top;
mod upkeep;
mod values;
mod versions;
