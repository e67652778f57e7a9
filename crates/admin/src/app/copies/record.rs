//! The marks of a site as they are known outside of Redis.
//!
//! The document also says until when the archives of the site follow. Each run that copies reads it anyway. It is written when
//! a run archived something, or an archive is behind.

use std::collections::BTreeMap;

use engine::store::mark::Mark;
use ranking::site::Site;
use serde::{Deserialize, Serialize};
use serve::app::ports::Runtime;

use super::Loss;
use super::document::{Document, Documents};
use super::following::Following;

const NAME: &str = "redis-marks";

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::app) struct Record {
    /// The last mark of each board, by its name.
    pub(in crate::app) boards: BTreeMap<String, Mark>,
    /// The loss that nobody has settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::app) loss: Option<Loss>,
    /// Unix milliseconds of the edge's clock: when the log reported it.
    #[serde(default)]
    pub(in crate::app) said_at_ms: u64,
    /// Whether the boards in Redis say so.
    #[serde(default)]
    pub(in crate::app) is_shown: bool,
    /// Until when the archive of each board follows, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(in crate::app) archive: BTreeMap<String, Following>,
    /// How far a restoration is with what follows the archive's periods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::app) ending: Option<Ending>,
}

/// How far a restoration is with what follows the archive's periods.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::app) struct Ending {
    /// Whether lists, deletions and aliases are applied again.
    pub is_applied: bool,
    /// The total that was looked at last: its board and window, its period, its member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<(String, String, String)>,
}

impl<R: Runtime> Documents<'_, R> {
    pub(in crate::app) async fn record(&self, site: &Site) -> Result<Document<Record>, String> {
        self.document(site, NAME).await
    }

    /// `false` where somebody else wrote it since it was read.
    pub(in crate::app) async fn put_record(&self, site: &Site, record: &Document<Record>) -> Result<bool, String> {
        self.put_document(site, NAME, record).await
    }
}
