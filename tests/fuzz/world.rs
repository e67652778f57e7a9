//! A deployment whose Redis is made up from what a real one answered.

use std::pin::Pin;
use std::rc::Rc;

use admin::api;
use http::{Request, Response};
use ranking::token::{Right, Tokens};
use serde_json::{Value, json};
use serve::app::App;
use serve::app::memory::Memory;
use serve::config::Config;

use crate::random::Random;
use crate::redis::{MadeUp, Mood};
use crate::runtime::NativeRuntime;
use crate::support::{Connection, Server, zones};

/// Friday, 2026-11-20T12:00:00Z.
const NOON_MS: i64 = 1_795_176_000_000;
pub const WRITE_TOKEN: &str = "the-write-token";
pub const ADMIN_TOKEN: &str = "the-admin-token";

pub struct World {
    runtime: NativeRuntime<MadeUp>,
    pub config: Rc<Config>,
    tokens: Tokens,
}

impl World {
    /// Learns what a real Redis answers to these requests.
    pub fn learn(requests: impl IntoIterator<Item = Request<Vec<u8>>>) -> Self {
        let server = Server::start_at(NOON_MS);
        let made_up = MadeUp { recorded: Rc::default(), real: Rc::new(Connection::new(server.url())) };
        let mut tokens = Tokens::default();
        tokens.grant(Right::Write, None, WRITE_TOKEN);
        tokens.grant(Right::Admin, None, ADMIN_TOKEN);
        tokens.grant(Right::Sign, None, "a-secret-of-the-site");
        let world = Self { runtime: NativeRuntime::new(made_up, NOON_MS.unsigned_abs()), config: Rc::new(config()), tokens };
        for request in requests {
            let answer = world.answer_in(Mood::Recording, &world.isolate(Rc::clone(&world.config)), request);
            assert!(answer.status().as_u16() < 500, "{}", String::from_utf8_lossy(answer.body()));
        }
        let known = world.runtime.link().recorded.names();
        for script in ["record_event", "record_batch", "record_tracked", "top", "ranks", "explain", "activity", "erase", "curate", "upkeep"]
        {
            assert!(known.iter().any(|name| name == script), "no request runs {script}; known: {known:?}");
        }
        world
    }

    /// Answers a request, in a mood that its input decides.
    pub fn answer(&self, input: &[u8], request: Request<Vec<u8>>) -> Response<Vec<u8>> {
        self.answer_as(Rc::clone(&self.config), input, request)
    }

    /// The same in another configuration.
    pub fn answer_as(&self, config: Rc<Config>, input: &[u8], request: Request<Vec<u8>>) -> Response<Vec<u8>> {
        let mut random = Random::of(input);
        let mood = *random.pick(&[Mood::Honest, Mood::Honest, Mood::Lying, Mood::Lying, Mood::Failing]);
        *self.runtime.link().recorded.random.borrow_mut() = Some(random);
        self.answer_in(mood, &self.isolate(config), request)
    }

    fn isolate(&self, config: Rc<Config>) -> App<NativeRuntime<MadeUp>> {
        App { runtime: self.runtime.clone(), config, memory: Rc::new(Memory::new("seed")) }
    }

    fn answer_in(&self, mood: Mood, app: &App<NativeRuntime<MadeUp>>, request: Request<Vec<u8>>) -> Response<Vec<u8>> {
        self.runtime.link().recorded.mood.set(mood);
        // What one input has in the cache, no other one finds.
        self.runtime.edge().take();
        let answered: Pin<Box<dyn Future<Output = Response<Vec<u8>>> + '_>> = Box::pin(api::handle(app, &self.tokens, request));
        let response = self.runtime.run(vec![answered]).pop().expect("one answer");
        self.runtime.finish_background();
        self.runtime.take_log();
        response
    }
}

/// The variables of the deployment: every kind of window, and every option of a board.
pub fn variables() -> Value {
    let decaying = json!([
        { "name": "hot", "kind": "half-life", "half_life": "6h" },
        { "name": "fading", "kind": "step", "every": "hour", "factor": 0.9 },
        { "name": "smooth", "kind": "linear", "resets": "day", "at": "02:01:00", "beta": 1.1 },
    ]);
    json!({
        "REDIS_URL": "redis://127.0.0.1:6379",
        "KEY_PREFIX": "eb",
        "WRITE_TOKEN": WRITE_TOKEN,
        "ADMIN_TOKEN": ADMIN_TOKEN,
        "ACTOR_SECRET": "a-secret-of-the-site",
        "SITES": { "demo": {
            "origins": ["https://blog.example", "https://*.shop.example"],
            "timezone": "Europe/Berlin",
            "day_starts_at": "04:00",
            "week_starts_on": "sunday",
            "actor_history": "31d",
            "activity": true,
            "actions": { "view": { "public": true }, "like": { "reversible": true, "signed": true }, "comment": {} },
            "boards": {
                "articles": {
                    "members": "items",
                    "weights": { "view": 1, "like": 2, "comment": -3 },
                    "windows": ["hour", "day", "week", "month", "year", "all", "last-7-days", "last-2-months"],
                    "limit": 50,
                    "max_members": 1000,
                    "replay_window": { "browsers": "1h", "servers": "24h" },
                    "ties": "first",
                    "ranking": "dense",
                    "breakdown": true,
                    "fresh": "2s",
                },
                "once": { "weights": { "view": 1 }, "windows": ["day", "last-3-days"], "once": { "view": "day" }, "min_score": 0.5, "movement": false },
                "people": { "members": "actors", "weights": { "view": 1, "like": 0.25 }, "windows": ["day", "last-24-hours"], "ranking": "competition" },
                "trend": { "weights": { "view": 1 }, "windows": decaying },
            },
        } },
    })
}

fn config() -> Config {
    let Value::Object(variables) = variables() else { unreachable!("they are a table") };
    Config::read(variables, knows_zone).expect("valid")
}

pub fn knows_zone(zone: &str) -> bool {
    zones::parse(zone).is_some()
}
