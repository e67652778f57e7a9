//! Clicks of browsers: `POST /v1/{site}/beacon` and, for pages without script, `GET /v1/{site}/beacon.gif`.

use http::header;
use http::{HeaderValue, Request, Response, StatusCode};
use serde_json::json;

use super::batch::{self, RawBatch, Sender};
use super::query::Query;
use super::{CF_CONNECTING_IP, Problem, SEC_FETCH_SITE, text, uncached};
use crate::app::{App, Runtime};
use crate::ranking::event::Batch;
use crate::ranking::name::{Fingerprint, ReplayId};
use crate::ranking::site::Site;

/// One transparent pixel.
const GIF: &[u8] = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01D\x00;";

/// 1. 403 for a page of another origin than those listed.
/// 2. 400 or 413 for a body that is not a batch; 400 or 403 when any of its events can never be valid.
/// 3. 503 or 504 when Redis does not answer.
/// 4. 204: it is in Redis, or was before.
pub async fn post<R: Runtime>(app: &App<R>, site: &Site, request: &Request<Vec<u8>>) -> Result<Response<Vec<u8>>, Problem> {
    check_origin(site, request)?;
    let counted = match batch::read(request) {
        Ok(raw) => count(app, site, request, raw).await,
        Err(problem) => Err(problem),
    };
    let response = counted.map_or_else(Problem::into_response, |()| uncached(StatusCode::NO_CONTENT, "", Vec::new()));
    Ok(readable_by_origin(response, request))
}

/// Answers the question that browsers ask before they send JSON as `application/json`.
pub fn preflight(site: &Site, request: &Request<Vec<u8>>) -> Result<Response<Vec<u8>>, Problem> {
    check_origin(site, request)?;
    let mut response = uncached(StatusCode::NO_CONTENT, "", Vec::new());
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("content-type"));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    Ok(readable_by_origin(response, request))
}

/// The event's fields are the query's parameters; the statuses are those of [`post`], but 200 and a pixel.
pub async fn gif<R: Runtime>(app: &App<R>, site: &Site, request: &Request<Vec<u8>>) -> Result<Response<Vec<u8>>, Problem> {
    let query = Query::read(request, &["action", "item", "actor", "id"])?;
    check_origin(site, request)?;
    let event = json!({ "action": query.text("action"), "item": query.text("item"), "actor": query.text("actor"), "id": query.text("id") });
    count(app, site, request, RawBatch { id: None, events: vec![event] }).await?;
    Ok(uncached(StatusCode::OK, "image/gif", GIF.to_vec()))
}

async fn count<R: Runtime>(app: &App<R>, site: &Site, request: &Request<Vec<u8>>, raw: RawBatch) -> Result<(), Problem> {
    let sender = Sender::Browser(visitor(site, request));
    let events = raw.events.iter().map(|event| batch::read_event(site, &sender, event)).collect::<Result<Vec<_>, _>>()?;
    let id: Option<ReplayId> = raw.id;
    let counted = app.count(site, &Batch { id, events }).await;
    counted.map(drop).map_err(|not| Problem::redis(&not.error, not.applied))
}

/// Who sends events without an actor, where it matters: by the address that Cloudflare says the connection came from.
fn visitor(site: &Site, request: &Request<Vec<u8>>) -> Option<Fingerprint> {
    let address = text(request, &CF_CONNECTING_IP).filter(|_| site.counts_once())?;
    Fingerprint::of(&site.name, address, text(request, &header::USER_AGENT).unwrap_or_default())
}

/// A page tells its origin in `Origin`, or in `Referer` for images. Without either, only what comes from another site is
/// refused: programs and old browsers send none, and forge what they like.
fn check_origin(site: &Site, request: &Request<Vec<u8>>) -> Result<(), Problem> {
    let own = format!("{}://{}", request.uri().scheme_str().unwrap_or("https"), request.uri().authority().map_or("", |host| host.as_str()));
    let referer = text(request, &header::REFERER).map(origin_of);
    let origin = text(request, &header::ORIGIN).or(referer);
    let allowed = match origin {
        Some(origin) => origin == own || site.origins.allow(origin),
        None => text(request, &SEC_FETCH_SITE) != Some("cross-site") || site.origins.allow("null"),
    };
    if allowed {
        return Ok(());
    }
    let origin = origin.unwrap_or("unknown");
    Err(Problem::new(
        StatusCode::FORBIDDEN,
        "origin-not-allowed",
        format!("pages of the origin {origin} may not send events to the site {}", site.name),
    ))
}

/// `https://example.com/a/b` → `https://example.com`
fn origin_of(url: &str) -> &str {
    let host = url.find("://").map_or(0, |scheme| scheme + 3);
    url[host..].find('/').map_or(url, |path| &url[..host + path])
}

fn readable_by_origin(mut response: Response<Vec<u8>>, request: &Request<Vec<u8>>) -> Response<Vec<u8>> {
    if let Some(origin) = request.headers().get(header::ORIGIN) {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        // sendBeacon always sends with credentials; none are looked at here.
        headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
        headers.insert(header::VARY, HeaderValue::from_static("Origin"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_of_referers() {
        assert_eq!(origin_of("https://example.com/a/b?c"), "https://example.com");
        assert_eq!(origin_of("https://example.com"), "https://example.com");
        assert_eq!(origin_of("garbage"), "garbage");
    }
}
