//! The policy of the caches: what is served from where, and which request asks Redis.
//!
//! # Decisions
//!
//! - Caches in front get the remaining lifetime as `max-age`, and no `Age`, which would be subtracted once more. So all levels
//!   together show nothing later than a second after it was fresh (`Entry::lifetime`).
//! - A revalidation gets a new entry when the held one has less than a second left. Many caches keep whole seconds, and would
//!   hold it for too long. An entry that was fetched so is not itself replaced before its time, which limits the cost.
//! - A ranking that is fresh for long is verified every nine seconds: Redis is given the instant of the last change by hand,
//!   and answers whether it is the same. So hidden and erased members vanish soon, and counted events wait for `fresh`.
//! - An incomplete ranking is cached for 250 ms. So a busy board asks for repair four times a second, not for every reader.
//! - Rankings carry the version of their source and a digest of the site's configuration. A ranking of another configuration is
//!   served only when Redis is out. Of several rankings in one answer, the unchanged ones are read with the others in a second
//!   round trip, so that all can be rendered.
//! - The version in an answer and its `ETag` are another thing: a digest of what is printed, without `generated_at`.

use std::pin::{Pin, pin};
use std::rc::Rc;

use futures_util::future::{Either, select};

use super::key::key;
use super::{Rankings, ReadError, ReadRequest};
use crate::app::admission::Over;
use crate::app::cache::{CacheResult, CachedResponse, Entry, Freshness, Level, Steady};
use crate::app::counters::Series;
use crate::app::ports::Runtime;
use crate::app::price;

/// An entry, and how it was found.
type Found = (Entry, CacheResult);
type Finding = Pin<Box<dyn Future<Output = Result<Found, ReadError>>>>;

/// What there is while a new entry is found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    /// Nothing that may be served while Redis answers, neither here nor in the edge cache.
    Nothing,
    Stale,
    Fresh,
}

/// What became of waiting for another request's fetch.
enum WaitResult {
    /// There is none: this request is to fetch.
    Claimed,
    Fetched(Result<Entry, ReadError>),
    TimedOut,
}

/// How long a request that has nothing to serve waits for another one's fetch before it asks Redis itself, and how often it
/// looks.
const WAIT_MS: u64 = 1_000;
const POLL_MS: u32 = 5;

impl<R: Runtime> Rankings<'_, R> {
    /// 1. A fresh entry of the memory or of the edge cache is served.
    /// 2. A stale one is served while a background request renews it, unless its reader had Redis asked too often. One that is fresh for long is
    ///    looked at in the background likewise.
    /// 3. Who `revalidates` holds a copy of his own, and is likely a cache that will keep what it gets. One such request is given
    ///    a new entry instead of a stale one, or of one that would be stale in its hands.
    /// 4. Otherwise one request asks Redis, while the others of this isolate wait for its entry.
    ///    Who had Redis asked too often is refused, or gets what there is.
    /// 5. When Redis does not answer, or takes much longer than usual, the last entry is served for a day. One of a period that
    ///    has ended is served later: Redis is slowest when periods begin. What Redis answers in the end is for the next reader.
    ///
    /// # Errors
    /// When there is no such period or member, or when Redis does not answer and nothing was ever served.
    pub async fn ranking(&self, request: &ReadRequest, revalidates: bool) -> Result<CachedResponse, ReadError> {
        let key = key(request);
        let now_ms = self.clock.clock_ms();
        let mut spare = None;
        if let Some(entry) = self.memory.get(&key) {
            match offer(entry, Level::Memory, now_ms) {
                Ok(found) => return self.serve(request, &key, found, revalidates, now_ms).await,
                Err(entry) => spare = entry.map(|entry| (entry, Level::Memory)),
            }
        } else if let Some(missing) = self.memory.missing(&key, now_ms) {
            self.counters.add(Series::Reads, request.site.name.as_str(), "missing", 1);
            return Err(missing);
        }
        if let Some(entry) = self.edge_entry(request, &key).await {
            let now_ms = self.clock.clock_ms();
            match offer(entry, Level::Edge, now_ms) {
                Ok((entry, result)) => {
                    let entry = self.memory.put(&key, entry, now_ms);
                    return self.serve(request, &key, (entry, result), revalidates, now_ms).await;
                }
                // Also in memory, where what is held tells Redis what is known.
                Err(Some(entry)) if spare.as_ref().is_none_or(|(held, _)| entry.is_newer_than(held)) => {
                    spare = Some((self.memory.put(&key, entry, now_ms), Level::Edge));
                }
                Err(_) => {}
            }
        }
        let Some((stale, level)) = spare else {
            let found = match self.wait_for_another(&key, WAIT_MS).await {
                WaitResult::Fetched(read) => (read?, CacheResult::Hit(Level::Memory)),
                waited => {
                    self.admit_miss(request, &key, &waited).await.map_err(ReadError::TooMuch)?;
                    self.find(request, &key, Held::Nothing).await?
                }
            };
            return Ok(self.respond(found));
        };
        let now_ms = self.clock.clock_ms();
        let part = self.part_of(request);
        let patience_ms = self.memory.patience_ms(&part, now_ms, stale.is_over(now_ms));
        let out = (stale, CacheResult::StaleIfError(level));
        if self.memory.is_backing_off(&part, now_ms) {
            return Ok(self.respond(out));
        }
        match self.wait_for_another(&key, patience_ms).await {
            WaitResult::Fetched(read) => Ok(self.respond((read?, CacheResult::Hit(Level::Memory)))),
            // Redis keeps the other request waiting; one is enough.
            WaitResult::TimedOut => Ok(self.respond(out)),
            WaitResult::Claimed if self.admit_miss(request, &key, &WaitResult::Claimed).await.is_err() => Ok(self.respond(out)),
            WaitResult::Claimed => self.found_within(self.find(request, &key, Held::Nothing), (&part, patience_ms), out).await,
        }
    }

    /// Lets a read ask Redis, unless its client had it asked too often, or the site has used its quota; then another may claim the fetch.
    ///
    /// # Errors
    /// What it would be too much of.
    async fn admit_miss(&self, request: &ReadRequest, key: &str, waited: &WaitResult) -> Result<(), Over> {
        let Some(over) = self.admission.over_misses(&request.site, price::of_read(request)).await else { return Ok(()) };
        if let WaitResult::Claimed = waited {
            self.memory.release(key);
        }
        Err(over)
    }

    /// Whether who has a copy of his own is to be given a newer entry.
    fn is_due(&self, entry: &Entry, now_ms: u64) -> bool {
        entry.is_due(now_ms) || entry.is_due_for_live(now_ms) && self.client.live().is_some()
    }

    /// The entry of the edge cache, unless this isolate learned since that there is nothing.
    async fn edge_entry(&self, request: &ReadRequest, key: &str) -> Option<Entry> {
        let entry = self.edge_cache.edge_get(key).await.filter(|entry| !self.memory.is_missed_since(key, entry.asked_at_ms));
        entry.map(|entry| entry.for_configuration(&request.site.digest))
    }

    /// Serves what may be served at once, or what replaces it.
    async fn serve(
        &self,
        request: &ReadRequest,
        key: &str,
        found: Found,
        revalidates: bool,
        now_ms: u64,
    ) -> Result<CachedResponse, ReadError> {
        let is_stale = matches!(found.1, CacheResult::Stale(_));
        let is_to_be_renewed = is_stale || found.0.is_to_be_looked_at(now_ms) || revalidates && self.is_due(&found.0, now_ms);
        if is_to_be_renewed
            && !self.memory.is_backing_off(&self.part_of(request), now_ms)
            && self.memory.claim(key, now_ms)
            && self.admit_miss(request, key, &WaitResult::Claimed).await.is_ok()
        {
            let renewal = self.find(request, key, if is_stale { Held::Stale } else { Held::Fresh });
            if revalidates {
                let part = self.part_of(request);
                return self.found_within(renewal, (&part, self.memory.patience_ms(&part, now_ms, false)), found).await;
            }
            // A failure is remembered in the memory; the entry is served on.
            self.later.in_background(async move { drop(renewal.await) });
        }
        let response = Self::respond_at(found, now_ms);
        let steady_ms = response.entry.steady_ms(now_ms);
        let is_steady = response.result == CacheResult::Hit(Level::Memory) && !revalidates && steady_ms > 0;
        let steady = is_steady.then(|| Steady { key: key.to_owned(), from_ms: now_ms, until_ms: now_ms + steady_ms, counted_at: 0 });
        Ok(CachedResponse { steady, ..response })
    }

    fn respond(&self, found: Found) -> CachedResponse {
        Self::respond_at(found, self.clock.clock_ms())
    }

    fn respond_at((entry, result): Found, now_ms: u64) -> CachedResponse {
        let lifetime = entry.lifetime(now_ms);
        CachedResponse { entry, result, lifetime, steady: None }
    }

    /// Claims the fetch, or looks for the entry that another request fetches, or has fetched since this one looked into the
    /// memory. Looking costs a timer of this request's own: a promise of another request must not be waited for.
    async fn wait_for_another(&self, key: &str, wait_ms: u64) -> WaitResult {
        let start_ms = self.clock.clock_ms();
        loop {
            let now_ms = self.clock.clock_ms();
            if let Some(entry) = self.memory.get(key).filter(|entry| entry.is_fresh(now_ms)) {
                return WaitResult::Fetched(Ok(entry));
            }
            if let Some(missing) = self.memory.missing(key, now_ms) {
                return WaitResult::Fetched(Err(missing));
            }
            if self.memory.claim(key, now_ms) {
                return WaitResult::Claimed;
            }
            if now_ms.saturating_sub(start_ms) >= wait_ms {
                return WaitResult::TimedOut;
            }
            while self.memory.is_claimed(key) && self.clock.clock_ms().saturating_sub(start_ms) < wait_ms {
                self.timer.sleep_ms(POLL_MS).await;
            }
        }
    }

    /// What of Redis answers a request, see [`Memory::back_off`](crate::app::memory::Memory::back_off).
    fn part_of(&self, request: &ReadRequest) -> String {
        if !self.redis.is_cluster() {
            return String::new();
        }
        let boards = request.periods().iter().map(|of| of.board.name.as_str());
        [request.site.name.as_str()].into_iter().chain(boards).collect::<Vec<_>>().join("/")
    }

    /// What is found in time. What was held when Redis, or the part that is asked, fails or takes longer: the rest goes on in the background.
    async fn found_within(&self, finding: Finding, (part, ms): (&str, u64), held: Found) -> Result<CachedResponse, ReadError> {
        let time = pin!(self.timer.sleep_ms(u32::try_from(ms).unwrap_or(u32::MAX)));
        match select(finding, time).await {
            Either::Left((Ok(found), _)) => Ok(self.respond(found)),
            Either::Left((Err(ReadError::Failed(_)), _)) => Ok(self.respond(held)),
            Either::Left((Err(missing), _)) => Err(missing),
            Either::Right(((), finding)) => {
                self.memory.back_off(part, self.clock.clock_ms());
                self.later.in_background(async move { drop(finding.await) });
                Ok(self.respond(held))
            }
        }
    }

    /// A new entry: of Redis, or of another isolate of this data center that renewed it already. Fills the caches, and releases the
    /// caller's claim.
    fn find(&self, request: &ReadRequest, key: &str, held: Held) -> Finding {
        let (app, request, key) = (self.later.app(), request.clone(), key.to_owned());
        Box::pin(async move {
            let rankings = app.rankings();
            let start_ms = rankings.clock.clock_ms();
            let others = if held == Held::Nothing { None } else { rankings.edge_entry(&request, &key).await };
            if let Some(entry) =
                others.filter(|entry| entry.is_fresh(start_ms) && !rankings.is_due(entry, start_ms) && !entry.is_to_be_looked_at(start_ms))
            {
                let entry = rankings.memory.put(&key, entry, start_ms);
                rankings.memory.release(&key);
                return Ok((entry, CacheResult::Hit(Level::Edge)));
            }
            let start_ms = rankings.clock.clock_ms();
            let known = rankings.memory.get(&key);
            let looks = known.as_ref().is_some_and(|known| known.is_to_be_looked_at(start_ms));
            let read = rankings.read_shown(&request, known.as_ref(), looks).await;
            rankings.memory.release(&key);
            let now_ms = rankings.clock.clock_ms();
            let renewed = |what| rankings.counters.add(Series::Renewals, request.site.name.as_str(), what, 1);
            renewed("asked");
            if let Err(ReadError::Failed(_)) = &read {
                renewed("failed");
                rankings.memory.back_off(&rankings.part_of(&request), now_ms);
            } else {
                rankings.memory.answered_after(&rankings.part_of(&request), now_ms.saturating_sub(start_ms));
            }
            if looks {
                renewed("looks");
            }
            let mut entry = read.inspect_err(|error| rankings.memory.put_missing(&key, error, start_ms))?;
            if !entry.unbuilt {
                entry.ahead = held == Held::Fresh && !looks;
                entry = rankings.memory.put(&key, entry, now_ms);
                let (cache, put) = (rankings.edge_cache.clone(), entry.clone());
                rankings.later.in_background(async move { cache.edge_put(&key, &put).await });
            }
            let is_unchanged = known.is_some_and(|known| Rc::ptr_eq(&known.json, &entry.json));
            if is_unchanged {
                renewed("unchanged");
            }
            if let Some(line) = rankings.counters.line(now_ms) {
                rankings.log.log(&line);
            }
            Ok((entry, if is_unchanged { CacheResult::Unchanged } else { CacheResult::Miss }))
        })
    }
}

/// An entry that may be served at once; else one that may be served when Redis does not answer.
fn offer(entry: Entry, level: Level, now_ms: u64) -> Result<Found, Option<Entry>> {
    match entry.freshness(now_ms) {
        Freshness::Fresh { .. } => Ok((entry, CacheResult::Hit(level))),
        Freshness::Stale => Ok((entry, CacheResult::Stale(level))),
        Freshness::StaleIfError => Err(Some(entry)),
        Freshness::Expired => Err(None),
    }
}
