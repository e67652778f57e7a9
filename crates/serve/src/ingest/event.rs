//! One event: from JSON or from the pixel's parameters, checked against the site.

use std::net::IpAddr;

use chrono::DateTime;
use ranking::event::{Batch, Event, When};
use ranking::name::{Id, Name, ReplayId, nearest};
use ranking::site::{Action, Site};
use ranking::visitor::Fingerprint;
use serde_json::{Map, Value};

use super::actor::{Acting, ActorNotice, Sender};
use super::batch::read_id;
use super::valued::{self, Valued, counts_for_actors};
use super::{EventCode, Refusal, named};

/// How long ago an event of a browser may have happened: a day, so that nobody can rewrite last week's ranking.
const MAX_AGO_MS: f64 = 86_400_000.0;
/// The earliest Unix milliseconds that a number may mean, in March 1973. Unix seconds of today lie below it.
const MIN_AT_MS: f64 = 100_000_000_000.0;
/// Unix milliseconds at the end of the year 2199.
const MAX_AT_MS: f64 = 7_258_118_400_000.0;

/// 2^53 - 1, the greatest that JavaScript and Lua tell from its neighbours.
pub const MAX_SEQ: u64 = (1 << 53) - 1;

/// The last one makes a body a batch, so a bare event may have a mistyped form of it.
pub(super) const FIELDS: [&str; 14] =
    ["action", "item", "actor", "visitor", "ago", "at", "undo", "count", "value", "meta", "seq", "boards", "id", "events"];
const VISITOR_FIELDS: [&str; 2] = ["address", "agent"];

/// An event as the pixel's query has it.
#[derive(Clone, Copy, Default)]
pub struct PixelEvent<'q> {
    pub action: Option<&'q str>,
    pub item: Option<&'q str>,
    pub actor: Option<&'q str>,
    pub id: Option<&'q str>,
}

impl PixelEvent<'_> {
    /// The event that a browser sends by asking for the pixel, as a batch, and why it has no actor though it names one. A pixel
    /// shows no token: its address is kept in logs and histories.
    ///
    /// # Errors
    /// Why it can never be valid.
    pub fn read(self, site: &Site, visitor: Option<Fingerprint>) -> Result<(Batch, Option<ActorNotice>), Refusal> {
        let sender = Sender::browser(visitor);
        let action = self.action.ok_or_else(|| missing(EventCode::InvalidAction, "action", ACTION))?;
        let id = |code, field, text: Option<&str>| {
            let read = |text| Id::new(text).ok_or_else(|| Refusal::of_field(code, field, Some(&text.into()), Id::ALLOWED));
            text.map(read).transpose()
        };
        let acting = sender.acting(site, id(EventCode::InvalidActor, "actor", self.actor)?);
        let event = Event {
            action: find_action(site, &sender, &acting, action)?.0,
            visitor: sender.visitor().filter(|_| acting.actor.is_none()),
            actor: acting.actor,
            item: Some(id(EventCode::InvalidItem, "item", self.item)?.ok_or_else(|| missing(EventCode::InvalidItem, "item", Id::ALLOWED))?),
            undo: false,
            count: 1,
            value: None,
            meta: None,
            seq: None,
            when: When::Now,
            boards: Vec::new(),
            id: self
                .id
                .map(|text| {
                    ReplayId::new(text).ok_or_else(|| Refusal::of_field(EventCode::InvalidId, "id", Some(&text.into()), ReplayId::ALLOWED))
                })
                .transpose()?,
            index: 0,
        };
        let notice = (self.actor.is_some() && event.actor.is_none()).then_some(ActorNotice::Ignored);
        let batch = Batch::new(sender.class(), None, vec![event]);
        Ok((Batch { visitor: sender.visitor(), ..batch }, notice))
    }
}

/// Reads one event of a batch.
pub(super) fn read(site: &Site, sender: &Sender, event: &Value) -> Result<Event, Refusal> {
    let Value::Object(event) = event else {
        return Err(Refusal::new(EventCode::InvalidEvent, format!("an event is an object, not {}", shortened(event))));
    };
    let [fields @ .., _] = &FIELDS;
    read_object(site, sender, event, fields)
}

/// 1. Nothing but fields may be there: one that is ignored is a lost score. What is mistyped is reported before what is therefore missing.
/// 2. The action must be known to the site. A browser may send public ones, and signed ones of the actor whose token it shows.
/// 3. An undo needs a reversible action and an actor. A browser may undo what is signed.
/// 4. A seq needs the same as an undo: who could send any would keep others from doing what they did not do yet.
/// 5. Boards of templates must be of those that the sender may name; whether there are such boards is known when the event counts.
/// 6. Ids, instant, visitor and value must read as what they are. Where an action counts for actors alone, it needs no item, but an actor.
pub(super) fn read_object(site: &Site, sender: &Sender, event: &Map<String, Value>, fields: &[&str]) -> Result<Event, Refusal> {
    unknown_fields("an event", event, fields)?;
    let action = event.get("action").and_then(Value::as_str).ok_or_else(|| wrong(event, "action", ACTION))?;
    let id = |name: &'static str| match event.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_str().and_then(Id::new).map(Some).ok_or_else(|| wrong(event, name, Id::ALLOWED)),
    };
    let acting = sender.acting(site, id("actor")?);
    let (action, known) = find_action(site, sender, &acting, action)?;
    let undo = read_undo(sender, &acting, (&action, known), event)?;
    let seq = read_seq(sender, &acting, known, event)?;
    let actor = acting.actor;
    if undo && actor.is_none() {
        return Err(wrong(event, "actor", &format!("in an undo, who did the action: {}", Id::ALLOWED)));
    }
    let boards = named::read(site, sender, event)?;
    let item = id("item")?;
    if item.is_none() && !counts_for_actors(site, &action, &boards) {
        return Err(wrong(event, "item", Id::ALLOWED));
    }
    if item.is_none() && actor.is_none() {
        // One that a browser names and that is not believed is there, and does not act.
        let is_named = event.get("actor").is_some_and(|actor| !actor.is_null());
        let who = if is_named { "the actor of a valid token" } else { Id::ALLOWED };
        return Err(wrong(event, "actor", &format!("{who}, since {action} counts for actors alone")));
    }
    let Valued { value, meta } = valued::read(site, sender, &action, &boards, event)?;
    // A visitor stands in for an actor who is not known. A browser's visitor is what the edge saw of it.
    let sent = read_visitor(site, sender, event)?;
    let visitor = if sender.is_server() { sent } else { sender.visitor() };
    Ok(Event {
        action,
        item,
        visitor: visitor.filter(|_| actor.is_none()),
        actor,
        undo,
        count: read_count(sender, undo, event)?,
        value,
        meta,
        seq,
        when: read_when(sender, event)?,
        boards,
        id: read_id(event)?,
        index: 0,
    })
}

/// What an action looks like, for messages.
const ACTION: &str = "the name of an action, as text";
/// What a signed action lacks, for messages.
const NEEDS_TOKEN: &str = " without a valid token of the actor";

fn find_action<'s>(site: &'s Site, sender: &Sender, acting: &Acting, name: &str) -> Result<(Name, &'s Action), Refusal> {
    let Some((action, known)) = site.actions.iter().find(|(known, _)| known.as_str() == name) else {
        let name = shortened_text(&format!("{name:?}"));
        let detail = format!("{name} is not an action of the site {}; it has {}", site.name, site.actions.list());
        return Err(Refusal::new(EventCode::UnknownAction, detail));
    };
    let may_send = sender.is_server() || known.public || (known.signed && acting.is_proven);
    if !may_send {
        let unless = if known.signed { NEEDS_TOKEN } else { "" };
        return Err(Refusal::new(EventCode::ActionNotPublic, format!("browsers may not send {action}{unless}")));
    }
    Ok((action.clone(), known))
}

fn read_undo(sender: &Sender, acting: &Acting, (action, known): (&Name, &Action), event: &Map<String, Value>) -> Result<bool, Refusal> {
    let Action { reversible, signed, .. } = *known;
    let may_undo = sender.is_server() || (signed && acting.is_proven);
    let refuse = |detail: String| Err(Refusal::new(EventCode::UndoNotPossible, detail));
    match event.get("undo") {
        None | Some(Value::Null | Value::Bool(false)) => Ok(false),
        Some(Value::Bool(true)) if may_undo && !reversible => refuse(format!("{action} is not a reversible action")),
        Some(Value::Bool(true)) if !may_undo && signed => refuse(format!("browsers may not undo {action}{NEEDS_TOKEN}")),
        Some(Value::Bool(true)) if !may_undo => refuse("browsers may not undo; the site's servers may".into()),
        Some(Value::Bool(true)) => Ok(true),
        Some(_) => Err(wrong(event, "undo", "true or false")),
    }
}

fn read_seq(sender: &Sender, acting: &Acting, known: &Action, event: &Map<String, Value>) -> Result<Option<u64>, Refusal> {
    let Some(seq) = event.get("seq").filter(|seq| !seq.is_null()) else { return Ok(None) };
    let may_order = sender.is_server() || (known.signed && acting.is_proven);
    if !known.reversible || !may_order || acting.actor.is_none() {
        return Err(misplaced(event, "seq", ": it orders what a known actor does and undoes by reversible actions"));
    }
    let seq = seq.as_u64().filter(|seq| (1..=MAX_SEQ).contains(seq));
    seq.map(Some).ok_or_else(|| wrong(event, "seq", "whole numbers from 1 to 9007199254740991"))
}

fn read_count(sender: &Sender, undo: bool, event: &Map<String, Value>) -> Result<u32, Refusal> {
    let Some(count) = event.get("count").filter(|count| !count.is_null()) else { return Ok(1) };
    if undo || !sender.is_server() {
        let why = if undo { " in an undo, which takes back all of it" } else { ": browsers send each event" };
        return Err(misplaced(event, "count", why));
    }
    let read = count.as_u64().and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0);
    read.ok_or_else(|| wrong(event, "count", "whole numbers from 1 to 4294967295"))
}

fn read_when(sender: &Sender, event: &Map<String, Value>) -> Result<When, Refusal> {
    let present = |name: &str| event.get(name).filter(|value| !value.is_null());
    match (present("ago"), present("at")) {
        (None, None) => Ok(When::Now),
        (Some(ago), None) => {
            let (max, allowed) = match sender {
                Sender::Browser { .. } => (MAX_AGO_MS, "milliseconds from 0 to 86400000"),
                Sender::Server(_) => (MAX_AT_MS, "milliseconds, at least 0"),
            };
            let ms = ago.as_f64().filter(|ms| (0.0..=max).contains(ms)).ok_or_else(|| wrong(event, "ago", allowed))?;
            Ok(When::Ago(whole(ms)))
        }
        (None, Some(at)) if sender.is_server() => {
            let ms = match at {
                Value::String(text) => DateTime::parse_from_rfc3339(text).ok().and_then(|at| u64::try_from(at.timestamp_millis()).ok()),
                number => number.as_f64().filter(|ms| (MIN_AT_MS..=MAX_AT_MS).contains(ms)).map(whole),
            };
            ms.map(When::At).ok_or_else(|| wrong(event, "at", AT))
        }
        (None, Some(_)) => Err(misplaced(event, "at", ": browsers send ago")),
        (Some(_), Some(_)) => Err(wrong(event, "at", "either ago or at")),
    }
}

/// What `at` looks like, for messages.
const AT: &str = "RFC 3339 since 1970 like \"2026-11-20T12:00:00Z\", or Unix milliseconds (not seconds), at least 100000000000";

/// `{ "address": "192.0.2.1", "agent": "Mozilla/5.0 …" }`, from servers that know their readers.
fn read_visitor(site: &Site, sender: &Sender, event: &Map<String, Value>) -> Result<Option<Fingerprint>, Refusal> {
    const ALLOWED: &str = "an object with address (an IP address, as text) and agent (text, may be left out)";
    let (visitor, key) = match (event.get("visitor"), sender) {
        (None | Some(Value::Null), _) => return Ok(None),
        (Some(_), Sender::Browser { .. }) => return Err(misplaced(event, "visitor", ": of browsers the worker sees the address")),
        (Some(Value::Object(visitor)), Sender::Server(key)) => (visitor, key),
        (Some(_), Sender::Server(_)) => return Err(wrong(event, "visitor", ALLOWED)),
    };
    unknown_fields("a visitor", visitor, &VISITOR_FIELDS)?;
    let agent = match visitor.get("agent") {
        None | Some(Value::Null) => Some(""),
        Some(agent) => agent.as_str(),
    };
    let found = visitor.get("address").and_then(Value::as_str).zip(agent);
    let keyed = |(address, agent): (&str, &str)| match key {
        Some(key) => key.fingerprint(&site.name, address, agent).map(Some),
        None => address.parse::<IpAddr>().ok().map(|_| None),
    };
    found.and_then(keyed).ok_or_else(|| wrong(event, "visitor", ALLOWED))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to lie between 0 and MAX_AT_MS")]
fn whole(ms: f64) -> u64 {
    ms.round() as u64
}

/// Refuses what does not exist, with all of its names and what the first one is probably meant to be.
pub(super) fn unknown_fields(of: &str, object: &Map<String, Value>, allowed: &[&str]) -> Result<(), Refusal> {
    let unknown: Vec<&String> = object.keys().filter(|name| !allowed.contains(&name.as_str())).collect();
    let Some(first) = unknown.first() else { return Ok(()) };
    let are = if unknown.len() == 1 { "is not a field" } else { "are not fields" };
    let listed: Vec<String> = unknown.iter().map(|name| format!("{name:?}")).collect();
    let meant = nearest(first, allowed.iter().copied()).map_or_else(String::new, |name| format!("; did you mean {name}?"));
    let detail = format!("{} {are} of {of}; allowed: {}{meant}", shortened_text(&listed.join(", ")), allowed.join(", "));
    Err(Refusal::new(EventCode::UnknownField, detail))
}

/// Refuses a field of an event or a batch by what it may be.
pub(super) fn wrong(object: &Map<String, Value>, field: &str, allowed: &str) -> Refusal {
    Refusal::of_field(code_of(field), field, object.get(field).filter(|value| !value.is_null()), allowed)
}

/// Refuses a field whose value is not what is wrong. `why` goes on behind "is not allowed".
pub(super) fn misplaced(object: &Map<String, Value>, field: &str, why: &str) -> Refusal {
    let value = shortened(object.get(field).unwrap_or(&Value::Null));
    Refusal::new(code_of(field), format!("{field} = {value} is not allowed{why}"))
}

fn code_of(field: &str) -> EventCode {
    match field {
        "action" => EventCode::InvalidAction,
        "item" => EventCode::InvalidItem,
        "actor" => EventCode::InvalidActor,
        "visitor" => EventCode::InvalidVisitor,
        "id" => EventCode::InvalidId,
        "ago" => EventCode::InvalidAgo,
        "undo" => EventCode::InvalidUndo,
        "seq" => EventCode::InvalidSeq,
        "boards" => EventCode::InvalidBoards,
        "count" => EventCode::InvalidCount,
        "value" => EventCode::InvalidValue,
        "meta" => EventCode::InvalidMeta,
        _ => EventCode::InvalidAt,
    }
}

fn missing(code: EventCode, field: &str, allowed: &str) -> Refusal {
    Refusal::of_field(code, field, None, allowed)
}

impl Refusal {
    /// Names a field, its value and what is allowed.
    pub fn of_field(code: EventCode, field: &str, value: Option<&Value>, allowed: &str) -> Self {
        Self::new(code, not_allowed(field, value, allowed))
    }
}

/// `item = 7 is not allowed; allowed: …`
pub fn not_allowed(field: &str, value: Option<&Value>, allowed: &str) -> String {
    let value = value.map_or_else(|| "is missing".into(), |value| format!("= {} is not allowed", shortened(value)));
    format!("{field} {value}; allowed: {allowed}")
}

fn shortened(value: &Value) -> String {
    shortened_text(&value.to_string())
}

/// What the tokens of actors begin with, before a number. Refusals are logged, and a token may stand in the wrong field.
const TOKEN: &str = "v1.";

/// Longer values are cut in messages.
fn shortened_text(text: &str) -> String {
    const SHOWN: usize = 80;
    let is_digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    if text.match_indices(TOKEN).any(|(at, _)| is_digit(&text[at + TOKEN.len()..])) {
        return "(not shown)".into();
    }
    if text.chars().count() <= SHOWN { text.into() } else { text.chars().take(SHOWN).chain(['…']).collect() }
}
