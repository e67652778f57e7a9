//! Asking upkeep for a past rolling window that a reader found not built.

use super::ReadRequest;
use crate::app::upkeep::name_of;
use crate::app::{App, Runtime};

impl<R: Runtime> App<R> {
    /// Notes in the background that the past period of a request is wanted. A failure shows at the next read, which tries again. It is not built at
    /// once: that costs more than a client may have done.
    pub(super) fn want(&self, request: &ReadRequest) {
        let (app, request) = (self.clone(), request.clone());
        self.runtime.in_background(async move {
            let Ok(store) = app.store() else { return };
            for of in request.periods() {
                if let Some(period) = of.period {
                    drop(store.want(&request.site, &of.board, &of.window, period, &request.by).await);
                    app.memory.wake(&name_of(&request.site, &of.board));
                }
            }
        });
    }
}
