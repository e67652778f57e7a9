//! Actions that can be undone, on targets that lie on several nodes of a cluster: `lua/decide.lua` and `lua/intents.lua`.
//!
//! One Redis counts such an action on all of its targets in one transaction, which a cluster has not. There each actor has a *home*, one of
//! a few keys of its site. It takes two trips:
//!
//! 1. The home gives each event its instant and its *order*, a number that grows, and writes down what the event does on each target: an *intent*.
//!    It answers the intents of the same actors that are left.
//! 2. Each target gets those and the new events by their order, in one call. It applies an event whose order is above that of the last one
//!    that it applied of the same action, and answers any other as before.
//!
//! Once all targets answered, the intent goes with the next call of the isolate to that home. An intent that stays is finished by whoever comes
//! next for its actor, or by upkeep after [`Store::finish_intents`]'s age, at its own instant. So all targets end with the last decision of the
//! home.
//!
//! # Decisions
//!
//! - The home orders and remembers ids; what is done and undone, what counts once, the `seq` of senders and what is full is known to each target, as
//!   it is in one transaction. So what became of an event is the same on one Redis and on a cluster, and what a target refuses is
//!   its outcome alone. Targets compare the `seq` in the same order, so they agree on it as well.
//! - Every target gets everything of an actor that it has not answered, or nothing: so no order is skipped, and the last order is all that it remembers.
//! - An order is an instant in microseconds. A home that lost its last seconds goes on above what its targets know.
//! - The home remembers where each action counts. Its undo goes there besides the boards that it counts on now. So what was configured otherwise then, and sections and
//!   authors that its item had, are undone without anybody knowing them. Whether it stands there, the target alone knows: what a home lost, or has too much, changes
//!   nothing but where is asked.
//! - An id is known at the home alone. It is known with what refused the event: only that gets it when it is sent again, at the instant of then and in
//!   its first place of the order. So what was undone meanwhile stays undone.
//! - An action that counts on one target needs no home.

mod piece;

use std::cell::{LazyCell, RefCell};
use std::collections::BTreeMap;
use std::fmt::Write;

use ranking::counting::{Outcome, Target, TargetBatch, TargetEvent, Who, counts_on_several};
use ranking::event::{SenderClass, When};
use ranking::name::Id;
use ranking::read::PeriodRef;
use ranking::site::{Acknowledge, Site};
use ranking::standing::Moves;
use ranking::zone::{ZoneSpan, Zones};

use self::piece::Piece;
use super::record::{Entry, Recorded, WHAT, digest, instants, outcomes, short_id, who};
use super::record_standing;
use super::reply::{Call, malformed};
use super::scripts::{
    DECIDE, DecideArgs, DecideEvent, DecideIntent, DecideReply, IntentsArgs, IntentsIntent, IntentsReply, RECORD_TRACKED, RecordBatchArgs,
};
use super::window::years_of;
use super::{Store, keys};
use crate::adapter::slots::slot_of;
use crate::adapter::{Applied, Error, Fault, Invocation, Mode, Transport};

/// Intents that are finished in one trip of upkeep.
const FINISHED: i64 = 100;

/// Intents that all targets answered, until the next call to their homes. Plain data of an isolate.
#[derive(Debug, Default)]
pub struct Settled(RefCell<BTreeMap<String, Vec<String>>>);

impl Settled {
    /// Of one home, at most: upkeep finishes the others once more, which changes nothing.
    const MOST: usize = 200;

    fn put(&self, home: &str, line: String) {
        let mut all = self.0.borrow_mut();
        let of = all.entry(home.into()).or_default();
        if of.len() < Self::MOST {
            of.push(line);
        }
    }

    fn take(&self, home: &str) -> String {
        self.0.borrow_mut().remove(home).unwrap_or_default().concat()
    }
}

/// An event on its way to its targets.
#[derive(Clone, Debug)]
struct Intent {
    /// The key of its home.
    home: String,
    order: u64,
    /// Unix milliseconds.
    at: String,
    who: String,
    id: String,
    pieces: Vec<Piece>,
    /// Whether its home waits for its targets.
    waits: bool,
    /// Whether it was decided in this call.
    is_new: bool,
    /// The event's number in this call; `None`: another call decided it.
    number: Option<usize>,
    /// What each piece became, as its target answered.
    became: Vec<Option<Result<char, Error>>>,
}

impl Intent {
    fn new(home: &str, (order, at, who, id): (u64, &str, &str, &str), pieces: Vec<Piece>) -> Self {
        let became = vec![None; pieces.len()];
        Self {
            home: home.into(),
            order,
            at: at.into(),
            who: who.into(),
            id: id.into(),
            pieces,
            waits: true,
            is_new: false,
            number: None,
            became,
        }
    }

    /// As a home has it: its instant, its id, its pieces, and where the action of an undo counted.
    fn kept(home: &str, order: u64, who: &str, written: &str) -> Option<Self> {
        let mut parts = written.splitn(3, '\t');
        let (at, id, pieces) = (parts.next()?, parts.next()?, parts.next()?);
        let (pieces, places) = pieces.split_once(Piece::PLACES).unwrap_or((pieces, ""));
        let mut pieces = pieces.split_terminator(Piece::END).map(Piece::read).collect::<Option<Vec<_>>>()?;
        pieces.extend(Piece::elsewhere(&pieces, places));
        Some(Self::new(home, (order, at, who, id), pieces))
    }

    /// Whether what a piece became may change when it comes again.
    fn is_refused(code: char, piece: &Piece) -> bool {
        "rmvgxfoe".contains(code) || code == 'b' && !piece.undoes()
    }

    /// The line that lets its home forget it; `None` while a target has not answered.
    fn settled(&self) -> Option<String> {
        let mut refused = Vec::new();
        for (piece, became) in self.pieces.iter().zip(&self.became) {
            match became {
                Some(Ok(code)) if Self::is_refused(*code, piece) => refused.push(piece.label.as_str()),
                Some(Ok(_)) => {}
                _ => return None,
            }
        }
        let is_refused = !refused.is_empty() && refused.len() == self.pieces.len();
        let refused = if is_refused { "*".to_owned() } else { refused.join(",") };
        Some(format!("{}\t{}\t{}\t{}\t{refused}\n", self.order, self.who, self.id, self.at))
    }
}

/// Events of one class that a target gets in one call: the places of intents, and of pieces of these.
struct Run<'s> {
    target: Target<'s>,
    is_browser: bool,
    pieces: Vec<(usize, usize)>,
}

/// An event that gets its order at a home, on its targets.
struct Ordered {
    home: String,
    number: usize,
    event: DecideEvent,
    /// In the batches, and in these.
    places: Vec<(usize, usize)>,
    pieces: Vec<Piece>,
}

/// What a home decided of an event.
enum Decision {
    /// Its order, and whether it was decided before.
    Ordered { order: u64, is_known: bool },
    /// It is of the future.
    Future,
    /// Too much of its actor waits.
    Waits,
}

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Records each target's events as [`Store::record`] and [`Store::record_standing`] do, where targets lie on several nodes: actions that can be
    /// undone and may count on several targets get their order at the homes of their actors.
    ///
    /// # Errors
    /// The outer error: no replies could be had, and every target's outcome is that error's.
    pub async fn record_ordered(
        &self,
        site: &Site,
        batches: &[TargetBatch<'_>],
        new_salt: &str,
        stand: Option<&PeriodRef>,
        settled: &Settled,
    ) -> Result<(Vec<Recorded>, Option<Moves>), Error> {
        let ordered = self.ordered(site, batches);
        if ordered.is_empty() {
            return match stand {
                Some(of) => self.record_standing(site, batches, new_salt, of).await,
                None => Ok((self.record(site, batches, new_salt).await?, None)),
            };
        }
        let rest: Vec<(usize, Vec<usize>)> = (0..batches.len()).map(|i| (i, rest_of(i, &batches[i], &ordered))).collect();
        let rest: Vec<(usize, Vec<usize>)> = rest.into_iter().filter(|(_, places)| !places.is_empty()).collect();
        let pieces: Vec<TargetBatch> = rest.iter().map(|(i, places)| some_of(&batches[*i], places)).collect();
        let mut homes: Vec<&str> = ordered.iter().map(|event| event.home.as_str()).collect();
        homes.sort_unstable();
        homes.dedup();
        let of_home = |home: &str| ordered.iter().filter(|event| event.home == home).collect::<Vec<_>>();
        let taken: Vec<String> = homes.iter().map(|home| settled.take(home)).collect();
        let call = |i: usize, zone: &ZoneSpan| match homes.get(i) {
            Some(home) => DecideArgs {
                home: (*home).into(),
                replay_window: replay_window(site, batches),
                actor_history: site.actor_history_s.into(),
                settled: taken[i].clone(),
                events: of_home(home).into_iter().map(|event| event.event.clone()).collect(),
            }
            .invocation(),
            None => self.entry(site, zone, &pieces[i - homes.len()], new_salt, false).invocation(),
        };
        let years = self.years_of(site, instants(batches));
        let mode = acknowledged(site, Mode::Pipeline);
        let mut replies = self.send_all(mode, site, vec![years; homes.len() + pieces.len()], &call).await?.into_iter();
        let mut of_batches: Vec<Became> = batches.iter().map(|batch| Ok(vec![None; batch.events.len()])).collect();
        let (mut intents, mut decided) = (Vec::new(), Vec::new());
        for home in &homes {
            let of = of_home(home);
            let reply = replies.next().unwrap_or_else(|| Err(malformed(&DECIDE, "the reply")));
            match reply.and_then(|mut reply| read_decided(home, &of, DecideArgs::read(&mut reply)?, &mut intents)) {
                Ok(decisions) => decided.extend(of.into_iter().zip(decisions)),
                Err(error) => of.iter().flat_map(|event| &event.places).for_each(|(i, _)| of_batches[*i] = Err(error.clone())),
            }
        }
        for ((i, places), batch) in rest.iter().zip(&pieces) {
            let recorded = replies
                .next()
                .unwrap_or_else(|| Err(malformed(&RECORD_TRACKED, "the reply")))
                .and_then(|mut reply| outcomes(batch, &mut reply));
            put_outcomes(&mut of_batches[*i], places, recorded);
        }
        let moves = self.deliver(site, batches, (new_salt, stand), &mut intents, false).await;
        for (event, decision) in decided {
            join(event, &decision, batches, &intents, &mut of_batches);
        }
        for intent in intents.iter().filter(|intent| intent.waits) {
            if let Some(line) = intent.settled() {
                settled.put(&intent.home, line);
            }
        }
        let recorded = of_batches.into_iter().map(|outcomes| {
            outcomes?.into_iter().map(|outcome| outcome.ok_or_else(|| malformed(&RECORD_TRACKED, "outcomes"))).collect::<Recorded>()
        });
        Ok((recorded.collect(), moves))
    }

    /// Finishes what so many homes of a site wait for since `age_ms`, until nothing of that is left: see [`Settled`] for what homes learn with it. Answers how many
    /// intents that were. Where the site `has_all` of its boards, a target that it does not have is gone, and left out.
    ///
    /// # Errors
    /// When a home or a target does not answer; what is left is finished later.
    pub async fn finish_intents(
        &self,
        (site, has_all): (&Site, bool),
        homes: u32,
        age_ms: i64,
        new_salt: &str,
        settled: &Settled,
    ) -> Result<u64, Error> {
        let mut open = homes_of(self.key_prefix, site, homes);
        let mut finished = 0;
        loop {
            let taken: Vec<String> = open.iter().map(|home| settled.take(home)).collect();
            let call = |i: usize, _: &ZoneSpan| IntentsArgs {
                home: open[i].clone(),
                settled: taken[i].clone(),
                ends: String::new(),
                age: age_ms,
                limit: FINISHED,
            };
            let replies = self.call_all(Mode::Pipeline, site, vec![self.years(); open.len()], call).await?;
            let (mut intents, mut failed) = (Vec::new(), None);
            for (home, reply) in open.iter().zip(replies) {
                match reply {
                    Ok(IntentsReply { intents: of, .. }) => {
                        intents.extend(
                            of.into_iter().filter_map(|IntentsIntent { order, who, written }| Intent::kept(home, order, &who, &written)),
                        );
                    }
                    Err(error) => failed = Some(error),
                }
            }
            self.deliver(site, &[], (new_salt, None), &mut intents, has_all).await;
            let mut going_on = Vec::new();
            for intent in &intents {
                if let Some(line) = intent.settled() {
                    finished += 1;
                    settled.put(&intent.home, line);
                    going_on.push(intent.home.clone());
                } else {
                    let error = intent.became.iter().flatten().find_map(|became| became.as_ref().err());
                    failed = error.cloned().or(failed);
                }
            }
            going_on.sort_unstable();
            going_on.dedup();
            open = going_on;
            if open.is_empty() {
                return failed.map_or(Ok(finished), Err);
            }
        }
    }

    /// Forgets what an actor did and did not reach all of its targets: before it is erased from these. It looks at every home that there may be. Answers
    /// the last order that one may have given: what has it, or an earlier one, may still be underway to a target.
    ///
    /// # Errors
    /// When a home does not answer.
    pub async fn end_intents(&self, site: &Site, actor: &Id) -> Result<u64, Error> {
        let call = |i: usize, _: &ZoneSpan| IntentsArgs {
            home: keys::home_key(self.key_prefix, site, u32::try_from(i).unwrap_or_default()),
            settled: String::new(),
            ends: who(Who::Actor(actor)),
            age: 0,
            limit: 0,
        };
        let years = vec![self.years(); Site::MAX_HOMES as usize];
        let replies = self.call_all(Mode::Pipeline, site, years, call).await?;
        replies.into_iter().try_fold(0, |latest, reply| Ok(latest.max(reply?.decided_until)))
    }

    /// The events that get their order at a home, each with all of its targets.
    fn ordered(&self, site: &Site, batches: &[TargetBatch<'_>]) -> Vec<Ordered> {
        let homes = LazyCell::new(|| homes_of(self.key_prefix, site, site.actor_homes));
        let mut ordered: BTreeMap<usize, Ordered> = BTreeMap::new();
        for (i, batch) in batches.iter().enumerate() {
            for (at, event) in batch.events.iter().enumerate().filter(|(_, event)| is_ordered(site, event)) {
                let Some(tracked) = &event.tracked else { continue };
                let of = ordered.entry(event.number).or_insert_with(|| {
                    let who = who(tracked.who);
                    let home = home_of(&who, &homes).to_owned();
                    let what = digest(&[event.action.as_str(), event.item.map_or("", |item| item.as_str())], WHAT);
                    let event = DecideEvent { who, id: id_of(batch, event), when: when_of(event.when), what, pieces: String::new() };
                    Ordered { home, number: batch.events[at].number, event, places: Vec::new(), pieces: Vec::new() }
                });
                of.places.push((i, at));
                of.pieces.push(Piece::of(batch, at, site));
            }
        }
        let mut ordered: Vec<Ordered> = ordered.into_values().collect();
        for of in &mut ordered {
            of.pieces.iter().for_each(|piece| piece.write(&mut of.event.pieces));
            if !of.pieces.iter().any(Piece::undoes) {
                let _ = write!(of.event.what, "{}{}", Piece::FIELD, Piece::write_places(&of.pieces));
            }
        }
        ordered
    }

    /// Gives intents to their targets, by their order, each target's in one call; and notes what became of them. Once more where that failed: a
    /// target answers what it has applied as before. What is of a board that the site does not have stays. Where it has all, that is left out after an
    /// hour: others know new boards before.
    async fn deliver(
        &self,
        site: &Site,
        batches: &[TargetBatch<'_>],
        (new_salt, stand): (&str, Option<&PeriodRef>),
        intents: &mut [Intent],
        has_all: bool,
    ) -> Option<Moves> {
        // Those of this call as they came: orders of several homes are no order of them.
        intents.sort_by_key(|intent| (intent.number, intent.order));
        let target_of = |label: &str| {
            let own = batches.iter().map(|batch| batch.target);
            own.chain(Target::each(site)).find(|target| target.label() == label)
        };
        let mut runs: Vec<Run> = Vec::new();
        for (i, intent) in intents.iter_mut().enumerate() {
            for p in 0..intent.pieces.len() {
                let (label, is_browser) = (intent.pieces[p].label.as_str(), intent.pieces[p].is_browser);
                match (target_of(label), runs.iter_mut().rev().find(|run| run.target.label() == label)) {
                    (None, _) if has_all && self.is_long_ago(intent.order) => intent.became[p] = Some(Ok('g')),
                    (None, _) => {}
                    (Some(_), Some(run)) if run.is_browser == is_browser => run.pieces.push((i, p)),
                    (Some(target), _) => runs.push(Run { target, is_browser, pieces: vec![(i, p)] }),
                }
            }
        }
        let is_parted = (1..runs.len()).any(|i| runs[..i].iter().any(|run| run.target.label() == runs[i].target.label()));
        let mode = acknowledged(site, if is_parted { Mode::Transaction } else { Mode::Pipeline });
        let stand = stand.filter(|_| !is_parted);
        let is_asked = |run: &Run| stand.filter(|of| matches!(run.target, Target::Board(board) if board.name == of.board.name));
        let (mut open, mut moves): (Vec<usize>, _) = ((0..runs.len()).collect(), None);
        for _ in 0..TRIES {
            if open.is_empty() {
                break;
            }
            let of = |run: &Run| -> Vec<(bool, When)> {
                run.pieces.iter().map(|(i, p)| (intents[*i].pieces[*p].undoes(), When::At(intents[*i].at.parse().unwrap_or(0)))).collect()
            };
            let years = self.years_of(site, open.iter().flat_map(|run| of(&runs[*run])));
            let years = stand.map_or(years, |of| years.and(years_of(site, of, self.guess_s)));
            let call = |i: usize, zone: &ZoneSpan| self.run_call(site, zone, &runs[open[i]], intents, new_salt, is_asked(&runs[open[i]]));
            let replies = match self.send_all(mode, site, vec![years; open.len()], &call).await {
                Ok(replies) => replies,
                Err(error) => open.iter().map(|_| Err(error.clone())).collect(),
            };
            let mut again = Vec::new();
            for (place, reply) in open.into_iter().zip(replies) {
                let run = &runs[place];
                let codes = reply.and_then(|mut reply| match is_asked(run) {
                    Some(of) => record_standing::read(&mut reply, site, of).map(|(codes, moved)| {
                        moves = Some(moved);
                        codes
                    }),
                    None => Ok(RecordBatchArgs::read(&mut reply)?.outcomes),
                });
                let codes = codes.and_then(|codes| {
                    let codes: Vec<char> = codes.chars().collect();
                    if codes.len() == run.pieces.len() { Ok(codes) } else { Err(malformed(&RECORD_TRACKED, "outcomes")) }
                });
                match codes {
                    Ok(codes) => run.pieces.iter().zip(codes).for_each(|((i, p), code)| intents[*i].became[*p] = Some(Ok(code))),
                    Err(error) => {
                        if error.is_transient() {
                            again.push(place);
                        }
                        run.pieces.iter().for_each(|(i, p)| intents[*i].became[*p] = Some(Err(doubtful(&error))));
                    }
                }
            }
            open = again;
        }
        moves
    }

    /// Whether an order is older than an hour, by the caller's clock.
    fn is_long_ago(&self, order: u64) -> bool {
        order / 1_000_000 + 3600 < u64::try_from(self.guess_s).unwrap_or_default()
    }

    /// The call of a target's run.
    fn run_call(
        &self,
        site: &Site,
        zone: &ZoneSpan,
        run: &Run,
        intents: &[Intent],
        new_salt: &str,
        stand: Option<&PeriodRef>,
    ) -> Invocation {
        let pieces = || run.pieces.iter().map(|(i, p)| (&intents[*i], &intents[*i].pieces[*p]));
        let events = pieces().map(|(intent, piece)| piece.at(intent.order, &intent.at));
        let batch = TargetBatch {
            sender: if run.is_browser { SenderClass::Browser } else { SenderClass::Server },
            senders: pieces().map(|(_, piece)| (1, piece.visitor.as_ref())).collect(),
            ..TargetBatch::empty(run.target)
        };
        if let Some(of) = stand {
            let mut args = self.standing_args(site, zone, &batch, new_salt, of, true);
            args.events = events.collect();
            return args.invocation();
        }
        match self.entry(site, zone, &batch, new_salt, true) {
            Entry::Tracked(mut args) => {
                args.events = events.collect();
                args.invocation()
            }
            entry => entry.invocation(),
        }
    }
}

/// What became of a target's events, as far as it is known.
type Became = Result<Vec<Option<Outcome>>, Error>;

/// The first try of a trip to targets, and one more.
const TRIES: usize = 2;

/// Whether an event gets its order at a home.
fn is_ordered(site: &Site, event: &TargetEvent) -> bool {
    event.is_ordered() && counts_on_several(site, event.action.as_str())
}

/// The keys of so many homes, evenly among the slots of all that a site may have. The first ones by their numbers may be on one node: names that differ
/// in one digit have slots that are near.
fn homes_of(key_prefix: &str, site: &Site, count: u32) -> Vec<String> {
    let mut all: Vec<String> = (0..Site::MAX_HOMES).map(|home| keys::home_key(key_prefix, site, home)).collect();
    all.sort_by_cached_key(|home| slot_of(home.as_bytes()));
    (0..count).map(|i| std::mem::take(&mut all[((2 * i + 1) * Site::MAX_HOMES / (2 * count)) as usize])).collect()
}

/// The key of somebody's home.
fn home_of<'h>(who: &str, homes: &'h [String]) -> &'h str {
    let [a, b, c, d, ..] = sha1_smol::Sha1::from(who).digest().bytes();
    &homes[u32::from_be_bytes([a, b, c, d]) as usize % homes.len()]
}

/// What an event is known by at a home, with its class of senders; empty where it has no id.
fn id_of(batch: &TargetBatch, event: &TargetEvent) -> String {
    let id = match (event.id, event.batch.or(batch.id)) {
        (Some(id), _) => id.part_of().map_or_else(|| short_id(id), |(batch, index)| format!("{}/{index}", short_id(&batch))),
        (None, Some(id)) => format!("{}/{}", short_id(id), event.index),
        (None, None) => return String::new(),
    };
    format!("{}/{id}", if batch.sender.is_browser() { 'b' } else { 's' })
}

fn when_of(when: When) -> String {
    match when {
        When::Now => String::new(),
        When::Ago(ms) => ms.to_string(),
        When::At(unix_ms) => format!("@{unix_ms}"),
    }
}

/// Seconds for which homes remember ids: as long as any of the targets would.
fn replay_window(site: &Site, batches: &[TargetBatch]) -> i64 {
    batches.iter().map(|batch| i64::from(batch.target.replay_window(site).longest(batch.sender))).max().unwrap_or_default()
}

fn acknowledged(site: &Site, mode: Mode) -> Mode {
    match site.acknowledge {
        Acknowledge::Written => mode,
        Acknowledge::Replicated => mode.replicated(),
    }
}

/// The places of a batch's events that get no order.
fn rest_of(i: usize, batch: &TargetBatch, ordered: &[Ordered]) -> Vec<usize> {
    let is_ordered = |at: &usize| ordered.iter().any(|event| event.places.contains(&(i, *at)));
    (0..batch.events.len()).filter(|at| !is_ordered(at)).collect()
}

/// Some events of a batch, with those who sent them.
fn some_of<'b>(batch: &TargetBatch<'b>, places: &[usize]) -> TargetBatch<'b> {
    let sender_of = |place: &usize| {
        let mut until = 0;
        let sender = batch.senders.iter().find(|(count, _)| {
            until += count;
            *place < until
        });
        (1, sender.and_then(|(_, sender)| *sender))
    };
    TargetBatch {
        is_whole: batch.is_whole && places.len() == batch.events.len(),
        events: places.iter().map(|place| batch.events[*place].clone()).collect(),
        senders: places.iter().map(sender_of).collect(),
        ..*batch
    }
}

fn put_outcomes(became: &mut Became, places: &[usize], recorded: Recorded) {
    match (became, recorded) {
        (Ok(all), Ok(outcomes)) => places.iter().zip(outcomes).for_each(|(place, outcome)| all[*place] = Some(outcome)),
        (became @ Ok(_), Err(error)) => *became = Err(error),
        (Err(_), _) => {}
    }
}

/// What a home decided of its events, in their order. Its intents are added to the others.
fn read_decided(home: &str, events: &[&Ordered], reply: DecideReply, intents: &mut Vec<Intent>) -> Result<Vec<Decision>, Error> {
    let DecideReply { decisions, intents: waiting } = reply;
    for DecideIntent { order, who, written } in waiting {
        intents.push(Intent::kept(home, order, &who, &written).ok_or_else(|| malformed(&DECIDE, "intent.written"))?);
    }
    let decided = events.iter().zip(decisions).map(|(event, decision)| {
        let DecideEvent { who, id, .. } = &event.event;
        let order = decision.order;
        let elsewhere = Piece::elsewhere(&event.pieces, decision.recorded.trim_start_matches(Piece::PLACES));
        let pieces = event.pieces.iter().cloned().chain(elsewhere);
        match decision.became.as_str() {
            "n" => {
                let intent = Intent::new(home, (order, &decision.at, who, id), pieces.collect());
                intents.push(Intent { is_new: true, number: Some(event.number), ..intent });
                Ok(Decision::Ordered { order, is_known: false })
            }
            "k" => {
                let is_refused = |piece: &Piece| decision.refused.split(',').any(|label| label == piece.label);
                let pieces: Vec<Piece> = pieces.filter(is_refused).collect();
                if !pieces.is_empty() {
                    let intent = Intent::new(home, (order, &decision.at, who, id), pieces);
                    intents.push(Intent { waits: false, number: Some(event.number), ..intent });
                }
                Ok(Decision::Ordered { order, is_known: true })
            }
            "f" => Ok(Decision::Future),
            "w" => Ok(Decision::Waits),
            _ => Err(malformed(&DECIDE, "decision.became")),
        }
    });
    decided.collect()
}

/// Puts what became of an event into the outcomes of its targets. What was applied before this call is a duplicate, unless it was decided in it: then
/// somebody else was faster to bring it.
fn join(event: &Ordered, decision: &Decision, batches: &[TargetBatch], intents: &[Intent], of_batches: &mut [Became]) {
    let mut put = |(i, at): (usize, usize), became: Result<Outcome, Error>| match (&mut of_batches[i], became) {
        (Ok(all), Ok(outcome)) => all[at] = Some(outcome),
        (all @ Ok(_), Err(error)) => *all = Err(error),
        (Err(_), _) => {}
    };
    let (order, is_known) = match decision {
        Decision::Ordered { order, is_known } => (*order, *is_known),
        Decision::Future => return event.places.iter().for_each(|place| put(*place, Ok(Outcome::Future))),
        Decision::Waits => {
            let error = || Error::new(Fault::Lost, "too much of an actor waits for a node of the cluster");
            return event.places.iter().for_each(|place| put(*place, Err(error())));
        }
    };
    let intent = intents.iter().find(|intent| intent.home == event.home && intent.order == order && !(is_known && intent.is_new));
    let counted_elsewhere = intent.is_some_and(|intent| {
        let counted = |(piece, became): (&Piece, &Option<Result<char, Error>>)| {
            matches!(became, Some(Ok('c'))) && !event.pieces.iter().any(|own| own.is_at(piece))
        };
        intent.pieces.iter().zip(&intent.became).any(counted)
    });
    for (k, place) in event.places.iter().enumerate() {
        let label = batches[place.0].target.label();
        let piece = intent.and_then(|intent| {
            let of_label = |k: &usize| intent.pieces[*k].label == label;
            let own = if is_known { (0..intent.pieces.len()).find(of_label)? } else { k };
            intent.became[own].as_ref()
        });
        let became = match piece {
            None if is_known => Ok(Outcome::Duplicate),
            None => Err(malformed(&RECORD_TRACKED, "outcomes")),
            Some(Err(error)) => Err(error.clone()),
            Some(Ok(code)) if code.is_ascii_uppercase() && is_known => Ok(Outcome::Duplicate),
            Some(Ok('n' | 'u')) if counted_elsewhere => Ok(Outcome::Counted),
            Some(Ok(code)) => {
                let code = u8::try_from(code.to_ascii_lowercase()).unwrap_or_default();
                Outcome::of_code(code).ok_or_else(|| malformed(&RECORD_TRACKED, "outcomes"))
            }
        };
        put(*place, became);
    }
}

/// The error of a target that did not answer. What its home decided is not taken back, so it may be applied.
fn doubtful(error: &Error) -> Error {
    match (error.applied(), error.fault) {
        (Applied::No, Fault::ScriptUndone) => {
            Error::new(Fault::Script, error.detail.strip_prefix("UNTOUCHED FAILED ").unwrap_or(&error.detail))
        }
        (Applied::No, _) => Error::new(Fault::Lost, error.detail.clone()),
        _ => error.clone(),
    }
}
