//! Patterns of items: which of them a board counts.

use super::name::Id;

/// An id in which each `*` stands for any text, also none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// For people.
    pub const ALLOWED: &str = "a pattern of ids like \"/sports/*\", of 1 to 256 bytes, in which * stands for any text";

    pub fn new(text: &str) -> Option<Self> {
        Id::new(text).map(|id| Self(id.as_str().into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the whole id is like the pattern.
    pub fn matches(&self, id: &Id) -> bool {
        let Some((head, rest)) = self.0.split_once('*') else { return self.0 == id.as_str() };
        let Some(mut remaining) = id.as_str().strip_prefix(head) else { return false };
        let (between, tail) = rest.rsplit_once('*').map_or(("", rest), |(between, tail)| (between, tail));
        // The first place of each is as good as any: what comes behind it has the most room.
        for part in between.split('*') {
            let Some(at) = remaining.find(part) else { return false };
            remaining = &remaining[at + part.len()..];
        }
        remaining.ends_with(tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, like, unlike) in [
            ("/a", &["/a"][..], &["/ab", "/", "x/a"][..]),
            ("/a/*", &["/a/", "/a/b/c"], &["/a", "/b/", "x/a/b"]),
            ("*.html", &["a.html", ".html"], &["a.htm", "a.html?"]),
            ("/*/x", &["/a/x", "//x", "/a/b/x"], &["/x", "/a/x/"]),
            ("*", &["a", "日本"], &[]),
            ("a*b*c", &["abc", "axbxc", "abbcc"], &["ac", "acb", "abcx"]),
            ("a*aa", &["aaa", "aaaa", "abaa"], &["aa", "a"]),
            ("*ab*ab*", &["abab", "xabyabz"], &["ab", "aab"]),
            ("é*", &["é", "éa"], &["e"]),
        ] {
            let read = Pattern::new(pattern).expect("a pattern");
            for id in like {
                assert!(read.matches(&Id::new(id).expect("an id")), "{pattern} {id}");
            }
            for id in unlike {
                assert!(!read.matches(&Id::new(id).expect("an id")), "{pattern} {id}");
            }
        }
        assert_eq!(Pattern::new(""), None);
    }
}
