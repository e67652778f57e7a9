//! Documents about a site that lie beside Redis: in the database or, without one, in the archive's store.

use std::collections::BTreeSet;

use ranking::site::Site;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serve::app::database::{Argument, DatabaseError, Row, Statement, Tables, number};
use serve::app::ports::{Bucket, Runtime, Tagged};
use serve::config::Config;

/// A document, and what tells this version from others.
#[derive(Clone, Debug, Default)]
pub(in crate::app) struct Document<T> {
    pub(in crate::app) value: T,
    /// Empty where there is none yet.
    pub(super) tag: String,
}

impl<T> Document<T> {
    pub(super) fn is_new(&self) -> bool {
        self.tag.is_empty()
    }
}

/// The documents of sites that lie beside Redis.
pub struct Documents<'a, R> {
    pub(in crate::app) tables: Tables<'a, R>,
    pub(in crate::app) bucket: &'a R,
    pub(in crate::app) config: &'a Config,
}

impl<R: Runtime> Documents<'_, R> {
    /// Whether there is a place beside Redis.
    pub(in crate::app) fn has_documents(&self) -> bool {
        self.tables.is_bound() || self.bucket.bucket().is_some()
    }

    /// The bucket, where documents are without a database.
    fn objects(&self) -> Result<&R::Bucket, String> {
        self.bucket.bucket().ok_or_else(|| "there is no bucket".into())
    }

    /// A document of a site.
    pub(super) async fn document<T: DeserializeOwned + Default>(&self, site: &Site, name: &str) -> Result<Document<T>, String> {
        let (json, tag) = if self.tables.is_bound() {
            let select = "SELECT revision, document FROM state_documents WHERE prefix = ?1 AND site = ?2 AND name = ?3";
            let answer = self.tables.query(&[Statement::new(select, self.address(site, name))]).await.map_err(failed)?;
            let Some(row) = answer.first().and_then(|rows| rows.first()) else { return Ok(Document::default()) };
            let json = row.get("document").and_then(serde_json::Value::as_str).unwrap_or_default();
            (json.as_bytes().to_vec(), number(row, "revision").unwrap_or_default().to_string())
        } else {
            match self.objects()?.find(&self.object_of_document(site, name)).await? {
                Some(Tagged { bytes, tag }) => (bytes, tag),
                None => return Ok(Document::default()),
            }
        };
        let value = serde_json::from_slice(&json).map_err(|error| format!("{name} of the site {}: {error}", site.name))?;
        Ok(Document { value, tag })
    }

    /// Writes a document. `false` where somebody else did so since it was read.
    pub(super) async fn put_document<T: Serialize>(&self, site: &Site, name: &str, document: &Document<T>) -> Result<bool, String> {
        let json = serde_json::to_string(&document.value).map_err(|error| error.to_string())?;
        if !self.tables.is_bound() {
            return self.objects()?.replace(&self.object_of_document(site, name), json, &document.tag).await;
        }
        let upsert = "INSERT INTO state_documents (prefix, site, name, revision, document) VALUES (?1, ?2, ?3, 1, ?5) ON CONFLICT \
                      DO UPDATE SET revision = revision + 1, document = excluded.document WHERE revision = ?4 RETURNING revision";
        let mut arguments = self.address(site, name);
        arguments.extend([Argument::Number(document.tag.parse().unwrap_or(0.0)), json.into()]);
        let answer = self.tables.query(&[Statement::new(upsert, arguments)]).await.map_err(failed)?;
        Ok(answer.first().is_some_and(|rows| !rows.is_empty()))
    }

    /// Which of some documents have a text somewhere; `None` where that cannot be asked for at once, as of a bucket.
    pub(super) async fn documents_with(&self, site: &Site, names: &[String], text: &str) -> Result<Option<BTreeSet<String>>, String> {
        if !self.tables.is_bound() {
            return Ok(None);
        }
        let select = "SELECT name FROM state_documents WHERE prefix = ?1 AND site = ?2 AND name IN (SELECT value FROM json_each(?3)) \
                      AND instr(document, ?4) > 0";
        let names = serde_json::to_string(names).map_err(|error| error.to_string())?;
        let text = serde_json::to_string(text).map_err(|error| error.to_string())?;
        let mut arguments = self.address(site, &names);
        arguments.push(text.into());
        let answer = self.tables.query(&[Statement::new(select, arguments)]).await.map_err(failed)?;
        let name = |row: &Row| Some(row.get("name")?.as_str()?.to_owned());
        Ok(Some(answer.first().into_iter().flatten().filter_map(name).collect()))
    }

    /// The first name of a document that the database has behind a text, and that ends so behind a slash.
    pub(super) async fn name_behind(&self, site: &Site, behind: &str, end: &str) -> Result<Option<String>, String> {
        if !self.tables.is_bound() {
            return Ok(None);
        }
        let select =
            "SELECT name FROM state_documents WHERE prefix = ?1 AND site = ?2 AND name > ?3 AND name LIKE '%/' || ?4 ORDER BY name LIMIT 1";
        let mut arguments = self.address(site, behind);
        arguments.push(end.into());
        let answer = self.tables.query(&[Statement::new(select, arguments)]).await.map_err(failed)?;
        Ok(answer.first().and_then(|rows| rows.first()).and_then(|row| Some(row.get("name")?.as_str()?.to_owned())))
    }

    /// Takes up to a thousand documents away, as many as a bucket takes at once.
    pub(super) async fn delete_documents(&self, site: &Site, names: &[String]) -> Result<(), String> {
        if !self.tables.is_bound() {
            let objects: Vec<String> = names.iter().map(|name| self.object_of_document(site, name)).collect();
            return self.objects()?.delete(&objects).await;
        }
        let delete = "DELETE FROM state_documents WHERE prefix = ?1 AND site = ?2 AND name IN (SELECT value FROM json_each(?3))";
        let names = serde_json::to_string(names).map_err(|error| error.to_string())?;
        self.tables.query(&[Statement::new(delete, self.address(site, &names))]).await.map(drop).map_err(failed)
    }

    fn address(&self, site: &Site, name: &str) -> Vec<Argument> {
        vec![site.prefix(self.config.key_prefix.as_str(), '/').into_owned().into(), site.name.as_str().into(), name.into()]
    }

    /// Beside the folders of the archive, whose names have no points.
    fn object_of_document(&self, site: &Site, name: &str) -> String {
        format!("{}/{}/{name}.json", site.prefix(self.config.key_prefix.as_str(), '/'), site.name)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "of a closure's shape")]
pub(super) fn failed(error: DatabaseError) -> String {
    error.detail().to_owned()
}
