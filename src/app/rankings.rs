//! Reading rankings: isolate memory, edge cache, Redis.

use std::fmt::Write;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::cache::{Entry, Freshness, Level};
use super::{App, Runtime};
use crate::adapter::{Error, Fault};
use crate::ranking::name::{Id, Name};
use crate::ranking::page::{PeriodInfo, version_of};
use crate::ranking::period::Period;
use crate::ranking::site::{Board, Site};
use crate::ranking::window::{Kind, Window};
use crate::store::WindowRef;
use crate::store::explain::explain;
use crate::store::ranks::ranks;
use crate::store::top::{PageRequest, top};

/// What is asked of a site's rankings, checked against the configuration. Owned, since a renewal outlives its request.
#[derive(Clone, Debug)]
pub struct Query {
    pub site: Name,
    pub question: Question,
}

#[derive(Clone, Debug)]
pub enum Question {
    /// A page of a ranking.
    Top { of: Ranking, offset: u32, limit: u32 },
    /// The first pages of several rankings.
    Tops { of: Vec<Ranking>, limit: u32 },
    /// Where members stand; with `around`, only the first one, and so many on either side of it.
    Members { of: Ranking, ids: Vec<Id>, around: Option<u32> },
    /// What a member's score is made of.
    Explain { of: Ranking, id: Id },
}

/// A period of a window of a board.
#[derive(Clone, Debug)]
pub struct Ranking {
    pub board: Name,
    pub window: Window,
    /// `None`: the period that holds now.
    pub period: Option<Period>,
    /// When the period is an hour: the start that its id names, in Unix seconds. The number alone also stands for hours
    /// that start at other minutes, in other zones.
    pub hour_starts_at: Option<i64>,
}

/// A ranking and how it was come by.
#[derive(Debug)]
pub struct Served {
    pub entry: Entry,
    pub how: How,
    /// Milliseconds for which it stays fresh; 0 when it is stale.
    pub fresh_ms: u64,
    /// Milliseconds since Redis was asked.
    pub age_ms: u64,
}

/// What the caches did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Fresh from a cache.
    Hit(Level),
    /// From Redis.
    Miss,
    /// Stale from a cache, while it is being renewed.
    Renewing(Level),
    /// Stale from a cache, because Redis is out.
    RedisOut(Level),
}

/// Why there is no ranking.
#[derive(Debug)]
pub enum Missing {
    /// The period is not one of the site's, or has not begun, or is no longer kept.
    NoSuchPeriod(&'static str),
    /// The member is not shown on the board.
    NotOnBoard(Id),
    Redis(Error),
}

/// What became of waiting for another request's fetch.
enum Waited {
    /// There is none: this request is to fetch.
    Claimed,
    Brought(Entry),
    InVain,
}

/// How long a request waits for another one's fetch before it asks Redis itself, and how often it looks.
const WAIT_MS: u64 = 1_000;
const LOOK_MS: u32 = 5;
/// For how long a read works on a rolling board that it found incomplete before it answers with what there is, and how
/// long it goes on after: the runtime allows 30 seconds.
const INLINE_MS: u64 = 50;
const BACKGROUND_MS: u64 = 20_000;

impl Query {
    /// The canonical form, the key of every cache: equal for requests that mean the same.
    fn key(&self) -> String {
        let mut key = self.site.to_string();
        for Ranking { board, window, period, hour_starts_at } in self.question.rankings() {
            let period = hour_starts_at.or(period.map(|period| period.number)).map_or(String::new(), |number| number.to_string());
            let _ = write!(key, "/{board}/{}:{period}", window.name);
        }
        // The key becomes an address, which a # would end.
        let encoded = |id: &Id| utf8_percent_encode(id.as_str(), NON_ALPHANUMERIC).to_string();
        let _ = match &self.question {
            Question::Top { offset, limit, .. } => write!(key, "?offset={offset}&limit={limit}"),
            Question::Tops { limit, .. } => write!(key, "?limit={limit}"),
            Question::Members { ids, around, .. } => {
                let ids: Vec<String> = ids.iter().map(encoded).collect();
                write!(key, "?around={}&members={}", around.map_or(-1, i64::from), ids.join(","))
            }
            Question::Explain { id, .. } => write!(key, "?explain={}", encoded(id)),
        };
        key
    }
}

impl Question {
    fn rankings(&self) -> &[Ranking] {
        match self {
            Self::Top { of, .. } | Self::Members { of, .. } | Self::Explain { of, .. } => std::slice::from_ref(of),
            Self::Tops { of, .. } => of,
        }
    }
}

impl Ranking {
    fn sought<'b>(&'b self, site: &'b Site) -> Result<WindowRef<'b>, Missing> {
        let gone = || Missing::Redis(Error::new(Fault::Configuration, "the board is no longer configured"));
        let board = site.boards.get(self.board.as_str()).ok_or_else(gone)?;
        Ok(WindowRef { site, board, window: &self.window, period: self.period })
    }
}

/// What was rendered, or why it was not.
fn rendered<T>(result: serde_json::Result<T>) -> Result<T, Missing> {
    result.map_err(|error| Missing::Redis(Error::new(Fault::Malformed, error.to_string())))
}

/// What Redis answered, rendered.
struct Answer {
    /// Of each ranking, in the order of the question's.
    heads: Vec<PeriodInfo>,
    /// Its JSON and version, or the member that was asked for and is not on the board.
    document: Result<(Vec<u8>, String), Id>,
}

impl Answer {
    fn is_complete(&self) -> bool {
        self.heads.iter().all(|head| head.complete)
    }
}

impl<R: Runtime> App<R> {
    /// 1. A fresh entry of the memory or of the edge cache is served.
    /// 2. A stale one is served while a background request renews it.
    /// 3. Otherwise one request asks Redis, while the others of this isolate wait for what it brings.
    /// 4. When Redis is out, or takes too long, the last entry is served for a day.
    ///
    /// # Errors
    /// When there is no such period, or when Redis is out and nothing was ever served.
    pub async fn ranking(&self, query: &Query) -> Result<Served, Missing> {
        let key = query.key();
        let mut spare = None;
        if let Some(entry) = self.memory.get(&key) {
            match self.offer(query, &key, entry, Level::Memory) {
                Ok(served) => return Ok(served),
                Err(entry) => spare = entry.map(|entry| (entry, Level::Memory)),
            }
        }
        if let Some(entry) = self.runtime.edge_get(&key).await {
            match self.offer(query, &key, entry, Level::Edge) {
                Ok(served) => {
                    self.memory.put(&key, served.entry.clone());
                    return Ok(served);
                }
                Err(Some(entry)) if spare.as_ref().is_none_or(|(held, _)| held.asked_at_ms < entry.asked_at_ms) => {
                    spare = Some((entry, Level::Edge));
                }
                Err(_) => {}
            }
        }
        if let Some((entry, level)) = spare.clone().filter(|_| self.memory.is_backing_off(self.runtime.clock_ms())) {
            return Ok(self.served(entry, How::RedisOut(level)));
        }
        match (self.wait_for_another(&key).await, &spare) {
            (Waited::Brought(entry), _) => return Ok(self.served(entry, How::Hit(Level::Memory))),
            // Redis keeps the other request waiting; one is enough.
            (Waited::InVain, Some((entry, level))) => return Ok(self.served(entry.clone(), How::RedisOut(*level))),
            (Waited::Claimed | Waited::InVain, _) => {}
        }
        match (self.fetch(query, &key).await, spare) {
            (Ok(entry), _) => Ok(self.served(entry, How::Miss)),
            (Err(Missing::Redis(_)), Some((entry, level))) => Ok(self.served(entry, How::RedisOut(level))),
            (Err(missing), _) => Err(missing),
        }
    }

    /// Serves an entry that may be served at once, or gives it back as a spare.
    fn offer(&self, query: &Query, key: &str, entry: Entry, level: Level) -> Result<Served, Option<Entry>> {
        match entry.freshness(self.runtime.clock_ms()) {
            Freshness::Fresh { .. } => Ok(self.served(entry, How::Hit(level))),
            Freshness::Stale => {
                self.renew(query, key);
                Ok(self.served(entry, How::Renewing(level)))
            }
            Freshness::Spare => Err(Some(entry)),
            Freshness::Gone => Err(None),
        }
    }

    fn served(&self, entry: Entry, how: How) -> Served {
        let now_ms = self.runtime.clock_ms();
        let fresh_ms = match entry.freshness(now_ms) {
            Freshness::Fresh { left_ms } => left_ms,
            _ => 0,
        };
        Served { age_ms: now_ms.saturating_sub(entry.asked_at_ms), entry, how, fresh_ms }
    }

    /// Renews an entry in the background, unless somebody is at it or Redis was out a moment ago.
    fn renew(&self, query: &Query, key: &str) {
        let now_ms = self.runtime.clock_ms();
        if self.memory.is_backing_off(now_ms) || !self.memory.claim(key, now_ms) {
            return;
        }
        let (app, query, key) = (self.clone(), query.clone(), key.to_owned());
        self.runtime.in_background(async move {
            // Another isolate of this data center may have been faster.
            match app.runtime.edge_get(&key).await {
                Some(entry) if matches!(entry.freshness(app.runtime.clock_ms()), Freshness::Fresh { .. }) => {
                    app.memory.put(&key, entry);
                    app.memory.release(&key);
                }
                // A failure is remembered in the memory; the entry is served on.
                _ => drop(app.fetch(&query, &key).await),
            }
        });
    }

    /// Claims the fetch, or looks for what the request that has it brings, or has brought since this one looked into the
    /// memory. Looking costs a timer of this request's own: a promise of another request must not be waited for.
    async fn wait_for_another(&self, key: &str) -> Waited {
        let start_ms = self.runtime.clock_ms();
        loop {
            let now_ms = self.runtime.clock_ms();
            let fresh = |entry: &Entry| matches!(entry.freshness(now_ms), Freshness::Fresh { .. });
            if let Some(entry) = self.memory.get(key).filter(fresh) {
                return Waited::Brought(entry);
            }
            if self.memory.claim(key, now_ms) {
                return Waited::Claimed;
            }
            if now_ms.saturating_sub(start_ms) > WAIT_MS {
                return Waited::InVain;
            }
            while self.memory.is_claimed(key) && self.runtime.clock_ms().saturating_sub(start_ms) <= WAIT_MS {
                self.runtime.sleep_ms(LOOK_MS).await;
            }
        }
    }

    /// Asks Redis, fills the caches, and releases the claim.
    async fn fetch(&self, query: &Query, key: &str) -> Result<Entry, Missing> {
        let asked_at_ms = self.runtime.clock_ms();
        let read = self.read(query, asked_at_ms).await;
        if matches!(read, Err(Missing::Redis(_))) {
            self.memory.back_off(self.runtime.clock_ms());
        }
        if let Ok(entry) = &read {
            self.memory.put(key, entry.clone());
            let (runtime, key, entry) = (self.runtime.clone(), key.to_owned(), entry.clone());
            self.runtime.in_background(async move { runtime.edge_put(&key, &entry).await });
        }
        self.memory.release(key);
        read
    }

    /// Asks Redis, past the caches.
    ///
    /// # Errors
    /// When there is no such period, or when Redis is out.
    pub async fn read(&self, query: &Query, asked_at_ms: u64) -> Result<Entry, Missing> {
        let site = self.config.sites.get(query.site.as_str());
        let site = site.ok_or_else(|| Missing::Redis(Error::new(Fault::Configuration, "the site is no longer configured")))?;
        let mut answer = self.answer(site, &query.question).await?;
        if !answer.is_complete() && self.repair(site, query.question.rankings(), asked_at_ms).await {
            answer = self.answer(site, &query.question).await?;
        }
        let complete = answer.is_complete();
        let (json, version) = answer.document.map_err(Missing::NotOnBoard)?;
        Ok(Entry {
            asked_at_ms,
            ends_in_ms: answer.heads.iter().filter_map(PeriodInfo::ends_in_ms).min(),
            complete,
            json: json.into(),
            version,
        })
    }

    async fn answer(&self, site: &Site, question: &Question) -> Result<Answer, Missing> {
        let transport = self.runtime.transport().map_err(Missing::Redis)?;
        let guess_s = self.guess_s();
        match question {
            Question::Top { of, offset, limit } => {
                let of_board = of.sought(site)?;
                let request = PageRequest { of: of_board, offset: *offset, limit: *limit };
                let pages = top(&transport, &self.runtime, guess_s, &[request]).await.map_err(Missing::Redis)?;
                let page = pages.first().ok_or_else(|| Missing::Redis(Error::new(Fault::Malformed, "no page")))?;
                check_period(of_board.board, of, &page.head)?;
                let document = rendered(page.render(site, of_board.board, of_board.window))?;
                Ok(Answer { heads: vec![page.head], document: Ok(document) })
            }
            Question::Tops { of, limit } => {
                let mut requests = Vec::new();
                for of in of {
                    let of = of.sought(site)?;
                    requests.push(PageRequest { of, offset: 0, limit: (*limit).min(of.board.limit) });
                }
                let pages = top(&transport, &self.runtime, guess_s, &requests).await.map_err(Missing::Redis)?;
                let (mut json, mut versions) = (b"{\"site\":".to_vec(), String::new());
                json.extend(rendered(serde_json::to_vec(site.name.as_str()))?);
                json.extend(b",\"boards\":[");
                for (i, (page, request)) in pages.iter().zip(&requests).enumerate() {
                    let (page, version) = rendered(page.render(site, request.of.board, request.of.window))?;
                    json.extend(if i == 0 { "" } else { "," }.bytes());
                    json.extend(page);
                    versions.push_str(&version);
                }
                json.extend(b"]}");
                let heads = pages.iter().map(|page| page.head).collect();
                Ok(Answer { heads, document: Ok((json, version_of(versions.as_bytes()))) })
            }
            Question::Members { of, ids, around } => {
                let sought = of.sought(site)?;
                let found = ranks(&transport, &self.runtime, guess_s, sought, ids, around.unwrap_or(0)).await.map_err(Missing::Redis)?;
                check_period(sought.board, of, &found.head)?;
                let document = match (around, ids.first()) {
                    (Some(_), Some(id)) => {
                        rendered(found.render_first(sought.site, sought.board, sought.window, id))?.ok_or_else(|| id.clone())
                    }
                    _ => Ok(rendered(found.render(sought.site, sought.board, sought.window, ids))?),
                };
                Ok(Answer { heads: vec![found.head], document })
            }
            Question::Explain { of, id } => {
                let sought = of.sought(site)?;
                let found = explain(&transport, &self.runtime, guess_s, sought, id).await.map_err(Missing::Redis)?;
                check_period(sought.board, of, &found.head)?;
                let document = rendered(found.render(sought.site, sought.board, sought.window, id))?;
                Ok(Answer { heads: vec![found.head], document: document.ok_or_else(|| id.clone()) })
            }
        }
    }

    /// Repairs rolling boards that were found incomplete, for a moment; answers whether they are complete now. Otherwise it
    /// goes on in the background, as the owner who began it. What goes wrong keeps nobody from the ranking as it is.
    async fn repair(&self, site: &Site, rankings: &[Ranking], asked_at_ms: u64) -> bool {
        let owner = self.runtime.token();
        if self.complete_all(site, rankings, &owner, asked_at_ms + INLINE_MS).await {
            return true;
        }
        let (app, site, rankings) = (self.clone(), site.name.clone(), rankings.to_vec());
        self.runtime.in_background(async move {
            if let Some(site) = app.config.sites.get(site.as_str()) {
                let until_ms = app.runtime.clock_ms() + BACKGROUND_MS;
                // A failure shows at the next read, which tries again.
                app.complete_all(site, &rankings, &owner, until_ms).await;
            }
        });
        false
    }

    /// Repairs the rolling boards among some rankings; `false` when one of them is still incomplete.
    async fn complete_all(&self, site: &Site, rankings: &[Ranking], owner: &str, until_ms: u64) -> bool {
        let mut complete = true;
        for of in rankings.iter().filter(|of| matches!(of.window.kind, Kind::Rolling { .. })) {
            let Some(board) = site.boards.get(of.board.as_str()) else { continue };
            complete &= self.complete(site, board, &of.window, of.period, owner, until_ms).await.unwrap_or(false);
        }
        complete
    }
}

/// A period that was asked for by its id must be one of the site's, have begun and still be kept.
fn check_period(board: &Board, of: &Ranking, head: &PeriodInfo) -> Result<(), Missing> {
    if of.period.is_none() {
        return Ok(());
    }
    if of.hour_starts_at.is_some() && of.hour_starts_at != head.named_at {
        return Err(Missing::NoSuchPeriod("no hour of the site's time zone starts then"));
    }
    if head.named_at.is_some_and(|named_at| named_at * 1000 > head.now_ms) {
        return Err(Missing::NoSuchPeriod("it has not begun"));
    }
    // A rolling window needs its first base period, which ends after the window's start.
    let first = if matches!(of.window.kind, Kind::Rolling { .. }) { head.starts_at } else { head.ends_at };
    if !board.keeps(head.period.unit, first, head.now_ms) {
        return Err(Missing::NoSuchPeriod("it is no longer kept"));
    }
    Ok(())
}
