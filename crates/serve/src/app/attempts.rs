//! Wrong tokens: how many came from where, so that nobody tries many of them.

use std::rc::Rc;

use ranking::address::Address;

use super::rates::Rates;

/// Wrong tokens of a network in a minute.
const MAX_WRONG: u32 = 20;

/// The wrong tokens of one isolate; an attacker who reaches many isolates has that many tries. Clients without an address count as one
/// network: Cloudflare always tells it.
pub struct Attempts {
    of_networks: Rates,
    of_all: Rates,
}

impl Attempts {
    /// `seed`: what nobody can guess.
    pub fn new(seed: &Rc<str>) -> Self {
        Self { of_networks: Rates::new(seed), of_all: Rates::new(seed) }
    }

    /// How long an address has to wait, when its network showed too many wrong tokens.
    pub fn wait_s(&self, address: Option<Address>, now_ms: u64) -> Option<u64> {
        let (wrong, remaining_s) = self.of_networks.look(&address.map(Address::network), now_ms);
        (wrong >= MAX_WRONG).then_some(remaining_s)
    }

    /// Counts a wrong token. Answers whether it is the first one of the minute, which is to be logged.
    pub fn count(&self, address: Option<Address>, now_ms: u64) -> bool {
        self.of_networks.count(&address.map(Address::network), now_ms);
        self.of_all.count(&(), now_ms).0 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::rates::SPAN_MS;

    #[test]
    fn a_network_waits_after_twenty_wrong_tokens() {
        let attempts = Attempts::new(&"seed".into());
        let [a, beside_a, b] = ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"].map(Address::parse);
        let now_ms = 1_000_000;
        for i in 0..u64::from(MAX_WRONG) {
            assert_eq!(attempts.wait_s(a, now_ms + i), None);
            assert_eq!(attempts.count(a, now_ms + i), i == 0, "only the first one is logged");
        }
        assert_eq!([a, beside_a, b].map(|address| attempts.wait_s(address, now_ms + 10_000)), [Some(50), Some(50), None]);
        assert_eq!(attempts.wait_s(a, now_ms + SPAN_MS), None);
        assert!(attempts.count(a, now_ms + SPAN_MS), "the next span's first one is logged");
    }
}
