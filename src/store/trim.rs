//! Dropping what has decayed: `lua/trim.lua`, a bounded number of members at a time.

use super::Store;
use super::scripts::TrimArgs;
use super::window::{calendar_fields, window_fields};
use crate::adapter::{Error, Transport};
use crate::ranking::score::Score;
use crate::ranking::site::{Board, Site};
use crate::ranking::window::Window;
use crate::ranking::zone::{ZoneSpan, Zones};

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Drops at most `limit` members of a half-life or step window, and answers how many it dropped.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn trim(&self, site: &Site, board: &Board, window: &Window, limit: u32) -> Result<u64, Error> {
        let call = |zone: &ZoneSpan| TrimArgs {
            board: self.board_key(site, board),
            window: window_fields(window, None),
            floor: Score::new(board.floor()).unwrap_or(Score::ZERO),
            limit: limit.into(),
            calendar: calendar_fields(site, zone),
        };
        Ok(self.call(site, self.years(), call).await?.dropped)
    }
}
