//! The client of a request, as the runtime knows it.

use js_sys::{Object, Promise, Reflect, RegExp};
use serve::app::ports::BOTS;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::wasm_bindgen::JsValue;
use worker::web_sys::Request;

#[wasm_bindgen(module = "/src/edge/client.js")]
extern "C" {
    #[wasm_bindgen(js_name = isAutomated)]
    pub fn is_automated(request: &Request) -> bool;

    #[wasm_bindgen(js_name = isWithin)]
    pub fn is_within(binding: &JsValue, key: &str) -> Promise;
}

thread_local! {
    static IS_BOT: RegExp = RegExp::new(BOTS, "i");
}

/// Whether a user agent declares itself a bot. One regular expression of the runtime: an engine of its own would not fit into the
/// bundle.
pub fn is_bot(user_agent: &str) -> bool {
    IS_BOT.with(|is_bot| is_bot.test(user_agent))
}

/// The bindings of rate limits; `None` where the deployment has none of that name.
pub struct Limiters {
    pub beacons: Option<JsValue>,
    pub misses: Option<JsValue>,
}

impl Limiters {
    pub fn of(env: &Object) -> Self {
        let find = |name: &str| Reflect::get(env, &name.into()).ok().filter(JsValue::is_object);
        Self { beacons: find("BEACON_LIMIT"), misses: find("MISS_LIMIT") }
    }
}
