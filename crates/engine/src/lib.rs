//! Rankings on Redis, without a socket: a client that is given a transport ([`adapter`]), and the calls of the Lua library of lua/ in
//! the words of the domain ([`store`]).

pub mod adapter;
pub mod store;
