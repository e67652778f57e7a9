//! Reading the dataset of metrics; see `dataset.js`.

use js_sys::Promise;
use js_sys::futures::JsFuture;
use serve::config::Analytics;
use wasm_bindgen::prelude::wasm_bindgen;

/// Sending the query, and the whole answer.
const ANSWER_MS: u32 = 8_000;

#[wasm_bindgen(module = "/src/edge/dataset.js")]
extern "C" {
    #[wasm_bindgen(js_name = askDataset)]
    fn ask_dataset(address: &str, token: &str, sql: &str, ms: u32) -> Promise;
}

/// The answer to a query, as JSON.
///
/// # Errors
/// For the log: what the runtime or the service said.
pub async fn ask(Analytics { address, token, .. }: &Analytics, sql: &str) -> Result<String, String> {
    let answered = JsFuture::from(ask_dataset(address, token, sql, ANSWER_MS)).await;
    answered.map(|text| text.as_string().unwrap_or_default()).map_err(|error| worker::Error::from(error).to_string())
}
