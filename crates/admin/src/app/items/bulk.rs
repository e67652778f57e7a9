//! Many items or actors at once: newline-delimited JSON, one of them on each line.

use std::collections::BTreeSet;

use ranking::name::Id;
use ranking::site::Site;
use serde_json::{Map, Value, json};
use serve::app::failure::Failure;
use serve::app::ports::Runtime;
use serve::ingest::not_allowed;

use super::{Details, Items, Kind, Unfinished, kept, sql};

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

impl<R: Runtime> Items<'_, R> {
    /// Makes or replaces what is known of many, each line `{ "id": …, … }`. Lines that are not allowed are left out, and those with a category
    /// that there is no room for. Of lines with
    /// one id the last one holds.
    ///
    /// # Errors
    /// When Redis or the database does not answer; it may be done. Doing it again does no harm.
    pub async fn describe_all(&self, site: &Site, kind: Kind, body: &str) -> Result<Bulk, Unfinished> {
        let lines = body.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let lines: Vec<_> = lines.map(|(i, line)| (i + 1, read(kind, line))).collect();
        let without = self.without_section(site, kind, lines.iter().filter_map(|(_, read)| read.as_ref().ok().map(|(_, details)| details)));
        let without = without.await.map_err(Unfinished::Redis)?;
        let (mut accepted, mut rows, mut rejected) = (Vec::new(), Vec::new(), Vec::new());
        for (line, read) in lines {
            let refused = |detail| BulkRefusal { line, detail };
            match read {
                Ok((_, details)) if details.get("category").is_some_and(|category| without.contains(category)) => {
                    rejected.push(refused("the category has no section, and there is no room for one: max_sections is reached".into()));
                }
                Ok((id, details)) => {
                    let (json, revision) = kept(&details).map_err(Unfinished::Database)?;
                    rows.push(json!([id.as_str(), json, revision]));
                    accepted.push(id);
                }
                Err(detail) => rejected.push(refused(detail)),
            }
        }
        let write = sql::write_all(&site.name, kind, Value::Array(rows).to_string());
        let answer = self.change_details(&[write]).await.map_err(Unfinished::Database)?;
        Ok(Bulk { accepted, changed: answer.first().map_or(0, Vec::len), rejected })
    }

    /// Makes boards for the sections that items will be in. Answers the categories that there is no room for.
    async fn without_section<'d>(
        &self,
        site: &Site,
        kind: Kind,
        details: impl Iterator<Item = &'d Details>,
    ) -> Result<Vec<Value>, Failure> {
        let categories: BTreeSet<&str> = details.filter_map(|details| details.get("category")?.as_str()).collect();
        if kind == Kind::Actor || self.catalog.open_sections(site, categories.iter().copied()).await?.is_ok() {
            return Ok(Vec::new());
        }
        let mut without = Vec::new();
        for category in categories {
            if self.catalog.open_sections(site, [category].into_iter()).await?.is_err() {
                without.push(category.into());
            }
        }
        Ok(without)
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
