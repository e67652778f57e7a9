//! Access: the rights that a route demands, and the pages that may read its answer.

use http::header::{self, HeaderName};
use http::{HeaderValue, Request, Response, StatusCode};
use interface::code::Code;
use interface::route::{Access, CF_CONNECTING_IP, Cache, Route, SEC_FETCH_SITE};
use ranking::address::Address;
use ranking::name::Name;
use ranking::site::Site;
use ranking::token::{Right, Tokens};

use super::problem::Problem;
use super::{Dispatch, text, uncached};
use crate::app::attempts::Attempts;
use crate::app::{App, RESERVED, Runtime};

/// Response headers that pages of other origins may read besides those that they may always read.
const EXPOSED: HeaderValue =
    HeaderValue::from_static("ETag, Age, Cache-Status, Retry-After, Edgeboard-Actor, Edgeboard-Counted, Edgeboard-Refused");

/// What decides about tokens.
pub struct Door<'a> {
    tokens: &'a Tokens,
    attempts: &'a Attempts,
    now_ms: u64,
}

impl<'a> Door<'a> {
    pub fn of<R: Runtime>(app: &'a App<R>, tokens: &'a Tokens) -> Self {
        Self { tokens, attempts: &app.memory.attempts, now_ms: app.runtime.clock_ms() }
    }
}

/// Lets a request pass that may use the route.
///
/// # Errors
/// 401 without a token of the route's, 429 after too many wrong ones, 403 for a page of another origin.
pub fn check(access: Access, site: Option<&Site>, door: &Door<'_>, request: &Request<Vec<u8>>) -> Result<(), Problem> {
    match (access, site) {
        (Access::Page, Some(site)) => check_origin(site, request),
        (Access::Anyone | Access::Page, _) => Ok(()),
        (Access::DeploymentToken, _) => door.check_deployment(request),
        (_, Some(site)) => door.check(rights(access), &site.name, request),
        (_, None) => Err(Problem::internal("a route with a token is of no site".into())),
    }
}

/// What a token has to allow, each of which is enough; empty where none is needed.
fn rights(access: Access) -> &'static [Right] {
    match access {
        Access::Anyone | Access::Page => &[],
        Access::WriteToken => &[Right::Write],
        Access::AdminToken | Access::DeploymentToken => &[Right::Admin],
        Access::MetricsToken => &[Right::Metrics, Right::Admin],
    }
}

impl Door<'_> {
    /// The same for what concerns no site: with a token of all sites. It is one of the name that no site has.
    fn check_deployment(&self, request: &Request<Vec<u8>>) -> Result<(), Problem> {
        let nobody = Name::new(RESERVED).ok_or_else(|| Problem::internal("the reserved name is none".into()))?;
        self.check(rights(Access::DeploymentToken), &nobody, request)
    }

    /// `Authorization: Bearer …`, with a token that gives one of the rights.
    ///
    /// 1. 401 where nobody can have one of them, and without a token.
    /// 2. A right one passes: nobody is locked out by others who try from the same address. Where one of the rights' tokens is
    ///    short, only when the address may still try, since such a one can be found by trying.
    /// 3. 429 for an address that showed too many wrong ones.
    /// 4. 401 for a wrong one. The first of a minute is logged. One that is for something else was not guessed, and does not count.
    fn check(&self, rights: &[Right], site: &Name, request: &Request<Vec<u8>>) -> Result<(), Problem> {
        let names = || rights.iter().map(|right| right.variable());
        let name = names().collect::<Vec<_>>().join(" or ");
        let whose = if site.as_str() == RESERVED { "all sites".into() } else { format!("the site {site}") };
        let refuse = |detail: String| {
            let mut problem = Problem::new(Code::Unauthorized, detail);
            problem.header(header::WWW_AUTHENTICATE, "Bearer");
            problem
        };
        if !rights.iter().any(|right| self.tokens.any(*right, site)) {
            return Err(refuse(format!("this deployment has no {name} for {whose}, so nobody may do this")));
        }
        let given =
            bearer(request).ok_or_else(|| refuse(format!("send Authorization: Bearer ${}", names().collect::<Vec<_>>().join(" or $"))))?;
        // Each is compared, so the time does not tell which right it gives.
        let is_right = rights.iter().fold(false, |found, right| found | self.tokens.allow(*right, site, given));
        if is_right && rights.iter().all(|right| self.tokens.are_long(*right, site)) {
            return Ok(());
        }
        let address = text(request, &CF_CONNECTING_IP).and_then(Address::parse);
        if let Some(wait_s) = self.attempts.wait_s(address, self.now_ms) {
            let mut problem = Problem::new(Code::TooManyAttempts, "too many wrong tokens came from this address; wait");
            problem.header(header::RETRY_AFTER, &wait_s.to_string());
            return Err(problem);
        }
        if is_right {
            return Ok(());
        }
        let problem = refuse(format!("the token is not the {name}"));
        Err(if !self.tokens.knows(given) && self.attempts.count(address, self.now_ms) {
            problem.logged_as(format!("a token is not the {name} of {whose}; no more are logged for a minute"))
        } else {
            problem
        })
    }
}

/// The token that a request shows.
pub fn bearer(request: &Request<Vec<u8>>) -> Option<&str> {
    let (scheme, token) = text(request, &header::AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
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
    let detail = format!("pages of the origin {origin} may not send events to the site {}; its `origins` do not list it", site.name);
    Err(Problem::new(Code::OriginNotAllowed, detail))
}

/// `https://example.com/a/b` → `https://example.com`
fn origin_of(url: &str) -> &str {
    // The third slash begins the path.
    url.match_indices('/').nth(2).map_or(url, |(path, _)| &url[..path])
}

/// Lets pages read a response, problems included: those that may use the route. `site` is the one that the path names, if there
/// is one; that there is none may be read by any page.
pub fn make_readable(access: Access, site: Option<&Site>, request: &Request<Vec<u8>>, response: &mut Response<Vec<u8>>) {
    let allowed = |_: &&HeaderValue| site.is_none_or(|site| check_origin(site, request).is_ok());
    let origin = request.headers().get(header::ORIGIN).filter(allowed);
    let headers = response.headers_mut();
    match access {
        Access::Anyone => {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
        Access::Page => {
            if let Some(origin) = origin {
                headers.insert(header::VARY, HeaderValue::from_static("Origin"));
                headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
                // sendBeacon always sends with credentials; none are looked at here.
                headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
                headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
            }
        }
        Access::WriteToken | Access::AdminToken | Access::DeploymentToken | Access::MetricsToken => {}
    }
}

/// Whether browsers may ask before they send what needs permission; no page has a token to send.
pub fn answers_preflights(route: &Route) -> bool {
    matches!(route.access, Access::Anyone | Access::Page)
}

/// Answers the question that browsers ask before they send JSON or `If-None-Match` to another origin.
pub fn preflight(dispatch: &Dispatch) -> Response<Vec<u8>> {
    let routes: Vec<&Route> = dispatch.routes.iter().copied().filter(|route| answers_preflights(route)).collect();
    let allowed = [
        ("content-type", routes.iter().any(|route| route.body.is_some())),
        ("if-none-match", routes.iter().any(|route| matches!(route.cache, Cache::Revalidated | Cache::Ranking))),
    ];
    let methods: Vec<&str> = routes.iter().map(|route| route.method.name()).collect();
    let allowed: Vec<&str> = allowed.into_iter().filter_map(|(name, is_read)| is_read.then_some(name)).collect();

    let mut response = uncached(StatusCode::NO_CONTENT, "", Vec::new());
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    set(header::ACCESS_CONTROL_ALLOW_METHODS, &methods.join(", "));
    set(header::ACCESS_CONTROL_ALLOW_HEADERS, &allowed.join(", "));
    set(header::ACCESS_CONTROL_MAX_AGE, "86400");
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
