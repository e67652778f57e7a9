//! The options of a site.

use std::rc::Rc;

use chrono::Weekday;
use serde_json::Value;

use super::board::read_board;
use super::error::ConfigError;
use super::node::Node;
use super::time::read_time_of_day;
use crate::ranking::name::Name;
use crate::ranking::site::{Action, Origins, Site};

pub(super) fn read_site(name: &Name, site: &Node, knows_zone: &impl Fn(&str) -> bool) -> Result<Site, ConfigError> {
    let fields =
        site.fields(&["origins", "timezone", "day_starts_at", "week_starts_on", "actor_history", "activity", "actions", "boards"])?;
    let actions = fields.required("actions", "a table of actions")?.named(|_, action| read_action(action))?;
    let boards = fields.required("boards", "a table of boards")?.named(|name, board| read_board(name, board, &actions).map(Rc::new))?;
    Ok(Site {
        name: name.clone(),
        origins: fields.or("origins", Origins::Listed(Vec::new()), read_origins)?,
        timezone: fields.or("timezone", "UTC".into(), |zone| {
            let known = zone.value.as_str().filter(|name| knows_zone(name));
            known.map(String::from).ok_or_else(|| zone.not_allowed("an IANA time zone name like \"Europe/Berlin\""))
        })?,
        day_starts_at_s: fields.or("day_starts_at", 0, read_time_of_day)?,
        week_starts_on: fields.or("week_starts_on", Weekday::Mon, read_weekday)?,
        actor_history_s: fields
            .or("actor_history", 31 * 86_400, |history| history.duration_s(86_400, Site::MAX_ACTOR_HISTORY_S, "\"1d\" to \"366d\""))?,
        activity: fields.or("activity", true, |activity| activity.boolean())?,
        actions,
        boards,
    })
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

fn read_weekday(day: &Node) -> Result<Weekday, ConfigError> {
    const DAYS: [(&str, Weekday); 7] = [
        ("monday", Weekday::Mon),
        ("tuesday", Weekday::Tue),
        ("wednesday", Weekday::Wed),
        ("thursday", Weekday::Thu),
        ("friday", Weekday::Fri),
        ("saturday", Weekday::Sat),
        ("sunday", Weekday::Sun),
    ];
    let found = DAYS.into_iter().find(|(name, _)| day.value == name);
    found.map(|(_, weekday)| weekday).ok_or_else(|| day.not_allowed("monday, tuesday, wednesday, thursday, friday, saturday, sunday"))
}

fn read_action(action: &Node) -> Result<Action, ConfigError> {
    let fields = action.fields(&["public", "reversible"])?;
    Ok(Action {
        public: fields.or("public", false, |public| public.boolean())?,
        reversible: fields.or("reversible", false, |reversible| reversible.boolean())?,
    })
}
