//! The instant of the last change, and what it lets readers leave out.

mod writers;
