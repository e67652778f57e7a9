//! Moving a site that was made at run time: all that it has, as lines of JSON, and the way back.
//!
//! # Decisions
//!
//! - An export is made of pieces, and each names the place behind it. So it needs the memory of one piece, however much a site has, and goes on after
//!   a break.
//! - A line says all that putting it back needs. So a body may begin and end with any line.
//! - A period is put back whole, and only where nothing was counted in it. So an import that is sent again counts nothing twice.
//!
//! # Out of scope
//! What counts once and what can be undone; decaying windows and those of less than an hour, which begin anew; frozen periods, totals, snapshots,
//! aliases, the audit log, and what is in the archive alone.

mod export;
mod import;

use std::rc::Rc;

use engine::adapter::Error;
use ranking::name::Name;
use ranking::score::Score;
use ranking::site::{Board, Site};
use ranking::window::Unit;
use serde::{Deserialize, Serialize};

pub use self::export::{Piece, Place};
pub use self::import::NotPut;
use super::corrections::Corrections;
use super::items::Items;
use serve::app::failure::Failure;
use serve::app::ports::Runtime;
use serve::app::redis::Redis;
use serve::app::templates::{Purpose, State, Templates};

/// The version of the lines.
pub const FORMAT: u64 = 1;
/// Members of a line, at most: as many as one call of a script puts aside.
const MOST_MEMBERS: usize = engine::store::restore::MEMBERS;

/// Some members of a period, best first: a line of an export.
#[derive(Debug, Serialize, Deserialize)]
pub struct Members {
    pub board: String,
    pub unit: String,
    pub number: i64,
    /// The id of the period, for people; `None` where only Redis knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<String>,
    /// Members of the period, about, and how many of them stand in lines before this one.
    pub total: u64,
    pub first: u64,
    /// Whether it is the last line of the period.
    pub last: bool,
    pub ids: Vec<String>,
    pub scores: Vec<Score>,
    /// What each did by action, as Redis keeps it; empty where nobody did anything that is counted by action.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tallies: Vec<String>,
}

/// What a site has, to be read and put back.
pub struct Moving<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) corrections: Corrections<'a, R>,
    pub(in crate::app) items: Items<'a, R>,
    pub(in crate::app) templates: Templates<'a, R>,
}

impl<R: Runtime> Moving<'_, R> {
    /// A site with a board of it; `None` where it has none of that name, or deletes it.
    async fn board(&self, site: &Site, name: &str) -> Result<Option<(Site, Rc<Board>)>, Failure> {
        let Some(made) = Name::of_board(name) else {
            return Ok(site.boards.get(name).map(|board| (site.clone(), Rc::clone(board))));
        };
        let names = [made];
        let states = self.templates.board_states(site, &names, Purpose::Write).await?;
        if states.iter().any(|state| matches!(state, State::Missing | State::Going)) {
            return Ok(None);
        }
        let site = site.with_boards(&names);
        let board = site.boards.get(name).map(Rc::clone);
        Ok(board.map(|board| (site, board)))
    }
}

/// The units of a board whose periods are moved.
fn units_of(board: &Board) -> impl Iterator<Item = Unit> {
    board.counted_units().into_iter().map(|(unit, _)| unit).filter(|unit| !matches!(unit, Unit::Minutes(_)))
}

fn unread(error: &Error) -> String {
    Failure::of_read(error).detail
}
