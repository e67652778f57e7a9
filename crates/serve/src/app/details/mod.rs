//! The details of an item or an actor, and the rules for them.

pub mod known;
pub mod pages;

use chrono::DateTime;
use ranking::name::Id;
use ranking::page::rfc3339;
use serde_json::{Map, Value};

use crate::ingest::not_allowed;

/// Bytes of a body that describes many. The statement holds it once more, and D1 takes 2 MB of text.
pub const MAX_BULK: usize = 1 << 20;

/// Whose details they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Item,
    Actor,
}

/// Details that are allowed, as a JSON object: instants in UTC, and nothing that is null.
#[derive(Clone, Debug, PartialEq)]
pub struct Details(Map<String, Value>);

/// A field of details.
enum Field {
    /// Text of so many characters at most, none of them a control character.
    Text(usize),
    /// An address that a page may link to.
    Link,
    Tags,
    Id,
    Instant,
    /// Any object, of so many bytes of JSON at most.
    Object(usize),
}

const MAX_LINK: usize = 2_048;
pub const MAX_TAGS: usize = 20;
const MAX_TAG: usize = 64;

const ITEM: [(&str, Field); 8] = [
    ("title", Field::Text(300)),
    ("url", Field::Link),
    ("image", Field::Link),
    ("category", Field::Text(64)),
    ("tags", Field::Tags),
    ("author", Field::Id),
    ("published_at", Field::Instant),
    ("data", Field::Object(8_192)),
];
const ACTOR: [(&str, Field); 4] =
    [("name", Field::Text(300)), ("avatar", Field::Link), ("url", Field::Link), ("data", Field::Object(8_192))];

/// The names of [`Field::Link`].
const LINKS: [&str; 3] = ["url", "image", "avatar"];

impl Kind {
    /// The database's table, and the addresses of the routes.
    pub fn table(self) -> &'static str {
        match self {
            Self::Item => "items",
            Self::Actor => "actors",
        }
    }

    /// For people.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Item => "item",
            Self::Actor => "actor",
        }
    }

    fn fields(self) -> &'static [(&'static str, Field)] {
        match self {
            Self::Item => &ITEM,
            Self::Actor => &ACTOR,
        }
    }
}

impl Details {
    /// Reads what a client says. What is null counts as left out, and so does a link that leads to another site without saying so.
    ///
    /// # Errors
    /// For people: which field is not allowed, and what is.
    pub fn read(kind: Kind, object: &Map<String, Value>) -> Result<Self, String> {
        let mut read = Map::new();
        for (name, value) in object.iter().filter(|(_, value)| !value.is_null()) {
            let fields = kind.fields();
            let Some((_, field)) = fields.iter().find(|(known, _)| known == name) else {
                let known: Vec<&str> = fields.iter().map(|(known, _)| *known).collect();
                let name: String = name.chars().take(64).collect();
                return Err(format!("{name:?} is not a field of an {}; allowed: {}", kind.noun(), known.join(", ")));
            };
            if matches!(field, Field::Link) && value.as_str().is_some_and(leads_away) {
                continue;
            }
            let value = field.read(value).ok_or_else(|| not_allowed(name, Some(value), &field.allowed()))?;
            read.insert(name.clone(), value);
        }
        Ok(Self(read))
    }

    /// Details that the database holds; `None` when they are something else. It may hold links that are none, from before they were left out.
    pub fn stored(json: &str) -> Option<Self> {
        let mut stored: Map<String, Value> = serde_json::from_slice(json.as_bytes()).ok()?;
        for link in LINKS {
            if stored.get(link).and_then(Value::as_str).is_some_and(leads_away) {
                stored.remove(link);
            }
        }
        Some(Self(stored))
    }

    /// With what a merge patch (RFC 7396) changes.
    ///
    /// # Errors
    /// As of [`Details::read`].
    pub fn patched(&self, kind: Kind, patch: &Map<String, Value>) -> Result<Self, String> {
        let mut object = self.0.clone();
        merge(&mut object, patch);
        Self::read(kind, &object)
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub fn into_json(self) -> Map<String, Value> {
        self.0
    }

    pub fn json(&self) -> &Map<String, Value> {
        &self.0
    }
}

fn merge(object: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (name, change) in patch {
        match change {
            Value::Null => drop(object.remove(name)),
            Value::Object(change) => {
                let inner = object.entry(name.clone()).or_insert(Value::Null);
                if !inner.is_object() {
                    *inner = Value::Object(Map::new());
                }
                if let Value::Object(inner) = inner {
                    merge(inner, change);
                }
            }
            other => drop(object.insert(name.clone(), other.clone())),
        }
    }
}

impl Field {
    /// The value as it is kept; `None` when it is not allowed.
    fn read(&self, value: &Value) -> Option<Value> {
        let is_allowed = match self {
            Self::Text(max) => is_text(value, *max),
            Self::Link => is_text(value, MAX_LINK) && value.as_str().is_some_and(is_link),
            Self::Tags => value.as_array().is_some_and(|tags| tags.len() <= MAX_TAGS && tags.iter().all(|tag| is_text(tag, MAX_TAG))),
            Self::Id => value.as_str().and_then(Id::new).is_some(),
            Self::Object(max) => value.is_object() && value.to_string().len() <= *max,
            Self::Instant => {
                let instant = DateTime::parse_from_rfc3339(value.as_str()?).ok()?.timestamp_millis();
                // Years of four digits, so that the texts are in the order of time.
                return rfc3339(instant, false).filter(|text| text.len() == "2026-11-20T12:00:00Z".len()).map(Value::String);
            }
        };
        is_allowed.then(|| value.clone())
    }

    fn allowed(&self) -> String {
        match self {
            Self::Text(max) => format!("text of 1 to {max} characters, no control characters"),
            Self::Link => format!("text of up to {MAX_LINK} characters that begins with https://, http:// or /"),
            Self::Tags => format!("a list of up to {MAX_TAGS} texts of 1 to {MAX_TAG} characters"),
            Self::Id => Id::ALLOWED.into(),
            Self::Instant => "RFC 3339 like \"2026-11-20T12:00:00Z\"".into(),
            Self::Object(max) => format!("an object of up to {max} bytes"),
        }
    }
}

fn is_text(value: &Value, max: usize) -> bool {
    value.as_str().is_some_and(|text| (1..=max).contains(&text.chars().count()) && !text.chars().any(char::is_control))
}

/// Front ends make links of it, so it must run no script.
fn is_link(text: &str) -> bool {
    ["https://", "http://", "/"].iter().any(|begin| text.starts_with(begin))
}

/// `//` and `/\` begin the address of another site.
fn leads_away(text: &str) -> bool {
    text.strip_prefix('/').is_some_and(|rest| rest.starts_with(['/', '\\']))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Result<Value, String> {
        Details::read(Kind::Item, value.as_object().expect("an object")).map(|details| Value::Object(details.0))
    }

    #[test]
    fn what_is_allowed() {
        for (value, kept) in [
            (json!({}), json!({})),
            (
                json!({ "title": "A", "url": "/a", "image": "https://x/y.png" }),
                json!({ "title": "A", "url": "/a", "image": "https://x/y.png" }),
            ),
            (json!({ "title": null }), json!({})),
            (json!({ "published_at": "2026-11-20T13:00:00.5+01:00" }), json!({ "published_at": "2026-11-20T12:00:00Z" })),
            (json!({ "tags": ["a", "b"], "data": { "x": [1, null] } }), json!({ "tags": ["a", "b"], "data": { "x": [1, null] } })),
        ] {
            assert_eq!(read(&value), Ok(kept), "{value}");
        }
    }

    #[test]
    fn what_leads_to_another_site_is_no_link() {
        for away in ["//other.example", "/\\other.example", "///a"] {
            assert_eq!(read(&json!({ "title": "A", "url": away, "image": away })), Ok(json!({ "title": "A" })), "{away}");
        }
        let stored = |json: &str| Details::stored(json).map(|details| Value::Object(details.into_json()));
        let before = r#"{"title":"A","url":"//other.example","image":"/\\other.example/i.png","avatar":"/a.png"}"#;
        assert_eq!(stored(before), Some(json!({ "title": "A", "avatar": "/a.png" })));
        assert_eq!(stored("[]"), None);
    }

    #[test]
    fn what_is_refused() {
        for (value, says) in [
            (json!({ "titel": "A" }), "\"titel\" is not a field of an item; allowed: title, url"),
            (json!({ "title": "" }), "title = \"\" is not allowed; allowed: text of 1 to 300 characters"),
            (json!({ "title": "a\nb" }), "no control characters"),
            (json!({ "url": "javascript:alert(1)" }), "that begins with https://"),
            (json!({ "tags": "a" }), "a list of up to 20 texts"),
            (json!({ "tags": [""] }), "a list of up to 20 texts"),
            (json!({ "author": "." }), "256 bytes"),
            (json!({ "published_at": "yesterday" }), "RFC 3339"),
            (json!({ "data": [] }), "an object of up to 8192 bytes"),
            (json!({ "data": { "x": "y".repeat(9_000) } }), "an object of up to 8192 bytes"),
        ] {
            let refused = read(&value).expect_err(&value.to_string());
            assert!(refused.contains(says), "{refused}");
        }
    }

    /// The examples of RFC 7396 that an object has, on `data`.
    #[test]
    fn merge_patches() {
        for (before, patch, after) in [
            (json!({ "a": "b" }), json!({ "a": "c" }), json!({ "a": "c" })),
            (json!({ "a": "b" }), json!({ "b": "c" }), json!({ "a": "b", "b": "c" })),
            (json!({ "a": "b" }), json!({ "a": null }), json!({})),
            (json!({ "a": ["b"] }), json!({ "a": "c" }), json!({ "a": "c" })),
            (json!({ "a": { "b": "c" } }), json!({ "a": { "b": "d", "c": null } }), json!({ "a": { "b": "d" } })),
            (json!({ "a": [1] }), json!({ "a": { "b": { "c": null } } }), json!({ "a": { "b": {} } })),
        ] {
            let details = Details::read(Kind::Actor, json!({ "data": before }).as_object().expect("an object")).expect("allowed");
            let patched = details.patched(Kind::Actor, json!({ "data": patch }).as_object().expect("an object")).expect("allowed");
            assert_eq!(patched.get("data"), Some(&after), "{before} {patch}");
        }
    }
}
