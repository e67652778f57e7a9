//! The variables of a deployment, by name.

use std::mem;

use ranking::token::Right;
use serde_json::{Map, Value};

use super::deployment::is_token;
use super::error::{ConfigError, shown};
use super::node::Node;
use super::stored::SitesSecret;

/// What begins the names of variables that hold sites.
const SITES: &str = "SITES";

/// The secret of which those of sites are derived that are made while the deployment runs. It is text, and so no table of sites.
const SITES_SECRET: &str = "SITES_SECRET";

/// The table of the site `demo`, which `npm start` gives. It is no variable of a deployment: [`is_known`] does not know it.
pub const DEMO: &str = "DEMO";

/// The bytes that the platform allows a variable, as text or as JSON: 5 KB.
/// <https://developers.cloudflare.com/workers/platform/limits/>
const MAX_BYTES: usize = 5 * 1024;

/// Those variables that mean something here. The name and what it holds.
pub(super) struct Variables(Map<String, Value>);

impl Variables {
    pub(super) fn new(variables: impl IntoIterator<Item = (String, Value)>) -> Result<Self, ConfigError> {
        let mut table = Map::new();
        for (name, value) in variables {
            check_size(&name, &value)?;
            // Not by `collect`, which would bring sorting into the bundle.
            table.insert(name, value);
        }
        Ok(Self(table))
    }

    pub(super) fn get(&self, name: &str) -> Option<Node<'_>> {
        self.0.get(name).map(|value| Node { key: name.into(), value })
    }

    /// The names of all variables.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The text of a variable that may hold a secret; `None` when it is absent or empty.
    pub(super) fn secret(&self, name: &str) -> Result<Option<&str>, ConfigError> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(_) => Err(ConfigError::secret_not_allowed(name, "text")),
        }
    }

    /// `SITES_SECRET`.
    pub(super) fn sites_secret(&self) -> Result<Option<SitesSecret>, ConfigError> {
        let read = |text| {
            let allowed = format!("a secret of at least {} characters", SitesSecret::SHORTEST);
            SitesSecret::new(text).ok_or_else(|| ConfigError::secret_not_allowed(SITES_SECRET, &allowed))
        };
        self.secret(SITES_SECRET)?.map(read).transpose()
    }

    /// Takes out the table of the demo.
    pub(super) fn take_demo(&mut self) -> Option<Value> {
        self.0.get_mut(DEMO).map(Value::take)
    }

    /// Takes out the tables of sites, as one.
    pub(super) fn take_sites(&mut self) -> Result<Map<String, Value>, ConfigError> {
        let mut merged = Map::new();
        for (name, value) in self.0.iter_mut().filter(|(name, _)| name.starts_with(SITES)) {
            if let Value::Object(table) = value {
                merge(&mut merged, mem::take(table), name)?;
            }
        }
        Ok(merged)
    }
}

/// Whether a variable of that name means something here.
pub fn is_known(name: &str) -> bool {
    name.starts_with(SITES)
        || [
            "REDIS_URL",
            "REDIS_TOKEN",
            "REDIS_ADDRESS_MAP",
            "REDIS_LOCKS",
            "REDIS_REPLICA_READS",
            "SITES_SECRET",
            "KEY_PREFIX",
            "BEACON_PATH",
            "VISITOR_SECRET",
            "FORWARD_SECRET",
            "ARCHIVE_REDIS_URL",
            "ARCHIVE_REDIS_TOKEN",
            "LIVE_VIEWERS",
            "QUEUE_RETENTION",
            "ANALYTICS_TOKEN",
            "ANALYTICS_ACCOUNT",
            "ANALYTICS_DATASET",
            "ANALYTICS_API",
        ]
        .contains(&name)
        || Right::EACH.into_iter().any(|right| is_token(right, name))
}

/// Here, where it is one line; the platform would refuse the upload, and only that.
fn check_size(name: &str, value: &Value) -> Result<(), ConfigError> {
    let bytes = value.as_str().map_or_else(|| value.to_string().len(), str::len);
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let split = "; split it into several variables whose names begin with SITES, which are merged";
    let split = if name.starts_with(SITES) { split } else { "" };
    Err(ConfigError::new(name, format!("has {bytes} bytes; the platform allows at most {MAX_BYTES} in one variable{split}")))
}

fn merge(into: &mut Map<String, Value>, from: Map<String, Value>, key: &str) -> Result<(), ConfigError> {
    for (name, value) in from {
        let key = format!("{key}.{name}");
        match (into.get_mut(&name), value) {
            (Some(Value::Object(there)), Value::Object(more)) => merge(there, more, &key)?,
            (Some(there), value) if *there != value => {
                return Err(ConfigError::not_allowed(key, &value, &format!("one value; another variable says {}", shown(there))));
            }
            (Some(_), _) => {}
            (None, value) => {
                into.insert(name, value);
            }
        }
    }
    Ok(())
}
