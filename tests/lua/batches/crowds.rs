//! The reference: how many may come from an address, and from the networks that it is in.

use std::collections::BTreeMap;
use std::net::IpAddr;

use crate::cases::Counter;

pub static OF_LINE: Counter = Counter::new("events that a network wider than an address refused");

/// How many came from each network.
#[derive(Clone, Default)]
pub struct Crowd(BTreeMap<String, u32>);

impl Crowd {
    /// Whether one more may come from an address, where so many may from one of IPv4, or from a /64.
    pub fn has_room(&self, address: &str, most: u32) -> bool {
        let full = networks(address).into_iter().find(|(name, times)| self.0.get(name).is_some_and(|count| *count >= most * times));
        OF_LINE.add(usize::from(full.as_ref().is_some_and(|(_, times)| *times > 1)));
        full.is_none()
    }

    pub fn add(&mut self, address: &str) {
        for (name, _) in networks(address) {
            *self.0.entry(name).or_default() += 1;
        }
    }

    pub fn networks(&self) -> usize {
        self.0.len()
    }
}

/// The networks of an address that are counted, and how many times as many as from the first one may come from each.
fn networks(address: &str) -> Vec<(String, u32)> {
    match address.parse().expect("an address") {
        IpAddr::V4(address) => vec![(address.to_string(), 1)],
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            let site = format!("{a:x}:{b:x}:{c:x}");
            vec![(format!("{site}:{d:04x}/64"), 1), (format!("{site}:{:02x}/56", d >> 8), 4), (format!("{site}/48"), 16)]
        }
    }
}

/// An address and a user agent.
pub type Visitor = (String, &'static str);

/// A visitor by its number: three of IPv4, then two of each /64. Seven of these are in a /56.
pub fn visitor(number: u8) -> Visitor {
    match number.checked_sub(3) {
        None => (format!("192.0.2.{number}"), "x"),
        Some(number) => (format!("2001:db8:0:{:x}::{number}", u32::from(number / 2) * 37), ["x", "y"][usize::from(number % 2)]),
    }
}

/// The visitor who sends a batch of so many events, and its address.
pub fn sender(events: usize) -> (String, String) {
    let address = if events.is_multiple_of(3) { format!("192.0.2.{}", events % 2) } else { format!("2001:db8::{:x}:0:0:0:1", events * 25) };
    (format!("v{}", events % 3), address)
}
