//! Names (of sites, boards, actions, windows) and ids (of items, actors, batches).

use std::fmt;
use std::rc::Rc;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Serialize, Serializer};

/// A name from the configuration: `[a-z0-9][a-z0-9-]{0,31}`, or that of a board that was made while the site runs: a section's, or a
/// template's.
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

    /// The board of a section: the name of the board that is parted, a dot, and the section's value as in an address. No name of the
    /// configuration has a dot.
    pub fn of_section(board: &Self, value: &str) -> Self {
        const WRITTEN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'~');
        Self(format!("{board}.{}", utf8_percent_encode(value, WRITTEN)).into())
    }

    /// The name of a board of a template: the template's, a colon, and a name of its own. No name of the configuration has a colon.
    pub fn of_board(text: &str) -> Option<Self> {
        let (template, own) = text.split_once(':')?;
        (Self::new(template).is_some() && Self::new(own).is_some()).then(|| Self(text.into()))
    }

    /// The template's name in that of a board.
    pub fn of_template(&self) -> Option<&str> {
        self.0.split_once(':').map(|(template, _)| template)
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
#[derive(Clone, Debug)]
pub struct Named<T>(Vec<(Name, T)>);

impl<T> Named<T> {
    pub fn get(&self, name: &str) -> Option<&T> {
        self.iter().find(|(known, _)| known.as_str() == name).map(|(_, thing)| thing)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Name, &T)> {
        self.0.iter().map(|(name, thing)| (name, thing))
    }

    /// Adds things whose names are not there yet, each at its place.
    pub fn extend(&mut self, added: impl IntoIterator<Item = (Name, T)>) {
        self.0.extend(added);
        self.0.sort_by(|(one, _), (other, _)| one.cmp(other));
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keeps those whose names fit.
    pub fn retain(&mut self, fits: impl Fn(&Name) -> bool) {
        self.0.retain(|(name, _)| fits(name));
    }

    /// The names, for messages.
    pub fn list(&self) -> String {
        self.0.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The name that was probably meant by one that is not there; see [`nearest`].
    pub fn nearest(&self, name: &str) -> Option<&Name> {
        let near = nearest(name, self.0.iter().map(|(known, _)| known.as_str()))?;
        self.0.iter().map(|(known, _)| known).find(|known| known.as_str() == near)
    }

    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, thing)| thing)
    }
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// From names in order, each once.
impl<T> FromIterator<(Name, T)> for Named<T> {
    fn from_iter<I: IntoIterator<Item = (Name, T)>>(named: I) -> Self {
        Self(named.into_iter().collect())
    }
}

/// As an object.
impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(name, thing)| (name.as_str(), thing)))
    }
}

/// For tests: of a name that is known to be there.
impl<T> std::ops::Index<&str> for Named<T> {
    type Output = T;

    fn index(&self, name: &str) -> &T {
        self.get(name).expect("the name is known")
    }
}

/// The candidate that `name` is probably a mistyped form of; the first of several. `None` when all are too different: more
/// than a third of the characters, or more than two, would have to be changed, inserted, left out or swapped.
///
/// A stranger may choose `name`: a candidate of another length is not compared, so the work is bounded by the candidates.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    // Candidates are in lower case; what was typed need not be.
    let name = name.to_ascii_lowercase();
    let length = name.chars().count();
    let max_distance = (length.max(3) / 3).min(2);
    let comparable = candidates.into_iter().filter(|candidate| candidate.chars().count().abs_diff(length) <= max_distance);
    let distances = comparable.map(|candidate| (strsim::osa_distance(&name, candidate), candidate));
    let near = distances.filter(|(distance, _)| *distance <= max_distance && *distance < length);
    near.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

/// The id of an item or an actor: what a board ranks. 1 to 256 bytes of UTF-8 without control characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(Rc<str>);

impl Id {
    /// What an id may look like, for messages.
    pub const ALLOWED: &str = "text of 1 to 256 bytes of UTF-8 without control characters, other than . and ..";

    /// `None` when `text` is not an id. No address can name `.` and `..`: clients take them out of paths, also where they are
    /// percent-encoded.
    pub fn new(text: &str) -> Option<Self> {
        Self::kept(text).filter(|_| !matches!(text, "." | ".."))
    }

    /// An id that is in Redis, where those that no address can name may be from before they were refused.
    pub fn kept(text: &str) -> Option<Self> {
        let valid = (1..=256).contains(&text.len()) && !text.chars().any(char::is_control);
        valid.then(|| Self(text.into()))
    }

    /// An item as one of its authors is credited for it. No item has such an id, since it has a line feed.
    pub fn credited(item: &Self, author: &Self) -> Self {
        Self(format!("{}\n{}", item.as_str(), author.as_str()).into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// The id of a batch or of one event, which makes it safe to send again: 1 to 64 printable ASCII characters
/// without spaces.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplayId(Rc<str>);

impl ReplayId {
    /// What a batch or event id may look like, for messages.
    pub const ALLOWED: &str = "text of 1 to 64 printable ASCII characters without spaces";

    /// `None` when `text` is not such an id.
    pub fn new(text: &str) -> Option<Self> {
        let valid = (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        valid.then(|| Self(text.into()))
    }

    /// The batch's id and the event's place in it, when the id is of the form `id/place`.
    pub fn part_of(&self) -> Option<(Self, usize)> {
        let (batch, place) = self.0.rsplit_once('/')?;
        let index: usize = place.parse().ok()?;
        // One spelling only: another one would be another id.
        (index.to_string() == place).then(|| Self::new(batch))?.map(|batch| (batch, index))
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
    fn mistyped_names_are_recognized() {
        const KNOWN: [&str; 6] = ["articles", "day", "hot", "last-7-days", "people", "week"];
        let long = "articles".repeat(2000);
        for (name, expected) in [
            ("article", Some("articles")),
            ("Articles", Some("articles")),
            ("ARTICLES", Some("articles")),
            ("atricles", Some("articles")),
            ("artciels", Some("articles")),
            ("pepole", Some("people")),
            ("persons", None),
            ("dya", Some("day")),
            ("days", Some("day")),
            ("dy", Some("day")),
            ("last_7_days", Some("last-7-days")),
            ("last-30-days", Some("last-7-days")),
            ("hat", Some("hot")),
            ("x", None),
            ("", None),
            ("year", None),
            (&long, None),
        ] {
            assert_eq!(nearest(name, KNOWN), expected, "{name:.20}");
        }
        let named: Named<()> = KNOWN.into_iter().filter_map(|name| Some((Name::new(name)?, ()))).collect();
        assert_eq!(named.nearest("weeks").map(Name::as_str), Some("week"));
        assert_eq!(named.nearest("decade"), None);
    }

    #[test]
    fn ids() {
        for (text, valid) in [
            ("/posts/1", true),
            ("{x}:y", true),
            (" ", true),
            ("é", true),
            ("...", true),
            (". ", true),
            ("./a", true),
            (".", false),
            ("..", false),
            ("", false),
            ("a\0b", false),
            ("a\nb", false),
            ("\u{85}", false),
        ] {
            assert_eq!(Id::new(text).is_some(), valid, "{text:?}");
        }
        assert!(Id::new(&"é".repeat(128)).is_some());
        assert!(Id::new(&"é".repeat(129)).is_none());
        assert!(Id::kept("..").is_some() && Id::kept("a\nb").is_none());
        assert!(ReplayId::new("b1946ac92492d234").is_some());
        assert!(ReplayId::new("a b").is_none());
    }

    #[test]
    fn ids_of_parts_name_their_batch() {
        for (id, part) in [
            ("b1946ac92492d234/3", Some(("b1946ac92492d234", 3))),
            ("a/b/99", Some(("a/b", 99))),
            ("a//0", Some(("a/", 0))),
            ("a", None),
            ("/3", None),
            ("a/", None),
            ("a/03", None),
            ("a/+3", None),
            ("a/-3", None),
            ("a/b", None),
        ] {
            let found = ReplayId::new(id).expect("an id").part_of();
            assert_eq!(found.as_ref().map(|(batch, index)| (batch.as_str(), *index)), part, "{id}");
        }
    }
}
