//! What sites use of their quotas. Boards and members are what is there: see `lua/make_board.lua` and
//! `crates/serve/src/app/rankings/fullness.rs`.
//!
//! Commands are an estimate of each call ([`super::price`]), which an isolate adds up. With the first call of a site, and the next one that
//! comes ten seconds later, it adds them to Redis and reads back what all isolates did: two commands in one trip.
//!
//! # Decisions
//!
//! - So a quota is passed by what all isolates let through in ten seconds. What an isolate has not reported when it ends, ten seconds' calls at
//!   most, is lost.
//! - What a call costs is taken before it is done, as for the limits of clients, and never given back.
//! - The clock of Redis says which month it is. Until it did, the edge's clock guesses.
//! - Upkeep, administrators, and what the queue has already are neither counted nor refused.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::rc::Rc;

use lru::LruCache;
use ranking::month::Month;
use ranking::name::Name;
use ranking::site::Site;

use super::counters::{Counters, Series};
use super::failure::Failure;
pub use super::failure::OverQuota;
use super::ports::{Clock, Runtime};
use super::redis::Redis;
use super::templates::Templates;

/// An isolate reports so often what a site uses.
const REPORT_EVERY_MS: u64 = 10_000;
/// Members are counted so often, of a site that upkeep looks at.
pub(super) const COUNTED_EVERY_MS: i64 = 3_600_000;
/// Sites of which an isolate remembers what they use.
const MOST: NonZeroUsize = NonZeroUsize::new(1_000).expect("it is not zero");

/// What a site uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    pub boards: u64,
    pub members: u32,
    pub commands: u64,
    /// When the month of the commands ends, in Unix milliseconds.
    pub until_ms: i64,
}

/// What an isolate knows of what sites use. Each method is a moment, never held across an `await`.
pub struct Usages(RefCell<LruCache<Key, Usage>>);

/// A site, and when it was made: a later one of the name has its own.
type Key = (Name, Option<i64>);

#[derive(Clone, Copy, Default)]
struct Usage {
    /// Commands that were not reported yet.
    pending: u32,
    /// When they were reported last, by the edge's clock; 0: never.
    reported_ms: u64,
    /// What Redis answered then.
    known: Option<Known>,
    members: u32,
    counted_ms: i64,
}

#[derive(Clone, Copy)]
struct Known {
    month: Month,
    commands: u64,
    /// While that is the month, by the edge's clock.
    from_ms: u64,
    until_ms: u64,
}

impl Default for Usages {
    fn default() -> Self {
        Self(RefCell::new(LruCache::new(MOST)))
    }
}

impl Usages {
    fn get(&self, site: &Site) -> Usage {
        self.0.borrow_mut().get(&key_of(site)).copied().unwrap_or_default()
    }

    fn change(&self, site: &Site, change: impl FnOnce(&mut Usage)) {
        change(self.0.borrow_mut().get_or_insert_mut(key_of(site), Usage::default));
    }

    /// Notes what is known of the members of a site that was made at an instant.
    pub(super) fn note_members(&self, name: &Name, made_ms: i64, members: u32, counted_ms: i64) {
        if counted_ms > 0 {
            let usages = &mut *self.0.borrow_mut();
            let usage = usages.get_or_insert_mut((name.clone(), Some(made_ms)), Usage::default);
            (usage.members, usage.counted_ms) = (members, counted_ms);
        }
    }

    /// When the members of a site were counted; 0: never.
    pub(super) fn counted_ms(&self, site: &Site) -> i64 {
        self.get(site).counted_ms
    }
}

fn key_of(site: &Site) -> Key {
    (site.name.clone(), site.made_ms)
}

impl Known {
    /// What Redis answered just now.
    fn of(used: engine::store::usage::Usage, now_ms: u64) -> Self {
        let until_ms = now_ms.saturating_add_signed(used.month.ends_ms() - used.now_ms);
        Self { month: used.month, commands: used.commands, from_ms: now_ms, until_ms }
    }

    fn is_of(&self, now_ms: u64) -> bool {
        (self.from_ms..self.until_ms).contains(&now_ms)
    }
}

/// What sites use of the commands in their quotas.
pub struct Quotas<'a, R> {
    pub(super) redis: Redis<'a, R>,
    pub(super) background: &'a R,
    pub(super) clock: &'a dyn Clock,
    pub(super) counters: &'a Counters,
    pub(super) usages: &'a Rc<Usages>,
}

impl<R: Runtime> Quotas<'_, R> {
    /// Adds what a call may cost, where the site has a quota of that.
    pub fn take(&self, site: &Site, commands: impl FnOnce() -> u32) {
        if site.quota.commands_per_month.is_none() {
            return;
        }
        let commands = commands();
        self.counters.add(Series::Quota, site.name.as_str(), "commands", commands.into());
        self.usages.change(site, |usage| usage.pending = usage.pending.saturating_add(commands));
        self.report_when_due(site);
    }

    /// Whether a site has used its commands, as far as this isolate knows.
    pub fn over_commands(&self, site: &Site) -> Option<OverQuota> {
        let most = site.quota.commands_per_month?;
        let (now_ms, usage) = (self.clock.clock_ms(), self.usages.get(site));
        let known = usage.known.filter(|known| known.is_of(now_ms))?;
        if known.commands + u64::from(usage.pending) < most.into() {
            return None;
        }
        // Another isolate, or an operator, may know of less.
        self.report_when_due(site);
        Some(OverQuota { option: "commands_per_month", wait_s: (known.until_ms - now_ms).div_ceil(1_000) })
    }

    /// Whether a site has as many members as it may, as upkeep counted them last.
    pub fn over_members(&self, site: &Site) -> Option<OverQuota> {
        let most = site.quota.members?;
        let wait_s = COUNTED_EVERY_MS.unsigned_abs() / 1_000;
        (self.usages.get(site).members >= most).then_some(OverQuota { option: "members", wait_s })
    }

    /// Reports to Redis in the background what was not reported yet, when it is time.
    fn report_when_due(&self, site: &Site) {
        let now_ms = self.clock.clock_ms();
        let reported_ms = self.usages.get(site).reported_ms;
        if (reported_ms..reported_ms + REPORT_EVERY_MS).contains(&now_ms) {
            return;
        }
        let mut commands = 0;
        self.usages.change(site, |usage| (commands, usage.pending, usage.reported_ms) = (usage.pending, 0, now_ms));
        let (runtime, usages, key_prefix) = (self.background.clone(), Rc::clone(self.usages), self.redis.key_prefix.to_owned());
        let (site, guess) = (site.clone(), self.month(site));
        self.background.in_background(async move {
            let redis = Redis { runtime: &runtime, key_prefix: &key_prefix };
            let reply = async { redis.store()?.add_usage(&site, guess, commands).await };
            let reply = reply.await;
            let now_ms = runtime.clock_ms();
            usages.change(&site, |usage| match reply {
                Ok(used) => usage.known = Some(Known::of(used, now_ms)),
                // It is reported again with the next calls.
                Err(_) => usage.pending = usage.pending.saturating_add(commands),
            });
        });
    }

    /// The month of now, as far as this isolate knows.
    fn month(&self, site: &Site) -> Month {
        let known = self.usages.get(site).known.filter(|known| known.is_of(self.clock.clock_ms()));
        known.map_or_else(|| Month::of(self.clock.edge_ms()), |known| known.month)
    }

    /// What a site uses.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn used(&self, site: &Site, templates: &Templates<'_, R>) -> Result<Used, Failure> {
        let month = self.month(site);
        let used = self.redis.read(async |store| store.usage(site, month).await).await.map_err(|error| Failure::of_read(&error))?;
        let made: u64 = templates.count_boards(site).await?.iter().map(|(_, boards)| boards).sum();
        Ok(Used {
            boards: u64::from(site.configured_boards()) + made,
            members: self.usages.get(site).members,
            commands: used.commands,
            until_ms: used.month.ends_ms(),
        })
    }
}
