//! The Upstash REST protocol over the runtime's `fetch`.

use js_sys::futures::JsFuture;
use worker::Headers;
use worker::wasm_bindgen::{JsCast, JsValue};
use worker::web_sys::{AbortController, AbortSignal, Request, RequestInit, Response, WorkerGlobalScope};

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

    /// Not a `worker::Request`, whose making brings along everything that Cloudflare can do with images.
    fn request(&self, post: &Post) -> worker::Result<Request> {
        let headers = Headers::new();
        headers.set("authorization", &format!("Bearer {}", self.token))?;
        headers.set("content-type", "application/json")?;
        headers.set("upstash-encoding", "base64")?;
        let init = RequestInit::new();
        init.set_method("POST");
        init.set_headers(&headers.0);
        init.set_body(&JsValue::from_str(&post.body));
        Ok(Request::new_with_str_and_init(&format!("{}{}", self.endpoint, post.path), &init)?)
    }
}

impl Transport for Rest {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let request = self.request(&rest::encode(commands, mode)?).map_err(|error| Error::new(Fault::Configuration, error.to_string()))?;
        let abort = AbortController::new().map_err(|error| Error::new(Fault::Configuration, worker::Error::from(error).to_string()))?;
        match within(ANSWER_MS, answer(&request, &abort.signal())).await {
            Some(Ok((status, body))) => rest::decode(commands.len(), status, &body),
            Some(Err(error)) => Err(Error::new(Fault::Lost, error.to_string())),
            None => {
                abort.abort();
                Err(Error::new(Fault::Lost, format!("no answer within {ANSWER_MS} ms")))
            }
        }
    }
}

async fn answer(request: &Request, signal: &AbortSignal) -> worker::Result<(u16, Vec<u8>)> {
    let global: WorkerGlobalScope = js_sys::global().unchecked_into();
    let init = RequestInit::new();
    init.set_signal(Some(signal));
    let response: Response = JsFuture::from(global.fetch_with_request_and_init(request, &init)).await?.dyn_into()?;
    let body = bytes(&response).await?;
    Ok((response.status(), body))
}
