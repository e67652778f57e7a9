//! Building a past rolling window that a reader found not built.

use super::ReadRequest;
use crate::app::upkeep::name_of;
use crate::app::{App, Runtime};

/// For how long a reader's request goes on with it. The scheduled run has the rest.
const BUILDING_MS: u64 = 5_000;

impl<R: Runtime> App<R> {
    /// Notes in the background that the past period of a request is wanted, and builds what is wanted of the board: the isolate of the scheduled run may
    /// believe for minutes that nothing is due. A failure shows at the next read, which tries again.
    pub(super) fn want(&self, request: &ReadRequest) {
        let (app, request) = (self.clone(), request.clone());
        self.runtime.in_background(async move {
            let Ok(store) = app.store() else { return };
            for of in request.periods() {
                if let Some(period) = of.period {
                    let wanted = store.want(&request.site, &of.board, &of.window, period, &request.by).await;
                    app.memory.wake(&name_of(&request.site, &of.board));
                    if wanted.unwrap_or(false) {
                        app.build_wanted(&request.site, &of.board, app.runtime.clock_ms() + BUILDING_MS).await;
                    }
                }
            }
        });
    }
}
