//! Counting in groups: the objects' side. While a group is on its way to Redis requests gather, and when it returns all of them leave
//! together. So light traffic waits for nothing, and heavy traffic batches itself. Where Redis is far others leave while the first is on
//! its way, at even distances: else each request would wait for another one's trip. Reversible actions leave alone.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use futures_channel::oneshot;

use super::count::Counted;
use super::grouped::{NOTHING_WRITTEN, UNKNOWN};
use super::{App, Failure, Runtime};
use crate::ingest::{Split, message};
use crate::ranking::event::Batch;
use crate::ranking::site::Site;
use crate::ranking::zone::Years;

/// What a call of a script takes at most: more than 500 events keep Redis from others for longer than a millisecond or two.
pub(super) const MAX_GROUP_EVENTS: usize = 500;
/// As messages, which are longer than the calls made of them.
const MAX_GROUP_BYTES: usize = 256 * 1024;
/// What waits at most: 20 groups of the most events. An object has 128 MB.
const MAX_WAITING_EVENTS: usize = 20 * MAX_GROUP_EVENTS;
const MAX_WAITING_BYTES: usize = 20 * MAX_GROUP_BYTES;
/// A Redis that takes so long to answer is far. Of a near one the next group leaves soon enough, and a timer costs more than it gains.
const FAR_MS: u64 = 10;
/// How many groups are on their way to a far one. A request waits for half of the distance between two: with three for a sixth of a trip,
/// with one for half of it. More would be smaller groups, thus more commands, for less than a twentieth of a trip.
const MAX_AWAY: usize = 3;
/// Who waited so long is sent away rather than sent on.
const MAX_WAIT_MS: u64 = 10_000;

/// The requests that wait in an object, all of one site.
#[derive(Default)]
pub struct Gather {
    waiting: RefCell<VecDeque<Waiting>>,
    events: Cell<usize>,
    bytes: Cell<usize>,
    /// How many groups are on their way.
    away: Cell<usize>,
    /// When the last one left, and how long the last one that returned was away, in milliseconds of the edge's clock.
    left_ms: Cell<u64>,
    took_ms: Cell<u64>,
    /// Whether the one on its way holds reversible actions: nothing may overtake it.
    in_order: Cell<bool>,
    /// Whether a timer runs until another one may leave.
    is_timed: Cell<bool>,
}

struct Waiting {
    batch: Batch,
    /// The years of the zone that counting it takes.
    years: Years,
    /// Whether any event can be undone, or undoes.
    is_reversible: bool,
    bytes: usize,
    since_ms: u64,
    answer: oneshot::Sender<Counted>,
}

impl<R: Runtime> App<R> {
    /// Counts the batch of a message with those that wait. Answers a code per event when it is in Redis, or what kept it from
    /// that, see [`super::grouped`].
    pub async fn gather(&self, gather: &Rc<Gather>, message: &str) -> String {
        match self.count_gathered(gather, message).await {
            Ok(outcomes) => outcomes.into_iter().map(|outcome| outcome.code()).collect(),
            Err(Failure { nothing_written, detail, .. }) => format!("{}{detail}", if nothing_written { NOTHING_WRITTEN } else { UNKNOWN }),
        }
    }

    /// 1. Refuse what cannot be read, or finds too much waiting.
    /// 2. Wait with the others; begin to send groups unless enough are on their way.
    async fn count_gathered(&self, gather: &Rc<Gather>, message: &str) -> Counted {
        let refuse = |detail: &str| Failure { nothing_written: true, is_transient: true, detail: detail.into() };
        let (name, batch) = message::read(message).ok_or_else(|| refuse("a message cannot be read"))?;
        let site = self.config.sites.get(name.as_str()).ok_or_else(|| refuse("a message is of an unknown site"))?;
        let years = self.store().map_err(|error| Failure::of_write(&error))?.years_of(site, &Split::new(site, &batch).batches);
        let (answer, answered) = oneshot::channel();
        let is_reversible =
            batch.events.iter().any(|event| site.actions.get(event.action.as_str()).is_some_and(|action| action.reversible));
        let waiting = Waiting { batch, years, is_reversible, bytes: message.len(), since_ms: self.runtime.clock_ms(), answer };
        if !gather.push(waiting) {
            return Err(refuse("too many events wait for Redis"));
        }
        self.send_waiting(gather, site);
        let lost = |_| Err(Failure { nothing_written: false, is_transient: true, detail: "a group was given up".into() });
        answered.await.unwrap_or_else(lost)
    }

    /// Sends a group of those that wait: at once, or when it is due.
    fn send_waiting(&self, gather: &Rc<Gather>, site: &Rc<Site>) {
        if gather.waiting.borrow().is_empty() {
            return;
        }
        let (app, gather, site) = (self.clone(), Rc::clone(gather), Rc::clone(site));
        match gather.due_in_ms(self.runtime.clock_ms(), site.linger_ms) {
            Some(0) => {
                gather.away.set(gather.away.get() + 1);
                self.runtime.in_background(async move { app.send_group(&gather, &site).await });
            }
            Some(wait_ms) if !gather.is_timed.replace(true) => self.runtime.in_background(async move {
                app.runtime.sleep_ms(wait_ms).await;
                gather.is_timed.set(false);
                app.send_waiting(&gather, &site);
            }),
            _ => {}
        }
    }

    /// Sends a group, and when it is back those that came meanwhile.
    async fn send_group(&self, gather: &Rc<Gather>, site: &Rc<Site>) {
        if site.linger_ms > 0 {
            self.runtime.sleep_ms(site.linger_ms).await;
        }
        let left_ms = self.runtime.clock_ms();
        let group = gather.take(left_ms);
        let is_sent = !group.is_empty();
        if is_sent {
            gather.left_ms.set(left_ms);
            gather.in_order.set(group.iter().any(|waiting| waiting.is_reversible));
            let batches: Vec<&Batch> = group.iter().map(|waiting| &waiting.batch).collect();
            let counted = self.count_apart(site, &batches).await;
            gather.in_order.set(false);
            gather.took_ms.set(self.runtime.clock_ms().saturating_sub(left_ms));
            for (waiting, counted) in group.into_iter().zip(counted) {
                // Who went away needs no answer.
                drop(waiting.answer.send(counted));
            }
        }
        gather.away.set(gather.away.get() - 1);
        // Where it may not leave beside others, these send what waits.
        if is_sent {
            self.send_waiting(gather, site);
        }
    }

    /// Counts batches together, and where one of them was refused each by itself, so that it harms nobody else. All have ids.
    pub(super) async fn count_apart(&self, site: &Site, batches: &[&Batch]) -> Vec<Counted> {
        let mut counted = self.count_merged(site, batches, None).await;
        for (batch, counted) in batches.iter().zip(&mut counted) {
            let refused = counted.as_ref().err().filter(|failure| batches.len() > 1 && !failure.is_transient);
            if let Some(nothing_written) = refused.map(|failure| failure.nothing_written) {
                *counted = self.count_alone(site, batch).await.map_err(|failure| failure.after(nothing_written));
            }
        }
        counted
    }
}

impl Gather {
    /// `false` when too much waits.
    fn push(&self, waiting: Waiting) -> bool {
        let (events, bytes) = (self.events.get() + waiting.batch.events.len(), self.bytes.get() + waiting.bytes);
        if events > MAX_WAITING_EVENTS || bytes > MAX_WAITING_BYTES {
            return false;
        }
        self.events.set(events);
        self.bytes.set(bytes);
        self.waiting.borrow_mut().push_back(waiting);
        true
    }

    /// In how many milliseconds another group may leave beside those on their way; `None` until one of them returns. Who lingers wants few
    /// groups.
    fn due_in_ms(&self, now_ms: u64, linger_ms: u32) -> Option<u32> {
        let took_ms = self.took_ms.get();
        match self.away.get() {
            0 => Some(0),
            1..MAX_AWAY if took_ms >= FAR_MS && linger_ms == 0 && !self.in_order.get() => {
                let apart_ms = took_ms / MAX_AWAY as u64;
                let due_ms = (self.left_ms.get() + apart_ms).saturating_sub(now_ms);
                Some(u32::try_from(due_ms.min(apart_ms)).unwrap_or(0))
            }
            _ => None,
        }
    }

    /// The next group, in the order of arrival: events that need the same years of the zone. Who waited too long is answered so. Empty
    /// when nobody waits, or whoever does may not leave beside a group that is on its way.
    fn take(&self, now_ms: u64) -> Vec<Waiting> {
        let (mut group, mut events, mut bytes): (Vec<Waiting>, usize, usize) = (Vec::new(), 0, 0);
        let mut waiting = self.waiting.borrow_mut();
        let is_beside = self.away.get() > 1;
        while let Some(first) = waiting.front() {
            let (all_events, all_bytes) = (events + first.batch.events.len(), bytes + first.bytes);
            if is_beside && first.is_reversible {
                break;
            }
            let is_late = now_ms.saturating_sub(first.since_ms) > MAX_WAIT_MS;
            let fits =
                group.last().is_none_or(|last| last.years == first.years) && all_events <= MAX_GROUP_EVENTS && all_bytes <= MAX_GROUP_BYTES;
            if !is_late && !fits && !group.is_empty() {
                break;
            }
            let Some(first) = waiting.pop_front() else { break };
            self.events.set(self.events.get() - first.batch.events.len());
            self.bytes.set(self.bytes.get() - first.bytes);
            if is_late {
                let detail = format!("events waited for Redis for more than {MAX_WAIT_MS} ms");
                drop(first.answer.send(Err(Failure { nothing_written: true, is_transient: true, detail })));
            } else {
                (events, bytes) = (all_events, all_bytes);
                group.push(first);
            }
        }
        group
    }
}
