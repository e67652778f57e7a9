//! The audit log of a site: `lua/audit.lua`.

use ranking::counting::Target;
use ranking::site::Site;
use ranking::zone::{ZoneSpan, Zones};

use super::Store;
use super::scripts::{AuditArgs, AuditReply};
use crate::adapter::{Error, Transport};

/// Entries that are kept. One has about 200 bytes: 200 KB a site.
const KEPT: i64 = 1000;

/// Something that was done by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Unix milliseconds.
    pub at_ms: i64,
    /// As JSON.
    pub what: String,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Notes what is done, as JSON.
    ///
    /// # Errors
    /// Why nobody knows.
    pub async fn note(&self, site: &Site, what: String) -> Result<(), Error> {
        self.audit(site, what, KEPT).await.map(drop)
    }

    /// The last things that were done, the latest first.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn done(&self, site: &Site, limit: u32) -> Result<Vec<Done>, Error> {
        let AuditReply { entries } = self.audit(site, String::new(), limit.into()).await?;
        let done = |entry: super::scripts::AuditEntry| Done { at_ms: entry.at_ms.try_into().unwrap_or(i64::MAX), what: entry.what };
        Ok(entries.into_iter().map(done).collect())
    }

    async fn audit(&self, site: &Site, what: String, count: i64) -> Result<AuditReply, Error> {
        let call = |_: &ZoneSpan| AuditArgs { board: self.key(site, Target::ActivityLog), what: what.clone(), count };
        self.call(site, self.years(), call).await
    }
}
