//! Files that are part of the worker: the page of administration, the description of the API. And the line at its root.

use std::rc::Rc;

use http::{HeaderValue, Response, StatusCode, header};
use ranking::name::Named;
use ranking::site::Site;

use super::uncached;

/// What the root says. It names no site, and leads nowhere.
const ABOUT: &[u8] = b"This is edgeboard: it counts events and answers rankings.\n";
const ADMIN_PAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/admin.html"));
/// Where the names of the sites stand in it.
const ADMIN_SITES: usize = include!(concat!(env!("OUT_DIR"), "/admin-sites.txt"));
const ADMIN_POLICY: &str = include_str!(concat!(env!("OUT_DIR"), "/admin-policy.txt"));
const DESCRIPTION: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json"));

/// Made from the table of routes, by a test that also keeps it so.
pub fn description() -> Response<Vec<u8>> {
    file("application/json", DESCRIPTION)
}

/// Under `npm start`, `packages/edgeboard/serve/dev-worker.mjs` answers with the demo page instead.
pub fn about() -> Response<Vec<u8>> {
    file("text/plain; charset=utf-8", ABOUT)
}

/// It asks for the token itself, so anyone may have it.
pub fn admin_page(sites: &Named<Rc<Site>>) -> Response<Vec<u8>> {
    let mut response = page(ADMIN_PAGE, ADMIN_POLICY);
    response.body_mut().splice(ADMIN_SITES..ADMIN_SITES, list(sites).into_bytes());
    response
}

/// The names of the sites, with spaces between them.
fn list(sites: &Named<Rc<Site>>) -> String {
    sites.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" ")
}

fn page(text: &[u8], policy: &'static str) -> Response<Vec<u8>> {
    let mut response = file("text/html; charset=utf-8", text);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    // Not `no-referrer`, with which browsers name no origin in the page's own beacons.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

fn file(content_type: &'static str, body: &[u8]) -> Response<Vec<u8>> {
    uncached(StatusCode::OK, content_type, body.to_vec())
}
