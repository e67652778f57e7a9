//! Live rankings: `GET /v1/{site}/boards/{board}/{window}/live`. `src/edge/live.js` answers requests for a socket or a stream, once the
//! address was found right here.
//!
//! The module names the object of a live ranking, since it alone knows which addresses mean the same. Four limits keep the
//! objects of a ranking few: each looks for itself.

use std::rc::Rc;

use http::header::HeaderName;
use interface::code::Code;
use interface::route::CF_CONNECTING_IP;
use ranking::address::Address;
use ranking::site::Site;

use super::door::ONE;
use super::problem::Problem;
use super::top::{DEFAULT_LIMIT, page};
use super::{Call, text};
use crate::app::rankings::Read;
use crate::app::{App, Runtime};

/// Who watches which ranking, for `src/edge/live.js`, which takes it off what clients get.
const EDGEBOARD_LIVE: HeaderName = HeaderName::from_static("edgeboard-live");

/// How many entries a live ranking has, besides the board's `limit`. Other limits round up to these: each is an object of its own,
/// which looks for itself.
const LIMITS: [u32; 3] = [10, 30, 100];

/// 1. What is wrong with the address.
/// 2. 429 for who has Redis asked too often, since who opens has it asked.
/// 3. 426, upon which the edge opens a socket or a stream, if it is asked for one. `Edgeboard-Live` has the client's network, or `-`,
///    and the address as it is written in one way only.
pub async fn refuse<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Problem {
    let address = match address_of(app, site, call) {
        Ok(address) => address,
        Err(problem) => return problem,
    };
    if let Some(over) = app.admission().over_misses(site, ONE).await {
        return Problem::over(over);
    }
    let network = text(call.request, &CF_CONNECTING_IP).and_then(Address::parse).map_or("-".into(), |of| format!("{:x}", of.network()));
    let detail = "a live ranking is a WebSocket, or an event stream with Accept: text/event-stream";
    let mut problem = Problem::new(Code::UpgradeRequired, detail);
    problem.header(EDGEBOARD_LIVE, &format!("{network} {address}"));
    problem
}

/// One address for all that mean the same ranking: names as they are, limits rounded up, nothing that is the default.
fn address_of<R: Runtime>(app: &App<R>, site: &Site, call: &Call<'_>) -> Result<String, Problem> {
    let Read::Top { of, limit, .. } = page(site, call)? else { return Err(Problem::internal("a live ranking is no page".into())) };
    let depth = of.board.limit;
    let rounded = LIMITS.into_iter().find(|more| *more >= limit).map_or(depth, |more| more.min(depth));
    let has_details = super::rest::has_details(app, &of.board, rounded);
    let details = call.query.flag("details", has_details)?;
    let mut parameters = Vec::new();
    if rounded != DEFAULT_LIMIT.min(depth) {
        parameters.push(format!("limit={rounded}"));
    }
    if details != has_details {
        parameters.push(format!("details={}", u8::from(details)));
    }
    let query = if parameters.is_empty() { String::new() } else { format!("?{}", parameters.join("&")) };
    // Names of sections have these.
    let board = of.board.name.as_str().replace('%', "%25");
    Ok(format!("/v1/{}/boards/{board}/{}/live{query}", site.name, of.window.name))
}
