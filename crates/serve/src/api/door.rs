//! Admission of a request: limits of its client, and the clicks that do not count.

use std::rc::Rc;

use http::header::{self, HeaderName};
use http::{HeaderValue, Method, Request, Response};
use interface::route::{Access, CF_CONNECTING_IP, Endpoint, PURPOSE, Route, SEC_PURPOSE, SiteEndpoint};
use ranking::site::Site;

use super::problem::Problem;
use super::{beacon, text};
use crate::app::admission::{Admission, Client};
use crate::app::price::Cost;
use crate::app::{App, Runtime};

/// `0`: what was sent does not count.
const EDGEBOARD_COUNTED: HeaderName = HeaderName::from_static("edgeboard-counted");

/// A page of a hundred of what the database has, and whether there are more: each in its index and in its table.
const LISTED: Cost = Cost::rows(2 * 101);
/// One of these, or the first look of a live ranking.
pub(super) const ONE: Cost = Cost::rows(4);

/// Lets a request pass that may go on, before its body is read.
///
/// 1. An event of a site that has used its quota is 429.
/// 2. A click of who sends too many is 429. One that does not count gets the answer of one that does, with `Edgeboard-Counted: 0`.
/// 3. A read whose body tells what it costs is 429 for who had too much asked before. What it costs is taken when it is known, as other reads take theirs
///    when Redis is to be asked.
/// 4. What the database answers each time takes its price here.
pub async fn check<R: Runtime>(
    app: &App<R>,
    route: &Route,
    site: &Rc<Site>,
    request: &Request<Vec<u8>>,
) -> Result<Option<Response<Vec<u8>>>, Problem> {
    // HEAD counts nothing.
    let counts = request.method() != Method::HEAD;
    let over = match route.endpoint {
        Endpoint::Site(SiteEndpoint::Beacon | SiteEndpoint::Pixel | SiteEndpoint::Events) if counts => {
            app.admission().over_quota_of_events(site)
        }
        Endpoint::Site(SiteEndpoint::Ranks | SiteEndpoint::SeriesOfMany | SiteEndpoint::Mine) => app.admission().is_past_misses(site),
        Endpoint::Site(SiteEndpoint::Periods | SiteEndpoint::ListDescribed) => app.admission().over_misses(site, LISTED).await,
        Endpoint::Site(SiteEndpoint::Described(_)) => app.admission().over_misses(site, ONE).await,
        _ => None,
    };
    if let Some(over) = over {
        return Err(Problem::over(over));
    }
    if route.access != Access::Page || !counts {
        return Ok(None);
    }
    match app.admission().admit(site, &client_of(request)).await {
        Admission::Counted => Ok(None),
        Admission::Refused { wait_s } => Err(Problem::too_many(wait_s)),
        Admission::Dropped => {
            let mut response = if route.endpoint == Endpoint::Site(SiteEndpoint::Pixel) { beacon::gif() } else { beacon::no_content() };
            response.headers_mut().insert(EDGEBOARD_COUNTED, HeaderValue::from_static("0"));
            Ok(Some(response))
        }
    }
}

/// Who sends a click.
pub fn client_of(request: &Request<Vec<u8>>) -> Client<'_> {
    Client {
        address: text(request, &CF_CONNECTING_IP),
        user_agent: text(request, &header::USER_AGENT).unwrap_or_default(),
        purpose: text(request, &SEC_PURPOSE).or(text(request, &PURPOSE)).unwrap_or_default(),
    }
}
