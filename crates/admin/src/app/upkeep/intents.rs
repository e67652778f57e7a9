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
            let with_boards = templates.site_with_all_boards(site).await;
            // What is of other boards than those of the configuration waits until it is known which there are.
            let has_all = with_boards.is_ok();
            let with_boards = with_boards.unwrap_or_else(|failure| {
                failures.push(format!("intents of {}: {}", site.name, failure.detail));
                None
            });
            failures.extend(self.finish_intents(with_boards.as_ref().unwrap_or(site), has_all).await);
        }
        failures
    }

    /// Whether a site has homes of actors.
    fn has_homes(&self, site: &Site) -> bool {
        let is_cluster = self.redis.is_cluster();
        is_cluster && site.actions.iter().any(|(name, action)| action.reversible && counts_on_several(site, name.as_str()))
    }

    /// Finishes what a site's homes wait for, on the boards that the site has. Answers a line for what failed.
    async fn finish_intents(&self, site: &Site, has_all: bool) -> Option<String> {
        let is_for_all = (self.clock.clock_ms() / 60_000).is_multiple_of(ALL_HOMES_MINUTES);
        let homes = if is_for_all { Site::MAX_HOMES } else { site.actor_homes };
        let finished = async {
            let store = self.redis.store()?;
            store.finish_intents((site, has_all), homes, AGE_MS, &self.random.token(), self.settled).await
        };
        finished.await.err().map(|error| format!("intents of {}: {}", site.name, error.detail))
    }
}
