//! The configuration: from the variables of wrangler.toml to sites that cannot be wrong.
//!
//! Reading stops at the first error, which is named with its key, its value and what is allowed.

mod board;
mod error;
mod node;
mod rule;
mod site;
#[cfg(test)]
mod tests;
mod variables;
mod window;

use std::rc::Rc;

use serde_json::{Map, Value};

pub use self::error::ConfigError;
use self::node::Node;
use self::site::read_site;
use self::variables::merge;
use crate::ranking::name::Named;
use crate::ranking::site::Site;

/// Every site of a deployment.
#[derive(Debug)]
pub struct Config {
    pub sites: Named<Rc<Site>>,
}

impl Config {
    /// Reads the variables whose name begins with `SITES` and that hold objects. `knows_zone` tells whether the runtime
    /// knows a time zone.
    ///
    /// # Errors
    /// The first error.
    pub fn read(variables: impl IntoIterator<Item = (String, Value)>, knows_zone: impl Fn(&str) -> bool) -> Result<Self, ConfigError> {
        let mut merged = Map::new();
        for (name, value) in variables {
            if let (true, Value::Object(object)) = (name.starts_with("SITES"), value) {
                merge(&mut merged, object, &name)?;
            }
        }
        let sites = Node { key: "SITES".into(), value: &Value::Object(merged) }
            .named(|name, site| read_site(name, site, &knows_zone).map(Rc::new))?;
        Ok(Self { sites })
    }
}
