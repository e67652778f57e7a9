//! Counting events, once per target, all targets in one round trip: by `lua/record_event.lua`, `lua/record_batch.lua` or
//! `lua/record_tracked.lua`, by what a target and its batch need.
//!
//! | script | counts | how |
//! |---|---|---|
//! | `record_event` | one untracked event | by a plan where the event is of now; a sum is not read before |
//! | `record_batch` | untracked events | a plain batch key by key; any other in tables: load, apply, store |
//! | `record_tracked` | any events | a single event of now by a plan; any other in tables; all targets of a transaction use this script |
//! | `record_standing` | any events, and how their members move | as `record_tracked`, plain batches as `record_batch` |
//!
//! `lua/README.md` describes how these scripts count.
//!
//! # Decisions
//!
//! - All scripts of a transaction get the years of the oldest event and of the oldest action that can be undone, since none may
//!   ask for more of the time zone after another one has counted. That limits the age at which an action can be recorded and
//!   still be undone: 366 days.
//! - `record_standing` reads the standings with the functions of `ranks`, before and after counting, in one call. Two commands
//!   a member would suffice, given what counting reads and the scores of curated members in the state. That took 600 lines and
//!   a hook in each way of counting.
//! - A group (`Split::merged`) is one call per target and class of senders, since the ids of the classes must not meet. An
//!   event of a batch with the id `B` at index `i` is then known as `B/i`, and a batch that comes whole as `B`. The scripts
//!   look for both, so batches may be sent again in any form. `tests/lua/batches/merged.rs` compares groups with one batch
//!   after the other.

use std::fmt::Write;

use ranking::counting::{Outcome, Target, TargetBatch, TargetEvent, TrackedAction, Verb, Who};
use ranking::event::{SenderClass, When};
use ranking::facts::Sections;
use ranking::name::{Id, Name, ReplayId};
use ranking::site::{Acknowledge, Board, Members, NewMembers, Site};
use ranking::visitor::Fingerprint;
use ranking::window::Unit;
use ranking::zone::{Years, ZoneSpan, Zones};

use super::Store;
use super::reply::{Call, ReplyReader, malformed};
use super::scripts::{
    BatchFields, CountingFields, RECORD_BATCH, RecordBatchArgs, RecordBatchEvent, RecordEventArgs, RecordTrackedArgs, SendersFields,
    TrackedEventFields,
};
use super::target;
use super::window::{calendar_with_seasons, stable_offset_fields};
use crate::adapter::{Error, Invocation, Mode, Transport};

/// The answer of one target: its events' outcomes, in order.
pub type Recorded = Result<Vec<Outcome>, Error>;

impl<T: Transport, Z: Zones> Store<'_, T, Z> {
    /// Records each target's events. `new_salt` is random text where an event is tracked by visitor, and empty
    /// otherwise.
    ///
    /// Actions that can be undone are recorded in one transaction over all targets. Otherwise two requests, one doing and one
    /// undoing, could come to the targets in different orders.
    ///
    /// # Errors
    /// The outer error: no replies could be had, and every target's outcome is that error's.
    pub async fn record(&self, site: &Site, batches: &[TargetBatch<'_>], new_salt: &str) -> Result<Vec<Recorded>, Error> {
        let mode = mode_of(site, batches);
        let years = vec![self.years_of(site, instants(batches)); batches.len()];
        let is_tracked = mode.is_transaction();
        // Late events have keys of their periods.
        let varies = |batch: &TargetBatch| batch.events.iter().any(|event| event.when != When::Now);
        let call = |i: usize, zone: &ZoneSpan| {
            let entry = self.entry(site, zone, &batches[i], new_salt, is_tracked);
            Invocation { varies: varies(&batches[i]), ..entry.invocation() }
        };
        let replies = self.send_all(mode, site, years, &call).await?;
        Ok(batches.iter().zip(replies).map(|(batch, reply)| outcomes(batch, &mut reply?)).collect())
    }

    /// The years of the zone that events are recorded with, by whether each undoes, and when it was. All targets get the same ones, and so many
    /// that none of a transaction asks for more after another one has counted. Where actions can be undone, all batches get those that an undo may
    /// need: what is planned for one event then holds for the next one, see `lua/lib/planning.lua`.
    pub fn years_of(&self, site: &Site, events: impl Iterator<Item = (bool, When)>) -> Years {
        let undo = site.actions.values().any(|action| action.reversible).then(|| oldest_undone(site, self.guess_s));
        let events = events.map(|event| oldest(site, event, self.guess_s));
        Years::around(events.chain(undo).min().unwrap_or(self.guess_s), self.guess_s)
    }

    /// The script's call that a batch needs. All targets of a transaction have the same script, see [`crate::adapter::script::run`].
    pub(super) fn entry(&self, site: &Site, zone: &ZoneSpan, batch: &TargetBatch, new_salt: &str, is_tracked: bool) -> Entry {
        let target = batch.target;
        let fields = target::fields(target, site);
        let keeps = Keeps::of(site, target);
        let (board, stable_offset) = (self.key(site, target), stable_offset_fields(zone, self.guess_s));
        let (counting, calendar, of_batch) =
            (counting_fields(site, batch), calendar_with_seasons(site, zone, target.windows()), batch_fields(site, batch));
        let senders = senders_fields(site, batch, new_salt);
        let events = || batch.events.iter();
        if is_tracked || events().any(|event| event.tracked.is_some()) {
            return Entry::Tracked(RecordTrackedArgs {
                board,
                target: fields,
                stable_offset,
                counting,
                batch: of_batch,
                senders,
                calendar,
                actor_history: site.actor_history_s.into(),
                journal: target.journal_s(site).into(),
                new_salt: new_salt.into(),
                visitors_per_address: site.visitors_per_address.into(),
                events: events().map(|event| tracked_event(batch, event, keeps)).collect(),
            });
        }
        match &batch.events[..] {
            [event] if !batch.sender.is_queued() && keeps.is_planned(event) => {
                let RecordBatchEvent { member, delta, when, id, action } = batch_event(batch, event, keeps);
                Entry::Event(RecordEventArgs {
                    board,
                    target: fields,
                    stable_offset,
                    counting,
                    batch: of_batch,
                    senders,
                    calendar,
                    member,
                    delta,
                    when,
                    id,
                    action,
                })
            }
            _ => Entry::Batch(RecordBatchArgs {
                board,
                target: fields,
                stable_offset,
                counting,
                batch: of_batch,
                senders,
                calendar,
                events: events().map(|event| batch_event(batch, event, keeps)).collect(),
            }),
        }
    }
}

/// Actions that can be undone are recorded in one transaction. Where targets lie on several nodes it is one for each node, and their order is that of
/// their actors' homes, see [`super::homes`].
pub(super) fn mode_of(site: &Site, batches: &[TargetBatch]) -> Mode {
    let mode = if batches.iter().any(TargetBatch::is_ordered) { Mode::Transaction } else { Mode::Pipeline };
    match site.acknowledge {
        Acknowledge::Written => mode,
        Acknowledge::Replicated => mode.replicated(),
    }
}

/// A call of the script that a batch needs.
pub(super) enum Entry {
    /// One event that is not tracked, see [`Keeps::is_planned`].
    Event(RecordEventArgs),
    /// Events that are not tracked.
    Batch(RecordBatchArgs),
    /// Any events.
    Tracked(RecordTrackedArgs),
}

impl Entry {
    pub(super) fn invocation(self) -> Invocation {
        match self {
            Self::Event(args) => args.invocation(),
            Self::Batch(args) => args.invocation(),
            Self::Tracked(args) => args.invocation(),
        }
    }
}

pub(super) fn counting_fields(site: &Site, batch: &TargetBatch) -> CountingFields {
    let replay_window = batch.target.replay_window(site);
    CountingFields {
        replay_window: replay_window.of(batch.sender).into(),
        once_kept: replay_window.longest(batch.sender).into(),
        max_members: batch.target.max_members(),
        known_for: known_for_batch(site, batch).to_string(),
    }
}

pub(super) fn batch_fields(site: &Site, batch: &TargetBatch) -> BatchFields {
    let queue_s = batch.target.replay_window(site).queue_s;
    BatchFields {
        sender: match batch.sender {
            SenderClass::Browser => "browser".into(),
            SenderClass::Server => "server".into(),
            SenderClass::QueuedBrowser => format!("browser:{queue_s}"),
            SenderClass::QueuedServer => format!("server:{queue_s}"),
        },
        batch_id: batch.id.map_or(String::new(), short_id),
        has_all: i32::from(batch.is_whole).to_string(),
    }
}

/// Seconds for which an item is known, as the scripts have it. For ever is longer than any clock goes.
pub(super) fn known_for(board: &Board) -> i64 {
    const FOR_EVER_S: i64 = 1 << 40;
    board.known_for_s().and_then(|seconds| i64::try_from(seconds).ok()).unwrap_or(FOR_EVER_S)
}

/// What bounds the events of browsers on a board.
pub(super) fn senders_fields(site: &Site, batch: &TargetBatch, new_salt: &str) -> SendersFields {
    let NewMembers { visitor, address } = site.new_members;
    let (mut newcomers, is_bounded) = (String::new(), batch.sender.is_browser() && site.new_members.is_bounded());
    if is_bounded && matches!(batch.target, Target::Board(_)) && batch.senders.iter().any(|(_, sender)| sender.is_some()) {
        let _ = write!(newcomers, "{visitor} {address} {new_salt}");
        for (events, sender) in &batch.senders {
            let _ = write!(newcomers, " {events}:{}", sender.map_or("-", Fingerprint::as_str));
        }
    }
    SendersFields { newcomers }
}

/// Seconds for which an item counts that was announced; 0: every item counts.
fn known_for_batch(site: &Site, batch: &TargetBatch) -> i64 {
    match batch.target {
        // What is in a section was described.
        Target::Board(board) if !matches!(board.sections, Sections::Of(_)) => {
            let counts_known = site.known_items && batch.sender.is_browser() && board.members == Members::Items;
            if counts_known { known_for(board) } else { 0 }
        }
        _ => 0,
    }
}

/// What a target keeps of each event, besides scores.
#[derive(Clone, Copy)]
pub(super) struct Keeps {
    actions: bool,
    /// Of what cannot be undone, see `lua/lib/indexes.lua`.
    items: bool,
}

impl Keeps {
    pub(super) fn of(site: &Site, target: Target<'_>) -> Self {
        match target {
            Target::Board(board) => Self { actions: board.breakdown, items: false },
            Target::ActivityLog => Self { actions: true, items: site.activity_entries > 0 },
        }
    }

    /// Whether an event that comes alone may be counted by a plan, see `lua/lib/planning.lua`. Others are batches of one.
    fn is_planned(self, event: &TargetEvent) -> bool {
        !self.actions || event.count == 1
    }
}

/// How often an action happened, its item, or what stands beside a value travel with it in one argument: of a hundred events each
/// argument more takes Redis a hundred thousand instructions.
fn batch_event(batch: &TargetBatch, event: &TargetEvent, keeps: Keeps) -> RecordBatchEvent {
    let mut action = match event.count {
        _ if !keeps.actions => String::new(),
        1 => event.action.to_string(),
        count => format!("{}*{count}", event.action),
    };
    // Ids have no line feeds.
    if let (true, None, Some(item)) = (keeps.items, &event.tracked, event.item) {
        let _ = write!(action, "\n{}", item.as_str());
    }
    if let Some(meta) = event.meta {
        action = format!("={meta}");
    }
    RecordBatchEvent {
        member: event.member.as_str().into(),
        delta: event.weight,
        when: match event.when {
            When::Now => String::new(),
            When::Ago(ms) => ms.to_string(),
            When::At(unix_ms) => format!("@{unix_ms}"),
        },
        id: event_id(batch, event),
        action,
    }
}

pub(super) fn tracked_event(batch: &TargetBatch, event: &TargetEvent, keeps: Keeps) -> TrackedEventFields {
    let RecordBatchEvent { member, delta, when, id, action } = batch_event(batch, event, keeps);
    let untracked = TrackedEventFields {
        member,
        delta,
        when,
        id,
        action,
        verb: String::new(),
        seq: String::new(),
        order: String::new(),
        once: String::new(),
        what: String::new(),
        who: String::new(),
        item: String::new(),
    };
    let Some(TrackedAction { verb, once, item, seq, who: by }) = &event.tracked else { return untracked };
    let item = item.map_or("", |item| item.as_str());
    let verb = match verb {
        Verb::Do => "o",
        Verb::Note => "n",
        Verb::DoReversibly => "r",
        Verb::Undo => "u",
    };
    TrackedEventFields {
        // An item that became another one is known by that: scripts then name anew what was done to which.
        action: if untracked.action.is_empty() { event.action.to_string() } else { untracked.action },
        verb: verb.into(),
        seq: seq.map(|seq| seq.to_string()).unwrap_or_default(),
        once: once.map_or('-', Unit::code).into(),
        what: digest(&[event.action.as_str(), item], WHAT),
        who: who(*by),
        // Where items are no members. The log remembers them as well: it tells what it was.
        item: if batch.target.has_actors() { item.into() } else { String::new() },
        ..untracked
    }
}

/// The outcomes of a batch's events. The replies of all scripts that count are alike.
pub(super) fn outcomes(batch: &TargetBatch, reply: &mut ReplyReader) -> Recorded {
    outcomes_of(batch, &RecordBatchArgs::read(reply)?.outcomes)
}

pub(super) fn outcomes_of(batch: &TargetBatch, codes: &str) -> Recorded {
    let outcomes: Option<Vec<Outcome>> = codes.bytes().map(Outcome::of_code).collect();
    outcomes.filter(|outcomes| outcomes.len() == batch.events.len()).ok_or_else(|| malformed(&RECORD_BATCH, "outcomes"))
}

/// Whether events undo, and when they were.
pub(super) fn instants(batches: &[TargetBatch<'_>]) -> impl Iterator<Item = (bool, When)> {
    let undoes = |event: &TargetEvent| event.tracked.as_ref().is_some_and(|tracked| tracked.verb == Verb::Undo);
    batches.iter().flat_map(|batch| &batch.events).map(move |event| (undoes(event), event.when))
}

/// The oldest instant (Unix seconds) that an undo may touch, by a guess of the time.
fn oldest_undone(site: &Site, guess_s: i64) -> i64 {
    /// An action that was reported later than that cannot be undone (`LATEST` in `lua/lib/tracked_hashes.lua`).
    const LATEST_S: u32 = 366 * 86_400;
    guess_s - i64::from(site.actor_history_s) - i64::from(LATEST_S)
}

/// The oldest instant (Unix seconds) that counting an event may touch, by a guess of the time.
fn oldest(site: &Site, (undoes, when): (bool, When), guess_s: i64) -> i64 {
    let seconds = |ms: u64| i64::try_from(ms / 1000).unwrap_or(i64::MAX);
    let at_s = match (undoes, when) {
        (true, _) => oldest_undone(site, guess_s),
        (_, When::Now) => guess_s,
        (_, When::Ago(ms)) => guess_s.saturating_sub(seconds(ms)),
        (_, When::At(unix_ms)) => seconds(unix_ms),
    };
    at_s.clamp(0, guess_s.max(0))
}

/// What an event is known by besides the batch's id: its own id, or its place in the batch after a slash. Of several batches, the id of
/// its own stands before that. Empty for the first event of a whole batch that counts no other one here, and where there is no id.
pub(super) fn event_id(batch: &TargetBatch, event: &TargetEvent) -> String {
    match (event.id, batch.id, event.batch) {
        (Some(id), ..) => id.part_of().map_or_else(|| short_id(id), |(batch, index)| format!("{}/{index}", short_id(&batch))),
        (None, None, Some(id)) => format!("{}/{}", short_id(id), event.index),
        (None, None, None) => String::new(),
        (None, Some(_), _) if batch.is_whole && batch.events.len() == 1 && event.index == 0 => String::new(),
        (None, Some(_), _) => format!("/{}", event.index),
    }
}

/// An id as it is remembered, without slashes. Others are digests of 84 bits: among a million ids two are equal once in 10^13
/// sets. 14 characters and their 2 bytes of header are the most that Redis keeps in 16 bytes.
pub(super) fn short_id(id: &ReplayId) -> String {
    const LONGEST: usize = 14;
    let id = id.as_str();
    if id.len() <= LONGEST && !id.contains('/') { id.into() } else { digest(&[id], LONGEST) }
}

/// The actor or visitor of an event, as scripts know it.
pub(super) fn who(who: Who) -> String {
    match who {
        Who::Actor(actor) => format!("actor:{}", actor.as_str()),
        Who::Visitor(visitor) => format!("visitor:{}", visitor.as_str()),
        Who::Nobody => "nobody:-".into(),
    }
}

/// The characters of what an action on an item is known by.
pub(super) const WHAT: usize = 11;

/// What an action on an item is known by among those of one actor.
pub(super) fn what(action: &Name, item: &Id) -> String {
    digest(&[action.as_str(), item.as_str()], WHAT)
}

/// A digest of some texts: characters that stand for six bits of their SHA-1 each; at most 20.
pub(super) fn digest(texts: &[&str], length: usize) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let sha1 = sha1_smol::Sha1::from(texts.join("\0")).digest().bytes();
    sha1.iter().take(length).map(|byte| char::from(ALPHABET[usize::from(byte & 63)])).collect()
}
