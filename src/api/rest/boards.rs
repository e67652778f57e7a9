//! What rankings there are: `GET /v1/{site}/boards`.

use http::Response;
use serde::Serialize;

use super::problem::Problem;
use crate::api::module::{MODULE_INTEGRITY, MODULE_PATH};
use crate::app::App;
use crate::ranking::name::Named;
use crate::ranking::score::Score;
use crate::ranking::site::{Board, Site};

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    timezone: &'s str,
    module: Module<'s>,
    boards: Vec<BoardDocument<'s>>,
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
struct BoardDocument<'s> {
    board: &'s str,
    members: &'static str,
    #[serde(flatten)]
    scores: Scores<'s>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decimals: Option<u8>,
    limit: u32,
    windows: Vec<&'s str>,
}

pub fn get<R>(app: &App<R>, site: &Site) -> Result<Response<Vec<u8>>, Problem> {
    let boards = site.boards.values().map(|board| describe(board)).collect();
    let module = Module { path: MODULE_PATH, integrity: MODULE_INTEGRITY, beacon_path: app.config.beacon_path.as_str() };
    super::json(&Document { site: site.name.as_str(), timezone: &site.timezone, module, boards })
}

fn describe(board: &Board) -> BoardDocument<'_> {
    BoardDocument {
        board: board.name.as_str(),
        members: board.members.name(),
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
