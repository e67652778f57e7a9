//! Sites of run time, where a request names one: it is answered by an application that has it.

use std::rc::Rc;

use http::header;
use interface::code::Code;
use interface::route::{Endpoint, Route};
use ranking::name::Name;
use ranking::token::Tokens;

use super::Dispatch;
use super::problem::Problem;
use crate::app::database::DatabaseError;
use crate::app::sites::{Serving, State, Unknown};
use crate::app::{App, Runtime};

/// The application that answers a request to a site which is not in wrangler.toml.
pub struct Served<R> {
    /// `None`: it cannot be served.
    pub app: Option<App<R>>,
    pub tokens: Rc<Tokens>,
    found: Result<Rc<Serving>, Unknown>,
}

/// The site that the path names; `None`: there is none, or wrangler.toml has it.
pub async fn find<R: Runtime>(app: &App<R>, tokens: &Tokens, dispatch: &Dispatch) -> Option<Served<R>> {
    if !app.config.makes_sites() || !dispatch.routes.iter().any(|route| matches!(route.endpoint, Endpoint::Site(_))) {
        return None;
    }
    match app.sites().find(&dispatch.path.site).await {
        Ok(None) => None,
        Ok(Some(serving)) => Some(Served { app: app.with_serving(&serving), tokens: serving.tokens(tokens), found: Ok(serving) }),
        Err(unknown) => Some(Served { app: None, tokens: Rc::default(), found: Err(unknown) }),
    }
}

impl<R> Served<R> {
    /// Why a route is not answered.
    ///
    /// 1. 429 for a client that had too many names looked up.
    /// 2. 503 where the database does not tell whether there is such a site.
    /// 3. 410 where it is being deleted.
    /// 4. 500 where this version of the worker refuses its configuration.
    /// 5. 403 where it is suspended, and the route counts or changes something.
    pub fn refusal(&self, route: &Route) -> Option<Problem> {
        let serving = match &self.found {
            Ok(serving) => serving,
            Err(Unknown::TooMuch(over)) => return Some(Problem::over(*over)),
            Err(Unknown::Unread(error)) => return Some(unread(error)),
        };
        match (&serving.configured, serving.state) {
            (_, State::Going) => Some(going(serving.name())),
            (Err(line), _) => Some(Problem::new(Code::ConfigurationInvalid, line.as_str())),
            (Ok(configured), State::Suspended) if route.writes() => {
                let detail = format!("the site {} is suspended: nothing is counted or changed there", configured.site.name);
                Some(Problem::new(Code::SiteSuspended, detail))
            }
            _ => None,
        }
    }
}

/// Of a site that is being deleted.
pub fn going(name: &Name) -> Problem {
    Problem::new(Code::SiteGoing, format!("the site {name} is being deleted"))
}

fn unread(error: &DatabaseError) -> Problem {
    let detail = "the database does not tell whether there is such a site; try again";
    let mut problem = Problem::new(Code::DatabaseUnavailable, detail).logged_as(error.detail().into());
    problem.header(header::RETRY_AFTER, "1");
    problem
}
