//! Completing rolling boards that a read found incomplete, and preparing those of minutes.
//!
//! Upkeep of minutes does not wait for cron, which comes once a minute at best. The first reader of such a window in a new
//! period has the next one prepared, once per isolate. A rolling board that is not complete is repaired in the background. One
//! that fills up a page is repaired before the answer, for half a second at most.

use ranking::site::Board;
use ranking::window::Window;

use super::{Rankings, ReadRequest};
use crate::app::agenda::Resting;
use crate::app::beyond::Beyond;
use crate::app::ports::Runtime;

/// For how long the repair goes on: the runtime allows 30 seconds after the answer.
const BACKGROUND_MS: u64 = 20_000;

impl<R: Runtime> Rankings<'_, R> {
    /// Whether a request reads a current rolling board of minutes for the first time in its period, which ends in so many milliseconds.
    /// Then the next one is to be prepared: the scheduled run comes once a minute at best, and may miss one.
    pub(super) fn is_new_grain(&self, request: &ReadRequest, ends_in_ms: Option<u64>) -> bool {
        let now_ms = self.clock.clock_ms();
        let grains = request.periods().iter().filter(|of| of.period.is_none() && of.window.grain_s().is_some());
        let is_new = |grain: Resting| {
            let is_new = !self.agenda.rests(&grain, now_ms);
            if is_new {
                self.agenda.rest(grain, now_ms, ends_in_ms.unwrap_or(0));
            }
            is_new
        };
        grains.filter(|of| is_new(Resting::Grain(request.site.name.clone(), of.board.name.clone(), of.window.name.clone()))).count() > 0
    }

    /// Repairs the current rolling boards of a request in the background. One repair is under way at a time, whoever asks;
    /// its failures show at the next read, which tries again.
    pub(super) fn repair(&self, request: &ReadRequest) {
        let (app, request) = (self.later.app(), request.clone());
        self.later.in_background(async move {
            let rankings = app.rankings();
            rankings.complete_for(&request, rankings.clock.clock_ms() + BACKGROUND_MS).await;
        });
    }

    /// Repairs the current rolling boards of a request until they are complete, or until `until_ms`.
    pub(super) async fn complete_for(&self, request: &ReadRequest, until_ms: u64) {
        let periods = request.periods();
        let current = periods.iter().filter(|of| of.period.is_none() && of.board.rolls(&of.window));
        let windows: Vec<(&Board, &Window)> = current.map(|of| (&*of.board, &of.window)).collect();
        R::Beyond::complete(&self.later.app(), &request.site, &windows, until_ms).await;
    }
}
