//! `REDIS_URL`: where Redis is and how to speak to it.

use http::Uri;
use http::uri::Authority;
use percent_encoding::percent_decode_str;

/// An address of Redis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedisUrl {
    /// `redis://` or, with TLS, `rediss://`: RESP over TCP.
    Tcp(Tcp),
    /// The same with `?cluster=true`: some nodes of a cluster, from which the others are learnt.
    Cluster(Vec<Tcp>),
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
    pub const ALLOWED: &str = "redis://[user:password@]host[:port][/database], \
        redis://[user:password@]host[:port][,host[:port]…]?cluster=true, rediss:// likewise, or the https:// address of an Upstash REST endpoint";

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
        let (rest, is_cluster) = rest.strip_suffix("?cluster=true").map_or((rest, false), |rest| (rest, true));
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (credentials, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (user, password) = credentials.split_once(':').unwrap_or((credentials, ""));
        let decoded = |part: &str| percent_decode_str(part).decode_utf8().ok().map(|part| (!part.is_empty()).then(|| part.into()));
        let database = database.trim_end_matches('/');
        let (user, password) = (decoded(user)?, decoded(password)?);
        let database: u32 = if database.is_empty() { 0 } else { database.parse().ok()? };
        let node = |address: &str| {
            let address: Authority = address.parse().ok()?;
            let host = Some(address.host()).filter(|host| !host.is_empty() && !host.contains(',')).map(Into::into)?;
            let port = address.port_u16().unwrap_or(6379);
            Some(Tcp { tls, host, port, user: user.clone(), password: password.clone(), database })
        };
        if !is_cluster {
            return node(hosts).map(Self::Tcp);
        }
        // A cluster has one database.
        if database == 0 { hosts.split(',').map(node).collect::<Option<_>>().map(Self::Cluster) } else { None }
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
    fn urls_of_clusters() {
        let nodes = |text: &str| match RedisUrl::parse(text) {
            Some(RedisUrl::Cluster(nodes)) => Some(nodes.iter().map(|node| format!("{node:?}")).collect::<Vec<_>>().join(" ")),
            _ => None,
        };
        let text = "rediss://u:p%40ss@a.example:7000,[::1]:7001,b?cluster=true";
        assert_eq!(nodes(text).as_deref(), Some("a.example:7000/0 (tls: true) [::1]:7001/0 (tls: true) b:6379/0 (tls: true)"));
        let Some(RedisUrl::Cluster(seeds)) = RedisUrl::parse(text) else { panic!("a cluster") };
        assert!(seeds.iter().all(|seed| seed.user.as_deref() == Some("u") && seed.password.as_deref() == Some("p@ss")));
        assert_eq!(nodes("redis://one/?cluster=true").as_deref(), Some("one:6379/0 (tls: false)"));
        for wrong in [
            "redis://a,b",
            "redis://a,b/?cluster=false",
            "redis://a,,b?cluster=true",
            "redis://a/1?cluster=true",
            "redis://?cluster=true",
            "https://a?cluster=true",
        ] {
            assert_eq!(RedisUrl::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn debug_keeps_the_password_to_itself() {
        let url = RedisUrl::parse("redis://u:hidden@h").expect("valid");
        assert!(!format!("{url:?}").contains("hidden"));
    }
}
