//! HTTP as data: a request in, a response out.
//!
//! The crate `interface` has the table of what there is; [`dispatch`] finds a request's route in it; [`access`] decides who may use it and
//! which pages read the answer. The other files answer: those here what happens all the time, those in `rest` everything else that pages ask
//! for. A caller that extends this answers the other endpoints, see [`Other`].
//!
//! # Out of scope
//! Sockets and streams. The edge reads the body (at most [`Dispatch::max_body`] + 1 bytes, so that too much is seen here) and hands
//! over the headers named by [`Dispatch::request_headers`].

mod access;
mod beacon;
mod dispatch;
mod door;
mod events;
mod health;
mod hint;
mod live;
mod module;
mod problem;
mod query;
mod rest;
pub mod sites;
pub mod templates;
mod top;

use std::rc::Rc;

use http::header::{self, HeaderName};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use interface::route::{Access, Cache, Endpoint, Form, Route, SiteEndpoint};
use ranking::name::{Id, Name, Named};
use ranking::site::{Board, Site};
use ranking::token::Tokens;

use crate::app::counting::EventCode;
use crate::app::database::DatabaseError;
use crate::app::rankings::Steady;
use crate::app::{App, Config, Runtime};
use access::Door;
pub use access::bearer;
pub use dispatch::Dispatch;
use dispatch::PathParameters;
pub use interface::code::Code;
pub use problem::{Level, Logged, Problem};
use query::Query;
pub use rest::{PeriodDocument, check_history, document, quote};
pub use top::{find_window, period_of, period_ref};

const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// A request that may use its route.
pub struct Call<'r> {
    pub path: &'r PathParameters,
    pub query: Query,
    pub request: &'r Request<Vec<u8>>,
    /// Where a request about all boards goes on, if it does.
    pub next_board: Option<Name>,
}

/// A request to an endpoint that serving has no answer for.
pub struct Other<'r, R> {
    pub app: &'r App<R>,
    pub endpoint: Endpoint,
    pub site: Option<&'r Rc<Site>>,
    pub tokens: &'r Tokens,
    pub call: &'r Call<'r>,
}

/// Answers a request whose address was looked up before, and whose body is read when somebody wants it: nothing is read of who may
/// not ask, or asks too often.
///
/// 1. A preflight is answered, where pages may ask.
/// 2. 404 where nothing is, 405 where other methods are.
/// 3. What keeps a site of run time from being served, see [`sites::Served::refusal`].
/// 4. The route's endpoint answers.
/// 5. Pages may read the answer, problems included, as the route says. Nobody may take it for another type than it is.
///
/// What serving has no answer for, `others` answers.
pub async fn answer<R: Runtime>(
    app: &App<R>,
    tokens: &Tokens,
    mut dispatch: Dispatch,
    mut request: Request<Vec<u8>>,
    read_body: impl AsyncFnOnce() -> Result<Vec<u8>, String>,
    others: impl AsyncFnOnce(Other<'_, R>) -> Result<Response<Vec<u8>>, Problem>,
) -> Response<Vec<u8>> {
    let asked_at_ms = app.runtime.clock_ms();
    let served = sites::find(app, tokens, &dispatch).await;
    let (app, tokens) = served.as_ref().map_or((app, tokens), |served| (served.app.as_ref().unwrap_or(app), &*served.tokens));
    let with_sections = app.with_sections(&dispatch.path.site).await;
    let app = with_sections.as_ref().unwrap_or(app);
    let head = request.method() == Method::HEAD;
    let first = dispatch.routes.first().copied();
    let route = match dispatch.route() {
        None if request.method() == Method::OPTIONS => first.filter(|route| access::answers_preflights(route)),
        route => route,
    };
    let refusal = served.as_ref().zip(route).and_then(|(served, route)| served.refusal(route));
    let answered = match route {
        Some(_) if let Some(problem) = refusal => Err(problem),
        Some(route) if request.method() == Method::OPTIONS => {
            let site = find_site_of(app, route, &dispatch.path);
            let checked = site.and_then(|site| access::check(route.access, site.as_deref(), &Door::of(app, tokens), &request));
            checked.map(|()| access::preflight(&dispatch))
        }
        Some(_) if let (true, Err(failure)) = (dispatch.path.board.contains('.'), &with_sections) => Err(Problem::redis(failure.clone())),
        Some(route) => run(app, tokens, route, &dispatch.path, (&mut request, read_body), others).await,
        None => Err(hint::missing(&app.config, &mut dispatch, request.uri())),
    };
    let site = app.config.sites.get(&dispatch.path.site);
    let mut response = answered.unwrap_or_else(|problem| {
        debug_assert!(route.is_none_or(|route| route.problems().any(|code| code == problem.code())), "{route:?} lists no {problem:?}");
        let is_click = route.is_some_and(|route| route.access == Access::Page);
        let board = site.and_then(|site| site.board(&dispatch.path.board)).map(|board| &**board);
        let kept_s = dispatch.route().filter(|route| route.cache == Cache::Ranking).and_then(|_| problem.kept_s(board));
        if matches!(problem.code(), Code::BindingMissing | Code::BindingNeeded) {
            app.health().tell_lacks();
        }
        let mut response = problem.into_response(is_click);
        if let Some(Ok(value)) = kept_s.map(|kept_s| HeaderValue::from_str(&format!("public, max-age={kept_s}"))) {
            response.headers_mut().insert(header::CACHE_CONTROL, value);
        }
        response
    });
    // Where nothing is, anyone may read so.
    let access = route.or(first).map_or(Access::Anyone, |route| route.access);
    access::make_readable(access, site.map(|site| &**site), &request, &mut response);
    forbid_sniffing(&mut response);
    keep_unlisted(route, &mut response);
    let of = site.map_or("", |site| site.name.as_str());
    let path = route.map_or("", |route| route.path);
    let ms = app.runtime.clock_ms().saturating_sub(asked_at_ms);
    if let (Some(site), Some(route)) = (site, route)
        && route.writes()
        && response.status().is_success()
    {
        app.sites().enter_later(site);
    }
    app.memory.counters.add_request(of, path, response.status().as_u16(), ms);
    if let Some(steady) = response.extensions_mut().get_mut::<Steady>() {
        steady.counted_at = app.memory.counters.kept(of, path);
    }
    if head {
        response.body_mut().clear();
    }
    response
}

/// Answers every request of a deployment that is configured wrongly.
pub fn misconfigured(error: &str) -> Response<Vec<u8>> {
    readable_by_all(Problem::new(Code::ConfigurationInvalid, error))
}

/// Answers a request that could not be read: the client went away, or sent what is not HTTP.
pub fn unreadable(detail: &str) -> Response<Vec<u8>> {
    readable_by_all(Problem::new(Code::Unreadable, format!("the request could not be read: {detail}")))
}

/// A problem of no route.
fn readable_by_all(problem: Problem) -> Response<Vec<u8>> {
    let mut response = problem.into_response(false);
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    forbid_sniffing(&mut response);
    keep_unlisted(None, &mut response);
    response
}

/// An answer is what its content type says: ids are text of strangers, and must not be taken for a page or a script.
fn forbid_sniffing(response: &mut Response<Vec<u8>>) {
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

/// What programs and other pages include is no page that anybody looks for: search engines leave JSON, lists and the page of administration
/// out.
fn keep_unlisted(route: Option<&Route>, response: &mut Response<Vec<u8>>) {
    let is_list = |endpoint| matches!(endpoint, Endpoint::Site(SiteEndpoint::Rendered(Form::Html | Form::Frame)));
    let is_page = route.is_some_and(|route| route.endpoint == Endpoint::AdminPage || is_list(route.endpoint));
    let content_type = response.headers().get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    if is_page || content_type.starts_with(b"application/json") || content_type.starts_with(b"application/problem+json") {
        response.headers_mut().insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
    }
}

/// 1. 404 for an unknown site.
/// 2. 401 or 403 for who may not use the route.
/// 3. 400 for query parameters that the route does not take.
/// 4. 429 for who sends or asks too often. What bots send is answered here.
/// 5. 410 where a board of a template is being deleted, see [`templates::with_boards`].
/// 6. 500 where a binding is missing that the answer needs, and 503 where events cannot be counted rightly without it.
/// 7. The body is read, where the route takes one; 400 when that fails.
/// 8. What the endpoint answers.
async fn run<R: Runtime>(
    app: &App<R>,
    tokens: &Tokens,
    route: &Route,
    path: &PathParameters,
    (request, read_body): (&mut Request<Vec<u8>>, impl AsyncFnOnce() -> Result<Vec<u8>, String>),
    others: impl AsyncFnOnce(Other<'_, R>) -> Result<Response<Vec<u8>>, Problem>,
) -> Result<Response<Vec<u8>>, Problem> {
    let site = find_site_of(app, route, path)?;
    access::check(route.access, site.as_deref(), &Door::of(app, tokens), request)?;
    let query = Query::read(request.uri(), route.query)?;
    if let Some(site) = &site
        && let Some(answer) = door::check(app, route, site, request).await?
    {
        return Ok(answer);
    }
    let with_boards = match &site {
        Some(site) => templates::with_boards(app, route, site, path, &query).await?,
        None => None,
    };
    let app = with_boards.as_ref().map_or(app, |with| &with.app);
    let next_board = with_boards.as_ref().and_then(|with| with.next.clone());
    let site = if with_boards.is_some() { find_site_of(app, route, path)? } else { site };
    let lacks = |site: &Rc<Site>| app.config.lacks.iter().find(|lack| lack.site == site.name);
    if let Some(lack) = site.as_ref().filter(|_| route.touches_copies()).and_then(lacks) {
        return Err(Problem::database(DatabaseError::Missing(lack.line.clone())));
    }
    if let Some(lack) = site.as_ref().filter(|_| route.counts_events()).and_then(|site| app.config.lack_to_count(site)) {
        return Err(Problem::binding_needed(&[lack]));
    }
    if route.body.is_some() {
        *request.body_mut() = read_body().await.map_err(|error| Problem::new(Code::Unreadable, error))?;
    }
    let request = &*request;
    let call = Call { path, query, request, next_board };
    match (route.endpoint, &site) {
        (Endpoint::BeaconModule, _) => Ok(module::beacon_module(request)),
        (Endpoint::ModuleVersion, _) => module::version(&path.file),
        (Endpoint::BoardModule, _) => Ok(module::board_module(request)),
        (Endpoint::BoardTexts, _) => Ok(module::board_texts(request)),
        (Endpoint::Alive, _) => health::alive(app),
        (Endpoint::Site(SiteEndpoint::Beacon), Some(site)) => beacon::post(app, site, tokens, request).await,
        (Endpoint::Site(SiteEndpoint::Pixel), Some(site)) => beacon::pixel(app, site, tokens, &call).await,
        (Endpoint::Site(SiteEndpoint::Events), Some(site)) => events::post(app, site, tokens, &call).await,
        (Endpoint::Site(SiteEndpoint::Top), Some(site)) => top::get(app, site, &call).await,
        (Endpoint::Site(SiteEndpoint::Tops), Some(site)) => top::several(app, site, &call).await,
        (Endpoint::Site(SiteEndpoint::Live), Some(site)) => Err(live::refuse(app, site, &call).await),
        (endpoint, site) => match rest::run(app, endpoint, site.as_ref(), tokens, &call).await {
            Some(answer) => answer,
            None => others(Other { app, endpoint, site: site.as_ref(), tokens, call: &call }).await,
        },
    }
}

/// The site that a route's path names, if the route is of a site.
fn find_site_of<R>(app: &App<R>, route: &Route, path: &PathParameters) -> Result<Option<Rc<Site>>, Problem> {
    if matches!(route.endpoint, Endpoint::Site(_)) { find_site(&app.config, &path.site).map(Some) } else { Ok(None) }
}

/// The site of a name.
///
/// # Errors
/// 404 where there is none.
pub fn find_site(config: &Config, name: &str) -> Result<Rc<Site>, Problem> {
    let sites = &config.sites;
    let unknown = || Problem::new(Code::UnknownSite, format!("no site is called {name:?}{}", suggestion(sites, name)));
    sites.get(name).map(Rc::clone).ok_or_else(unknown)
}

impl Call<'_> {
    /// The board that the path names.
    ///
    /// # Errors
    /// 404 where the site has none of this name.
    pub fn board<'s>(&self, site: &'s Site) -> Result<&'s Rc<Board>, Problem> {
        find_board(site, &self.path.board)
    }

    /// The member or actor that the path names.
    ///
    /// # Errors
    /// 400 for what is no id.
    pub fn id(&self) -> Result<Id, Problem> {
        let text = &self.path.id;
        let invalid =
            || Problem::new(Code::Event(EventCode::InvalidId), format!("the id {text:?} is not allowed; allowed: {}", Id::ALLOWED));
        Id::new(text).ok_or_else(invalid)
    }

    /// The board that a request about all boards goes on behind; `None`: it begins.
    ///
    /// # Errors
    /// 400 for what is no cursor.
    pub fn behind(&self, site: &Site) -> Result<Option<Name>, Problem> {
        templates::behind(site, &self.query)
    }

    /// Where a request about all boards goes on, if it does: behind its boards, or at the same ones again where something of them is left.
    pub fn cursor(&self, is_done: bool) -> Option<&str> {
        if is_done { self.next_board.as_ref().map(Name::as_str) } else { self.query.text("cursor") }
    }

    /// 204 when a request about all boards is done; else 202 with where it goes on.
    ///
    /// # Errors
    /// When the answer cannot be written.
    pub fn done_or_next(&self, site: &Site, is_done: bool) -> Result<Response<Vec<u8>>, Problem> {
        let cursor = self.cursor(is_done);
        if is_done && cursor.is_none() {
            return Ok(uncached(StatusCode::NO_CONTENT, "", Vec::new()));
        }
        let mut response = json(&serde_json::json!({ "site": site.name.as_str(), "done": false, "cursor": cursor }))?;
        *response.status_mut() = StatusCode::ACCEPTED;
        Ok(response)
    }
}

/// The board of a name.
///
/// # Errors
/// 404 where the site has none.
pub fn find_board<'s>(site: &'s Site, name: &str) -> Result<&'s Rc<Board>, Problem> {
    site.board(name).ok_or_else(|| {
        let boards = &site.boards;
        let known = match (boards.is_empty(), site.templates.is_empty()) {
            (_, true) => boards.list(),
            (true, false) => format!("boards made of {} alone", site.templates.list()),
            (false, false) => format!("{}, and boards made of {}", boards.list(), site.templates.list()),
        };
        let detail = format!("the site {} has no board {name:?}; it has {known}{}", site.name, suggestion(boards, name));
        Problem::new(Code::Event(EventCode::UnknownBoard), detail)
    })
}

/// `; did you mean "articles"?`, or nothing.
pub fn suggestion<T>(known: &Named<T>, name: &str) -> String {
    known.nearest(name).map_or(String::new(), |nearest| format!("; did you mean {:?}?", nearest.as_str()))
}

/// A header's text, when it is there and is text.
pub fn text<'r>(request: &'r Request<Vec<u8>>, name: &HeaderName) -> Option<&'r str> {
    request.headers().get(name)?.to_str().ok()
}

/// Whether the client has the answer with this tag already: `If-None-Match` names it, weakly or not, or says `*`.
pub fn is_known(request: &Request<Vec<u8>>, tag: &str) -> bool {
    let known = text(request, &header::IF_NONE_MATCH).unwrap_or_default();
    known.split(',').map(str::trim).any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

/// A response that nobody may keep.
pub fn uncached(status: StatusCode, content_type: &'static str, body: Vec<u8>) -> Response<Vec<u8>> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if !content_type.is_empty() {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    }
    response
}

/// An answer that nobody may keep.
///
/// # Errors
/// When the value is no JSON.
pub fn json(body: &impl serde::Serialize) -> Result<Response<Vec<u8>>, Problem> {
    let body = serde_json::to_vec(body).map_err(|error| Problem::internal(error.to_string()))?;
    Ok(uncached(StatusCode::OK, "application/json", body))
}
