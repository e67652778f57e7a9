//! Errors of a configuration.

use std::fmt::{self, Write};

use serde_json::Value;

/// A configuration error. Displayed as one line, whatever the configuration holds.
#[derive(Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Where: `SITES.demo.boards.articles.limit`.
    key: String,
    /// What is wrong with it, and what is allowed.
    problem: String,
}

impl ConfigError {
    pub(super) fn new(key: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { key: cut(key.into(), MAX_KEY_CHARS), problem: problem.into() }
    }

    /// Of a line that is whole.
    pub(super) fn line(line: &str) -> Self {
        let (key, problem) = line.split_once(' ').unwrap_or((line, ""));
        Self::new(key, problem)
    }

    pub(super) fn missing(key: impl Into<String>, allowed: &str) -> Self {
        Self::new(key, format!("is missing; allowed: {allowed}"))
    }

    pub(super) fn not_allowed(key: impl Into<String>, value: &Value, allowed: &str) -> Self {
        Self::new(key, format!("= {} is not allowed; allowed: {allowed}", shown(value)))
    }

    /// Of a value that is not what is wrong. `why` goes on behind "is not allowed".
    pub(super) fn misplaced(key: impl Into<String>, value: &Value, why: &str) -> Self {
        Self::new(key, format!("= {} is not allowed {why}", shown(value)))
    }

    /// Of a value that may hold a secret.
    pub(super) fn secret_not_allowed(key: impl Into<String>, allowed: &str) -> Self {
        Self::new(key, format!("= (not shown) is not allowed; allowed: {allowed}"))
    }

    /// With what was probably meant.
    pub(super) fn meant(mut self, nearest: Option<&str>) -> Self {
        if let Some(nearest) = nearest {
            self.problem.extend(["; did you mean ", nearest, "?"]);
        }
        self
    }
}

/// Longer than any key that is right.
const MAX_KEY_CHARS: usize = 400;
const MAX_VALUE_CHARS: usize = 200;

/// A value as JSON, cut where it is long.
pub(super) fn shown(value: &Value) -> String {
    cut(value.to_string(), MAX_VALUE_CHARS)
}

fn cut(text: String, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Line and paragraph separators end a line in some viewers.
        let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
        [self.key.as_str(), " ", &self.problem]
            .into_iter()
            .flat_map(str::chars)
            .try_for_each(|c| if breaks(c) { write!(f, "{}", c.escape_default()) } else { f.write_char(c) })
    }
}
