//! Answers from memory as the runtime takes them, by the address as it came: a hit parses nothing and copies nothing.
//!
//! Which answers may be given again and until when is [`Steady`]'s to say. Each is attached to its entry in the memory, so it goes
//! with it, and counts as much.

use js_sys::{JsString, Map, Uint8Array};
use serve::app::memory::Memory;
use serve::app::rankings::Steady;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::wasm_bindgen::JsValue;
use worker::web_sys::{Request, Response, ResponseInit};

#[wasm_bindgen(module = "/src/edge/responses.js")]
extern "C" {
    #[wasm_bindgen(js_name = find)]
    fn find_kept(kept: &Map, request: &Request) -> Option<Response>;

    /// A response without a body; of status and headers, as JSON.
    #[wasm_bindgen(js_name = respondWithout, catch)]
    pub fn respond_without(init: &str) -> Result<Response, JsValue>;

    #[wasm_bindgen(js_name = lastCountedAt)]
    fn last_counted_at() -> usize;

    #[wasm_bindgen(js_name = keep)]
    fn keep_new(
        kept: &Map,
        request: &Request,
        body: &Uint8Array,
        init: &ResponseInit,
        from_ms: f64,
        until_ms: f64,
        counted_at: usize,
    ) -> Option<JsString>;
}

/// What an answer takes besides its body and its address, of two bytes a character at most.
const OVERHEAD: usize = 1_000;

#[derive(Default)]
pub struct Responses(Map);

/// That an answer is kept. Dropping it drops the answer.
struct Kept {
    responses: Map,
    address: JsString,
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.responses.delete(&self.address);
    }
}

impl Responses {
    /// The answer to a request, if one is kept for this moment. It is counted.
    pub fn find(&self, request: &Request, memory: &Memory) -> Option<Response> {
        find_kept(&self.0, request).inspect(|_| memory.counters.add_kept(last_counted_at()))
    }

    /// Keeps what a request was answered with.
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of this century")]
    pub fn keep(&self, request: &Request, body: &Uint8Array, init: &ResponseInit, steady: &Steady, memory: &Memory) {
        let Steady { key, from_ms, until_ms, counted_at } = steady;
        if let Some(address) = keep_new(&self.0, request, body, init, *from_ms as f64, *until_ms as f64, *counted_at) {
            let bytes = OVERHEAD + body.length() as usize + 2 * address.length() as usize;
            memory.attach(key, Box::new(Kept { responses: self.0.clone(), address }), bytes);
        }
    }
}
