//! Erasing an actor: `lua/erase.lua`, a bounded chunk at a time.
//!
//! # Decisions
//!
//! - An erasure does not go by the current configuration, but by every unit for as long as any configuration keeps it. The
//!   names of windows that were removed are not known; their boards expire.
//! - It leaves the scores of items alone. They are sums that name nobody.
//! - It goes by the periods that can exist instead of `SCAN`, so it costs the same on a small and on a large server. Rolling
//!   boards are rebuilt from their base periods.

use ranking::counting::Target;
use ranking::name::Id;
use ranking::site::{ReplayWindow, Site};
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::scripts::EraseArgs;
use super::target;
use super::window::{calendar_with_seasons, years_with_seasons};
use crate::adapter::{Error, Mode, Transport};

/// Entries in a chunk, ten for each board: with their indexes, about a millisecond of Redis's time.
const ENTRIES: i64 = 3000;

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Erases a chunk of what each target knows of an actor, in one round trip. A target comes with its cursor, which is empty
    /// at first and then what its last chunk answered; `None`: nothing is left. `decided_until` is the last order of the actor's home, see
    /// [`Store::end_intents`]; 0 where it has none.
    ///
    /// # Errors
    /// Why nobody knows; doing it again does no harm.
    pub async fn erase(
        &self,
        site: &Site,
        actor: &Id,
        decided_until: u64,
        targets: &[(Target<'_>, String)],
    ) -> Result<Vec<Option<String>>, Error> {
        let call = |i: usize, zone: &ZoneSpan| {
            let (target, cursor) = &targets[i];
            EraseArgs {
                board: self.key(site, *target),
                actor: actor.as_str().into(),
                has_actors: target.has_actors().into(),
                target: target::every_period(*target),
                actor_history: Site::MAX_ACTOR_HISTORY_S.into(),
                replay_window: ReplayWindow::MAX_S.into(),
                decided_until: i64::try_from(decided_until).unwrap_or_default(),
                cursor: cursor.clone(),
                entries: ENTRIES,
                calendar: calendar_with_seasons(site, zone, target.windows()),
            }
        };
        let replies = self
            .call_all(
                Mode::Pipeline,
                site,
                targets.iter().map(|(target, _)| years_with_seasons(self.guess_s, target.windows())).collect(),
                call,
            )
            .await?;
        replies.into_iter().map(|reply| Ok(Some(reply?.cursor).filter(|cursor| !cursor.is_empty()))).collect()
    }
}
