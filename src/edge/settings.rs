//! What the deployment says: sites, tokens, where Redis is. Read once per isolate.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use js_sys::{JSON, Object, Reflect};
use serde_json::Value;
use worker::Env;
use worker::wasm_bindgen::{JsCast, JsValue};

use super::zones;
use crate::adapter::url::RedisUrl;
use crate::api::Tokens;
use crate::app::memory::Memory;
use crate::config::{Config, ConfigError};

pub struct Settings {
    pub config: Rc<Config>,
    pub tokens: Tokens,
    pub redis: RedisUrl,
    /// `REDIS_TOKEN`, for REST.
    pub redis_token: String,
    /// See [`super::tcp::Connection`].
    pub handshake_accepted: Rc<Cell<bool>>,
    pub memory: Rc<Memory>,
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
        let config = Config::read(site_variables(env), zones::is_known)?;
        let address = text(env, "REDIS_URL").unwrap_or_default();
        // The value may hold a password, so it is not repeated.
        let wrong = |allowed: &str| ConfigError {
            key: "REDIS_URL".into(),
            value: (!address.is_empty()).then(|| "(not shown)".into()),
            allowed: allowed.into(),
        };
        let redis = RedisUrl::parse(&address).ok_or_else(|| wrong(RedisUrl::ALLOWED))?;
        let redis_token = text(env, "REDIS_TOKEN").unwrap_or_default();
        if matches!(redis, RedisUrl::Rest(_)) && redis_token.is_empty() {
            return Err(ConfigError {
                key: "REDIS_TOKEN".into(),
                value: None,
                allowed: "the token of the REST endpoint that REDIS_URL names".into(),
            });
        }
        Ok(Self {
            config: Rc::new(config),
            tokens: Tokens { write: text(env, "WRITE_TOKEN"), admin: text(env, "ADMIN_TOKEN") },
            redis,
            redis_token,
            handshake_accepted: Rc::default(),
            memory: Rc::default(),
            zones: zones::Cache::default(),
        })
    }
}

/// The variables that may hold sites, by name.
fn site_variables(env: &Env) -> Vec<(String, Value)> {
    let env: &Object = env.unchecked_ref();
    let names = Object::keys(env).into_iter().filter_map(|name| name.as_string());
    names.filter(|name| name.starts_with("SITES")).filter_map(|name| Some((name.clone(), to_json(&get(env, &name)?)?))).collect()
}

fn text(env: &Env, name: &str) -> Option<String> {
    get(env.unchecked_ref(), name)?.as_string().filter(|text| !text.is_empty())
}

fn get(env: &Object, name: &str) -> Option<JsValue> {
    Reflect::get(env, &JsValue::from_str(name)).ok()
}

fn to_json(value: &JsValue) -> Option<Value> {
    let text = JSON::stringify(value).ok()?.as_string()?;
    // As bytes, like all other JSON here: from_str would bring a second parser into the bundle.
    serde_json::from_slice(text.as_bytes()).ok()
}
