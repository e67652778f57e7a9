//! Boards of templates, where a request names them: its site gets those that it is about.

use interface::code::Code;
use interface::route::{Endpoint, Route, SiteEndpoint};
use ranking::name::Name;
use ranking::site::Site;

use super::Query;
use super::dispatch::PathParameters;
use super::problem::Problem;
use crate::app::counting::not_allowed;
use crate::app::price::Cost;
use crate::app::templates::chunks::Concerned;
use crate::app::templates::{Purpose, State};
use crate::app::{App, Runtime};

/// Looking boards up: the call, the clock and the entries.
const LOOK_UP: Cost = Cost::commands(3);

/// The application whose site has the boards that a request is about.
pub(super) struct WithBoards<R> {
    pub app: App<R>,
    /// Where a request about all boards goes on, if it does.
    pub next: Option<Name>,
}

/// The boards that a request is about; `None`: it is about none of a template.
///
/// 1. What concerns whatever an actor has, concerns all boards: of these a chunk behind the `cursor`. 400 for what is no cursor.
/// 2. A board is looked up, unless it was within a minute. A client that has Redis asked for that pays for it: 429. Where Redis does not answer, a board is
///    read as it was known last: 503 for any other.
/// 3. 410 for a board that is being deleted; 409 for what an archived one does not have done. One that is not there is not the site's.
pub(super) async fn with_boards<R: Runtime>(
    app: &App<R>,
    route: &Route,
    site: &Site,
    path: &PathParameters,
    query: &Query,
) -> Result<Option<WithBoards<R>>, Problem> {
    use SiteEndpoint::{EraseActor, HideEverywhere, Rebuild, Reset, Revoke, ShowEverywhere};
    if matches!(route.endpoint, Endpoint::Site(EraseActor | HideEverywhere | Revoke | ShowEverywhere)) {
        let behind = behind(site, query)?;
        if site.templates.is_empty() {
            return Ok(None);
        }
        let concerned = if route.endpoint == Endpoint::Site(Revoke) { Concerned::InRedis } else { Concerned::All };
        let (app, next) = app.with_chunk(site, behind.as_ref(), concerned).await.map_err(Problem::redis)?;
        return Ok(Some(WithBoards { app, next }));
    }
    if site.templates.is_empty() {
        return Ok(None);
    }
    let names = asked(route, site, path, query);
    if names.is_empty() {
        return Ok(None);
    }
    let purpose = if route.writes() { Purpose::Write } else { Purpose::Read };
    let is_remembered = app.templates().remembered_states(site, &names, purpose).iter().all(Option::is_some);
    if !is_remembered
        && route.may_miss()
        && let Some(over) = app.admission().over_misses(site, LOOK_UP).await
    {
        return Err(Problem::over(over));
    }
    let states = app.templates().board_states(site, &names, purpose).await.map_err(Problem::redis)?;
    if let Some((name, _)) = names.iter().zip(&states).find(|(_, state)| **state == State::Going) {
        return Err(going(name));
    }
    let is_correction = matches!(route.endpoint, Endpoint::Site(Reset | Rebuild));
    let is_refused = |state: &State| *state != State::Missing && !state.takes_corrections();
    if let Some((name, state)) = names.iter().zip(&states).find(|(_, state)| is_correction && is_refused(state)) {
        let again = format!("DELETE /v1/{}/admin/boards/{name}/archive brings it back", site.name);
        return Err(Problem::new(Code::BoardArchived, format!("the board {:?} is {}; {again}", name.as_str(), state.name())));
    }
    let there = names.into_iter().zip(states).filter(|(_, state)| *state != State::Missing);
    let there: Vec<(Name, bool)> = there.map(|(name, state)| (name, state.is_archived())).collect();
    Ok(Some(WithBoards { app: app.with_boards(site, &there), next: None }))
}

/// The board that a request about all boards goes on behind; `None`: it begins.
pub(super) fn behind(site: &Site, query: &Query) -> Result<Option<Name>, Problem> {
    let read = |text: &str| {
        let not = || Problem::new(Code::InvalidParameter, not_allowed("cursor", Some(&text.into()), "what the answer before says"));
        Name::of_board(text).filter(|name| site.template_of(name).is_some()).ok_or_else(not)
    };
    query.text("cursor").map(read).transpose()
}

/// Of a board that is being deleted.
pub fn going(name: &Name) -> Problem {
    Problem::new(Code::BoardGoing, format!("the board {:?} is being deleted", name.as_str()))
}

/// The boards of templates that a request names: in its path, or of rankings in its query.
fn asked(route: &Route, site: &Site, path: &PathParameters, query: &Query) -> Vec<Name> {
    use SiteEndpoint::{ArchiveBoard, EndBoard, Events, ListMade, Made, MakeBoard, OpenBoard, Tops};
    let rankings = match route.endpoint {
        // These are about the entry of a board.
        Endpoint::Site(Made | MakeBoard | EndBoard | ArchiveBoard | OpenBoard | ListMade) => return Vec::new(),
        Endpoint::Site(Tops) => query.text("boards").unwrap_or_default(),
        Endpoint::Site(Events) => query.text("standing").unwrap_or_default(),
        _ => "",
    };
    let in_query = rankings.split(',').filter_map(|ranking| ranking.split_once('/')).map(|(board, _)| board);
    let mut names: Vec<Name> = [path.board.as_str()].into_iter().chain(in_query).filter_map(Name::of_board).collect();
    names.retain(|name| site.template_of(name).is_some());
    names.sort_unstable();
    names.dedup();
    names
}
