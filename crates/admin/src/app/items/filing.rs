//! What the database says of items, noted in Redis where counting asks for it: their categories and authors.
//!
//! It is noted with each write. What was missed, since the worker was gone or Redis was empty, is noted by the scheduled run, which reads
//! what was written since the last one.

use engine::adapter::Error;
use engine::store::facts::{Noted, Progress};
use ranking::facts::Facts;
use ranking::name::Id;
use ranking::site::Site;
use serde_json::Value;
use serve::app::database::Row;
use serve::app::failure::Failure;
use serve::app::ports::Runtime;

use super::alias::sql::begin_again;
use super::{Items, Unfinished, sql};

/// Items that are read at once.
const PAGE: u32 = 500;

impl<R: Runtime> Items<'_, R> {
    /// Notes what the database says of items now, where the site asks.
    ///
    /// # Errors
    /// Why it may not be noted; the scheduled run does so. Doing it again does no harm.
    pub async fn file(&self, site: &Site, ids: &[&Id]) -> Result<(), Unfinished> {
        if !site.asks_facts() || ids.is_empty() {
            return Ok(());
        }
        let answer = self.tables.query(&[sql::filed(&site.name, ids)]).await.map_err(Unfinished::Database)?;
        let noted = self.read_written(site, answer.iter().flatten()).await?;
        self.catalog.note_facts(site, &noted, None).await.map_err(Unfinished::Redis)
    }

    /// What is to be noted by rows of the database. What became an item that moved is to become it on its new boards too, which the
    /// scheduled run sees to.
    async fn read_written<'r>(&self, site: &Site, rows: impl Iterator<Item = &'r Row>) -> Result<Vec<Noted>, Unfinished> {
        let (mut noted, mut aliases): (Vec<Noted>, Vec<Noted>) = (Vec::new(), Vec::new());
        for row in rows {
            let Some(read) = read(row) else { continue };
            if row.get("is_alias").and_then(Value::as_f64) == Some(1.0) {
                aliases.push(read.clone());
            }
            noted.push(read);
        }
        if !aliases.is_empty() {
            let names: Vec<&Id> = aliases.iter().map(|alias| &alias.item).collect();
            let known = self.redis.read(async |store| store.facts(site, &names).await).await;
            let known = known.map_err(|error: Error| Unfinished::Redis(Failure::of_read(&error)))?;
            let has_moved = |alias: &Noted, facts: &Facts| {
                alias.category != facts.category.as_deref().unwrap_or_default()
                    || alias.author != facts.author.as_ref().map_or("", |credit| credit.author.as_str())
            };
            let moved: Vec<&Id> =
                aliases.iter().zip(&known).filter(|(alias, facts)| has_moved(alias, facts)).map(|(alias, _)| &alias.item).collect();
            if !moved.is_empty() {
                self.tables.query(&[begin_again(&site.name, &moved)]).await.map_err(Unfinished::Database)?;
            }
        }
        Ok(noted)
    }

    /// Notes what was written since the last run, for the scheduled one. Answers a line for what is left.
    pub async fn file_due(&self, until_ms: u64) -> Vec<String> {
        let mut remaining = Vec::new();
        for site in self.config.sites.values().filter(|site| site.asks_facts() && self.tables.is_bound()) {
            if let Err(why) = self.file_written(site, until_ms).await {
                remaining.push(format!("{}: what items belong to: {}", site.name, why.detail()));
            }
        }
        remaining
    }

    async fn file_written(&self, site: &Site, until_ms: u64) -> Result<(), Unfinished> {
        let read_progress = self.redis.read(async |store| store.filed_until(site).await).await;
        let mut progress = read_progress.map_err(|error: Error| Unfinished::Redis(Failure::of_read(&error)))?;
        loop {
            let answer = self.tables.query(&[sql::written_since(&site.name, &progress, PAGE)]).await.map_err(Unfinished::Database)?;
            let noted = self.read_written(site, answer.iter().flatten()).await?;
            let Some(last) = noted.last() else { return Ok(()) };
            progress = Progress { at_ms: last.at_ms, item: last.item.as_str().into() };
            let mut without = None;
            for noted in &noted {
                let opened = self.catalog.open_sections(site, [noted.category.as_str()].into_iter()).await.map_err(Unfinished::Redis)?;
                without = without.or(opened.err());
            }
            self.catalog.note_facts(site, &noted, Some(&progress)).await.map_err(Unfinished::Redis)?;
            if let Some(board) = without {
                return Err(Unfinished::NoSection(board));
            }
            if noted.len() < PAGE as usize || self.clock.clock_ms() >= until_ms {
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
