//! Sites that are made while the deployment runs: which there are, for who counts, reads or administers them.
//!
//! The database has them. An isolate believes what it read for a minute, and so does the cache of the data center, from the same instant on. So
//! a change holds everywhere within a minute.
//!
//! # Decisions
//!
//! - A request gets the configuration of the deployment with the one site that it names, so what counts, reads and caches knows nothing of where
//!   a site came from. A scheduled run gets the sites that are due.
//! - The cache has what the database has. A token is 128 random bits, so its digest tells nobody anything; other secrets are derived
//!   and stored nowhere.
//! - A deployment without `SITES_SECRET` asks nothing: each of the functions here begins with that.

mod entered;
pub mod known;
pub mod record;
pub mod sql;

use std::rc::Rc;

use futures_util::future::{Either, select};
use ranking::name::Name;
use ranking::site::Site;
use serde_json::Value;

pub use self::known::{Configured, Serving};
use self::known::{KnownSites, Read};
use self::record::Record;
pub use self::record::{Kind, State};
use super::admission::{Admissions, Over};
use super::agenda::Agenda;
use super::cache::{Entry, Known};
use super::database::{DatabaseError, Row, Statement, Tables};
use super::ports::{Clock, Log, Random, Runtime};
use super::price::Cost;
use super::quota::Usages;
use super::redis::Redis;
use crate::config::{Config, RESERVED, Stored};

/// For so long it is believed what was read.
pub const FRESH_MS: u64 = 60_000;
/// Milliseconds after which no isolate writes for a site that is going: each believes what it read for half of that.
pub const WAIT_MS: i64 = 2 * FRESH_MS.cast_signed();
/// For so long a site is served as it was read last, while the database does not answer.
const KEPT_MS: u64 = 86_400_000;
/// For so long after a failure the database is not asked for a site that can be served as it was.
const REST_MS: u64 = 10_000;
/// A database that takes longer does not answer.
const ANSWER_MS: u32 = 3_000;
/// A request that waits for another one of the isolate looks so often, and so many times.
const LOOK_MS: u32 = 20;
const LOOKS: u32 = 100;
/// Refused sites that are named.
const MOST_REFUSED: u32 = 10;
/// Looking up a name: its row, in the index and in the table.
const LOOK_UP: Cost = Cost::rows(2);

/// Why it is not known whether there is a site.
#[derive(Clone, Debug)]
pub enum Unknown {
    /// The client had too many looked up.
    TooMuch(Over),
    /// The database does not answer, and nothing is remembered.
    Unread(DatabaseError),
}

/// A site that was looked up; `None`: there is none of run time.
pub type Found = Result<Option<Rc<Serving>>, Unknown>;

/// Which sites were made while the deployment runs.
pub struct Sites<'a, R: Runtime> {
    pub redis: Redis<'a, R>,
    pub admission: Admissions<'a, R>,
    pub tables: Tables<'a, R>,
    pub agenda: &'a Agenda,
    pub background: &'a R,
    pub clock: &'a dyn Clock,
    pub config: &'a Config,
    pub edge_cache: &'a R,
    pub known: &'a Rc<KnownSites>,
    pub log: &'a dyn Log,
    pub random: &'a dyn Random,
    pub timer: &'a R,
    pub usages: &'a Usages,
    pub zones: R::KnownZones,
}

impl<R: Runtime> Sites<'_, R> {
    /// The site of a name; `None`: wrangler.toml has it, or there is none.
    ///
    /// 1. The isolate's own copy, if it is of this minute. While one request reads the site, others wait for it.
    /// 2. The copy in the cache of the data center, likewise.
    /// 3. The database. A client whose request is the first of a name pays for that: 429.
    /// 4. While the database does not answer, what was read within a day.
    ///
    /// # Errors
    /// Why it is not known.
    pub async fn find(&self, name: &str) -> Result<Option<Rc<Serving>>, Unknown> {
        let is_asked = self.config.makes_sites() && self.config.sites.get(name).is_none() && name != RESERVED;
        let Some(name) = Name::new(name).filter(|_| is_asked) else { return Ok(None) };
        let now_ms = self.clock.clock_ms();
        let mut held = self.known.get(&name);
        if let Some(serving) = held.as_ref().filter(|held| is_within(held, now_ms, FRESH_MS)) {
            return Ok(Some(Rc::clone(&serving.serving)));
        }
        if self.known.is_missing(&name, now_ms) {
            return Ok(None);
        }
        let mut claimed = self.known.claim(&name, now_ms);
        for _ in 0..LOOKS {
            if claimed {
                break;
            }
            self.timer.sleep_ms(LOOK_MS).await;
            let now_ms = self.clock.clock_ms();
            held = self.known.get(&name);
            if let Some(serving) = held.as_ref().filter(|held| is_within(held, now_ms, FRESH_MS)) {
                return Ok(Some(Rc::clone(&serving.serving)));
            }
            if self.known.is_missing(&name, now_ms) {
                return Ok(None);
            }
            claimed = self.known.claim(&name, now_ms);
        }
        let found = self.read(&name, held).await;
        self.known.release(&name);
        found
    }

    /// Steps 2 to 4 of [`Self::find`].
    async fn read(&self, name: &Name, held: Option<Read>) -> Result<Option<Rc<Serving>>, Unknown> {
        let asked_at_ms = self.clock.clock_ms();
        let cached = self.edge_cache.edge_get(&key_of(name)).await.and_then(|entry| Some((read_entry(&entry)?, entry.asked_at_ms)));
        let cached = cached.map(|(record, at_ms)| Read { serving: self.keep(record, at_ms), asked_at_ms: at_ms });
        // Whichever was read later.
        let held = [held, cached].into_iter().flatten().max_by_key(|read| read.asked_at_ms);
        if let Some(read) = held.as_ref().filter(|read| is_within(read, asked_at_ms, FRESH_MS)) {
            return Ok(Some(Rc::clone(&read.serving)));
        }
        let kept = held.filter(|held| is_within(held, asked_at_ms, KEPT_MS)).map(|held| held.serving);
        if let Some(kept) = kept.as_ref().filter(|_| self.known.rests(asked_at_ms, REST_MS)) {
            return Ok(Some(Rc::clone(kept)));
        }
        if kept.is_none()
            && let Some(nobody) = Name::new(RESERVED).map(Site::new)
            && let Some(over) = self.admission.over_misses(&nobody, LOOK_UP).await
        {
            return Err(Unknown::TooMuch(over));
        }
        match self.query_in_time(&[sql::find(name)]).await {
            Ok(rows) => {
                let Some(row) = rows.into_iter().flatten().next() else {
                    self.known.put_missing(name, asked_at_ms + FRESH_MS);
                    return Ok(None);
                };
                let record = Record::read(&row).ok_or_else(|| Unknown::Unread(unreadable(name)))?;
                if record.state == State::Freed {
                    self.known.put_missing(name, asked_at_ms + FRESH_MS);
                    return Ok(None);
                }
                self.edge_cache.edge_put(&key_of(name), &entry_of(&row, asked_at_ms)).await;
                Ok(Some(self.keep(record, asked_at_ms)))
            }
            Err(error) => {
                self.known.rest_until(self.clock.clock_ms() + REST_MS);
                if kept.is_some() {
                    self.log.log(&serde_json::json!({ "level": "warn", "code": "site-as-read-last", "site": name.as_str(), "detail": error.detail() }));
                }
                kept.map(Some).ok_or(Unknown::Unread(error))
            }
        }
    }

    /// Notes what the database has of the members of a site.
    pub fn note_members(&self, record: &Record) {
        self.usages.note_members(&record.name, record.made_ms, record.members, record.counted_ms);
    }

    /// Keeps what was read.
    fn keep(&self, record: Record, asked_at_ms: u64) -> Rc<Serving> {
        self.note_members(&record);
        let serving = self.known.put(record, asked_at_ms, |record| self.serving(record));
        if serving.configured.is_err() {
            // Upkeep notes that.
            self.enter_named_later(serving.name());
        }
        serving
    }

    /// Asks the database, and does not wait for it for long.
    async fn query_in_time(&self, statements: &[Statement]) -> Result<Vec<Vec<Row>>, DatabaseError> {
        let asked = Box::pin(self.tables.query(statements));
        match select(asked, Box::pin(self.timer.sleep_ms(ANSWER_MS))).await {
            Either::Left((answered, _)) => answered,
            Either::Right(_) => Err(DatabaseError::Failed(format!("the database did not answer within {ANSWER_MS} ms"))),
        }
    }

    /// The sites of some names, as this version of the worker reads them. Notes which of them it refuses.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn served(&self, names: &[&str]) -> Result<Vec<Rc<Serving>>, DatabaseError> {
        let rows = self.tables.query(&[sql::find_all(names)]).await?;
        let read = rows.iter().flatten().filter_map(Record::read).inspect(|record| self.note_members(record));
        let served: Vec<Rc<Serving>> = read.map(|record| Rc::new(self.serving(record))).collect();
        let news: Vec<Statement> =
            served.iter().filter_map(|serving| serving.news()).map(|(record, line)| sql::note_refused(record, line)).collect();
        self.tables.query(&news).await?;
        Ok(served)
    }

    /// Some sites whose configuration this version of the worker refuses, as upkeep saw them last. Those of ten seconds ago are enough.
    pub async fn refused(&self) -> Vec<Name> {
        let now_ms = self.clock.clock_ms();
        if !self.config.makes_sites() {
            return Vec::new();
        }
        if let Some(names) = self.known.refused(now_ms) {
            return names;
        }
        // While the database is out, nobody knows.
        let rows = self.query_in_time(&[sql::list_refused(MOST_REFUSED)]).await.unwrap_or_default();
        let names: Vec<Name> = rows.iter().flatten().filter_map(|row| Name::new(row.get("name")?.as_str()?)).collect();
        self.known.put_refused(&names, now_ms + REST_MS);
        names
    }

    /// A site as this version of the worker reads it.
    pub fn serving(&self, record: Record) -> Serving {
        let value = serde_json::from_slice(record.configuration.as_bytes()).unwrap_or(Value::Null);
        let stored = Stored { name: &record.name, configuration: &value, made_ms: record.made_ms, signs: record.tokens.signs() };
        let configured = match self.config.read_stored(stored, &self.zones) {
            Ok((site, lacks)) => {
                let site = Rc::new(site);
                let config = Rc::new(self.config.with_stored([(&site, &*lacks)]));
                Ok(Configured { config, site, lacks })
            }
            Err(error) => Err(error.to_string()),
        };
        Serving::new(record, configured)
    }

    /// When the last site of a name was gone that is not there now (Unix milliseconds); `None`: there was none lately.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn freed_ms(&self, name: &Name) -> Result<Option<i64>, DatabaseError> {
        let rows = self.tables.query(&[sql::find(name)]).await?;
        let record = rows.iter().flatten().find_map(Record::read);
        Ok(record.filter(|record| record.state == State::Freed).map(|record| record.changed_ms))
    }

    /// Has what was read of a site read anew, here and in this data center.
    pub async fn renew(&self, name: &Name) {
        self.known.forget(name);
        // An empty one is no site.
        self.edge_cache.edge_put(&key_of(name), &entry_of(&Row::new(), 0)).await;
    }
}

fn is_within(read: &Read, now_ms: u64, ms: u64) -> bool {
    now_ms.checked_sub(read.asked_at_ms).is_some_and(|age_ms| age_ms < ms)
}

pub fn unreadable(name: &Name) -> DatabaseError {
    DatabaseError::Failed(format!("what the database has of the site {name} cannot be read"))
}

/// No ranking has such a key: the names of sites have no capitals.
fn key_of(name: &Name) -> String {
    format!("SITE/{name}")
}

fn entry_of(row: &Row, asked_at_ms: u64) -> Entry {
    Entry {
        json: serde_json::to_vec(row).unwrap_or_default().into(),
        version: String::new(),
        asked_at_ms,
        looked_at_ms: asked_at_ms,
        fresh_ms: FRESH_MS,
        ends_in_ms: None,
        complete: true,
        unbuilt: false,
        ahead: false,
        known: Rc::new(Known::default()),
    }
}

fn read_entry(entry: &Entry) -> Option<Record> {
    Record::read(&serde_json::from_slice::<Row>(&entry.json).ok()?)
}
