//! A deployment: one site, two boards, a redis-server, and an edge whose clock is a day off.

use std::pin::Pin;
use std::rc::Rc;

use admin::api;
use engine::store::scripts::LIBRARY;
use http::{Request, Response};
use ranking::token::{Right, Tokens};
use serde_json::{Value, json};
use serve::app::App;
use serve::app::memory::Memory;
use serve::config::Config;

use crate::faulty::{Faulty, FaultyRuntime};
use crate::support::{Server, zones};

/// Friday, 2026-11-20T12:00:00Z.
pub const NOON_MS: i64 = 1_795_176_000_000;
pub const DAY_MS: u64 = 86_400_000;
pub const TOKEN: &str = "the-write-token";

pub struct World {
    pub server: Server,
    pub runtime: FaultyRuntime,
    pub app: App<FaultyRuntime>,
}

pub type Answer = Response<Vec<u8>>;

impl World {
    /// Redis is at an instant (Unix milliseconds) and knows the scripts.
    pub fn at(unix_ms: i64) -> Self {
        let server = Server::start_at(unix_ms);
        server.command(&["FUNCTION", "LOAD", &LIBRARY.parts.concat()]);
        let edge_ms = u64::try_from(unix_ms).expect("since 1970") + DAY_MS;
        let runtime = FaultyRuntime::new(Faulty::new(server.url()), edge_ms);
        let app = App { runtime: runtime.clone(), config: Rc::new(config()), memory: Rc::new(Memory::new("seed")) };
        Self { server, runtime, app }
    }

    pub fn noon() -> Self {
        Self::at(NOON_MS)
    }

    /// The same deployment in another isolate: another memory, the same edge cache.
    pub fn new_isolate(&self) -> App<FaultyRuntime> {
        App { memory: Rc::new(Memory::new("seed")), ..self.app.clone() }
    }

    /// Answers requests that come at once.
    pub fn answers<'w>(&'w self, requests: impl IntoIterator<Item = (&'w App<FaultyRuntime>, Request<Vec<u8>>)>) -> Vec<Answer> {
        let mut tokens = Tokens::default();
        tokens.grant(Right::Write, None, TOKEN);
        let tokens = Rc::new(tokens);
        let handle = |(app, request): (&'w App<FaultyRuntime>, Request<Vec<u8>>)| -> Pin<Box<dyn Future<Output = Answer> + 'w>> {
            let tokens = Rc::clone(&tokens);
            Box::pin(async move { api::handle(app, &tokens, request).await })
        };
        self.runtime.run(requests.into_iter().map(handle).collect())
    }

    pub fn answer(&self, request: Request<Vec<u8>>) -> Answer {
        self.answers([(&self.app, request)]).pop().expect("one answer")
    }

    pub fn get(&self, path: &str) -> Answer {
        self.answer(get(path))
    }

    /// A beacon of a page of the site.
    pub fn beacon(&self, body: &Value) -> Answer {
        self.answer(post("/v1/demo/beacon", body))
    }

    /// Events of the site's server.
    pub fn events(&self, body: &Value) -> Answer {
        let mut request = post("/v1/demo/events", body);
        request.headers_mut().insert("authorization", format!("Bearer {TOKEN}").parse().expect("a header"));
        self.answer(request)
    }
}

pub fn get(path: &str) -> Request<Vec<u8>> {
    Request::get(format!("https://edge.example{path}")).body(Vec::new()).expect("a request")
}

pub fn post(path: &str, body: &Value) -> Request<Vec<u8>> {
    Request::post(format!("https://edge.example{path}")).body(body.to_string().into_bytes()).expect("a request")
}

/// A header's text; empty when it is not there.
pub fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.headers().get(name).map_or("", |value| value.to_str().expect("text"))
}

#[track_caller]
pub fn body(answer: &Answer) -> Value {
    serde_json::from_slice(answer.body()).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(answer.body())))
}

/// A ranking as `id=score id=score`.
#[track_caller]
pub fn entries(answer: &Answer) -> String {
    assert_eq!(answer.status(), 200, "{}", String::from_utf8_lossy(answer.body()));
    let body = body(answer);
    let entries = body["entries"].as_array().expect("a list").iter();
    let entries: Vec<String> = entries.map(|entry| format!("{}={}", entry["id"].as_str().expect("an id"), entry["score"])).collect();
    entries.join(" ")
}

/// `articles` counts views and likes in every window, `hours` views in its own, `talk` what is said in a rolling one, and nobody counts comments.
fn config() -> Config {
    let site = json!({
        "origins": ["https://blog.example"],
        "actions": { "view": { "public": true }, "like": {}, "comment": {}, "say": {} },
        "boards": {
            "articles": { "weights": { "view": 1, "like": 2 }, "windows": ["hour", "day", "week", "month", "year", "all"], "max_members": 3 },
            "hours": { "weights": { "view": 1 }, "windows": ["hour"], "limit": 20 },
            "talk": { "weights": { "say": 1 }, "windows": ["last-3-hours"], "limit": 4 },
        },
    });
    Config::read([("SITES".into(), json!({ "demo": site }))], |zone| zones::parse(zone).is_some()).expect("valid")
}
