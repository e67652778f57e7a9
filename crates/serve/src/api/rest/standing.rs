//! How the members of a batch move on a ranking: `POST /v1/{site}/events?standing=board/window`.

use std::cell::RefCell;
use std::rc::Rc;

use interface::code::Code;
use ranking::name::Id;
use ranking::score::Score;
use ranking::site::{Ingest, Site};
use ranking::standing::Move;
use ranking::window::Kind;
use serde::Serialize;

use super::Call;
use super::problem::Problem;
use crate::api::find_board;
use crate::api::top::find_window;
use crate::app::counting::Stand;
use crate::app::rankings::PeriodRef;

#[derive(Serialize)]
pub struct StandingDocument {
    board: String,
    window: String,
    period: Option<String>,
    complete: bool,
    ranking: &'static str,
    members: Vec<MoveDocument>,
}

#[derive(Serialize)]
struct MoveDocument {
    id: Id,
    before: Option<PlaceDocument>,
    after: Option<PlaceDocument>,
}

#[derive(Serialize)]
struct PlaceDocument {
    rank: u64,
    score: Score,
}

/// What is asked for.
///
/// 1. 404 for a board or window that the site has not.
/// 2. 400 where scores fade, or where the events do not count in this request.
pub fn stand_of(site: &Site, call: &Call<'_>) -> Result<Option<Stand>, Problem> {
    let Some(name) = call.query.text("standing") else { return Ok(None) };
    let invalid = |why: String| Err(Problem::new(Code::InvalidParameter, format!("standing = {name:?} is not allowed; allowed: {why}")));
    let Some((board, window)) = name.split_once('/') else { return invalid("a board, a slash and one of its windows".into()) };
    let board = find_board(site, board)?;
    let window = find_window(board, window)?;
    if site.ingest != Ingest::Direct {
        return invalid(format!("nothing, since ingest = \"{}\" counts events together with others", site.ingest.name()));
    }
    if !matches!(window.kind, Kind::Calendar(_) | Kind::Rolling { .. }) {
        return invalid("a window of calendar periods, of seasons, or a rolling one, since other scores change by themselves".into());
    }
    if board.values.is_some() && !matches!(window.kind, Kind::Calendar(_)) {
        return invalid("a window of calendar periods or of seasons, since a rolling one of values is made when it is read".into());
    }
    let of = PeriodRef { board: Rc::clone(board), window: window.clone(), period: None, hour_starts_at: None };
    Ok(Some(Stand { of, moves: RefCell::default() }))
}

/// What Redis answered; nothing where no event counts on the board, or a queue keeps them.
pub fn describe_stand(stand: Stand) -> Option<StandingDocument> {
    let Stand { of, moves } = stand;
    let moves = moves.into_inner()?;
    let place = |place: Option<(u64, Score)>| place.map(|(rank, score)| PlaceDocument { rank, score });
    let member = |Move { id, before, after }| MoveDocument { id, before: place(before), after: place(after) };
    Some(StandingDocument {
        board: of.board.name.to_string(),
        window: of.window.name.to_string(),
        period: moves.period,
        complete: moves.complete,
        ranking: moves.ranking.name(),
        members: moves.members.into_iter().map(member).collect(),
    })
}
