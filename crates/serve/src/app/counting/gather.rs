//! Counting in groups: the objects' side. While a group is on its way to Redis, requests gather; all of them leave when it
//! returns. So light traffic waits for nothing, and heavy traffic batches itself. Where Redis is far, others leave while the first is on
//! its way. Otherwise each request would wait for the trip of another one. They leave when a third of all requests has come, those on
//! their way included, or when half of that has come and no more follow for a sixteenth of a trip.
//!
//! # Decisions
//!
//! - Groups with reversible actions leave alone, so that nothing overtakes them.
//! - Requests share a connection and channels here alone: those of a Durable Object live in one I/O context.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use futures_channel::oneshot;
use ranking::event::Batch;
use ranking::site::Site;
use ranking::zone::Years;

use super::grouped::{NOTHING_WRITTEN, SCRIPT_UNDONE, UNKNOWN};
use super::{Counted, Counting};
use crate::app::failure::{Failure, ScriptFailure};
use crate::app::ports::Runtime;
use crate::ingest::message;

/// What a call of a script takes at most: more than 500 events keep Redis from others for longer than a millisecond or two.
pub const MAX_GROUP_EVENTS: usize = 500;
/// As messages, which are longer than the calls made of them.
const MAX_GROUP_BYTES: usize = 256 * 1024;
/// What waits at most: 20 groups of the most events. An object has 128 MB.
const MAX_WAITING_EVENTS: usize = 20 * MAX_GROUP_EVENTS;
const MAX_WAITING_BYTES: usize = 20 * MAX_GROUP_BYTES;
/// A Redis that takes so long to answer is far. Of a near one the next group leaves soon enough, and a timer costs more than it gains.
const FAR_MS: u64 = 10;
/// How many groups those make that wait or are on their way to a far one. Senders that are answered together come again together: if all that wait
/// left when a group is due, one would take nearly everybody, and the others a request each. More groups are more commands.
const SHARES: usize = 3;
/// How many are on their way at most. Beside the shares there are groups of those who came when nobody else did.
const MAX_AWAY: usize = 2 * SHARES;
/// Nobody comes any more when nobody did for this part of a trip. Then those leave who are at least half a share; fewer would cost as many
/// commands as all of it.
const QUIET_PARTS: u64 = 16;
/// A sender that waited so long is refused rather than sent on.
const MAX_WAIT_MS: u64 = 10_000;

/// The requests that wait in an object, all of one site.
#[derive(Default)]
pub struct Gather {
    waiting: RefCell<VecDeque<Waiting>>,
    events: Cell<usize>,
    bytes: Cell<usize>,
    /// How many of them are reversible.
    reversible: Cell<usize>,
    /// How many came so far.
    arrivals: Cell<u64>,
    /// How many groups are on their way, and how many requests with them.
    away: Cell<usize>,
    requests_away: Cell<usize>,
    /// How long the last one that returned was away, in milliseconds of the edge's clock.
    took_ms: Cell<u64>,
    /// Whether the one on its way holds reversible actions: nothing may overtake it.
    in_order: Cell<bool>,
    /// Whether a timer runs until it is seen whether anybody came.
    is_timed: Cell<bool>,
}

/// When a group leaves.
#[derive(Debug, PartialEq, Eq)]
enum Departure {
    Now,
    /// When nobody came for so long.
    WhenQuiet {
        ms: u32,
    },
    /// When one that is on its way returns, or somebody comes.
    Later,
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

impl<R: Runtime> Counting<'_, R> {
    /// Counts the batch of a message with those that wait. Answers a code per event when it is in Redis, or what kept it from
    /// that, see [`super::grouped`].
    pub async fn gather(&self, gather: &Rc<Gather>, message: &str) -> String {
        match self.count_gathered(gather, message).await {
            Ok(outcomes) => outcomes.into_iter().map(|outcome| outcome.code()).collect(),
            Err(Failure { nothing_written, script, detail, .. }) => {
                let begins = match script {
                    Some(ScriptFailure { is_undone: true, .. }) => SCRIPT_UNDONE,
                    _ if nothing_written => NOTHING_WRITTEN,
                    _ => UNKNOWN,
                };
                format!("{begins}{detail}")
            }
        }
    }

    /// 1. Refuse what cannot be read, or finds too much waiting.
    /// 2. Wait with the others; begin to send groups unless enough are on their way.
    async fn count_gathered(&self, gather: &Rc<Gather>, message: &str) -> Counted {
        let refuse = |detail: &str| Failure { nothing_written: true, is_transient: true, script: None, detail: detail.into() };
        let (name, batch) = message::read(message).ok_or_else(|| refuse("a message cannot be read"))?;
        let site = self.config.sites.get(name.as_str()).ok_or_else(|| refuse("a message is of an unknown site"))?;
        let years = self.redis.store().map_err(|error| Failure::of_write(&error))?.years_of(site, batch.instants());
        let (answer, answered) = oneshot::channel();
        let is_reversible = batch.events.iter().any(|event| site.is_reversible(&event.action));
        let waiting = Waiting { batch, years, is_reversible, bytes: message.len(), since_ms: self.clock.clock_ms(), answer };
        if !gather.push(waiting) {
            return Err(refuse("too many events wait for Redis"));
        }
        self.send_waiting(gather, site, false);
        let lost = |_| Err(Failure { nothing_written: false, is_transient: true, script: None, detail: "a group was given up".into() });
        answered.await.unwrap_or_else(lost)
    }

    /// Sends a group of those that wait: at once, or when nobody comes any more.
    fn send_waiting(&self, gather: &Rc<Gather>, site: &Rc<Site>, is_quiet: bool) {
        let (app, gather, site) = (self.later.app(), Rc::clone(gather), Rc::clone(site));
        match gather.departure(site.linger_ms, is_quiet) {
            Departure::Now => {
                gather.away.set(gather.away.get() + 1);
                self.later.in_background(async move { app.counting().send_group(&gather, &site).await });
            }
            Departure::WhenQuiet { ms } if !gather.is_timed.replace(true) => self.later.in_background(async move {
                let arrivals = gather.arrivals.get();
                let counting = app.counting();
                counting.timer.sleep_ms(ms).await;
                gather.is_timed.set(false);
                counting.send_waiting(&gather, &site, gather.arrivals.get() == arrivals);
            }),
            _ => {}
        }
    }

    /// Sends a group, and those that may leave beside it. When it is back, those that came meanwhile.
    async fn send_group(&self, gather: &Rc<Gather>, site: &Rc<Site>) {
        if site.linger_ms > 0 {
            self.timer.sleep_ms(site.linger_ms).await;
        }
        let remaining_ms = self.clock.clock_ms();
        let group = gather.take(remaining_ms, site.linger_ms);
        let is_sent = !group.is_empty();
        if is_sent {
            gather.requests_away.set(gather.requests_away.get() + group.len());
            gather.in_order.set(group.iter().any(|waiting| waiting.is_reversible));
            self.send_waiting(gather, site, false);
            let batches: Vec<&Batch> = group.iter().map(|waiting| &waiting.batch).collect();
            let counted = self.count_apart(site, &batches).await;
            gather.in_order.set(false);
            gather.took_ms.set(self.clock.clock_ms().saturating_sub(remaining_ms));
            gather.requests_away.set(gather.requests_away.get() - group.len());
            for (waiting, counted) in group.into_iter().zip(counted) {
                // A sender that went away needs no answer.
                drop(waiting.answer.send(counted));
            }
        }
        gather.away.set(gather.away.get() - 1);
        // Where it may not leave beside others, these send what waits.
        if is_sent {
            self.send_waiting(gather, site, false);
        }
    }

    /// Counts batches together, and where one of them was refused each by itself, so that it harms nobody else. All have ids.
    pub async fn count_apart(&self, site: &Site, batches: &[&Batch]) -> Vec<Counted> {
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
        self.reversible.set(self.reversible.get() + usize::from(waiting.is_reversible));
        self.arrivals.set(self.arrivals.get() + 1);
        self.waiting.borrow_mut().push_back(waiting);
        true
    }

    /// When a group leaves, if anybody waits. A long `linger_ms` asks for few groups. `is_quiet`: nobody came for a while.
    fn departure(&self, linger_ms: u32, is_quiet: bool) -> Departure {
        let waiting = self.waiting.borrow();
        let Some(first) = waiting.front() else { return Departure::Later };
        let took_ms = self.took_ms.get();
        match self.away.get() {
            0 => Departure::Now,
            1..MAX_AWAY if took_ms >= FAR_MS && linger_ms == 0 && !self.in_order.get() && !first.is_reversible => {
                let is_worth_it = 2 * waiting.len() >= self.even_share(waiting.len());
                if (is_quiet && is_worth_it) || waiting.len() >= self.share(waiting.len(), linger_ms) {
                    Departure::Now
                } else if is_worth_it {
                    Departure::WhenQuiet { ms: u32::try_from(took_ms / QUIET_PARTS).unwrap_or(u32::MAX).max(1) }
                } else {
                    Departure::Later
                }
            }
            _ => Departure::Later,
        }
    }

    /// How many of the requests that wait leave together: all of them, unless others may leave beside them.
    fn share(&self, waiting: usize, linger_ms: u32) -> usize {
        if self.took_ms.get() < FAR_MS || linger_ms > 0 || self.reversible.get() > 0 {
            return usize::MAX;
        }
        self.even_share(waiting)
    }

    /// What each of the shares has of those that wait or are on their way.
    fn even_share(&self, waiting: usize) -> usize {
        (waiting + self.requests_away.get()).div_ceil(SHARES)
    }

    /// The next group, in the order of arrival: events that need the same years of the zone. Senders that waited too long are answered so. Empty
    /// when nobody waits, or whoever does may not leave beside a group that is on its way.
    fn take(&self, now_ms: u64, linger_ms: u32) -> Vec<Waiting> {
        let (mut group, mut events, mut bytes): (Vec<Waiting>, usize, usize) = (Vec::new(), 0, 0);
        let mut waiting = self.waiting.borrow_mut();
        let is_beside = self.away.get() > 1;
        let share = self.share(waiting.len(), linger_ms);
        while let Some(first) = waiting.front() {
            let (all_events, all_bytes) = (events + first.batch.events.len(), bytes + first.bytes);
            if is_beside && first.is_reversible {
                break;
            }
            let is_late = now_ms.saturating_sub(first.since_ms) > MAX_WAIT_MS;
            let fits = group.last().is_none_or(|last| last.years == first.years)
                && group.len() < share
                && all_events <= MAX_GROUP_EVENTS
                && all_bytes <= MAX_GROUP_BYTES;
            if !is_late && !fits && !group.is_empty() {
                break;
            }
            let Some(first) = waiting.pop_front() else { break };
            self.events.set(self.events.get() - first.batch.events.len());
            self.bytes.set(self.bytes.get() - first.bytes);
            self.reversible.set(self.reversible.get() - usize::from(first.is_reversible));
            if is_late {
                let detail = format!("events waited for Redis for more than {MAX_WAIT_MS} ms");
                drop(first.answer.send(Err(Failure { nothing_written: true, is_transient: true, script: None, detail })));
            } else {
                (events, bytes) = (all_events, all_bytes);
                group.push(first);
            }
        }
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ranking::event::SenderClass;

    const FAR: u64 = 2 * QUIET_PARTS;

    fn gather(took_ms: u64) -> Gather {
        Gather { took_ms: Cell::new(took_ms), ..Gather::default() }
    }

    fn come(gather: &Gather, requests: usize, is_reversible: bool) {
        for _ in 0..requests {
            let batch = Batch::new(SenderClass::Browser, None, Vec::new());
            let (answer, _) = oneshot::channel();
            assert!(gather.push(Waiting { batch, years: Years::around(0, 0), is_reversible, bytes: 1, since_ms: 0, answer }));
        }
    }

    /// The sizes of the groups that leave one after the other, while none returns.
    fn leave(gather: &Gather, linger_ms: u32) -> Vec<usize> {
        let mut sizes = Vec::new();
        while gather.departure(linger_ms, false) == Departure::Now {
            gather.away.set(gather.away.get() + 1);
            let group = gather.take(0, linger_ms);
            gather.requests_away.set(gather.requests_away.get() + group.len());
            gather.in_order.set(group.iter().any(|waiting| waiting.is_reversible));
            sizes.push(group.len());
        }
        sizes
    }

    #[test]
    fn to_a_near_redis_all_leave_together() {
        for (took_ms, linger_ms) in [(0, 0), (FAR, 5)] {
            let gather = gather(took_ms);
            come(&gather, 60, false);
            assert_eq!(leave(&gather, linger_ms), [60]);
            come(&gather, 60, false);
            assert_eq!(gather.departure(linger_ms, true), Departure::Later, "until those return");
        }
    }

    #[test]
    fn to_a_far_redis_who_comes_together_leaves_in_even_groups() {
        let gather = gather(FAR);
        come(&gather, 60, false);
        assert_eq!(leave(&gather, 0), [20, 20, 20]);
        come(&gather, 11, false);
        assert_eq!(gather.departure(0, true), Departure::Later, "half a third of 71 has not come");
        come(&gather, 18, false);
        assert_eq!(gather.departure(0, false), Departure::WhenQuiet { ms: 2 }, "a third of 89 has not come");
        assert_eq!(gather.departure(0, true), Departure::Now);
        come(&gather, 1, false);
        assert_eq!(leave(&gather, 0), [30]);
    }

    #[test]
    fn few_senders_wait_for_nobody() {
        let gather = gather(FAR);
        for away in 1..=SHARES {
            come(&gather, 1, false);
            assert_eq!(leave(&gather, 0), [1], "{away}");
        }
    }

    #[test]
    fn groups_on_their_way_are_bounded() {
        let gather = gather(FAR);
        come(&gather, 1, false);
        gather.away.set(MAX_AWAY);
        assert_eq!(gather.departure(0, true), Departure::Later);
    }

    #[test]
    fn reversible_actions_leave_alone_with_all_others() {
        let gather = gather(FAR);
        come(&gather, 29, false);
        come(&gather, 1, true);
        come(&gather, 30, false);
        assert_eq!(leave(&gather, 0), [60]);
        come(&gather, 20, false);
        assert_eq!(gather.departure(0, true), Departure::Later, "nothing overtakes them");
        gather.in_order.set(false);
        assert_eq!(leave(&gather, 0), Vec::<usize>::new());
        assert_eq!(gather.departure(0, true), Departure::Now);
        come(&gather, 1, true);
        gather.away.set(gather.away.get() + 1);
        assert_eq!(gather.take(0, 0).len(), 20, "who came before them");
        assert_eq!(gather.departure(0, true), Departure::Later, "they overtake nobody");
    }
}
