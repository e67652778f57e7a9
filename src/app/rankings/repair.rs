//! Completing rolling boards that a read found incomplete.

use super::ReadRequest;
use crate::app::{App, Runtime};
use crate::ranking::window::Kind;

/// For how long a read repairs a rolling board before it answers with what there is, and how long the repair goes on after:
/// the runtime allows 30 seconds.
const INLINE_MS: u64 = 50;
const BACKGROUND_MS: u64 = 20_000;

impl<R: Runtime> App<R> {
    /// Repairs the rolling boards of a request for a moment; answers whether they are complete now. Otherwise the repair goes
    /// on in the background, as the owner who began it. Its failures keep nobody from the ranking as it is.
    pub(super) async fn repair(&self, request: &ReadRequest, asked_at_ms: u64) -> bool {
        let owner = self.runtime.token();
        if self.complete_all(request, &owner, asked_at_ms + INLINE_MS).await {
            return true;
        }
        let (app, request) = (self.clone(), request.clone());
        self.runtime.in_background(async move {
            let until_ms = app.runtime.clock_ms() + BACKGROUND_MS;
            // A failure shows at the next read, which tries again.
            app.complete_all(&request, &owner, until_ms).await;
        });
        false
    }

    /// Repairs the rolling boards of a request; `false` when one of them is still incomplete.
    async fn complete_all(&self, request: &ReadRequest, owner: &str, until_ms: u64) -> bool {
        let mut complete = true;
        for of in request.periods().iter().filter(|of| matches!(of.window.kind, Kind::Rolling { .. })) {
            complete &= self.complete(&request.site, &of.board, &of.window, of.period, owner, until_ms).await.unwrap_or(false);
        }
        complete
    }
}
