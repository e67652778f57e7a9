//! Upkeep of the libraries of functions that versions of the worker leave in Redis.

use engine::adapter::{Fault, Transport};
use serde_json::json;
use serve::app::agenda::Resting;
use serve::app::ports::Runtime;

use super::Upkeep;

/// Upkeep looks each time that so many milliseconds of the edge's clock are full: five commands and a note.
const EACH_MS: u64 = 86_400_000;
/// For so long a run may be the one that looks, since crons may be rare and isolates forget that they looked.
const DUE_MS: u64 = 3_600_000;

impl<R: Runtime> Upkeep<'_, R> {
    /// Notes, when it is time, that this version's library is used, and deletes those that none used for a week. Answers what kept it from that. Where
    /// it has no right to, which is logged once, they stay. Logs where Redis keeps nothing between calls of functions.
    pub async fn keep_libraries_due(&self) -> Option<String> {
        let now_ms = self.clock.clock_ms();
        if now_ms % EACH_MS >= DUE_MS || self.agenda.rests(&Resting::Libraries, now_ms) {
            return None;
        }
        let store = self.redis.store().ok()?;
        if !store.transport.has_functions() {
            return None;
        }
        match store.keep_libraries().await {
            Ok(deleted) => {
                self.agenda.rest(Resting::Libraries, now_ms, DUE_MS);
                if !deleted.is_empty() {
                    self.log.log(&json!({ "level": "info", "code": "libraries-deleted", "libraries": deleted }));
                }
                if store.has_memo().await.is_ok_and(|has_memo| !has_memo) {
                    let detail = "Redis keeps nothing between calls of functions, so each click costs it more";
                    self.log.log(&json!({ "level": "warn", "code": "no-memo", "detail": detail }));
                }
                None
            }
            Err(error) if matches!(error.fault, Fault::Unauthorized | Fault::NoFunctions) => {
                self.agenda.rest(Resting::Libraries, now_ms, u64::MAX);
                self.log.log(&json!({ "level": "warn", "code": "libraries-stay", "detail": error.detail }));
                None
            }
            Err(error) => Some(format!("libraries: {}", error.detail)),
        }
    }
}
