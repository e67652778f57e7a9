//! The options of a site.

use std::rc::Rc;

use chrono::Weekday;
use serde_json::Value;

use super::board::read_board;
use super::error::ConfigError;
use super::node::Node;
use super::rule::{Boolean, Duration, OneOf, Rule, TimeOfDay};
use crate::ranking::name::Name;
use crate::ranking::site::{Action, Origins, Site};

pub(super) fn read_site(name: &Name, site: &Node, knows_zone: &impl Fn(&str) -> bool) -> Result<Site, ConfigError> {
    let fields =
        site.fields(&["origins", "timezone", "day_starts_at", "week_starts_on", "actor_history", "activity", "actions", "boards"])?;
    let actions = fields.required_node("actions", "a table of actions")?.named(|_, action| read_action(action))?;
    let boards =
        fields.required_node("boards", "a table of boards")?.named(|name, board| read_board(name, board, &actions).map(Rc::new))?;
    Ok(Site {
        name: name.clone(),
        origins: fields.get("origins").map_or(Ok(Origins::Listed(Vec::new())), |origins| read_origins(&origins))?,
        timezone: fields.or("timezone", "UTC".into(), &ZoneName(knows_zone))?,
        day_starts_at_s: fields.or("day_starts_at", 0, &TimeOfDay { seconds: false })?,
        week_starts_on: fields.or("week_starts_on", Weekday::Mon, &OneOf::ANY)?,
        actor_history_s: fields.or("actor_history", 31 * 86_400, &Duration(86_400..=Site::MAX_ACTOR_HISTORY_S))?,
        activity: fields.or("activity", true, &Boolean)?,
        actions,
        boards,
    })
}

/// The name of a time zone that the runtime knows.
struct ZoneName<'f, F>(&'f F);

impl<F: Fn(&str) -> bool> Rule for ZoneName<'_, F> {
    type Read = String;

    fn allowed(&self) -> String {
        "an IANA time zone name like \"Europe/Berlin\"".into()
    }

    fn read(&self, value: &Value) -> Option<String> {
        value.as_str().filter(|name| (self.0)(name)).map(String::from)
    }
}

fn read_origins(origins: &Node) -> Result<Origins, ConfigError> {
    const ALLOWED: &str =
        "[\"*\"] or a list of origins like \"https://example.com\" (scheme, host and, where it is not the scheme's own, port; no path)";
    let Value::Array(list) = origins.value else { return Err(origins.not_allowed(ALLOWED)) };
    if list.len() == 1 && list[0] == "*" {
        return Ok(Origins::Any);
    }
    let mut listed = Vec::new();
    for (i, value) in list.iter().enumerate() {
        let origin = Node { key: format!("{}[{i}]", origins.key), value };
        let text = value.as_str().filter(|text| is_origin(text)).ok_or_else(|| origin.not_allowed(ALLOWED))?;
        listed.push(text.to_owned());
    }
    Ok(Origins::Listed(listed))
}

/// A serialized origin as browsers send it: lower case, no path, not even `/`.
fn is_origin(text: &str) -> bool {
    let host_allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_' | b':' | b'[' | b']');
    text == "null"
        || text.split_once("://").is_some_and(|(scheme, host)| {
            matches!(scheme, "http" | "https" | "capacitor" | "tauri" | "app") && !host.is_empty() && host.bytes().all(host_allowed)
        })
}

fn read_action(action: &Node) -> Result<Action, ConfigError> {
    let fields = action.fields(&["public", "reversible"])?;
    Ok(Action { public: fields.or("public", false, &Boolean)?, reversible: fields.or("reversible", false, &Boolean)? })
}
