//! Building a past rolling window that a reader found not built.

use super::{Rankings, ReadRequest};
use crate::app::agenda::Resting;
use crate::app::ports::Runtime;
use crate::app::price;

impl<R: Runtime> Rankings<'_, R> {
    /// Notes in the background that the past period of a request is wanted, and builds of it as much as a read may cost and its client may have done: the
    /// isolate of the scheduled run may believe for minutes that nothing is due. Upkeep does the rest. A failure shows at the next read, which tries again.
    pub(super) fn want(&self, request: &ReadRequest) {
        let (app, request) = (self.later.app(), request.clone());
        self.later.in_background(async move {
            let rankings = app.rankings();
            let Ok(store) = rankings.redis.store() else { return };
            let mut remaining = price::MAX_COMMANDS;
            for of in request.periods() {
                let Some(period) = of.period else { continue };
                let wanted = store.want(&request.site, &of.board, &of.window, period, &request.by).await;
                rankings.agenda.wake(&Resting::upkeep(&request.site, &of.board));
                if wanted.unwrap_or(false) {
                    let (entries, chunk) = price::of_building(&of.board);
                    let may_go_on = || {
                        let rest = remaining.checked_sub(chunk.commands);
                        remaining = rest.unwrap_or(0);
                        rest.is_some() && rankings.admission.takes_spare_misses(&request.site, chunk)
                    };
                    rankings.upkeep.build_wanted(&request.site, &of.board, entries, may_go_on).await;
                }
            }
        });
    }
}
