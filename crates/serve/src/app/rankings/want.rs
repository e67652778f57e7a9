//! Building a past rolling window that a reader found not built.

use ranking::name::Id;
use ranking::site::Site;

use super::{Rankings, ReadRequest};
use crate::app::agenda::Resting;
use crate::app::beyond::Beyond;
use crate::app::details::pages::{page_of, want_pages};
use crate::app::ports::Runtime;
use crate::app::price;

/// An isolate wants the items of a site at most so often.
const WANT_MS: u64 = 60_000;

impl<R: Runtime> Rankings<'_, R> {
    /// Notes in the background that the past period of a request is wanted, and builds of it as much as a read may cost and its client may have done: the
    /// isolate of the scheduled run may believe for minutes that nothing is due. Upkeep does the rest. A failure shows at the next read, which tries again.
    pub(super) fn want(&self, request: &ReadRequest) {
        let (app, request) = (self.later.app(), request.clone());
        self.later.in_background(async move {
            let rankings = app.rankings();
            app.sites().enter_later(&request.site);
            let Ok(store) = rankings.redis.store() else { return };
            let mut remaining = price::MAX_COMMANDS;
            for of in request.periods() {
                let Some(period) = of.period else { continue };
                let wanted = store.want(&request.site, &of.board, &of.window, period, &request.by).await;
                rankings.agenda.wake(&Resting::upkeep(&request.site, &of.board));
                app.templates().enter_changed(&request.site, &of.board).await;
                if wanted.unwrap_or(false) {
                    let (entries, chunk) = price::of_building(&of.board);
                    let may_go_on = || {
                        let rest = remaining.checked_sub(chunk.commands);
                        remaining = rest.unwrap_or(0);
                        rest.is_some() && rankings.admission.takes_spare_misses(&request.site, chunk)
                    };
                    R::Beyond::build_wanted(&app, &request.site, &of.board, entries, may_go_on).await;
                }
            }
        });
    }

    /// Wants items to be read about, in the background. Those that are wanted already stay as they are.
    pub fn want_described(&self, site: &Site, ids: &[&Id]) {
        let (wanted, now_ms) = (Resting::WantedPages(site.name.clone()), self.clock.clock_ms());
        let ids: Vec<&Id> = ids.iter().copied().filter(|id| page_of(site, id).is_some()).collect();
        if ids.is_empty() || self.agenda.rests(&wanted, now_ms) {
            return;
        }
        self.agenda.rest(wanted, now_ms, WANT_MS);
        let (app, want) = (self.later.app(), want_pages(&site.name, &ids));
        app.sites().enter_later(site);
        self.later.in_background(async move {
            // A page that shows them again wants them again.
            let _ = app.tables().query(&[want]).await;
        });
    }
}
