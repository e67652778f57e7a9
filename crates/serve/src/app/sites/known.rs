//! The sites of run time that an isolate knows.

use std::cell::{OnceCell, RefCell};
use std::num::NonZeroUsize;
use std::rc::Rc;

use lru::LruCache;
use ranking::name::Name;
use ranking::site::Site;
use ranking::token::Tokens;
use serde_json::Value;

use super::WAIT_MS;
use super::record::{Record, State};
use crate::config::{Config, Lack, SitesSecret};

/// Sites that an isolate remembers at most, and what they take. The one that was asked for the longest ago goes first.
const MOST: usize = 1_000;
const MOST_BYTES: usize = 8 << 20;
/// Names that are not there.
const MOST_MISSING: NonZeroUsize = NonZeroUsize::new(1_000).expect("it is not zero");
/// Sites of which it is remembered that they were entered for upkeep.
const MOST_ENTERED: NonZeroUsize = NonZeroUsize::new(10_000).expect("it is not zero");
/// What a site takes in memory, for each byte of its configuration, and besides.
const FACTOR: usize = 8;
const OVERHEAD: usize = 4_096;
/// A site is read no more so long before it begins to be deleted.
const MARGIN_MS: i64 = 10_000;
/// A read that has not come back after this time is not waited for.
const CLAIM_MS: u64 = 5_000;

/// A site of run time, as an isolate serves it.
pub struct Serving {
    pub state: State,
    /// The configuration of the deployment with this site; or why this version of the worker refuses the site's own.
    pub configured: Result<Configured, String>,
    record: Record,
    tokens: OnceCell<Rc<Tokens>>,
}

/// A site that can be served.
pub struct Configured {
    pub config: Rc<Config>,
    pub site: Rc<Site>,
    pub lacks: Vec<Lack>,
}

impl Serving {
    pub(super) fn new(record: Record, configured: Result<Configured, String>) -> Self {
        Self { state: record.state, configured, record, tokens: OnceCell::new() }
    }

    /// The tokens of the deployment, and those of the site.
    pub fn tokens(&self, of_deployment: &Tokens) -> Rc<Tokens> {
        let make = || {
            let mut tokens = of_deployment.clone();
            if let Some(secret) = self.secret() {
                self.record.tokens.grant(&mut tokens, &self.record.name, secret);
            }
            Rc::new(tokens)
        };
        Rc::clone(self.tokens.get_or_init(make))
    }

    /// Why this version of the worker refuses it, where that is not what upkeep noted last.
    pub(super) fn news(&self) -> Option<(&Record, &str)> {
        let line = self.configured.as_ref().err().map_or("", String::as_str);
        (line != self.record.refused).then_some((&self.record, line))
    }

    /// The configuration as it was given.
    pub fn configuration(&self) -> Value {
        serde_json::from_slice(self.record.configuration.as_bytes()).unwrap_or(Value::Null)
    }

    /// Whether nothing of it is deleted, and nothing will be within some seconds.
    pub fn is_whole(&self, now_ms: u64) -> bool {
        self.state != State::Going || i64::try_from(now_ms).is_ok_and(|now_ms| now_ms + MARGIN_MS < self.record.going_ms + WAIT_MS)
    }

    pub fn name(&self) -> &Name {
        &self.record.name
    }

    /// When it was made, in Unix milliseconds.
    pub fn made_ms(&self) -> i64 {
        self.record.made_ms
    }

    fn secret(&self) -> Option<&SitesSecret> {
        self.configured.as_ref().ok()?.config.sites_secret.as_ref()
    }

    /// Whether it is of the same version of the same site.
    fn is_of(&self, record: &Record) -> bool {
        (self.record.version, self.record.made_ms) == (record.version, record.made_ms)
    }

    fn bytes(&self) -> usize {
        OVERHEAD + FACTOR * self.record.configuration.len()
    }
}

/// A site that was read, and when.
#[derive(Clone)]
pub(super) struct Read {
    pub(super) serving: Rc<Serving>,
    /// Milliseconds of the edge's clock, before it was asked for.
    pub(super) asked_at_ms: u64,
}

/// Shared by the requests of an isolate; each method is a moment, never held across an `await`.
pub struct KnownSites(RefCell<Inner>);

struct Inner {
    there: LruCache<Name, Read>,
    bytes: usize,
    /// Until when they are believed not to be there.
    missing: LruCache<Name, u64>,
    /// Those that are being read, and until when to believe it.
    claims: Vec<(Name, u64)>,
    /// Those that are refused, and until when that is believed.
    refused: Option<(Vec<Name>, u64)>,
    /// When they were entered, so that upkeep looks at them.
    entered: LruCache<Name, u64>,
    /// Until when the database is left alone where something else can be served.
    rests_until_ms: u64,
}

impl Default for KnownSites {
    fn default() -> Self {
        let (there, missing, entered) = (LruCache::unbounded(), LruCache::new(MOST_MISSING), LruCache::new(MOST_ENTERED));
        Self(RefCell::new(Inner { there, bytes: 0, missing, claims: Vec::new(), refused: None, entered, rests_until_ms: 0 }))
    }
}

impl KnownSites {
    pub(super) fn get(&self, name: &Name) -> Option<Read> {
        self.0.borrow_mut().there.get(name).cloned()
    }

    /// Keeps what was read. One of the same version is not read anew.
    pub(super) fn put(&self, record: Record, asked_at_ms: u64, read: impl FnOnce(Record) -> Serving) -> Rc<Serving> {
        let inner = &mut *self.0.borrow_mut();
        let same = inner.there.peek(&record.name).filter(|known| known.serving.is_of(&record)).map(|known| Rc::clone(&known.serving));
        let name = record.name.clone();
        let serving = same.unwrap_or_else(|| Rc::new(read(record)));
        inner.bytes += serving.bytes();
        if let Some((_, before)) = inner.there.push(name.clone(), Read { serving: Rc::clone(&serving), asked_at_ms }) {
            inner.bytes -= before.serving.bytes();
        }
        inner.missing.pop(&name);
        while inner.there.len() > MOST || inner.bytes > MOST_BYTES {
            let Some((_, oldest)) = inner.there.pop_lru() else { break };
            inner.bytes -= oldest.serving.bytes();
        }
        serving
    }

    pub(super) fn put_missing(&self, name: &Name, until_ms: u64) {
        let inner = &mut *self.0.borrow_mut();
        if let Some(before) = inner.there.pop(name) {
            inner.bytes -= before.serving.bytes();
        }
        inner.missing.put(name.clone(), until_ms);
    }

    pub(super) fn is_missing(&self, name: &Name, now_ms: u64) -> bool {
        self.0.borrow_mut().missing.get(name).is_some_and(|until_ms| *until_ms > now_ms)
    }

    /// Forgets what was read of one that was changed here.
    pub(super) fn forget(&self, name: &Name) {
        let inner = &mut *self.0.borrow_mut();
        if let Some(before) = inner.there.pop(name) {
            inner.bytes -= before.serving.bytes();
        }
        inner.missing.pop(name);
    }

    /// `false`: somebody else of this isolate reads it.
    pub(super) fn claim(&self, name: &Name, now_ms: u64) -> bool {
        let claims = &mut self.0.borrow_mut().claims;
        claims.retain(|(_, until_ms)| (now_ms..=now_ms + CLAIM_MS).contains(until_ms));
        let is_free = claims.iter().all(|(claimed, _)| claimed != name);
        if is_free {
            claims.push((name.clone(), now_ms + CLAIM_MS));
        }
        is_free
    }

    pub(super) fn release(&self, name: &Name) {
        self.0.borrow_mut().claims.retain(|(claimed, _)| claimed != name);
    }

    /// Those that are refused, as long as that is believed.
    pub(super) fn refused(&self, now_ms: u64) -> Option<Vec<Name>> {
        self.0.borrow().refused.as_ref().filter(|(_, until_ms)| *until_ms > now_ms).map(|(names, _)| names.clone())
    }

    pub(super) fn put_refused(&self, names: &[Name], until_ms: u64) {
        self.0.borrow_mut().refused = Some((names.to_vec(), until_ms));
    }

    /// Notes that one is entered. `false`: it was so a moment ago.
    pub(super) fn enters(&self, name: &Name, now_ms: u64, for_ms: u64) -> bool {
        let entered = &mut self.0.borrow_mut().entered;
        let is_new = entered.get(name).is_none_or(|entered_ms| !(*entered_ms..entered_ms + for_ms).contains(&now_ms));
        if is_new {
            entered.put(name.clone(), now_ms);
        }
        is_new
    }

    pub(super) fn forget_entered(&self, name: &Name) {
        self.0.borrow_mut().entered.pop(name);
    }

    pub(super) fn rest_until(&self, until_ms: u64) {
        self.0.borrow_mut().rests_until_ms = until_ms;
    }

    pub(super) fn rests(&self, now_ms: u64, at_most_ms: u64) -> bool {
        let until_ms = self.0.borrow().rests_until_ms;
        (now_ms..=now_ms + at_most_ms).contains(&until_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::sites::record::{Deleted, SiteTokens};

    fn name(number: usize) -> Name {
        Name::new(&format!("site-{number}")).expect("a name")
    }

    fn put(known: &KnownSites, number: usize, bytes: usize) {
        let record = Record {
            name: name(number),
            version: 1,
            state: State::Active,
            configuration: " ".repeat(bytes),
            tokens: SiteTokens::default(),
            made_ms: 0,
            changed_ms: 0,
            going_ms: 0,
            deleted: Deleted::default(),
            members: 0,
            counted_ms: 0,
            refused: String::new(),
        };
        known.put(record, 0, |record| Serving::new(record, Err(String::new())));
    }

    /// Which of so many are known.
    fn there(known: &KnownSites, many: usize) -> Vec<usize> {
        (0..many).filter(|number| known.0.borrow().there.contains(&name(*number))).collect()
    }

    #[test]
    fn of_more_sites_than_it_remembers_the_least_used_go() {
        let known = KnownSites::default();
        (0..MOST).for_each(|number| put(&known, number, 100));
        known.get(&name(0));
        (MOST..MOST + 5).for_each(|number| put(&known, number, 100));
        let expected: Vec<usize> = (0..1).chain(6..MOST + 5).collect();
        assert_eq!(there(&known, MOST + 5), expected);
        assert_eq!(known.0.borrow().bytes, MOST * (OVERHEAD + FACTOR * 100));
    }

    #[test]
    fn of_large_sites_it_remembers_fewer() {
        let (known, bytes) = (KnownSites::default(), 25_000);
        let room = MOST_BYTES / (OVERHEAD + FACTOR * bytes);
        (0..room + 3).for_each(|number| put(&known, number, bytes));
        assert_eq!(there(&known, room + 3), (3..room + 3).collect::<Vec<usize>>());
        // One that is put again, or forgotten, takes nothing more.
        put(&known, 3, bytes);
        known.forget(&name(4));
        known.put_missing(&name(5), 1);
        assert_eq!(known.0.borrow().bytes, (room - 2) * (OVERHEAD + FACTOR * bytes));
    }
}
