//! `REDIS_URL`: where Redis is and how to speak to it.

use http::Uri;
use http::uri::Authority;
use percent_encoding::percent_decode_str;

/// An address of Redis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedisUrl {
    /// `redis://` or, with TLS, `rediss://`: RESP over TCP.
    Tcp(Tcp),
    /// `https://`, or `http://` for local gateways: the Upstash REST protocol. Without a slash at the end.
    Rest(String),
}

/// Where a TCP connection goes and what it says first.
#[derive(Clone, PartialEq, Eq)]
pub struct Tcp {
    pub tls: bool,
    pub host: String,
    pub port: u16,
    pub user: Option<String>,
    pub password: Option<String>,
    pub database: u32,
}

impl std::fmt::Debug for Tcp {
    /// Without the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}/{} (tls: {})", self.host, self.port, self.database, self.tls)
    }
}

impl RedisUrl {
    /// How the URL is written, for messages.
    pub const ALLOWED: &str =
        "redis://[user:password@]host[:port][/database], rediss:// likewise, or the https:// address of an Upstash REST endpoint";

    /// `None` when the URL is not one of [`Self::ALLOWED`].
    pub fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once(':')?;
        let rest = rest.strip_prefix("//")?;
        if matches!(scheme, "https" | "http") {
            let address = text.trim_end_matches('/');
            let plain = address.parse::<Uri>().is_ok_and(|uri| uri.query().is_none()) && !rest.contains(['@', '#']);
            return plain.then(|| Self::Rest(address.into()));
        }
        let tls = match scheme {
            "redis" => false,
            "rediss" => true,
            _ => return None,
        };
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (credentials, address) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (user, password) = credentials.split_once(':').unwrap_or((credentials, ""));
        let address: Authority = address.parse().ok()?;
        let decoded = |part: &str| percent_decode_str(part).decode_utf8().ok().map(|part| (!part.is_empty()).then(|| part.into()));
        let database = database.trim_end_matches('/');
        Some(Self::Tcp(Tcp {
            tls,
            host: (!address.host().is_empty()).then(|| address.host().into())?,
            port: address.port_u16().unwrap_or(6379),
            user: decoded(user)?,
            password: decoded(password)?,
            database: if database.is_empty() { 0 } else { database.parse().ok()? },
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, tls: bool, host: &str, port: u16, user: Option<&str>, password: Option<&str>, database: u32) {
        let (user, password) = (user.map(String::from), password.map(String::from));
        let expected = RedisUrl::Tcp(Tcp { tls, host: host.into(), port, user, password, database });
        assert_eq!(RedisUrl::parse(text), Some(expected), "{text}");
    }

    #[test]
    fn urls() {
        check("redis://127.0.0.1", false, "127.0.0.1", 6379, None, None, 0);
        check("redis://[::1]:7000/3", false, "[::1]", 7000, None, None, 3);
        check("rediss://default:p%40ss@eu1.upstash.io:6380", true, "eu1.upstash.io", 6380, Some("default"), Some("p@ss"), 0);
        check("redis://:secret@localhost/", false, "localhost", 6379, None, Some("secret"), 0);
        assert_eq!(RedisUrl::parse("https://eu1.upstash.io/"), Some(RedisUrl::Rest("https://eu1.upstash.io".into())));
        assert_eq!(RedisUrl::parse("http://127.0.0.1:8079"), Some(RedisUrl::Rest("http://127.0.0.1:8079".into())));
        for wrong in ["", "localhost:6379", "redis://", "redis://host/x", "ftp://host", "https://token@host", "https://host/?_token=t"] {
            assert_eq!(RedisUrl::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn debug_keeps_the_password_to_itself() {
        let url = RedisUrl::parse("redis://u:hidden@h").expect("valid");
        assert!(!format!("{url:?}").contains("hidden"));
    }
}
