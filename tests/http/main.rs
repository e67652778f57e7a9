//! The HTTP surface on a native runtime and a real redis-server: what needs faults between the two, and time.

#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "other tests look into the server as well")]
mod support;

#[path = "../support/runtime.rs"]
mod runtime;

mod archive;
mod attempts;
mod counting;
mod dearest;
mod door;
mod faulty;
mod forwarding;
mod fresh;
mod health;
mod live;
mod openapi;
mod problems;
mod rankings;
mod scheduled;
mod slow;
mod versions;
mod world;
