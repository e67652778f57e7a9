//! Rankings on Redis, without a socket: a client that is told how to send ([`adapter`]), and what is asked of the Lua library of lua/ in
//! the words of the domain ([`store`]).

pub mod adapter;
pub mod store;
