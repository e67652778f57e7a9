//! Reading pages of sites; see `page.js`.

use js_sys::Promise;
use js_sys::futures::JsFuture;
use wasm_bindgen::prelude::wasm_bindgen;

/// The whole answer.
const ANSWER_MS: u32 = 2_000;
/// What is looked at of a page: its head is at the beginning.
const MAX_BYTES: u32 = 512 * 1024;

#[wasm_bindgen(module = "/src/edge/page.js")]
extern "C" {
    #[wasm_bindgen(js_name = readPage)]
    fn read_page(url: &str, ms: u32, max_bytes: u32) -> Promise;
}

/// What a page says of itself, or where it went, as JSON.
///
/// # Errors
/// For the log: what the runtime or the page's server said.
pub async fn read(url: &str) -> Result<String, String> {
    let answered = JsFuture::from(read_page(url, ANSWER_MS, MAX_BYTES)).await;
    answered.map(|text| text.as_string().unwrap_or_default()).map_err(|error| worker::Error::from(error).to_string())
}
