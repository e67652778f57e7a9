//! The browser modules: the one that sends clicks, the one that shows rankings, and its texts. Pages ask for them all the time.
//!
//! `beacon.js` is `no-cache` with an `ETag`, so a fix reaches every page at once. Pages that use `integrity` take it from
//! `/v/…`, where it never changes.

use http::header::{self, HeaderName};
use http::{HeaderValue, Request, Response, StatusCode};
use interface::code::Code;

use super::problem::Problem;
use super::{is_known, uncached};

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const BEACON: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/beacon.js"));
const BOARD: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/board.js"));
const BOARD_TEXTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/board-texts.js"));

/// The beacon module's address by its content.
pub const MODULE_PATH: &str = concat!("/v/", include_str!(concat!(env!("OUT_DIR"), "/module-version.txt")), ".js");
/// What `integrity` of a script element says of it.
pub const MODULE_INTEGRITY: &str = include_str!(concat!(env!("OUT_DIR"), "/module-integrity.txt"));

pub fn beacon_module(request: &Request<Vec<u8>>) -> Response<Vec<u8>> {
    revalidated(BEACON, request)
}

pub fn board_module(request: &Request<Vec<u8>>) -> Response<Vec<u8>> {
    revalidated(BOARD, request)
}

pub fn board_texts(request: &Request<Vec<u8>>) -> Response<Vec<u8>> {
    revalidated(BOARD_TEXTS, request)
}

fn revalidated(text: &'static [u8], request: &Request<Vec<u8>>) -> Response<Vec<u8>> {
    let mut response = module(text);
    let tag = format!("\"{}\"", sha1_smol::Sha1::from(text).digest());
    if is_known(request, &tag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.body_mut().clear();
    }
    let headers = response.headers_mut();
    // Kept by browsers, but asked after: only rankings may be served without asking.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.extend(HeaderValue::from_str(&tag).map(|tag| (header::ETAG, tag)));
    response
}

/// The module at the address of its content; 404 at that of another one: pages that name it name its integrity too.
pub fn version(file: &str) -> Result<Response<Vec<u8>>, Problem> {
    if MODULE_PATH.strip_prefix("/v/") != Some(file) {
        return Err(Problem::new(Code::NotFound, format!("there is no module /v/{file}; it is {MODULE_PATH} now")));
    }
    let mut response = module(BEACON);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    Ok(response)
}

/// Pages of every origin may load it.
fn module(text: &[u8]) -> Response<Vec<u8>> {
    let mut response = uncached(StatusCode::OK, "text/javascript; charset=utf-8", text.to_vec());
    response.headers_mut().insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    response
}
