//! Random batches that come again, with events that are refused at the door or by a board, and are mended in their places: whole, in halves,
//! event by event, and with those of others. Each place of a batch counts once, which is all that the reference knows of ids.

use std::cell::RefCell;

use proptest::prelude::*;
use ranking::counting::{Outcome, Target};
use ranking::event::{Batch as Parsed, SenderClass};
use ranking::visitor::VisitorKey;
use serde_json::{Value as Json, json};
use serve::ingest::{ParsedBatch, Source, Split};

use super::model::{Event, Model};
use super::random::{batch, options};
use super::{BOARD, ByHand, EventId, LATEST_MS, Options, SECOND_MS, Sent, announce, by_hand, compare, models_of, start};
use crate::cases::{self, Counter};
use crate::deployment::Deployment;

static SENT: Counter = Counter::new("groups that were sent");
static AGAIN: Counter = Counter::new("events that were known by their places");
static COUNTED: Counter = Counter::new("events that were counted");
static LATER: Counter = Counter::new("events that a board refused and took later");
static MENDED: Counter = Counter::new("events that were mended and counted");

/// A batch, and which of its events nobody can read before they are mended.
#[derive(Clone, Debug)]
struct Written {
    events: Vec<Sent>,
    unreadable: Vec<bool>,
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Whole,
    /// The events at even places, or at odd ones.
    Half(bool),
    /// One of them, named by the batch and its place.
    Bare(usize),
}

/// What comes in one call, after some time.
#[derive(Clone, Debug)]
struct Sending {
    after_s: i64,
    group: Vec<(usize, Way)>,
    /// From now on the unreadable ones of these batches are mended.
    mends: bool,
    by_hand: Option<ByHand>,
}

/// What a history has come to.
struct State<'h> {
    written: &'h [Written],
    mended: Vec<bool>,
    /// By batch and place, whether its last answer was that it is refused, and by the door.
    refused: Vec<Vec<Option<bool>>>,
}

const UNREADABLE: &str = "none";

impl State<'_> {
    fn is_unreadable(&self, batch: usize, place: usize) -> bool {
        self.written[batch].unreadable[place] && !self.mended[batch]
    }

    fn body(&self, options: &Options, now_ms: i64, batch: usize, way: Way) -> Json {
        let json = |(place, sent): (usize, &Sent)| {
            let mut json = sent.json(options, now_ms);
            if self.is_unreadable(batch, place) {
                json["action"] = json!(UNREADABLE);
            }
            json
        };
        let events = &self.written[batch].events;
        match way {
            Way::Bare(place) => {
                let mut event = json((place, &events[place]));
                if event["id"].is_null() {
                    event["id"] = json!(format!("b{batch}/{place}"));
                }
                event
            }
            _ => json!({ "id": format!("b{batch}"), "events": events.iter().enumerate().map(json).collect::<Vec<_>>() }),
        }
    }

    fn parsed(&self, deployment: &Deployment, options: &Options, now_ms: i64, (batch, way): (usize, Way)) -> Parsed {
        let body = self.body(options, now_ms, batch, way).to_string();
        let read = ParsedBatch::read(deployment.site(), Source::Server(Some(&VisitorKey::new("a-secret"))), body.as_bytes());
        let (mut parsed, _) = read.unwrap_or_else(|refusal| panic!("{refusal:?}: {body}")).valid();
        if let Way::Half(even) = way {
            parsed.is_whole = false;
            parsed.events.retain(|event| even == event.index.is_multiple_of(2));
        }
        parsed.visitor = options.sender(deployment.site(), self.written[batch].events.len());
        if parsed.visitor.is_some() {
            parsed.sender = SenderClass::Browser;
        }
        parsed
    }

    /// The places of the events that come, and can be read.
    fn places(&self, (batch, way): (usize, Way)) -> Vec<usize> {
        let comes = |place: &usize| match way {
            Way::Whole => true,
            Way::Half(even) => even == place.is_multiple_of(2),
            Way::Bare(only) => *place == only,
        };
        (0..self.written[batch].events.len()).filter(|place| comes(place) && !self.is_unreadable(batch, *place)).collect()
    }

    /// Counts how often what was refused comes to count.
    fn note(&mut self, batch: usize, place: usize, outcome: Outcome) {
        let was = self.refused[batch][place];
        match (outcome, was) {
            (Outcome::Counted, Some(true)) => MENDED.add(1),
            (Outcome::Counted, Some(false)) => LATER.add(1),
            (Outcome::Counted, None) => COUNTED.add(1),
            (Outcome::Duplicate, _) => AGAIN.add(1),
            _ => {}
        }
        let is_refused = matches!(outcome, Outcome::Full | Outcome::TooManyNew | Outcome::Future | Outcome::Removed | Outcome::TooOld);
        self.refused[batch][place] = is_refused.then_some(false);
    }
}

/// Sends a group. `false` when it took so long that nothing can be said.
fn send(
    deployment: &Deployment,
    options: &Options,
    models: &mut [(&str, Model)],
    state: &mut State,
    sending: &Sending,
    now_ms: i64,
) -> bool {
    deployment.server.clock.set(now_ms);
    let parsed: Vec<Parsed> = sending.group.iter().map(|sent| state.parsed(deployment, options, now_ms, *sent)).collect();
    let split = Split::merged(deployment.site(), &parsed.iter().collect::<Vec<_>>());
    let recorded = if split.batches.is_empty() { Vec::new() } else { deployment.record(&split.batches).expect("redis answers") };
    if deployment.now_ms() > now_ms + LATEST_MS {
        return false;
    }
    for (target, model) in models {
        model.begin(now_ms);
        let is_log = model.rules.is_log;
        let of_target = split.batches.iter().zip(&recorded).find(|(batch, _)| matches!(batch.target, Target::ActivityLog) == is_log);
        let mut answered = of_target.map_or(&[][..], |(_, outcomes)| outcomes.as_ref().expect("the group is counted"));
        // What comes twice in a call is one event, whoever sends it.
        let (mut events, mut places): (Vec<Event>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
        for (batch, way) in &sending.group {
            let written = &state.written[*batch].events;
            for place in state.places((*batch, *way)) {
                let name = format!("b{batch}");
                let Some(event) = written[place].event(options, is_log, now_ms, Some(&name), place, written.len()) else { continue };
                events.push(Event { has_own_id: true, ..event });
                places.push((*batch, place));
            }
        }
        let expected = model.apply(now_ms, None, true, &events, answered);
        assert_eq!(answered, expected, "{target:?}: {places:?} of {sending:?}");
        for ((batch, place), outcome) in places.into_iter().zip(expected).filter(|_| !is_log) {
            state.note(batch, place, outcome);
        }
        answered = &answered[events.len()..];
        assert!(answered.is_empty(), "an outcome of no event");
    }
    for (batch, way) in &sending.group {
        for place in 0..state.written[*batch].events.len() {
            if matches!(way, Way::Whole) && state.is_unreadable(*batch, place) {
                state.refused[*batch][place] = Some(true);
            }
        }
    }
    SENT.add(1);
    true
}

fn play(deployment: &mut Deployment, options: &Options, written: &[Written], history: &[Sending]) {
    let mut now_ms = options.start_ms();
    deployment.server.command(&["FLUSHALL"]);
    deployment.server.clock.set(now_ms);
    deployment.configure(&options.configuration());
    announce(deployment, options);
    let mut models = models_of(deployment, options);
    deployment.upkeep(BOARD);
    let refused = written.iter().map(|written| vec![None; written.events.len()]).collect();
    let mut state = State { written, mended: vec![false; written.len()], refused };
    for (step, sending) in history.iter().enumerate() {
        now_ms = options.next_ms(now_ms, sending.after_s, (step, history.len()));
        if let Some(done) = &sending.by_hand {
            for (_, model) in &mut models {
                model.forget(now_ms);
            }
            by_hand(deployment, options, &mut models[0].1, done, now_ms);
            now_ms += SECOND_MS;
        }
        for (batch, _) in &sending.group {
            state.mended[*batch] |= sending.mends;
        }
        if !send(deployment, options, &mut models, &mut state, sending, now_ms) {
            return;
        }
        compare::keys(deployment, &models, now_ms);
        compare::rolling(deployment, &models[0].1, now_ms, false);
    }
}

/// Some batches, the same events under each id, and how they come.
fn history() -> impl Strategy<Value = (Vec<Written>, Vec<Sending>)> {
    let written = batch().prop_flat_map(|batch| {
        let events: Vec<Sent> = batch.events.into_iter().take(8).collect();
        let unreadable = prop::collection::vec(prop::bool::weighted(0.2), events.len());
        (Just(events), unreadable).prop_map(|(mut events, unreadable)| {
            for event in &mut events {
                event.id = event.id.filter(|id| matches!(id, EventId::Own(_)));
            }
            Written { events, unreadable }
        })
    });
    let way = prop_oneof![4 => Just(Way::Whole), 1 => any::<bool>().prop_map(Way::Half), 1 => (0..8_usize).prop_map(Way::Bare)];
    let after_s = prop_oneof![3 => 0..60_i64, 4 => 0..3600_i64, 1 => 0..90_000_i64];
    let remove = (prop::option::weighted(0.7, 0..6_u8), any::<bool>()).prop_map(|(member, keep_off)| ByHand::Remove {
        member,
        is_prefix: false,
        keep_off,
    });
    let by_hand = prop::option::weighted(0.2, prop_oneof![3 => remove, 1 => Just(ByHand::LetIn)]);
    let group = prop::collection::vec((0..5_usize, way), 1..4);
    let sending = (after_s, group, prop::bool::weighted(0.3), by_hand).prop_map(|(after_s, group, mends, by_hand)| Sending {
        after_s,
        group,
        mends,
        by_hand,
    });
    (prop::collection::vec(written, 5), prop::collection::vec(sending, 10..40)).prop_map(|(written, mut sendings)| {
        for (batch, way) in sendings.iter_mut().flat_map(|sending| &mut sending.group) {
            if let Way::Bare(place) = way {
                *place %= written[*batch].events.len();
            }
        }
        (written, sendings)
    })
}

#[test]
fn each_place_of_a_batch_counts_once() {
    let deployment = RefCell::new(start());
    let cases = cases::number_of_whole(16);
    cases::run(file!(), cases, &(options(), history()), |(options, (written, history))| {
        play(&mut deployment.borrow_mut(), &options, &written, &history);
        Ok(())
    });
    let cases = usize::try_from(cases).expect("few");
    for (counter, times) in [(&SENT, 8), (&COUNTED, 10), (&AGAIN, 10)] {
        counter.assert_above(times * cases);
    }
    for counter in [&MENDED, &LATER] {
        counter.assert_above(cases / 4);
    }
}
