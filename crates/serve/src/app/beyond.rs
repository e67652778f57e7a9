//! What serving leaves to the rest of a deployment.

#![expect(async_fn_in_trait, reason = "an isolate has one thread; no future is sent anywhere")]

use ranking::read::{ReadReply, ReadRequest};
use ranking::site::{Board, Site};
use ranking::window::Window;

use super::cache::{CachedResponse, Entry};
use super::failure::{Missing, ReadError};
use super::later::App;
use super::ports::Runtime;

/// What else a deployment has: copies of what Redis keeps no longer or cannot show, and work on rankings that are not complete.
///
/// By default there is nothing: Redis has everything, and what it lacks is not made.
pub trait Beyond<R: Runtime>: 'static {
    /// What Redis would have answered of a past period that it keeps no longer, or has lost.
    ///
    /// # Errors
    /// When what has it does not answer.
    async fn archived(app: &App<R>, request: &ReadRequest) -> Result<Option<ReadReply>, ReadError> {
        let _ = (app, request);
        Ok(None)
    }

    /// Scores period by period.
    ///
    /// # Errors
    /// When there is no such period, or what has it does not answer.
    async fn series(app: &App<R>, request: &ReadRequest) -> Result<Entry, ReadError> {
        let _ = (app, request);
        Err(none())
    }

    /// A ranking of which Redis shows nobody, or an error.
    async fn kept(app: &App<R>, request: &ReadRequest, error: Option<&ReadError>) -> Option<CachedResponse> {
        let _ = (app, request, error);
        None
    }

    /// Entries past the board's `limit`.
    ///
    /// # Errors
    /// When nothing has them, or it does not answer.
    async fn past_limit(app: &App<R>, request: &ReadRequest) -> Result<CachedResponse, ReadError> {
        let _ = (app, request);
        Err(none())
    }

    /// Completes current rolling boards until an instant, by the edge's clock.
    async fn complete(app: &App<R>, site: &Site, windows: &[(&Board, &Window)], until_ms: u64) {
        let _ = (app, site, windows, until_ms);
    }

    /// Builds past rankings of a board that readers want, so many entries at a time, until none is left or it may not go on.
    async fn build_wanted(app: &App<R>, site: &Site, board: &Board, entries: u32, may_go_on: impl FnMut() -> bool) {
        let _ = (app, site, board, entries, may_go_on);
    }
}

/// Redis has everything.
impl<R: Runtime> Beyond<R> for () {}

fn none() -> ReadError {
    ReadError::Missing { what: Missing::Period("this deployment keeps nothing beside Redis"), remaining_ms: 0 }
}
