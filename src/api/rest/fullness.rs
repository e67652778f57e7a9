//! How full boards are: `GET /v1/{site}/admin/boards`, and a part of what upkeep answers.

use std::rc::Rc;

use http::Response;
use serde::{Deserialize, Serialize};

use super::json;
use super::problem::Problem;
use crate::app::rankings::{PeriodRef, Read, ReadRequest};
use crate::app::{App, Runtime};
use crate::ranking::capacity::share;
use crate::ranking::site::Site;
use crate::ranking::window::Kind;

/// How full the current period of a window is.
#[derive(Serialize)]
pub struct Fullness {
    board: String,
    window: String,
    /// Members that are shown.
    members: u64,
    max_members: u32,
    /// Of `max_members`, with two decimals.
    share: f64,
    /// Events of new members that the period refused.
    refused: u64,
}

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    boards: Vec<Fullness>,
}

/// What is read of several rankings.
#[derive(Deserialize)]
struct Rankings {
    boards: Vec<Ranking>,
}

#[derive(Deserialize)]
struct Ranking {
    total: u64,
    #[serde(default)]
    refused: u64,
}

/// 1. 503 when Redis does not answer.
/// 2. 200 with every window that has a bound of its own.
pub async fn get<R: Runtime>(app: &App<R>, site: &Rc<Site>) -> Result<Response<Vec<u8>>, Problem> {
    json(&Document { site: site.name.as_str(), boards: of(app, site).await? })
}

/// How full the windows of a site are, in one round trip. A rolling one is left out: the periods that it is made of are bounded.
pub async fn of<R: Runtime>(app: &App<R>, site: &Rc<Site>) -> Result<Vec<Fullness>, Problem> {
    let bounded = site.boards.values().flat_map(|board| board.windows.iter().map(move |window| (board, window)));
    let bounded = bounded.filter(|(_, window)| !matches!(window.kind, Kind::Rolling { .. }));
    let period = |(board, window): (&Rc<_>, &_)| PeriodRef {
        board: Rc::clone(board),
        window: Clone::clone(window),
        period: None,
        hour_starts_at: None,
    };
    let of: Vec<PeriodRef> = bounded.map(period).collect();
    if of.is_empty() {
        return Ok(Vec::new());
    }
    let request = ReadRequest { site: Rc::clone(site), read: Read::Tops { of, limit: 1 }, by: String::new() };
    let entry = app.read(&request, None, false).await?;
    let read = serde_json::from_slice::<Rankings>(&entry.json).map_err(|error| Problem::internal(error.to_string()))?;
    let full = |(of, ranking): (&PeriodRef, Ranking)| {
        let max_members = of.board.max_members.of(&of.window);
        Fullness {
            board: of.board.name.to_string(),
            window: of.window.name.to_string(),
            members: ranking.total,
            max_members,
            share: share(ranking.total, max_members),
            refused: ranking.refused,
        }
    };
    Ok(request.periods().iter().zip(read.boards).map(full).collect())
}
