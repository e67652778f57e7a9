//! The Upstash REST protocol over the runtime's `fetch`; see `transports.js`.

use engine::adapter::rest;
use engine::adapter::{Cmd, Error, Fault, Mode, Transport, Value};
use js_sys::futures::JsFuture;
use js_sys::{Promise, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use worker::wasm_bindgen::JsCast;

#[wasm_bindgen(module = "/src/edge/transports.js")]
extern "C" {
    #[derive(Clone)]
    type Endpoint;

    #[wasm_bindgen(constructor)]
    fn new(address: &str, token: &str) -> Endpoint;

    #[wasm_bindgen(method)]
    fn post(this: &Endpoint, path: &str, body: &str, ms: u32) -> Promise;

    type Answer;

    #[wasm_bindgen(method, getter)]
    fn status(this: &Answer) -> u16;

    #[wasm_bindgen(method, getter)]
    fn body(this: &Answer) -> Uint8Array;
}

/// Connecting, sending and the whole answer.
const ANSWER_MS: u32 = 4_000;

/// An endpoint, which all requests of an isolate use: it holds nothing of them.
#[derive(Clone)]
pub struct Rest(Endpoint);

impl Rest {
    pub fn new(address: &str, token: &str) -> Self {
        Self(Endpoint::new(address, token))
    }
}

impl Transport for Rest {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let rest::Post { path, body } = rest::encode(commands, mode)?;
        let answered = JsFuture::from(self.0.post(path, &body, ANSWER_MS)).await;
        let lost = |error| Error::new(Fault::Lost, worker::Error::from(error).to_string());
        let answer: Answer = answered.map_err(lost)?.unchecked_into();
        rest::decode(commands.len(), answer.status(), &answer.body().to_vec())
    }
}
