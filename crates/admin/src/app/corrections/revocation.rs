//! Taking back counted events, by actor, visitor or item.

use engine::adapter::{Error, Transport};
pub use engine::store::revoke::{Culprit, Revocation};
use ranking::counting::Target;
use ranking::name::Id;
use ranking::site::Site;

use super::Corrections;
use serve::app::failure::Failure;
use serve::app::ports::Runtime;

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
    /// On a cluster, what did not reach all of its boards reaches them before: what came later would not be taken back. Where that fails, since a node has no
    /// memory left, it is tried once more when what is there was taken back, which frees some.
    ///
    /// # Errors
    /// When Redis does not answer; some of it may be done. Of a cluster also when something cannot reach its boards, and nothing was taken back.
    pub async fn revoke(&self, site: &Site, revocation: &Revocation, until_ms: u64) -> Result<Revoked, Failure> {
        let failed = |error: Error| Failure { nothing_written: revocation.is_dry, ..Failure::of_write(&error) };
        let revocation = &self.with_credits(site, revocation).await?;
        let store = self.redis.store().map_err(failed)?;
        let finish = async || {
            let is_needed = store.transport.is_cluster() && !revocation.is_dry;
            let finished = async { store.finish_intents((site, false), Site::MAX_HOMES, 0, &self.random.token(), self.settled).await };
            if is_needed { finished.await.err() } else { None }
        };
        let has_failed = finish().await.is_some();
        let mut revoked = self.revoke_counted(site, revocation, until_ms).await?;
        if !has_failed || !revoked.is_done {
            return Ok(revoked);
        }
        if let Some(error) = finish().await {
            // It is to be sent again, and tells what it has done.
            revoked.is_done = false;
            let failure = Failure { nothing_written: true, ..Failure::of_write(&error) };
            return if revoked.events > 0 { Ok(revoked) } else { Err(failure) };
        }
        let more = self.revoke_counted(site, revocation, until_ms).await?;
        let mut members = revoked.members;
        add_members(&mut members, &more.members);
        Ok(Revoked { is_done: more.is_done, events: revoked.events + more.events, members, ..revoked })
    }

    /// The same of what the boards have.
    async fn revoke_counted(&self, site: &Site, revocation: &Revocation, until_ms: u64) -> Result<Revoked, Failure> {
        let failed = |error: Error| Failure { nothing_written: revocation.is_dry, ..Failure::of_write(&error) };
        let store = self.redis.store().map_err(failed)?;
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
                add_members(&mut revoked.members, &chunk.members);
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

/// Adds those that are not there, as far as an answer names members.
fn add_members(members: &mut Vec<Id>, more: &[Id]) {
    for member in more {
        if members.len() < NAMED && !members.contains(member) {
            members.push(member.clone());
        }
    }
}
