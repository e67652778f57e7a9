//! The time zone of a site.

use ranking::name::nearest;
use serde_json::Value;

use super::rule::Rule;

/// The time zones that a runtime knows.
pub trait KnownZones {
    fn knows(&self, name: &str) -> bool;

    /// All of them, to suggest one; none, where the runtime cannot list them.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

impl<F: Fn(&str) -> bool> KnownZones for F {
    fn knows(&self, name: &str) -> bool {
        self(name)
    }
}

/// The name of a time zone that the runtime knows.
pub(super) struct ZoneName<'z, Z>(pub &'z Z);

impl<Z: KnownZones> Rule for ZoneName<'_, Z> {
    type Read = String;

    fn allowed(&self) -> String {
        "an IANA time zone name like \"Europe/Berlin\"".into()
    }

    fn read(&self, value: &Value) -> Option<String> {
        value.as_str().filter(|name| self.0.knows(name)).map(String::from)
    }

    /// One that is written nearly so, else one whose city is.
    fn nearest(&self, text: &str) -> Option<String> {
        let zones = self.0.names();
        let text = text.to_ascii_lowercase().replace(' ', "_");
        let lower: Vec<String> = zones.iter().map(|zone| zone.to_ascii_lowercase()).collect();
        let city = |zone: &'_ String| zone.rsplit('/').next().map(String::from);
        let cities: Vec<String> = lower.iter().filter_map(city).collect();
        let find = |text: &str, names: &[String]| {
            let near = nearest(text, names.iter().map(String::as_str))?;
            names.iter().position(|name| name == near)
        };
        let place = find(&text, &lower).or_else(|| find(text.rsplit('/').next()?, &cities))?;
        zones.get(place).cloned()
    }
}
