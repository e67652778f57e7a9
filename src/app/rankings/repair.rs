//! Completing rolling boards that a read found incomplete.

use super::ReadRequest;
use crate::app::{App, Runtime};
use crate::ranking::site::Board;
use crate::ranking::window::{Kind, Window};

/// For how long the repair goes on: the runtime allows 30 seconds after the answer.
const BACKGROUND_MS: u64 = 20_000;

impl<R: Runtime> App<R> {
    /// Repairs the current rolling boards of a request in the background. One repair is under way at a time, whoever asks;
    /// its failures show at the next read, which tries again.
    pub(super) fn repair(&self, request: &ReadRequest) {
        let (app, request) = (self.clone(), request.clone());
        self.runtime.in_background(async move {
            let until_ms = app.runtime.clock_ms() + BACKGROUND_MS;
            let periods = request.periods();
            let is_current = |window: &Window| matches!(window.kind, Kind::Rolling { .. });
            let current = periods.iter().filter(|of| of.period.is_none() && is_current(&of.window));
            let windows: Vec<(&Board, &Window)> = current.map(|of| (&*of.board, &of.window)).collect();
            app.complete(&request.site, &windows, until_ms).await;
        });
    }
}
