//! The Upstash REST protocol over the runtime's `fetch`.

use worker::wasm_bindgen::JsValue;
use worker::{AbortController, AbortSignal, Fetch, Headers, Method, Request, RequestInit};

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

    fn request(&self, post: Post) -> worker::Result<Request> {
        let headers = Headers::new();
        headers.set("authorization", &format!("Bearer {}", self.token))?;
        headers.set("content-type", "application/json")?;
        headers.set("upstash-encoding", "base64")?;
        let mut init = RequestInit::new();
        init.with_method(Method::Post).with_headers(headers).with_body(Some(JsValue::from_str(&post.body)));
        Request::new_with_init(&format!("{}{}", self.endpoint, post.path), &init)
    }
}

impl Transport for Rest {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let request = self.request(rest::encode(commands, mode)?).map_err(|error| Error::new(Fault::Configuration, error.to_string()))?;
        let abort = AbortController::default();
        let signal = abort.signal();
        match within(ANSWER_MS, answer(request, &signal)).await {
            Some(Ok((status, body))) => rest::decode(commands.len(), status, &body),
            Some(Err(error)) => Err(Error::new(Fault::Lost, error.to_string())),
            None => {
                abort.abort();
                Err(Error::new(Fault::Lost, format!("no answer within {ANSWER_MS} ms")))
            }
        }
    }
}

async fn answer(request: Request, signal: &AbortSignal) -> worker::Result<(u16, Vec<u8>)> {
    let mut response = Fetch::Request(request).send_with_signal(signal).await?;
    let body = response.bytes().await?;
    Ok((response.status_code(), body))
}
