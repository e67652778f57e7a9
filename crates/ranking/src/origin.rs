//! Origins of pages, as a site lists them.

/// Which pages' browsers may send beacons, besides those of the worker's own origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origins {
    Any,
    Listed(Vec<OriginPattern>),
}

impl Origins {
    /// Whether pages of an origin, as a browser serializes it, may send beacons.
    pub fn allow(&self, origin: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Listed(patterns) => patterns.iter().any(|pattern| pattern.matches(origin)),
        }
    }

    /// The first one that is listed by itself and has pages: what addresses without an origin are taken to be of.
    pub fn first(&self) -> Option<&str> {
        let Self::Listed(patterns) = self else { return None };
        patterns.iter().find_map(|pattern| match pattern {
            OriginPattern::One(origin) if origin.starts_with("http") => Some(origin.as_str()),
            OriginPattern::One(_) | OriginPattern::AnyLabel { .. } => None,
        })
    }
}

/// One origin, or those of all direct subdomains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OriginPattern {
    /// As browsers serialize it: `https://example.com`, `http://localhost:8787`, `null`.
    One(String),
    /// `https://*.example.com`, without its `*`.
    AnyLabel { before: String, after: String },
}

impl OriginPattern {
    /// How a pattern is written, for messages.
    pub const ALLOWED: &str = "origins like \"https://example.com\" (scheme, host and, where it is not the scheme's own, port; no path) \
                               or \"https://*.example.com\" (* is one whole label, before at least two)";

    /// Reads a pattern. Browsers send origins in lower case and without a path, not even `/`; others would never match.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "null" {
            return Some(Self::One(text.into()));
        }
        // By characters throughout: the search for text is a half percent of the bundle.
        let (scheme, host) = text.split_once(':')?;
        let host = host.strip_prefix("//")?;
        if !matches!(scheme, "http" | "https" | "capacitor" | "tauri" | "app") {
            return None;
        }
        if let Some(parent) = host.strip_prefix("*.") {
            return is_parent(parent).then(|| Self::AnyLabel { before: format!("{scheme}://"), after: format!(".{parent}") });
        }
        let allowed = |byte: u8| is_label_byte(byte) || matches!(byte, b'.' | b':' | b'[' | b']');
        (!host.is_empty() && host.bytes().all(allowed)).then(|| Self::One(text.into()))
    }

    fn matches(&self, origin: &str) -> bool {
        match self {
            Self::One(one) => one == origin,
            Self::AnyLabel { before, after } => {
                let label = origin.strip_prefix(before.as_str()).and_then(|rest| rest.strip_suffix(after.as_str()));
                label.is_some_and(is_label)
            }
        }
    }
}

/// What may follow `*.`: a domain of at least two labels, so that no whole top-level domain is listed, and a port. Numbers at
/// its end would make it an IP address.
fn is_parent(text: &str) -> bool {
    let (domain, port) = text.split_once(':').unwrap_or((text, "1"));
    let labels = || domain.split('.');
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    labels().count() >= 2
        && labels().all(is_label)
        && !labels().next_back().is_some_and(is_number)
        && is_number(port)
        && port.parse::<u16>().is_ok()
}

fn is_label(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_label_byte)
}

fn is_label_byte(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, allowed: &[&str], refused: &[&str]) {
        let origins = Origins::Listed(vec![OriginPattern::parse(pattern).expect(pattern)]);
        for (some, expected) in [(allowed, true), (refused, false)] {
            for origin in some {
                assert_eq!(origins.allow(origin), expected, "{pattern} {origin}");
            }
        }
    }

    #[test]
    fn one_origin_is_matched_whole() {
        check(
            "https://example.com",
            &["https://example.com"],
            &["http://example.com", "https://example.com:8443", "https://a.example.com", "https://example.com.evil.com", "null", ""],
        );
        check("http://localhost:8787", &["http://localhost:8787"], &["http://localhost", "http://localhost:87870"]);
        check("http://[::1]:8787", &["http://[::1]:8787"], &["http://[::1]"]);
        check("null", &["null"], &["https://null"]);
        check("capacitor://localhost", &["capacitor://localhost"], &["http://localhost"]);
    }

    #[test]
    fn a_wildcard_is_one_whole_label() {
        check(
            "https://*.example.com",
            &["https://a.example.com", "https://xn--bcher-kva.example.com", "https://my_shop-1.example.com"],
            &[
                "https://example.com",
                "https://.example.com",
                "https://a.b.example.com",
                "https://a.example.com.evil.com",
                "https://aexample.com",
                "https://evil.com/.example.com",
                "https://evil.com?.example.com",
                "https://evil.com#.example.com",
                "https://evil@a.example.com",
                "https://evil:1.example.com",
                "https://*.example.com",
                "https://a.example.com:8443",
                "https://A.example.com",
                "http://a.example.com",
                "https://a.example.com/",
                "null",
                "",
            ],
        );
        check("https://*.example.com:8443", &["https://a.example.com:8443"], &["https://a.example.com", "https://a.example.com:84430"]);
        check("http://*.shops.example.co.uk", &["http://a.shops.example.co.uk"], &["http://shops.example.co.uk"]);
    }

    #[test]
    fn what_no_browser_sends_is_no_pattern() {
        for text in [
            "",
            "*",
            "example.com",
            "https://",
            "https://example.com/",
            "https://Example.com",
            "ftp://example.com",
            "https://*",
            "https://*.",
            "https://*.com",
            "https://*.com:443",
            "https://*.localhost",
            "https://*.example.com.",
            "https://*..example.com",
            "https://*.example..com",
            "https://*.*.example.com",
            "https://a.*.example.com",
            "https://a*.example.com",
            "https://*a.example.com",
            "https://example.*",
            "https://*.example.com/",
            "https://*.example.com:",
            "https://*.example.com:port",
            "https://*.example.com:65536",
            "https://*.168.0.1",
            "https://*.[::1]",
            "*://a.example.com",
            "*.example.com",
        ] {
            assert_eq!(OriginPattern::parse(text), None, "{text}");
        }
    }
}
