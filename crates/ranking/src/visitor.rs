//! Visitors: senders without an actor, distinguished by address and user agent.
//!
//! Neither leaves the worker, and nothing that they could be tried against does: what Redis is sent is keyed with a secret of the
//! deployment. There are few addresses, so a plain digest could be tried on all of them, by a reader of a slow log or of a file of Redis.
//!
//! A line of IPv6 has many networks of 64 bits. So wider networks are counted as well, in fields of the hashes that count addresses: they are
//! read, written and expire together. Their bounds follow from that of the address, so no option and no argument is added.

use std::net::IpAddr;
use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac_sha256::HMAC;

use super::name::Name;

/// What visitors are keyed with. Not `Debug`, since it is a secret.
#[derive(Clone)]
pub struct VisitorKey([u8; 32]);

/// Characters of a digest of address and user agent, and of a digest of a network.
const VISITOR_LENGTH: usize = 22;
const NETWORK_LENGTH: usize = 12;

/// What is known of a visitor: keyed digests of address and user agent together, and of each network that the address is in. Redis stores
/// them only hashed once more, with the salt of a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint(Rc<str>);

impl VisitorKey {
    /// From a secret that may be for something else as well: nothing else is made of it so.
    pub fn new(secret: &str) -> Self {
        Self(HMAC::mac("edgeboard visitors", secret))
    }

    /// A visitor of a site. Of IPv6 addresses the first 64 bits count, since one visitor has all of the rest. `None` when
    /// `address` is not an address.
    pub fn fingerprint(&self, site: &Name, address: &str, user_agent: &str) -> Option<Fingerprint> {
        let (address, networks): (Vec<u8>, &[usize]) = match address.parse::<IpAddr>().ok()?.to_canonical() {
            IpAddr::V4(address) => (address.octets().into(), &[4]),
            IpAddr::V6(address) => (address.octets()[..8].into(), &IPV6_OCTETS),
        };
        // A name has no zero byte, and networks of other lengths are other texts.
        let mac = |of: &str, octets: usize, agent: &str, length: usize| {
            let mut mac = HMAC::new(self.0);
            let is_ipv6 = u8::from(address.len() == 8);
            for part in [of.as_bytes(), site.as_str().as_bytes(), &[0, is_ipv6], &address[..octets], agent.as_bytes()] {
                mac.update(part);
            }
            URL_SAFE_NO_PAD.encode(&mac.finalize()[..length])
        };
        let mut text = mac("visitor ", address.len(), user_agent, 16);
        for octets in networks {
            text.push('.');
            text.push_str(&mac("address ", *octets, "", 9));
        }
        Some(Fingerprint(text.into()))
    }
}

/// The networks of an IPv6 address that are counted, by their octets: a /64, which one link has, a /56, which a home line usually has, and a
/// /48, which a company may have. The scripts let each count four times as many as the one before, see
/// `lua/lib/visitors.lua`.
const IPV6_OCTETS: [usize; 3] = [8, 7, 6];

impl Fingerprint {
    /// One that was found before, by its text. Versions before the networks of IPv6 knew only the smallest. `None` when it is none.
    pub fn kept(text: &str) -> Option<Self> {
        let is_digest = |digest: &str, length| digest.len() == length && URL_SAFE_NO_PAD.decode(digest).is_ok();
        let (visitor, networks) = text.split_once('.')?;
        let count = networks.split('.').count();
        let is_one = is_digest(visitor, VISITOR_LENGTH) && networks.split('.').all(|network| is_digest(network, NETWORK_LENGTH));
        (is_one && (count == 1 || count == IPV6_OCTETS.len())).then(|| Self(text.into()))
    }

    /// The digests of address and agent and of each network, the smallest first, in base64url with dots between them.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same in two: up to the smallest network, which is all that earlier versions read of a message, and the wider networks.
    pub fn in_two(&self) -> (&str, Option<&str>) {
        const FIRST: usize = VISITOR_LENGTH + 1 + NETWORK_LENGTH;
        (self.0.get(..FIRST).unwrap_or(&self.0), self.0.get(FIRST + 1..))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visitors_are_distinguished() {
        let of = |secret: &str, site: &str, address: &str, user_agent: &str| {
            let print = VisitorKey::new(secret).fingerprint(&Name::new(site).expect("a name"), address, user_agent)?;
            let (visitor, address) = print.as_str().split_once('.').expect("two digests");
            assert_eq!((visitor.len(), address.len()), (22, 12));
            Some([visitor, address].map(String::from))
        };
        let one = of("s", "demo", "192.0.2.1", "Firefox").expect("a visitor");
        for (secret, site, address, user_agent, same) in [
            ("s", "demo", "192.0.2.1", "Firefox", [true, true]),
            ("s", "demo", "::ffff:192.0.2.1", "Firefox", [true, true]),
            ("s", "demo", "192.0.2.2", "Firefox", [false, false]),
            ("s", "demo", "192.0.2.1", "Chrome", [false, true]),
            ("s", "other", "192.0.2.1", "Firefox", [false, false]),
            ("another", "demo", "192.0.2.1", "Firefox", [false, false]),
        ] {
            let found = of(secret, site, address, user_agent).expect("a visitor");
            assert_eq!([found[0] == one[0], found[1] == one[1]], same, "{secret} {site} {address} {user_agent}");
        }
        assert_eq!(of("s", "demo", "nowhere", "Firefox"), None);
    }

    #[test]
    fn an_ipv6_address_is_in_three_networks() {
        let key = VisitorKey::new("s");
        let of = |address: &str| key.fingerprint(&Name::new("demo").expect("a name"), address, "Firefox").expect("a visitor");
        let digests = |address: &str| of(address).as_str().split('.').map(String::from).collect::<Vec<_>>();
        let one = digests("2001:db8:1:203::1");
        assert_eq!(one.iter().map(String::len).collect::<Vec<_>>(), [VISITOR_LENGTH, NETWORK_LENGTH, NETWORK_LENGTH, NETWORK_LENGTH]);
        for (address, same) in [
            ("2001:db8:1:203:ffff::", [true, true, true, true]),
            ("2001:db8:1:2ff::1", [false, false, true, true]),
            ("2001:db8:1:300::1", [false, false, false, true]),
            ("2001:db8:2:203::1", [false, false, false, false]),
        ] {
            let other = digests(address);
            assert_eq!((0..4).map(|i| one[i] == other[i]).collect::<Vec<_>>(), same, "{address}");
        }
        assert_eq!(one.iter().collect::<std::collections::BTreeSet<_>>().len(), 4, "each is another one");
    }

    #[test]
    fn a_fingerprint_is_read_as_it_was_written() {
        let key = VisitorKey::new("s");
        for (address, is_in_networks) in [("2001:db8::1", true), ("192.0.2.1", false)] {
            let print = key.fingerprint(&Name::new("demo").expect("a name"), address, "").expect("a visitor");
            let (first, networks) = print.in_two();
            assert_eq!(networks.is_some(), is_in_networks);
            let joined = networks.map_or(first.to_owned(), |networks| format!("{first}.{networks}"));
            assert_eq!((joined.as_str(), Fingerprint::kept(&joined)), (print.as_str(), Some(print.clone())));
            // As versions had it that knew no wider networks.
            assert_eq!(Fingerprint::kept(first).expect("one").as_str(), first);
            for wrong in [format!("{first}."), format!("{first}.AAAA"), format!("{first}.{}", "A".repeat(12)), "A".repeat(22)] {
                assert_eq!(Fingerprint::kept(&wrong), None, "{wrong}");
            }
        }
    }
}
