//! Level 1: the Cache API of this data center.

use js_sys::Uint8Array;
use serve::app::cache::{Entry, KEPT_MS};
use worker::{Cache, ResponseBody, web_sys};

use super::{bytes, init, parsed};

/// What is known of an entry besides its JSON.
const ABOUT: &str = "edgeboard-entry";

/// The address of an entry: on the worker's own host, where no page is.
pub fn address(origin: &str, key: &str) -> String {
    format!("{origin}/.edgeboard/v1/{key}")
}

/// Whatever is wrong with the cache counts as a miss: it can be lost at any time.
pub async fn get(address: String) -> Option<Entry> {
    let response = Cache::default().get(address, false).await.ok()??;
    let about = response.headers().get(ABOUT).ok()??;
    // Not by response.bytes(), which reads chunk by chunk.
    let ResponseBody::Stream(stream) = response.body() else { return None };
    let json = bytes(web_sys::Response::new_with_opt_readable_stream(Some(stream)).ok()?.array_buffer().ok()?).await.ok()?;
    Entry::read(&about, json)
}

/// Stores an entry for as long as it may be served when Redis is out; its age decides what else may be done with it.
pub async fn put(address: String, entry: &Entry) -> worker::Result<()> {
    let (kept, about) = (format!("max-age={}", KEPT_MS / 1000), entry.about());
    let mut headers = [("cache-control", &*kept), (ABOUT, &*about)].into_iter();
    let (body, init) = (Uint8Array::from(&*entry.json), parsed(&init(200, &mut headers)?)?);
    let response = web_sys::Response::new_with_opt_buffer_source_and_init(Some(&body), &init)?;
    Cache::default().put(address, worker::Response::from(response)).await
}
