//! A circuit breaker: while a server hangs, requests are refused at once instead of waiting for as long as the one before.
//!
//! It opens when a send meets its time limit that began after another one had met it. From then on an isolate asks the server
//! once a second. A single send that hangs may have lost its connection, so the next one is tried as usual.

use std::cell::Cell;

use super::{Error, Fault};

/// A send that fails after so long met a server that hangs: no time limit is shorter.
const HUNG_MS: u64 = 2_000;
/// While it is open one send goes through in so long, to see whether the server answers again.
const PROBE_MS: u64 = 1_000;

/// What is known of one server. All instants are in Unix milliseconds.
#[derive(Default)]
pub struct Breaker(Cell<State>);

#[derive(Clone, Copy, Default)]
enum State {
    /// It answers, or fails at once.
    #[default]
    Closed,
    /// A send hung. The server may have lost one connection only, or a moment.
    Suspected { since_ms: u64 },
    /// A send hung that began after another one had.
    Open { probe_at_ms: u64 },
}

impl Breaker {
    /// Whether to send.
    ///
    /// # Errors
    /// `Connect` while the server hangs: nothing is to be sent.
    pub fn admit(&self, now_ms: u64) -> Result<(), Error> {
        if let State::Open { probe_at_ms } = self.0.get() {
            // A clock that was set back closes nothing for longer.
            if now_ms < probe_at_ms && probe_at_ms <= now_ms + PROBE_MS {
                return Err(Error::new(Fault::Connect, "not asked, since it does not answer"));
            }
            self.0.set(State::Open { probe_at_ms: now_ms + PROBE_MS });
        }
        Ok(())
    }

    /// Learns how a send ended that was admitted.
    pub fn learn(&self, asked_at_ms: u64, now_ms: u64, succeeded: bool) {
        let hung = !succeeded && now_ms.saturating_sub(asked_at_ms) >= HUNG_MS;
        self.0.set(match self.0.get() {
            _ if !hung => State::Closed,
            State::Closed => State::Suspected { since_ms: now_ms },
            State::Suspected { since_ms } if since_ms <= asked_at_ms => State::Open { probe_at_ms: now_ms },
            state => state,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HUNG: (u64, bool) = (3_000, false);
    const REFUSED: (u64, bool) = (1, false);
    const ANSWERED: (u64, bool) = (2_900, true);

    /// Sends, each begun at an instant and ended after a while, in the order of their ends; and whether one is admitted then.
    #[track_caller]
    fn check(sends: &[(u64, (u64, bool))], asked: &[(u64, bool)]) {
        let breaker = Breaker::default();
        for (asked_at_ms, (ms, succeeded)) in sends {
            breaker.learn(*asked_at_ms, asked_at_ms + ms, *succeeded);
        }
        for (now_ms, admitted) in asked {
            assert_eq!(breaker.admit(*now_ms).is_ok(), *admitted, "{now_ms}");
        }
    }

    #[test]
    fn sends_are_refused_after_two_that_hung_one_after_the_other() {
        check(&[(0, HUNG), (3_000, HUNG)], &[(6_000, true), (6_001, false), (6_999, false), (7_000, true), (7_001, false)]);
        check(&[(0, HUNG), (3_000, HUNG), (6_000, HUNG)], &[(9_000, true), (9_001, false)]);
        check(&[(0, HUNG), (5, HUNG), (10, HUNG)], &[(3_011, true), (3_011, true)]);
        check(&[(0, HUNG), (3_000, ANSWERED), (6_000, HUNG)], &[(9_000, true), (9_000, true)]);
        check(&[(0, HUNG), (3_000, HUNG), (6_000, ANSWERED)], &[(9_000, true), (9_000, true)]);
        check(&[(0, REFUSED), (1, REFUSED), (2, REFUSED)], &[(3, true), (3, true)]);
    }

    #[test]
    fn a_clock_that_is_set_back_refuses_nothing_for_longer() {
        check(&[(90_000, HUNG), (93_000, HUNG)], &[(96_000, true), (1_000, true), (1_001, false), (2_000, true)]);
    }
}
