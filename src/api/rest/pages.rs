//! Files that are part of the worker: the demo page, the page of administration, the description of the API.

use std::rc::Rc;

use http::{HeaderValue, Response, StatusCode, header};

use super::uncached;
use crate::ranking::name::Named;
use crate::ranking::site::Site;

const PAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/index.html"));
/// Where the attributes of the page's script element end; build.rs finds it.
const PAGE_ATTRIBUTES: usize = include!(concat!(env!("OUT_DIR"), "/page-attributes.txt"));
/// What the page may load and who may frame it; build.rs makes it, with the digests of the page's own script and style.
const PAGE_POLICY: &str = include_str!(concat!(env!("OUT_DIR"), "/page-policy.txt"));
const ADMIN_PAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/admin.html"));
/// Where the names of the sites stand in it.
const ADMIN_SITES: usize = include!(concat!(env!("OUT_DIR"), "/admin-sites.txt"));
const ADMIN_POLICY: &str = include_str!(concat!(env!("OUT_DIR"), "/admin-policy.txt"));
const DESCRIPTION: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json"));

/// Made from the table of routes, by a test that also keeps it so.
pub fn description() -> Response<Vec<u8>> {
    file("application/json", DESCRIPTION)
}

/// It shows boards of the sites that are configured. `token`: of the actor that the page's reader is, or empty. Like all files that
/// are not said to be, the page is in no cache.
pub fn demo_page(sites: &Named<Rc<Site>>, token: &str) -> Response<Vec<u8>> {
    let mut response = page(PAGE, PAGE_POLICY);
    let of_token = if token.is_empty() { String::new() } else { format!(" data-edgeboard-token=\"{token}\"") };
    let attributes = format!(" data-sites=\"{}\"{of_token}", list(sites));
    response.body_mut().splice(PAGE_ATTRIBUTES..PAGE_ATTRIBUTES, attributes.into_bytes());
    response
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
