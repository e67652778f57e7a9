//! Clicks of browsers: `POST /v1/{site}/beacon` and, for pages without script, `GET /v1/{site}/beacon.gif`.

use http::header;
use http::{Method, Request, Response, StatusCode};

use super::problem::Problem;
use super::routes::CF_CONNECTING_IP;
use super::{Call, text, uncached};
use crate::app::count::PixelEvent;
use crate::app::{App, Runtime};
use crate::ranking::name::Fingerprint;
use crate::ranking::site::Site;

/// One transparent pixel.
const GIF: &[u8] = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01D\x00;";

/// 1. 400 or 413 for a body that is not a batch; 400 or 403 when any of its events can never be valid.
/// 2. 503 or 504 when Redis does not answer.
/// 3. 204: it is in Redis, or was before.
pub async fn post<R: Runtime>(app: &App<R>, site: &Site, request: &Request<Vec<u8>>) -> Result<Response<Vec<u8>>, Problem> {
    app.count_beacon(site, visitor(site, request), request.body()).await?;
    Ok(uncached(StatusCode::NO_CONTENT, "", Vec::new()))
}

/// The event's fields are the query's parameters; the statuses are those of [`post`], but 200 and a pixel. HEAD is checked like GET,
/// and counts nothing: it is what previews and link checkers send.
pub async fn pixel<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let field = |name| call.query.text(name);
    let event = PixelEvent { action: field("action"), item: field("item"), actor: field("actor"), id: field("id") };
    if call.request.method() == Method::HEAD {
        event.read(site, None)?;
    } else {
        app.count_pixel(site, visitor(site, call.request), event).await?;
    }
    Ok(uncached(StatusCode::OK, "image/gif", GIF.to_vec()))
}

/// Who sends events without an actor, where it matters: by the address that Cloudflare says the connection came from.
fn visitor(site: &Site, request: &Request<Vec<u8>>) -> Option<Fingerprint> {
    let address = text(request, &CF_CONNECTING_IP).filter(|_| site.counts_once())?;
    Fingerprint::of(&site.name, address, text(request, &header::USER_AGENT).unwrap_or_default())
}
