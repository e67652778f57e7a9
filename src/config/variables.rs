//! The variables that may hold sites, as one table.

use serde_json::{Map, Value};

use super::error::ConfigError;

pub(super) fn merge(into: &mut Map<String, Value>, from: Map<String, Value>, key: &str) -> Result<(), ConfigError> {
    for (name, value) in from {
        let key = format!("{key}.{name}");
        match (into.get_mut(&name), value) {
            (Some(Value::Object(there)), Value::Object(more)) => merge(there, more, &key)?,
            (Some(there), value) if *there != value => {
                return Err(ConfigError {
                    key,
                    value: Some(value.to_string()),
                    allowed: format!("one value; another variable says {there}"),
                });
            }
            (Some(_), _) => {}
            (None, value) => {
                into.insert(name, value);
            }
        }
    }
    Ok(())
}
