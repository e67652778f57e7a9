//! What rankings there are: `GET /v1/{site}/boards`.

use std::rc::Rc;

use http::{Response, header};
use interface::route::Access;
use ranking::facts::{Section, Sections};
use ranking::name::Named;
use ranking::score::Score;
use ranking::site::{Board, Site};
use ranking::token::Tokens;
use serde::Serialize;

use super::Call;
use super::problem::Problem;
use crate::api::access::{Door, check};
use crate::api::module::{MODULE_INTEGRITY, MODULE_PATH};
use crate::app::rankings::fullness::{AllFullness, Fullness};
use crate::app::{App, Runtime};

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    timezone: &'s str,
    module: Module<'s>,
    boards: Vec<BoardDocument<'s>>,
    /// For administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    fullness: Option<Vec<Fullness>>,
    /// Boards of which nobody knows that, since their node of a cluster is gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unavailable: Vec<String>,
}

/// Where pages have the browser module from.
#[derive(Serialize)]
struct Module<'s> {
    path: &'static str,
    integrity: &'static str,
    beacon_path: &'s str,
}

/// What its scores are made of.
#[derive(Serialize)]
#[serde(untagged)]
enum Scores<'s> {
    Sums { weights: &'s Named<Score> },
    Values { score: &'static str, order: &'static str, actions: Vec<&'s str> },
}

#[derive(Serialize)]
struct SectionDocument<'s> {
    of: &'s str,
    value: &'s str,
}

#[derive(Serialize)]
struct BoardDocument<'s> {
    board: &'s str,
    members: &'static str,
    /// Of which board it is a section, and which one.
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<SectionDocument<'s>>,
    #[serde(flatten)]
    scores: Scores<'s>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decimals: Option<u8>,
    limit: u32,
    windows: Vec<&'s str>,
}

/// 1. 503 to administrators when Redis does not answer.
/// 2. 200, to administrators with how full each board is that answers. A wrong token counts as one, as anywhere.
pub async fn get<R: Runtime>(app: &App<R>, site: &Rc<Site>, tokens: &Tokens, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    // Anyone may see the rest, whatever token comes with the request.
    let shows = call.request.headers().contains_key(header::AUTHORIZATION);
    let is_admin = shows && check(Access::AdminToken, Some(site), &Door::of(app, tokens), call.request).is_ok();
    let (fullness, unavailable) = if is_admin {
        let AllFullness { boards, unavailable } = app.rankings().fullness(site).await?;
        (Some(boards), unavailable)
    } else {
        (None, Vec::new())
    };
    let boards = site.boards.values().map(|board| describe(board)).collect();
    let module = Module { path: MODULE_PATH, integrity: MODULE_INTEGRITY, beacon_path: app.config.beacon_path.as_str() };
    super::json(&Document { site: site.name.as_str(), timezone: &site.timezone, module, boards, fullness, unavailable })
}

fn describe(board: &Board) -> BoardDocument<'_> {
    BoardDocument {
        board: board.name.as_str(),
        members: board.members.name(),
        section: match &board.sections {
            Sections::Of(Section { board, value }) => Some(SectionDocument { of: board.as_str(), value }),
            _ => None,
        },
        scores: match board.values {
            None => Scores::Sums { weights: &board.weights },
            Some(values) => Scores::Values {
                score: values.policy.name(),
                order: values.order.name(),
                actions: board.weights.iter().map(|(action, _)| action.as_str()).collect(),
            },
        },
        decimals: board.decimals,
        limit: board.limit,
        windows: board.windows.iter().map(|window| window.name.as_str()).collect(),
    }
}
