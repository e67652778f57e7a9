//! Counting a batch: into every counting target, with retries where they cannot count twice.
//!
//! # Decisions
//!
//! - 504 `outcome-unknown` exists besides 503. 503 promises that nothing was written, which a lost reply cannot promise.
//! - A script that fails and took back its writes is 503 `script-failed`. Other boards may have counted the same batch, and
//!   know its id.
//! - A repeated action is rejected, not `duplicate`. A duplicate is the same event sent again. A second like is another event,
//!   which changes nothing.

pub mod gather;
pub mod grouped;
pub mod outbox;

use std::cell::RefCell;

use engine::adapter::{Applied, Error, Transport};
use engine::store::homes::Settled;
use engine::store::record::Recorded;
use ranking::counting::{Outcome, TargetBatch, TargetEvent, Who};
use ranking::event::Batch;
use ranking::read::PeriodRef;
use ranking::site::{Ingest, Site};
use ranking::standing::Moves;
use ranking::token::Tokens;
use ranking::visitor::Fingerprint;

use super::admission::{Admissions, Client};
use super::catalog::Catalog;
use super::counters::{Counters, Series};
use super::failure::{Failure, ScriptFailure};
use super::forwarding::Forwarding;
use super::frozen::FrozenReads;
use super::frozen::Touched;
use super::later::Later;
use super::ports::{Clock, Log, Random, Runtime};
use super::price;
use super::redis::Redis;
use super::templates::{Entering, Templates};
use crate::config::Config;
pub use crate::ingest::{ActorNotice, EventCode, EventOutcome, MAX_BODY, PixelEvent, Refusal, not_allowed};
use crate::ingest::{ParsedBatch, Source, Split, needs_order, seq_missing};

/// Why a request's events were not counted.
#[derive(Debug)]
pub enum NotCounted {
    /// They can never be valid; nothing was written.
    Refused(Refusal),
    /// Their client sent too many; it is to wait for so many seconds.
    TooMany {
        wait_s: u64,
    },
    Failed(Failure),
}

/// What a browser gets to know of events that were taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// Why they count without the actor that they name.
    pub actor: Option<ActorNotice>,
    /// Why some of them do not count: they can never be valid, or what bounds browsers refused them. Each code once.
    pub refused: Vec<EventCode>,
    /// For the log: the first of those that can never be valid.
    pub invalid: Option<Refusal>,
}

/// A window on which a server asks how the members of its events move.
pub struct Stand {
    pub of: PeriodRef,
    /// What Redis answered.
    pub moves: RefCell<Option<Moves>>,
}

/// What became of a server's events.
pub struct Taken {
    /// Whether it was one event without a list around it.
    pub is_bare: bool,
    /// Of each event, in order.
    pub outcomes: Vec<EventOutcome>,
    /// Whether those that were accepted are not in Redis yet: a queue has them.
    pub is_kept: bool,
    /// The frozen periods that they are of.
    pub touched: Touched,
}

/// What became of each event of a batch, in order.
pub type Counted = Result<Vec<Outcome>, Failure>;

/// What became of the targets' batches.
struct Sent {
    recorded: Vec<Recorded>,
    /// Whether a try may have been applied that failed.
    doubtful: Vec<bool>,
}

/// The first try and one more.
const TRIES: usize = 2;

/// Counting batches: at once, in groups, or by a queue.
pub struct Counting<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) admission: Admissions<'a, R>,
    pub(in crate::app) catalog: Catalog<'a, R>,
    pub(in crate::app) forwarding: Forwarding<'a, R>,
    pub(in crate::app) frozen: FrozenReads<'a, R>,
    pub(in crate::app) templates: Templates<'a, R>,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) counters: &'a Counters,
    pub(in crate::app) groups: &'a R,
    pub(in crate::app) later: Later<'a, R>,
    pub(in crate::app) log: &'a dyn Log,
    pub(in crate::app) queue: &'a R,
    pub(in crate::app) random: &'a dyn Random,
    pub(in crate::app) settled: &'a Settled,
    pub(in crate::app) timer: &'a R,
}

impl<R: Runtime> Counting<'_, R> {
    /// Counts the valid events of a browser's batch.
    ///
    /// # Errors
    /// When the body is no batch, when no event of it can ever be valid, when the client sent too many, or when Redis does not answer.
    pub async fn count_beacon(
        &self,
        site: &Site,
        tokens: &Tokens,
        (client, visitor): (&Client<'_>, Option<Fingerprint>),
        body: &[u8],
    ) -> Result<Notice, NotCounted> {
        let source = Source::Browser { visitor, tokens, now_s: self.clock.clock_ms() / 1000 };
        let parsed = read(site, source, body).map_err(|refusal| self.refused(site, refusal))?;
        let actor = parsed.notice;
        let (batch, refusals) = parsed.valid();
        let refusals: Vec<Refusal> = refusals.into_iter().flatten().collect();
        for refusal in &refusals {
            self.tell_refusal(site, refusal);
        }
        if batch.events.is_empty()
            && let Some(refusal) = foremost(&refusals)
        {
            return Err(NotCounted::Refused(refusal.clone()));
        }
        self.count_of_browser(site, client, &batch, Notice { actor, ..Notice::of(refusals) }).await
    }

    /// Counts the event of a pixel.
    ///
    /// # Errors
    /// Those of [`Self::count_beacon`].
    pub async fn count_pixel(
        &self,
        site: &Site,
        (client, visitor): (&Client<'_>, Option<Fingerprint>),
        event: PixelEvent<'_>,
    ) -> Result<Notice, NotCounted> {
        let (batch, actor) = event.read(site, visitor).map_err(|refusal| self.refused(site, refusal))?;
        if site.ingest == Ingest::Queue && batch.events.iter().any(|event| needs_order(site, event)) {
            return Err(self.refused(site, seq_missing()));
        }
        self.count_of_browser(site, client, &batch, Notice { actor, ..Notice::default() }).await
    }

    /// Counts what a browser sent, after its price was taken, and adds to its notice what its bounds refused.
    async fn count_of_browser(&self, site: &Site, client: &Client<'_>, batch: &Batch, mut notice: Notice) -> Result<Notice, NotCounted> {
        if let Some(wait_s) = self.admission.over_beacons(site, client, price::of_beacon(site, batch)).await {
            return Err(NotCounted::TooMany { wait_s });
        }
        let outcomes = self.count(site, batch, None).await.map_err(NotCounted::Failed)?;
        for outcome in outcomes.iter().flatten() {
            match outcome {
                Outcome::Unknown => notice.add(EventCode::UnknownItem),
                Outcome::TooManyNew => notice.add(EventCode::TooManyNew),
                Outcome::NoBoard => notice.add(EventCode::UnknownBoard),
                Outcome::BoardClosed => notice.add(EventCode::BoardClosed),
                _ => {}
            }
        }
        Ok(notice)
    }

    /// Counts the valid events of a server's batch.
    ///
    /// # Errors
    /// When the body is no batch, or when Redis does not answer.
    pub async fn count_events(&self, site: &Site, tokens: &Tokens, body: &[u8], stand: Option<&Stand>) -> Result<Taken, NotCounted> {
        let parsed = read(site, Source::Server(tokens.visitors.as_ref()), body);
        let parsed = parsed.map_err(|refusal| self.refused(site, refusal))?;
        let is_bare = parsed.is_bare;
        let (batch, refusals) = parsed.valid();
        let counted = self.count(site, &batch, stand).await.map_err(NotCounted::Failed)?;
        let is_kept = counted.is_none();
        let touched = match &counted {
            Some(outcomes) => self.frozen.touched(site, &[(&batch, outcomes)]).await,
            None => Touched::None,
        };
        let mut outcomes = counted.into_iter().flatten();
        let outcome = |refusal: Option<Refusal>| match refusal {
            Some(refusal) => {
                self.tell_refusal(site, &refusal);
                EventOutcome::Refused(refusal)
            }
            // Every valid event has its outcome.
            None => outcomes.next().unwrap_or(Outcome::Counted).into(),
        };
        Ok(Taken { is_bare, outcomes: refusals.into_iter().map(outcome).collect(), is_kept, touched })
    }

    /// What can never be counted, by its code.
    pub fn tell_refusal(&self, site: &Site, refusal: &Refusal) {
        self.tell_events(site, refusal.code.name(), 1);
    }

    fn refused(&self, site: &Site, refusal: Refusal) -> NotCounted {
        self.tell_refusal(site, &refusal);
        NotCounted::Refused(refusal)
    }

    /// What became of a batch; `None`: a queue keeps it. What was counted is handed on.
    pub fn tell_counted(&self, site: &Site, batch: &Batch, counted: &Result<Option<Vec<Outcome>>, Failure>) {
        let events = batch.events.len();
        match counted {
            Ok(None) => self.tell_events(site, "kept", events),
            Ok(Some(outcomes)) => {
                for outcome in outcomes {
                    self.tell_events(site, name_of(*outcome), 1);
                }
                self.forwarding.forward(site, batch, outcomes);
            }
            Err(failure) => self.tell_events(site, if failure.nothing_written { "not-written" } else { "unknown" }, events),
        }
    }

    fn tell_events(&self, site: &Site, what: &'static str, events: usize) {
        self.counters.add(Series::Events, site.name.as_str(), what, events as u64);
    }

    /// Counts one batch, the way that the site says. `None`: a queue keeps it, and it counts later. What is left of a batch without valid
    /// events is nothing to keep.
    async fn count(&self, site: &Site, batch: &Batch, stand: Option<&Stand>) -> Result<Option<Vec<Outcome>>, Failure> {
        if batch.events.is_empty() {
            return Ok(Some(Vec::new()));
        }
        self.admission.quotas.take(site, || price::of_batch(site, batch));
        let since_ms = self.clock.clock_ms();
        let counted = match site.ingest {
            Ingest::Direct => self.count_one(site, batch, stand).await.map(Some),
            Ingest::Grouped => self.count_grouped(site, batch).await.map(Some),
            Ingest::Queue => self.keep(site, batch, since_ms, false).await.map(|()| None),
        };
        let counted = match counted {
            Err(failure) if site.ingest != Ingest::Queue => self.keep_instead(site, batch, since_ms, failure).await.map(|()| None),
            counted => counted,
        };
        self.tell_counted(site, batch, &counted);
        counted
    }

    /// Counts one batch, see [`Self::count_merged`].
    ///
    /// # Errors
    /// When it is not counted.
    pub async fn count_alone(&self, site: &Site, batch: &Batch) -> Counted {
        self.count_one(site, batch, None).await
    }

    async fn count_one(&self, site: &Site, batch: &Batch, stand: Option<&Stand>) -> Counted {
        self.count_merged(site, &[batch], stand).await.pop().unwrap_or_else(|| Ok(Vec::new()))
    }

    /// Counts batches of several senders together, and answers each of them.
    ///
    /// 1. Announce what servers name, where a site counts known items only. If that fails, nothing is counted.
    /// 2. Read what items belong to, where a board is kept by that. If that fails, nothing is counted.
    /// 3. Split the batches over their counting targets; an event that counts on none is accepted.
    /// 4. Record all targets in one round trip; in several, one after the other, where there are many tracked events.
    /// 5. Try again once where it failed, if nothing was applied or if ids keep it from counting twice.
    ///
    /// # Errors
    /// Of a sender: a target of its events could not be reached. Sending its batch again with the same ids is always safe.
    pub async fn count_merged(&self, site: &Site, senders: &[&Batch], stand: Option<&Stand>) -> Vec<Counted> {
        // Those of a queue wait: what is asked for at once was refused before.
        if let Some(lack) = self.config.lack_to_count(site) {
            let failure = Failure { nothing_written: true, is_transient: true, script: None, detail: lack.line.clone() };
            return senders.iter().map(|_| Err(failure.clone())).collect();
        }
        match self.templates.named_boards(site, senders).await {
            Ok(None) => self.count_there(site, senders, stand).await,
            Ok(Some(named)) => {
                let batches: Vec<&Batch> = named.batches.iter().collect();
                let counted = self.count_there(&named.site, &batches, stand).await;
                self.enter_counted(&named.site);
                named.joined(counted)
            }
            Err(failure) => {
                // Of who names no board, nothing had to be looked up.
                let names_board = |batch: &Batch| batch.events.iter().any(|event| !event.boards.is_empty());
                let others: Vec<&Batch> = senders.iter().copied().filter(|batch| !names_board(batch)).collect();
                let counted = if others.is_empty() { Vec::new() } else { self.count_there(site, &others, stand).await };
                let mut counted = counted.into_iter();
                let mut answer = |batch: &&Batch| if names_board(batch) { None } else { counted.next() };
                senders.iter().map(|batch| answer(batch).unwrap_or_else(|| Err(failure.clone()))).collect()
            }
        }
    }

    /// Has upkeep look at the boards of templates that something counted on, in the background.
    fn enter_counted(&self, site: &Site) {
        let names = self.templates.boards_to_enter(site);
        if names.is_empty() {
            return;
        }
        let (app, site) = (self.later.app(), site.clone());
        // Where this fails, a later event enters them, or a reader who finds a window incomplete.
        self.later.in_background(async move { drop(app.templates().enter_boards(&site, &names, Entering::Soon).await) });
    }

    /// The same where the site has every board that the events name.
    async fn count_there(&self, site: &Site, senders: &[&Batch], stand: Option<&Stand>) -> Vec<Counted> {
        if let Err(failure) = self.catalog.announce_sent(site, senders).await {
            return senders.iter().map(|_| Err(failure.clone())).collect();
        }
        let informed = match self.catalog.informed(site, senders).await {
            Ok(informed) => informed,
            Err(failure) => return senders.iter().map(|_| Err(failure.clone())).collect(),
        };
        let site = informed.site.as_deref().unwrap_or(site);
        let split = Split::knowing(site, senders, &informed.facts);
        let Sent { recorded, doubtful } = self.send_rounds(site, &split, stand).await;
        let outcomes: Vec<&[Outcome]> = recorded.iter().map(|recorded| recorded.as_deref().unwrap_or_default()).collect();
        let answer = |sender| {
            let errors = || split.targets_of(sender).filter_map(|target| recorded.get(target)?.as_ref().err());
            // An error of a script is reported where nothing else failed.
            let Some(error) = errors().find(|error| !error.is_of_script()).or_else(|| errors().next()) else {
                return Ok(split.join(sender, &outcomes));
            };
            let nothing_written = split.targets_of(sender).all(|target| recorded[target].is_err() && !doubtful[target]);
            let counted = split.targets_of(sender).filter(|target| recorded[*target].is_ok());
            let script = error.is_of_script().then(|| ScriptFailure {
                is_undone: split.targets_of(sender).all(|target| recorded[target].is_ok() || !doubtful[target]),
                counted: counted.map(|target| split.batches[target].target.label().into()).collect(),
            });
            Err(Failure { nothing_written, is_transient: error.is_transient(), script, detail: error.to_string() })
        };
        (0..senders.len()).map(answer).collect()
    }

    /// Sends the targets' batches, round after round. Nothing overtakes a round that failed. Where somebody asks how members move, all goes at once:
    /// ranks of before a round are not those of before the request.
    async fn send_rounds(&self, site: &Site, split: &Split<'_>, stand: Option<&Stand>) -> Sent {
        let rounds = if stand.is_some() { vec![split.whole()] } else { split.rounds() };
        let mut sent: Vec<Vec<Option<Recorded>>> = rounds.iter().map(|pieces| pieces.iter().map(|_| None).collect()).collect();
        // A second try that fails before anything was applied says nothing about the first.
        let mut doubtful = vec![false; split.batches.len()];
        for _ in 0..TRIES {
            for (pieces, recorded) in rounds.iter().zip(&mut sent) {
                let pending: Vec<usize> = (0..pieces.len()).filter(|i| may_try(&pieces[*i].batch, recorded[*i].as_ref())).collect();
                if !pending.is_empty() {
                    let answers = self.send(site, pending.iter().map(|i| &*pieces[*i].batch), stand).await;
                    for (i, answer) in pending.into_iter().zip(answers) {
                        doubtful[pieces[i].target] |= answer.as_ref().is_err_and(|error| error.applied() != Applied::No);
                        recorded[i] = Some(answer);
                    }
                }
                if recorded.iter().any(|recorded| !matches!(recorded, Some(Ok(_)))) {
                    break;
                }
            }
        }
        // Of each target what its pieces answered, in their order. Those that were never sent follow one that failed.
        let mut recorded: Vec<Recorded> = split.batches.iter().map(|_| Ok(Vec::new())).collect();
        let mut failed = None;
        for (piece, answer) in rounds.iter().flatten().zip(sent.into_iter().flatten()) {
            let answer = answer.or_else(|| failed.clone().map(Err)).unwrap_or_else(|| Ok(Vec::new()));
            if let (None, Err(error)) = (&failed, &answer) {
                failed = Some(error.clone());
            }
            match (&mut recorded[piece.target], answer) {
                (Ok(outcomes), Ok(more)) => outcomes.extend(more),
                (Err(_), _) => {}
                (all, error) => {
                    doubtful[piece.target] |= all.as_ref().is_ok_and(|outcomes| !outcomes.is_empty());
                    *all = error;
                }
            }
        }
        Sent { recorded, doubtful }
    }

    async fn send<'b>(&self, site: &Site, batches: impl Iterator<Item = &'b TargetBatch<'b>>, stand: Option<&Stand>) -> Vec<Recorded> {
        let batches: Vec<TargetBatch> = batches.cloned().collect();
        let by_visitor = |event: &TargetEvent| event.tracked.as_ref().is_some_and(|tracked| matches!(tracked.who, Who::Visitor(_)));
        let of_visitor =
            |batch: &TargetBatch| batch.senders.iter().any(|(_, sender)| sender.is_some()) || batch.events.iter().any(by_visitor);
        let needs_salt = batches.iter().any(of_visitor);
        let new_salt = if needs_salt { self.random.token() } else { String::new() };
        let report = |stand: &Stand, moves: Option<Moves>| {
            // The board may have answered the first try.
            let mut reported = stand.moves.borrow_mut();
            *reported = moves.or(reported.take());
        };
        let recorded = match (self.redis.store(), stand) {
            (Ok(store), _) if store.transport.is_cluster() => {
                let recorded = store.record_ordered(site, &batches, &new_salt, stand.map(|stand| &stand.of), self.settled).await;
                recorded.map(|(recorded, moves)| {
                    if let Some(stand) = stand {
                        report(stand, moves);
                    }
                    recorded
                })
            }
            (Ok(store), Some(stand)) => store.record_standing(site, &batches, &new_salt, &stand.of).await.map(|(recorded, moves)| {
                report(stand, moves);
                recorded
            }),
            (Ok(store), _) => store.record(site, &batches, &new_salt).await,
            (Err(error), _) => Err(error),
        };
        recorded.unwrap_or_else(|error: Error| batches.iter().map(|_| Err(error.clone())).collect())
    }
}

impl Notice {
    /// The refusal of events that can never be valid.
    fn of(refusals: Vec<Refusal>) -> Self {
        let mut notice = Self::default();
        for refusal in &refusals {
            notice.add(refusal.code);
        }
        Self { invalid: refusals.into_iter().next(), ..notice }
    }

    fn add(&mut self, code: EventCode) {
        if !self.refused.contains(&code) {
            self.refused.push(code);
        }
    }
}

/// The refusal of a beacon of which nothing counts: that browsers may not send an action, where any is understood, else the first refusal.
fn foremost(refusals: &[Refusal]) -> Option<&Refusal> {
    refusals.iter().find(|refusal| refusal.code == EventCode::ActionNotPublic).or(refusals.first())
}

/// What an outcome is counted as.
fn name_of(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Counted => "accepted",
        Outcome::Duplicate => "duplicate",
        outcome => Refusal::of(outcome).map_or("", |refusal| refusal.code.name()),
    }
}

/// A body as the site's way takes it.
fn read(site: &Site, source: Source, body: &[u8]) -> Result<ParsedBatch, Refusal> {
    let parsed = ParsedBatch::read(site, source, body)?;
    Ok(if site.ingest == Ingest::Queue { parsed.unordered(site) } else { parsed })
}

/// Whether a target's batch is to be sent: the first time, or again.
fn may_try(batch: &TargetBatch, before: Option<&Recorded>) -> bool {
    match before {
        None => true,
        Some(Ok(_)) => false,
        Some(Err(error)) => {
            let counts_once = batch.id.is_some() || batch.events.iter().all(|event| event.id.is_some() || event.batch.is_some());
            error.is_transient() && (error.applied() == Applied::No || counts_once)
        }
    }
}
