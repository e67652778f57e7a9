//! What is wrong with a configuration.

use std::fmt;

/// A configuration error. Displayed as one line.
#[derive(Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Where: `SITES.demo.boards.articles.limit`.
    pub key: String,
    /// What stands there, as JSON; `None` when nothing does.
    pub value: Option<String>,
    pub allowed: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{} = {value} is not allowed; allowed: {}", self.key, self.allowed),
            None => write!(f, "{} is missing; allowed: {}", self.key, self.allowed),
        }
    }
}
