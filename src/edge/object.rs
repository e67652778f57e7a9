//! The Durable Objects that gather events, one per site and partition, and those that are relays to nodes of a cluster. `src/edge/index.js` exports
//! their class, and calls this one.

use std::rc::Rc;

use admin::app::Admin;
use engine::adapter::{Error, Fault};
use js_sys::futures::{JsFuture, future_to_promise};
use js_sys::{Promise, Reflect, Uint8Array};
use serve::app::App;
use serve::app::counting::gather::Gather;
use serve::app::ports::Runtime;
use serve::config::GROUP_BINDING;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;
use worker::wasm_bindgen::{JsCast, JsValue};

use super::app;
use super::runtime::EdgeRuntime;
use super::settings::Settings;
use super::transport::EdgeTransport;

/// What an answer may take: 10 s of waiting, and two tries of connecting and sending (2 s and 3 s each).
const ANSWER_MS: u32 = 20_000;
/// What a relay's answer may take: connecting, and two trips (2 s and 3 s each).
const RELAYED_MS: u32 = 8_000;

#[wasm_bindgen(module = "/src/edge/transports.js")]
extern "C" {
    #[wasm_bindgen(js_name = callObject)]
    fn call_object(objects: &JsValue, name: &str, method: &str, message: &JsValue, ms: u32) -> Promise;
}

/// Hands a message to an object, and answers what it says: nothing when it did not get the message. `None` when that is not known: it
/// failed, or did not answer in time.
pub async fn send(env: &Env, name: &str, message: &str) -> Option<String> {
    let objects = Reflect::get(env, &GROUP_BINDING.into()).ok()?;
    let answer = JsFuture::from(call_object(&objects, name, "count", &message.into(), ANSWER_MS)).await.ok()?;
    if answer.is_undefined() { Some(String::new()) } else { answer.as_string() }
}

/// Has an object send a message to nodes, see [`Cluster::relay`](engine::adapter::Cluster::relay), and answers its answer.
///
/// # Errors
/// `Connect` when it never got the message; `Lost` when it does not answer.
pub async fn relay(objects: &JsValue, name: &str, message: &[u8]) -> Result<Vec<u8>, Error> {
    let message = Uint8Array::from(message);
    let answered = JsFuture::from(call_object(objects, name, "relay", &message, RELAYED_MS)).await;
    let answer = answered.map_err(|error| Error::new(Fault::Lost, worker::Error::from(error).to_string()))?;
    if answer.is_undefined() {
        return Err(Error::new(Fault::Connect, "the relay has too much to do"));
    }
    Ok(answer.unchecked_into::<Uint8Array>().to_vec())
}

/// An object's insides, while it lives: its requests that wait, and its connection to Redis.
#[wasm_bindgen]
pub struct IngestGroup {
    app: Option<App<EdgeRuntime>>,
    transport: Option<Rc<EdgeTransport>>,
    gather: Rc<Gather>,
}

#[wasm_bindgen]
impl IngestGroup {
    #[wasm_bindgen(constructor)]
    pub fn new(env: Env) -> Self {
        let settings = Settings::of(&env).ok();
        let runtime = settings.as_ref().map(|settings| EdgeRuntime::object(env, Rc::clone(settings)));
        let transport = runtime.as_ref().and_then(|runtime| runtime.transport().ok());
        let app = runtime.zip(settings).map(|(runtime, settings)| app(runtime, &settings));
        Self { app, transport, gather: Rc::default() }
    }

    /// Counts a message's events, see [`gather`](admin::app::served::Served::gather).
    pub fn count(&self, message: String) -> Promise {
        let (app, gather) = (self.app.clone(), Rc::clone(&self.gather));
        future_to_promise(async move {
            let app = app.ok_or("the configuration is wrong")?;
            Ok(Admin(&app).served().gather(&gather, &message).await.into())
        })
    }

    /// Sends what a message has to nodes of a cluster, and answers what they answer.
    pub fn relay(&self, message: Vec<u8>) -> Promise {
        let transport = self.transport.clone();
        future_to_promise(async move {
            let transport = transport.ok_or("the configuration is wrong")?;
            let answer = transport.relay(&message).await.map_err(|error| error.to_string())?;
            Ok(Uint8Array::from(&answer[..]).into())
        })
    }
}
