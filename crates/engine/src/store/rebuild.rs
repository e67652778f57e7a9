//! Having rolling windows made anew: `lua/rebuild.lua`.

use std::fmt::Write;

use ranking::site::{Board, Site};
use ranking::window::Window;
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::scripts::RebuildArgs;
use super::window::{calendar_fields, kind_fields};
use crate::adapter::{Error, Transport};

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Has rolling windows of a board made anew of their base periods, by whoever repairs next. Answers the instant in Unix milliseconds.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn rebuild(&self, site: &Site, board: &Board, windows: &[&Window]) -> Result<i64, Error> {
        let mut text = String::new();
        for window in windows {
            let _ = write!(text, " {}:{}", window.name, kind_fields(window.kind).1);
        }
        let call = |zone: &ZoneSpan| RebuildArgs {
            board: self.board_key(site, board),
            windows: text.clone(),
            calendar: calendar_fields(site, zone),
        };
        Ok(self.call(site, self.years(), call).await?.now_ms)
    }
}
