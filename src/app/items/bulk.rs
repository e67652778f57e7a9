//! Many items or actors at once: newline-delimited JSON, one of them on each line.

use serde_json::{Map, Value, json};

use super::{Details, Kind, kept, sql};
use crate::app::database::DatabaseError;
use crate::app::{App, Runtime};
use crate::ingest::not_allowed;
use crate::ranking::name::{Id, Name};

/// Bytes of a body. The statement holds it once more, and D1 takes 2 MB of text.
pub const MAX_BULK: usize = 1 << 20;
/// Lines of a body: rows that one statement writes.
pub const MAX_LINES: usize = 5_000;

/// What became of the lines.
#[derive(Debug)]
pub struct Bulk {
    /// Lines that are in the database now.
    pub accepted: Vec<Id>,
    /// Those among them that were new, or said something else than before.
    pub changed: usize,
    pub rejected: Vec<BulkRefusal>,
}

/// A line that was left out.
#[derive(Debug)]
pub struct BulkRefusal {
    /// The first is 1.
    pub line: usize,
    /// For people.
    pub detail: String,
}

impl<R: Runtime> App<R> {
    /// Makes or replaces what is known of many, each line `{ "id": …, … }`. Lines that are not allowed are left out. Of lines with
    /// one id the last one holds.
    ///
    /// # Errors
    /// When the database does not answer; it may be done. Doing it again does no harm.
    pub async fn describe_all(&self, site: &Name, kind: Kind, body: &str) -> Result<Bulk, DatabaseError> {
        let (mut accepted, mut rows, mut rejected) = (Vec::new(), Vec::new(), Vec::new());
        for (i, line) in body.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match read(kind, line) {
                Ok((id, details)) => {
                    let (json, revision) = kept(&details)?;
                    rows.push(json!([id.as_str(), json, revision]));
                    accepted.push(id);
                }
                Err(detail) => rejected.push(BulkRefusal { line: i + 1, detail }),
            }
        }
        let answer = self.query(&[sql::write_all(site, kind, Value::Array(rows).to_string())]).await?;
        Ok(Bulk { accepted, changed: answer.first().map_or(0, Vec::len), rejected })
    }
}

/// A line: an id and the details beside it.
fn read(kind: Kind, line: &str) -> Result<(Id, Details), String> {
    let line: Value = serde_json::from_slice(line.as_bytes()).map_err(|error| format!("the line is not JSON: {error}"))?;
    let Value::Object(mut line) = line else { return Err("the line is not an object".into()) };
    let id = take_id(&mut line)?.ok_or_else(|| not_allowed("id", None, Id::ALLOWED))?;
    Ok((id, Details::read(kind, &line)?))
}

/// Takes the id out of an object; `None` where there is none.
///
/// # Errors
/// For people: what is no id.
pub fn take_id(object: &mut Map<String, Value>) -> Result<Option<Id>, String> {
    let id = object.remove("id").filter(|id| !id.is_null());
    let read = |id: Value| id.as_str().and_then(Id::new).ok_or_else(|| not_allowed("id", Some(&id), Id::ALLOWED));
    id.map(read).transpose()
}
