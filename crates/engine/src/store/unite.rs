//! Making the rolling windows of values that are to be read: `lua/unite.lua`.

use ranking::read::PeriodRef;
use ranking::site::Site;
use ranking::window::Kind;
use ranking::zone::{Years, ZoneSpan, Zones};

use super::Store;
use super::scripts::UniteArgs;
use super::window::{calendar_fields, kept_s, read_fields, ties_of, years_of};
use crate::adapter::{Error, Mode, Transport};

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Makes those of some windows that are made when they are asked for, in one round trip. What reads them says what is wrong with
    /// their periods.
    ///
    /// # Errors
    /// Why one could not be made.
    pub(super) async fn unite<'p>(&self, site: &Site, of: impl IntoIterator<Item = &'p PeriodRef>) -> Result<(), Error> {
        let each: Vec<&PeriodRef> =
            of.into_iter().filter(|of| of.board.values.is_some() && matches!(of.window.kind, Kind::Rolling { .. })).collect();
        if each.is_empty() {
            return Ok(());
        }
        let years: Vec<Years> = each.iter().map(|of| years_of(site, of, self.guess_s)).collect();
        let call = |i: usize, zone: &ZoneSpan| {
            let of = each[i];
            UniteArgs {
                board: self.board_key(site, &of.board),
                window: read_fields(of),
                kept: kept_s(of),
                keeps: of.board.values.map_or("", |values| values.keeps()).into(),
                ties: ties_of(of).into(),
                calendar: calendar_fields(site, zone),
            }
        };
        self.call_all(Mode::Pipeline, site, years, call).await?.into_iter().try_for_each(|made| made.map(|_| ()))
    }
}
