//! Building a past rolling window that a reader found not built.

use super::ReadRequest;
use crate::app::upkeep::name_of;
use crate::app::{App, Runtime, price};

/// For how long a reader's request goes on with it. Upkeep has the rest.
const BUILDING_MS: u64 = 5_000;

impl<R: Runtime> App<R> {
    /// Notes in the background that the past period of a request is wanted, and builds it as far as the client may have as much done: the isolate of
    /// the scheduled run may believe for minutes that nothing is due. A failure shows at the next read, which tries again.
    pub(super) fn want(&self, request: &ReadRequest) {
        let (app, request) = (self.clone(), request.clone());
        self.runtime.in_background(async move {
            let Ok(store) = app.store() else { return };
            let until_ms = app.runtime.clock_ms() + BUILDING_MS;
            for of in request.periods() {
                let Some(period) = of.period else { continue };
                let wanted = store.want(&request.site, &of.board, &of.window, period, &request.by).await;
                app.memory.wake(&name_of(&request.site, &of.board));
                if wanted.unwrap_or(false) {
                    let may_go_on =
                        || app.runtime.clock_ms() < until_ms && app.takes_spare_misses(&request.site, price::of_building(&of.board));
                    app.build_wanted(&request.site, &of.board, may_go_on).await;
                }
            }
        });
    }
}
