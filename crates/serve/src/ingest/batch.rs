//! Batches of events as beacons and servers send them.

use ranking::event::{Batch, Event, SenderClass};
use ranking::name::ReplayId;
use ranking::site::Site;
use ranking::visitor::Fingerprint;
use serde_json::{Map, Value};

use super::actor::{ActorNotice, Source};
use super::event::{self, unknown_fields};
use super::{EventCode, Refusal};

/// The largest body, in bytes: what browsers can send as a beacon at once.
pub const MAX_BODY: usize = 64 * 1024;
/// Events in a batch of a server, at most.
pub const MAX_EVENTS: usize = 100;

const FIELDS: [&str; 2] = ["id", "events"];

/// A batch whose events were checked one by one.
pub struct ParsedBatch {
    sender: SenderClass,
    id: Option<ReplayId>,
    visitor: Option<Fingerprint>,
    events: Vec<Result<Event, Refusal>>,
    /// Whether it is one event without a list around it.
    pub is_bare: bool,
    /// Why events count without the actor that a browser named.
    pub notice: Option<ActorNotice>,
}

impl ParsedBatch {
    /// Reads a body: `{ "id": …, "events": [ … ] }`, or one bare event. Beside either a browser may show the token of an actor.
    ///
    /// # Errors
    /// When the body is no batch, or a server's without events. What is wrong with single events is reported by the methods below.
    pub fn read(site: &Site, source: Source, body: &[u8]) -> Result<Self, Refusal> {
        if body.len() > MAX_BODY {
            return Err(Refusal::new(EventCode::BodyTooLarge, format!("a body has at most {MAX_BODY} bytes")));
        }
        let invalid = |detail: String| Refusal::new(EventCode::InvalidJson, detail);
        let json: Value = serde_json::from_slice(body).map_err(|error| invalid(format!("the body is not JSON: {error}")))?;
        let Value::Object(object) = json else { return Err(invalid("the body is not an object".into())) };
        let parsed = Self::of(site, source, object)?;
        if parsed.events.is_empty() && !parsed.sender.is_browser() {
            return Err(invalid(format!("events is empty; allowed: 1 to {MAX_EVENTS} events")));
        }
        Ok(parsed)
    }

    /// The same of a body that was parsed before.
    ///
    /// # Errors
    /// Those of [`Self::read`].
    pub(super) fn of(site: &Site, source: Source, mut object: Map<String, Value>) -> Result<Self, Refusal> {
        let (sender, fault) = source.sender(site, &mut object)?;
        let Some(events) = object.get("events") else {
            let event = event::read_object(site, &sender, &object, &event::FIELDS);
            let notice = fault.or_else(|| ignored(&object, &event));
            return Ok(Self { sender: sender.class(), id: None, visitor: sender.visitor(), events: vec![event], is_bare: true, notice });
        };
        let Value::Array(events) = events else { return Err(Refusal::new(EventCode::InvalidJson, "events is not a list")) };
        let (what, max) = if sender.class().is_browser() {
            ("beacon", usize::try_from(site.max_beacon_events).unwrap_or(MAX_EVENTS))
        } else {
            ("batch", MAX_EVENTS)
        };
        if events.len() > max {
            let detail = format!("a {what} has at most {max} events, this one {}", events.len());
            return Err(Refusal::new(EventCode::TooManyEvents, detail));
        }
        unknown_fields("a batch", &object, &FIELDS)?;
        let read = |(index, event)| Ok(Event { index, ..event::read(site, &sender, event)? });
        let read: Vec<Result<Event, Refusal>> = events.iter().enumerate().map(read).collect();
        let notice = fault.or_else(|| events.iter().zip(&read).find_map(|(message, event)| ignored(message.as_object()?, event)));
        let id = read_id(&object)?;
        Ok(Self { sender: sender.class(), id, visitor: sender.visitor(), events: read, is_bare: false, notice })
    }

    /// The batch as a way takes it that keeps no order: without what can be undone and does not say its place in an order.
    pub fn unordered(mut self, site: &Site) -> Self {
        for event in &mut self.events {
            if event.as_ref().is_ok_and(|event| needs_order(site, event)) {
                *event = Err(seq_missing());
            }
        }
        self
    }

    /// The batch of the valid events, and for each event of the request its refusal, if it has one. Without those that are refused it is a
    /// part of what was sent, so its events are known by their places: a refused one may be sent again in its own, mended.
    pub fn valid(self) -> (Batch, Vec<Option<Refusal>>) {
        let mut events = Vec::new();
        let mut keep = |event| match event {
            Ok(event) => {
                events.push(event);
                None
            }
            Err(refusal) => Some(refusal),
        };
        let refusals: Vec<Option<Refusal>> = self.events.into_iter().map(&mut keep).collect();
        let mut batch = Batch { visitor: self.visitor, ..Batch::new(self.sender, self.id, events) };
        batch.is_whole &= batch.id.is_none() || refusals.iter().all(Option::is_none);
        (batch, refusals)
    }
}

/// Whether it matters in which order an event comes to those of the same actor: it can be undone, or is an undo, and does not say its
/// place in their order.
pub fn needs_order(site: &Site, event: &Event) -> bool {
    event.seq.is_none() && event.actor.is_some() && site.is_reversible(&event.action)
}

/// Why a queue does not take what can be undone.
pub fn seq_missing() -> Refusal {
    Refusal::new(EventCode::SeqMissing, "a queue keeps no order, and the action can be undone: it needs a seq")
}

/// Whether an event counts without the actor that it names.
fn ignored(message: &Map<String, Value>, event: &Result<Event, Refusal>) -> Option<ActorNotice> {
    let names = message.get("actor").is_some_and(|actor| !actor.is_null());
    let has_none = event.as_ref().is_ok_and(|event| event.actor.is_none());
    (names && has_none).then_some(ActorNotice::Ignored)
}

/// The replay id of a batch or an event.
pub(super) fn read_id(object: &Map<String, Value>) -> Result<Option<ReplayId>, Refusal> {
    match object.get("id") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_str().and_then(ReplayId::new).map(Some).ok_or_else(|| event::wrong(object, "id", ReplayId::ALLOWED)),
    }
}
