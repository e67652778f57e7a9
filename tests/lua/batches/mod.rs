//! Random batches of all kinds of events, over all options, against a reference in plain Rust: each outcome and every key.
//!
//! `EDGEBOARD_CASES=400 cargo test --test lua batches` runs more than ten thousand batches.

mod again;
mod boards;
mod calendar;
mod compare;
mod crowds;
mod merged;
mod model;
mod random;
mod revoked;

use engine::store::keep_off::Whom;
use proptest::prelude::*;
use ranking::counting::Outcome;
use ranking::name::Id;
use ranking::retention::Retention;
use ranking::site::Site;
use ranking::visitor::{Fingerprint, VisitorKey};
use ranking::window::{Kind, Unit, Window};
use serde_json::{Value as Json, json};

use crate::cases::{self, Counter};
use crate::deployment::{BOARD, Deployment};
use crate::support::zones;
use boards::Rules;
use calendar::Calendar;
use model::{Event, Model, Removal, Tracked, Who};
use random::{batch, options};

/// 2026-11-18T07:12:34.100Z: instants are reckoned from a tenth of a second, so that a script which comes some milliseconds
/// later counts within the same second.
const START_MS: i64 = 1_794_985_954_100;
const SECOND_MS: i64 = 1000;
const HOUR_S: i64 = 3600;
const DAY_S: i64 = 86_400;
/// A call that came so late says nothing: its instants may lie in another second than the model's.
const LATEST_MS: i64 = 700;

static BATCHES: Counter = Counter::new("batches");
static COUNTED: Counter = Counter::new("events that were counted");
static DUPLICATE: Counter = Counter::new("events whose id was known");
static FUTURE: Counter = Counter::new("events of the future");
static FULL: Counter = Counter::new("events that were refused");
static TOO_OLD: Counter = Counter::new("events that no window keeps");
static BEFORE: Counter = Counter::new("events of before a reset");
static KEPT_OFF: Counter = Counter::new("events of members that were removed");
static UNKNOWN: Counter = Counter::new("events of items that nobody announced");
static TOO_MANY_NEW: Counter = Counter::new("events whose sender made enough new members");
static REMOVED: Counter = Counter::new("entries that were removed");
static DONE: Counter = Counter::new("actions that were done already");
static CROWDED: Counter = Counter::new("actions of too many visitors of a network");
static UNDONE: Counter = Counter::new("undos that found nothing to undo");
static SUPERSEDED: Counter = Counter::new("events older than what was applied");
static SETTLED: Counter = Counter::new("events that changed nothing but the seq");
static ROLLED: Counter = Counter::new("rolling boards that were compared");
static ORDERED: Counter = Counter::new("pairs of ties that were compared");

/// A board's options.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "options are")]
struct Options {
    place: Place,
    windows: u8,
    ties: Option<bool>,
    dense: bool,
    breakdown: bool,
    once: Option<Unit>,
    actors: bool,
    activity: bool,
    max_members: Option<u8>,
    /// Windows have bounds of their own, see [`Options::bound`].
    bounds_differ: bool,
    /// Browsers send, whose new members are bounded by so many an hour; and whether only some items are known.
    browsers: Option<(u8, bool)>,
    /// Visitors of an address that count once; 0: all.
    visitors_per_address: u8,
}

/// A zone, when its days begin, and where its clock is changed the instant of that (Unix seconds).
#[derive(Clone, Copy, Debug)]
struct Place {
    timezone: &'static str,
    day_starts_at: &'static str,
    change_s: Option<i64>,
}

const fn place(timezone: &'static str, day_starts_at: &'static str, change_s: Option<i64>) -> Place {
    Place { timezone, day_starts_at, change_s }
}

const PLACES: [Place; 8] = [
    place("UTC", "00:00", None),
    place("Asia/Kathmandu", "00:00", None),
    place("Europe/London", "00:00", Some(1_792_890_000)), // 2026-10-25T01:00:00Z: an hour that is repeated
    place("Europe/London", "00:00", Some(1_806_195_600)), // 2027-03-28T01:00:00Z: one that is left out
    place("America/New_York", "01:30", Some(1_793_512_800)), // 2026-11-01T06:00:00Z: back across the day's beginning
    place("America/New_York", "01:30", Some(1_805_007_600)), // 2027-03-14T07:00:00Z
    place("Australia/Lord_Howe", "00:00", Some(1_806_764_400)), // 2027-04-03T15:00:00Z: half an hour that is repeated
    place("Australia/Lord_Howe", "00:00", Some(1_791_041_400)), // 2026-10-03T15:30:00Z: half an hour that is left out
];

/// What servers start with.
const PLAIN: Options = Options {
    place: Place { timezone: "UTC", day_starts_at: "00:00", change_s: None },
    windows: 0,
    ties: None,
    dense: false,
    breakdown: false,
    once: None,
    actors: false,
    activity: false,
    max_members: None,
    bounds_differ: false,
    browsers: None,
    visitors_per_address: 0,
};

/// One batch, after some time.
#[derive(Clone, Debug)]
struct Batch {
    after_s: i64,
    id: Option<u8>,
    /// Of a batch in parts: those of its events that come, by whether their place is even.
    part: Option<bool>,
    events: Vec<Sent>,
    /// Upkeep comes after it.
    upkeep: bool,
    /// What is done by hand before it.
    by_hand: Option<ByHand>,
}

/// Removes a member or, without a number, everybody, by its id or as a prefix; or lets all of them in again; or resets a window, or all of them.
#[derive(Clone, Debug)]
enum ByHand {
    Remove { member: Option<u8>, is_prefix: bool, keep_off: bool },
    LetIn,
    Reset(Option<u8>),
}

#[derive(Clone, Debug)]
struct Sent {
    action: u8,
    item: u8,
    who: Sender,
    when: When,
    undo: bool,
    count: u32,
    seq: Option<u8>,
    id: Option<EventId>,
}

#[derive(Clone, Copy, Debug)]
enum EventId {
    Own(u8),
    /// It is sent as an event of another batch: the batch, and its place there.
    Of(u8, u8),
}

impl EventId {
    fn text(self) -> String {
        match self {
            Self::Own(id) => format!("e{id}"),
            Self::Of(batch, place) => format!("b{batch}/{place}"),
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Sender {
    Nobody,
    Actor(u8),
    Visitor(u8),
}

#[derive(Clone, Copy, Debug)]
enum When {
    Now,
    Ago(i64),
    /// Seconds before now, or after it, by its instant.
    At(i64),
}

/// What each action is worth, in millionths, whether it can be undone, and whether it counts once where that is asked for.
const ACTIONS: [(&str, i64, bool, bool); 7] = [
    ("view", 1_000_000, false, false),
    ("like", 3_000_000, true, false),
    ("star", 2_000_000, true, true),
    ("vote", 1_000_000, false, true),
    ("less", -2_000_000, false, false),
    ("half", 500_000, false, false),
    ("odd", -1_250_001, false, false),
];
/// Boards that keep the order of ties have whole weights.
const WHOLE: usize = 5;

impl Options {
    /// When a history begins: some days before the zone's clock is changed.
    fn start_ms(&self) -> i64 {
        self.place.change_s.map_or(START_MS, |change_s| (change_s - 9 * DAY_S) * SECOND_MS + 100)
    }

    /// When a step of a history of so many comes. The first third is over before the zone's clock is changed, and the second one goes on
    /// from there in small steps.
    fn next_ms(&self, now_ms: i64, after_s: i64, (step, steps): (usize, usize)) -> i64 {
        let then_ms = now_ms + after_s * SECOND_MS;
        match self.place.change_s.map(|change_s| change_s * SECOND_MS + 100) {
            Some(change_ms) if 3 * step < steps => then_ms.min(change_ms - HOUR_S * SECOND_MS).max(now_ms),
            Some(change_ms) if 3 * step < 2 * steps => now_ms.max(change_ms - HOUR_S / 3 * SECOND_MS) + after_s % (HOUR_S / 3) * SECOND_MS,
            _ => then_ms,
        }
    }

    fn calendar(&self) -> Calendar {
        let day_starts_at_s = if self.place.day_starts_at == "01:30" { 5400 } else { 0 };
        Calendar { zone: zones::parse(self.place.timezone).expect("a zone"), day_starts_at_s }
    }

    /// Decaying windows go with neither the order of ties nor dense ranks.
    fn decays(&self) -> bool {
        self.ties.is_none() && !self.dense && self.windows.is_multiple_of(2)
    }

    fn actions(&self) -> &'static [(&'static str, i64, bool, bool)] {
        &ACTIONS[..self.ties.map_or(ACTIONS.len(), |_| WHOLE)]
    }

    /// Of a site.
    fn configuration(&self) -> Json {
        let mut windows = match self.windows / 2 {
            0 => vec![json!("hour"), json!("day"), json!("week"), json!("month"), json!("year"), json!("all")],
            _ => vec![json!("day"), json!("all")],
        };
        windows.extend([json!("last-2-hours"), json!("last-3-days"), json!("last-2-months")]);
        if self.decays() {
            windows.push(json!({ "name": "hot", "kind": "half-life", "half_life": "6h" }));
            windows.push(json!({ "name": "fading", "kind": "step", "every": "hour", "factor": 0.9 }));
            windows.push(json!({ "name": "smooth", "kind": "linear", "resets": "day", "at": "02:01:00", "beta": 1.1 }));
        }
        #[expect(clippy::cast_precision_loss, reason = "small weights")]
        let weights = self.actions().iter().map(|(name, weight, ..)| ((*name).to_owned(), json!(*weight as f64 / 1e6)));
        let mut board = json!({
            "members": if self.actors { "actors" } else { "items" },
            "weights": weights.collect::<serde_json::Map<_, _>>(),
            "windows": &windows,
            "ranking": if self.dense { "dense" } else { "ordinal" },
            "breakdown": self.breakdown,
            "replay_window": "2h",
        });
        if let Some(first) = self.ties {
            board["ties"] = json!(if first { "first" } else { "last" });
        }
        if let Some(max_members) = self.max_members {
            board["max_members"] = json!(max_members);
            if self.bounds_differ {
                let units = counted_by(&windows);
                let decaying = windows.iter().filter_map(|window| window["name"].as_str());
                let keys = units.iter().map(|unit| unit.name()).chain(decaying);
                board["max_members"] = keys.map(|key| (key.to_owned(), json!(self.bound(key)))).collect::<serde_json::Map<_, _>>().into();
            }
        }
        if let Some(unit) = self.once {
            let name = if unit == Unit::All { "ever" } else { unit.name() };
            board["once"] = json!({ "vote": name, "star": name });
        }
        let actions = self.actions().iter().map(|(name, _, reversible, _)| ((*name).to_owned(), json!({ "reversible": reversible })));
        json!({
            "timezone": self.place.timezone,
            "day_starts_at": self.place.day_starts_at,
            "actor_history": "10d",
            "activity": self.activity,
            "activity_entries": if self.place.timezone == "UTC" { 0 } else { 3 },
            "known_items": self.browsers.is_some_and(|(_, knows_some)| knows_some),
            "new_members": self.new_members(),
            "visitors_per_address": self.visitors_per_address,
            "actions": actions.collect::<serde_json::Map<_, _>>(),
            "boards": { BOARD: board },
        })
    }

    /// The members that a period of a unit, or a decaying window, may hold.
    fn bound(&self, name: &str) -> usize {
        let more = if self.bounds_differ { usize::from(name.as_bytes()[0] % 4) } else { 0 };
        self.max_members.map_or(usize::MAX, |max_members| usize::from(max_members) + more)
    }

    /// How many new members a visitor and an address may make.
    fn most_new(&self) -> Option<(u32, u32)> {
        self.browsers.map(|(most, _)| (most.into(), if most == 1 { 1 } else { u32::from(most) + 1 }))
    }

    fn new_members(&self) -> Json {
        let (visitor, address) = self.most_new().unwrap_or((0, 0));
        json!({ "visitor": visitor, "address": address })
    }

    /// Who sends a batch of so many events, if browsers send.
    fn sender(&self, site: &Site, events: usize) -> Option<Fingerprint> {
        let (visitor, address) = crowds::sender(events);
        let of = |_| VisitorKey::new("a-secret").fingerprint(&site.name, &address, &visitor).expect("an address");
        self.browsers.map(of)
    }

    fn rules(&self, site: &Site, is_log: bool) -> Rules {
        let board = &site.boards[BOARD];
        let units = if is_log { vec![(Unit::Day, site.actor_history_s.into())] } else { board.counted_units() };
        let decaying = board.windows.iter().filter(|window| !window.sums_weights() && !is_log);
        let names = units.iter().map(|(unit, _)| unit.name().to_owned()).chain(decaying.clone().map(|window| window.name.to_string()));
        let bounds = names.map(|name| (name.clone(), if is_log { usize::MAX } else { self.bound(&name) })).collect();
        Rules {
            calendar: self.calendar(),
            units: units.into_iter().map(|(unit, kept_s)| (unit, i64::try_from(kept_s).expect("small"))).collect(),
            decaying: decaying.map(|window| (window.name.to_string(), window.kind)).collect(),
            bounds,
            visitors_per_address: self.visitors_per_address.into(),
            new_members: self.most_new().filter(|_| !is_log),
            known: self.browsers.filter(|(_, knows_some)| *knows_some && !is_log && !self.actors).map(|_| KNOWN.map(String::from).into()),
            breakdown: self.breakdown,
            is_log,
            replay_window_ms: 2 * HOUR_S * SECOND_MS,
            actor_history_ms: 10 * DAY_S * SECOND_MS,
        }
    }
}

/// The items that the site's server announced, where only some are known.
const KNOWN: [&str; 4] = ["i0", "i1", "i2", "i3"];

/// The units that windows count, as the configuration writes them.
fn counted_by(windows: &[Json]) -> Vec<Unit> {
    let parsed: Vec<Window> = windows.iter().filter_map(|window| window.as_str().and_then(Window::parse)).collect();
    Retention::default().counted_units(&parsed).into_iter().map(|(unit, _)| unit).collect()
}

impl Sent {
    fn action(&self, options: &Options) -> &'static (&'static str, i64, bool, bool) {
        let actions = options.actions();
        &actions[usize::from(self.action) % actions.len()]
    }

    fn actor(&self) -> Option<String> {
        if let Sender::Actor(actor) = self.who { Some(format!("a{actor}")) } else { None }
    }

    fn undoes(&self, options: &Options) -> bool {
        self.undo && self.action(options).2 && self.actor().is_some()
    }

    /// An undo takes back what was done.
    fn count(&self, options: &Options) -> i64 {
        if self.undoes(options) { 1 } else { self.count.into() }
    }

    fn seq(&self, options: &Options) -> Option<u64> {
        self.seq.filter(|_| self.action(options).2 && self.actor().is_some()).map(u64::from)
    }

    fn json(&self, options: &Options, now_ms: i64) -> Json {
        let mut event = json!({ "action": self.action(options).0, "item": format!("i{}", self.item), "undo": self.undoes(options) });
        match self.who {
            Sender::Nobody => {}
            Sender::Actor(actor) => event["actor"] = json!(format!("a{actor}")),
            Sender::Visitor(visitor) => {
                let (address, agent) = crowds::visitor(visitor);
                event["visitor"] = json!({ "address": address, "agent": agent });
            }
        }
        match self.when {
            When::Now => {}
            When::Ago(ago_s) => event["ago"] = json!(ago_s * SECOND_MS),
            When::At(_) => event["at"] = json!(self.at_ms(now_ms)),
        }
        if self.count(options) > 1 {
            event["count"] = json!(self.count);
        }
        if let Some(seq) = self.seq(options) {
            event["seq"] = json!(seq);
        }
        if let Some(id) = self.id {
            event["id"] = json!(id.text());
        }
        event
    }

    fn at_ms(&self, now_ms: i64) -> i64 {
        match self.when {
            When::Now => now_ms,
            When::Ago(ago_s) => now_ms - ago_s * SECOND_MS,
            When::At(after_s) => now_ms + after_s * SECOND_MS,
        }
    }

    /// The event as a target gets it; `None` when it does not count there.
    fn event(&self, options: &Options, is_log: bool, now_ms: i64, batch_id: Option<&str>, index: usize, events: usize) -> Option<Event> {
        let (action, weight, reversible, counts_once) = *self.action(options);
        let (actor, item, at_ms) = (self.actor(), format!("i{}", self.item), self.at_ms(now_ms));
        let once = options.once.filter(|_| counts_once && !is_log);
        let who = match self.who {
            Sender::Nobody => None,
            Sender::Actor(_) => actor.clone().map(Who::Actor),
            Sender::Visitor(visitor) => Some(Who::Visitor(crowds::visitor(visitor), options.calendar().number(Unit::Day, at_ms))),
        };
        let is_reversible = reversible && actor.is_some();
        let tracked = who.filter(|_| is_reversible || once.is_some()).map(|who| Tracked {
            is_undo: self.undoes(options),
            is_reversible,
            seq: self.seq(options),
            once,
            who,
            what: format!("{action} {item}"),
        });
        Some(Event {
            member: if is_log || options.actors { actor? } else { item },
            action: action.into(),
            weight: if is_log { 1_000_000 } else { weight } * self.count(options),
            count: self.count(options),
            at_ms,
            id: self.id.map(EventId::text).or(batch_id.map(|id| format!("{id}/{index}"))),
            has_own_id: self.id.is_some(),
            sender: crowds::sender(events),
            tracked,
        })
    }
}

impl Batch {
    fn body(&self, options: &Options, now_ms: i64) -> Json {
        let events: Vec<Json> = self.events.iter().map(|sent| sent.json(options, now_ms)).collect();
        let mut body = json!({ "events": events });
        if let Some(id) = self.id {
            body["id"] = json!(format!("b{id}"));
        }
        body
    }
}

/// Sends a batch to the server and to the models, whose outcomes must agree. `false` when it took so long that nothing can be
/// said.
fn send(deployment: &Deployment, options: &Options, models: &mut [(&str, Model)], batch: &Batch, now_ms: i64) -> bool {
    let batch_id = batch.id.map(|id| format!("b{id}"));
    let body = batch.body(options, now_ms);
    deployment.server.clock.set(now_ms);
    let is_alone = batch.events.len() == 1;
    let comes = |index: usize| is_alone || batch.part.is_none_or(|even| even == index.is_multiple_of(2));
    let sender = options.sender(deployment.site(), batch.events.len());
    let sent = deployment.try_send_as(&body, sender, |of_target| {
        // A bare event that is named as one of another batch is a part of that.
        of_target.is_whole &= batch.part.is_none();
        of_target.events.retain(|event| comes(event.index));
        for (events, _) in &mut of_target.senders {
            *events = of_target.events.len();
        }
    });
    let sent = sent.unwrap_or_else(|error| panic!("{error}: {body}"));
    if deployment.now_ms() > now_ms + LATEST_MS {
        return false;
    }
    for (target, model) in models {
        let is_log = model.rules.is_log;
        let events = batch.events.iter().enumerate().filter(|(index, _)| comes(*index));
        let events: Vec<Event> = events
            .filter_map(|(index, sent)| sent.event(options, is_log, now_ms, batch_id.as_deref(), index, batch.events.len()))
            .collect();
        let answered = sent.iter().find(|(name, _)| name == target).map(|(_, outcomes)| outcomes.clone().expect("the batch is counted"));
        let answered = answered.unwrap_or_default();
        model.begin(now_ms);
        let expected = model.apply(now_ms, batch_id.as_deref(), batch.part.is_none(), &events, &answered);
        assert_eq!(answered, expected, "{target:?}: {body}");
        for outcome in &answered {
            let counter = match outcome {
                Outcome::Counted => &COUNTED,
                Outcome::Duplicate => &DUPLICATE,
                Outcome::Future => &FUTURE,
                Outcome::Full => &FULL,
                Outcome::TooOld | Outcome::OutOfSeason => &TOO_OLD,
                Outcome::Reset => &BEFORE,
                Outcome::Removed => &KEPT_OFF,
                Outcome::Unknown => &UNKNOWN,
                Outcome::TooManyNew => &TOO_MANY_NEW,
                Outcome::DoneAlready => &DONE,
                Outcome::Crowded => &CROWDED,
                Outcome::Superseded => &SUPERSEDED,
                Outcome::Settled => &SETTLED,
                Outcome::NotDone | Outcome::UndoneAlready | Outcome::UndoneTooLate => &UNDONE,
                Outcome::NoBoard | Outcome::BoardClosed => panic!("no script answers {outcome:?}"),
            };
            counter.add(1);
        }
    }
    BATCHES.add(1);
    true
}

/// Does something by hand, on the server and in the model.
fn by_hand(deployment: &Deployment, options: &Options, model: &mut Model, by_hand: &ByHand, now_ms: i64) {
    deployment.server.clock.set(now_ms);
    let whom = |removal: &Removal| match removal {
        Removal::Member(id) => Whom::Member(Id::new(id).expect("an id")),
        Removal::Prefix(id) => Whom::Prefix(Id::new(id).expect("an id")),
    };
    match by_hand {
        ByHand::Remove { member, is_prefix, keep_off } => {
            let kind = if options.actors { "a" } else { "i" };
            let id = member.map_or(kind.to_owned(), |member| format!("{kind}{member}"));
            let removal = if *is_prefix || member.is_none() { Removal::Prefix(id) } else { Removal::Member(id) };
            REMOVED.add(usize::try_from(deployment.remove(BOARD, &whom(&removal), *keep_off)).expect("few"));
            model.remove(now_ms, &removal, *keep_off);
        }
        ByHand::LetIn => {
            for (removal, message) in model.moved.iter_mut().filter(|(_, (is_off, _))| *is_off) {
                deployment.let_in(BOARD, &whom(removal));
                *message = (false, now_ms);
            }
        }
        ByHand::Reset(window) => {
            let windows = &deployment.site().boards[BOARD].windows;
            let window = window.map(|window| &windows[usize::from(window) % windows.len()]);
            // Events are whole seconds old, but for how long Redis took: none shall be of about this instant.
            deployment.server.clock.set(now_ms + SECOND_MS / 2);
            let at_ms = deployment.reset(BOARD, window.map(|window| window.name.as_str())).at_ms;
            let reset = window.map_or(&windows[..], std::slice::from_ref);
            let units: Vec<(Unit, i64)> = reset
                .iter()
                .filter_map(|window| match window.kind {
                    Kind::Calendar(unit) => Some((unit, 1)),
                    Kind::Rolling { unit, length } => Some((unit, length.into())),
                    _ => None,
                })
                .collect();
            let decaying = reset.iter().filter(|window| !window.sums_weights()).map(|window| window.name.to_string());
            model.reset(at_ms, &units, &decaying.collect::<Vec<_>>(), window.is_none());
        }
    }
}

/// The models of the targets, by the board's name; that of the activity log is empty.
fn models_of(deployment: &Deployment, options: &Options) -> Vec<(&'static str, Model)> {
    let rules = |is_log| Model::new(options.rules(deployment.site(), is_log));
    let board = (BOARD, rules(false));
    if options.activity { vec![board, ("", rules(true))] } else { vec![board] }
}

/// A model is of what a target does by itself, without homes of actors before it.
fn start() -> Deployment {
    let mut deployment = Deployment::start(&PLAIN.configuration(), START_MS);
    deployment.has_homes = false;
    deployment
}

/// Lets the items count that are known.
fn announce(deployment: &Deployment, options: &Options) {
    if options.browsers.is_some_and(|(_, knows_some)| knows_some) {
        let known = KNOWN.map(|id| Id::new(id).expect("an id"));
        pollster::block_on(deployment.store().announce(deployment.site(), &known.each_ref())).expect("redis answers");
    }
}

fn play(deployment: &mut Deployment, options: &Options, history: &[Batch]) {
    let mut now_ms = options.start_ms();
    deployment.server.command(&["FLUSHALL"]);
    deployment.server.clock.set(now_ms);
    deployment.configure(&options.configuration());
    announce(deployment, options);
    let mut models = models_of(deployment, options);
    deployment.upkeep(BOARD);
    for (step, batch) in history.iter().enumerate() {
        deployment.forget(step);
        now_ms = options.next_ms(now_ms, batch.after_s, (step, history.len()));
        if let Some(done) = &batch.by_hand {
            for (_, model) in &mut models {
                model.forget(now_ms);
            }
            by_hand(deployment, options, &mut models[0].1, done, now_ms);
            compare::keys(deployment, &models, now_ms);
            compare::rolling(deployment, &models[0].1, now_ms, false);
            now_ms += SECOND_MS;
        }
        if !send(deployment, options, &mut models, batch, now_ms) {
            return;
        }
        compare::keys(deployment, &models, now_ms);
        compare::rolling(deployment, &models[0].1, now_ms, false);
        if batch.upkeep {
            deployment.upkeep(BOARD);
            compare::rolling(deployment, &models[0].1, now_ms, true);
        }
    }
}

#[test]
fn random_batches() {
    let deployment = std::cell::RefCell::new(start());
    let history = (options(), prop::collection::vec(batch(), 10..60));
    let cases = cases::number_of_whole(40);
    cases::run(file!(), cases, &history, |(options, history)| {
        play(&mut deployment.borrow_mut(), &options, &history);
        Ok(())
    });
    let cases = usize::try_from(cases).expect("few");
    for (counter, times) in [(&BATCHES, 25), (&COUNTED, 80), (&REMOVED, 5), (&ROLLED, 30), (&ORDERED, 5)] {
        counter.assert_above(times * cases);
    }
    // What only a few boards' options or only the right order of events brings about differs tenfold between runs.
    let rare = [&DUPLICATE, &FUTURE, &FULL, &TOO_OLD, &BEFORE, &KEPT_OFF, &UNKNOWN, &TOO_MANY_NEW, &DONE, &UNDONE, &SUPERSEDED, &SETTLED];
    for counter in rare {
        counter.assert_above(cases / 40);
    }
}

/// Many visitors of a few networks, so that the bounds of all of these are met.
#[test]
fn random_crowds() {
    let deployment = std::cell::RefCell::new(start());
    let bounds = (1..3_u8, prop::option::of(1..3_u8));
    let history = (options(), bounds, prop::collection::vec(batch(), 10..30));
    let cases = cases::number(12);
    cases::run(file!(), cases, &history, |(mut options, (visitors_per_address, most_new), mut history)| {
        options.visitors_per_address = visitors_per_address;
        options.browsers = most_new.map(|most| (most, false));
        (options.once, options.actors, options.max_members) = (Some(Unit::Day), false, None);
        for batch in &mut history {
            batch.after_s %= 600;
            for sent in &mut batch.events {
                // It counts once, of whoever does it.
                sent.action = 3;
                if let Sender::Actor(actor) = sent.who {
                    sent.who = Sender::Visitor(3 + 8 * actor + sent.item);
                }
                if !matches!(sent.when, When::Ago(..HOUR_S)) {
                    sent.when = When::Now;
                }
            }
        }
        play(&mut deployment.borrow_mut(), &options, &history);
        Ok(())
    });
    let cases = usize::try_from(cases).expect("few");
    for counter in [&CROWDED, &crowds::OF_LINE] {
        counter.assert_above(cases);
    }
}

/// Events of now that come alone are counted straight, and rare operations come between them.
#[test]
fn random_events_of_now() {
    let deployment = std::cell::RefCell::new(start());
    let history = (options(), any::<bool>(), prop::collection::vec(batch(), 40..120));
    cases::run(file!(), cases::number(25), &history, |(mut options, is_plain, mut history)| {
        // Most boards have neither an index of distinct scores nor many refusals.
        options.dense &= !is_plain;
        options.max_members = options.max_members.filter(|_| !is_plain);
        for (i, batch) in history.iter_mut().enumerate() {
            batch.events.truncate(1);
            batch.part = None;
            // Mostly within the hour, so that plans hold, and then for longer.
            batch.after_s %= if i % 16 == 15 { 3 * DAY_S } else { 90 };
            batch.by_hand = batch.by_hand.take().filter(|_| i % 8 == 7);
            for sent in &mut batch.events {
                sent.count = if i % 5 == 0 { sent.count } else { 1 };
                if i % 10 != 9 && !matches!(sent.when, When::Ago(..120)) {
                    sent.when = When::Now;
                }
            }
        }
        play(&mut deployment.borrow_mut(), &options, &history);
        Ok(())
    });
}
