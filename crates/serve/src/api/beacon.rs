//! Clicks of browsers: `POST /v1/{site}/beacon` and, for pages without script, `GET /v1/{site}/beacon.gif`.

use http::header::{self, HeaderName};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use interface::route::CF_CONNECTING_IP;
use ranking::site::Site;
use ranking::token::Tokens;
use ranking::visitor::Fingerprint;

use super::door::client_of;
use super::problem::{Level, Logged, Problem};
use super::{Call, text, uncached};
use crate::app::counting::{Notice, PixelEvent, Refusal};
use crate::app::{App, Runtime};

/// Why events count without the actor that they name: `ignored`, `expired` or `invalid`.
const EDGEBOARD_ACTOR: HeaderName = HeaderName::from_static("edgeboard-actor");
/// Why events do not count: codes, each once.
const EDGEBOARD_REFUSED: HeaderName = HeaderName::from_static("edgeboard-refused");
/// One transparent pixel.
const GIF: &[u8] = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01D\x00;";

/// 1. 400 or 413 for a body that is not a batch; 400 or 403 when none of its events can ever be valid.
/// 2. 429 where counting them would be more than its sender may have counted.
/// 3. 503 or 504 when Redis does not answer.
/// 4. 204: it is in Redis, or was before, or a queue keeps it. `Edgeboard-Actor` says why it counts without the actor that it names, `Edgeboard-Refused` why
///    events do not count. The first of those that can never be valid is logged.
pub async fn post<R: Runtime>(
    app: &App<R>,
    site: &Site,
    tokens: &Tokens,
    request: &Request<Vec<u8>>,
) -> Result<Response<Vec<u8>>, Problem> {
    let notice = app.counting().count_beacon(site, tokens, (&client_of(request), visitor(site, tokens, request)), request.body()).await?;
    Ok(with_notice(no_content(), notice))
}

/// The event's fields are the query's parameters; the statuses are those of [`post`], but 200 and a pixel. HEAD is checked like GET,
/// and counts nothing: it is what previews and link checkers send.
pub async fn pixel<R: Runtime>(app: &App<R>, site: &Site, tokens: &Tokens, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let field = |name| call.query.text(name);
    let event = PixelEvent { action: field("action"), item: field("item"), actor: field("actor"), id: field("id") };
    let notice = if call.request.method() == Method::HEAD {
        Notice { actor: event.read(site, None)?.1, ..Notice::default() }
    } else {
        app.counting().count_pixel(site, (&client_of(call.request), visitor(site, tokens, call.request)), event).await?
    };
    Ok(with_notice(gif(), notice))
}

/// What a beacon is answered with.
pub fn no_content() -> Response<Vec<u8>> {
    uncached(StatusCode::NO_CONTENT, "", Vec::new())
}

/// What a pixel is answered with.
pub fn gif() -> Response<Vec<u8>> {
    uncached(StatusCode::OK, "image/gif", GIF.to_vec())
}

/// Tells the page in a header, since a 204 and a pixel have no text.
fn with_notice(mut response: Response<Vec<u8>>, notice: Notice) -> Response<Vec<u8>> {
    let actor = notice.actor.map(|notice| (EDGEBOARD_ACTOR, HeaderValue::from_static(notice.name())));
    let codes: Vec<&str> = notice.refused.iter().map(|code| code.name()).collect();
    let refused = HeaderValue::from_str(&codes.join(", ")).ok().filter(|codes| !codes.is_empty());
    response.headers_mut().extend([actor, refused.map(|codes| (EDGEBOARD_REFUSED, codes))].into_iter().flatten());
    if let Some(Refusal { code, detail }) = notice.invalid {
        response.extensions_mut().insert(Logged { level: Level::Warn, code: code.name(), detail });
    }
    response
}

/// Who sends events without an actor, where it matters: by the address that Cloudflare says the connection came from.
fn visitor(site: &Site, tokens: &Tokens, request: &Request<Vec<u8>>) -> Option<Fingerprint> {
    let address = text(request, &CF_CONNECTING_IP).filter(|_| site.names_visitors())?;
    tokens.visitors.as_ref()?.fingerprint(&site.name, address, text(request, &header::USER_AGENT).unwrap_or_default())
}
