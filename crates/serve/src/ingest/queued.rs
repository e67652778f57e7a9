//! Reading messages of a queue: those of other services, which are the body of `/events` with the site beside it, and those that the
//! worker keeps while Redis is out, see [`message`].
//!
//! A message says when it was sent, so that it counts in the right period however long it waits. Instants are of the edge's clock,
//! and only their differences mean anything.

use serde_json::{Map, Value};

use crate::ingest::{EventCode, ParsedBatch, Refusal, Source, message};
use ranking::event::{Batch, SenderClass, When};
use ranking::name::{Id, Name};
use ranking::site::Site;
use ranking::visitor::{Fingerprint, VisitorKey};

/// A message of which is known what site it is for.
#[derive(Clone)]
pub struct Opened {
    pub site: Name,
    /// Unix milliseconds.
    pub sent_ms: u64,
    /// `None`: of another service. Else whether Redis may have it already.
    pub tried: Option<bool>,
    object: Map<String, Value>,
}

/// What a message holds for a site.
pub struct Contents {
    pub batch: Batch,
    /// What can never be valid, as a message of its own, and why.
    pub refused: Option<(Refusal, Opened)>,
}

impl Opened {
    /// A message, with the id and the instant (Unix milliseconds) that the queue gave it. It takes them where it has none of its own.
    ///
    /// # Errors
    /// Why it is none.
    pub fn read(body: &str, id: &str, sent_ms: u64) -> Result<Self, Refusal> {
        let invalid = |detail: String| Refusal::new(EventCode::InvalidJson, detail);
        let json: Value = serde_json::from_slice(body.as_bytes()).map_err(|error| invalid(format!("the message is not JSON: {error}")))?;
        let Value::Object(mut object) = json else { return Err(invalid("the message is not an object".into())) };
        let named = object.get("site").and_then(Value::as_str).and_then(Name::new);
        let site = named.ok_or_else(|| Refusal::of_field(EventCode::InvalidJson, "site", object.get("site"), Name::ALLOWED))?;
        let sent_ms = object.get("sent").and_then(Value::as_u64).unwrap_or(sent_ms);
        object.insert("sent".into(), sent_ms.into());
        if !id.is_empty() && object.get("id").is_none_or(Value::is_null) {
            object.insert("id".into(), id.into());
        }
        Ok(Self { site, sent_ms, tried: object.get("tried").and_then(Value::as_bool), object })
    }

    /// As a message.
    pub fn text(&self) -> String {
        Value::Object(self.object.clone()).to_string()
    }

    /// The same to be kept: visitors are keyed, so that no address is. One that cannot be is left out.
    pub fn keyed(mut self, key: Option<&VisitorKey>) -> Self {
        let site = self.site.clone();
        for event in self.events_mut() {
            if let Some(Value::Object(visitor)) = event.get("visitor") {
                let text = |name: &str| visitor.get(name).and_then(Value::as_str);
                let keyed = key.and_then(|key| key.fingerprint(&site, text("address")?, text("agent").unwrap_or_default()));
                match keyed {
                    Some(keyed) => event.insert("visitor".into(), keyed.as_str().into()),
                    None => event.remove("visitor"),
                };
            }
        }
        self
    }

    /// What it holds, as it is to be counted at `now_ms`.
    ///
    /// # Errors
    /// Why nothing in it can ever be valid.
    pub fn contents(&self, site: &Site, key: Option<&VisitorKey>, now_ms: u64) -> Result<Contents, Refusal> {
        let mut contents = match self.tried {
            Some(_) => self.own()?,
            None => self.of_service(site, key)?,
        };
        let age_ms = now_ms.saturating_sub(self.sent_ms);
        for event in &mut contents.batch.events {
            event.when = match event.when {
                When::Now => When::Ago(age_ms),
                When::Ago(ms) => When::Ago(ms.saturating_add(age_ms)),
                at @ When::At(_) => at,
            };
        }
        Ok(contents)
    }

    /// A batch that the worker checked before it kept it.
    fn own(&self) -> Result<Contents, Refusal> {
        let read = message::read(&self.text());
        let (_, mut batch) = read.ok_or_else(|| Refusal::new(EventCode::InvalidJson, "the message is not one of this version"))?;
        batch.sender = batch.sender.queued();
        Ok(Contents { batch, refused: None })
    }

    fn of_service(&self, site: &Site, key: Option<&VisitorKey>) -> Result<Contents, Refusal> {
        let mut body = self.clone_without_frame();
        let keyed = take_keyed(&mut body);
        let (mut batch, refusals) = ParsedBatch::of(site, Source::Server(key), body)?.unordered(site).valid();
        batch.sender = SenderClass::QueuedServer;
        // By its place in the message: that in a batch may be another one, which the event's id names.
        let places = (0..refusals.len()).filter(|place| refusals[*place].is_none());
        for (event, place) in batch.events.iter_mut().zip(places).filter(|(event, _)| event.actor.is_none()) {
            event.visitor = keyed.get(place).cloned().flatten().or(event.visitor.take());
        }
        Ok(Contents { batch, refused: self.refused(&refusals) })
    }

    fn clone_without_frame(&self) -> Map<String, Value> {
        let fields = self.object.iter().filter(|(name, _)| !["site", "sent"].contains(&name.as_str()));
        fields.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// A message of the events that were refused. Each is named by its batch and its place there, so that it counts once though the
    /// sender sends all of the batch again.
    fn refused(&self, refusals: &[Option<Refusal>]) -> Option<(Refusal, Self)> {
        let first = refusals.iter().flatten().next()?.clone();
        let Some(events) = self.object.get("events").and_then(Value::as_array) else {
            return Some((first, Self { site: self.site.clone(), object: self.object.clone(), ..*self }));
        };
        let batch = self.object.get("id").and_then(Value::as_str).unwrap_or_default();
        let remaining = events.iter().zip(refusals).enumerate().filter(|(_, (_, refusal))| refusal.is_some());
        let remaining = remaining.map(|(index, (event, _))| {
            let mut event = event.clone();
            if let Value::Object(event) = &mut event
                && event.get("id").is_none_or(Value::is_null)
                && batch.len() <= MAX_BATCH_ID
            {
                event.insert("id".into(), format!("{batch}/{index}").into());
            }
            event
        });
        let mut object = Map::new();
        object.insert("site".into(), self.site.as_str().into());
        object.insert("sent".into(), self.sent_ms.into());
        object.insert("events".into(), remaining.collect());
        Some((first, Self { site: self.site.clone(), object, ..*self }))
    }

    /// The events, where they are objects. A bare one is the message itself.
    fn events_mut(&mut self) -> Vec<&mut Map<String, Value>> {
        if self.object.get("events").is_none_or(|events| !events.is_array()) {
            return vec![&mut self.object];
        }
        let events = self.object.get_mut("events").and_then(Value::as_array_mut);
        events.into_iter().flatten().filter_map(Value::as_object_mut).collect()
    }
}

/// The id of a batch to which a place can be added: an id has 64 characters at most.
const MAX_BATCH_ID: usize = 61;

/// Takes visitors out that were keyed before, by the place of their event.
fn take_keyed(body: &mut Map<String, Value>) -> Vec<Option<Fingerprint>> {
    let take = |event: &mut Map<String, Value>| {
        let keyed = event.get("visitor").and_then(Value::as_str).and_then(Fingerprint::kept)?;
        event.remove("visitor");
        Some(keyed)
    };
    match body.get_mut("events") {
        Some(Value::Array(events)) => events.iter_mut().map(|event| event.as_object_mut().and_then(take)).collect(),
        _ => vec![take(body)],
    }
}

/// Whether a message is of a site's actor. What cannot be read is, when it has the actor's id anywhere, as a text.
pub fn names_actor(message: &str, site: &Name, actor: &Id) -> bool {
    match Opened::read(message, "", 0) {
        Ok(mut opened) => opened.site == *site && opened.events_mut().into_iter().any(|event| is_of(event, actor)),
        Err(_) => message.contains(&Value::from(actor.as_str()).to_string()),
    }
}

/// What is left of a message without the events of an actor; `None`: nothing. Nothing of it was counted, so its events may have other
/// places.
pub fn without_actor(message: &str, actor: &Id) -> Option<String> {
    let mut opened = Opened::read(message, "", 0).ok()?;
    let events = opened.object.get_mut("events")?.as_array_mut()?;
    events.retain(|event| event.as_object().is_none_or(|event| !is_of(event, actor)));
    if events.is_empty() {
        return None;
    }
    Some(opened.text())
}

/// A message whose events have places in an order: those that can be undone and lack a `seq` get the next one each.
pub fn with_seq(message: &str, site: &Site, next: &mut u64) -> Option<String> {
    let mut opened = Opened::read(message, "", 0).ok()?;
    let needs_one = |event: &Map<String, Value>| {
        let text = |name: &str| event.get(name).and_then(Value::as_str);
        let is_reversible = text("action").and_then(Name::new).is_some_and(|action| site.is_reversible(&action));
        is_reversible && text("actor").is_some() && event.get("seq").is_none_or(Value::is_null)
    };
    for event in opened.events_mut().into_iter().filter(|event| needs_one(event)) {
        event.insert("seq".into(), (*next).into());
        *next += 1;
    }
    Some(opened.text())
}

fn is_of(event: &Map<String, Value>, actor: &Id) -> bool {
    event.get("actor").and_then(Value::as_str) == Some(actor.as_str())
}
