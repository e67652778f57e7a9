//! A site on a server of its own, and all that a test does to it: events as a server's batch, upkeep, reading.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::adapter::{Error, Transport, Value};
use engine::store::Store;
use engine::store::alias::{Alias, Merged};
use engine::store::homes::Settled;
use engine::store::keep_off::Whom;
use engine::store::record::Recorded;
use engine::store::reset::Reset;
use engine::store::upkeep::{Chunk, Job, Task};
use ranking::counting::{Outcome, Target, TargetBatch};
use ranking::event::SenderClass;
use ranking::name::Id;
use ranking::page::Page;
use ranking::period::Period;
use ranking::site::Site;
use ranking::visitor::{Fingerprint, VisitorKey};
use ranking::window::{Kind, Unit, Window};
use serde_json::{Value as Json, json};
use serve::config::Config;
use serve::ingest::{ParsedBatch, Source, Split};

use crate::call::{self, page, period_ref, whole};
use crate::distribution;
use crate::support::{Connection, Server, TzZones};

/// The name of the board that most tests have.
pub const BOARD: &str = "board";

pub struct Deployment {
    pub server: Server,
    config: Config,
    connection: Connection,
    zones: TzZones,
    settled: Settled,
    /// Whether actions that can be undone get their order at homes of their actors, as on a cluster.
    pub has_homes: bool,
}

/// What a key holds, and when it expires (Unix seconds; -1 for never).
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    pub held: Held,
    pub expires_at: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Held {
    Text(String),
    /// Also the fields and values of a stream, in turn.
    List(Vec<String>),
    Set(Vec<String>),
    Hash(BTreeMap<String, String>),
    /// By score, then by member.
    Sorted(Vec<(String, String)>),
}

/// All keys of a server.
pub type Contents = BTreeMap<String, Key>;

/// What became of a batch's events at each target: `board` names the activity log "".
pub type Sent = Vec<(String, Result<Vec<Outcome>, Error>)>;

impl Deployment {
    pub fn start(site: &Json, at_ms: i64) -> Self {
        let server = Server::start_debugged(at_ms);
        let connection = Connection::new(server.url());
        let has_homes = connection.is_cluster();
        Self { server, config: read_config(site), connection, zones: TzZones::default(), settled: Settled::default(), has_homes }
    }

    /// Another site's configuration, or a changed one; what is counted stays.
    pub fn configure(&mut self, site: &Json) {
        self.config = read_config(site);
    }

    /// The server restarts, with what it holds.
    pub fn restart(&mut self) {
        self.server.restart();
        self.connection = Connection::new(self.server.url());
    }

    /// The worker is of one version, or of another one that runs beside it.
    pub fn deploy(&self, is_other_version: bool) {
        self.connection.is_other_version.set(is_other_version);
    }

    /// The server loses its library, with what that kept between calls, before each fourth step of a history.
    pub fn forget(&self, step: usize) {
        if step % 4 == 3 {
            self.server.command(&["FUNCTION", "FLUSH"]);
        }
    }

    /// The worker runs scripts, as where Redis has no functions.
    pub fn without_functions(&self) {
        self.connection.has_functions.set(false);
    }

    /// The server starts again with what its last snapshot holds.
    pub fn restore(&mut self) {
        self.server.restore();
        self.connection = Connection::new(self.server.url());
    }

    /// Replicas take the place of the server, with what they had when they were parted. The worker learns of a cluster's by itself.
    pub fn fail_over(&mut self) {
        self.server.fail_over();
        if !self.connection.is_cluster() {
            self.connection = Connection::new(self.server.url());
        }
    }

    pub fn site(&self) -> &Rc<Site> {
        &self.config.sites["site"]
    }

    pub fn window(&self, board: &str, window: &str) -> &Window {
        self.site().boards[board].window(window).expect("a window of the board")
    }

    /// Its rolling windows' names, units and lengths.
    pub fn rolling(&self, board: &str) -> Vec<(String, Unit, u32)> {
        let windows = self.site().boards[board].windows.iter();
        let rolling = windows.filter_map(|window| match window.kind {
            Kind::Rolling { unit, length } => Some((window.name.to_string(), unit, length)),
            _ => None,
        });
        rolling.collect()
    }

    pub fn now_ms(&self) -> i64 {
        self.server.now_ms()
    }

    /// Moves the clock.
    pub fn advance(&self, ms: i64) {
        self.server.clock.set(self.now_ms() + ms);
    }

    pub fn store(&self) -> Store<'_, &Connection, TzZones> {
        call::store(&self.connection, &self.zones, self.now_ms() / 1000)
    }

    /// Sends a batch as the site's own server does.
    #[track_caller]
    pub fn try_send(&self, body: &Json) -> Result<Sent, Error> {
        self.try_send_as(body, None, |_| ())
    }

    /// The same, or as a browser does, with a change to what each target gets.
    #[track_caller]
    pub fn try_send_as(&self, body: &Json, browser: Option<Fingerprint>, change: impl Fn(&mut TargetBatch)) -> Result<Sent, Error> {
        let site = self.site();
        let batch =
            ParsedBatch::read(site, Source::Server(Some(&VisitorKey::new("a-secret"))), body.to_string().as_bytes()).and_then(whole);
        let mut batch = batch.unwrap_or_else(|refusal| panic!("{refusal:?}: {body}"));
        if browser.is_some() {
            (batch.sender, batch.visitor) = (SenderClass::Browser, browser);
        }
        let mut split = Split::new(site, &batch);
        split.batches.iter_mut().for_each(change);
        split.batches.retain(|batch| !batch.events.is_empty());
        if split.batches.is_empty() {
            return Ok(Vec::new());
        }
        let recorded = self.record(&split.batches)?;
        let name = |target: &Target| match target {
            Target::Board(board) => board.name.to_string(),
            Target::ActivityLog => String::new(),
        };
        Ok(split.batches.iter().map(|batch| name(&batch.target)).zip(recorded).collect())
    }

    /// Records what targets get, as the worker does.
    pub fn record(&self, batches: &[TargetBatch]) -> Result<Vec<Recorded>, Error> {
        let (store, site) = (self.store(), self.site());
        if self.has_homes {
            pollster::block_on(store.record_ordered(site, batches, "salt", None, &self.settled)).map(|(recorded, _)| recorded)
        } else {
            pollster::block_on(store.record(site, batches, "salt"))
        }
    }

    /// What became of a batch's events on the board.
    #[track_caller]
    pub fn send(&self, body: &Json) -> Vec<Outcome> {
        let sent = self.try_send(body).expect("redis answers");
        sent.into_iter().find(|(name, _)| name == BOARD).map_or(Vec::new(), |(_, outcomes)| outcomes.expect("the batch is counted"))
    }

    /// Sends events without ids.
    #[track_caller]
    pub fn put(&self, events: &[Json]) -> Vec<Outcome> {
        events.chunks(100).flat_map(|events| self.send(&json!({ "events": events }))).collect()
    }

    /// A chunk of upkeep of a rolling window; answers whether work is left. Nobody else is at it.
    #[track_caller]
    pub fn chunk(&self, board: &str, window: &str, entries: u32) -> bool {
        self.try_chunk(board, window, "test", entries).expect("nobody else is at it")
    }

    /// The same by an owner; `None` when another one is at it.
    #[track_caller]
    pub fn try_chunk(&self, board: &str, window: &str, owner: &str, entries: u32) -> Option<bool> {
        let job = Job::Window(self.window(board, window));
        let chunk = Chunk { board: &self.site().boards[board], job, owner, entries, is_early: true };
        let done = pollster::block_on(self.store().upkeep(self.site(), &[chunk])).expect("redis answers").remove(0);
        done.expect("upkeep succeeds").map(|progress| progress.task != Task::Ready)
    }

    /// Upkeep of all rolling windows of a board to its end.
    #[track_caller]
    pub fn upkeep(&self, board: &str) {
        for (window, ..) in self.rolling(board) {
            let chunks = (0..2000).find(|_| !self.chunk(board, &window, 500));
            assert!(chunks.is_some(), "upkeep of {window} does not end");
        }
    }

    /// What events of the site count on.
    pub fn targets(&self) -> Vec<Target<'_>> {
        Target::each(self.site()).collect()
    }

    /// A chunk of an alias on each target where it is not done. Answers whether any is left.
    #[track_caller]
    pub fn alias_chunk(&self, old: &str, new: &str, entries: u32) -> bool {
        let (site, mut is_pending) = (self.site(), false);
        let id = |text| Id::new(text).expect("an id");
        let alias = Alias { old: id(old), new: id(new) };
        for target in Target::each(site) {
            match pollster::block_on(self.store().alias(site, target, &alias, entries)).expect("redis answers") {
                Merged::Chunk { next, .. } => is_pending |= next.is_some(),
                other => panic!("{other:?}"),
            }
        }
        is_pending
    }

    /// Takes somebody off a board, and keeps it off or lets it in again; answers the entries that were removed.
    #[track_caller]
    pub fn remove(&self, board: &str, whom: &Whom, keep_off: bool) -> u64 {
        let (store, board) = (self.store(), &self.site().boards[board]);
        let keep = |is_off| pollster::block_on(store.keep_off(self.site(), board, whom, is_off)).expect("redis answers");
        assert!(keep(true), "there is room");
        let (mut cursor, mut entries) = (None, 0);
        loop {
            let removed = pollster::block_on(store.remove(self.site(), board, whom, false, cursor.as_deref())).expect("redis answers");
            entries += removed.entries;
            cursor = removed.cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert!(keep_off || keep(false), "it is let in again");
        entries
    }

    /// Resets a window of a board, or all of them.
    #[track_caller]
    pub fn reset(&self, board: &str, window: Option<&str>) -> Reset {
        let (store, of) = (self.store(), &self.site().boards[board]);
        let window = window.map(|window| self.window(board, window));
        pollster::block_on(store.reset(self.site(), of, window, false)).expect("redis answers")
    }

    /// Lets somebody in again.
    #[track_caller]
    pub fn let_in(&self, board: &str, whom: &Whom) {
        let board = &self.site().boards[board];
        pollster::block_on(self.store().keep_off(self.site(), board, whom, false)).expect("redis answers");
    }

    /// The first thousand entries. Where these are all, the distribution is checked with them.
    #[track_caller]
    pub fn read(&self, board: &str, window: &str, number: Option<i64>) -> Page {
        let window = self.window(board, window);
        let period = number.and_then(|number| Some(Period { unit: window.period_unit()?, number }));
        let of = period_ref(self.site(), board, window, period);
        let page = page(&self.store(), self.site(), of.clone(), [0, 1000]);
        distribution::check(&self.store(), self.site(), &of, &page);
        page
    }

    /// All keys, read at one instant.
    pub fn contents(&self) -> Contents {
        let dump = self.server.command(&["EVAL", DUMP, "0"]);
        let Value::Array(keys) = dump else { panic!("a list of keys: {dump:?}") };
        keys.into_iter().map(read_key).collect()
    }
}

/// What a sorted set of some contents holds, without marks; nothing where there is none.
pub fn sorted(contents: &Contents, key: &str) -> BTreeMap<String, f64> {
    match contents.get(key).map(|key| &key.held) {
        None => BTreeMap::new(),
        Some(Held::Sorted(members)) => {
            let shown = members.iter().filter(|(member, _)| !member.starts_with('\0'));
            shown.map(|(member, score)| (member.clone(), score.parse().expect("a score"))).collect()
        }
        Some(other) => panic!("{key} is no sorted set: {other:?}"),
    }
}

const DUMP: &str = "
local dump = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local kind, held = redis.call('TYPE', key).ok, nil
  if kind == 'string' then held = { redis.call('GET', key) } end
  if kind == 'list' then held = redis.call('LRANGE', key, 0, -1) end
  if kind == 'set' then held = redis.call('SMEMBERS', key) end
  if kind == 'hash' then held = redis.call('HGETALL', key) end
  if kind == 'zset' then held = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') end
  if kind == 'stream' then
    held = {}
    for _, entry in ipairs(redis.call('XRANGE', key, '-', '+')) do
      for _, text in ipairs(entry[2]) do held[#held + 1] = text end
    end
  end
  dump[#dump + 1] = { key, kind, redis.call('EXPIRETIME', key), held }
end
return dump";

fn read_key(key: Value) -> (String, Key) {
    let Value::Array(fields) = key else { panic!("a key: {key:?}") };
    let [Value::BulkString(key), kind, Value::Int(expires_at), Value::Array(held)] = &fields[..] else { panic!("a key: {fields:?}") };
    let text = |value: &Value| match value {
        Value::BulkString(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::SimpleString(text) => text.clone(),
        other => panic!("a text: {other:?}"),
    };
    let mut texts: Vec<String> = held.iter().map(text).collect();
    let pairs = |texts: Vec<String>| texts.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect::<Vec<_>>();
    let held = match text(kind).as_str() {
        "string" => Held::Text(texts.remove(0)),
        "list" | "stream" => Held::List(texts),
        "set" => {
            texts.sort();
            Held::Set(texts)
        }
        "hash" => Held::Hash(pairs(texts).into_iter().collect()),
        _ => Held::Sorted(pairs(texts)),
    };
    (String::from_utf8_lossy(key).into_owned(), Key { held, expires_at: *expires_at })
}

fn read_config(site: &Json) -> Config {
    Config::read([("SITES".into(), json!({ "site": site }))], |_| true).unwrap_or_else(|error| panic!("{error:?}"))
}
