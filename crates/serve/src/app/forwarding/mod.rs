//! Handing counted events on, after the answer: to another queue, or to a webhook.
//!
//! What is handed on is documented for other services (docs/ingest/forwarding.md) and says what became of each event. So it is a form of
//! its own, beside that of the worker's own messages, which may change with each version.
//!
//! Tries and signatures are JavaScript (`src/edge/forward.js`). Events that were counted before are handed on as well, since
//! the request that counted them may have failed in between.

pub mod backlog;

use ranking::counting::Outcome;
use ranking::event::{Batch, When};
use ranking::page::{Page, rfc3339};
use ranking::score::Score;
use ranking::site::Board;
use ranking::site::{Forward, Site};
use ranking::window::Window;
use serde::Serialize;
use serde_json::{Value, json};

use super::agenda::Agenda;
use super::counters::Counters;
use super::later::Later;
use super::ports::{Clock, Log, Random, Runtime};
use super::redis::Redis;
use crate::config::Config;

#[derive(Serialize)]
struct Message<'m> {
    site: &'m str,
    events: Vec<Forwarded<'m>>,
}

#[derive(Serialize)]
struct Forwarded<'m> {
    id: String,
    action: &'m str,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<&'m str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actor: Option<&'m str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    undo: bool,
    /// How often it happened, where that is more than once.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    boards: Vec<&'m str>,
    /// Unix milliseconds.
    at: u64,
}

/// Handing counted events on to receivers.
pub struct Forwarding<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) agenda: &'a Agenda,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) counters: &'a Counters,
    pub(in crate::app) later: Later<'a, R>,
    pub(in crate::app) log: &'a dyn Log,
    pub(in crate::app) random: &'a dyn Random,
    pub(in crate::app) receivers: &'a R,
}

impl<R: Runtime> Forwarding<'_, R> {
    /// Hands the events of a batch on that were counted, in the background: no sender waits for it, or hears of its failure. Those that
    /// were counted before are among them, since whoever counted them may have failed before it handed them on.
    pub fn forward(&self, site: &Site, batch: &Batch, outcomes: &[Outcome]) {
        let Some(forward) = &site.forward else { return };
        let Some(message) = self.forwarded(site, forward, batch, outcomes) else { return };
        let (app, name) = (self.later.app(), site.name.clone());
        self.later.in_background(async move {
            let forwarding = app.forwarding();
            if let Some(site) = forwarding.config.sites.get(name.as_str()) {
                forwarding.hand_over(site, message).await;
            }
        });
    }

    /// Hands a period that is over on, with its winners, where the site asks for that. `revision` says how often it was frozen.
    ///
    /// # Errors
    /// For the log: what happened the last time. The receiver may have it.
    pub async fn forward_period(&self, site: &Site, board: &Board, window: &Window, page: &Page, revision: u32) -> Result<(), String> {
        let Some(forward) = site.forward.as_ref().filter(|forward| forward.periods) else { return Ok(()) };
        let info = &page.info;
        let second = |at: Option<i64>| at.and_then(|at| rfc3339(at * 1_000, false));
        let message = json!({ "site": site.name.as_str(), "period": {
            "board": board.name.as_str(),
            "window": window.name.as_str(),
            "id": info.period.id(info.named_at, site.week_starts_on),
            "starts_at": second(info.starts_at),
            "ends_at": second(info.ends_at),
            "revision": revision,
            "total": page.total,
            "entries": page.entries.iter().map(|entry| json!({ "rank": entry.rank, "id": entry.id, "score": entry.score })).collect::<Vec<_>>(),
        } });
        self.receivers.forward(&forward.to, &message.to_string(), true).await.map_err(|error| error.detail)
    }

    /// `None`: nothing is to be handed on. Visitors are left out.
    fn forwarded(&self, site: &Site, forward: &Forward, batch: &Batch, outcomes: &[Outcome]) -> Option<String> {
        let (now_ms, made_up) = (self.clock.clock_ms(), if batch.id.is_none() { self.random.token() } else { String::new() });
        let of_batch = batch.id.as_ref().map_or(made_up.as_str(), |id| id.as_str());
        let is_wanted = |action| forward.actions.as_ref().is_none_or(|actions| actions.contains(action));
        let counted = batch.events.iter().zip(outcomes).filter(|(event, outcome)| {
            matches!(outcome, Outcome::Counted | Outcome::Settled | Outcome::Duplicate) && is_wanted(&event.action)
        });
        let events: Vec<Forwarded> = counted
            .map(|(event, _)| Forwarded {
                id: event.id.as_ref().map_or_else(|| format!("{of_batch}/{}", event.index), |id| id.as_str().into()),
                action: event.action.as_str(),
                item: event.item.as_ref().map(|item| item.as_str()),
                actor: event.actor.as_ref().map(|actor| actor.as_str()),
                undo: event.undo,
                count: (event.count > 1).then_some(event.count),
                value: event.value,
                meta: event.meta.as_deref().and_then(|meta| serde_json::from_str(meta).ok()),
                seq: event.seq,
                boards: event.boards.iter().map(|board| board.as_str()).collect(),
                at: match event.when {
                    When::Now => now_ms,
                    When::Ago(ms) => now_ms.saturating_sub(ms),
                    When::At(unix_ms) => unix_ms,
                },
            })
            .collect();
        if events.is_empty() {
            return None;
        }
        serde_json::to_string(&Message { site: site.name.as_str(), events }).ok()
    }
}
