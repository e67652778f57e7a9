//! Taking back counted events, by actor, visitor or item.

use engine::adapter::{Error, Transport};
pub use engine::store::revoke::{Culprit, Revocation};
use ranking::counting::Target;
use ranking::name::Id;
use ranking::site::Site;

use super::Corrections;
use crate::app::failure::Failure;
use crate::app::ports::Runtime;

/// Members that are named in an answer, at most.
const NAMED: usize = 100;

/// What was taken back, or would be.
#[derive(Debug, Default)]
pub struct Revoked {
    /// Whether that is all.
    pub is_done: bool,
    /// Unix milliseconds: what was recorded since is in every journal. `None` where one is missing.
    pub reaches_ms: Option<i64>,
    /// Events, once for each board and for the activity log.
    pub events: u64,
    /// Some of the members.
    pub members: Vec<Id>,
}

impl<R: Runtime> Corrections<'_, R> {
    /// Takes back what somebody or something counted on every target of a site, chunk by chunk. It stops when nothing is left, or when
    /// the edge's clock has reached `until_ms`. Doing it again goes on, and does no harm: what was taken back leaves the journal.
    ///
    /// # Errors
    /// When Redis does not answer; some of it may be done.
    pub async fn revoke(&self, site: &Site, revocation: &Revocation, until_ms: u64) -> Result<Revoked, Failure> {
        let failed = |error: Error| Failure { nothing_written: revocation.is_dry, ..Failure::of_write(&error) };
        let revocation = &self.with_credits(site, revocation).await?;
        let store = self.redis.store().map_err(failed)?;
        if store.transport.is_cluster() && !revocation.is_dry {
            // What comes to a board later would not be taken back.
            store.finish_intents(site, 0..Site::MAX_HOMES, 0, &self.random.token(), self.settled).await.map_err(failed)?;
        }
        let mut remaining: Vec<(Target, String)> = Target::each(site).map(|target| (target, String::new())).collect();
        let (mut revoked, mut reaches) = (Revoked::default(), Vec::new());
        while !remaining.is_empty() {
            let is_first = reaches.is_empty();
            let chunks = store.revoke(site, revocation, &remaining).await.map_err(failed)?;
            if is_first {
                reaches = chunks.iter().map(|chunk| chunk.reaches_ms).collect();
            }
            for chunk in &chunks {
                revoked.events += chunk.events;
                for member in &chunk.members {
                    if revoked.members.len() < NAMED && !revoked.members.contains(member) {
                        revoked.members.push(member.clone());
                    }
                }
            }
            remaining = remaining.into_iter().zip(chunks).filter_map(|((target, _), chunk)| Some((target, chunk.cursor?))).collect();
            if self.clock.clock_ms() >= until_ms {
                break;
            }
        }
        let whole: Option<Vec<i64>> = reaches.into_iter().collect();
        Ok(Revoked { is_done: remaining.is_empty(), reaches_ms: whole.and_then(|reaches| reaches.into_iter().max()), ..revoked })
    }

    /// With what an item is known by on boards of authors.
    async fn with_credits(&self, site: &Site, revocation: &Revocation) -> Result<Revocation, Failure> {
        let mut revocation = revocation.clone();
        if let (Culprit::Item(item), true) = (&revocation.culprit, site.asks_facts()) {
            let facts = self.catalog.facts_of(site, item).await?;
            revocation.known_as = facts.author.into_iter().chain(facts.earlier_authors).map(|credit| credit.known_as).collect();
        }
        Ok(revocation)
    }
}
