//! Actions that can be undone, on boards that lie on several nodes: after the loss of replies, workers that are killed between any two commands, removals,
//! resets and ends of days, every board is as if it alone had got what the home decided, in the order of that.
//!
//! One server stands for all nodes: each command is sent by itself.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use engine::adapter::{Cmd, Error, Fault, Mode, Transport, Value};
use engine::store::Store;
use engine::store::alias::{Alias, Merged};
use engine::store::homes::Settled;
use engine::store::keep_off::Whom;
use engine::store::scripts::LIBRARY;
use proptest::prelude::*;
use ranking::counting::{Outcome, Target};
use ranking::facts::{Credit, Facts, Section};
use ranking::name::{Id, Name};
use ranking::site::Site;
use serde_json::{Value as Json, json};
use serve::ingest::{ParsedBatch, Source, Split};

use crate::call::{NOON_MS, whole};
use crate::cases::{self, Counter};
use crate::deployment::{Deployment, sorted};
use crate::skipped::skipped;
use crate::support::{Connection, TzZones};

const DAY_MS: i64 = 86_400_000;
const BOARDS: [&str; 3] = ["a", "b", "c"];
const ACTORS: [&str; 3] = ["u", "v", "w"];
const ITEMS: [&str; 2] = ["x", "y"];
/// What the activity log is named.
const LOG: &str = "";

static KILLED: Counter = Counter::new("workers that were killed after a decision");
static LOST: Counter = Counter::new("replies that were lost");
static REFUSED: Counter = Counter::new("pieces that were refused");
static AGAIN: Counter = Counter::new("batches that came again");
static TAKEN_OVER: Counter = Counter::new("intents that somebody else finished");

type Meanwhile<'c> = Box<dyn FnOnce() + 'c>;

/// Each command goes to a node by itself.
struct Nodes<'c> {
    to: &'c Connection,
    /// Commands that are sent before the worker is killed.
    lives_for: Cell<Option<usize>>,
    /// The command of which the reply is lost.
    loses: Cell<Option<usize>>,
    sent: Cell<usize>,
    /// What happens before a command of this number.
    meanwhile: RefCell<Option<(usize, Meanwhile<'c>)>>,
}

impl<'c> Nodes<'c> {
    fn new(to: &'c Connection) -> Self {
        Self { to, lives_for: Cell::new(None), loses: Cell::new(None), sent: Cell::new(0), meanwhile: RefCell::default() }
    }
}

impl Transport for Nodes<'_> {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let lost = |what: &str| Error::new(Fault::Lost, what);
        let mut replies = Vec::new();
        // What goes to one node in one transaction is done whole.
        let is_one = mode.is_transaction() && commands.iter().all(|command| command.key() == commands[0].key());
        for unit in commands.chunks(if is_one { commands.len() } else { 1 }) {
            if self.lives_for.get().is_some_and(|most| self.sent.get() >= most) {
                return Err(lost("the worker is killed"));
            }
            let sent = self.sent.get();
            if let Some((_, happens)) = self.meanwhile.borrow_mut().take_if(|(at, _)| *at == sent) {
                happens();
            }
            let answers = self.to.send(unit, mode).await?;
            let is_lost = self.loses.get() == Some(self.sent.get());
            replies.extend(answers.into_iter().map(|answer| if is_lost { Value::Missing(lost("the reply")) } else { answer }));
            self.sent.set(self.sent.get() + 1);
        }
        if self.lives_for.get().is_some_and(|most| self.sent.get() >= most) {
            return Err(lost("the worker is killed"));
        }
        Ok(replies)
    }

    fn is_cluster(&self) -> bool {
        true
    }
}

fn site() -> Json {
    let board = || json!({ "weights": { "like": 1, "view": 1 }, "windows": ["day", "all"] });
    let mut indexed = board();
    (indexed["ties"], indexed["breakdown"]) = (json!("first"), json!(true));
    json!({
        "actor_homes": 2,
        "actions": { "like": { "reversible": true }, "view": {} },
        "boards": { "a": board(), "b": board(), "c": indexed },
    })
}

/// Each node has the library, so that workers send nothing but calls.
fn start_with(site: &Json) -> Deployment {
    let deployment = Deployment::start(site, NOON_MS);
    deployment.server.command(&["FUNCTION", "LOAD", &LIBRARY.parts.concat()]);
    deployment
}

/// A worker's isolate, and what it does.
struct Worker<'d> {
    on: &'d Deployment,
    nodes: Nodes<'d>,
}

type Became = BTreeMap<String, Result<Vec<Outcome>, Error>>;

impl<'d> Worker<'d> {
    fn new(on: &'d Deployment) -> Self {
        Self { on, nodes: Nodes::new(on.store().transport) }
    }

    fn store(&self) -> Store<'d, &Nodes<'d>, TzZones> {
        let store = self.on.store();
        Store { transport: &self.nodes, zones: store.zones, guess_s: store.guess_s, key_prefix: store.key_prefix, replica: None }
    }

    fn send(&self, body: &Json, settled: &Settled) -> Result<Became, Error> {
        let site = self.on.site();
        let batch = ParsedBatch::read(site, Source::Server(None), body.to_string().as_bytes()).and_then(whole).expect("a batch");
        let split = Split::new(site, &batch);
        let recorded = pollster::block_on(self.store().record_ordered(site, &split.batches, "salt", None, settled))?.0;
        let name = |target: Target| if matches!(target, Target::ActivityLog) { LOG.to_owned() } else { target.label().to_owned() };
        Ok(split.batches.iter().map(|batch| name(batch.target)).zip(recorded).collect())
    }

    fn finish(&self, settled: &Settled) -> u64 {
        self.finish_on((self.on.site(), true), settled)
    }

    /// On the boards of a site, which are all of them or not.
    fn finish_on(&self, on: (&Site, bool), settled: &Settled) -> u64 {
        pollster::block_on(self.store().finish_intents(on, Site::MAX_HOMES, 0, "salt", settled)).expect("redis answers")
    }
}

/// Keys of homes that hold intents.
fn intents(on: &Deployment) -> Vec<String> {
    on.server.keys("*:intents*")
}

#[derive(Clone, Debug)]
struct Event {
    item: usize,
    undo: bool,
    seq: Option<u64>,
    ago_ms: i64,
}

#[derive(Clone, Debug)]
enum Step {
    Send {
        actor: usize,
        events: Vec<Event>,
        has_id: bool,
        lives_for: Option<usize>,
        loses: Option<usize>,
        isolate: usize,
    },
    /// A batch with an id comes again.
    Again(usize),
    Finish,
    Advance(i64),
    /// An item is kept off a board, or let in.
    Keep {
        board: usize,
        item: usize,
        is_off: bool,
    },
    Reset(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let seq = prop_oneof![3 => Just(None), 2 => (1..6_u64).prop_map(Some)];
    let ago_ms = prop_oneof![4 => Just(0), 1 => 0..3 * DAY_MS];
    let event = (0..ITEMS.len(), any::<bool>(), seq, ago_ms).prop_map(|(item, undo, seq, ago_ms)| Event { item, undo, seq, ago_ms });
    let kill = prop_oneof![5 => Just(None), 4 => (0..6_usize).prop_map(Some)];
    let lose = prop_oneof![6 => Just(None), 2 => (1..5_usize).prop_map(Some)];
    let sent = (0..ACTORS.len(), prop::collection::vec(event, 1..4), any::<bool>(), kill, lose, 0..2_usize);
    prop_oneof![
        12 => sent.prop_map(|(actor, events, has_id, lives_for, loses, isolate)| Step::Send { actor, events, has_id, lives_for, loses, isolate }),
        3 => (0..8_usize).prop_map(Step::Again),
        2 => Just(Step::Finish),
        2 => prop_oneof![Just(1000), Just(DAY_MS), Just(9 * 3_600_000)].prop_map(Step::Advance),
        2 => (0..BOARDS.len(), 0..ITEMS.len(), any::<bool>()).prop_map(|(board, item, is_off)| Step::Keep { board, item, is_off }),
        1 => (0..BOARDS.len()).prop_map(Step::Reset),
    ]
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Never,
    Done(i64),
    Undone,
}

/// A decision, and which targets refused it.
#[derive(Clone, Debug)]
struct Decided {
    order: u64,
    at_ms: i64,
    /// When that was.
    now_ms: i64,
    actor: usize,
    event: Event,
    refused: Vec<usize>,
}

/// What one board or the log knows.
#[derive(Clone, Debug, Default)]
struct Board {
    states: BTreeMap<(usize, usize), (Option<State>, u64, u64)>,
    off: Vec<usize>,
    /// When it was reset: the day of then, and all.
    resets: Vec<i64>,
}

impl Board {
    /// Whether the day of an instant, and all days, still count it.
    fn counts(&self, at_ms: i64) -> [bool; 2] {
        let day = |ms: i64| ms.div_euclid(DAY_MS);
        let is_of = |reset_ms: &i64| at_ms <= *reset_ms;
        [!self.resets.iter().any(|reset_ms| is_of(reset_ms) && day(at_ms) == day(*reset_ms)), !self.resets.iter().any(is_of)]
    }

    /// The outcome's code. What is refused leaves nothing.
    fn apply(&mut self, decided: &Decided) -> char {
        let Event { item, undo, seq, .. } = decided.event;
        if self.off.contains(&item) {
            return 'g';
        }
        let is_before = self.counts(decided.at_ms) == [false; 2];
        let done_at_ms = match self.states.get(&(decided.actor, item)) {
            Some((Some(State::Done(at_ms)), ..)) => *at_ms,
            _ => 0,
        };
        let is_reset = self.counts(done_at_ms) == [false; 2];
        let (state, applied, order) = self.states.entry((decided.actor, item)).or_default();
        if seq.is_some_and(|seq| *applied >= seq) {
            *order = decided.order;
            return 'p';
        }
        let code = match (undo, state.unwrap_or(State::Never)) {
            (false, State::Done(_)) => 's',
            (false, _) if is_before => return 'b',
            (false, _) => {
                *state = Some(State::Done(decided.at_ms));
                'c'
            }
            (true, State::Never) => 'n',
            (true, State::Undone) => 'u',
            (true, State::Done(_)) => {
                *state = Some(State::Undone);
                if is_reset { 'b' } else { 'c' }
            }
        };
        *order = decided.order;
        if let Some(seq) = seq {
            *applied = seq;
        }
        if seq.is_some() && !matches!(code, 'c' | 'b') { 'k' } else { code }
    }

    fn is_refusal(code: char, undo: bool) -> bool {
        code == 'g' || code == 'b' && !undo
    }

    fn keep(&mut self, item: usize, is_off: bool) {
        self.off.retain(|off| *off != item);
        if is_off {
            self.off.push(item);
            for ((_, of), (state, ..)) in &mut self.states {
                if *of == item {
                    *state = None;
                }
            }
        }
    }

    /// Scores by day, and all of them at -1.
    fn scores(&self) -> BTreeMap<(i64, String), f64> {
        let mut scores = BTreeMap::new();
        for ((_, item), (state, ..)) in &self.states {
            let Some(State::Done(at_ms)) = state else { continue };
            for (day, counts) in [at_ms.div_euclid(DAY_MS), -1].into_iter().zip(self.counts(*at_ms)) {
                if counts {
                    *scores.entry((day, ITEMS[*item].to_owned())).or_default() += 1.0;
                }
            }
        }
        scores
    }
}

/// What the boards have.
fn scores(on: &Deployment, board: &str) -> BTreeMap<(i64, String), f64> {
    let (contents, mut scores) = (on.contents(), BTreeMap::new());
    for key in contents.keys() {
        let day = match key.strip_prefix(&format!("eb:{{site:{board}}}:")) {
            Some("all:0") => -1,
            Some(name) => match name.strip_prefix("day:").map(str::parse) {
                Some(Ok(day)) => day,
                _ => continue,
            },
            None => continue,
        };
        scores.extend(sorted(&contents, key).into_iter().map(|(item, score)| ((day, item), score)));
    }
    scores
}

struct Model {
    boards: Vec<Board>,
    order: u64,
    /// By the number of a batch with an id.
    known: BTreeMap<usize, Vec<Decided>>,
}

impl Model {
    fn new() -> Self {
        Self { boards: vec![Board::default(); BOARDS.len() + 1], order: 0, known: BTreeMap::new() }
    }

    /// What each target answers to a new batch.
    fn decide(&mut self, now_ms: i64, actor: usize, events: &[Event], id: Option<usize>) -> Vec<Vec<char>> {
        let (mut codes, mut all) = (vec![Vec::new(); self.boards.len()], Vec::new());
        for event in events {
            self.order += 1;
            let at_ms = now_ms - if event.undo { 0 } else { event.ago_ms };
            let mut decided = Decided { order: self.order, at_ms, now_ms, actor, event: event.clone(), refused: Vec::new() };
            for (i, board) in self.boards.iter_mut().enumerate() {
                let code = board.apply(&decided);
                codes[i].push(code);
                if Board::is_refusal(code, event.undo) {
                    decided.refused.push(i);
                    REFUSED.add(1);
                }
            }
            all.push(decided);
        }
        if let Some(id) = id {
            self.known.insert(id, all);
        }
        codes
    }

    /// The same of one that was decided before.
    fn again(&mut self, id: usize, now_ms: i64) -> Vec<Vec<char>> {
        let mut all = self.known.remove(&id).expect("it is known");
        let mut codes = vec![Vec::new(); self.boards.len()];
        for decided in &mut all {
            // What everything refused is not known.
            if decided.refused.len() == self.boards.len() {
                self.order += 1;
                decided.order = self.order;
                decided.refused = (0..self.boards.len()).collect();
            }
            // It comes now, in its place of the order.
            decided.at_ms = now_ms - if decided.event.undo { 0 } else { decided.event.ago_ms };
            let refused = std::mem::take(&mut decided.refused);
            for (i, board) in self.boards.iter_mut().enumerate() {
                let latest = board.states.get(&(decided.actor, decided.event.item)).map_or(0, |state| state.2);
                let code = if refused.contains(&i) && (latest < decided.order || board.off.contains(&decided.event.item)) {
                    board.apply(decided)
                } else {
                    'd'
                };
                codes[i].push(code);
                if Board::is_refusal(code, decided.event.undo) {
                    decided.refused.push(i);
                }
            }
        }
        self.known.insert(id, all);
        codes
    }
}

fn body(actor: usize, events: &[Event], id: Option<usize>) -> Json {
    let event = |event: &Event| {
        let mut one = json!({ "action": "like", "actor": ACTORS[actor], "item": ITEMS[event.item], "undo": event.undo });
        if !event.undo {
            one["ago"] = json!(event.ago_ms);
        }
        if let Some(seq) = event.seq {
            one["seq"] = json!(seq);
        }
        one
    };
    let mut body = json!({ "events": events.iter().map(event).collect::<Vec<_>>() });
    if let Some(id) = id {
        body["id"] = json!(format!("batch{id}"));
    }
    body
}

#[track_caller]
fn check(became: &Became, codes: &[Vec<char>]) {
    for (name, codes) in BOARDS.iter().chain([&LOG]).zip(codes) {
        assert_eq!(codes_of(became, name), *codes, "{name}");
    }
}

/// The same where a reply was lost, and a target was asked again. What it refused left nothing there. If a later event about the same item left
/// something, the target only knows that it heard of the earlier one.
#[track_caller]
fn check_after_loss(became: &Became, codes: &[Vec<char>], events: &[Event]) {
    for (name, codes) in BOARDS.iter().chain([&LOG]).zip(codes) {
        let is_noted = |i: usize| !Board::is_refusal(codes[i], events[i].undo);
        let is_followed = |i: usize| (i + 1..events.len()).any(|later| events[later].item == events[i].item && is_noted(later));
        for (i, code) in codes_of(became, name).into_iter().enumerate() {
            let may_be_unknown = codes[i] == 'b' && is_followed(i);
            assert!(code == codes[i] || code == 'd' && may_be_unknown, "{name}: {code} at {i} of {codes:?}");
        }
    }
}

#[track_caller]
fn codes_of(became: &Became, target: &str) -> Vec<char> {
    let outcomes = became[target].as_ref().unwrap_or_else(|error| panic!("{target}: {error}"));
    outcomes.iter().map(|outcome| outcome.code()).collect()
}

fn run(deployment: &Deployment, steps: &[Step]) {
    deployment.server.command(&["FLUSHALL"]);
    deployment.server.clock.set(NOON_MS);
    let (mut model, settled, mut batches) = (Model::new(), [Settled::default(), Settled::default()], Vec::new());
    let finish = || {
        let finished = Worker::new(deployment).finish(&settled[0]);
        TAKEN_OVER.add(usize::try_from(finished).expect("few"));
        assert_eq!(intents(deployment), [""; 0]);
    };
    for step in steps {
        deployment.advance(1000);
        let now_ms = deployment.now_ms();
        match step {
            Step::Send { actor, events, has_id, lives_for, loses, isolate } => {
                let id = has_id.then_some(batches.len());
                batches.push((*actor, events.clone()));
                let worker = Worker::new(deployment);
                worker.nodes.lives_for.set(*lives_for);
                worker.nodes.loses.set(*loses);
                let became = worker.send(&body(*actor, events, id), &settled[*isolate]);
                if *lives_for == Some(0) {
                    assert!(became.is_err(), "{became:?}");
                    continue;
                }
                let codes = model.decide(now_ms, *actor, events, id);
                let is_killed = lives_for.is_some_and(|most| worker.nodes.sent.get() >= most);
                if is_killed {
                    KILLED.add(1);
                } else {
                    LOST.add(usize::from(loses.is_some()));
                    let became = became.expect("it is decided");
                    if loses.is_some() { check_after_loss(&became, &codes, events) } else { check(&became, &codes) }
                }
            }
            Step::Again(i) => {
                let is_remembered = |decided: &&Decided| now_ms < decided.now_ms + DAY_MS;
                let known = model.known.iter().filter(|(_, of)| of.iter().all(|decided| is_remembered(&decided)));
                let Some((i, id)) = known.map(|(id, _)| (*id, *id)).nth(*i) else { continue };
                // What waits is finished before, so that what is refused is known.
                finish();
                AGAIN.add(1);
                let (actor, events) = &batches[i];
                let became = Worker::new(deployment).send(&body(*actor, events, Some(id)), &settled[0]);
                let codes = model.again(id, now_ms);
                check(&became.expect("it is known"), &codes);
            }
            Step::Finish => finish(),
            Step::Advance(ms) => deployment.advance(*ms),
            Step::Keep { board, item, is_off } => {
                finish();
                let whom = Whom::Member(Id::new(ITEMS[*item]).expect("an id"));
                if *is_off {
                    deployment.remove(BOARDS[*board], &whom, true);
                } else {
                    deployment.let_in(BOARDS[*board], &whom);
                }
                model.boards[*board].keep(*item, *is_off);
            }
            Step::Reset(board) => {
                // What comes later is refused, see below.
                finish();
                deployment.reset(BOARDS[*board], None);
                model.boards[*board].resets.push(now_ms);
            }
        }
    }
    finish();
    for (i, board) in BOARDS.iter().enumerate() {
        assert_eq!(scores(deployment, board), model.boards[i].scores(), "{board}");
    }
}

#[test]
fn boards_are_as_their_homes_decided() {
    let deployment = start_with(&site());
    // The library is loaded before anything is counted in commands.
    Worker::new(&deployment).finish(&Settled::default());
    let cases = cases::number(60);
    cases::run(file!(), cases, &prop::collection::vec(step(), 1..25), |steps| {
        run(&deployment, &steps);
        Ok(())
    });
    let cases = usize::try_from(cases).expect("few");
    for counter in [&KILLED, &LOST, &REFUSED, &AGAIN, &TAKEN_OVER] {
        counter.assert_above(cases / 10);
    }
}

fn like(item: &str, undo: bool) -> Json {
    json!({ "events": [{ "action": "like", "actor": "u", "item": item, "undo": undo }] })
}

/// A worker that is killed once the home has decided, and one board has it.
#[track_caller]
fn killed(deployment: &Deployment, body: &Json, lives_for: usize) {
    let worker = Worker::new(deployment);
    worker.nodes.lives_for.set(Some(lives_for));
    let became = worker.send(body, &Settled::default());
    assert!(became.is_err() || became.is_ok_and(|became| became.values().all(Result::is_err)), "it is killed");
    assert_ne!(intents(deployment), [""; 0]);
}

#[track_caller]
fn all(deployment: &Deployment) -> Vec<f64> {
    let score = |board: &str| scores(deployment, board).iter().filter(|((day, _), _)| *day == -1).map(|(_, score)| score).sum();
    BOARDS.iter().map(|board| score(board)).collect()
}

fn start() -> Deployment {
    let deployment = start_with(&site());
    Worker::new(&deployment).finish(&Settled::default());
    deployment
}

/// It is of before the reset, so it does not come back. Boards that were not reset have it.
#[test]
fn what_reaches_a_board_after_its_reset_is_refused_there() {
    let deployment = start();
    killed(&deployment, &like("x", false), 2);
    deployment.advance(1000);
    deployment.reset("b", None);
    deployment.advance(1000);
    assert_eq!(Worker::new(&deployment).finish(&Settled::default()), 1);
    assert_eq!(all(&deployment), [1.0, 0.0, 1.0]);
    let became = Worker::new(&deployment).send(&like("x", true), &Settled::default()).expect("it is decided");
    check(&became, &[vec!['c'], vec!['n'], vec!['c'], vec!['c']]);
    assert_eq!(all(&deployment), [0.0; 3]);
}

#[test]
fn what_reaches_a_board_on_the_next_day_counts_on_its_own() {
    let deployment = start();
    killed(&deployment, &like("x", false), 1);
    deployment.advance(DAY_MS);
    assert_eq!(Worker::new(&deployment).finish(&Settled::default()), 1);
    let day = NOON_MS.div_euclid(DAY_MS);
    for board in BOARDS {
        assert_eq!(scores(&deployment, board).keys().map(|(day, _)| *day).collect::<Vec<_>>(), [-1, day], "{board}");
    }
}

/// What an erased actor did and no board has is forgotten, and what a board has does not count there again.
#[test]
fn nothing_comes_back_of_who_is_erased() {
    let deployment = start();
    killed(&deployment, &like("x", false), 2);
    erase(&deployment);
    assert_eq!(Worker::new(&deployment).finish(&Settled::default()), 0);
    assert_eq!(all(&deployment), [1.0, 0.0, 0.0]);
    deployment.advance(UNDERWAY_MS);
    assert!(!names_the_erased(&deployment));
}

/// For so long a key has the name of an erased actor.
const UNDERWAY_MS: i64 = 121_000;

fn names_the_erased(deployment: &Deployment) -> bool {
    deployment.contents().iter().any(|(key, held)| format!("{key} {held:?}").contains("actor:u"))
}

fn erase(deployment: &Deployment) {
    let actor = Id::new("u").expect("an id");
    let (store, site) = (deployment.store(), deployment.site());
    let decided_until = pollster::block_on(store.end_intents(site, &actor)).expect("redis answers");
    let mut remaining: Vec<(Target, String)> = Target::each(site).map(|target| (target, String::new())).collect();
    while !remaining.is_empty() {
        let cursors = pollster::block_on(store.erase(site, &actor, decided_until, &remaining)).expect("redis answers");
        remaining = remaining.into_iter().zip(cursors).filter_map(|((target, _), cursor)| Some((target, cursor?))).collect();
    }
}

/// An actor is erased between any two commands of an event, which has an earlier one of its actor finished, too. What a board had does not count there
/// once more, and what is decided later counts.
#[test]
fn nothing_that_is_underway_counts_twice_of_who_is_erased() {
    let mut is_refused = 0;
    for (at, has_all) in (0..5).flat_map(|at| [(at, false), (at, true)]) {
        let deployment = start();
        killed(&deployment, &like("x", false), 2);
        if has_all {
            // All boards have it, and nobody told its home.
            Worker::new(&deployment).send(&like("y", false), &Settled::default()).expect("it is decided");
        }
        let worker = Worker::new(&deployment);
        *worker.nodes.meanwhile.borrow_mut() = Some((at, Box::new(|| erase(&deployment))));
        let became = worker.send(&like("y", has_all), &Settled::default()).expect("it is decided");
        is_refused += became.values().filter(|became| became.as_ref().is_ok_and(|codes| codes == &[Outcome::Duplicate])).count();
        assert!(worker.nodes.meanwhile.borrow().is_none(), "{at}: it is erased meanwhile");
        let before = all(&deployment);
        Worker::new(&deployment).finish(&Settled::default());
        assert_eq!(all(&deployment), before, "{at} {has_all}: nothing comes back");
        for board in BOARDS {
            for ((_, item), score) in scores(&deployment, board) {
                assert!((0.0..=1.0).contains(&score), "{at} {has_all}: {score} of {item} on {board}");
            }
        }
        // Later events are new.
        deployment.advance(1000);
        Worker::new(&deployment).send(&like("z", false), &Settled::default()).expect("it is decided");
        assert_eq!(all(&deployment), before.into_iter().map(|score| score + 1.0).collect::<Vec<_>>(), "{at} {has_all}");
        deployment.advance(UNDERWAY_MS);
        Worker::new(&deployment).send(&like("z", true), &Settled::default()).expect("it is decided");
    }
    assert!(is_refused > 0, "some were underway");
}

/// What was done to an item counts for the one that it became, wherever it comes later.
#[test]
fn what_reaches_a_board_after_an_alias_counts_for_the_other_item() {
    let deployment = start();
    killed(&deployment, &like("x", false), 2);
    let alias = Alias { old: Id::new("x").expect("an id"), new: Id::new("y").expect("an id") };
    let merge = || {
        let targets = Target::each(deployment.site());
        let merged = |target| pollster::block_on(deployment.store().alias(deployment.site(), target, &alias, Alias::ENTRIES));
        targets.map(merged).any(|merged| matches!(merged, Ok(Merged::Chunk { next: Some(_), .. })))
    };
    while merge() {}
    assert_eq!(Worker::new(&deployment).finish(&Settled::default()), 1);
    let became = Worker::new(&deployment).send(&like("y", false), &Settled::default()).expect("it is decided");
    check(&became, &[vec!['s'], vec!['s'], vec!['s'], vec!['s']]);
    for board in BOARDS {
        assert_eq!(scores(&deployment, board).get(&(-1, "y".to_owned())), Some(&1.0), "{board}");
    }
    let became = Worker::new(&deployment).send(&like("x", true), &Settled::default()).expect("it is decided");
    check(&became, &[vec!['c'], vec!['c'], vec!['c'], vec!['c']]);
    assert_eq!(all(&deployment), [0.0; 3]);
}

/// A board that is full refuses its piece. The same event is offered to it alone.
#[test]
fn what_a_board_refuses_is_offered_to_it_again() {
    let mut site = site();
    site["boards"]["b"]["max_members"] = json!(1);
    site["boards"]["b"]["windows"] = json!(["all"]);
    let deployment = start_with(&site);
    let settled = Settled::default();
    let send = |body: &Json, codes: [char; 4]| {
        let became = Worker::new(&deployment).send(body, &settled).expect("it is decided");
        check(&became, &codes.map(|code| vec![code]));
    };
    let mut second = like("y", false);
    second["id"] = json!("second");
    send(&like("x", false), ['c'; 4]);
    send(&second, ['c', 'r', 'c', 'c']);
    send(&second, ['d', 'r', 'd', 'd']);
    send(&like("y", false), ['s', 'r', 's', 's']);
    send(&like("x", true), ['c'; 4]);
    send(&second, ['d', 'c', 'd', 'd']);
    send(&like("y", false), ['s'; 4]);
    send(&like("y", true), ['c'; 4]);
    assert_eq!(all(&deployment), [0.0; 3]);
}

/// What one board refuses is done, repeated and undone on the others, with numbers of the sender and without. `b` has nothing of it.
#[test]
fn each_refusal_is_of_its_board_alone() {
    let season = json!({ "name": "past", "kind": "season", "from": "2026-10-01", "until": "2026-11-01" });
    type Before = fn(&Deployment);
    let refusals: [(char, Json, Before); 4] = [
        ('r', json!({ "max_members": 1, "windows": ["all"] }), |on| drop(on.try_send(&like("other", false)))),
        ('e', json!({ "windows": [season] }), |_| {}),
        ('o', json!({ "windows": ["hour"] }), |_| {}),
        ('g', json!({}), |on| {
            on.remove("b", &Whom::Member(Id::new("x").expect("an id")), true);
        }),
    ];
    for (code, options, before) in refusals {
        for has_seq in [false, true] {
            let mut site = site();
            site["boards"]["b"].as_object_mut().expect("a board").extend(options.as_object().expect("options").clone());
            let deployment = start_with(&site);
            before(&deployment);
            let (settled, seq) = (Settled::default(), Cell::new(0));
            let at_b = || scores(&deployment, "b");
            let held = at_b();
            let send = |id: &str, undo: bool, is_again: bool, codes: [char; 4]| {
                let mut event = json!({ "action": "like", "actor": "u", "item": "x", "undo": undo });
                if code == 'o' && !undo {
                    event["ago"] = json!(4 * DAY_MS);
                }
                seq.set(seq.get() + u64::from(!is_again));
                if has_seq {
                    event["seq"] = json!(seq.get());
                }
                let became = Worker::new(&deployment).send(&json!({ "id": id, "events": [event] }), &settled).expect("it is decided");
                check(&became, &codes.map(|code| vec![code]));
                assert_eq!(at_b(), held, "{code} {has_seq} {id}");
            };
            // What changes nothing is settled where it has the newest number.
            let or_settled = |code: char| if has_seq { 'k' } else { code };
            let of_undo = if code == 'g' { 'g' } else { or_settled('n') };
            let all_but_b = |code: char, at_b: char| [code, at_b, code, code];
            send("done", false, false, all_but_b('c', code));
            send("done", false, true, all_but_b('d', code));
            send("again", false, false, all_but_b(or_settled('s'), code));
            send("undone", true, false, all_but_b('c', of_undo));
            send("undone", true, true, all_but_b('d', if code == 'g' { 'g' } else { 'd' }));
            send("undone-again", true, false, all_but_b(or_settled('u'), of_undo));
            assert_eq!(all(&deployment)[..1], all(&deployment)[2..]);
        }
    }
}

/// The request that decided something brings it to its boards, unless that takes long.
#[test]
fn upkeep_waits_for_who_decided_just_now() {
    let deployment = start();
    killed(&deployment, &like("x", false), 1);
    const AGE_MS: i64 = 10_000;
    let (worker, settled) = (Worker::new(&deployment), Settled::default());
    let finish = || {
        let store = worker.store();
        let finished = store.finish_intents((deployment.site(), true), 2, AGE_MS, "salt", &settled);
        pollster::block_on(finished).expect("redis answers")
    };
    deployment.advance(AGE_MS - 1000);
    assert_eq!((finish(), all(&deployment)), (0, vec![0.0; 3]));
    deployment.advance(2000);
    assert_eq!((finish(), all(&deployment)), (1, vec![1.0; 3]));
}

/// What was configured otherwise when an action counted is taken back although nothing of that is known any more: here a weight.
#[test]
fn an_undo_goes_where_its_action_counted() {
    let mut deployment = start();
    let settled = Settled::default();
    Worker::new(&deployment).send(&like("x", false), &settled).expect("it is decided");
    let mut later = site();
    later["boards"]["b"]["weights"] = json!({ "view": 1 });
    deployment.configure(&later);
    killed(&deployment, &like("x", true), 2);
    assert_eq!(Worker::new(&deployment).finish(&settled), 1);
    assert_eq!(all(&deployment), [0.0; 3]);
    // It counts where it does now, and repetitions change nothing.
    for (undo, code, scores) in [(false, 'c', [1.0, 0.0, 1.0]), (true, 'c', [0.0; 3]), (true, 'u', [0.0; 3])] {
        let became = Worker::new(&deployment).send(&like("x", undo), &settled).expect("it is decided");
        assert_eq!(codes_of(&became, "a"), [code]);
        assert_eq!(all(&deployment), scores);
    }
    // All that it counted on does not count it any more: it was done all the same.
    deployment.configure(&site());
    Worker::new(&deployment).send(&like("y", false), &settled).expect("it is decided");
    for board in ["a", "b"] {
        later["boards"][board]["weights"] = json!({ "view": 1 });
    }
    later["activity"] = json!(false);
    later["boards"]["d"] = site()["boards"]["a"].clone();
    deployment.configure(&later);
    let became = Worker::new(&deployment).send(&like("y", true), &settled).expect("it is decided");
    assert_eq!(codes_of(&became, "d"), ['c']);
    assert_eq!(all(&deployment), [0.0; 3]);
}

/// A board that who finishes does not know may be one of a template: the event waits for it, however long. It is left out where all boards are known.
#[test]
fn what_waits_for_an_unknown_board_stays() {
    let deployment = start();
    killed(&deployment, &like("x", false), 1);
    deployment.advance(2 * 3_600_000);
    let mut known = Site::clone(deployment.site());
    known.boards =
        known.boards.iter().filter(|(name, _)| name.as_str() != "b").map(|(name, board)| (name.clone(), Rc::clone(board))).collect();
    let finish = |on: (&Site, bool)| Worker::new(&deployment).finish_on(on, &Settled::default());
    assert_eq!((finish((&known, false)), all(&deployment)), (0, vec![1.0, 0.0, 1.0]));
    assert_eq!((finish((deployment.site(), true)), all(&deployment)), (1, vec![1.0; 3]));
    killed(&deployment, &like("x", true), 1);
    deployment.advance(2 * 3_600_000);
    assert_eq!((finish((&known, true)), all(&deployment)), (1, vec![0.0, 1.0, 0.0]));
}

/// The category and the author that an item had.
#[test]
fn an_undo_finds_the_section_and_the_author_of_its_action() {
    let config = json!({
        "actions": { "like": { "reversible": true } },
        "boards": {
            "a": { "weights": { "like": 1 }, "windows": ["all"], "sections": "category" },
            "b": { "weights": { "like": 1 }, "windows": ["all"], "members": "authors" },
        },
    });
    let deployment = start_with(&config);
    let sections = ["old", "new"].map(|value| Section { board: Name::new("a").expect("a name"), value: value.into() });
    let site = deployment.site().with_sections(&sections);
    let item = Id::new("x").expect("an id");
    let send = |author: &str, category: &str, undo: bool| {
        let author = Some(Credit::new(&item, Id::new(author).expect("an id")));
        let facts = Facts { author, category: Some(category.into()), ..Facts::default() };
        let facts = [(item.clone(), facts)].into_iter().collect();
        let batch =
            ParsedBatch::read(&site, Source::Server(None), like("x", undo).to_string().as_bytes()).and_then(whole).expect("a batch");
        let split = Split::knowing(&site, &[&batch], &facts);
        let worker = Worker::new(&deployment);
        let recorded = pollster::block_on(worker.store().record_ordered(&site, &split.batches, "salt", None, &Settled::default()));
        recorded.expect("it is decided").0.into_iter().for_each(|became| drop(became.expect("it is counted")));
    };
    let scores = || {
        let contents = deployment.contents();
        ["a", "a.old", "a.new", "b"].map(|board| sorted(&contents, &format!("eb:{{site:{board}}}:all:0")))
    };
    let one = |member: &str| BTreeMap::from([(member.to_owned(), 1.0)]);
    send("ann", "old", false);
    assert_eq!(scores(), [one("x"), one("x"), BTreeMap::new(), one("ann")]);
    send("bob", "new", true);
    assert_eq!(scores(), [(); 4].map(|()| BTreeMap::new()));
    // Nothing of the actor is left when it is erased, at any home.
    send("bob", "new", false);
    assert_eq!(deployment.server.keys("*:done:*").len(), 1);
    erase(&deployment);
    assert_eq!(deployment.server.keys("*:done:*"), [""; 0]);
}

/// A like on three targets takes at most six commands more than in one transaction, those inside scripts included: 62 and 56 of the shipped boards.
#[test]
fn commands_of_a_like() {
    if skipped() {
        return;
    }
    let mut site = site();
    site["boards"].as_object_mut().expect("boards").remove("c");
    let deployment = start_with(&site);
    let settled = Settled::default();
    let (number, commands) = (Cell::new(0), || -> u64 {
        let info = deployment.server.text(&["INFO", "commandstats"]);
        let is_own = |line: &&str| !line.starts_with("cmdstat_info") && !line.starts_with("cmdstat_config");
        info.lines().filter(is_own).filter_map(|line| line.split_once("calls=")?.1.split(',').next()?.parse::<u64>().ok()).sum()
    });
    // The second time, so that keys are there, and an intent is settled.
    let counted = |send: &dyn Fn(&Json)| {
        for item in ["x", "y"] {
            number.set(number.get() + 1);
            deployment.server.command(&["CONFIG", "RESETSTAT"]);
            send(&json!({ "id": format!("b{}", number.get()), "events": [{ "action": "like", "actor": "u", "item": item }] }));
        }
        commands()
    };
    let sent = Cell::new(0);
    deployment
        .try_send(&json!({ "events": [{ "action": "like", "actor": "v", "item": "x" }, { "action": "like", "actor": "v", "item": "y" }] }))
        .expect("redis answers");
    let homed = counted(&|body| {
        let worker = Worker::new(&deployment);
        worker.send(body, &settled).expect("it is decided");
        sent.set(worker.nodes.sent.get());
    });
    deployment.try_send(&json!({ "events": [{ "action": "like", "actor": "u", "item": "x", "undo": true }, { "action": "like", "actor": "u", "item": "y", "undo": true }] })).expect("redis answers");
    // With MULTI and EXEC.
    let in_one = 2 + counted(&|body| drop(deployment.try_send(body).expect("redis answers")));
    println!("{homed} commands, and {in_one} in one transaction");
    assert_eq!(sent.get(), 4, "the home, and three targets");
    assert!(homed <= in_one + 6, "{homed}, and {in_one} in one transaction");
}
