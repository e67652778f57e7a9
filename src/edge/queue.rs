//! The queue that keeps events: what is sent to it, and what it delivers. `src/edge/index.js` hands its deliveries over.

use js_sys::futures::JsFuture;
use js_sys::{Promise, Reflect};
use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;
use worker::wasm_bindgen::JsValue;

use crate::config::QUEUE_BINDING;

/// What sending a message may take.
const SEND_MS: u32 = 5_000;

#[wasm_bindgen(module = "/src/edge/transports.js")]
extern "C" {
    #[wasm_bindgen(js_name = sendToQueue)]
    fn send_to_queue(queue: &JsValue, message: &str, delay_s: u32, ms: u32) -> Promise;
}

/// Whether the deployment has a queue.
pub fn is_bound(env: &Env) -> bool {
    binding(env).is_some()
}

fn binding(env: &Env) -> Option<JsValue> {
    Reflect::get(env, &QUEUE_BINDING.into()).ok().filter(JsValue::is_object)
}

/// Sends a message; `None` where the deployment has no queue.
///
/// # Errors
/// Why it is not known whether the queue has it.
pub async fn send(env: &Env, message: &str, delay_s: u32) -> Option<Result<(), String>> {
    let queue = binding(env)?;
    let sent = JsFuture::from(send_to_queue(&queue, message, delay_s, SEND_MS)).await;
    Some(sent.map(drop).map_err(|error| worker::Error::from(error).to_string()))
}

#[cfg(feature = "whole")]
mod consumer {
    use std::rc::Rc;

    use futures_util::future::join_all;
    use js_sys::Promise;
    use js_sys::futures::future_to_promise;
    use serde::Deserialize;
    use worker::Env;
    use worker::wasm_bindgen::prelude::wasm_bindgen;

    use crate::app::queue::{Delivered, Fate};
    use crate::edge::app;
    use crate::edge::runtime::{EdgeRuntime, Rest};
    use crate::edge::settings::Settings;

    #[derive(Deserialize)]
    struct Message {
        id: String,
        /// Unix milliseconds.
        sent: f64,
        attempts: u32,
        body: String,
    }

    /// Counts one delivery.
    #[wasm_bindgen]
    pub struct QueueConsumer {
        env: Env,
    }

    #[wasm_bindgen]
    impl QueueConsumer {
        #[wasm_bindgen(constructor)]
        pub fn new(env: Env) -> Self {
            Self { env }
        }

        /// Counts a list of messages, as JSON. Answers for each after how many seconds it is to come again; 0: never.
        pub fn consume(&self, messages: String) -> Promise {
            let (env, rest) = (self.env.clone(), Rest::default());
            future_to_promise(async move {
                let settings = Settings::of(&env).map_err(|error| error.to_string())?;
                let messages: Vec<Message> = serde_json::from_slice(messages.as_bytes()).map_err(|error| error.to_string())?;
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "milliseconds of this century")]
                let delivered = |Message { id, sent, attempts, body }| Delivered { id, sent_ms: sent as u64, attempts, body };
                let delivered: Vec<Delivered> = messages.into_iter().map(delivered).collect();
                let app = app(EdgeRuntime::delivery(Rc::clone(&rest), env, Rc::clone(&settings)), &settings);
                let delays = app.consume(&settings.tokens, &delivered).await.into_iter().map(|fate| match fate {
                    Fate::Done => 0,
                    Fate::Again(seconds) => seconds,
                });
                let delays: Vec<u32> = delays.collect();
                let rest = rest.take();
                join_all(rest).await;
                Ok(serde_json::to_string(&delays).unwrap_or_default().into())
            })
        }
    }
}
