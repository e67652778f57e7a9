//! Builds the Redis scripts of lua/: their source from a script and the functions that it uses, and their Rust bindings.

pub mod assembler;
pub mod bindings;
pub mod functions;
pub mod groups;
pub mod header;
pub mod library;
pub mod limits;
pub mod records;
pub mod shorten;
pub mod text;
pub mod words;

use std::collections::BTreeMap;

/// The files of lua/ by path in their folder, without their endings.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub scripts: BTreeMap<String, String>,
    /// The functions of lua/lib.
    pub functions: BTreeMap<String, String>,
    /// Lists of fields that headers share, of lua/fields.
    pub fields: BTreeMap<String, String>,
    /// Groups of modules, of lua/groups.
    pub groups: BTreeMap<String, String>,
    /// The fields of tables that modules hand to each other, of lua/records.
    pub records: BTreeMap<String, String>,
}
