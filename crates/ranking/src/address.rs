//! Addresses of clients, and groups of them.

use std::net::IpAddr;

/// An IP address. One of IPv4 is what IPv6 maps it to, so that both are compared in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(u128);

impl Address {
    /// `None` when `text` is no address.
    pub fn parse(text: &str) -> Option<Self> {
        Some(Self(match text.parse().ok()? {
            IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
            IpAddr::V6(address) => address.to_bits(),
        }))
    }

    /// What one client has all of: the whole address of IPv4, the first 64 bits of IPv6.
    pub fn network(self) -> u64 {
        let [high, low] = [self.0 >> 64, self.0].map(|bits| u64::try_from(bits & u128::from(u64::MAX)).unwrap_or_default());
        if self.0 >> 32 == 0xffff { low } else { high }
    }
}

/// All addresses with the same first bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subnet {
    first: Address,
    /// Bits that may differ, 0 to 128.
    free_bits: u32,
}

impl Subnet {
    /// How it is written, for messages.
    pub const ALLOWED: &str = "addresses like \"192.0.2.1\" or \"2001:db8::1\" and ranges like \"192.0.2.0/24\" or \"2001:db8::/32\"";

    /// Reads an address, or one with the number of bits that do not differ. `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let first = Address::parse(address)?;
        let all = if address.contains(':') { 128 } else { 32 };
        let bits = bits.map_or(Some(all), |bits| bits.parse().ok().filter(|_| bits.bytes().all(|byte| byte.is_ascii_digit())))?;
        Some(Self { first, free_bits: u32::checked_sub(all, bits)? })
    }

    pub fn contains(&self, address: Address) -> bool {
        (self.first.0 ^ address.0).checked_shr(self.free_bits).unwrap_or(0) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subnets_hold_their_addresses() {
        for (subnet, inside, outside) in [
            ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
            ("192.0.2.1/32", "::ffff:192.0.2.1", "192.0.2.2"),
            ("192.0.2.0/24", "192.0.2.255", "192.0.3.0"),
            ("192.0.2.7/24", "192.0.2.1", "192.0.3.7"),
            ("0.0.0.0/0", "203.0.113.9", "2001:db8::1"),
            ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"),
            ("2001:db8::1", "2001:0db8:0::0001", "2001:db8::2"),
            ("::/0", "2001:db8::1", ""),
        ] {
            let subnet = Subnet::parse(subnet).expect(subnet);
            assert!(subnet.contains(Address::parse(inside).expect(inside)), "{subnet:?} {inside}");
            assert!(Address::parse(outside).is_none_or(|outside| !subnet.contains(outside)), "{subnet:?} {outside}");
        }
        for wrong in
            ["", "192.0.2", "192.0.2.1/33", "192.0.2.1/", "192.0.2.1/+8", "192.0.2.1/-1", "2001:db8::/129", "example.com", "192.0.2.1/8/8"]
        {
            assert_eq!(Subnet::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_client_of_ipv6_has_64_bits() {
        let network = |text| Address::parse(text).expect(text).network();
        assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:1:2:3"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_eq!(network("192.0.2.1"), network("::ffff:192.0.2.1"));
    }
}
