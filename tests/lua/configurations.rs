//! Two configurations beside each other on one Redis, as while a deployment is under way: what either counts is undone by either, and then
//! every member of every window is as a model in plain Rust says.

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike};
use engine::store::alias::{Alias, Merged};
use engine::store::keep_off::Whom;
use proptest::prelude::*;
use ranking::counting::{Outcome, Target};
use ranking::name::Id;
use serde_json::{Value as Json, json};

use crate::cases::{self, Counter};
use crate::deployment::{BOARD, Deployment};

/// 2026-11-18T07:12:34Z, a Wednesday.
const START_MS: i64 = 1_794_985_954_000;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// When the seasons of a configuration begin, and of another one of the same name: each is of so many days.
const SEASONS: [&str; 2] = ["2026-11-01", "2026-11-02"];
const SEASON_DAYS: i64 = 3;

static UNDONE: Counter = Counter::new("actions that were undone");
static ACROSS: Counter = Counter::new("actions that another configuration undid");
static COMPARED: Counter = Counter::new("windows that were compared");
static WHOLE: Counter = Counter::new("windows that were complete while both configurations counted");

/// A window that a configuration may have.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Window {
    Hours,
    Days,
    Weeks,
    Months,
    Years,
    All,
    /// `last-N-hours` or `last-N-days`
    Rolling(bool, u8),
    /// The seasons' number in [`SEASONS`].
    Season(usize),
    /// A half-life of so many hours.
    Hot(i32),
    /// What is left after each hour, in tenths.
    Fading(i32),
    /// Worth so many tenths a second.
    Smooth(i32),
}

impl Window {
    fn json(self) -> Json {
        match self {
            Self::Hours => json!("hour"),
            Self::Days => json!("day"),
            Self::Weeks => json!("week"),
            Self::Months => json!("month"),
            Self::Years => json!("year"),
            Self::All => json!("all"),
            Self::Rolling(true, length) => json!(format!("last-{length}-hours")),
            Self::Rolling(false, length) => json!(format!("last-{length}-days")),
            Self::Season(of) => {
                let every = format!("{SEASON_DAYS} days");
                json!({ "name": "sprint", "kind": "season", "from": SEASONS[of], "until": "2027-10-01", "every": every })
            }
            Self::Hot(hours) => json!({ "name": "hot", "kind": "half-life", "half_life": format!("{hours}h") }),
            Self::Fading(tenths) => json!({ "name": "fading", "kind": "step", "every": "hour", "factor": f64::from(tenths) / 10.0 }),
            Self::Smooth(tenths) => json!({ "name": "smooth", "kind": "linear", "resets": "week", "beta": f64::from(tenths) / 10.0 }),
        }
    }

    fn name(self) -> String {
        let json = self.json();
        json.as_str().or_else(|| json["name"].as_str()).expect("a name").to_owned()
    }

    fn is_decaying(self) -> bool {
        matches!(self, Self::Hot(_) | Self::Fading(_) | Self::Smooth(_))
    }

    /// The period that holds an instant: of a rolling window its base period, of a decaying one the last reset.
    fn period(self, at_ms: i64) -> i64 {
        let date = DateTime::from_timestamp_millis(at_ms).expect("an instant").date_naive();
        let (day, hour) = (at_ms.div_euclid(DAY_MS), at_ms.div_euclid(HOUR_MS));
        match self {
            Self::Hours | Self::Rolling(true, _) | Self::Fading(_) => hour,
            Self::Days | Self::Rolling(false, _) => day,
            Self::Weeks | Self::Smooth(_) => (day + 3).div_euclid(7),
            Self::Months => i64::from(date.year()) * 12 + i64::from(date.month0()),
            Self::Years => date.year().into(),
            Self::Season(of) => {
                let first = DateTime::parse_from_rfc3339(&format!("{}T00:00:00Z", SEASONS[of])).expect("an instant").timestamp_millis();
                (at_ms - first).div_euclid(SEASON_DAYS * DAY_MS)
            }
            Self::All | Self::Hot(_) => 0,
        }
    }

    /// Whether what another configuration counted on a window of its own is on this one as well.
    fn shares(self, other: Self) -> bool {
        let of_hours = |window| matches!(window, Self::Hours | Self::Rolling(true, _));
        let of_days = |window| matches!(window, Self::Days | Self::Rolling(false, _));
        let is_linear = |window| matches!(window, Self::Smooth(_));
        // Linear windows of one name add on one board.
        [of_hours as fn(Self) -> bool, of_days, is_linear].iter().any(|is| is(self) && is(other)) || self == other
    }

    /// What an event is worth at an instant, as this window or another one of its name counted it.
    fn worth(self, counted: Self, at_ms: i64, now_ms: i64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let of = |ms: i64| ms as f64;
        let (period, now) = (self.period(at_ms), self.period(now_ms));
        match (self, counted) {
            (Self::Rolling(_, length), _) => f64::from(u8::from(period > now - i64::from(length))),
            (Self::Hot(hours), _) => 2_f64.powf(-of(now_ms - at_ms) / of(i64::from(hours) * HOUR_MS)),
            (Self::Fading(tenths), _) => (f64::from(tenths) / 10.0).powf(of(now - period)),
            (Self::Smooth(_), Self::Smooth(tenths)) if period == now => {
                let week_ms = (now * 7 - 3) * DAY_MS;
                f64::from(tenths) / 10.0 * of((at_ms - week_ms).div_euclid(1000))
            }
            (Self::Smooth(_), _) => 0.0,
            _ => f64::from(u8::from(period == now)),
        }
    }
}

#[derive(Clone, Debug)]
struct Options {
    windows: Vec<Window>,
    breakdown: bool,
    ties: bool,
    once: bool,
}

impl Options {
    fn site(&self) -> Json {
        let windows: Vec<Json> = self.windows.iter().map(|window| window.json()).collect();
        let mut board = json!({ "weights": { "view": 1, "like": 2 }, "windows": windows, "limit": 1000, "breakdown": self.breakdown });
        if self.ties {
            board["ties"] = json!("first");
        }
        if self.once {
            board["once"] = json!({ "like": "day" });
        }
        json!({ "actions": { "view": {}, "like": { "reversible": true } }, "boards": { BOARD: board }, "activity": false })
    }
}

/// What is done through one of the two configurations.
#[derive(Clone, Debug)]
enum Step {
    Send { newer: bool, events: Vec<(u8, u8, Verb)> },
    Advance(i64),
    Upkeep { newer: bool, entries: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Verb {
    View,
    Like,
    Undo,
}

/// An event that counts.
#[derive(Clone, Debug)]
struct Counted {
    at_ms: i64,
    item: u8,
    newer: bool,
    weight: u32,
    action: &'static str,
    /// The place in the order of all events.
    place: usize,
}

fn windows() -> impl Strategy<Value = Vec<Window>> {
    let each = prop_oneof![
        Just(Window::Hours),
        Just(Window::Days),
        Just(Window::Weeks),
        Just(Window::Months),
        Just(Window::Years),
        Just(Window::All),
        (any::<bool>(), 2..4_u8).prop_map(|(hours, length)| Window::Rolling(hours, length)),
        (0..2_usize).prop_map(Window::Season),
        (5..7).prop_map(Window::Hot),
        (8..10).prop_map(Window::Fading),
        (1..3).prop_map(Window::Smooth),
    ];
    prop::collection::vec(each, 1..8).prop_map(|mut windows| {
        let mut names = Vec::new();
        windows.retain(|window| {
            !names.contains(&window.name()) && {
                names.push(window.name());
                true
            }
        });
        windows
    })
}

fn options() -> impl Strategy<Value = Options> {
    (windows(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(mut windows, breakdown, ties, once)| {
        // Decaying scores have no ties.
        windows.retain(|window| !ties || !window.is_decaying());
        windows.extend(windows.is_empty().then_some(Window::Days));
        Options { windows, breakdown, ties, once }
    })
}

fn step() -> impl Strategy<Value = Step> {
    let verb = prop_oneof![1 => Just(Verb::View), 3 => Just(Verb::Like), 3 => Just(Verb::Undo)];
    let events = prop::collection::vec((0..3_u8, 0..2_u8, verb), 1..4);
    prop_oneof![
        12 => (any::<bool>(), events).prop_map(|(newer, events)| Step::Send { newer, events }),
        2 => prop_oneof![Just(20 * 60_000), Just(HOUR_MS), Just(7 * HOUR_MS), Just(2 * DAY_MS)].prop_map(Step::Advance),
        2 => (any::<bool>(), prop_oneof![Just(5_u32), Just(500)]).prop_map(|(newer, entries)| Step::Upkeep { newer, entries }),
    ]
}

/// Both configurations on one server, and what counts.
struct World {
    deployment: Deployment,
    options: [Options; 2],
    counted: Vec<Counted>,
    /// By item and actor the place of the like that stands; 0 of one that was undone.
    done: BTreeMap<(u8, u8), usize>,
    place: usize,
}

impl World {
    fn start(options: [Options; 2]) -> Self {
        let deployment = Deployment::start(&options[1].site(), START_MS);
        Self { deployment, options, counted: Vec::new(), done: BTreeMap::new(), place: 0 }
    }

    fn take(&mut self, newer: bool) {
        let site = self.options[usize::from(newer)].site();
        self.deployment.configure(&site);
    }

    /// A chunk of upkeep of each rolling window.
    fn keep(&mut self, newer: bool, entries: u32) {
        self.take(newer);
        for (window, ..) in self.deployment.rolling(BOARD) {
            self.deployment.chunk(BOARD, &window, entries);
        }
    }

    #[track_caller]
    fn send(&mut self, newer: bool, events: &[(u8, u8, Verb)]) {
        self.take(newer);
        let now_ms = self.deployment.now_ms();
        let body: Vec<Json> = events
            .iter()
            .map(|(item, actor, verb)| match verb {
                Verb::View => json!({ "action": "view", "item": format!("i{item}") }),
                verb => {
                    json!({ "action": "like", "item": format!("i{item}"), "actor": format!("a{actor}"), "undo": *verb == Verb::Undo })
                }
            })
            .collect();
        let outcomes = self.deployment.put(&body);
        let expected: Vec<Outcome> = events.iter().map(|event| self.apply(newer, *event, now_ms)).collect();
        assert_eq!(outcomes, expected, "{events:?}");
    }

    /// What becomes of an event.
    fn apply(&mut self, newer: bool, (item, actor, verb): (u8, u8, Verb), at_ms: i64) -> Outcome {
        self.place += 1;
        let (place, stands) = (self.place, self.done.get(&(item, actor)).copied());
        match (verb, stands) {
            (Verb::View, _) => (),
            (Verb::Like, None | Some(0)) => drop(self.done.insert((item, actor), place)),
            (Verb::Like, Some(_)) => return Outcome::DoneAlready,
            (Verb::Undo, None) => return Outcome::NotDone,
            (Verb::Undo, Some(0)) => return Outcome::UndoneAlready,
            (Verb::Undo, Some(done)) => {
                UNDONE.add(1);
                ACROSS.add(self.counted.iter().filter(|event| event.place == done && event.newer != newer).count());
                self.counted.retain(|event| event.place != done);
                self.done.insert((item, actor), 0);
                return Outcome::Counted;
            }
        }
        let (weight, action) = if verb == Verb::View { (1, "view") } else { (2, "like") };
        self.counted.push(Counted { at_ms, item, newer, weight, action, place });
        Outcome::Counted
    }

    /// The events that are on a window, as which window each was counted.
    fn on(&self, window: Window) -> impl Iterator<Item = (&Counted, Window)> {
        self.counted.iter().filter_map(move |event| {
            let own = self.options[usize::from(event.newer)].windows.iter();
            own.copied().find(|counted| window.shares(*counted)).map(|counted| (event, counted))
        })
    }

    /// Every window of a configuration is as the model says. `is_kept` says that upkeep has nothing left to do.
    fn check(&mut self, newer: bool, is_kept: bool) {
        self.take(newer);
        let options = self.options[usize::from(newer)].clone();
        for window in &options.windows {
            let name = window.name();
            let page = self.deployment.read(BOARD, &name, None);
            assert!(page.info.complete || !is_kept && matches!(window, Window::Rolling(..)), "{name} is not complete");
            if !page.info.complete {
                continue;
            }
            if is_kept { &COMPARED } else { &WHOLE }.add(1);
            let at_ms = page.info.scored_at_ms.unwrap_or(page.info.now_ms);
            let (mut expected, mut places) = (BTreeMap::<String, f64>::new(), BTreeMap::<String, usize>::new());
            for (event, counted) in self.on(*window) {
                let worth = window.worth(counted, event.at_ms, at_ms);
                if worth > 0.0 {
                    *expected.entry(format!("i{}", event.item)).or_default() += f64::from(event.weight) * worth;
                    places.insert(format!("i{}", event.item), event.place);
                }
            }
            let shown: Vec<(String, f64)> = page.entries.iter().map(|entry| (entry.id.as_str().to_owned(), entry.score.value())).collect();
            let seen: BTreeMap<String, f64> = shown.iter().cloned().collect();
            if window.is_decaying() {
                for id in (0..3).map(|item| format!("i{item}")) {
                    let [seen, expected] = [&seen, &expected].map(|of| of.get(&id).copied().unwrap_or(0.0));
                    // A call comes some milliseconds after its instant was read, and a second may have begun.
                    let late = if matches!(window, Window::Smooth(_)) { 5.0 } else { 1e-3 };
                    assert!((seen - expected).abs() <= late + expected * 1e-3, "{name} of {newer}: {id} has {seen}, not {expected}");
                }
                continue;
            }
            assert_eq!(seen, expected, "{name} of {newer}");
            if self.options.iter().all(|options| options.ties) {
                let mut order: Vec<&String> = expected.keys().collect();
                order.sort_by(|a, b| expected[*b].total_cmp(&expected[*a]).then(places[*a].cmp(&places[*b])));
                assert_eq!(shown.iter().map(|(id, _)| id).collect::<Vec<_>>(), order, "{name} of {newer}");
            }
            if options.breakdown && !matches!(window, Window::Rolling(..)) {
                self.check_tallies(*window, page.info.period.number, at_ms);
            }
        }
    }

    /// The counts by action of a calendar window's period, of those who count by action.
    fn check_tallies(&self, window: Window, number: i64, now_ms: i64) {
        let unit = if matches!(window, Window::Season(_)) { "season".into() } else { window.name() };
        let key = format!("eb:{{site:{BOARD}}}:{unit}:{number}:actions");
        let mut expected = BTreeMap::<String, BTreeMap<&str, (u32, u32)>>::new();
        for (event, counted) in self.on(window) {
            if self.options[usize::from(event.newer)].breakdown && window.worth(counted, event.at_ms, now_ms) > 0.0 {
                let of = expected.entry(format!("i{}", event.item)).or_default().entry(event.action).or_default();
                *of = (of.0 + 1, of.1 + event.weight);
            }
        }
        for id in (0..3).map(|item| format!("i{item}")) {
            let message = self.deployment.server.command(&["HGET", &key, &id]);
            let message = if let engine::adapter::Value::BulkString(message) = message {
                String::from_utf8(message).expect("a text")
            } else {
                String::new()
            };
            let words: Vec<&str> = message.split_whitespace().collect();
            let seen: BTreeMap<&str, (u32, u32)> =
                words.chunks(3).map(|word| (word[0], (word[1].parse().expect("a count"), word[2].parse().expect("a sum")))).collect();
            assert_eq!(seen, expected.remove(&id).unwrap_or_default(), "{key}: {id}");
        }
    }
}

/// What each configuration adds, either takes away, and nothing is left or missing anywhere.
#[test]
fn an_undo_goes_by_what_was_added() {
    let histories = (options(), options(), prop::collection::vec(step(), 1..40));
    cases::run(file!(), cases::number_of_whole(60), &histories, |(older, newer, steps)| {
        let mut world = World::start([older, newer]);
        for (i, step) in steps.into_iter().enumerate() {
            world.deployment.forget(i);
            match step {
                Step::Send { newer, events } => world.send(newer, &events),
                Step::Advance(ms) => world.deployment.advance(ms),
                Step::Upkeep { newer, entries } => world.keep(newer, entries),
            }
            for newer in [false, true] {
                world.check(newer, false);
            }
        }
        for newer in [true, false] {
            world.take(newer);
            world.deployment.upkeep(BOARD);
            world.check(newer, true);
        }
        Ok(())
    });
    UNDONE.assert_above(60);
    ACROSS.assert_above(30);
    COMPARED.assert_above(200);
    WHOLE.assert_above(500);
}

/// A repair that began without the order of ties begins anew with it: else that would hold those alone who came since.
#[test]
fn a_repair_begins_anew_under_other_indexes() {
    let of = |window, ties| Options { windows: vec![window], breakdown: false, ties, once: false };
    let mut world = World::start([of(Window::Rolling(true, 2), false), of(Window::Rolling(false, 2), true)]);
    for newer in [true, false] {
        world.keep(newer, 5);
    }
    for item in 0..2 {
        world.send(true, &[(item, 0, Verb::View)]);
        world.keep(true, 500);
        world.check(true, false);
    }
}

/// While a window is rolled out, likes through workers that have it are undone through workers that do not.
#[test]
fn likes_on_a_new_window_are_undone_by_who_lacks_it() {
    let of = |windows: &[Window]| Options { windows: windows.to_vec(), breakdown: false, ties: false, once: false };
    for new in
        [Window::All, Window::Hours, Window::Rolling(true, 2), Window::Season(0), Window::Hot(5), Window::Fading(9), Window::Smooth(2)]
    {
        let mut world = World::start([of(&[Window::Days]), of(&[Window::Days, new])]);
        for _ in 0..3 {
            world.send(true, &[(0, 0, Verb::Like), (1, 0, Verb::View)]);
            world.send(false, &[(0, 0, Verb::Undo)]);
        }
        world.take(true);
        world.deployment.upkeep(BOARD);
        world.check(true, true);
    }
}

/// While a window is rolled out, members go through workers that lack it, whoever counted for it last.
#[test]
fn members_leave_a_new_window_by_who_lacks_it() {
    let id = |text: &str| Id::new(text).expect("an id");
    let of = |windows: &[Window]| Options { windows: windows.to_vec(), breakdown: false, ties: false, once: false };
    for new in [Window::All, Window::Hours, Window::Weeks, Window::Rolling(true, 2), Window::Hot(5), Window::Fading(9), Window::Smooth(2)] {
        for last in [false, true] {
            let mut world = World::start([of(&[Window::Days]), of(&[Window::Days, new])]);
            world.send(true, &[(0, 0, Verb::View), (1, 0, Verb::View), (2, 0, Verb::View)]);
            world.send(last, &[(2, 1, Verb::View)]);
            world.take(false);
            assert!(world.deployment.remove(BOARD, &Whom::Member(id("i0")), true) > 1, "on both windows");
            world.counted.retain(|event| event.item != 0);
            let alias = Alias { old: id("i1"), new: id("i2") };
            let (store, site) = (world.deployment.store(), world.deployment.site());
            let merge = || store.alias(site, Target::Board(&site.boards[BOARD]), &alias, Alias::ENTRIES);
            while !matches!(pollster::block_on(merge()).expect("redis answers"), Merged::Chunk { next: None, .. }) {}
            for event in world.counted.iter_mut().filter(|event| event.item == 1) {
                event.item = 2;
            }
            world.take(true);
            world.deployment.upkeep(BOARD);
            world.check(true, true);
        }
    }
}

/// A reset of a board reaches the windows that another configuration counts, and what it noted there stays when less is reset by who lacks them.
#[test]
fn a_board_is_reset_by_who_lacks_a_window() {
    let of = |windows: &[Window]| Options { windows: windows.to_vec(), breakdown: false, ties: false, once: false };
    for new in [Window::All, Window::Hours, Window::Weeks, Window::Rolling(true, 2), Window::Hot(5), Window::Fading(9), Window::Smooth(2)] {
        for last in [false, true] {
            let mut world = World::start([of(&[Window::Days]), of(&[Window::Days, new])]);
            world.send(true, &[(0, 0, Verb::View), (1, 0, Verb::Like), (2, 0, Verb::View)]);
            world.send(last, &[(2, 1, Verb::View)]);
            let before_ms = world.deployment.now_ms();
            world.deployment.advance(10);
            world.take(false);
            world.deployment.reset(BOARD, None);
            world.counted.clear();
            world.deployment.advance(10);
            world.deployment.reset(BOARD, Some("day"));
            world.deployment.advance(10);
            world.take(true);
            let late = json!({ "action": "view", "item": "i0", "at": before_ms });
            assert_eq!(world.deployment.put(&[late]), [Outcome::Reset], "{new:?} {last}");
            assert_eq!(world.deployment.put(&[json!({ "action": "like", "item": "i1", "actor": "a0", "undo": true })]), [Outcome::Reset]);
            world.done.insert((1, 0), 0);
            world.send(true, &[(1, 0, Verb::Like), (2, 1, Verb::View)]);
            world.deployment.upkeep(BOARD);
            world.check(true, true);
        }
    }
}
