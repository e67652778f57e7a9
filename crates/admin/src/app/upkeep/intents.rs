//! Finishing what homes of actors decided and what did not reach all of its boards, on a cluster. See `crates/engine/src/store/homes.rs`.

use ranking::counting::counts_on_several;
use ranking::site::Site;
use serve::app::ports::Runtime;
use serve::app::templates::Templates;

use super::Upkeep;

/// A request finishes its own intents sooner, unless it failed.
const AGE_MS: i64 = 10_000;
/// Minutes after which homes are asked that the configuration does not have any more.
const ALL_HOMES_MINUTES: u64 = 60;

impl<R: Runtime> Upkeep<'_, R> {
    /// Finishes what homes wait for, of every site. Answers a line for each failure.
    pub async fn finish_intents_due(&self, templates: &Templates<'_, R>) -> Vec<String> {
        let mut failures = Vec::new();
        for site in self.config.sites.values().filter(|site| self.has_homes(site)) {
            match templates.site_with_all_boards(site).await {
                Ok(with_boards) => failures.extend(self.finish_intents(with_boards.as_ref().unwrap_or(site)).await),
                Err(failure) => failures.push(format!("intents of {}: {}", site.name, failure.detail)),
            }
        }
        failures
    }

    /// Whether a site has homes of actors.
    fn has_homes(&self, site: &Site) -> bool {
        let is_cluster = self.redis.is_cluster();
        is_cluster && site.actions.iter().any(|(name, action)| action.reversible && counts_on_several(site, name.as_str()))
    }

    /// Finishes what a site's homes wait for. The site has all of its boards. Answers a line for what failed.
    async fn finish_intents(&self, site: &Site) -> Option<String> {
        let is_for_all = (self.clock.clock_ms() / 60_000).is_multiple_of(ALL_HOMES_MINUTES);
        let homes = if is_for_all { Site::MAX_HOMES } else { site.actor_homes };
        let finished = async {
            let store = self.redis.store()?;
            store.finish_intents(site, homes, AGE_MS, &self.random.token(), self.settled).await
        };
        finished.await.err().map(|error| format!("intents of {}: {}", site.name, error.detail))
    }
}
