//! Deleting the sites that are going: their keys, objects and rows, a chunk after the other. Then their names are free.
//!
//! What is done is noted, and what is noted may be done again. So a run that is killed does no harm, and the next one goes on.
//!
//! Redis knows when a name was freed last, and the database when each was. A Redis that does not know the last time is a backup from before it, and has
//! keys of sites that are gone. These are deleted once more.

use std::collections::BTreeSet;

use engine::adapter::Error;
use ranking::name::Name;
use serve::app::agenda::{Agenda, Resting};
use serve::app::database::{Row, Statement, Tables, number};
use serve::app::failure::Failure;
use serve::app::ports::{Bucket, Clock, Random, Runtime};
use serve::app::redis::Redis;
use serve::app::sites::record::Record;
use serve::app::sites::{WAIT_MS, sql};
use serve::config::Config;

/// For so long nobody else deletes what an owner took: longer than a scheduled run lasts.
const LEASE_MS: i64 = 60_000;
/// While none is going, the database is asked no more often than that.
const LOOK_MS: u64 = 300_000;
/// Sites whose keys are looked for in one scan.
const TOGETHER: u32 = 100;
/// Rows that are deleted by one statement.
const ROWS: u32 = 1_000;
/// Chunks of keys after which it is noted how far the scan is.
const NOTED_EVERY: u32 = 20;

/// Deletes the sites that are going.
pub struct SiteDeletions<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) tables: Tables<'a, R>,
    pub(in crate::app) agenda: &'a Agenda,
    pub(in crate::app) bucket: &'a R,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) random: &'a dyn Random,
}

impl<R: Runtime> SiteDeletions<'_, R> {
    /// Deletes what is due, until about `until_ms`. Answers a line for each failure.
    pub async fn delete_sites_due(&self, until_ms: u64) -> Vec<String> {
        let now_ms = self.clock.clock_ms();
        if !self.config.makes_sites() || self.agenda.rests(&Resting::GoingSites, now_ms) || now_ms >= until_ms {
            return Vec::new();
        }
        match self.delete_sites(until_ms).await {
            Ok(true) => Vec::new(),
            Ok(false) => {
                self.agenda.rest(Resting::GoingSites, now_ms, LOOK_MS);
                Vec::new()
            }
            Err(detail) => vec![format!("sites: {detail}")],
        }
    }

    /// 1. Take the sites that went long enough ago, which no other run has.
    /// 2. Delete their keys in Redis, in one scan for all of them. A scan that found some is done once more.
    /// 3. Delete the objects of each, then its rows.
    /// 4. Free its name.
    /// 5. Have those deleted once more that are gone, and of which Redis has keys since a backup was loaded.
    ///
    /// Answers whether any is going.
    async fn delete_sites(&self, until_ms: u64) -> Result<bool, String> {
        let (owner, now_ms) = (self.random.token(), self.clock.edge_ms());
        let take = sql::take(&owner, (now_ms, now_ms - WAIT_MS, now_ms + LEASE_MS), TOGETHER);
        let answers = self.query(&[sql::any_going(), take, sql::forget_freed(now_ms - self.kept_ms()), sql::last_freed()]).await?;
        let [going, taken, _, freed] = &answers[..] else { return Ok(false) };
        let mut records: Vec<Record> = taken.iter().filter_map(Record::read).collect();
        let result = self.delete_taken(&mut records, &owner, until_ms).await;
        if !records.is_empty() {
            self.query(&[sql::release(&owner)]).await?;
        }
        result?;
        let came_back = match freed.first().and_then(|row| number(row, "at")) {
            Some(freed_ms) => self.delete_again(freed_ms).await?,
            None => false,
        };
        Ok(came_back || !going.is_empty())
    }

    /// Has sites deleted once more that were freed after the last time of which Redis knows. Answers whether there are any.
    async fn delete_again(&self, last_ms: i64) -> Result<bool, String> {
        let known_ms = self.redis.read(async |store| store.freed_ms().await).await.map_err(|error| Failure::of_read(&error).detail)?;
        let came_back = known_ms < last_ms;
        if came_back {
            self.query(&[sql::delete_again(known_ms)]).await?;
        }
        Ok(came_back)
    }

    async fn delete_taken(&self, records: &mut [Record], owner: &str, until_ms: u64) -> Result<(), String> {
        let (mut out, mut inside): (Vec<&mut Record>, Vec<&mut Record>) =
            records.iter_mut().partition(|record| record.deleted.is_out_of_redis);
        self.delete_keys(&mut inside, owner, until_ms).await?;
        out.extend(inside.into_iter().filter(|record| record.deleted.is_out_of_redis));
        for record in out {
            let is_over = self.delete_objects(record, owner, until_ms).await? && self.delete_rows(record, owner, until_ms).await?;
            if !is_over {
                return Ok(());
            }
            let now_ms = self.clock.edge_ms();
            let noted = self.redis.repeat(async |store| store.note_freed(now_ms).await).await;
            noted.map_err(|error| Failure::of_write(&error).detail)?;
            self.query(&[sql::free(&record.name, owner, now_ms)]).await?;
        }
        Ok(())
    }

    /// Deletes keys, and notes which sites have none any more.
    async fn delete_keys(&self, records: &mut [&mut Record], owner: &str, until_ms: u64) -> Result<(), String> {
        let Some(first) = records.first() else { return Ok(()) };
        let failed = |error: Error| error.to_string();
        let store = self.redis.store().map_err(failed)?;
        // Those that came later begin the scan anew.
        let is_same = records.iter().all(|record| record.deleted.cursor == first.deleted.cursor);
        let mut cursor = if is_same && !first.deleted.cursor.is_empty() { first.deleted.cursor.clone() } else { "0".into() };
        let names: BTreeSet<String> = records.iter().map(|record| record.name.to_string()).collect();
        // A cursor means nothing to another server, so a scan that goes on after a while is done once more.
        let needed = if cursor == "0" { 1 } else { 2 };
        let mut chunks = 0;
        loop {
            let (next, deleted) = store.delete_keys_of_sites(&names, &cursor).await.map_err(failed)?;
            for record in records.iter_mut() {
                let keys = deleted.get(record.name.as_str()).copied().unwrap_or_default();
                record.deleted.keys += keys;
                record.deleted.of_scan += keys;
            }
            chunks += 1;
            let is_end = next.is_none();
            cursor = next.unwrap_or_default();
            let is_late = self.clock.clock_ms() >= until_ms;
            if !is_end && !is_late && chunks % NOTED_EVERY != 0 {
                continue;
            }
            for record in records.iter_mut() {
                let deleted = &mut record.deleted;
                if is_end {
                    deleted.clean_scans = if deleted.of_scan == 0 { deleted.clean_scans + 1 } else { 0 };
                    deleted.is_out_of_redis = deleted.clean_scans >= needed;
                    deleted.of_scan = 0;
                }
                deleted.cursor.clone_from(&cursor);
            }
            let notes: Vec<Statement> = records.iter().map(|record| sql::note(record, owner)).collect();
            self.query(&notes).await?;
            if is_late || (is_end && records.iter().all(|record| record.deleted.is_out_of_redis)) {
                return Ok(());
            }
            if is_end {
                cursor = "0".into();
            }
        }
    }

    /// Deletes objects of the archive. Answers whether none is left.
    async fn delete_objects(&self, record: &mut Record, owner: &str, until_ms: u64) -> Result<bool, String> {
        let Some(bucket) = self.bucket.bucket() else { return Ok(true) };
        let prefix = format!("{}/{}/", self.config.key_prefix, record.name);
        loop {
            let names = bucket.list(&prefix, "").await?;
            if names.is_empty() {
                return Ok(true);
            }
            bucket.delete(&names).await?;
            record.deleted.objects += names.len() as u64;
            self.query(&[sql::note(record, owner)]).await?;
            if self.clock.clock_ms() >= until_ms {
                return Ok(false);
            }
        }
    }

    /// Deletes rows of the database. Answers whether none is left.
    async fn delete_rows(&self, record: &mut Record, owner: &str, until_ms: u64) -> Result<bool, String> {
        let name: Name = record.name.clone();
        loop {
            let deletes: Vec<Statement> = sql::TABLES.iter().map(|table| sql::delete_rows(table, &name, ROWS)).collect();
            let rows = self.query(&deletes).await?.iter().map(Vec::len).sum::<usize>() as u64;
            if rows == 0 {
                return Ok(true);
            }
            record.deleted.rows += rows;
            self.query(&[sql::note(record, owner)]).await?;
            if self.clock.clock_ms() >= until_ms {
                return Ok(false);
            }
        }
    }

    /// For so long a queue may have messages of a site that is gone.
    fn kept_ms(&self) -> i64 {
        i64::from(self.config.queue_retention_s) * 1_000 + WAIT_MS
    }

    async fn query(&self, statements: &[Statement]) -> Result<Vec<Vec<Row>>, String> {
        self.tables.query(statements).await.map_err(|error| error.detail().to_owned())
    }
}
