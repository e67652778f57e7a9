//! The activity of an actor: `lua/activity.lua`.

use ranking::counting::Target;
use ranking::explained::Share;
use ranking::name::Id;
use ranking::site::Site;
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::explain::shares;
use super::reply::malformed;
use super::scripts::{ACTIVITY, ActivityArgs, ActivityDay};
use super::window::calendar_fields;
use crate::adapter::{Error, Transport};

/// What an actor did on a day.
#[derive(Debug)]
pub struct ActiveDay {
    /// The day's number, see `ranking::period`.
    pub number: i64,
    pub shares: Vec<Share>,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Reads the days among the last `days` on which an actor did something, the latest first.
    ///
    /// # Errors
    /// Why it could not be read.
    pub async fn activity(&self, site: &Site, actor: &Id, days: u32) -> Result<Vec<ActiveDay>, Error> {
        let call = |zone: &ZoneSpan| ActivityArgs {
            board: self.key(site, Target::ActivityLog),
            actor: actor.as_str().into(),
            days: days.into(),
            calendar: calendar_fields(site, zone),
        };
        let day = |day: ActivityDay| {
            let shares = shares(&day.actions).ok_or_else(|| malformed(&ACTIVITY, "day.actions"))?;
            Ok(ActiveDay { number: day.number, shares })
        };
        self.call(site, self.years(), call).await?.days.into_iter().map(day).collect()
    }
}
