//! Upkeep beside a writer by the book, in plain commands: the scans by themselves, whatever is written or lost between two chunks.

use std::collections::BTreeMap;

use engine::adapter::Value;
use engine::store::Store;
use engine::store::upkeep::{Chunk, Job, Progress, Task};
use proptest::prelude::*;
use ranking::period::Period;
use ranking::site::{Board, Site};
use ranking::window::{Unit, Window};
use serde_json::json;
use serve::config::Config;

use crate::call::{self, BOARD, DAY_S, NOON_MS};
use crate::cases::{self, Counter};
use crate::support::{Connection, Server, TzZones};

const WINDOW: &str = "last-3-days";
const LENGTH: i64 = 3;
const NOON_DAY: i64 = 20_777;
/// Members around the sizes at which Redis changes how it stores a sorted set, and more than a slice of a scan.
const MEMBERS: u16 = 1_200;

static TOUCHED: Counter = Counter::new("members written during a repair");
static REPAIRED: Counter = Counter::new("repairs");
static PREPARED: Counter = Counter::new("boundaries crossed with a prepared board");
static LOST: Counter = Counter::new("keys lost");

#[derive(Clone, Debug)]
enum Op {
    /// A member gets points so many days ago.
    Write(u16, i8, i64),
    Chunk(u32),
    Finish,
    NextDay,
    /// A key is evicted: a base board of so many days ago, the current board, the next one, the touched set, the scan.
    Lose(i64),
    Restart,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let delta = prop_oneof![4 => 1..5_i8, 1 => -5..0_i8];
    let op = prop_oneof![
        8 => (0..MEMBERS, delta, 0..=LENGTH).prop_map(|(member, delta, ago)| Op::Write(member, delta, ago)),
        8 => prop_oneof![1..12_u32, 1..400_u32].prop_map(Op::Chunk),
        1 => Just(Op::Finish),
        2 => Just(Op::NextDay),
        1 => (-2..LENGTH + 2).prop_map(Op::Lose),
        1 => Just(Op::Restart),
    ];
    prop::collection::vec(op, 1..40)
}

struct World {
    server: Server,
    connection: Connection,
    zones: TzZones,
    config: Config,
}

impl World {
    fn new(ranking: &str) -> Self {
        Self::with(ranking, WINDOW)
    }

    fn with(ranking: &str, window: &str) -> Self {
        let server = Server::start_debugged(NOON_MS);
        let connection = Connection::new(server.url());
        let site = json!({ "site": { "actions": { "view": {} }, "boards": {
            "board": { "weights": { "view": 1 }, "windows": ["day", window], "ranking": ranking },
        } } });
        let config = Config::read([("SITES".into(), site)], |_| true).expect("a valid configuration");
        Self { server, connection, zones: TzZones::default(), config }
    }

    fn site(&self) -> &Site {
        &self.config.sites["site"]
    }

    fn board(&self) -> &Board {
        &self.site().boards["board"]
    }

    fn window(&self) -> &Window {
        self.board().window(WINDOW).expect("a window of the board")
    }

    fn today(&self) -> i64 {
        self.server.texts(&["TIME"])[0].parse::<i64>().expect("seconds") / DAY_S
    }

    fn store(&self) -> Store<'_, &Connection, TzZones> {
        call::store(&self.connection, &self.zones, self.today() * DAY_S)
    }

    fn chunk(&self, job: Job<'_>, entries: u32) -> Progress {
        let chunk = Chunk { board: self.board(), job, owner: "test", entries, is_early: true };
        let done = pollster::block_on(self.store().upkeep(self.site(), &[chunk])).expect("redis answers").remove(0);
        done.expect("upkeep succeeds").expect("nobody else is at it")
    }

    fn finish(&self) {
        while self.chunk(Job::Window(self.window()), 1_500).task != Task::Ready {}
    }

    fn state(&self, field: &str) -> Option<String> {
        match self.server.command(&["HGET", &format!("{BOARD}:state"), field]) {
            Value::BulkString(text) => Some(String::from_utf8(text).expect("UTF-8")),
            _ => None,
        }
    }

    fn rolling(day: i64) -> String {
        format!("{BOARD}:window:{WINDOW}:{day}")
    }

    fn has_mark(&self, key: &str) -> bool {
        let generation = self.state("generation").unwrap_or_else(|| "0".into());
        self.server.command(&["ZSCORE", key, &format!("\0{generation}")]) != Value::Nil
    }

    fn is_whole(&self) -> bool {
        let made = self.state("made:d").unwrap_or_default();
        let days = made.split_whitespace().map(|day| day.parse::<i64>().expect("a day"));
        let dropped = |day: i64| self.server.number(&["EXISTS", &format!("{BOARD}:day:{day}")]) == 0;
        let today = self.today();
        self.state(&format!("window:{WINDOW}")).is_some_and(|message| message.starts_with("whole "))
            && self.has_mark(&Self::rolling(today))
            && !days.filter(|day| *day > today - LENGTH && *day <= today).any(dropped)
    }

    /// Base boards of before this version: so many members, of whom a day has a part.
    fn fill(&self, members: u16) {
        for ago in 0..=LENGTH {
            let there = (0..members).filter(|member| (i64::from(*member) + ago) % 4 != 0);
            let scored: Vec<String> =
                there.flat_map(|member| [(1 + i64::from(member) % 5 * ago).to_string(), format!("m{member}")]).collect();
            for part in scored.chunks(1_000) {
                let base = format!("{BOARD}:day:{}", self.today() - ago);
                let words: Vec<&str> = ["ZADD", &base].into_iter().chain(part.iter().map(String::as_str)).collect();
                self.server.command(&words);
            }
        }
    }

    /// What record does, one member at a time.
    fn write(&self, member: u16, delta: i8, ago: i64) {
        let (today, member, delta) = (self.today(), format!("m{member}"), delta.to_string());
        let (base, state) = (format!("{BOARD}:day:{}", today - ago), format!("{BOARD}:state"));
        let made = self.state("made:d").unwrap_or_default();
        let is_made = made.split_whitespace().any(|day| day == (today - ago).to_string());
        let is_whole = self.is_whole();
        let is_new = self.server.command(&["ZSCORE", &base, "\0"]) == Value::Nil;
        if is_new {
            self.server.command(&["ZADD", &base, "-inf", "\0"]);
            self.server.command(&["HSET", &state, "made:d", &format!(" {} {} ", made.trim(), today - ago)]);
        }
        self.add(&base, &member, &delta);
        let message = self.state(&format!("window:{WINDOW}")).unwrap_or_default();
        // A base board that was there has been made anew.
        let is_broken = is_new && is_made && ago < LENGTH || message.starts_with("whole ") && !is_whole;
        if is_broken {
            for day in [today, today + 1] {
                self.server.command(&["ZREM", &Self::rolling(day), "\u{0}0"]);
            }
            self.server.command(&["HSET", &state, &format!("window:{WINDOW}"), "broken"]);
        } else if is_whole {
            if ago < LENGTH {
                self.add(&Self::rolling(today), &member, &delta);
            }
            let score = |key: String| match self.server.command(&["ZSCORE", &key, &member]) {
                Value::BulkString(text) => String::from_utf8(text).expect("UTF-8").parse::<i64>().expect("a whole score"),
                _ => 0,
            };
            let next = score(Self::rolling(today)) - score(format!("{BOARD}:day:{}", today - LENGTH + 1));
            if next == 0 {
                self.server.command(&["ZREM", &Self::rolling(today + 1), &member]);
            } else {
                self.server.command(&["ZADD", &Self::rolling(today + 1), &next.to_string(), &member]);
            }
        } else if message == format!("repair {today}") {
            self.server.command(&["SADD", &format!("{BOARD}:window:{WINDOW}:touched"), &member]);
            TOUCHED.add(1);
        }
    }

    fn add(&self, key: &str, member: &str, delta: &str) {
        if self.server.text(&["ZINCRBY", key, delta, member]) == "0" {
            self.server.command(&["ZREM", key, member]);
        }
    }

    fn set(&self, key: &str) -> BTreeMap<String, i64> {
        let scores = self.server.scores(key).into_iter().filter(|(member, _)| !member.starts_with('\0'));
        scores.map(|(member, score)| (member, score.parse().expect("a whole score"))).collect()
    }

    /// Whether the current board is right for every member, when it says so.
    #[track_caller]
    fn check(&self, last: i64, key: &str, what: &str) {
        let mut sums = BTreeMap::new();
        for day in last - LENGTH + 1..=last {
            for (member, score) in self.set(&format!("{BOARD}:day:{day}")) {
                *sums.entry(member).or_insert(0) += score;
            }
        }
        sums.retain(|_, sum| *sum != 0);
        assert_eq!(self.set(key), sums, "{key} after {what}");
    }

    fn run(&self, op: &Op) {
        match op {
            Op::Write(member, delta, ago) => self.write(*member, *delta, *ago),
            Op::Chunk(entries) => {
                let before = self.is_whole();
                self.chunk(Job::Window(self.window()), *entries);
                REPAIRED.add(usize::from(!before && self.is_whole()));
            }
            Op::Finish => self.finish(),
            Op::NextDay => {
                self.server.clock.set((self.today() + 1) * DAY_S * 1000 + DAY_S * 500);
                PREPARED.add(usize::from(self.is_whole()));
            }
            Op::Lose(what) => {
                let today = self.today();
                let key = match *what {
                    -2 => format!("{BOARD}:window:{WINDOW}:touched"),
                    -1 => format!("{BOARD}:window:{WINDOW}:scan"),
                    ago if ago < LENGTH => format!("{BOARD}:day:{}", today - ago),
                    next => Self::rolling(today + next - LENGTH),
                };
                LOST.add(usize::try_from(self.server.number(&["DEL", &key])).expect("0 or 1"));
            }
            Op::Restart => self.server.reload(&[]),
        }
    }
}

#[test]
fn whoever_writes_and_whatever_is_lost() {
    cases::run(file!(), 64, &(prop_oneof![Just(5), Just(127), Just(129), Just(MEMBERS)], ops()), |(members, ops)| {
        let world = World::new("ordinal");
        world.fill(members);
        for op in ops.iter().chain([&Op::Finish, &Op::NextDay, &Op::Finish]) {
            world.run(op);
            if world.is_whole() {
                world.check(world.today(), &World::rolling(world.today()), &format!("{op:?}"));
            }
        }
        assert!(world.is_whole());
        Ok(())
    });
    TOUCHED.assert_above(20);
    REPAIRED.assert_above(20);
    PREPARED.assert_above(10);
    LOST.assert_above(10);
}

/// Each base board costs a few commands before it is summed up. A piece looks at some of them only.
#[test]
fn a_window_of_many_periods_is_repaired_in_pieces() {
    const LONG: &str = "last-744-hours";
    const HOURS: i64 = 744;
    let world = World::with("ordinal", LONG);
    let hour = NOON_MS / 3_600_000;
    let key = |ago: i64| format!("{BOARD}:hour:{}", hour - ago);
    world.server.command(&["ZADD", &key(0), "1", "m1"]);
    (1..HOURS).for_each(|ago| drop(world.server.command(&["COPY", &key(0), &key(ago)])));

    let mut pieces = 0;
    let mut is_pending = true;
    while is_pending {
        world.server.command(&["CONFIG", "RESETSTAT"]);
        let progress = world.chunk(Job::Window(world.board().window(LONG).expect("a window of the board")), 500);
        let commands: u64 = call::calls(&world.server).values().sum();
        assert!(commands <= 600, "{commands} commands in piece {pieces}");
        is_pending = progress.task == Task::Repair;
        pieces += 1;
    }
    assert!(pieces > 4, "in {pieces} pieces");
    assert_eq!(world.set(&format!("{BOARD}:window:{LONG}:{hour}")), BTreeMap::from([("m1".into(), HOURS)]));
}

/// A past ranking is built when it is wanted, and is right until its version changes.
#[test]
fn past_rankings() {
    let world = World::new("dense");
    for ago in 0..=LENGTH {
        (0..MEMBERS).step_by(3).for_each(|member| world.write(member, 1 + i8::try_from(member % 7).expect("small"), ago));
    }
    let yesterday = Period { unit: Unit::Day, number: NOON_DAY - 1 };
    let want = |by: &str, period: Period| {
        pollster::block_on(world.store().want(world.site(), world.board(), world.window(), period, by)).expect("redis answers")
    };
    assert!(want("one", yesterday));
    assert!(want("two", yesterday), "it is noted already");
    assert!(!want("one", Period { number: NOON_DAY - 2, ..yesterday }), "one per address");
    assert!(!want("three", Period { number: NOON_DAY, ..yesterday }), "it is not past");
    let finish = || (0..1_000).take_while(|_| world.chunk(Job::Past, 300).task != Task::Ready).count();
    assert!(finish() > 1, "in chunks");
    let key = |number: i64| format!("{BOARD}:window:{WINDOW}:past:{number}");
    let built = key(yesterday.number);
    assert!(world.server.command(&["ZSCORE", &built, "\u{0}1"]) != Value::Nil);
    world.check(yesterday.number, &built, "it is built");
    check_index(&world, &built);
    assert!((3_500..=3_600).contains(&world.server.number(&["TTL", &built])));
    assert!(want("one", Period { number: NOON_DAY - 2, ..yesterday }), "what it wanted is there");

    // Four stay, those that were begun last.
    for by in 0..15 {
        // Of those that are wanted within a millisecond nobody can say which was first.
        world.server.clock.set(NOON_MS + 60_000 + 100 * by);
        assert!(want(&by.to_string(), Period { number: NOON_DAY - 10 - by, ..yesterday }));
    }
    assert!(!want("four", Period { number: NOON_DAY - 3, ..yesterday }), "sixteen at most");
    assert!(finish() > 16);
    let kept: Vec<i64> = (1..40).map(|ago| NOON_DAY - ago).filter(|number| world.server.number(&["EXISTS", &key(*number)]) == 1).collect();
    assert_eq!(kept, [21, 22, 23, 24].map(|ago| NOON_DAY - ago));
    assert_eq!(world.state("past").expect("past").split_whitespace().count(), 4);
    let remaining = world.server.keys(&format!("{}*", key(NOON_DAY - 20)));
    assert!(remaining.is_empty(), "{remaining:?}");
}

/// The index of distinct scores of a board tells how many have each score.
#[track_caller]
fn check_index(world: &World, key: &str) {
    let mut holders = BTreeMap::new();
    for score in world.set(key).into_values() {
        *holders.entry(score.to_string()).or_insert(0) += 1;
    }
    let distinct: BTreeMap<String, i64> = world.set(&format!("{key}:distinct"));
    assert_eq!(distinct.keys().collect::<Vec<_>>(), holders.keys().collect::<Vec<_>>(), "{key}");
    for (score, count) in &holders {
        assert_eq!(world.server.text(&["HGET", &format!("{key}:holders"), score]), count.to_string(), "{key} {score}");
    }
    assert_eq!(world.server.text(&["HGET", &format!("{key}:holders"), "\0"]), "-inf");
    assert_eq!(world.server.number(&["HLEN", &format!("{key}:holders")]), 1 + i64::try_from(holders.len()).expect("few"));
}

/// Upkeep builds the indexes that boards lack, and looks again when a key has gone.
#[test]
fn indexes_that_boards_lack() {
    let world = World::new("dense");
    for ago in 0..LENGTH {
        (0..MEMBERS).step_by(2).for_each(|member| world.write(member, 1 + i8::try_from(member % 97).expect("small"), ago));
    }
    world.finish();
    let finish = || while world.chunk(Job::Indexes, 50).task != Task::Ready {};
    finish();
    let keys: Vec<String> = (0..LENGTH).map(|ago| format!("{BOARD}:day:{}", NOON_DAY - ago)).collect();
    keys.iter().chain([&World::rolling(NOON_DAY), &World::rolling(NOON_DAY + 1)]).for_each(|key| check_index(&world, key));
    // A repair leaves the index to be built, and what is next is prepared from there.
    world.server.command(&["DEL", &World::rolling(NOON_DAY)]);
    world.finish();
    finish();
    check_index(&world, &World::rolling(NOON_DAY));
    for lost in ["distinct", "holders"] {
        world.server.command(&["DEL", &format!("{}:{lost}", keys[0])]);
        world.server.clock.set(world.today() * DAY_S * 1000 + DAY_S * 1500);
        world.finish();
        finish();
        check_index(&world, &keys[0]);
    }
}
