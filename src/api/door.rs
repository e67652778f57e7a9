//! Who is let in: how often anyone may ask, and whose clicks count.

use std::rc::Rc;

use http::header::{self, HeaderName};
use http::{HeaderValue, Method, Request, Response};

use super::problem::Problem;
use super::routes::{Access, CF_CONNECTING_IP, Endpoint, PURPOSE, Route, SEC_PURPOSE, SiteEndpoint};
use super::{beacon, text};
use crate::app::admission::{Admission, Client};
use crate::app::{App, Runtime};
use crate::ranking::site::Site;

/// `0`: what was sent does not count.
const EDGEBOARD_COUNTED: HeaderName = HeaderName::from_static("edgeboard-counted");

/// Lets a request pass that may go on, before its body is read.
///
/// 1. A click of who sends too many is 429. One that does not count gets the answer of one that does, with `Edgeboard-Counted: 0`.
/// 2. Ranks, series and what an actor did are asked of Redis each time, so who asks too often gets 429. Other reads find that out when Redis is to be asked.
pub async fn check<R: Runtime>(
    app: &App<R>,
    route: &Route,
    site: &Rc<Site>,
    request: &Request<Vec<u8>>,
) -> Result<Option<Response<Vec<u8>>>, Problem> {
    if matches!(
        route.endpoint,
        Endpoint::Site(SiteEndpoint::Ranks | SiteEndpoint::Series | SiteEndpoint::SeriesOfMany | SiteEndpoint::Mine)
    ) {
        return app.over_misses(site).await.map_or(Ok(None), |wait_s| Err(Problem::too_many(wait_s)));
    }
    // HEAD counts nothing.
    if route.access != Access::Page || request.method() == Method::HEAD {
        return Ok(None);
    }
    let client = Client {
        address: text(request, &CF_CONNECTING_IP),
        user_agent: text(request, &header::USER_AGENT).unwrap_or_default(),
        purpose: text(request, &SEC_PURPOSE).or(text(request, &PURPOSE)).unwrap_or_default(),
    };
    match app.admit(site, &client).await {
        Admission::Counted => Ok(None),
        Admission::Refused { wait_s } => Err(Problem::too_many(wait_s)),
        Admission::Dropped => {
            let mut response = if route.endpoint == Endpoint::Site(SiteEndpoint::Pixel) { beacon::gif() } else { beacon::no_content() };
            response.headers_mut().insert(EDGEBOARD_COUNTED, HeaderValue::from_static("0"));
            Ok(Some(response))
        }
    }
}
