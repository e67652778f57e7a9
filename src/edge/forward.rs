//! Handing counted events on; see `forward.js`.

use js_sys::futures::JsFuture;
use js_sys::{Promise, Reflect};
use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;
use worker::wasm_bindgen::JsValue;

use crate::ranking::site::Receiver;

#[wasm_bindgen(module = "/src/edge/forward.js")]
extern "C" {
    fn forward(queue: &JsValue, webhook: &str, secret: &str, message: &str) -> Promise;
}

/// Sends a message to its receiver, some times where that may help.
///
/// # Errors
/// What happened the last time.
pub async fn send(env: &Env, to: &Receiver, secret: &str, message: &str) -> Result<(), String> {
    let sent = match to {
        Receiver::Queue(binding) => forward(&Reflect::get(env, &binding.into()).unwrap_or_default(), "", "", message),
        Receiver::Webhook(address) => forward(&JsValue::UNDEFINED, address, secret, message),
    };
    JsFuture::from(sent).await.map(drop).map_err(|error| worker::Error::from(error).to_string())
}
