//! Wrong tokens: how many came from where, so that nobody tries many of them.

use super::rates::Rates;

/// Wrong tokens of an address in a minute; then none of its tokens is looked at.
const MAX_WRONG: u32 = 20;

/// The wrong tokens of one isolate; an attacker who reaches many isolates has that many tries.
#[derive(Default)]
pub struct Attempts {
    of_addresses: Rates,
    of_all: Rates,
}

impl Attempts {
    /// How long an address has to wait, when it showed too many wrong tokens.
    pub fn wait_s(&self, address: &str, now_ms: u64) -> Option<u64> {
        let (wrong, left_s) = self.of_addresses.look(&address, now_ms);
        (wrong >= MAX_WRONG).then_some(left_s)
    }

    /// Counts a wrong token. Answers whether it is the first one of the minute, which is to be logged.
    pub fn count(&self, address: &str, now_ms: u64) -> bool {
        self.of_addresses.count(&address, now_ms);
        self.of_all.count(&(), now_ms).0 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::rates::SPAN_MS;

    #[test]
    fn an_address_waits_after_twenty_wrong_tokens() {
        let attempts = Attempts::default();
        let now_ms = 1_000_000;
        for i in 0..u64::from(MAX_WRONG) {
            assert_eq!(attempts.wait_s("a", now_ms + i), None);
            assert_eq!(attempts.count("a", now_ms + i), i == 0, "only the first one is logged");
        }
        assert_eq!(attempts.wait_s("a", now_ms + 10_000), Some(50));
        assert_eq!(attempts.wait_s("b", now_ms + 10_000), None);
        assert_eq!(attempts.wait_s("a", now_ms + SPAN_MS), None);
        assert!(attempts.count("a", now_ms + SPAN_MS), "the next span's first one is logged");
    }
}
