//! Statements for the relational database, and what they are answered.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

/// The database's clock, in Unix milliseconds.
pub const NOW: &str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/// A statement and what stands for `?1`, `?2`, ….
#[derive(Clone, Debug)]
pub struct Statement {
    pub sql: Cow<'static, str>,
    pub arguments: Vec<Argument>,
}

/// D1 has no numbers but doubles: whole ones are exact to 2^53.
#[derive(Clone, Debug)]
pub enum Argument {
    Text(String),
    Number(f64),
}

/// A row of an answer, by column.
pub type Row = Map<String, Value>;

/// What statements were answered.
#[derive(Debug, Default)]
pub struct Answered {
    /// The rows of each.
    pub lists: Vec<Vec<Row>>,
    /// What the database bills, indexes included.
    pub rows_read: u64,
    pub rows_written: u64,
}

/// Why the database did not answer.
#[derive(Clone, Debug)]
pub enum DatabaseError {
    /// The deployment has none.
    Absent,
    /// Something that is configured needs it or the archive, and it is not bound: the line that names it.
    Missing(String),
    /// For the log: what it said.
    Failed(String),
}

impl Statement {
    pub fn new(sql: impl Into<Cow<'static, str>>, arguments: Vec<Argument>) -> Self {
        Self { sql: sql.into(), arguments }
    }
}

impl Argument {
    /// A JSON list, for `json_each`.
    pub fn list_of<T: Serialize>(texts: &[T]) -> Self {
        Self::Text(serde_json::json!(texts).to_string())
    }
}

impl From<&str> for Argument {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Argument {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u32> for Argument {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl DatabaseError {
    /// For the log.
    pub fn detail(&self) -> &str {
        match self {
            Self::Absent => "the deployment has no database",
            Self::Missing(detail) | Self::Failed(detail) => detail,
        }
    }
}

/// A whole number of a row.
#[expect(clippy::cast_possible_truncation, reason = "instants and counts are whole, and far below 2^53")]
pub fn number(row: &Row, column: &str) -> Option<i64> {
    row.get(column)?.as_f64().map(|number| number as i64)
}
