//! The scripts of lua/ and the types of their calls and replies, written by build.rs from the scripts' headers.

#![expect(
    clippy::doc_markdown,
    clippy::identity_op,
    clippy::vec_init_then_push,
    reason = "the code is written by build.rs, its documentation taken from Lua"
)]

use ranking::name::Id;
use ranking::score::Score;

use super::reply::{Call, ReplyReader};
use crate::adapter::{Error, Invocation, Library, Script};

include!(concat!(env!("OUT_DIR"), "/scripts.rs"));
