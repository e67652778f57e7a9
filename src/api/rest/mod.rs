//! Routes of rare use: members, explanations, pages, everything that needs a token.

mod activity;
mod alias;
mod audit;
mod beyond;
mod boards;
mod curation;
mod dead;
mod download;
mod export;
mod freeze;
mod fullness;
mod items;
mod leftovers;
mod members;
mod metrics;
mod mine;
mod moving;
mod pages;
mod periods;
mod ready;
mod rebuild;
mod removal;
mod rendered;
mod reset;
mod restore;
mod revocation;
mod series;
mod sites;
mod standing;
mod templates;
mod upkeep;
mod view;

pub(super) use beyond::beyond;
pub use download::{At, Download};
pub(super) use sites::run as administer_sites;
pub(super) use standing::{StandingDocument, describe_stand, stand_of};
pub(super) use view::{compose, fill_up, has_details};

use std::rc::Rc;

use http::Response;
use interface::route::{self, Endpoint, SiteEndpoint};
use ranking::site::Site;
use ranking::token::Tokens;

use super::problem::{self, Problem};
use super::{Call, json, top, uncached};
use crate::app::corrections::curation::List;
use crate::app::items::Kind;
use crate::app::{App, Runtime};

/// What the route's endpoint answers, where no other file of [`super`] does.
pub async fn run<R: Runtime>(
    app: &App<R>,
    endpoint: Endpoint,
    site: Option<&Rc<Site>>,
    tokens: &Tokens,
    call: &Call<'_>,
) -> Result<Response<Vec<u8>>, Problem> {
    match (endpoint, site) {
        (Endpoint::About, _) => Ok(pages::about()),
        (Endpoint::AdminPage, _) => Ok(pages::admin_page(&app.config.sites)),
        (Endpoint::Ready, _) => ready::get(app).await,
        (Endpoint::Description, _) => Ok(pages::description()),
        (Endpoint::Site(SiteEndpoint::Boards), Some(site)) => boards::get(app, site, tokens, call).await,
        (Endpoint::Site(SiteEndpoint::Periods), Some(site)) => periods::get(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Export(form)), Some(site)) => export::get(app, site, form, call).await,
        (Endpoint::Site(SiteEndpoint::Rendered(form)), Some(site)) => rendered::get(app, site, form, call).await,
        (Endpoint::Site(SiteEndpoint::Badge), Some(site)) => rendered::badge(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Member), Some(site)) => members::get(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Explain), Some(site)) => members::explain(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Series), Some(site)) => series::get(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::SeriesOfMany), Some(site)) => series::post(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Place), Some(site)) => members::place(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Distribution), Some(site)) => members::distribution(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Ranks), Some(site)) => members::ranks(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Activity), Some(site)) => activity::get(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Mine), Some(site)) => mine::post(app, site, tokens, call).await,
        (Endpoint::Site(SiteEndpoint::EraseActor), Some(site)) => activity::erase(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::ListCurated(list)), Some(site)) => curation::get(app, site, list_of(list), call).await,
        (Endpoint::Site(SiteEndpoint::Curate(list)), Some(site)) => curation::put(app, site, list_of(list), call).await,
        (Endpoint::Site(SiteEndpoint::Uncurate(list)), Some(site)) => curation::delete(app, site, list_of(list), call).await,
        (Endpoint::Site(SiteEndpoint::HideEverywhere), Some(site)) => curation::hide(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::ShowEverywhere), Some(site)) => curation::show(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Remove), Some(site)) => removal::remove(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::LetIn), Some(site)) => removal::let_in(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::ListRemoved), Some(site)) => removal::list(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Reset), Some(site)) => reset::post(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::ListResets), Some(site)) => reset::list(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Rebuild), Some(site)) => rebuild::post(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Freeze), Some(site)) => freeze::post(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::ListMade), Some(site)) => templates::list(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Made), Some(site)) => templates::get(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::MakeBoard), Some(site)) => templates::put(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::EndBoard), Some(site)) => templates::delete(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::ArchiveBoard), Some(site)) => templates::archive(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::OpenBoard), Some(site)) => templates::open(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Fullness), Some(site)) => fullness::get(app, site).await,
        (Endpoint::Site(SiteEndpoint::ListUnconfigured), Some(site)) => leftovers::get(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::RemoveUnconfigured), Some(site)) => leftovers::delete(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Audit), Some(site)) => audit::get(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Revoke), Some(site)) => revocation::post(app, site, tokens, call).await,
        (Endpoint::Site(SiteEndpoint::Restore), Some(site)) => restore::post(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Restoration), Some(site)) => restore::get(app, site).await,
        (Endpoint::Site(SiteEndpoint::ListDead), Some(site)) => dead::list(app, site, tokens, call).await,
        (Endpoint::Site(SiteEndpoint::ReplayDead), Some(site)) => dead::replay(app, site, tokens, call).await,
        (Endpoint::Site(SiteEndpoint::DeleteDead), Some(site)) => dead::delete(app, site, tokens, call).await,
        (Endpoint::Site(SiteEndpoint::ListDescribed), Some(site)) => items::list(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::CreateItem), Some(site)) => items::post(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::DescribeAll(kind)), Some(site)) => items::put_all(app, site, kind_of(kind), call).await,
        (Endpoint::Site(SiteEndpoint::Described(kind)), Some(site)) => items::get(app, site, kind_of(kind), call).await,
        (Endpoint::Site(SiteEndpoint::Describe(kind)), Some(site)) => items::put(app, site, kind_of(kind), call).await,
        (Endpoint::Site(SiteEndpoint::PatchDescribed(kind)), Some(site)) => items::patch(app, site, kind_of(kind), call).await,
        (Endpoint::Site(SiteEndpoint::Alias), Some(site)) => alias::get(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::MakeAlias), Some(site)) => alias::post(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::DeleteItem), Some(site)) => items::delete(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::Metrics), Some(site)) => metrics::get(app, site).await,
        (Endpoint::Site(SiteEndpoint::MetricsHistory), Some(site)) => metrics::history::get(app, site, call).await,
        (Endpoint::Site(SiteEndpoint::UpkeepProgress), Some(site)) => upkeep::get(app, site, tokens).await,
        (Endpoint::Site(SiteEndpoint::Upkeep), Some(site)) => upkeep::post(app, site, tokens).await,
        (
            Endpoint::Alive
            | Endpoint::BeaconModule
            | Endpoint::ModuleVersion
            | Endpoint::BoardModule
            | Endpoint::BoardTexts
            | Endpoint::Sites(_)
            | Endpoint::Site(_),
            _,
        ) => Err(Problem::internal(format!("{endpoint:?} has no answer here"))),
    }
}

fn list_of(list: route::List) -> List {
    match list {
        route::List::Hidden => List::Hidden,
        route::List::Pinned => List::Pinned,
    }
}

fn kind_of(kind: route::Kind) -> Kind {
    match kind {
        route::Kind::Item => Kind::Item,
        route::Kind::Actor => Kind::Actor,
    }
}
