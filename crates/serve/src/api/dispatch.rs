//! Which route a request is for.
//!
//! The path alone decides, segment by segment after percent-decoding; the query never does. So neither a parameter nor an id
//! can pass for another route.
//!
//! Other names of the beacon are replaced before dispatch, so the table has each route once.

use http::header::HeaderName;
use http::{Method, Uri};
use interface::ROUTES;
use interface::code::Code;
use interface::route::{Endpoint, Route, SiteEndpoint, SitesEndpoint};
use ranking::name::Name;
use ranking::site::BEACON_PATH;

use super::problem::Problem;
use super::query::decode;
use crate::app::counting::MAX_BODY;
use crate::app::details::MAX_BULK;

/// The segments of a path that its pattern names; empty where it names none.
#[derive(Debug, Default)]
pub struct PathParameters {
    pub site: String,
    pub board: String,
    pub window: String,
    pub id: String,
    pub file: String,
    pub kind: String,
}

/// The routes of an address, and the one of its method.
#[derive(Debug)]
pub struct Dispatch {
    /// Every route of the first pattern that the path fits, in the table's order.
    pub routes: Vec<&'static Route>,
    pub path: PathParameters,
    method: Method,
    has_query: bool,
    /// The path was not percent-encoded UTF-8.
    invalid: Option<Problem>,
}

impl Dispatch {
    /// `beacon_path` is what the deployment calls the beacon besides its own name.
    pub fn of(method: &Method, uri: &Uri, beacon_path: &Name) -> Self {
        let (method, has_query) = (method.clone(), uri.query().is_some());
        let segments = uri.path().split('/').skip(1).map(decode).collect::<Result<Vec<String>, Problem>>();
        let mut segments = match segments {
            Ok(segments) => segments,
            Err(problem) => return Self { routes: Vec::new(), path: PathParameters::default(), method, has_query, invalid: Some(problem) },
        };
        rename(&mut segments, &[beacon_path.as_str(), BEACON_PATH]);
        let first = ROUTES.iter().find(|route| fits(route.path, &segments));
        let routes: Vec<&Route> = ROUTES.iter().filter(|route| first.is_some_and(|first| first.path == route.path)).collect();
        let path = first.map(|route| parameters(route.path, &segments)).unwrap_or_default();
        Self { routes, path, method, has_query, invalid: None }
    }

    /// GET answers HEAD as well.
    pub fn route(&self) -> Option<&'static Route> {
        let asked = if self.method == Method::HEAD { Method::GET.as_str() } else { self.method.as_str() };
        self.routes.iter().copied().find(|route| route.method.name() == asked)
    }

    /// The request headers that answering may look at. A preflight is answered as its address's first route says.
    pub fn request_headers(&self) -> &'static [HeaderName] {
        self.route().or(self.routes.first().copied()).map_or(&[], |route| route.request_headers(self.has_query))
    }

    /// The most bytes of a body that answering looks at.
    pub fn max_body(&self) -> usize {
        match self.route() {
            Some(Route { endpoint: Endpoint::Site(SiteEndpoint::DescribeAll(_)) | Endpoint::Sites(SitesEndpoint::Import), .. }) => MAX_BULK,
            Some(Route { body: Some(_), .. }) => MAX_BODY,
            _ => 0,
        }
    }

    /// The methods of the address, for `Allow`.
    pub fn methods(&self) -> String {
        self.routes.iter().map(|route| route.method.name()).collect::<Vec<_>>().join(", ")
    }

    /// Why there is no route: the address or the method. `hint` is of an address.
    pub fn missing(&mut self, uri: &Uri, hint: &str) -> Problem {
        if let Some(problem) = self.invalid.take() {
            return problem;
        }
        if self.routes.is_empty() {
            return Problem::new(Code::NotFound, format!("there is nothing at {}{hint}", uri.path()));
        }
        let methods = self.methods();
        let detail = format!("{} is not possible here; allowed: {methods}", self.method);
        let mut problem = Problem::new(Code::MethodNotAllowed, detail);
        problem.header(http::header::ALLOW, &methods);
        problem
    }
}

/// Writes the beacon's own name for another one of it: of the module at the root, of the beacon and the pixel of a site.
fn rename(segments: &mut [String], names: &[&str]) {
    let (last, endings): (&mut String, &[&str]) = match segments {
        [file] => (file, &[".js"]),
        [v1, _, last] if v1 == "v1" => (last, &["", ".gif"]),
        _ => return,
    };
    let ending = names.iter().find_map(|name| last.strip_prefix(name).filter(|ending| endings.contains(ending)));
    if let Some(renamed) = ending.map(|ending| format!("beacon{ending}")) {
        *last = renamed;
    }
}

fn fits(pattern: &str, segments: &[String]) -> bool {
    let mut pattern = pattern.split('/').skip(1);
    segments.iter().all(|segment| pattern.next().is_some_and(|part| is_part(part, segment))) && pattern.next().is_none()
}

/// Whether a segment is what a pattern has in its place.
pub(super) fn is_part(part: &str, segment: &str) -> bool {
    name(part).map_or(part == segment, |(_, ending)| segment.ends_with(ending))
}

fn parameters(pattern: &str, segments: &[String]) -> PathParameters {
    let mut found = PathParameters::default();
    for (part, segment) in pattern.split('/').skip(1).zip(segments) {
        let Some((name, ending)) = name(part) else { continue };
        let field = match name {
            "site" => &mut found.site,
            "board" => &mut found.board,
            "window" => &mut found.window,
            "id" => &mut found.id,
            "file" => &mut found.file,
            "kind" => &mut found.kind,
            _ => continue,
        };
        segment.strip_suffix(ending).unwrap_or(segment).clone_into(field);
    }
    found
}

/// `{site}` → `site`, and what a segment must end with besides: `{window}.csv` → `window`, `.csv`
fn name(part: &str) -> Option<(&str, &str)> {
    part.strip_prefix('{')?.split_once('}')
}
