//! The Upstash REST protocol over the runtime's `fetch`.

use js_sys::JSON;
use js_sys::futures::JsFuture;
use serde_json::json;
use worker::wasm_bindgen::JsCast;
use worker::web_sys::{AbortController, RequestInit, Response, WorkerGlobalScope};

use super::bytes;
use super::timeout::within;
use crate::adapter::rest::{self, Post};
use crate::adapter::{Cmd, Error, Fault, Mode, Transport, Value};

/// Connecting, sending and the whole answer.
const ANSWER_MS: u64 = 4_000;

pub struct Rest {
    endpoint: String,
    token: String,
}

impl Rest {
    pub fn new(endpoint: String, token: String) -> Self {
        Self { endpoint, token }
    }

    /// What to fetch, but for the signal, made from one text: each object of the runtime's own costs calls.
    fn init(&self, post: Post) -> worker::Result<RequestInit> {
        let headers = json!({
            "authorization": format!("Bearer {}", self.token),
            "content-type": "application/json",
            "upstash-encoding": "base64",
        });
        let init = json!({ "method": "POST", "headers": headers, "body": post.body });
        Ok(JSON::parse(&init.to_string())?.unchecked_into())
    }
}

impl Transport for Rest {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let post = rest::encode(commands, mode)?;
        let address = format!("{}{}", self.endpoint, post.path);
        let unmade = |error: worker::Error| Error::new(Fault::Configuration, error.to_string());
        let abort = AbortController::new().map_err(|error| unmade(error.into()))?;
        let init = self.init(post).map_err(unmade)?;
        init.set_signal(Some(&abort.signal()));
        match within(ANSWER_MS, answer(&address, &init)).await {
            Some(Ok((status, body))) => rest::decode(commands.len(), status, &body),
            Some(Err(error)) => Err(Error::new(Fault::Lost, error.to_string())),
            None => {
                abort.abort();
                Err(Error::new(Fault::Lost, format!("no answer within {ANSWER_MS} ms")))
            }
        }
    }
}

async fn answer(address: &str, init: &RequestInit) -> worker::Result<(u16, Vec<u8>)> {
    let global: WorkerGlobalScope = js_sys::global().unchecked_into();
    let response: Response = JsFuture::from(global.fetch_with_str_and_init(address, init)).await?.dyn_into()?;
    let body = bytes(response.array_buffer()?).await?;
    Ok((response.status(), body))
}
