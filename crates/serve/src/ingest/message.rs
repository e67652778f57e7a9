//! Checked batches as text, between the places that handle them: from a worker to the object that gathers, and to the queue, see [`super::queued`].
//!
//! The writer of a message has checked its events, so a reader checks only the type of each value.

use std::borrow::Cow;

use ranking::event::{Batch, When};
use ranking::score::Score;
use ranking::site::Site;
use ranking::visitor::Fingerprint;
use serde::{Deserialize, Serialize};

/// As JSON; what is absent stays out.
#[derive(Deserialize, Serialize)]
struct Message<'m> {
    /// Of one in the queue, see [`Kept`]; the object that gathers knows neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    sent: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tried: Option<bool>,
    #[serde(borrow)]
    site: Cow<'m, str>,
    server: bool,
    #[serde(borrow)]
    id: Option<Cow<'m, str>>,
    whole: bool,
    /// The fingerprint of the browser that sent it, and acted where no actor did; its wider networks stand beside it, see
    /// [`Fingerprint::in_two`].
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    visitor: Option<Cow<'m, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    networks: Option<Cow<'m, str>>,
    #[serde(borrow)]
    events: Vec<EventMessage<'m>>,
}

#[derive(Deserialize, Serialize)]
struct EventMessage<'m> {
    #[serde(borrow)]
    action: Cow<'m, str>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    item: Option<Cow<'m, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    actor: Option<Cow<'m, str>>,
    /// A fingerprint, of a server's event, and likewise its networks.
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    visitor: Option<Cow<'m, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    networks: Option<Cow<'m, str>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    undo: bool,
    /// How often it happened, where that is more than once.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Score>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    meta: Option<Cow<'m, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ago: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<u64>,
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
    boards: Vec<Cow<'m, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    id: Option<Cow<'m, str>>,
    /// Its place in the batch as it was sent.
    index: usize,
}

/// The site of a message, as it names it.
pub fn site_of(message: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Addressed {
        site: String,
    }
    serde_json::from_slice::<Addressed>(message.as_bytes()).ok().map(|addressed| addressed.site)
}

/// What a message says that the queue keeps.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// The instant that its events' `ago` counts from, in Unix milliseconds.
    pub sent_ms: u64,
    /// Whether Redis may have it already.
    pub is_tried: bool,
}

/// A batch of a site as a message.
pub fn write(site: &Site, batch: &Batch, kept: Option<Kept>) -> String {
    let events = batch.events.iter().map(|event| {
        let (visitor, networks) = in_two(event.visitor.as_ref().filter(|_| batch.visitor.is_none()));
        EventMessage {
            action: event.action.as_str().into(),
            item: event.item.as_ref().map(|item| item.as_str().into()),
            actor: event.actor.as_ref().map(|actor| actor.as_str().into()),
            visitor,
            networks,
            undo: event.undo,
            count: (event.count > 1).then_some(event.count),
            value: event.value,
            meta: event.meta.as_deref().map(Into::into),
            seq: event.seq,
            ago: if let When::Ago(ms) = event.when { Some(ms) } else { None },
            at: if let When::At(unix_ms) = event.when { Some(unix_ms) } else { None },
            boards: event.boards.iter().map(|board| board.as_str().into()).collect(),
            id: event.id.as_ref().map(|id| id.as_str().into()),
            index: event.index,
        }
    });
    let (visitor, networks) = in_two(batch.visitor.as_ref());
    let message = Message {
        sent: kept.map(|kept| kept.sent_ms),
        tried: kept.map(|kept| kept.is_tried),
        site: site.name.as_str().into(),
        server: !batch.sender.is_browser(),
        id: batch.id.as_ref().map(|id| id.as_str().into()),
        whole: batch.is_whole,
        visitor,
        networks,
        events: events.collect(),
    };
    serde_json::to_string(&message).unwrap_or_default()
}

fn in_two(visitor: Option<&Fingerprint>) -> (Option<Cow<'_, str>>, Option<Cow<'_, str>>) {
    visitor.map_or((None, None), |visitor| {
        let (first, networks) = visitor.in_two();
        (Some(first.into()), networks.map(Into::into))
    })
}

pub use reading::read;

mod reading {
    use std::borrow::Cow;

    use super::{EventMessage, Message};
    use ranking::event::{Batch, Event, SenderClass, When};
    use ranking::name::{Id, Name, ReplayId};
    use ranking::visitor::Fingerprint;

    /// The site and the batch of a message. `None` when it is none.
    pub fn read(message: &str) -> Option<(Name, Batch)> {
        let message: Message = serde_json::from_str(message).ok()?;
        let visitor = joined(message.visitor, message.networks)?;
        let acting = |event: Event| Event { visitor: event.visitor.or_else(|| visitor.clone().filter(|_| event.actor.is_none())), ..event };
        let batch = Batch {
            sender: if message.server { SenderClass::Server } else { SenderClass::Browser },
            id: kept(message.id, ReplayId::new)?,
            is_whole: message.whole,
            events: message.events.into_iter().map(|message| event(message).map(acting)).collect::<Option<_>>()?,
            visitor: visitor.clone(),
        };
        Some((Name::new(&message.site)?, batch))
    }

    fn event(event: EventMessage) -> Option<Event> {
        Some(Event {
            action: Name::new(&event.action)?,
            item: kept(event.item, Id::new)?,
            actor: kept(event.actor, Id::new)?,
            visitor: joined(event.visitor, event.networks)?,
            undo: event.undo,
            count: event.count.unwrap_or(1),
            value: event.value,
            meta: event.meta.map(|meta| meta.as_ref().into()),
            seq: event.seq,
            when: match (event.ago, event.at) {
                (Some(ms), _) => When::Ago(ms),
                (None, Some(unix_ms)) => When::At(unix_ms),
                (None, None) => When::Now,
            },
            boards: event.boards.iter().map(|board| Name::of_board(board)).collect::<Option<_>>()?,
            id: kept(event.id, ReplayId::new)?,
            index: event.index,
        })
    }

    /// A fingerprint of its two parts, as [`kept`]. Messages of earlier versions, and those of IPv4, have no networks.
    #[expect(clippy::option_option, reason = "as kept")]
    fn joined(visitor: Option<Cow<str>>, networks: Option<Cow<str>>) -> Option<Option<Fingerprint>> {
        let networks = networks.map_or_else(String::new, |networks| format!(".{networks}"));
        kept(visitor.map(|visitor| visitor + networks.as_str()), Fingerprint::kept)
    }

    /// `None` for what is there and cannot be read.
    #[expect(clippy::option_option, reason = "what is absent, and what is wrong")]
    fn kept<T>(text: Option<Cow<str>>, read: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
        text.map_or(Some(None), |text| read(&text).map(Some))
    }
}
