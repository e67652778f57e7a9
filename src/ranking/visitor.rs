//! Visitors: whoever acts without an actor, told apart by address and user agent.
//!
//! Neither leaves the worker, and nothing that they could be tried against does: what Redis is sent is keyed with a secret of the
//! deployment. There are few addresses, so a plain digest could be tried on all of them, by who reads a slow log or a file of Redis.

use std::net::IpAddr;
use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac_sha256::HMAC;

use super::name::Name;

/// What visitors are keyed with. Not `Debug`, since it is a secret.
pub struct VisitorKey([u8; 32]);

/// What is known of a visitor: keyed digests of address and user agent together, and of the address alone. Redis stores them
/// only hashed once more, with the salt of a day.
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
        let address: Vec<u8> = match address.parse::<IpAddr>().ok()?.to_canonical() {
            IpAddr::V4(address) => address.octets().into(),
            IpAddr::V6(address) => address.octets()[..8].into(),
        };
        // A name has no zero byte, and four octets are no eight.
        let mac = |of: &str, agent: &str, length: usize| {
            let mut mac = HMAC::new(self.0);
            for part in [of.as_bytes(), site.as_str().as_bytes(), &[0, u8::from(address.len() == 8)], &address, agent.as_bytes()] {
                mac.update(part);
            }
            URL_SAFE_NO_PAD.encode(&mac.finalize()[..length])
        };
        Some(Fingerprint(format!("{}.{}", mac("visitor ", user_agent, 16), mac("address ", "", 9)).into()))
    }
}

impl Fingerprint {
    /// One that was found before, by its text. `None` when it is none.
    #[cfg(feature = "whole")]
    pub fn kept(text: &str) -> Option<Self> {
        let is_digest = |digest: &str, length| digest.len() == length && URL_SAFE_NO_PAD.decode(digest).is_ok();
        let (visitor, address) = text.split_once('.')?;
        (is_digest(visitor, 22) && is_digest(address, 12)).then(|| Self(text.into()))
    }

    /// The digest of address and agent, a dot and that of the address, in base64url.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visitors_are_told_apart() {
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
        let network = of("s", "demo", "2001:db8:1:2::1", "Firefox");
        assert_eq!(of("s", "demo", "2001:db8:1:2:ffff::", "Firefox"), network);
        assert_ne!(of("s", "demo", "2001:db8:1:3::1", "Firefox"), network);
        assert_eq!(of("s", "demo", "nowhere", "Firefox"), None);
    }
}
