//! Handing counted events on; see `forward.js`.

use js_sys::futures::JsFuture;
use js_sys::{Promise, Reflect};
use ranking::site::Receiver;
use serve::app::NotForwarded;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;
use worker::wasm_bindgen::JsValue;

#[wasm_bindgen(module = "/src/edge/forward.js")]
extern "C" {
    fn forward(queue: &JsValue, webhook: &str, secret: &str, message: &str, is_patient: bool) -> Promise;
}

/// Sends a message to its receiver; some times where that may help, if `is_patient`.
///
/// # Errors
/// What happened the last time.
pub async fn send(env: &Env, to: &Receiver, secret: &str, message: &str, is_patient: bool) -> Result<(), NotForwarded> {
    let sent = match to {
        Receiver::Queue(binding) => forward(&Reflect::get(env, &binding.into()).unwrap_or_default(), "", "", message, is_patient),
        Receiver::Webhook(address) => forward(&JsValue::UNDEFINED, address, secret, message, is_patient),
        Receiver::SignedWebhook(address, own) => forward(&JsValue::UNDEFINED, address, &own.0, message, is_patient),
    };
    JsFuture::from(sent).await.map(drop).map_err(|error| NotForwarded {
        is_final: Reflect::get(&error, &"isFinal".into()).is_ok_and(|is_final| is_final.is_truthy()),
        detail: worker::Error::from(error).to_string(),
    })
}
