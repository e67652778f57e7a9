//! Reads values of the configuration, and says of those that are not allowed where they stand.

use ranking::name::{Name, Named, nearest};
use serde_json::{Map, Value};

use super::error::ConfigError;
use super::rule::Rule;

/// A value and the key it stands at.
pub(super) struct Node<'v> {
    pub(super) key: String,
    pub(super) value: &'v Value,
}

/// The fields of a table.
pub(super) struct Fields<'v> {
    key: String,
    pub(super) table: &'v Map<String, Value>,
}

impl<'v> Node<'v> {
    pub(super) fn not_allowed(&self, allowed: &str) -> ConfigError {
        ConfigError::not_allowed(&self.key, self.value, allowed)
    }

    /// What cannot stand here, whatever it is, and why: `why` goes on behind "is not allowed".
    pub(super) fn misplaced(&self, why: &str) -> ConfigError {
        ConfigError::misplaced(&self.key, self.value, why)
    }

    /// A table with the allowed keys only.
    pub(super) fn fields(&self, allowed: &[&str]) -> Result<Fields<'v>, ConfigError> {
        let Value::Object(table) = self.value else { return Err(self.not_allowed(&format!("a table of {}", allowed.join(", ")))) };
        let Some((key, value)) = table.iter().find(|(key, _)| !allowed.contains(&key.as_str())) else {
            return Ok(Fields { key: self.key.clone(), table });
        };
        let unknown = Node { key: format!("{}.{key}", self.key), value };
        Err(unknown.not_allowed(&format!("the keys {}", allowed.join(", "))).meant(nearest(key, allowed.iter().copied())))
    }

    /// A table with names as keys and at least one entry.
    pub(super) fn named<T>(&self, read: impl Fn(&Name, &Node) -> Result<T, ConfigError>) -> Result<Named<T>, ConfigError> {
        let Some(table) = self.value.as_object().filter(|table| !table.is_empty()) else {
            return Err(self.not_allowed("a table with at least one entry"));
        };
        // The table is in the order of its keys.
        table
            .iter()
            .map(|(key, value)| {
                let node = Node { key: format!("{}.{key}", self.key), value };
                let name = Name::new(key).ok_or_else(|| not_a_name(&node.key, key))?;
                let entry = read(&name, &node)?;
                Ok((name, entry))
            })
            .collect()
    }

    /// What a rule reads here.
    pub(super) fn read<R: Rule + ?Sized>(&self, rule: &R) -> Result<R::Read, ConfigError> {
        rule.read(self.value).ok_or_else(|| {
            let nearest = self.value.as_str().and_then(|text| rule.nearest(text)).map(|name| format!("\"{name}\""));
            self.not_allowed(&rule.allowed()).meant(nearest.as_deref())
        })
    }
}

/// Without the table that the key holds, which is not what is wrong.
fn not_a_name(path: &str, key: &str) -> ConfigError {
    let lower = key.trim().to_ascii_lowercase().replace([' ', '_', '.'], "-");
    let meant = Name::new(&lower).map(|name| name.to_string());
    ConfigError::new(path, format!("is not allowed as a name; allowed: {}", Name::ALLOWED)).meant(meant.as_deref())
}

impl<'v> Fields<'v> {
    pub(super) fn get(&self, name: &str) -> Option<Node<'v>> {
        self.table.get(name).map(|value| Node { key: format!("{}.{name}", self.key), value })
    }

    /// A field that must be there.
    pub(super) fn required_node(&self, name: &str, allowed: &str) -> Result<Node<'v>, ConfigError> {
        self.get(name).ok_or_else(|| ConfigError::missing(format!("{}.{name}", self.key), allowed))
    }

    /// What a rule reads in a field that must be there.
    pub(super) fn required<R: Rule>(&self, name: &str, rule: &R) -> Result<R::Read, ConfigError> {
        self.required_node(name, &rule.allowed())?.read(rule)
    }

    /// What a rule reads in a field, or the default when it is not there.
    pub(super) fn or<R: Rule>(&self, name: &str, default: R::Read, rule: &R) -> Result<R::Read, ConfigError> {
        self.get(name).map_or(Ok(default), |node| node.read(rule))
    }
}
