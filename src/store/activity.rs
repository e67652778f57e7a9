//! What an actor did: `lua/activity.lua`.

use super::explain::shares;
use super::target::Target;
use super::{ACTIVITY, Store, Zones, malformed, text};
use crate::adapter::{Error, Invocation, Transport, Value};
use crate::ranking::explained::Share;
use crate::ranking::name::Id;
use crate::ranking::site::Site;
use crate::ranking::zone::ZoneSpan;

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
        let invocation = |zone: &ZoneSpan| {
            let args = vec![actor.as_str().into(), days.to_string(), site.day_starts_at_s.to_string(), zone.to_arg()];
            debug_assert_eq!(args.len(), ACTIVITY.args.len());
            Invocation { script: &ACTIVITY, keys: vec![self.key(site, Target::ActivityLog)], args }
        };
        let reply = self.ask(site, self.years(), &invocation).await?;
        let day = |fields: &[Value]| match fields {
            [Value::Int(number), actions] => Some(ActiveDay { number: *number, shares: shares(text(actions)?)? }),
            _ => None,
        };
        reply.get(2..).unwrap_or_default().chunks(2).map(day).collect::<Option<_>>().ok_or_else(|| malformed(&ACTIVITY))
    }
}
