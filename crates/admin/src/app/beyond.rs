//! What administration does for who reads.

use ranking::read::{ReadReply, ReadRequest};
use ranking::site::{Board, Site};
use ranking::window::Window;
use serve::app::beyond::Beyond;
use serve::app::cache::Entry;
use serve::app::rankings::{CachedResponse, ReadError};
use serve::app::{App, Runtime};

use super::admin::Admin;
use super::archive::ArchiveError;

/// A deployment that has the archive, snapshots and upkeep.
pub struct Administration;

impl<R: Runtime> Beyond<R> for Administration {
    async fn archived(app: &App<R>, request: &ReadRequest) -> Result<Option<ReadReply>, ReadError> {
        match Admin(app).archive_reads().unarchived(request).await {
            Err(ArchiveError::Absent) => Ok(None),
            archived => archived.map_err(|error| ReadError::Undescribed(error.into())),
        }
    }

    async fn series(app: &App<R>, request: &ReadRequest) -> Result<Entry, ReadError> {
        Admin(app).archive_reads().read_series(request).await
    }

    async fn kept(app: &App<R>, request: &ReadRequest, error: Option<&ReadError>) -> Option<CachedResponse> {
        match error {
            Some(error) => Admin(app).snapshots().snapshot(request, error).await,
            None => Admin(app).snapshots().lost(request).await,
        }
    }

    async fn past_limit(app: &App<R>, request: &ReadRequest) -> Result<CachedResponse, ReadError> {
        Admin(app).snapshots().beyond(request).await
    }

    async fn complete(app: &App<R>, site: &Site, windows: &[(&Board, &Window)], until_ms: u64) {
        Admin(app).upkeep().complete(site, windows, until_ms).await;
    }

    async fn build_wanted(app: &App<R>, site: &Site, board: &Board, entries: u32, may_go_on: impl FnMut() -> bool) {
        Admin(app).upkeep().build_wanted(site, board, entries, may_go_on).await;
    }
}
