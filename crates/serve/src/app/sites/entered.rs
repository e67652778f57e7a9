//! Has upkeep look at sites where something changed.

use std::rc::Rc;

use ranking::name::Name;
use ranking::site::Site;

use super::Sites;
use crate::app::agenda::Resting;
use crate::app::ports::Runtime;
use crate::app::redis::Redis;

/// For so long an isolate does not enter a site again. Until then upkeep looks there each minute.
const ENTERED_MS: u64 = 900_000;

impl<R: Runtime> Sites<'_, R> {
    /// Has upkeep look at a site where something changed, in the background. An isolate says so once in a quarter of an hour.
    pub fn enter_later(&self, site: &Site) {
        if site.made_ms.is_some() {
            self.enter_named_later(&site.name);
        }
    }

    pub fn enter_named_later(&self, name: &Name) {
        if self.known.enters(name, self.clock.clock_ms(), ENTERED_MS) {
            self.enter_in_background(name);
        }
    }

    /// The same, whenever it was entered last. A failure is not reported: what changes next is entered again.
    pub fn enter_in_background(&self, name: &Name) {
        let (runtime, known, key_prefix) = (self.background.clone(), Rc::clone(self.known), self.redis.key_prefix.to_owned());
        let name = name.clone();
        self.agenda.wake(&Resting::DueSites);
        self.background.in_background(async move {
            let redis = Redis { runtime: &runtime, key_prefix: &key_prefix };
            let names = std::slice::from_ref(&name);
            if redis.repeat(async |store| store.enter_sites(names).await).await.is_err() {
                known.forget_entered(&name);
            }
        });
    }
}
