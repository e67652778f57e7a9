//! What a queue delivers and what its sender sends itself count once together, whatever comes first and in whatever form. The ids of
//! browsers mean nothing among those of servers.

use std::cell::RefCell;
use std::collections::HashMap;

use proptest::prelude::*;
use ranking::counting::Outcome;
use ranking::event::{Batch, SenderClass};
use ranking::site::Site;
use serde_json::json;
use serve::config::Config;
use serve::ingest::{ParsedBatch, Source, Split};

use crate::call::{DAY_S, HOUR_S, NOON_MS, connect, store, whole};
use crate::cases::{self, Counter};
use crate::support::{Server, TzZones};

const BOARD: &str = "eb:{demo:articles}";
const DIRECT: [SenderClass; 2] = [SenderClass::Browser, SenderClass::Server];
/// Those of the queue's ids.
const QUEUE_S: i64 = 4 * DAY_S;

static KNOWN: Counter = Counter::new("events that a queue delivered and a sender sent");
static AGAIN: Counter = Counter::new("events whose id was forgotten");

fn window_s(class: SenderClass) -> i64 {
    if class.is_browser() { HOUR_S } else { DAY_S }
}

/// A batch as it is sent: which one, and how.
#[derive(Clone, Copy, Debug)]
enum Form {
    Whole,
    /// Without the first event, as from one of two partitions.
    Rest,
    /// The last event alone.
    Bare,
}

/// Batches that are sent or delivered together.
#[derive(Clone, Debug)]
struct Step {
    after_s: i64,
    is_browser: bool,
    is_queued: bool,
    batches: Vec<(usize, Form)>,
}

impl Step {
    fn class(&self) -> SenderClass {
        let class = DIRECT[usize::from(!self.is_browser)];
        if self.is_queued { class.queued() } else { class }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let after_s = prop_oneof![4 => Just(0), 3 => 0..3600_i64, 2 => 0..DAY_S, 1 => 0..10 * DAY_S];
    let form = prop_oneof![4 => Just(Form::Whole), 1 => Just(Form::Rest), 1 => Just(Form::Bare)];
    let batches =
        prop_oneof![2 => prop::collection::vec((0..7_usize, form.clone()), 1), 1 => prop::collection::vec((0..7_usize, form), 2..5)];
    let step = (after_s, any::<bool>(), any::<bool>(), batches);
    prop::collection::vec(
        step.prop_map(|(after_s, is_browser, is_queued, batches)| Step { after_s, is_browser, is_queued, batches }),
        2..25,
    )
}

/// Batch `n` has one to three events. The ids of some are long, and have slashes.
fn batch(site: &Site, class: SenderClass, n: usize, form: Form) -> Batch {
    let id = if n.is_multiple_of(3) { format!("batch/{n}/{}", "i".repeat(40)) } else { format!("b{n}") };
    let events: Vec<_> = (0..=n % 3).map(|i| json!({ "action": "view", "item": format!("{n}-{i}") })).collect();
    let body = match form {
        Form::Bare => json!({ "action": "view", "item": format!("{n}-{}", n % 3), "id": format!("{id}/{}", n % 3) }),
        _ => json!({ "id": id, "events": events }),
    };
    let parsed = ParsedBatch::read(site, Source::Server(None), body.to_string().as_bytes()).and_then(whole).expect("valid");
    let mut batch = Batch { sender: class, ..parsed };
    if matches!(form, Form::Rest) && batch.events.len() > 1 {
        batch.events.remove(0);
        batch.is_whole = false;
    }
    batch
}

struct World {
    server: Server,
    config: Config,
    zones: TzZones,
}

impl World {
    fn start() -> Self {
        let site = json!({
            "origins": [],
            "actions": { "view": { "public": true } },
            "boards": { "articles": { "weights": { "view": 1 }, "windows": ["all", "day"] } },
        });
        let config = Config::read([("SITES".into(), json!({ "demo": site }))], |_| true).expect("valid");
        Self { server: Server::start_at(NOON_MS), config, zones: TzZones::default() }
    }

    fn site(&self) -> &Site {
        &self.config.sites["demo"]
    }

    fn begin(&self) -> i64 {
        self.server.command(&["FLUSHALL"]);
        self.server.clock.set(NOON_MS);
        NOON_MS / 1000
    }

    /// What becomes of the events of batches that come together.
    fn count(&self, now_s: i64, batches: &[Batch]) -> Vec<Vec<Outcome>> {
        self.server.clock.set(now_s * 1000);
        let split = Split::merged(self.site(), &batches.iter().collect::<Vec<_>>());
        let recorded = pollster::block_on(store(connect(&self.server), &self.zones, now_s).record(self.site(), &split.batches, ""));
        let recorded: Vec<_> = recorded.expect("redis answers").into_iter().collect::<Result<_, _>>().expect("well made");
        let outcomes: Vec<_> = recorded.iter().map(Vec::as_slice).collect();
        (0..batches.len()).map(|sender| split.join(sender, &outcomes)).collect()
    }

    fn one(&self, now_s: i64, class: SenderClass, n: usize) -> Vec<Outcome> {
        self.count(now_s, &[batch(self.site(), class, n, Form::Whole)]).concat()
    }
}

/// Since when each event is known, to senders of a class and to the queue.
type Known = HashMap<(bool, bool, usize, usize), i64>;

fn play(world: &World, steps: &[Step]) {
    let (mut now_s, mut known, mut scores) = (world.begin(), Known::new(), HashMap::<String, u32>::new());
    for step in steps {
        now_s += step.after_s;
        let batches: Vec<Batch> = step.batches.iter().map(|(n, form)| batch(world.site(), step.class(), *n, *form)).collect();
        let outcomes = world.count(now_s, &batches);
        for ((batch, (n, _)), outcomes) in batches.iter().zip(&step.batches).zip(outcomes) {
            for (event, outcome) in batch.events.iter().zip(outcomes) {
                let rooms = [(false, window_s(step.class())), (true, QUEUE_S)];
                let mut expected = Some(Outcome::Counted);
                for (of_queue, window_s) in rooms.into_iter().take(1 + usize::from(step.is_queued)) {
                    match known.insert((step.is_browser, of_queue, *n, event.index), now_s).map(|at_s| now_s - at_s) {
                        Some(age_s) if age_s < window_s => expected = Some(Outcome::Duplicate),
                        // One to two windows.
                        Some(age_s) if age_s <= 2 * window_s && expected == Some(Outcome::Counted) => expected = None,
                        Some(age_s) if age_s > 2 * window_s => AGAIN.add(1),
                        _ => {}
                    }
                }
                assert!(
                    expected.is_none_or(|expected| expected == outcome),
                    "{step:?}: event {} of {n}: {outcome:?} instead of {expected:?}",
                    event.index
                );
                if step.is_queued && outcome == Outcome::Duplicate {
                    KNOWN.add(1);
                }
                *scores.entry(format!("{n}-{}", event.index)).or_default() += u32::from(outcome == Outcome::Counted);
            }
        }
    }
    for (item, score) in scores {
        assert_eq!(world.server.text(&["ZSCORE", &format!("{BOARD}:all:0"), &item]), score.to_string(), "{item}");
    }
}

#[test]
fn what_is_delivered_and_sent_counts_once() {
    let world = RefCell::new(World::start());
    let cases = cases::number(60);
    cases::run(file!(), cases, &steps(), |steps| {
        play(&world.borrow_mut(), &steps);
        Ok(())
    });
    let cases = usize::try_from(cases).expect("few");
    for (counter, times) in [(&KNOWN, 2), (&AGAIN, 1)] {
        counter.assert_above(times * cases);
    }
}

#[test]
fn a_message_and_its_senders_batch_count_once_in_either_order() {
    let world = World::start();
    for class in DIRECT {
        for order in [[class, class.queued()], [class.queued(), class]] {
            for apart_s in [0, 60, window_s(class) - 1] {
                let now_s = world.begin();
                assert_eq!(world.one(now_s, order[0], 2), [Outcome::Counted; 3]);
                assert_eq!(world.one(now_s + apart_s, order[1], 2), [Outcome::Duplicate; 3], "{order:?} {apart_s} s apart");
            }
        }
        // The queue delivers for longer.
        let now_s = world.begin();
        world.one(now_s, class.queued(), 2);
        assert_eq!(world.one(now_s + QUEUE_S - 1, class.queued(), 2), [Outcome::Duplicate; 3]);
    }
}

#[test]
fn no_id_of_a_browser_uses_up_one_of_a_server() {
    let world = World::start();
    let now_s = world.begin();
    for class in [SenderClass::QueuedBrowser, SenderClass::QueuedServer] {
        assert_eq!(world.one(now_s, class, 2), [Outcome::Counted; 3], "{class:?}");
    }
    for class in SenderClass::EACH {
        assert_eq!(world.one(now_s, class, 2), [Outcome::Duplicate; 3], "{class:?}");
    }
}

/// Earlier versions kept the ids of all messages in one class.
#[test]
fn ids_of_earlier_versions_are_known_until_they_expire() {
    let world = World::start();
    let old = format!("{BOARD}:ids:queue:3");
    for class in [SenderClass::QueuedBrowser, SenderClass::QueuedServer] {
        for (after_s, expected) in [(0, Outcome::Duplicate), (2 * QUEUE_S - 1, Outcome::Duplicate), (2 * QUEUE_S, Outcome::Counted)] {
            let now_s = world.begin();
            world.one(now_s, class, 4);
            world.server.command(&["HSET", &format!("{BOARD}:state"), "ids:queue", "3", "turned:queue", &now_s.to_string()]);
            world.server.command(&["SADD", &old, "b2"]);
            world.server.command(&["HSET", &format!("{BOARD}:state"), "parts:queue", "3"]);
            world.server.command(&["SADD", &old, "b5/1"]);
            assert_eq!(world.one(now_s + after_s, class, 2), [expected; 3], "{class:?} after {after_s} s");
            let of_part = [Outcome::Counted, expected, Outcome::Counted];
            assert_eq!(world.one(now_s + after_s, class, 5), of_part, "{class:?} after {after_s} s");
            assert_eq!(world.server.number(&["SCARD", &old]), 2, "nothing is added");
            assert_eq!(world.one(now_s + after_s, if class.is_browser() { DIRECT[0] } else { DIRECT[1] }, 7), [Outcome::Counted; 2]);
        }
    }
}
