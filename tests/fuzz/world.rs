//! A deployment whose Redis is made up from what a real one answered.

use std::cell::{Cell, RefCell};
use std::ops::DerefMut;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use edgeboard::api;
use edgeboard::app::admission::Limited;
use edgeboard::app::cache::Entry;
use edgeboard::app::memory::Memory;
use edgeboard::app::{App, NotForwarded, Runtime};
use edgeboard::config::Config;
use engine::adapter::Error;
use http::{Request, Response};
use ranking::site::Receiver;
use ranking::token::{Right, Tokens};
use ranking::zone::{Years, ZoneSpan, Zones};
use serde_json::{Value, json};

use crate::random::Random;
use crate::redis::{MadeUp, Mood, Recorded};
use crate::support::{Connection, Server, TzZones, zones};

/// Friday, 2026-11-20T12:00:00Z.
const NOON_MS: i64 = 1_795_176_000_000;
pub const WRITE_TOKEN: &str = "the-write-token";
pub const ADMIN_TOKEN: &str = "the-admin-token";
/// Longer than any future of a request that has no one to wait for.
const MAX_POLLS: usize = 1_000;

/// The application's ports. Time passes only where something waits for it.
#[derive(Clone)]
pub struct MadeUpRuntime(Rc<Inner>);

struct Inner {
    recorded: Rc<Recorded>,
    real: Rc<Connection>,
    zones: TzZones,
    clock_ms: Cell<u64>,
    background: RefCell<Vec<Pin<Box<dyn Future<Output = ()>>>>>,
}

pub struct World {
    runtime: MadeUpRuntime,
    pub config: Rc<Config>,
    tokens: Tokens,
}

impl World {
    /// Learns what a real Redis answers to these requests.
    pub fn learn(requests: impl IntoIterator<Item = Request<Vec<u8>>>) -> Self {
        let server = Server::start_at(NOON_MS);
        let inner = Inner {
            recorded: Rc::default(),
            real: Rc::new(Connection::new(server.address())),
            zones: TzZones::default(),
            clock_ms: Cell::new(NOON_MS.unsigned_abs()),
            background: RefCell::default(),
        };
        let mut tokens = Tokens::default();
        tokens.grant(Right::Write, None, WRITE_TOKEN);
        tokens.grant(Right::Admin, None, ADMIN_TOKEN);
        tokens.grant(Right::Sign, None, "a-secret-of-the-site");
        let world = Self { runtime: MadeUpRuntime(Rc::new(inner)), config: Rc::new(config()), tokens };
        for request in requests {
            let answer = world.answer_in(Mood::Recording, &world.isolate(Rc::clone(&world.config)), request);
            assert!(answer.status().as_u16() < 500, "{}", String::from_utf8_lossy(answer.body()));
        }
        let known = world.runtime.0.recorded.names();
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
        *self.runtime.0.recorded.random.borrow_mut() = Some(random);
        self.answer_in(mood, &self.isolate(config), request)
    }

    fn isolate(&self, config: Rc<Config>) -> App<MadeUpRuntime> {
        App { runtime: self.runtime.clone(), config, memory: Rc::new(Memory::new("seed")) }
    }

    fn answer_in(&self, mood: Mood, app: &App<MadeUpRuntime>, request: Request<Vec<u8>>) -> Response<Vec<u8>> {
        self.runtime.0.recorded.mood.set(mood);
        let response = finish(pin!(api::handle(app, &self.tokens, request)));
        loop {
            let background = self.runtime.0.background.take();
            if background.is_empty() {
                return response;
            }
            background.into_iter().for_each(finish);
        }
    }
}

/// Polls a future to its end.
fn finish<F: Future + ?Sized>(mut future: Pin<impl DerefMut<Target = F>>) -> F::Output {
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..MAX_POLLS {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
    panic!("a future that never ends");
}

impl Zones for MadeUpRuntime {
    fn span(&self, timezone: &str, years: Years) -> Rc<ZoneSpan> {
        self.0.zones.span(timezone, years)
    }
}

impl Runtime for MadeUpRuntime {
    type Transport = MadeUp;

    fn transport(&self) -> Result<MadeUp, Error> {
        Ok(MadeUp { recorded: Rc::clone(&self.0.recorded), real: Rc::clone(&self.0.real) })
    }

    fn clock_ms(&self) -> u64 {
        self.0.clock_ms.get()
    }

    async fn sleep_ms(&self, ms: u32) {
        self.0.clock_ms.set(self.0.clock_ms.get() + u64::from(ms));
    }

    fn token(&self) -> String {
        "made-up".into()
    }

    async fn forward(&self, _to: &Receiver, _message: &str, _is_patient: bool) -> Result<(), NotForwarded> {
        Ok(())
    }

    async fn send_to_group(&self, _name: &str, _message: &str) -> Option<String> {
        None
    }

    fn in_background(&self, future: impl Future<Output = ()> + 'static) {
        self.0.background.borrow_mut().push(Box::pin(future));
    }

    async fn edge_get(&self, _key: &str) -> Option<Entry> {
        None
    }

    async fn edge_put(&self, _key: &str, _entry: &Entry) {}

    fn address(&self) -> Option<String> {
        None
    }

    fn is_bot(&self, user_agent: &str) -> bool {
        user_agent.contains("bot")
    }

    fn is_automated(&self) -> bool {
        false
    }

    async fn is_within(&self, _limited: Limited, _key: &str) -> Option<bool> {
        None
    }

    fn log(&self, line: &Value) {
        assert!(line.is_object(), "{line}");
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
