//! Noting which past rankings readers want: `lua/want.lua`.

use ranking::period::Period;
use ranking::site::{Board, Site};
use ranking::window::Window;
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::scripts::WantArgs;
use super::window::{calendar_fields, number_field, window_fields};
use crate::adapter::{Error, Transport};

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Notes that a reader wants a past period of a rolling window, for upkeep to build it. `by` is a digest of the reader's
    /// address: one may want one at a time. Answers whether it is noted.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn want(&self, site: &Site, board: &Board, window: &Window, period: Period, by: &str) -> Result<bool, Error> {
        let call = |zone: &ZoneSpan| WantArgs {
            board: self.board_key(site, board),
            window: window_fields(window),
            number: number_field(Some(period)),
            by: by.into(),
            calendar: calendar_fields(site, zone),
        };
        Ok(self.call(site, self.years(), call).await?.wanted)
    }
}
