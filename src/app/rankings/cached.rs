//! The policy of the caches: what is served from where, and who asks Redis.

use std::pin::pin;

use futures_util::future::{Either, select};

use super::key::key;
use super::{ReadError, ReadRequest};
use crate::app::cache::{Entry, Freshness, Level};
use crate::app::{App, Runtime};

/// A ranking and where it came from.
#[derive(Debug)]
pub struct CachedResponse {
    pub entry: Entry,
    pub result: CacheResult,
    /// Milliseconds for which it stays fresh; 0 when it is stale.
    pub fresh_ms: u64,
    /// Milliseconds since Redis was asked.
    pub age_ms: u64,
}

/// What the caches did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheResult {
    /// Fresh from a cache.
    Hit(Level),
    /// From Redis.
    Miss,
    /// Stale from a cache, while it is being renewed.
    Stale(Level),
    /// Stale from a cache, because Redis does not answer.
    StaleIfError(Level),
}

/// What became of waiting for another request's fetch.
enum WaitResult {
    /// There is none: this request is to fetch.
    Claimed,
    Fetched(Entry),
    TimedOut,
}

/// How long a request that has nothing to serve waits for another one's fetch before it asks Redis itself, and how often it
/// looks.
const WAIT_MS: u64 = 1_000;
const POLL_MS: u32 = 5;

impl<R: Runtime> App<R> {
    /// 1. A fresh entry of the memory or of the edge cache is served.
    /// 2. A stale one is served while a background request renews it.
    /// 3. Otherwise one request asks Redis, while the others of this isolate wait for its entry.
    /// 4. When Redis does not answer, or takes much longer than usual, the last entry is served for a day. What Redis answers
    ///    in the end is for the next reader.
    ///
    /// # Errors
    /// When there is no such period, or when Redis does not answer and nothing was ever served.
    pub async fn ranking(&self, request: &ReadRequest) -> Result<CachedResponse, ReadError> {
        let key = key(request);
        let mut stale_if_error = None;
        if let Some(entry) = self.memory.get(&key) {
            match self.offer(request, &key, entry, Level::Memory) {
                Ok(response) => return Ok(response),
                Err(entry) => stale_if_error = entry.map(|entry| (entry, Level::Memory)),
            }
        }
        if let Some(entry) = self.runtime.edge_get(&key).await {
            let entry = entry.for_configuration(&request.site.digest);
            match self.offer(request, &key, entry, Level::Edge) {
                Ok(response) => {
                    self.memory.put(&key, response.entry.clone());
                    return Ok(response);
                }
                Err(Some(entry)) if stale_if_error.as_ref().is_none_or(|(held, _)| held.asked_at_ms < entry.asked_at_ms) => {
                    self.memory.put(&key, entry.clone());
                    stale_if_error = Some((entry, Level::Edge));
                }
                Err(_) => {}
            }
        }
        if let Some((entry, level)) = stale_if_error.take_if(|_| self.memory.is_backing_off(self.runtime.clock_ms())) {
            return Ok(self.respond(entry, CacheResult::StaleIfError(level)));
        }
        let Some((stale, level)) = stale_if_error else {
            return match self.wait_for_another(&key, WAIT_MS).await {
                WaitResult::Fetched(entry) => Ok(self.respond(entry, CacheResult::Hit(Level::Memory))),
                WaitResult::Claimed | WaitResult::TimedOut => Ok(self.respond(self.fetch(request, &key).await?, CacheResult::Miss)),
            };
        };
        let patience_ms = self.memory.patience_ms(self.runtime.clock_ms());
        let fetched = match self.wait_for_another(&key, patience_ms).await {
            WaitResult::Fetched(entry) => return Ok(self.respond(entry, CacheResult::Hit(Level::Memory))),
            // Redis keeps the other request waiting; one is enough.
            WaitResult::TimedOut => None,
            WaitResult::Claimed => self.fetch_within(request, &key, patience_ms).await,
        };
        match fetched {
            Some(Ok(entry)) => Ok(self.respond(entry, CacheResult::Miss)),
            None | Some(Err(ReadError::Failed(_))) => Ok(self.respond(stale, CacheResult::StaleIfError(level))),
            Some(Err(error)) => Err(error),
        }
    }

    /// Serves an entry that may be served at once; else gives back one that may be served when Redis does not answer.
    fn offer(&self, request: &ReadRequest, key: &str, entry: Entry, level: Level) -> Result<CachedResponse, Option<Entry>> {
        match entry.freshness(self.runtime.clock_ms()) {
            Freshness::Fresh { .. } => Ok(self.respond(entry, CacheResult::Hit(level))),
            Freshness::Stale => {
                self.renew(request, key);
                Ok(self.respond(entry, CacheResult::Stale(level)))
            }
            Freshness::StaleIfError => Err(Some(entry)),
            Freshness::Gone => Err(None),
        }
    }

    fn respond(&self, entry: Entry, result: CacheResult) -> CachedResponse {
        let now_ms = self.runtime.clock_ms();
        let fresh_ms = match entry.freshness(now_ms) {
            Freshness::Fresh { left_ms } => left_ms,
            _ => 0,
        };
        CachedResponse { age_ms: now_ms.saturating_sub(entry.asked_at_ms), entry, result, fresh_ms }
    }

    /// Renews an entry in the background, unless another request does so or Redis failed a moment ago.
    fn renew(&self, request: &ReadRequest, key: &str) {
        let now_ms = self.runtime.clock_ms();
        if self.memory.is_backing_off(now_ms) || !self.memory.claim(key, now_ms) {
            return;
        }
        let (app, request, key) = (self.clone(), request.clone(), key.to_owned());
        self.runtime.in_background(async move {
            // Another isolate of this data center may have been faster.
            match app.runtime.edge_get(&key).await {
                Some(entry) if matches!(entry.freshness(app.runtime.clock_ms()), Freshness::Fresh { .. }) => {
                    app.memory.put(&key, entry);
                    app.memory.release(&key);
                }
                // A failure is remembered in the memory; the entry is served on.
                _ => drop(app.fetch(&request, &key).await),
            }
        });
    }

    /// Claims the fetch, or looks for the entry that another request fetches, or has fetched since this one looked into the
    /// memory. Looking costs a timer of this request's own: a promise of another request must not be waited for.
    async fn wait_for_another(&self, key: &str, wait_ms: u64) -> WaitResult {
        let start_ms = self.runtime.clock_ms();
        loop {
            let now_ms = self.runtime.clock_ms();
            let fresh = |entry: &Entry| matches!(entry.freshness(now_ms), Freshness::Fresh { .. });
            if let Some(entry) = self.memory.get(key).filter(fresh) {
                return WaitResult::Fetched(entry);
            }
            if self.memory.claim(key, now_ms) {
                return WaitResult::Claimed;
            }
            if now_ms.saturating_sub(start_ms) >= wait_ms {
                return WaitResult::TimedOut;
            }
            while self.memory.is_claimed(key) && self.runtime.clock_ms().saturating_sub(start_ms) < wait_ms {
                self.runtime.sleep_ms(POLL_MS).await;
            }
        }
    }

    /// What [`Self::fetch`] answers in time. `None` when it takes longer: it ends in the background.
    async fn fetch_within(&self, request: &ReadRequest, key: &str, ms: u64) -> Option<Result<Entry, ReadError>> {
        let (app, request, key) = (self.clone(), request.clone(), key.to_owned());
        let fetch = Box::pin(async move { app.fetch(&request, &key).await });
        let time = pin!(self.runtime.sleep_ms(u32::try_from(ms).unwrap_or(u32::MAX)));
        match select(fetch, time).await {
            Either::Left((read, _)) => Some(read),
            Either::Right(((), fetch)) => {
                self.memory.back_off(self.runtime.clock_ms());
                self.runtime.in_background(async move { drop(fetch.await) });
                None
            }
        }
    }

    /// Asks Redis, fills the caches, and releases the claim.
    async fn fetch(&self, request: &ReadRequest, key: &str) -> Result<Entry, ReadError> {
        let start_ms = self.runtime.clock_ms();
        let held = self.memory.get(key);
        let read = self.read(request, held.as_ref()).await;
        let now_ms = self.runtime.clock_ms();
        match read {
            Err(ReadError::Failed(_)) => self.memory.back_off(now_ms),
            _ => self.memory.answered_after(now_ms.saturating_sub(start_ms)),
        }
        if let Some(entry) = read.as_ref().ok().filter(|entry| !entry.unbuilt) {
            self.memory.put(key, entry.clone());
            let (runtime, key, entry) = (self.runtime.clone(), key.to_owned(), entry.clone());
            self.runtime.in_background(async move { runtime.edge_put(&key, &entry).await });
        }
        self.memory.release(key);
        read
    }
}
