//! The Durable Objects that gather events, one per site and partition. `src/edge/index.js` exports their class, and calls this one.

use std::rc::Rc;

use js_sys::futures::{JsFuture, future_to_promise};
use js_sys::{Promise, Reflect};
use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;
use worker::wasm_bindgen::JsValue;

use super::app;
use super::runtime::EdgeRuntime;
use super::settings::Settings;
use crate::app::App;
use crate::app::counting::gather::Gather;
use crate::config::GROUP_BINDING;

/// What an answer may take: 10 s of waiting, and two tries of connecting and sending (2 s and 3 s each).
const ANSWER_MS: u32 = 20_000;

#[wasm_bindgen(module = "/src/edge/transports.js")]
extern "C" {
    #[wasm_bindgen(js_name = sendToGroup)]
    fn send_to_group(objects: &JsValue, name: &str, message: &str, ms: u32) -> Promise;
}

/// Hands a message to an object, and answers what it says: nothing when it did not get the message. `None` when that is not known: it
/// failed, or did not answer in time.
pub async fn send(env: &Env, name: &str, message: &str) -> Option<String> {
    let objects = Reflect::get(env, &GROUP_BINDING.into()).ok()?;
    JsFuture::from(send_to_group(&objects, name, message, ANSWER_MS)).await.ok()?.as_string()
}

/// An object's insides, while it lives: its requests that wait, and its connection to Redis.
#[wasm_bindgen]
pub struct IngestGroup {
    app: Option<App<EdgeRuntime>>,
    gather: Rc<Gather>,
}

#[wasm_bindgen]
impl IngestGroup {
    #[wasm_bindgen(constructor)]
    pub fn new(env: Env) -> Self {
        let settings = Settings::of(&env).ok();
        let app = settings.map(|settings| app(EdgeRuntime::object(env, Rc::clone(&settings)), &settings));
        Self { app, gather: Rc::default() }
    }

    /// Counts a message's events, see [`gather`](crate::app::served::Served::gather).
    pub fn count(&self, message: String) -> Promise {
        let (app, gather) = (self.app.clone(), Rc::clone(&self.gather));
        future_to_promise(async move {
            let app = app.ok_or("the configuration is wrong")?;
            Ok(app.served().gather(&gather, &message).await.into())
        })
    }
}
