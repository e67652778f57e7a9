//! What an event does on each target, and the text by which its home keeps it.

use std::fmt::Write;

use ranking::counting::TargetBatch;
use ranking::score::Score;
use ranking::site::Site;
use ranking::visitor::Fingerprint;

use crate::store::record::{Keeps, tracked_event};
use crate::store::scripts::TrackedEventFields;

/// What an event does on a target.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// The target's label.
    pub label: String,
    pub is_browser: bool,
    pub visitor: Option<Fingerprint>,
    /// As its target gets it, without its instant, its order and an id.
    pub event: TrackedEventFields,
}

impl Piece {
    /// Ids and names have no control characters but these.
    pub const FIELD: char = '\u{1f}';
    pub const END: char = '\u{1e}';
    /// Before where the action of an undo counted.
    pub const PLACES: char = '\u{1d}';

    pub fn of(batch: &TargetBatch, place: usize, site: &Site) -> Self {
        let event = tracked_event(batch, &batch.events[place], Keeps::of(site, batch.target));
        let mut until = 0;
        let sender = batch.senders.iter().find(|(count, _)| {
            until += count;
            place < until
        });
        Self {
            label: batch.target.label().into(),
            is_browser: batch.sender.is_browser(),
            visitor: sender.and_then(|(_, visitor)| visitor.cloned()),
            event: TrackedEventFields { when: String::new(), id: String::new(), ..event },
        }
    }

    /// As a home keeps it: the last field is `action:verb:once:what:who`, the seq behind the verb, and the item on a line of its own.
    pub fn write(&self, text: &mut String) {
        let class = if self.is_browser { "b" } else { "s" };
        let visitor = self.visitor.as_ref().map_or("", Fingerprint::as_str);
        let TrackedEventFields { member, delta, action, verb, seq, who, .. } = &self.event;
        let tracked = format!("{action}:{verb}{seq}:{}:{who}{}", self.known_by(), self.item_line());
        let fields = [&self.label, class, visitor, member, &delta.to_string(), &tracked];
        let _ = write!(text, "{}{}", fields.join(&Self::FIELD.to_string()), Self::END);
    }

    pub fn read(text: &str) -> Option<Self> {
        let fields: [&str; 6] = text.splitn(6, Self::FIELD).collect::<Vec<_>>().try_into().ok()?;
        let [label, class, visitor, member, delta, tracked] = fields;
        let (tracked, item) = tracked.split_once('\n').unwrap_or((tracked, ""));
        let [action, verb, once, what, who]: [&str; 5] = tracked.splitn(5, ':').collect::<Vec<_>>().try_into().ok()?;
        let (verb, seq) = verb.split_at_checked(1)?;
        Some(Self {
            label: label.into(),
            is_browser: class == "b",
            visitor: Fingerprint::kept(visitor),
            event: TrackedEventFields {
                member: member.into(),
                delta: Score::parse(delta)?,
                when: String::new(),
                id: String::new(),
                action: action.into(),
                verb: verb.into(),
                seq: seq.into(),
                order: String::new(),
                once: once.into(),
                what: what.into(),
                who: who.into(),
                item: item.into(),
            },
        })
    }

    pub fn undoes(&self) -> bool {
        self.event.verb == "u"
    }

    /// In which period it counts once, and what its target knows it by.
    fn known_by(&self) -> String {
        format!("{}:{}", self.event.once, self.event.what)
    }

    fn item_line(&self) -> String {
        if self.event.item.is_empty() { String::new() } else { format!("\n{}", self.event.item) }
    }

    /// Whether another one is about the same record of the same target.
    pub fn is_at(&self, other: &Self) -> bool {
        self.label == other.label && self.event.member == other.event.member && self.event.what == other.event.what
    }

    /// Where pieces of an event count, as its home remembers it: of each its target, its member, and what it is known by there. What is as before it is left
    /// out.
    pub fn write_places(pieces: &[Self]) -> String {
        let (mut text, mut member, mut known_by) = (String::new(), "", String::new());
        for piece in pieces {
            let own = format!("{}{}", piece.known_by(), piece.item_line());
            let or_same = |of: &str, before: &str| if of == before { String::new() } else { of.to_owned() };
            let fields = [piece.label.clone(), or_same(&piece.event.member, member), or_same(&own, &known_by)];
            let _ = write!(text, "{}{}", fields.join(&Self::FIELD.to_string()), Self::END);
            (member, known_by) = (&piece.event.member, own);
        }
        text
    }

    /// What an undo is where its action counted, besides its own pieces.
    pub fn elsewhere(own: &[Self], places: &str) -> Vec<Self> {
        let Some(first) = own.first() else { return Vec::new() };
        let (mut member, mut known_by) = ("", "");
        let mut elsewhere: Vec<Self> = Vec::new();
        for place in places.split_terminator(Self::END) {
            let mut fields = place.splitn(3, Self::FIELD);
            let (Some(label), Some(of), Some(by)) = (fields.next(), fields.next(), fields.next()) else { continue };
            (member, known_by) = (if of.is_empty() { member } else { of }, if by.is_empty() { known_by } else { by });
            let (once_and_what, item) = known_by.split_once('\n').unwrap_or((known_by, ""));
            let Some((once, what)) = once_and_what.split_once(':') else { continue };
            let event = TrackedEventFields {
                member: member.into(),
                once: once.into(),
                what: what.into(),
                item: item.into(),
                ..first.event.clone()
            };
            let piece = Self { label: label.into(), event, ..first.clone() };
            if !own.iter().any(|one| one.is_at(&piece)) {
                elsewhere.push(piece);
            }
        }
        elsewhere
    }

    /// The event of an order at an instant.
    pub fn at(&self, order: u64, at: &str) -> TrackedEventFields {
        TrackedEventFields { when: format!("@{at}"), order: order.to_string(), ..self.event.clone() }
    }
}
