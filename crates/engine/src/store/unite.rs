//! Making the rolling windows of values that are to be read: `lua/unite.lua`.

use ranking::read::{PeriodRef, ReadReply};
use ranking::site::Site;
use ranking::window::Kind;
use ranking::zone::{Years, ZoneSpan, Zones};

use super::Store;
use super::scripts::UniteArgs;
use super::top::part_of;
use super::window::{calendar_fields, kept_fields, number_field, read_fields, visible_fields, years_of};
use crate::adapter::{Error, Mode, Transport};

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Makes those of some windows that are made when they are asked for, in one round trip. What reads them says what is wrong with
    /// their periods. Answers a [`ReadReply::Part`] where a node of a cluster does not answer.
    ///
    /// # Errors
    /// Why one could not be made.
    pub(super) async fn unite(&self, site: &Site, of: &[PeriodRef]) -> Result<Option<ReadReply>, Error> {
        let is_made = |of: &&PeriodRef| of.board.values.is_some() && matches!(of.window.kind, Kind::Rolling { .. });
        let each: Vec<&PeriodRef> = of.iter().filter(is_made).collect();
        if each.is_empty() {
            return Ok(None);
        }
        let years: Vec<Years> = each.iter().map(|of| years_of(site, of, self.guess_s)).collect();
        let call = |i: usize, zone: &ZoneSpan| {
            let of = each[i];
            UniteArgs {
                board: self.board_key(site, &of.board),
                window: read_fields(of),
                kept: kept_fields(of),
                visible: visible_fields(of),
                number: number_field(of.period),
                keeps: of.board.values.map_or("", |values| values.keeps()).into(),
                calendar: calendar_fields(site, zone),
            }
        };
        let made = match self.call_all(Mode::Pipeline, site, years, call).await {
            Err(error) if self.transport.is_cluster() => each.iter().map(|_| Err(error.clone())).collect(),
            made => made?,
        };
        let part = part_of(of.iter(), each.iter().copied().zip(&made));
        if part.is_none() {
            made.into_iter().try_for_each(|made| made.map(drop))?;
        }
        Ok(part)
    }
}
