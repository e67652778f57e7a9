//! What windows must show: sums over a list of events, with periods from chrono-tz's own calendar.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use chrono::{DateTime, Datelike, Offset, TimeZone};
use chrono_tz::Tz;
use engine::adapter::Value;
use engine::store::Store;
use engine::store::upkeep::{Chunk, Job, Task};
use proptest::prelude::prop;
use ranking::counting::Target;
use ranking::counting::{Outcome, TargetBatch, TargetEvent};
use ranking::event::{SenderClass, When};
use ranking::name::Id;
use ranking::page::Page;
use ranking::period::Period;
use ranking::score::Score;
use ranking::site::{Board, Site};
use ranking::window::{Unit, Window};
use serde_json::json;
use serve::config::Config;

use crate::call;
use crate::call::{page, period_ref};
use crate::distribution;
use crate::support::{Connection, Server, TzZones};

/// A member's share at an instant.
#[derive(Clone, Debug)]
pub struct CountedEvent {
    pub at_ms: i64,
    pub member: String,
    pub delta: f64,
}

/// A board on a server, and the events that were put into it.
pub struct Ranking {
    pub server: Server,
    pub counted: Vec<CountedEvent>,
    /// Periods whose boards went, with how many events were counted before that.
    pub lost: Vec<(Unit, i64, usize)>,
    config: Config,
    connection: Connection,
    zones: TzZones,
    zone: Tz,
}

impl Ranking {
    pub fn new(timezone: &str, windows: serde_json::Value, start_ms: i64) -> Self {
        let server = Server::start_debugged(start_ms);
        let connection = Connection::new(server.url());
        let site = json!({ "site": {
            "timezone": timezone, "actions": { "view": {} },
            "boards": { "board": { "weights": { "view": 1 }, "windows": windows, "limit": 1000 } },
        } });
        let config = Config::read([("SITES".into(), site)], |_| true).expect("a valid configuration");
        Self {
            server,
            counted: Vec::new(),
            lost: Vec::new(),
            config,
            connection,
            zones: TzZones::default(),
            zone: timezone.parse().expect("a zone"),
        }
    }

    pub fn site(&self) -> &Rc<Site> {
        &self.config.sites["site"]
    }

    pub fn board(&self) -> &Board {
        &self.site().boards["board"]
    }

    pub fn window(&self, name: &str) -> &Window {
        self.board().window(name).expect("a window of the board")
    }

    pub fn now_ms(&self) -> i64 {
        let time = self.server.texts(&["TIME"]);
        time[0].parse::<i64>().expect("seconds") * 1000 + time[1].parse::<i64>().expect("microseconds") / 1000
    }

    fn store(&self) -> Store<'_, &Connection, TzZones> {
        call::store(&self.connection, &self.zones, self.now_ms() / 1000)
    }

    /// Puts events in, all in one call; those that were counted become part of the model.
    pub fn put(&mut self, events: &[CountedEvent]) {
        let ids: Vec<Id> = events.iter().map(|event| Id::new(&event.member).expect("an id")).collect();
        let (action, _) = self.site().actions.iter().next().expect("an action");
        let sent = events.iter().zip(&ids).map(|(event, member)| TargetEvent {
            item: Some(member),
            member,
            weight: Score::new(event.delta).expect("finite"),
            when: When::At(event.at_ms.try_into().expect("after 1970")),
            id: None,
            batch: None,
            index: 0,
            action,
            count: 1,
            meta: None,
            tracked: None,
            number: 0,
        });
        let batch = TargetBatch {
            target: Target::Board(self.board()),
            sender: SenderClass::Server,
            id: None,
            is_whole: true,
            events: sent.collect(),
            senders: Vec::new(),
        };
        let recorded = pollster::block_on(self.store().record(self.site(), &[batch], ""));
        let outcomes = recorded.expect("redis answers").remove(0).expect("the batch is well made");
        let counted = events.iter().zip(outcomes).filter(|(_, outcome)| *outcome == Outcome::Counted);
        let counted: Vec<CountedEvent> = counted.map(|(event, _)| event.clone()).collect();
        self.counted.extend(counted);
    }

    /// One chunk of upkeep of a window.
    pub fn upkeep(&self, window: &str, entries: u32) -> Task {
        self.chunk(Job::Window(self.window(window)), entries)
    }

    /// A chunk of building the past period that a reader wants; answers whether it was noted.
    pub fn build_past(&self, window: &str, period: Period, entries: u32) -> bool {
        let store = self.store();
        let want = store.want(self.site(), self.board(), self.window(window), period, "test");
        let is_noted = pollster::block_on(want).expect("redis answers");
        self.chunk(Job::Past, entries);
        is_noted
    }

    fn chunk(&self, job: Job<'_>, entries: u32) -> Task {
        let chunk = Chunk { board: self.board(), job, owner: "test", entries, is_early: true };
        let done = pollster::block_on(self.store().upkeep(self.site(), &[chunk])).expect("redis answers").remove(0);
        done.expect("upkeep succeeds").expect("nobody else is at it").task
    }

    /// What readers see of a period, or of the current one. The page tells at which instant it was read: time goes on meanwhile.
    pub fn page(&self, window: &str, period: Option<Period>) -> Page {
        let of = period_ref(self.site(), self.board().name.as_str(), self.window(window), period);
        let page = page(&self.store(), self.site(), of.clone(), [0, 1000]);
        distribution::check(&self.store(), self.site(), &of, &page);
        page
    }

    /// The number of the period that holds an instant. No zone of these tests sets its clock back across a period's start.
    pub fn number(&self, unit: Unit, at_ms: i64) -> i64 {
        let at = DateTime::from_timestamp_millis(at_ms).expect("an instant");
        let offset = i64::from(self.zone.offset_from_utc_datetime(&at.naive_utc()).fix().local_minus_utc());
        let local = at.with_timezone(&self.zone).date_naive();
        match unit {
            Unit::Minutes(grain) => at.timestamp().div_euclid(grain.seconds().into()),
            Unit::Hour => (at.timestamp() + offset.rem_euclid(3600)).div_euclid(3600),
            Unit::Day => i64::from(local.num_days_from_ce()) - 719_163,
            Unit::Week => (i64::from(local.num_days_from_ce()) - 719_163 + 3).div_euclid(7),
            Unit::Season => unreachable!("no season is counted here"),
            Unit::Month => i64::from(local.year()) * 12 + i64::from(local.month0()),
            Unit::Year => local.year().into(),
            Unit::All => 0,
        }
    }

    /// The day of an instant, where days begin so many seconds after local midnight.
    pub fn day_starting_at(&self, at_ms: i64, starts_at_s: i64) -> i64 {
        let at = DateTime::from_timestamp_millis(at_ms).expect("an instant");
        let local = at.with_timezone(&self.zone).naive_local();
        (local.and_utc().timestamp() - starts_at_s).div_euclid(86_400)
    }

    /// What each member's sum over `length` periods ending with number `last` must be; zeros left out.
    pub fn sums(&self, unit: Unit, length: u32, last: i64) -> BTreeMap<String, i64> {
        let mut sums = BTreeMap::new();
        for (i, event) in self.counted.iter().enumerate() {
            let number = self.number(unit, event.at_ms);
            let is_lost = self.lost.iter().any(|(of, lost, before)| *of == unit && *lost == number && i < *before);
            if number > last - i64::from(length) && number <= last && !is_lost {
                #[expect(clippy::cast_possible_truncation, reason = "small whole numbers")]
                let delta = event.delta as i64;
                *sums.entry(event.member.clone()).or_insert(0) += delta;
            }
        }
        sums.retain(|_, sum| *sum != 0);
        sums
    }

    /// Of which of `length` periods ending with number `last` the boards went.
    pub fn lost(&self, unit: Unit, length: u32, last: i64) -> BTreeSet<i64> {
        let numbers = self.lost.iter().filter(|(of, ..)| *of == unit).map(|(_, number, _)| *number);
        numbers.filter(|number| *number > last - i64::from(length) && *number <= last).collect()
    }

    /// Removes the board of a period of one of these units, if there is any, as Redis does to make room.
    pub fn evict(&mut self, units: &[Unit], index: prop::sample::Index) {
        let mut boards = Vec::new();
        for key in self.server.keys("eb:{site:board}:*") {
            let of = key
                .trim_start_matches("eb:{site:board}:")
                .split_once(':')
                .and_then(|(name, number)| Some((*units.iter().find(|unit| unit.name() == name)?, number.parse::<i64>().ok()?)));
            boards.extend(of.map(|(unit, number)| (key, unit, number)));
        }
        boards.sort_by(|a, b| a.0.cmp(&b.0));
        if !boards.is_empty() {
            let (key, unit, number) = index.get(&boards);
            self.server.command(&["UNLINK", key]);
            self.lost.push((*unit, *number, self.counted.len()));
        }
    }

    /// Whether a base board of a unit that the state lists as made is gone, and nobody noticed it.
    pub fn has_unnoticed(&self, unit: Unit) -> bool {
        let made = match self.server.command(&["HGET", "eb:{site:board}:state", &format!("made:{}", unit.code())]) {
            Value::BulkString(text) => String::from_utf8_lossy(&text).into_owned(),
            _ => String::new(),
        };
        made.split_whitespace().any(|number| {
            let key = format!("eb:{{site:board}}:{}:{number}", unit.name());
            self.server.command(&["EXISTS", &key]) == Value::Int(0)
        })
    }

    /// A whole sorted set, without marks.
    pub fn set(&self, key: &str) -> BTreeMap<String, i64> {
        let scores = self.server.scores(key).into_iter().filter(|(member, _)| !member.starts_with('\0'));
        scores.map(|(member, score)| (member, score.parse().expect("a whole score"))).collect()
    }

    /// Up to which period the boards of a rolling window are said to be right for every member.
    pub fn ready(&self, window: &str, current: i64) -> Option<i64> {
        let state = |field: &str| match self.server.command(&["HGET", "eb:{site:board}:state", field]) {
            Value::BulkString(text) => String::from_utf8_lossy(&text).into_owned(),
            _ => String::new(),
        };
        let mark = format!("\0{}", state("generation").parse::<i64>().unwrap_or(0));
        let key = |number: i64| format!("eb:{{site:board}}:window:{window}:{number}");
        let is_marked = |number: &i64| self.server.command(&["ZSCORE", &key(*number), &mark]) != Value::Nil;
        let is_whole = state(&format!("window:{window}")).starts_with("whole ");
        [current, current + 1].into_iter().take_while(is_marked).last().filter(|_| is_whole)
    }
}
