//! What the database says of items, noted in Redis where counting asks for it: their categories and authors.
//!
//! It is noted with each write. What was missed, since the worker was gone or Redis was empty, is noted by the scheduled run, which reads
//! what was written since the last one.

use serde_json::Value;

use super::{Unfinished, sql};
use crate::adapter::Error;
use crate::app::database::Row;
use crate::app::{App, Failure, Runtime};
use crate::ranking::name::Id;
use crate::ranking::site::Site;
use crate::store::facts::{Noted, Progress};

/// Items that are read at once.
const PAGE: u32 = 500;

impl<R: Runtime> App<R> {
    /// Notes what the database says of items now, where the site asks.
    ///
    /// # Errors
    /// Why it may not be noted; the scheduled run does so. Doing it again does no harm.
    pub async fn file(&self, site: &Site, ids: &[&Id]) -> Result<(), Unfinished> {
        if !site.asks_facts() || ids.is_empty() {
            return Ok(());
        }
        let answer = self.query(&[sql::filed(&site.name, ids)]).await.map_err(Unfinished::Database)?;
        let noted: Vec<Noted> = answer.iter().flatten().filter_map(read).collect();
        self.note_facts(site, &noted, None).await.map_err(Unfinished::Redis)
    }

    /// Notes what was written since the last run, for the scheduled one. Answers a line for what is left.
    pub async fn file_due(&self, until_ms: u64) -> Vec<String> {
        let mut left = Vec::new();
        for site in self.config.sites.values().filter(|site| site.asks_facts() && self.runtime.has_database()) {
            if let Err(why) = self.file_written(site, until_ms).await {
                left.push(format!("{}: what items belong to: {}", site.name, why.detail()));
            }
        }
        left
    }

    async fn file_written(&self, site: &Site, until_ms: u64) -> Result<(), Unfinished> {
        let read_progress = self.read_store(async |store| store.filed_until(site).await).await;
        let mut progress = read_progress.map_err(|error: Error| Unfinished::Redis(Failure::of_read(&error)))?;
        loop {
            let answer = self.query(&[sql::written_since(&site.name, &progress, PAGE)]).await.map_err(Unfinished::Database)?;
            let noted: Vec<Noted> = answer.iter().flatten().filter_map(read).collect();
            let Some(last) = noted.last() else { return Ok(()) };
            progress = Progress { at_ms: last.at_ms, item: last.item.as_str().into() };
            let mut without = None;
            for noted in &noted {
                let opened = self.open_sections(site, [noted.category.as_str()].into_iter()).await.map_err(Unfinished::Redis)?;
                without = without.or(opened.err());
            }
            self.note_facts(site, &noted, Some(&progress)).await.map_err(Unfinished::Redis)?;
            if let Some(board) = without {
                return Err(Unfinished::NoSection(board));
            }
            if noted.len() < PAGE as usize || self.runtime.clock_ms() >= until_ms {
                return Ok(());
            }
        }
    }
}

fn read(row: &Row) -> Option<Noted> {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    #[expect(clippy::cast_possible_truncation, reason = "milliseconds of this age are whole, and far below 2^53")]
    let at_ms = row.get("updated_at")?.as_f64()? as i64;
    let [category, author] = ["category", "author"].map(|name| text(name).unwrap_or_default().to_owned());
    Some(Noted { item: Id::kept(text("id")?)?, at_ms, category, author })
}
