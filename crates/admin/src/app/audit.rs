//! The audit log: what was done by hand on a site.

pub use engine::store::audit::Done;
use ranking::site::Site;
use serve::app::failure::Failure;
use serve::app::ports::Runtime;
use serve::app::redis::Redis;

/// The audit log of a site.
pub struct Audit<'a, R> {
    pub(super) redis: Redis<'a, R>,
}

impl<R: Runtime> Audit<'_, R> {
    /// Notes what is about to be done, so that nothing is done unseen.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn note(&self, site: &Site, what: &serde_json::Value) -> Result<(), Failure> {
        let failed = |error: engine::adapter::Error| Failure::of_write(&error);
        self.redis.store().map_err(failed)?.note(site, what.to_string()).await.map_err(failed)
    }

    /// The last things that were done, the latest first.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn done(&self, site: &Site, limit: u32) -> Result<Vec<Done>, Failure> {
        self.redis.read(async |store| store.done(site, limit).await).await.map_err(|error| Failure::of_read(&error))
    }
}
