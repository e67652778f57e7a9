//! Reads values of the configuration, and says of those that are not allowed where they stand.

use serde_json::{Map, Value};

use super::error::ConfigError;
use crate::ranking::name::{Name, Named};
use crate::ranking::score::Score;

pub(super) fn duration_from(allowed: &str) -> String {
    format!("a duration from {allowed}, a whole number and s, m, h or d")
}

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
        /// Longer values are cut in messages.
        const SHOWN: usize = 200;
        let mut value = self.value.to_string();
        if value.len() > SHOWN {
            value = value.chars().take(SHOWN).chain(['…']).collect();
        }
        ConfigError { key: self.key.clone(), value: Some(value), allowed: allowed.into() }
    }

    /// A table with the allowed keys only.
    pub(super) fn fields(&self, allowed: &[&str]) -> Result<Fields<'v>, ConfigError> {
        let Value::Object(table) = self.value else { return Err(self.not_allowed(&format!("a table of {}", allowed.join(", ")))) };
        match table.iter().find(|(key, _)| !allowed.contains(&key.as_str())) {
            Some((key, value)) => {
                Err(Node { key: format!("{}.{key}", self.key), value }.not_allowed(&format!("the keys {}", allowed.join(", "))))
            }
            None => Ok(Fields { key: self.key.clone(), table }),
        }
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
                let name = Name::new(key).ok_or_else(|| node.not_allowed(&format!("as a name, {}", Name::ALLOWED)))?;
                let entry = read(&name, &node)?;
                Ok((name, entry))
            })
            .collect()
    }

    pub(super) fn boolean(&self) -> Result<bool, ConfigError> {
        self.value.as_bool().ok_or_else(|| self.not_allowed("true or false"))
    }

    pub(super) fn integer(&self, min: u32, max: u32) -> Result<u32, ConfigError> {
        let number = self.value.as_u64().and_then(|number| u32::try_from(number).ok());
        number.filter(|number| (min..=max).contains(number)).ok_or_else(|| self.not_allowed(&format!("a whole number from {min} to {max}")))
    }

    pub(super) fn number(&self, min: f64, max: f64, allowed: &str) -> Result<Score, ConfigError> {
        let number = self.value.as_f64().filter(|number| (min..=max).contains(number)).and_then(Score::new);
        number.ok_or_else(|| self.not_allowed(&format!("a number from {allowed}")))
    }

    /// A duration in seconds, written as a whole number and a unit: s, m, h or d.
    pub(super) fn duration_s(&self, min: u32, max: u32, allowed: &str) -> Result<u32, ConfigError> {
        let seconds = self.value.as_str().and_then(|text| {
            let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
            let scale = match unit {
                "s" => 1,
                "m" => 60,
                "h" => 3600,
                "d" => 86_400,
                _ => return None,
            };
            number.parse::<u32>().ok()?.checked_mul(scale)
        });
        seconds.filter(|seconds| (min..=max).contains(seconds)).ok_or_else(|| self.not_allowed(&duration_from(allowed)))
    }
}

impl<'v> Fields<'v> {
    pub(super) fn get(&self, name: &str) -> Option<Node<'v>> {
        self.table.get(name).map(|value| Node { key: format!("{}.{name}", self.key), value })
    }

    pub(super) fn required(&self, name: &str, allowed: &str) -> Result<Node<'v>, ConfigError> {
        self.get(name).ok_or_else(|| ConfigError { key: format!("{}.{name}", self.key), value: None, allowed: allowed.into() })
    }

    pub(super) fn or<T>(&self, name: &str, default: T, read: impl FnOnce(&Node) -> Result<T, ConfigError>) -> Result<T, ConfigError> {
        self.get(name).map_or(Ok(default), |node| read(&node))
    }
}
