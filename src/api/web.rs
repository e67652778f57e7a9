//! Files that are part of the worker: the beacon module, the demo page, the description of the API.

use http::header::{self, HeaderName};
use http::{HeaderValue, Request, Response, StatusCode};

use super::{is_known, uncached};

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const BEACON: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/beacon.js"));
const PAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/index.html"));
/// What the page may load and who may frame it; build.rs makes it, with the digests of the page's own script and style.
const PAGE_POLICY: &str = include_str!(concat!(env!("OUT_DIR"), "/page-policy.txt"));
const DESCRIPTION: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json"));

pub fn beacon_module(request: &Request<Vec<u8>>) -> Response<Vec<u8>> {
    let mut response = file("text/javascript; charset=utf-8", BEACON);
    let tag = format!("\"{}\"", sha1_smol::Sha1::from(BEACON).digest());
    if is_known(request, &tag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.body_mut().clear();
    }
    let headers = response.headers_mut();
    // Kept by browsers, but asked after: only rankings may be served without asking.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.extend(HeaderValue::from_str(&tag).map(|tag| (header::ETAG, tag)));
    headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    response
}

/// Made from the table of routes, by a test that also keeps it so.
pub fn description() -> Response<Vec<u8>> {
    file("application/json", DESCRIPTION)
}

pub fn demo_page() -> Response<Vec<u8>> {
    let mut response = file("text/html; charset=utf-8", PAGE);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
    // Not `no-referrer`, with which browsers name no origin in the page's own beacons.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

fn file(content_type: &'static str, body: &[u8]) -> Response<Vec<u8>> {
    uncached(StatusCode::OK, content_type, body.to_vec())
}
