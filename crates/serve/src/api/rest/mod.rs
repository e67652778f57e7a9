//! What pages ask for now and then: members, explanations, series, lists in other forms, files.

mod beyond;
mod boards;
mod members;
mod pages;
mod periods;
mod rendered;
mod series;
mod standing;
mod view;

pub(super) use beyond::beyond;
pub use periods::{PeriodDocument, check_history, document};
pub use rendered::quote;
pub(super) use standing::{StandingDocument, describe_stand, stand_of};
pub(super) use view::{compose, fill_up, has_details};

use std::rc::Rc;

use http::Response;
use interface::route::{Endpoint, SiteEndpoint};
use ranking::site::Site;
use ranking::token::Tokens;

use super::problem::{self, Problem};
use super::{Call, json, top, uncached};
use crate::app::{App, Runtime};

/// What the route's endpoint answers, where pages ask for it; `None`: others do.
pub(super) async fn run<R: Runtime>(
    app: &App<R>,
    endpoint: Endpoint,
    site: Option<&Rc<Site>>,
    tokens: &Tokens,
    call: &Call<'_>,
) -> Option<Result<Response<Vec<u8>>, Problem>> {
    Some(match (endpoint, site) {
        (Endpoint::About, _) => Ok(pages::about()),
        (Endpoint::AdminPage, _) => Ok(pages::admin_page(&app.config.sites)),
        (Endpoint::Description, _) => Ok(pages::description()),
        (Endpoint::Site(SiteEndpoint::Boards), Some(site)) => boards::get(app, site, tokens, call).await,
        (Endpoint::Site(SiteEndpoint::Periods), Some(site)) => periods::get(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Rendered(form)), Some(site)) => rendered::get(app, site, form, call).await,
        (Endpoint::Site(SiteEndpoint::Badge), Some(site)) => rendered::badge(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Member), Some(site)) => members::get(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Explain), Some(site)) => members::explain(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Series), Some(site)) => series::get(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::SeriesOfMany), Some(site)) => series::post(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Place), Some(site)) => members::place(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Distribution), Some(site)) => members::distribution(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Ranks), Some(site)) => members::ranks(app, site, call).await,
        _ => return None,
    })
}
