//! Batches of events on the wire, as beacons and servers send them.

use chrono::DateTime;
use http::{Request, StatusCode};
use serde_json::{Map, Value};

use super::{MAX_BODY, Problem};
use crate::ranking::event::{Event, When};
use crate::ranking::name::{Fingerprint, Id, ReplayId};
use crate::ranking::site::Site;

/// Events in a batch, at most.
pub const MAX_EVENTS: usize = 100;
/// How long ago an event of a browser may have happened: a day, so that nobody can rewrite last week's ranking.
const MAX_AGO_MS: f64 = 86_400_000.0;
/// Unix milliseconds at the end of the year 2199.
const LAST_AT_MS: f64 = 7_258_118_400_000.0;

/// Who sent a batch.
#[derive(Clone, PartialEq, Eq)]
pub enum Sender {
    /// With what is known of its user.
    Browser(Option<Fingerprint>),
    Server,
}

/// A batch whose events have not been looked at yet.
pub struct RawBatch {
    pub id: Option<ReplayId>,
    pub events: Vec<Value>,
}

/// Reads a body: `{ "id": …, "events": [ … ] }`, or one bare event.
pub fn read(request: &Request<Vec<u8>>) -> Result<RawBatch, Problem> {
    let body = request.body();
    if body.len() > MAX_BODY {
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body-too-large", format!("a body has at most {MAX_BODY} bytes")));
    }
    let invalid = |detail: String| Problem::bad_request("invalid-json", detail);
    let json: Value = serde_json::from_slice(body).map_err(|error| invalid(format!("the body is not JSON: {error}")))?;
    let Value::Object(mut object) = json else { return Err(invalid("the body is not an object".into())) };
    let Some(events) = object.get_mut("events").map(Value::take) else {
        return Ok(RawBatch { id: None, events: vec![Value::Object(object)] });
    };
    let Value::Array(events) = events else { return Err(invalid("events is not a list".into())) };
    if events.len() > MAX_EVENTS {
        return Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too-many-events",
            format!("a batch has at most {MAX_EVENTS} events, this one {}", events.len()),
        ));
    }
    Ok(RawBatch { id: read_id(&object)?, events })
}

/// Reads one event and checks it against the site.
pub fn read_event(site: &Site, sender: &Sender, event: &Value) -> Result<Event, Problem> {
    let Value::Object(event) = event else {
        return Err(Problem::bad_request("invalid-event", format!("an event is an object, not {event}")));
    };
    let action = event.get("action").and_then(Value::as_str).ok_or_else(|| wrong(event, "action", "the name of an action"))?;
    let Some((action, known)) = site.actions.iter().find(|(known, _)| known.as_str() == action) else {
        let detail = format!("{action:?} is not an action of the site {}; it has {}", site.name, site.actions.list());
        return Err(Problem::bad_request("unknown-action", detail));
    };
    if *sender != Sender::Server && !known.public {
        return Err(Problem::new(StatusCode::FORBIDDEN, "action-not-public", format!("browsers may not send {action}")));
    }
    let undo = match event.get("undo") {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::Bool(true)) if *sender != Sender::Server => {
            return Err(Problem::bad_request("undo-not-possible", "browsers may not undo; the site's servers may"));
        }
        Some(Value::Bool(true)) if !known.reversible => {
            return Err(Problem::bad_request("undo-not-possible", format!("{action} is not a reversible action")));
        }
        Some(Value::Bool(true)) => true,
        Some(_) => return Err(wrong(event, "undo", "true or false")),
    };
    let id = |name: &'static str| match event.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_str().and_then(Id::new).map(Some).ok_or_else(|| wrong(event, name, Id::ALLOWED)),
    };
    let actor = id("actor")?;
    if undo && actor.is_none() {
        return Err(wrong(event, "actor", &format!("in an undo, the actor of its deed: {}", Id::ALLOWED)));
    }
    Ok(Event {
        action: action.clone(),
        item: id("item")?.ok_or_else(|| wrong(event, "item", Id::ALLOWED))?,
        visitor: if let (None, Sender::Browser(visitor)) = (&actor, sender) { visitor.clone() } else { None },
        actor,
        undo,
        when: read_when(sender, event)?,
        id: read_id(event)?,
    })
}

fn read_id(object: &Map<String, Value>) -> Result<Option<ReplayId>, Problem> {
    match object.get("id") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_str().and_then(ReplayId::new).map(Some).ok_or_else(|| wrong(object, "id", ReplayId::ALLOWED)),
    }
}

fn read_when(sender: &Sender, event: &Map<String, Value>) -> Result<When, Problem> {
    let present = |name: &str| event.get(name).filter(|value| !value.is_null());
    match (present("ago"), present("at")) {
        (None, None) => Ok(When::Now),
        (Some(ago), None) => {
            let (most, allowed) = match sender {
                Sender::Browser(_) => (MAX_AGO_MS, "milliseconds from 0 to 86400000"),
                Sender::Server => (LAST_AT_MS, "milliseconds, at least 0"),
            };
            let ms = ago.as_f64().filter(|ms| (0.0..=most).contains(ms)).ok_or_else(|| wrong(event, "ago", allowed))?;
            Ok(When::Ago(whole(ms)))
        }
        (None, Some(at)) if *sender == Sender::Server => {
            let ms = match at {
                Value::String(text) => DateTime::parse_from_rfc3339(text).ok().and_then(|at| u64::try_from(at.timestamp_millis()).ok()),
                number => number.as_f64().filter(|ms| (0.0..=LAST_AT_MS).contains(ms)).map(whole),
            };
            ms.map(When::At).ok_or_else(|| wrong(event, "at", "RFC 3339 like \"2026-11-20T12:00:00Z\" or Unix milliseconds, since 1970"))
        }
        (None, Some(_)) => Err(wrong(event, "at", "nothing; browsers send ago")),
        (Some(_), Some(_)) => Err(wrong(event, "at", "either ago or at")),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to lie between 0 and LAST_AT_MS")]
fn whole(ms: f64) -> u64 {
    ms.round() as u64
}

/// Refuses a field of an event or a batch.
fn wrong(object: &Map<String, Value>, field: &str, allowed: &str) -> Problem {
    let code = match field {
        "action" => "invalid-action",
        "item" => "invalid-item",
        "actor" => "invalid-actor",
        "id" => "invalid-id",
        "ago" => "invalid-ago",
        "undo" => "invalid-undo",
        _ => "invalid-at",
    };
    not_allowed(code, field, object.get(field).filter(|value| !value.is_null()), allowed)
}

/// Names a field, its value and what is allowed.
pub fn not_allowed(code: &'static str, field: &str, value: Option<&Value>, allowed: &str) -> Problem {
    let said = value.map_or_else(|| "is missing".into(), |value| format!("= {} is not allowed", shortened(value)));
    Problem::bad_request(code, format!("{field} {said}; allowed: {allowed}"))
}

fn shortened(value: &Value) -> String {
    /// Longer values are cut in messages.
    const SHOWN: usize = 80;
    let text = value.to_string();
    if text.chars().count() <= SHOWN { text } else { text.chars().take(SHOWN).chain(['…']).collect() }
}
