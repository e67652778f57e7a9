//! The queue that keeps events: what is sent to it, and what it delivers. `src/edge/index.js` hands its deliveries over.

use std::rc::Rc;

use admin::app::Admin;
use admin::app::deliveries::{Delivered, Fate};
use futures_util::future::join_all;
use js_sys::futures::{JsFuture, future_to_promise};
use js_sys::{Promise, Reflect};
use serde::Deserialize;
use serve::app::ports;
use serve::config::QUEUE_BINDING;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;
use worker::wasm_bindgen::JsValue;

use super::app;
use super::runtime::{EdgeRuntime, Rest};
use super::settings::Settings;

/// What sending a message may take.
const SEND_MS: u32 = 5_000;

#[wasm_bindgen(module = "/src/edge/transports.js")]
extern "C" {
    #[wasm_bindgen(js_name = sendToQueue)]
    fn send_to_queue(queue: &JsValue, message: &str, delay_s: u32, ms: u32) -> Promise;
}

pub struct Queue(JsValue);

impl Queue {
    /// `None` where the deployment has none.
    pub fn of(env: &Env) -> Option<Self> {
        Reflect::get(env, &QUEUE_BINDING.into()).ok().filter(JsValue::is_object).map(Self)
    }
}

impl ports::Queue for Queue {
    async fn send(&self, message: &str, delay_s: u32) -> Result<(), String> {
        let sent = JsFuture::from(send_to_queue(&self.0, message, delay_s, SEND_MS)).await;
        sent.map(drop).map_err(|error| worker::Error::from(error).to_string())
    }
}

#[derive(Deserialize)]
struct Message {
    id: String,
    /// Unix milliseconds.
    sent: f64,
    attempts: u32,
    body: String,
}

/// Counts the messages of a delivery, a list as JSON. Answers for each after how many seconds it is to come again; 0: never.
#[wasm_bindgen]
pub fn consume(messages: String, env: Env) -> Promise {
    let rest = Rest::default();
    future_to_promise(async move {
        let settings = Settings::of(&env).map_err(|error| error.to_string())?;
        let messages: Vec<Message> = serde_json::from_slice(messages.as_bytes()).map_err(|error| error.to_string())?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "milliseconds of this century")]
        let delivered = |Message { id, sent, attempts, body }| Delivered { id, sent_ms: sent as u64, attempts, body };
        let delivered: Vec<Delivered> = messages.into_iter().map(delivered).collect();
        let app = app(EdgeRuntime::delivery(Rc::clone(&rest), env, Rc::clone(&settings)), &settings);
        let delays = Admin(&app).served().consume(&settings.tokens, &delivered).await.into_iter().map(|fate| match fate {
            Fate::Done => 0,
            Fate::Again(seconds) => seconds,
        });
        let delays: Vec<u32> = delays.collect();
        let rest = rest.take();
        join_all(rest).await;
        Ok(serde_json::to_string(&delays).unwrap_or_default().into())
    })
}
