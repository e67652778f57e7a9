//! What reads and beacons take of their client's limit, by what they may cost.

use std::cell::Cell;
use std::rc::Rc;

use http::Request;
use ranking::site::{Limits, Site};
use serde_json::{Value, json};
use serve::app::App;
use serve::app::memory::Memory;
use serve::config::Config;

use crate::faulty::FaultyRuntime;
use crate::support::zones;
use crate::world::{Answer, NOON_MS, World, body, get, header, post};

const DAY_MS: i64 = 86_400_000;

/// A board with everything that can be asked of it.
fn board(limits: &Value) -> Value {
    json!({
        "origins": ["https://blog.example"],
        "actors": "any",
        "limits": limits,
        "actions": { "view": { "public": true }, "like": { "public": true, "reversible": true } },
        "boards": {
            "articles": {
                "weights": { "view": 1, "like": 2 },
                "windows": ["hour", "day", "week", "month", "year", "all", "last-400-days", { "name": "hot", "kind": "half-life", "half_life": "6h" }],
                "keep": { "day": "400d" },
                "breakdown": true,
            },
            "dense": { "weights": { "view": 1 }, "windows": ["day", "last-7-days"], "ranking": "dense" },
            "ties": { "weights": { "view": 1 }, "windows": ["day", "last-7-days"], "ranking": "competition", "ties": "first" },
        },
    })
}

pub struct Door {
    pub world: World,
    pub app: App<FaultyRuntime>,
    sent: Cell<u32>,
}

impl Door {
    pub fn new(site: Value) -> Self {
        let world = World::noon();
        let config = Config::read([("SITES".into(), json!({ "demo": site }))], |zone| zones::parse(zone).is_some()).expect("valid");
        let app = App { config: Rc::new(config), ..world.app.clone() };
        Self { world, app, sent: Cell::new(0) }
    }

    pub fn answer(&self, request: Request<Vec<u8>>) -> Answer {
        self.world.answers([(&self.app, request)]).pop().expect("one answer")
    }

    pub fn get(&self, path: &str) -> Answer {
        self.answer(get(path))
    }

    /// Another isolate of the same deployment.
    pub fn forget(&mut self) {
        self.app = App { memory: Rc::new(Memory::new("door")), ..self.app.clone() };
        self.world.runtime.edge().borrow_mut().clear();
    }

    /// Commands of Redis, those inside scripts included.
    fn commands(&self, run: impl FnOnce()) -> u32 {
        self.cost(run).0
    }

    /// The same, and the microseconds that they took it.
    pub fn cost(&self, run: impl FnOnce()) -> (u32, u64) {
        self.world.server.command(&["CONFIG", "RESETSTAT"]);
        run();
        self.world.runtime.finish_background();
        let stats = self.world.server.text(&["INFO", "commandstats"]);
        let of_line = |line: &str| {
            let (name, rest) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
            let is_own = name.starts_with("config") || name.starts_with("info");
            let (calls, rest) = rest.split_once(",usec=")?;
            // A script's time has that of its commands.
            let us = if name.starts_with("eval") { rest.split_once(',')?.0.parse().ok()? } else { 0 };
            Some((calls.parse::<u32>().ok().filter(|_| !is_own)?, us))
        };
        stats.lines().filter_map(of_line).fold((0, 0), |(all, all_us), (calls, us)| (all + calls, all_us + us))
    }

    /// What is taken of the limit of this client so far, as far as its limit goes.
    pub fn misses(&self) -> u32 {
        let site = &self.app.config.sites["demo"];
        let limited = |misses| Site { limits: Limits { misses, ..site.limits }, ..Site::clone(site) };
        let (mut low, mut high) = (0, 2 * Limits::DEFAULT.misses);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if self.app.admission().is_past_misses(&limited(middle)).is_some() { low = middle } else { high = middle - 1 }
        }
        low
    }

    pub fn beacon(&self, events: &Value, address: &str) -> Answer {
        self.sent.set(self.sent.get() + 1);
        let mut request = post("/v1/demo/beacon", &json!({ "id": format!("b{:015}", self.sent.get()), "events": events }));
        request.headers_mut().insert("cf-connecting-ip", address.parse().expect("a header"));
        self.answer(request)
    }
}

const DAYS: &str = "/v1/demo/boards/articles/day/members/a/series";

#[test]
fn a_series_comes_in_pages_of_which_none_is_above_250_commands() {
    let door = Door::new(board(&json!({ "misses": 0 })));
    door.beacon(&json!([{ "action": "view", "item": "a" }]), "192.0.2.1");
    for (query, ids, page) in
        [("", 1, 122), ("&rank=1", 1, 81), ("&rank=1&actions=1", 1, 61), ("&rank=1", 3, 49), ("&rank=1", 100, 2), ("", 100, 32)]
    {
        let (mut from, mut periods, mut pages) = (String::from("2025-11-21"), Vec::new(), 0);
        loop {
            let query = format!("?from={from}&to=2026-11-20{query}");
            let mut answered = Value::Null;
            let commands = door.commands(|| {
                let answer = if ids == 1 {
                    door.get(&format!("{DAYS}{query}"))
                } else {
                    let ids: Vec<String> = (0..ids).map(|i| format!("m{i}")).collect();
                    door.answer(post(&format!("/v1/demo/boards/articles/day/series{query}"), &json!({ "ids": ids })))
                };
                assert_eq!(answer.status(), 200, "{}", body(&answer));
                answered = body(&answer);
            });
            assert!(commands <= 250, "{query}: {commands}");
            let points = if ids == 1 { &answered["points"] } else { &answered["series"][0]["points"] };
            let points = points.as_array().expect("a list");
            assert!(points.len() <= page, "{query}: {}", points.len());
            periods.extend(points.iter().map(|point| point["period"].as_str().expect("a day").to_owned()));
            pages += 1;
            match answered["next"].as_str() {
                Some(next) => next.clone_into(&mut from),
                None => break,
            }
            assert_eq!(points.len(), page, "{query}");
        }
        assert_eq!((periods.len(), pages), (365, 365usize.div_ceil(page)), "{query}");
        assert!(periods.is_sorted() && periods[0] == "2025-11-21" && periods[364] == "2026-11-20", "{query}");
    }
}

#[test]
fn a_series_is_kept_like_a_member() {
    let door = Door::new(board(&json!({})));
    door.world.runtime.set_address("192.0.2.1");
    let first = door.get(DAYS);
    assert_eq!((first.status().as_u16(), header(&first, "cache-status")), (200, "edgeboard; fwd=miss"));
    assert_eq!(header(&first, "cache-control").split(',').next(), Some("public"));
    let many = || door.answer(post("/v1/demo/boards/articles/day/series", &json!({ "ids": ["a", "b"] })));
    assert_eq!(many().status(), 200);
    door.world.runtime.take_sent();
    for _ in 0..400 {
        assert_eq!(header(&door.get(DAYS), "cache-status"), "edgeboard; hit; detail=memory");
        assert_eq!(many().status(), 200);
    }
    assert!(door.world.runtime.take_sent().is_empty(), "a repeated one is no miss");
    assert_eq!(header(&many(), "cache-control"), "no-store");
    let mut again = get(DAYS);
    again.headers_mut().insert("if-none-match", header(&first, "etag").parse().expect("a tag"));
    assert_eq!(door.answer(again).status(), 304);
}

#[test]
fn an_explanation_of_many_base_periods_comes_in_pages() {
    let door = Door::new(board(&json!({ "misses": 0 })));
    door.beacon(&json!([{ "action": "view", "item": "a" }, { "action": "like", "item": "a", "actor": "ann" }]), "192.0.2.1");
    let path = "/v1/demo/boards/articles/last-400-days/members/a/explain";
    let (mut query, mut score, mut pages) = (String::new(), 0.0, 0);
    loop {
        let mut answered = Value::Null;
        let commands = door.commands(|| answered = body(&door.get(&format!("{path}{query}"))));
        assert!(commands <= 250, "{commands}");
        score += answered["score"].as_f64().unwrap_or_else(|| panic!("{answered}"));
        assert_eq!(answered["unexplained"], 0);
        pages += 1;
        let Some(next) = answered["next"].as_str() else { break };
        query = format!("?cursor={next}");
    }
    assert_eq!((score, pages), (3.0, 4), "400 days are four pages of up to 120");
    assert_eq!(body(&door.get("/v1/demo/boards/articles/day/members/a/explain?cursor=1"))["code"], "invalid-parameter");
}

/// What a client may ask for in a minute, of one kind; each time something else.
fn let_in(door: &Door, ask: impl Fn(u32) -> Request<Vec<u8>>) -> u32 {
    (0..1_000).find(|i| door.answer(ask(*i)).status() == 429).unwrap_or(1_000)
}

#[test]
fn a_miss_takes_as_much_as_it_may_cost() {
    let path = |rest: &str| format!("/v1/demo/boards/articles/{rest}");
    let ranks = |board: &str, ids: u32, i: u32| {
        let ids: Vec<String> = (0..ids).map(|id| format!("m{i}-{id}")).collect();
        post(&format!("/v1/demo/boards/{board}/day/ranks"), &json!({ "ids": ids }))
    };
    for (what, misses, ask) in [
        ("a page", 1, &(|i: u32| get(&path(&format!("day?offset={}&limit={}", i % 50, 1 + i / 50)))) as &dyn Fn(u32) -> Request<Vec<u8>>),
        ("a member", 1, &|i| get(&path(&format!("day/members/m{i}")))),
        ("ranks of one", 1, &|i| ranks("articles", 1, i)),
        // 5 + 2 + 2 × 100 commands.
        ("ranks of a hundred", 21, &|i| ranks("articles", 100, i)),
        ("shared ranks of a hundred", 11, &|i| ranks("ties", 100, i)),
        ("dense ranks of a hundred", 21, &|i| ranks("dense", 100, i)),
        // 5 + 2 × 30 commands.
        ("a series", 7, &|i| get(&path(&format!("day/members/m{i}/series")))),
        ("a page of a series", 25, &|i| get(&path(&format!("day/members/m{i}/series?from=2025-11-01")))),
        ("an explanation", 1, &|i| get(&path(&format!("day/members/m{i}/explain")))),
        ("a page of a long explanation", 25, &|i| get(&path(&format!("last-400-days/members/m{i}/explain")))),
    ] {
        let mut door = Door::new(board(&json!({})));
        door.world.runtime.set_address("192.0.2.1");
        assert_eq!(let_in(&door, ask), 300 / misses, "{what}");
        door.world.runtime.set_address("192.0.2.2");
        assert_ne!(door.answer(ask(2_000)).status(), 429, "{what} of another client");
        door.forget();
        let commands = door.commands(|| drop(door.answer(ask(3_000))));
        assert!(commands <= 10 * misses, "{what}: {commands} commands for {misses}");
    }
}

/// The distribution is paid for by whoever has it read.
#[test]
fn ranks_of_a_thousand_take_what_the_distribution_may_cost_and_then_one_each() {
    let door = Door::new(board(&json!({})));
    let ids: Vec<String> = (0..1_000).map(|id| format!("m{id}")).collect();
    let ask = |i: u32| post("/v1/demo/boards/ties/day/ranks", &json!({ "ids": ids[i as usize..], "exact": false }));
    door.world.runtime.set_address("192.0.2.1");
    // 5 + 3 + 2 × 100 commands.
    let commands = door.commands(|| assert_eq!(door.answer(ask(0)).status(), 200));
    assert_eq!(door.misses(), 1 + 21);
    assert!(commands <= 10 * 22, "{commands}");
    door.world.runtime.set_address("192.0.2.2");
    let commands = door.commands(|| assert_eq!(door.answer(ask(1)).status(), 200));
    assert_eq!((door.misses(), commands), (1, 5));
    assert_eq!(let_in(&door, |i| ask(i % 999)), 299);
}

#[test]
fn who_is_past_the_limit_has_nothing_renewed() {
    let door = Door::new(board(&json!({ "misses": 2 })));
    let runtime = &door.world.runtime;
    let path = "/v1/demo/boards/articles/day";
    runtime.set_address("192.0.2.1");
    door.get(path);
    door.get("/v1/demo/boards/articles/week");
    runtime.set_clock_ms(runtime.now_ms() + 3_000);
    runtime.take_sent();
    for _ in 0..80 {
        assert_eq!(header(&door.get(path), "cache-status"), "edgeboard; fwd=stale; detail=memory");
        runtime.finish_background();
    }
    assert!(runtime.take_sent().is_empty(), "none of 80");
    runtime.set_address("192.0.2.2");
    assert_eq!(header(&door.get(path), "cache-status"), "edgeboard; fwd=stale; detail=memory");
    runtime.finish_background();
    assert_eq!(runtime.take_sent(), ["FCALL_RO top"], "another reader has it renewed");
}

/// So many days after noon's.
fn day(days: i64) -> String {
    chrono::DateTime::from_timestamp_millis(NOON_MS + days * DAY_MS).expect("in range").format("%Y-%m-%d").to_string()
}

/// Members of each day are others, so that nothing can be added up at once, and all that an order of ties needs is read.
#[test]
fn a_past_ranking_is_built_for_who_asks_as_far_as_its_limit_goes() {
    for (length, each_day) in [(7, 1), (7, 3), (7, 120), (20, 1), (20, 3), (24, 2), (24, 30), (37, 1), (37, 9)] {
        let what = format!("{length} days of {each_day}");
        let window = format!("last-{length}-days");
        let door = Door::new(json!({
            "actions": { "view": { "public": true } },
            "boards": { "posts": {
                "weights": { "view": 1 }, "windows": ["day", window], "keep": { "day": "100d" },
                "ranking": "dense", "ties": "first", "breakdown": true,
            } },
        }));
        for day in 0..length {
            door.world.server.clock.set(NOON_MS + day * DAY_MS);
            for i in 0..each_day {
                door.beacon(&json!([{ "action": "view", "item": format!("d{day}-{i}") }]), &format!("198.51.{day}.{i}"));
            }
        }
        door.world.runtime.set_address("192.0.2.1");
        let past = format!("/v1/demo/boards/posts/{window}?limit=100&period={}", day(length - 1));
        let (mut answer, mut minutes) = (json!({ "complete": false }), 0);
        while answer["complete"] == json!(false) {
            // A chunk of the minute before is over.
            door.world.server.clock.set(NOON_MS + (length + 1) * DAY_MS + 61_000 * minutes);
            door.world.runtime.set_clock_ms(door.world.runtime.now_ms() + 61_000);
            let commands = door.commands(|| answer = body(&door.get(&past)));
            let paid = 10 * door.misses();
            assert!(commands <= paid && paid <= 270, "{what}: {commands} commands, {paid} paid");
            minutes += 1;
        }
        assert!((2..=30).contains(&minutes), "{what}: {minutes}");
        let entries = answer["entries"].as_array().expect("a list").len();
        assert_eq!(entries, usize::try_from(length * each_day).expect("few").min(100), "{what}");
    }
}

/// What costs more than a read may is left to upkeep.
#[test]
fn a_long_past_ranking_is_not_built_by_who_asks() {
    let door = Door::new(json!({
        "actions": { "view": { "public": true } },
        "boards": { "posts": { "weights": { "view": 1 }, "windows": ["day", "last-60-days"], "keep": { "day": "100d" } } },
    }));
    door.beacon(&json!([{ "action": "view", "item": "a" }]), "198.51.100.1");
    door.world.server.clock.set(NOON_MS + DAY_MS);
    door.world.runtime.set_address("192.0.2.1");
    let past = format!("/v1/demo/boards/posts/last-60-days?period={}", day(0));
    let commands = door.commands(|| assert_eq!(body(&door.get(&past))["complete"], json!(false)));
    assert!(commands <= 20 && door.misses() == 2, "{commands} commands, {} misses", door.misses());
}

#[test]
fn several_rankings_are_one_answer_in_whatever_order() {
    let door = Door::new(board(&json!({})));
    door.world.runtime.set_address("192.0.2.1");
    door.get("/v1/demo/top?boards=articles/day,dense/day,ties/day&limit=100");
    door.world.runtime.take_sent();
    for boards in ["ties/day,articles/day,dense/day", "dense/day,ties/day,articles/day", "dense%2Fday,articles%2Fday,ties/day"] {
        let answer = door.get(&format!("/v1/demo/top?limit=100&boards={boards}"));
        assert_eq!(header(&answer, "cache-status"), "edgeboard; hit; detail=memory", "{boards}");
    }
    assert!(door.world.runtime.take_sent().is_empty());
}

/// Beacons of one kind that a client may send in a minute, and that each costs no more than 40 commands for each one that it takes.
fn beacons_let_in(limits: &Value, events: &dyn Fn(u32) -> Value) -> (u32, u32) {
    let door = Door::new(board(limits));
    // The first one of a period makes its boards.
    door.beacon(&json!([{ "action": "view", "item": "first" }, { "action": "like", "item": "first", "actor": "first" }]), "192.0.2.9");
    let mut most = 0;
    let let_in = (0..200).find(|i| {
        let mut status = 0;
        let commands = door.commands(|| status = door.beacon(&events(*i), "192.0.2.1").status().as_u16());
        most = most.max(commands);
        status == 429
    });
    (let_in.unwrap_or(200), most)
}

#[test]
fn a_beacon_takes_as_much_as_its_events_may_cost() {
    let view = |i: u32, ago: u64| json!({ "action": "view", "item": format!("x{i}-{ago}"), "ago": ago });
    let like = |i: u32, ago: u64| json!({ "action": "like", "item": format!("x{i}"), "actor": format!("u{i}"), "ago": ago });
    let hours = |one: &dyn Fn(u32, u64) -> Value, i: u32| (0..20).map(|hour| one(i, hour * 3_700_000)).collect::<Value>();
    for (what, events) in [
        ("a view", &(|i| json!([view(i, 0)])) as &dyn Fn(u32) -> Value),
        ("twenty views", &|i| (0..20).map(|ago| view(i, ago)).collect()),
        ("twenty views of other hours", &|i| hours(&view, i)),
        ("a like", &|i| json!([like(i, 0)])),
        ("twenty likes of other hours", &|i| hours(&like, i)),
    ] {
        let (count, most) = beacons_let_in(&json!({}), events);
        println!("{what}: {count} a minute, up to {most} commands");
        assert!((1..=120).contains(&count), "{what}: {count}");
        assert!(count * most <= 120 * 40, "{what}: {count} of {most} commands");
    }
}
