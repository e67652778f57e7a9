//! Calls that concern all boards of a site: they go through the boards of its templates in chunks, since there may be thousands.
//!
//! # Decisions
//!
//! - The boards are visited in the order of their names. A board that is made meanwhile is visited where its name is still to come.
//! - Who is erased, deleted or hidden is so on archived boards as well. What is revoked is taken from what Redis has: archived boards are left out.
//! - What a site has besides, the boards of the configuration and the activity log, belongs to the first chunk.
//! - A caller that has a client answer a cursor does one chunk in a request. Upkeep and what a mark in the database stands for do as many
//!   as there is time for, and note how far they are.

use ranking::name::Name;
use ranking::site::Site;

use super::{State, Templates};
use crate::app::failure::Failure;
use crate::app::ports::Runtime;

/// Boards of templates in a chunk: each may take two statements, and D1 takes 1,000 in a request.
const VISITED: u32 = 200;

/// Boards, or other targets of counting, that a trip to Redis is about: each may take a hundred commands.
pub const TRIP: usize = 50;

/// The boards that a call concerns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Concerned {
    All,
    /// Those that Redis has, and keeps.
    InRedis,
}

/// Some of the boards of a site.
pub struct Chunk {
    /// The site with these alone.
    pub site: Site,
    /// The last board of it, where others follow.
    pub next: Option<Name>,
}

impl<R: Runtime> Templates<'_, R> {
    /// The chunk behind a board of a template, without boards that are being deleted; behind `None` the first one.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn chunk_behind(&self, site: &Site, behind: Option<&Name>, concerned: Concerned) -> Result<Chunk, Failure> {
        let part = if behind.is_none() { site.clone() } else { site.without_boards() };
        if site.templates.is_empty() {
            return Ok(Chunk { site: part, next: None });
        }
        let listed = self.list_boards(site, "", behind.map_or("", Name::as_str), VISITED).await?;
        let is_full = listed.boards.len() >= VISITED as usize;
        let next = listed.boards.last().filter(|_| is_full).and_then(|(name, _)| Name::of_board(name));
        let is_concerned = |state: State| state != State::Going && (concerned == Concerned::All || state.takes_corrections());
        let there = listed.boards.iter().filter(|(_, known)| is_concerned(known.state));
        let names: Vec<(Name, bool)> = there.filter_map(|(name, known)| Some((Name::of_board(name)?, known.state.is_archived()))).collect();
        Ok(Chunk { site: part.with_boards_as(&names), next })
    }
}
