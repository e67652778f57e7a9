//! Wrong tokens: how many came from where, so that nobody tries many of them.

use std::cell::RefCell;

/// What is counted together: a minute from the first wrong token on.
const SPAN_MS: u64 = 60_000;
/// Wrong tokens of an address in that time; then none of its tokens is looked at.
const MAX_WRONG: u32 = 20;
/// Addresses that are told apart, of at most 45 characters each. Those that come later are taken for one.
const MAX_ADDRESSES: usize = 256;
const LATER: &str = "later";

/// The wrong tokens of one isolate; an attacker who reaches many isolates has that many tries.
#[derive(Default)]
pub struct Attempts(RefCell<Span>);

#[derive(Default)]
struct Span {
    began_ms: u64,
    wrong: Vec<(String, u32)>,
}

impl Attempts {
    /// How long an address has to wait, when it showed too many wrong tokens.
    pub fn wait_s(&self, address: &str, now_ms: u64) -> Option<u64> {
        let span = &mut *self.0.borrow_mut();
        span.begin(now_ms);
        let is_over = span.wrong.iter().any(|(from, wrong)| from == span.name(address) && *wrong >= MAX_WRONG);
        is_over.then(|| (span.began_ms + SPAN_MS - now_ms).div_ceil(1_000).max(1))
    }

    /// Counts a wrong token. Answers whether it is the first one of the span, which is to be logged.
    pub fn count(&self, address: &str, now_ms: u64) -> bool {
        let span = &mut *self.0.borrow_mut();
        span.begin(now_ms);
        let is_first = span.wrong.is_empty();
        let address = span.name(address).to_owned();
        match span.wrong.iter_mut().find(|(from, _)| *from == address) {
            Some((_, wrong)) => *wrong += 1,
            None => span.wrong.push((address, 1)),
        }
        is_first
    }
}

impl Span {
    /// Another span where this one is over. A clock that stepped back begins another one as well.
    fn begin(&mut self, now_ms: u64) {
        if !(self.began_ms..self.began_ms + SPAN_MS).contains(&now_ms) {
            *self = Self { began_ms: now_ms, wrong: Vec::new() };
        }
    }

    fn name<'a>(&self, address: &'a str) -> &'a str {
        let is_known = self.wrong.len() < MAX_ADDRESSES || self.wrong.iter().any(|(from, _)| from == address);
        if is_known { address } else { LATER }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn many_addresses_take_no_more_room() {
        let attempts = Attempts::default();
        for i in 0..100_000 {
            attempts.count(&format!("192.0.{i}"), 0);
        }
        assert_eq!(attempts.0.borrow().wrong.len(), MAX_ADDRESSES + 1);
        assert_eq!(attempts.wait_s("192.0.7", 0), None);
        assert_eq!(attempts.wait_s("198.51.100.1", 0), Some(60), "those that come later are one");
    }
}
