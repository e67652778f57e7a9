//! Level 1: the Cache API of this data center.

use std::rc::Rc;

use worker::{Cache, Headers, ResponseBody, ResponseBuilder, web_sys};

use super::bytes;
use crate::app::cache::{Entry, KEPT_MS, Known};

const ASKED_AT: &str = "edgeboard-asked-at";
const FRESH: &str = "edgeboard-fresh";
const ENDS_IN: &str = "edgeboard-ends-in";
const VERSION: &str = "edgeboard-version";
const COMPLETE: &str = "edgeboard-complete";
const KNOWN: &str = "edgeboard-known";
const CURATED: &str = "edgeboard-curated";
const CONFIGURATION: &str = "edgeboard-configuration";

/// The address of an entry: on the worker's own host, where no page is.
pub fn address(origin: &str, key: &str) -> String {
    format!("{origin}/.edgeboard/v1/{key}")
}

/// Whatever is wrong with the cache counts as a miss: it can be lost at any time.
pub async fn get(address: String) -> Option<Entry> {
    let response = Cache::default().get(address, false).await.ok()??;
    let header = |name: &str| response.headers().get(name).ok()?;
    let asked_at_ms = header(ASKED_AT)?.parse().ok()?;
    let fresh_ms = header(FRESH)?.parse().ok()?;
    let ends_in_ms = header(ENDS_IN).and_then(|ms| ms.parse().ok());
    let version = header(VERSION)?;
    let complete = header(COMPLETE)? == "true";
    let known = Known { version: header(KNOWN).unwrap_or_default(), curated: header(CURATED)?, configuration: header(CONFIGURATION)? };
    // Not by response.bytes(), which reads chunk by chunk.
    let ResponseBody::Stream(stream) = response.body() else { return None };
    let json = bytes(web_sys::Response::new_with_opt_readable_stream(Some(stream)).ok()?.array_buffer().ok()?).await.ok()?;
    Some(Entry { json: json.into(), version, asked_at_ms, fresh_ms, ends_in_ms, complete, unbuilt: false, known: Rc::new(known) })
}

/// Stores an entry for as long as it may be served when Redis is out; its age decides what else may be done with it.
pub async fn put(address: String, entry: &Entry) -> worker::Result<()> {
    let headers = Headers::new();
    headers.set("cache-control", &format!("max-age={}", KEPT_MS / 1000))?;
    headers.set("content-type", "application/json")?;
    headers.set(ASKED_AT, &entry.asked_at_ms.to_string())?;
    headers.set(FRESH, &entry.fresh_ms.to_string())?;
    headers.set(VERSION, &entry.version)?;
    headers.set(COMPLETE, &entry.complete.to_string())?;
    headers.set(KNOWN, &entry.known.version)?;
    headers.set(CURATED, &entry.known.curated)?;
    headers.set(CONFIGURATION, &entry.known.configuration)?;
    if let Some(ends_in_ms) = entry.ends_in_ms {
        headers.set(ENDS_IN, &ends_in_ms.to_string())?;
    }
    let response = ResponseBuilder::new().with_headers(headers).fixed(entry.json.to_vec());
    Cache::default().put(address, response).await
}
