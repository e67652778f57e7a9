//! Names (of sites, boards, actions, windows) and ids (of items, actors, batches).

use std::fmt;
use std::rc::Rc;

/// A name from the configuration: `[a-z0-9][a-z0-9-]{0,31}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Rc<str>);

impl Name {
    /// What a name may look like, for messages.
    pub const ALLOWED: &str = "1 to 32 characters a-z, 0-9 and -, not beginning with -";

    /// `None` when `text` is not a name.
    pub fn new(text: &str) -> Option<Self> {
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let valid = (1..=32).contains(&text.len()) && text.bytes().all(allowed) && !text.starts_with('-');
        valid.then(|| Self(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Things by their name, in the order of the names. A list, since there are few and a map would cost 10 KB of bundle.
#[derive(Debug)]
pub struct Named<T>(Vec<(Name, T)>);

impl<T> Named<T> {
    pub fn get(&self, name: &str) -> Option<&T> {
        self.iter().find(|(known, _)| known.as_str() == name).map(|(_, thing)| thing)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Name, &T)> {
        self.0.iter().map(|(name, thing)| (name, thing))
    }

    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.0.iter().map(|(name, _)| name)
    }

    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, thing)| thing)
    }
}

/// From names in order, each once.
impl<T> FromIterator<(Name, T)> for Named<T> {
    fn from_iter<I: IntoIterator<Item = (Name, T)>>(named: I) -> Self {
        Self(named.into_iter().collect())
    }
}

/// For tests: of a name that is known to be there.
impl<T> std::ops::Index<&str> for Named<T> {
    type Output = T;

    fn index(&self, name: &str) -> &T {
        self.get(name).expect("the name is known")
    }
}

/// The id of an item or an actor: what a board ranks. 1 to 256 bytes of UTF-8 without control characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(Rc<str>);

impl Id {
    /// What an id may look like, for messages.
    pub const ALLOWED: &str = "1 to 256 bytes of UTF-8 without control characters";

    /// `None` when `text` is not an id.
    pub fn new(text: &str) -> Option<Self> {
        let valid = (1..=256).contains(&text.len()) && !text.chars().any(char::is_control);
        valid.then(|| Self(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The id of a batch or of one event, which makes it safe to send again: 1 to 64 printable ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplayId(Rc<str>);

impl ReplayId {
    /// What a batch or event id may look like, for messages.
    pub const ALLOWED: &str = "1 to 64 printable ASCII characters";

    /// `None` when `text` is not such an id.
    pub fn new(text: &str) -> Option<Self> {
        let valid = (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        valid.then(|| Self(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (text, valid) in
            [("a", true), ("last-7-days", true), ("0", true), ("", false), ("-a", false), ("A", false), ("a_b", false), ("é", false)]
        {
            assert_eq!(Name::new(text).is_some(), valid, "{text:?}");
        }
        assert!(Name::new(&"a".repeat(32)).is_some());
        assert!(Name::new(&"a".repeat(33)).is_none());
    }

    #[test]
    fn ids() {
        for (text, valid) in [
            ("/posts/1", true),
            ("{x}:y", true),
            (" ", true),
            ("é", true),
            ("", false),
            ("a\0b", false),
            ("a\nb", false),
            ("\u{85}", false),
        ] {
            assert_eq!(Id::new(text).is_some(), valid, "{text:?}");
        }
        assert!(Id::new(&"é".repeat(128)).is_some());
        assert!(Id::new(&"é".repeat(129)).is_none());
        assert!(ReplayId::new("b1946ac92492d234").is_some());
        assert!(ReplayId::new("a b").is_none());
    }
}
