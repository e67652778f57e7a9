//! The browser's files: the beacon module and the demo page.

use http::header::{self, HeaderName};
use http::{HeaderValue, Request, Response, StatusCode};

use super::query::Query;
use super::{Problem, readable_by_all, text, uncached};

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const BEACON: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/beacon.js"));
const PAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/index.html"));

pub fn beacon(request: &Request<Vec<u8>>) -> Result<Response<Vec<u8>>, Problem> {
    let mut response = readable_by_all(file(request, "text/javascript; charset=utf-8", BEACON)?);
    let tag = format!("\"{}\"", sha1_smol::Sha1::from(BEACON).digest());
    if text(request, &header::IF_NONE_MATCH) == Some(&tag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.body_mut().clear();
    }
    let headers = response.headers_mut();
    // Kept by browsers, but asked after: only rankings may be served without asking.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.extend(HeaderValue::from_str(&tag).map(|tag| (header::ETAG, tag)));
    headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    Ok(response)
}

pub fn page(request: &Request<Vec<u8>>) -> Result<Response<Vec<u8>>, Problem> {
    file(request, "text/html; charset=utf-8", PAGE)
}

fn file(request: &Request<Vec<u8>>, content_type: &'static str, body: &[u8]) -> Result<Response<Vec<u8>>, Problem> {
    Query::read(request, &[])?;
    let mut response = uncached(StatusCode::OK, content_type, body.to_vec());
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(response)
}
