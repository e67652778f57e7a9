//! Tokens of actors: a browser proves its actor by one. The site's server makes it, with a secret that only it and the worker have.
//!
//! A token is `v1.EXPIRY.ACTOR.MAC`: Unix seconds, the actor's id and the HMAC-SHA-256, both in base64url without padding. The
//! HMAC is that of the site's name, a line feed and what stands before the last dot. Neither name nor dots hold a line feed, so no
//! two sites, actors or expiries give the same text.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac_sha256::HMAC;
use subtle::{Choice, ConstantTimeEq};

use super::name::{Id, Name};
use super::token::{Right, Tokens};

/// A server's clock may be ahead of the edge's, so a token lives for so many seconds longer than it says.
const LEEWAY_S: u64 = 60;

/// Why a token names nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenFault {
    /// It was signed, and its time is over.
    Expired,
    /// It is no token, is of another site, or was not signed by a secret of this one.
    Invalid,
}

impl Tokens {
    /// The actor that a token names on a site, by the edge's clock (Unix seconds).
    ///
    /// # Errors
    /// Why it names nobody. Only one that was signed is reported as expired.
    pub fn actor(&self, site: &Name, token: &str, now_s: u64) -> Result<Id, TokenFault> {
        let (text, mac) = token.rsplit_once('.').ok_or(TokenFault::Invalid)?;
        let mac = URL_SAFE_NO_PAD.decode(mac).map_err(|_| TokenFault::Invalid)?;
        let signed = |found, secret: &str| found | mac.ct_eq(&mac_of(secret, site, text));
        if !bool::from(self.of(Right::Sign, site).fold(Choice::from(0), signed)) {
            return Err(TokenFault::Invalid);
        }
        let (expiry, actor) = read(text).ok_or(TokenFault::Invalid)?;
        if now_s > expiry.saturating_add(LEEWAY_S) { Err(TokenFault::Expired) } else { Ok(actor) }
    }
}

fn mac_of(secret: &str, site: &Name, text: &str) -> [u8; 32] {
    let mut mac = HMAC::new(secret);
    for part in [site.as_str(), "\n", text] {
        mac.update(part);
    }
    mac.finalize()
}

/// `v1.EXPIRY.ACTOR`
fn read(text: &str) -> Option<(u64, Id)> {
    let (expiry, actor) = text.strip_prefix("v1.")?.split_once('.')?;
    let actor = String::from_utf8(URL_SAFE_NO_PAD.decode(actor).ok()?).ok()?;
    Some((expiry.parse().ok()?, Id::new(&actor)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_S: u64 = 1_795_176_000;
    const SECRET: &str = "a-secret-of-the-site";

    #[track_caller]
    fn check(site: &str, token: &str, now_s: u64, expected: Result<&str, TokenFault>) {
        let [demo, shop] = ["demo", "shop"].map(|name| Name::new(name).expect("a name"));
        let mut tokens = Tokens::default();
        tokens.grant(Right::Sign, Some(&demo), SECRET);
        tokens.grant(Right::Sign, Some(&demo), "the-one-before-it");
        tokens.grant(Right::Sign, Some(&shop), "a-secret-of-another");
        tokens.grant(Right::Write, None, "a-token-of-servers");
        let found = tokens.actor(if site == "demo" { &demo } else { &shop }, token, now_s);
        assert_eq!(found.as_ref().map(Id::as_str).map_err(|fault| *fault), expected, "{site} {token} {now_s}");
    }

    /// As the site's server does it.
    fn signed(secret: &str, site: &str, actor: &str, expiry: u64) -> String {
        let text = format!("v1.{expiry}.{}", URL_SAFE_NO_PAD.encode(actor));
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(mac_of(secret, &Name::new(site).expect("a name"), &text)))
    }

    #[test]
    fn what_other_languages_make() {
        // python3 -c 'import hmac,base64 as b;e=lambda x:b.urlsafe_b64encode(x).rstrip(b"=").decode();p="v1.1795176000."+e(b"u7");
        //   print(p+"."+e(hmac.digest(b"a-secret-of-the-site",("demo\n"+p).encode(),"sha256")))'
        assert_eq!(signed(SECRET, "demo", "u7", NOW_S), "v1.1795176000.dTc.M2gvcGJ4nt7lnk6b-vYdDTCJcrQMB22h8V2WkHH8bY0");
    }

    #[test]
    fn a_token_names_its_actor_until_it_expires() {
        for actor in ["u7", "{x}.y", "é", &"a".repeat(256)] {
            check("demo", &signed(SECRET, "demo", actor, NOW_S), NOW_S, Ok(actor));
        }
        let token = signed(SECRET, "demo", "u7", NOW_S);
        for (now_s, expected) in [(0, Ok("u7")), (NOW_S + LEEWAY_S, Ok("u7")), (NOW_S + LEEWAY_S + 1, Err(TokenFault::Expired))] {
            check("demo", &token, now_s, expected);
        }
        check("demo", &signed("the-one-before-it", "demo", "u7", NOW_S), NOW_S, Ok("u7"));
        check("demo", &signed(SECRET, "demo", "u7", u64::MAX), u64::MAX, Ok("u7"));
    }

    #[test]
    fn what_nobody_signed_names_nobody() {
        let invalid = Err(TokenFault::Invalid);
        let token = signed(SECRET, "demo", "u7", NOW_S);
        check("shop", &token, NOW_S, invalid);
        for secret in ["a-secret-of-another", "a-token-of-servers", "", "a-secret-of-the-sit"] {
            check("demo", &signed(secret, "demo", "u7", NOW_S), NOW_S, invalid);
        }
        check("demo", &token.replace("dTc", "dTg"), NOW_S, invalid);
        check("demo", &token.replace("1795176000", "1895176000"), NOW_S, invalid);
        check("demo", &token.replace("v1.", "v2."), NOW_S, invalid);
        // An expired one that was not signed is not reported as expired.
        check("demo", &signed("guessed-by-somebody", "demo", "u7", 1), NOW_S, invalid);
        for length in 0..token.len() {
            check("demo", &token[..length], NOW_S, invalid);
        }
        for garbage in ["", ".", "..", "...", "v1.1.dTc.", "v1..dTc.AA", "é.é", "v1.1.dTc.AA=="] {
            check("demo", garbage, NOW_S, invalid);
        }
        // Signed by a server that made a mistake.
        for actor in ["..", ".", "", "a\nb", &"a".repeat(257)] {
            check("demo", &signed(SECRET, "demo", actor, NOW_S), NOW_S, invalid);
        }
    }
}
