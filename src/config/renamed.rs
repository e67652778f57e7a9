//! Options that had another name once.

use super::rule::{OneOf, listed};
use crate::ranking::site::Members;

/// An option that is called otherwise now.
pub(super) struct Renamed {
    old: &'static str,
    new: &'static str,
    /// What it may be, where that is called otherwise too.
    names: Option<fn() -> Vec<String>>,
}

static RENAMED: [Renamed; 2] = [
    Renamed { old: "ranks", new: "members", names: Some(|| OneOf::<Members>::ANY.names()) },
    Renamed { old: "memory", new: "actor_history", names: None },
];

impl Renamed {
    /// What became of `old` in a table with some keys.
    pub(super) fn find(old: &str, keys: &[&str]) -> Option<&'static Self> {
        RENAMED.iter().find(|renamed| renamed.old == old && keys.contains(&renamed.new))
    }

    /// What is said of the old name.
    pub(super) fn problem(&self) -> String {
        let values = self.names.map(|names| format!(", and its values are {}", listed(names(), "and")));
        format!("is not allowed; it is called {} now{}", self.new, values.unwrap_or_default())
    }
}
