//! The settings of the deployment: sites, tokens, the address of Redis. Read once per isolate.
//!
//! Numbers from the environment and the table of the demo exist on a developer's machine only. They come by a global of the
//! entry `packages/edgeboard/serve/dev-worker.mjs`. A deployment has another entry, so none of its variables can be taken for them.

use std::cell::OnceCell;
use std::rc::Rc;

use engine::adapter::slots::AddressMap;
use js_sys::{JSON, Object, Reflect};
use ranking::site::Actors;
use ranking::token::{LONG, Tokens};
use serde_json::{Value, json};
use serve::app::memory::Memory;
use serve::config::{self, Analytics, ArchiveRedis, Config, ConfigError, Deployment};
use worker::Env;
use worker::wasm_bindgen::{JsCast, JsValue};

use super::client::Limiters;
use super::responses::Responses;
use super::runtime::{commit, random_uuid};
use super::transport::{Redis, Relays};
use super::zones;

pub struct Settings {
    pub config: Rc<Config>,
    pub tokens: Tokens,
    pub redis: Redis,
    /// Where the archive is, where that is another Redis.
    pub archive: Option<Redis>,
    /// For webhooks.
    pub forward_secret: String,
    /// For the history of metrics.
    pub analytics: Option<Analytics>,
    pub memory: Rc<Memory>,
    pub responses: Responses,
    pub limiters: Limiters,
    pub zones: zones::Cache,
}

thread_local! {
    static SETTINGS: OnceCell<Result<Rc<Settings>, Rc<ConfigError>>> = const { OnceCell::new() };
}

impl Settings {
    /// # Errors
    /// The configuration error that keeps this deployment from working.
    pub fn of(env: &Env) -> Result<Rc<Self>, Rc<ConfigError>> {
        SETTINGS.with(|settings| settings.get_or_init(|| Self::read(env).map(Rc::new).map_err(Rc::new)).clone())
    }

    fn read(env: &Env) -> Result<Self, ConfigError> {
        let Deployment { mut config, redis, address_map, locks_keys, redis_token, tokens, forward_secret, analytics, archive } =
            Deployment::read(variables(env), zones::Known)?;
        let is_bound = |binding: &str| Reflect::get(env, &binding.into()).is_ok_and(|bound| bound.is_object());
        config.check_bindings(is_bound)?;
        config.note_lacks(is_bound, archive.is_some());
        // Before a deployment these are errors. One that lost a binding goes on.
        if local().is_some() {
            config.require_no_lacks()?;
        }
        let (version, commit) = (env!("CARGO_PKG_VERSION"), commit());
        worker::console_log!("{}", json!({ "level": "info", "code": "started", "version": version, "commit": commit }));
        for site in config.sites.values().filter(|site| site.actors == Actors::Any) {
            let detail = format!("the site {} has actors = \"any\": anyone can put any actor on its rankings", site.name);
            worker::console_warn!("{}", json!({ "level": "warn", "code": "actors-any", "detail": detail }));
        }
        for name in tokens.short() {
            let detail =
                format!("{name} has fewer than {LONG} characters: who tries wrong tokens from the address of a sender locks it out");
            worker::console_warn!("{}", json!({ "level": "warn", "code": "short-token", "detail": detail }));
        }
        Ok(Self {
            config: Rc::new(config),
            tokens,
            redis: Redis::of(redis, &redis_token, address_map, Relays::of(env)).locking(locks_keys),
            archive: archive.map(|ArchiveRedis { redis, token }| Redis::of(redis, &token, AddressMap::default(), None).without_functions()),
            forward_secret,
            analytics,
            memory: Rc::new(Memory::new(&random_uuid().unwrap_or_default())),
            responses: Responses::default(),
            limiters: Limiters::of(env.unchecked_ref()),
            zones: zones::Cache::default(),
        })
    }
}

/// What `packages/edgeboard/serve/dev-worker.mjs` adds to the variables under `npm start`, by name: what has another type than text, and
/// [`config::DEMO`]. No deployment has it.
fn local() -> Option<Object> {
    Reflect::get(&js_sys::global(), &"edgeboardLocal".into()).ok()?.dyn_into().ok()
}

/// The variables that mean something here, by name. Others are not looked at: asking a binding for its JSON could call it.
fn variables(env: &Env) -> Vec<(String, Value)> {
    let of = |table: &Object, is_asked: fn(&str) -> bool| -> Vec<(String, Value)> {
        let names = Object::keys(table).into_iter().filter_map(|name| name.as_string()).filter(|name| is_asked(name));
        names.filter_map(|name| Some((name.clone(), to_json(&Reflect::get(table, &JsValue::from_str(&name)).ok()?)?))).collect()
    };
    let mut variables = of(env.unchecked_ref(), config::is_known);
    variables.extend(local().iter().flat_map(|local| of(local, |_| true)));
    variables
}

fn to_json(value: &JsValue) -> Option<Value> {
    let text = JSON::stringify(value).ok()?.as_string()?;
    // As bytes, like all other JSON here: from_str would bring a second parser into the bundle.
    serde_json::from_slice(text.as_bytes()).ok()
}
