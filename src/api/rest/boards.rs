//! What rankings there are: `GET /v1/{site}/boards`.

use http::Response;
use serde::Serialize;

use super::problem::Problem;
use crate::ranking::name::Named;
use crate::ranking::score::Score;
use crate::ranking::site::{Board, Site};

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    timezone: &'s str,
    boards: Vec<BoardDocument<'s>>,
}

#[derive(Serialize)]
struct BoardDocument<'s> {
    board: &'s str,
    members: &'static str,
    weights: &'s Named<Score>,
    limit: u32,
    windows: Vec<&'s str>,
}

pub fn get(site: &Site) -> Result<Response<Vec<u8>>, Problem> {
    let boards = site.boards.values().map(|board| describe(board)).collect();
    super::json(&Document { site: site.name.as_str(), timezone: &site.timezone, boards })
}

fn describe(board: &Board) -> BoardDocument<'_> {
    BoardDocument {
        board: board.name.as_str(),
        members: board.members.name(),
        weights: &board.weights,
        limit: board.limit,
        windows: board.windows.iter().map(|window| window.name.as_str()).collect(),
    }
}
