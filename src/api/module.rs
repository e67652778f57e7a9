//! The browser module that sends clicks: every page asks for it.

use http::header::{self, HeaderName};
use http::{HeaderValue, Request, Response, StatusCode};

use super::{is_known, uncached};

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const BEACON: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/beacon.js"));

pub fn beacon_module(request: &Request<Vec<u8>>) -> Response<Vec<u8>> {
    let mut response = uncached(StatusCode::OK, "text/javascript; charset=utf-8", BEACON.to_vec());
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
