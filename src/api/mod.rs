//! HTTP as data: a request in, a response out.
//!
//! # Out of scope
//! Sockets and streams. The edge reads the body (at most [`MAX_BODY`] + 1 bytes, so that too much is seen here) and
//! hands over the headers named by [`headers_of`].

mod actors;
mod admin;
mod batch;
mod beacon;
mod boards;
mod curation;
mod events;
mod health;
mod members;
mod problem;
mod query;
mod top;
mod web;

use std::rc::Rc;

use http::header::{self, HeaderName};
use http::{HeaderValue, Method, Request, Response, StatusCode};

use subtle::ConstantTimeEq;

use crate::app::{App, Runtime};
use crate::config::ConfigError;
use crate::ranking::name::Id;
use crate::ranking::site::{Board, Site};
pub use problem::{Logged, Problem};

/// The largest body, in bytes: what browsers can send as a beacon at once.
pub const MAX_BODY: usize = 64 * 1024;

/// Whom Cloudflare had the connection from.
const CF_CONNECTING_IP: HeaderName = HeaderName::from_static("cf-connecting-ip");
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The request headers that anything here looks at: few for rankings, since each costs a call into the runtime.
pub fn headers_of(path: &str) -> &'static [HeaderName] {
    static RANKINGS: [HeaderName; 1] = [header::IF_NONE_MATCH];
    static BEACONS: [HeaderName; 5] = [header::ORIGIN, header::REFERER, SEC_FETCH_SITE, CF_CONNECTING_IP, header::USER_AGENT];
    static OTHERS: [HeaderName; 2] = [header::AUTHORIZATION, header::IF_NONE_MATCH];
    if path.contains("/admin/") {
        &OTHERS
    } else if path.contains("/boards/") {
        &RANKINGS
    } else if path.contains("/beacon") {
        &BEACONS
    } else {
        &OTHERS
    }
}

/// Who may do more than anyone.
#[derive(Clone, Default)]
pub struct Tokens {
    /// `WRITE_TOKEN`; without it nobody may write as a server.
    pub write: Option<String>,
    /// `ADMIN_TOKEN`; likewise.
    pub admin: Option<String>,
}

/// Answers a request.
pub async fn handle<R: Runtime>(app: &App<R>, tokens: &Tokens, request: Request<Vec<u8>>) -> Response<Vec<u8>> {
    let head = request.method() == Method::HEAD;
    let mut response = match route(app, tokens, &request).await {
        Ok(response) => response,
        Err(problem) => problem.into_response(),
    };
    if head {
        response.body_mut().clear();
    }
    response
}

/// Answers every request of a deployment that is configured wrongly.
pub fn misconfigured(mistake: &ConfigError) -> Response<Vec<u8>> {
    Problem::configuration(mistake.to_string()).into_response()
}

/// Answers a request that could not be read: the client went away, or sent what is not HTTP.
pub fn unreadable(detail: &str) -> Response<Vec<u8>> {
    Problem::bad_request("unreadable", format!("the request could not be read: {detail}")).into_response()
}

async fn route<R: Runtime>(app: &App<R>, tokens: &Tokens, request: &Request<Vec<u8>>) -> Result<Response<Vec<u8>>, Problem> {
    let path: Vec<String> = request.uri().path().split('/').skip(1).map(query::decode).collect::<Result<_, _>>()?;
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let get = || allow(request, &[Method::GET]);
    let post = || allow(request, &[Method::POST]);
    match path.as_slice() {
        [""] => get().and_then(|()| web::page(request)),
        ["beacon.js"] => get().and_then(|()| web::beacon(request)),
        ["healthz"] => get().and_then(|()| health::alive(request)),
        ["readyz"] => {
            get()?;
            health::ready(app, request).await
        }
        ["v1", site, "beacon"] if request.method() == Method::OPTIONS => beacon::preflight(find_site(app, site)?, request),
        ["v1", site, "beacon"] => {
            post()?;
            beacon::post(app, find_site(app, site)?, request).await
        }
        ["v1", site, "beacon.gif"] => {
            get()?;
            beacon::gif(app, find_site(app, site)?, request).await
        }
        ["v1", site, "events"] => {
            post()?;
            events::post(app, tokens, find_site(app, site)?, request).await
        }
        ["v1", site, "boards"] => get().and_then(|()| boards::get(find_site(app, site)?, request)),
        ["v1", site, "boards", board, window] => {
            get()?;
            top::get(app, find_site(app, site)?, board, window, request).await
        }
        ["v1", site, "boards", board, window, "members", id] => {
            get()?;
            members::get(app, find_site(app, site)?, board, window, id, request).await
        }
        ["v1", site, "boards", board, window, "members", id, "explain"] => {
            get()?;
            members::explain(app, find_site(app, site)?, board, window, id, request).await
        }
        ["v1", site, "boards", board, window, "ranks"] => {
            post()?;
            members::ranks(app, find_site(app, site)?, board, window, request).await
        }
        ["v1", site, "top"] => {
            get()?;
            top::several(app, find_site(app, site)?, request).await
        }
        ["v1", site, "actors", actor] => {
            allow(request, &[Method::DELETE])?;
            actors::erase(app, tokens, find_site(app, site)?, actor, request).await
        }
        ["v1", site, "actors", actor, "activity"] => {
            get()?;
            actors::activity(app, tokens, find_site(app, site)?, actor, request).await
        }
        ["v1", site, "admin", "boards", board, list @ ("hidden" | "pinned")] => {
            get()?;
            curation::list(app, tokens, find_site(app, site)?, board, list, request).await
        }
        ["v1", site, "admin", "boards", board, list @ ("hidden" | "pinned"), id] => {
            allow(request, &[Method::PUT, Method::DELETE])?;
            curation::change(app, tokens, find_site(app, site)?, board, list, id, request).await
        }
        ["v1", site, "admin", "upkeep"] => {
            allow(request, &[Method::GET, Method::POST])?;
            admin::upkeep(app, tokens, find_site(app, site)?, request).await
        }
        _ => Err(Problem::new(StatusCode::NOT_FOUND, "not-found", format!("there is nothing at {}", request.uri().path()))),
    }
}

/// GET allows HEAD.
fn allow(request: &Request<Vec<u8>>, methods: &[Method]) -> Result<(), Problem> {
    let method = request.method();
    if methods.contains(method) || (method == Method::HEAD && methods.contains(&Method::GET)) {
        return Ok(());
    }
    let methods: Vec<&str> = methods.iter().map(Method::as_str).collect();
    let methods = methods.join(", ");
    let mut problem =
        Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", format!("{method} is not possible here; allowed: {methods}"));
    problem.header(header::ALLOW, &methods);
    Err(problem)
}

fn find_site<'a, R>(app: &'a App<R>, name: &str) -> Result<&'a Rc<Site>, Problem> {
    let unknown = || Problem::new(StatusCode::NOT_FOUND, "unknown-site", format!("no site is called {name:?}"));
    app.config.sites.get(name).ok_or_else(unknown)
}

fn find_board<'s>(site: &'s Site, name: &str) -> Result<&'s Rc<Board>, Problem> {
    site.boards.get(name).ok_or_else(|| {
        let detail = format!("the site {} has no board {name:?}; it has {}", site.name, site.boards.list());
        Problem::new(StatusCode::NOT_FOUND, "unknown-board", detail)
    })
}

/// The id of a member or actor in a path.
fn read_id(text: &str) -> Result<Id, Problem> {
    Id::new(text).ok_or_else(|| Problem::bad_request("invalid-id", format!("the id {text:?} is not allowed; allowed: {}", Id::ALLOWED)))
}

/// `Authorization: Bearer …`, compared in a time that does not tell how much of it was right.
fn check_token(name: &str, expected: Option<&str>, request: &Request<Vec<u8>>) -> Result<(), Problem> {
    let given = text(request, &header::AUTHORIZATION).and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    let refuse = |detail: &str| {
        let mut problem = Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", detail);
        problem.header(header::WWW_AUTHENTICATE, "Bearer");
        problem
    };
    let Some(expected) = expected.filter(|expected| !expected.is_empty()) else {
        return Err(refuse(&format!("this deployment has no {name}, so nobody may do this")));
    };
    match given {
        Some(given) if bool::from(given.as_bytes().ct_eq(expected.as_bytes())) => Ok(()),
        Some(_) => Err(refuse(&format!("the token is not the {name}"))),
        None => Err(refuse(&format!("send Authorization: Bearer ${name}"))),
    }
}

/// A header's text, when it is there and is text.
fn text<'r>(request: &'r Request<Vec<u8>>, name: &HeaderName) -> Option<&'r str> {
    request.headers().get(name)?.to_str().ok()
}

/// A response that nobody may keep.
fn uncached(status: StatusCode, content_type: &'static str, body: Vec<u8>) -> Response<Vec<u8>> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if !content_type.is_empty() {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    }
    response
}

fn json(body: &impl serde::Serialize) -> Result<Response<Vec<u8>>, Problem> {
    let body = serde_json::to_vec(body).map_err(|error| Problem::internal(error.to_string()))?;
    Ok(uncached(StatusCode::OK, "application/json", body))
}

/// Lets pages of every origin read a response.
fn readable_by_all(mut response: Response<Vec<u8>>) -> Response<Vec<u8>> {
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}
