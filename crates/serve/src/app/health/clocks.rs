//! Whether the edge's clock and Redis's agree. What a copy says of a period that is over is never made anew by itself, so none is made by a clock
//! that is wrong: of two that agree, neither is far off.

use std::fmt;

use ranking::page::rfc3339;
use serde_json::json;

use super::Health;
use crate::app::agenda::Resting;
use crate::app::ports::Runtime;

/// Clocks that differ by more do not agree.
pub const TOLERATED_MS: i64 = 3_600_000;
/// An isolate says once in so long that they differ.
const LOGGED_MS: u64 = 3_600_000;

/// The clocks do not agree. Instants are Unix milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClocksDiffer {
    pub redis_ms: i64,
    pub edge_ms: i64,
}

impl ClocksDiffer {
    pub const CODE: &str = "clock-differs";
}

impl fmt::Display for ClocksDiffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [redis, edge] = [self.redis_ms, self.edge_ms].map(|at_ms| rfc3339(at_ms, false).unwrap_or_else(|| at_ms.to_string()));
        write!(
            f,
            "the clock of Redis says {redis} and the worker's {edge}: until they agree within an hour, nothing is frozen, archived, taken out \
             of Redis or kept as a snapshot"
        )
    }
}

/// The instant that both clocks have reached, of an instant of each.
///
/// # Errors
/// When they do not agree.
pub fn reached(redis_ms: i64, edge_ms: i64) -> Result<i64, ClocksDiffer> {
    if redis_ms.abs_diff(edge_ms) > TOLERATED_MS.unsigned_abs() {
        return Err(ClocksDiffer { redis_ms, edge_ms });
    }
    Ok(redis_ms.min(edge_ms))
}

impl<R: Runtime> Health<'_, R> {
    /// The instant that both clocks have reached (Unix milliseconds), where Redis has just answered with an instant. What ended before it is
    /// over.
    ///
    /// # Errors
    /// When they do not agree: then nothing may be copied as over. The log says so once an hour.
    pub fn agreed_ms(&self, redis_ms: i64) -> Result<i64, ClocksDiffer> {
        reached(redis_ms, self.clock.edge_ms()).inspect_err(|differ| {
            let now_ms = self.clock.clock_ms();
            if !self.agenda.rests(&Resting::ClocksDiffer, now_ms) {
                self.agenda.rest(Resting::ClocksDiffer, now_ms, LOGGED_MS);
                self.log.log(&json!({ "level": "error", "code": ClocksDiffer::CODE, "detail": differ.to_string() }));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_agree_within_an_hour() {
        const NOW_MS: i64 = 1_795_217_400_000;
        for off_ms in [0, 1, TOLERATED_MS] {
            assert_eq!(reached(NOW_MS, NOW_MS + off_ms), Ok(NOW_MS));
            assert_eq!(reached(NOW_MS, NOW_MS - off_ms), Ok(NOW_MS - off_ms));
        }
        for off_ms in [TOLERATED_MS + 1, 20 * 86_400_000, i64::MAX - NOW_MS] {
            assert!(reached(NOW_MS, NOW_MS + off_ms).is_err());
            assert!(reached(NOW_MS, NOW_MS - off_ms).is_err());
        }
        let differ = ClocksDiffer { redis_ms: NOW_MS, edge_ms: NOW_MS + 20 * 86_400_000 };
        assert!(differ.to_string().starts_with("the clock of Redis says 2026-11-20T23:30:00Z and the worker's 2026-12-10T23:30:00Z:"));
    }
}
