//! Counting the messages of a queue: those of many senders, a delivery at a time.
//!
//! # Decisions
//!
//! - A delivery is acknowledged as a whole, after all of it was counted or became dead letters. One that is interrupted comes
//!   again.
//! - A failure is an outage while `ready` fails as well, or Redis says that it may pass. Only a message that Redis refuses
//!   while it does the rest is a dead letter. An unknown failure of a script says nothing about the message, so that comes
//!   again until the queue would drop it.

pub mod dead;

use std::rc::Rc;

use engine::adapter::Error;
use engine::store::keep_dead::Letter;
use ranking::counting::{Outcome, Target};
use ranking::event::Batch;
use ranking::site::Site;
use ranking::token::Tokens;
use serde_json::json;
use serve::BUILD;
use serve::app::agenda::Agenda;
use serve::app::counters::{Counters, Series};
use serve::app::counting::Counting;
use serve::app::counting::gather::MAX_GROUP_EVENTS;
use serve::app::failure::Failure;
use serve::app::frozen::FrozenReads;
use serve::app::health::Health;
use serve::app::ports::{Clock, Log, Queue, Runtime};
use serve::app::redis::Redis;
use serve::config::Config;
use serve::ingest::queued::Opened;
use serve::ingest::{EventCode, Refusal};

/// Deliveries of a message, after which it is sent anew instead of asked for once more: a queue drops what it delivered too often, three
/// or four times unless it is configured otherwise, and an outage may last longer.
const MAX_DELIVERIES: u32 = 3;
/// The longest wait before a message is delivered again, in seconds.
const MAX_DELAY_S: u64 = 60;
/// The same where a script failed: that may last until the next deployment.
const MAX_SCRIPT_DELAY_S: u64 = 600;
/// The code of letters on which a script failed in a manner that it does not know.
pub(in crate::app) const SCRIPT_FAILED: &str = "script-failed";
/// By so much the clocks of the edge may differ.
const MARGIN_MS: u64 = 60_000;
/// What is kept of a message that is not JSON, in characters.
const SHOWN: usize = 1000;

/// A message as the queue delivers it.
#[derive(Clone)]
pub struct Delivered {
    /// By which the queue knows it.
    pub id: String,
    /// Unix milliseconds.
    pub sent_ms: u64,
    /// How often it was delivered, with this time.
    pub attempts: u32,
    pub body: String,
}

/// What is to become of a delivered message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is counted, or can never be.
    Done,
    /// It is to be delivered again, after so many seconds.
    Again(u32),
}

/// A message on its way.
pub(in crate::app) struct InFlight {
    /// `None`: it is of no site that is known.
    pub(in crate::app) site: Option<Rc<Site>>,
    opened: Option<Opened>,
    /// What is to be counted of it.
    batch: Option<Batch>,
    /// The targets that counted it before, of a letter.
    counted: Vec<String>,
    /// What can never be counted of it.
    pub(in crate::app) dead: Option<Letter>,
    /// Why Redis has not all of it.
    pub(in crate::app) failure: Option<Failure>,
}

/// What the queue delivers, and what of it could not be counted.
pub struct Deliveries<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) counting: Counting<'a, R>,
    pub(in crate::app) frozen: FrozenReads<'a, R>,
    pub(in crate::app) health: Health<'a, R>,
    pub(in crate::app) agenda: &'a Agenda,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) counters: &'a Counters,
    pub(in crate::app) log: &'a dyn Log,
    pub(in crate::app) queue: &'a R,
}

impl<R: Runtime> Deliveries<'_, R> {
    /// Counts the messages of a delivery, and says what is to become of each.
    ///
    /// 1. Read them. What can never be counted is a dead letter.
    /// 2. Count those of each site together: a call per counting target and [`MAX_GROUP_EVENTS`].
    /// 3. Write the dead letters.
    /// 4. What Redis did not answer for is to come again, later and later. So is that on which a script failed, until the queue would drop it.
    ///
    /// When it is interrupted, all messages come again. Each has an id, by which it counts once.
    pub async fn consume(&self, tokens: &Tokens, delivered: &[Delivered]) -> Vec<Fate> {
        let mut in_flight: Vec<InFlight> =
            delivered.iter().map(|message| self.read_message(tokens, &message.body, &message.id, message.sent_ms, false)).collect();
        let last_ms = self.clock.clock_ms().saturating_sub(u64::from(self.config.queue_retention_s) * 1000);
        self.count_in_flight(tokens, &mut in_flight, last_ms).await;
        self.keep_dead_letters(&mut in_flight).await;
        // A script that failed was logged.
        let waits = || in_flight.iter().filter_map(|in_flight| in_flight.failure.as_ref()).filter(|failure| failure.script.is_none());
        if let Some(failure) = waits().next() {
            let remaining = waits().count();
            self.log.log(&json!({ "level": "error", "code": "queue-waits", "messages": remaining, "detail": failure.detail }));
        }
        let mut fates = Vec::new();
        for (in_flight, message) in in_flight.iter().zip(delivered) {
            let is_pending = in_flight.failure.is_some();
            let site = in_flight.site.as_ref().map_or("", |site| site.name.as_str());
            let fate = if is_pending {
                "again"
            } else if in_flight.dead.is_some() {
                "dead"
            } else {
                "done"
            };
            self.counters.add(Series::Queue, site, fate, 1);
            let is_of_script = in_flight.failure.as_ref().is_some_and(|failure| failure.script.is_some());
            fates.push(if is_pending { self.again(message, in_flight.opened.as_ref(), is_of_script).await } else { Fate::Done });
        }
        fates
    }

    /// What a message holds. `by_hand`: somebody decided that it counts, whenever it was tried before.
    pub(in crate::app) fn read_message(&self, tokens: &Tokens, body: &str, id: &str, sent_ms: u64, by_hand: bool) -> InFlight {
        let opened = match Opened::read(body, id, sent_ms) {
            Ok(opened) => opened,
            Err(Refusal { code, detail }) => {
                let message = body.chars().take(SHOWN).collect();
                let letter = Letter { code: code.name().into(), detail, sent_ms, message, ..Letter::default() };
                return InFlight { site: None, opened: None, batch: None, counted: Vec::new(), dead: Some(letter), failure: None };
            }
        };
        let key = tokens.visitors.as_ref();
        let site = self.config.sites.get(opened.site.as_str()).cloned();
        let now_ms = self.clock.clock_ms();
        let (batch, refused) = match &site {
            None => (None, Some(("unknown-site", format!("no site is called {}", opened.site), None))),
            Some(site) => match opened.contents(site, key, now_ms) {
                Err(refusal) => (None, Some((refusal.code.name(), reason(refusal), None))),
                Ok(contents) if !by_hand && opened.tried == Some(true) && is_forgotten(site, &contents.batch, now_ms, opened.sent_ms) => {
                    (None, Some(("tried-too-long-ago", "Redis may have counted it, and may have forgotten its id".into(), None)))
                }
                Ok(contents) => {
                    let refused = contents.refused.map(|(refusal, remaining)| (refusal.code.name(), reason(refusal), Some(remaining)));
                    (Some(contents.batch), refused)
                }
            },
        };
        let dead = refused.map(|(code, detail, remaining)| letter(code, detail, remaining.as_ref().unwrap_or(&opened), tokens));
        InFlight { site, opened: Some(opened), batch, counted: Vec::new(), dead, failure: None }
    }

    /// What a letter holds, which counts on no target that counted it before.
    pub(in crate::app) fn read_letter(&self, tokens: &Tokens, letter: &Letter, by_hand: bool) -> InFlight {
        InFlight { counted: letter.counted.clone(), ..self.read_message(tokens, &letter.message, "", letter.sent_ms, by_hand) }
    }

    /// Counts what is to be counted, each site's together. Where a script fails on what was sent before `last_ms`, that is a letter.
    pub(in crate::app) async fn count_in_flight(&self, tokens: &Tokens, in_flight: &mut [InFlight], last_ms: u64) {
        for site in self.config.sites.values() {
            let of_site = |in_flight: &InFlight| in_flight.site.as_ref().is_some_and(|of| Rc::ptr_eq(of, site));
            let mut open: Vec<&mut InFlight> =
                in_flight.iter_mut().filter(|in_flight| in_flight.batch.is_some() && of_site(in_flight)).collect();
            // Letters that other targets counted before stand apart.
            open.sort_by(|one, other| one.counted.cmp(&other.counted));
            for open in open.chunk_by_mut(|one, other| one.counted == other.counted) {
                let rest = open.first().filter(|first| !first.counted.is_empty()).map(|first| site.without(&first.counted));
                self.count_open(tokens, rest.as_ref().unwrap_or(site), open, last_ms).await;
            }
        }
    }

    async fn count_open(&self, tokens: &Tokens, site: &Site, open: &mut [&mut InFlight], last_ms: u64) {
        let batches: Vec<Batch> = open.iter_mut().filter_map(|in_flight| in_flight.batch.take()).collect();
        let mut counted = Vec::new();
        for group in self.groups(site, &batches) {
            counted.extend(self.counting.count_apart(site, &group).await);
        }
        let in_redis: Vec<(&Batch, &[Outcome])> =
            batches.iter().zip(&counted).filter_map(|(batch, counted)| Some((batch, counted.as_ref().ok()?.as_slice()))).collect();
        self.frozen.log_touched(site, &in_redis).await;
        for ((in_flight, batch), counted) in open.iter_mut().zip(&batches).zip(counted) {
            let counted = counted.map(Some);
            self.counting.tell_counted(site, batch, &counted);
            let Err(failure) = counted else { continue };
            let letter = |code, detail| in_flight.opened.as_ref().map(|opened| letter(code, detail, opened, tokens));
            let is_last = in_flight.opened.as_ref().is_some_and(|opened| opened.sent_ms < last_ms);
            in_flight.dead = match &failure.script {
                // Where it may have written, the next try tells.
                Some(script) if script.is_undone && is_last => letter(SCRIPT_FAILED, failure.detail.clone()).map(|letter| Letter {
                    version: BUILD.into(),
                    counted: in_flight.counted.iter().chain(&script.counted).cloned().collect(),
                    ..letter
                }),
                // What Redis refuses while it does the rest will not pass.
                None if !failure.is_transient && self.health.ready().await.is_ok_and(|ready| ready.unserved.is_empty()) => {
                    letter("refused", failure.detail.clone())
                }
                _ => None,
            };
            if in_flight.dead.is_none() {
                in_flight.failure = Some(failure);
            }
        }
    }

    /// Batches that are counted together: in their order, with a bounded number of events, which need the same years of the zone.
    fn groups<'b>(&self, site: &Site, batches: &'b [Batch]) -> Vec<Vec<&'b Batch>> {
        let mut groups: Vec<Vec<&Batch>> = Vec::new();
        let (mut events, mut last) = (0, None);
        for batch in batches {
            let years = self.redis.store().ok().map(|store| store.years_of(site, batch.instants()));
            events += batch.events.len();
            match groups.last_mut() {
                Some(group) if last == years && events <= MAX_GROUP_EVENTS => group.push(batch),
                _ => {
                    events = batch.events.len();
                    groups.push(vec![batch]);
                }
            }
            last = years;
        }
        groups
    }

    /// Writes the dead letters, each where those of its site are.
    async fn keep_dead_letters(&self, in_flight: &mut [InFlight]) {
        let homes: Vec<Option<Rc<Site>>> = self.config.sites.values().cloned().map(Some).chain([None]).collect();
        for home in homes {
            let is_at_home = |in_flight: &InFlight| match (&in_flight.site, &home) {
                (Some(site), Some(home)) => Rc::ptr_eq(site, home),
                (site, home) => site.is_none() && home.is_none(),
            };
            let mut dead: Vec<&mut InFlight> =
                in_flight.iter_mut().filter(|in_flight| in_flight.dead.is_some() && is_at_home(in_flight)).collect();
            let letters: Vec<Letter> = dead.iter().filter_map(|in_flight| in_flight.dead.clone()).collect();
            let Some(first) = letters.first() else { continue };
            let name = home.as_ref().map(|site| site.name.as_str());
            self.log.log(&json!({
                "level": "warn", "code": "dead-letters", "site": name, "messages": letters.len(), "first": first.code, "detail": first.detail,
            }));
            if let Err(failure) = self.keep_dead(home.as_deref(), &letters, &[]).await {
                for in_flight in &mut dead {
                    in_flight.failure = Some(failure.clone());
                }
            }
        }
    }

    /// Writes dead letters of a site, or of those that are not known, and takes others out.
    pub(in crate::app) async fn keep_dead(&self, site: Option<&Site>, letters: &[Letter], dropped: &[&str]) -> Result<(), Failure> {
        let failed = |error: Error| Failure::of_write(&error);
        self.redis.store().map_err(failed)?.keep_dead(site, letters, dropped).await.map_err(failed)
    }

    /// What becomes of a message whose site is not known now.
    pub(in crate::app) async fn unread_again(&self, message: &Delivered) -> Fate {
        let opened = Opened::read(&message.body, &message.id, message.sent_ms).ok();
        self.again(message, opened.as_ref(), false).await
    }

    /// When a message comes again: after a third of its age. So a short outage is made up for at once, and a long one costs few deliveries.
    /// What was delivered too often is sent anew.
    async fn again(&self, message: &Delivered, opened: Option<&Opened>, is_of_script: bool) -> Fate {
        let sent_ms = opened.map_or(message.sent_ms, |opened| opened.sent_ms);
        let age_s = self.clock.clock_ms().saturating_sub(sent_ms) / 1000;
        let most_s = if is_of_script { MAX_SCRIPT_DELAY_S } else { MAX_DELAY_S };
        let delay_s = u32::try_from((age_s / 3).clamp(1, most_s)).unwrap_or(1);
        let is_last = message.attempts >= MAX_DELIVERIES;
        let body = || opened.map_or_else(|| message.body.clone(), Opened::text);
        if let (true, Some(queue)) = (is_last, self.queue.queue())
            && queue.send(&body(), delay_s).await.is_ok()
        {
            return Fate::Done;
        }
        Fate::Again(delay_s)
    }
}

/// Whether Redis may have forgotten by now that it counted a batch.
fn is_forgotten(site: &Site, batch: &Batch, now_ms: u64, sent_ms: u64) -> bool {
    let window_s = Target::each_possible(site).map(|target| target.replay_window(site).of(batch.sender)).min();
    window_s.is_some_and(|window_s| now_ms.saturating_sub(sent_ms) + MARGIN_MS > u64::from(window_s) * 1000)
}

fn letter(code: &str, detail: String, message: &Opened, tokens: &Tokens) -> Letter {
    let message_text = message.clone().keyed(tokens.visitors.as_ref()).text();
    Letter { code: code.into(), detail, sent_ms: message.sent_ms, message: message_text, ..Letter::default() }
}

/// What a refusal says, without the address of a visitor.
fn reason(refusal: Refusal) -> String {
    match refusal.code {
        EventCode::InvalidVisitor => "visitor is not an object with address and agent".into(),
        _ => refusal.detail,
    }
}
