//! The routes of administration: what needs a token, or is asked by schedules and operators.

mod activity;
mod alias;
mod audit;
mod curation;
mod dead;
mod download;
mod export;
mod freeze;
mod fullness;
mod items;
mod leftovers;
mod metrics;
mod mine;
mod moving;
mod ready;
mod rebuild;
mod removal;
mod reset;
mod restore;
mod revocation;
mod sites;
mod templates;
mod upkeep;

pub use download::{At, Download};
pub use serve::api::{Code, Dispatch, Level, Logged, misconfigured, unreadable};

use http::{Request, Response};
use interface::route::{self, Endpoint, SiteEndpoint};
use ranking::token::Tokens;
use serve::api::Other;
use serve::api::Problem;
use serve::app::{App, Runtime};

use crate::app::archive::ArchiveError;
use crate::app::corrections::curation::List;
use crate::app::items::Kind;

/// Answers a request.
pub async fn handle<R: Runtime>(app: &App<R>, tokens: &Tokens, request: Request<Vec<u8>>) -> Response<Vec<u8>> {
    let dispatch = Dispatch::of(request.method(), request.uri(), &app.config.beacon_path);
    let (head, body) = request.into_parts();
    answer(app, tokens, dispatch, Request::from_parts(head, Vec::new()), async || Ok(body)).await
}

/// Answers a request whose address was looked up before, see [`serve::api::answer`].
pub async fn answer<R: Runtime>(
    app: &App<R>,
    tokens: &Tokens,
    dispatch: Dispatch,
    request: Request<Vec<u8>>,
    read_body: impl AsyncFnOnce() -> Result<Vec<u8>, String>,
) -> Response<Vec<u8>> {
    serve::api::answer(app, tokens, dispatch, request, read_body, async |other| run(other).await).await
}

/// What the endpoint answers, where serving has no answer for it.
async fn run<R: Runtime>(Other { app, endpoint, site, tokens, call }: Other<'_, R>) -> Result<Response<Vec<u8>>, Problem> {
    match (endpoint, site) {
        (Endpoint::Ready, _) => ready::get(app).await,
        (Endpoint::Site(SiteEndpoint::Export(form)), Some(site)) => export::get(app, site, form, call).await,
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
        (Endpoint::Sites(endpoint), _) => sites::run(app, endpoint, call).await,
        _ => Err(Problem::internal(format!("{endpoint:?} has no answer here"))),
    }
}

/// The archive did not do it.
impl From<ArchiveError> for Problem {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Clocks(differ) => Self::new(Code::ClockDiffers, differ.to_string()),
            error => Self::database(error.into()),
        }
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
