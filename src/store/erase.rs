//! Forgetting an actor: `lua/erase.lua`, a bounded chunk at a time.

use super::target::Target;
use super::{ERASE, Mode, Store, Zones, calendar_args, malformed, text};
use crate::adapter::{Error, Invocation, Transport, Value};
use crate::ranking::name::Id;
use crate::ranking::site::{Board, Site};
use crate::ranking::zone::ZoneSpan;

/// Periods in a chunk: with their indexes, about a millisecond of Redis's time.
const PERIODS: u32 = 300;

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Erases a chunk of what each target knows of an actor, in one round trip. A target comes with its cursor, empty at first and then
    /// what its last chunk answered; `None`: nothing is left.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn erase(&self, site: &Site, actor: &Id, targets: &[(Target<'_>, String)]) -> Result<Vec<Option<String>>, Error> {
        let years = vec![self.years(); targets.len()];
        let call = |i: usize, zone: &ZoneSpan| {
            let (target, cursor) = &targets[i];
            let (units, retention) = target.any_periods();
            let mut args = vec![
                actor.as_str().into(),
                u8::from(target.has_actors()).to_string(),
                units,
                retention,
                target.rolling(),
                target.decaying(),
                target.options(),
                Site::MAX_ACTOR_HISTORY_S.to_string(),
                Board::MAX_REPLAY_WINDOW_S.to_string(),
                cursor.clone(),
                PERIODS.to_string(),
            ];
            args.extend(calendar_args(site, zone));
            debug_assert_eq!(args.len(), ERASE.args.len());
            Invocation { script: &ERASE, keys: vec![self.key(site, *target)], args }
        };
        let cursor = |answer: Result<Vec<Value>, Error>| match answer?.as_slice() {
            [_, _, cursor] => {
                let cursor = text(cursor).ok_or_else(|| malformed(&ERASE))?;
                Ok((!cursor.is_empty()).then(|| cursor.into()))
            }
            _ => Err(malformed(&ERASE)),
        };
        self.ask_all(Mode::Pipeline, site, years, &call).await?.into_iter().map(cursor).collect()
    }
}
