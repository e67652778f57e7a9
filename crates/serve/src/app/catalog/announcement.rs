//! Announcing items: where a site counts known items only, events of browsers count for those that its server named.
//!
//! Items are announced before a server's batch counts, in a round trip of its own. Each target counts for itself, and some
//! count none of the actions of the batch.

use std::collections::BTreeSet;

use ranking::event::Batch;
use ranking::name::Id;
use ranking::site::Site;

use super::Catalog;
use crate::app::failure::Failure;
use crate::app::ports::Runtime;

impl<R: Runtime> Catalog<'_, R> {
    /// Announces items, if the site counts known items only.
    ///
    /// # Errors
    /// When Redis does not answer. Doing it again does no harm.
    pub async fn announce<'i>(&self, site: &Site, items: impl Iterator<Item = &'i Id>) -> Result<(), Failure> {
        if !site.known_items {
            return Ok(());
        }
        let each: Vec<&Id> = items.collect::<BTreeSet<_>>().into_iter().collect();
        let announced = self.redis.repeat(async |store| store.announce(site, &each).await).await;
        // Nothing was counted, whatever was announced.
        announced.map_err(|error| Failure::of_read(&error))
    }

    /// Announces the items of what servers sent.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn announce_sent(&self, site: &Site, senders: &[&Batch]) -> Result<(), Failure> {
        let sent = senders.iter().filter(|batch| !batch.sender.is_browser());
        let items = sent.flat_map(|batch| &batch.events).filter_map(|event| event.item.as_ref());
        self.announce(site, items).await
    }
}
