//! Builds the Redis scripts of lua/: their source from a script and the functions that it includes, and their Rust bindings.

pub mod assembler;
pub mod bindings;
pub mod header;

use std::collections::BTreeMap;

/// The files of lua/ by name, without their endings.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub scripts: BTreeMap<String, String>,
    /// Functions that scripts include, of lua/lib.
    pub functions: BTreeMap<String, String>,
    /// Lists of fields that headers share, of lua/fields.
    pub fields: BTreeMap<String, String>,
}
