//! A version never comes back for something else, whatever happens to Redis: keys are deleted, a replica that lags takes over, a snapshot
//! is restored. And what is unchanged is what would be read.

use std::collections::BTreeMap;

use engine::store::curate::{Change, List};
use engine::store::upkeep::{Chunk, Job};
use proptest::prelude::*;
use ranking::counting::Target;
use ranking::period::Period;
use ranking::read::Read;
use ranking::window::Unit;
use serde_json::{Value as Json, json};

use super::{id, is_unchanged, like, reads, site, view, whole};
use crate::call::NOON_MS;
use crate::cases::{self, Counter};
use crate::deployment::{BOARD, Deployment};

const WINDOWS: [&str; 5] = ["day", "last-3-days", "hot", "fading", "smooth"];
const MEMBERS: [&str; 3] = ["a", "b", "c"];
const DAY_MS: i64 = 86_400_000;

static UNCHANGED: Counter = Counter::new("answers that were unchanged");
static RENEWED: Counter = Counter::new("answers that were not");
static BACK: Counter = Counter::new("times that Redis went back");

#[derive(Clone, Debug)]
enum Op {
    /// Events of so many milliseconds ago: views, or likes that are done or undone.
    View(usize, i64),
    Like(usize, bool),
    Batch(usize),
    Curate(List, usize, bool),
    Erase(usize),
    Upkeep(u32),
    /// Past rankings are wanted and built.
    Past,
    Pass(i64),
    Flush,
    Snapshot,
    Restore,
    /// A replica loses its master, and later takes its place.
    Part,
    FailOver,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let member = || 0..MEMBERS.len();
    let list = prop_oneof![Just(List::Hidden), Just(List::Pinned)];
    let op = prop_oneof![
        6 => (member(), prop_oneof![3 => Just(0), 1 => 0..3 * DAY_MS]).prop_map(|(member, ago_ms)| Op::View(member, ago_ms)),
        3 => (member(), any::<bool>()).prop_map(|(member, undo)| Op::Like(member, undo)),
        2 => member().prop_map(Op::Batch),
        3 => (list, member(), any::<bool>()).prop_map(|(list, member, puts)| Op::Curate(list, member, puts)),
        1 => member().prop_map(Op::Erase),
        4 => (1..200_u32).prop_map(Op::Upkeep),
        1 => Just(Op::Past),
        3 => prop_oneof![4 => 0..400_000_i64, 1 => 0..2 * DAY_MS].prop_map(Op::Pass),
        1 => Just(Op::Flush),
        2 => Just(Op::Snapshot),
        2 => Just(Op::Restore),
        2 => Just(Op::Part),
        2 => Just(Op::FailOver),
    ];
    prop::collection::vec(op, 5..40)
}

/// Actors rank, so that they can be erased; each sends what it does itself.
fn board(extra: &Json) -> Json {
    let mut board = json!({
        "members": "actors", "breakdown": true,
        "windows": [
            "day", "last-3-days",
            { "name": "hot", "kind": "half-life", "half_life": "6h" },
            { "name": "fading", "kind": "step", "every": "hour", "factor": 0.5 },
            { "name": "smooth", "kind": "linear", "resets": "day", "beta": 1.1 },
        ],
    });
    board.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
    site(board)
}

struct World {
    deployment: Deployment,
    snapshot: bool,
    is_parted: bool,
    /// By what is read and its version, what was shown.
    shown: BTreeMap<(String, String), Json>,
}

impl World {
    fn new(site: &Json) -> Self {
        Self { deployment: Deployment::start(site, NOON_MS + 60_000), snapshot: false, is_parted: false, shown: BTreeMap::new() }
    }

    fn run(&mut self, op: &Op) {
        let on = &self.deployment;
        match op {
            Op::View(member, ago_ms) => {
                let mut event = view(MEMBERS[*member]);
                event["ago"] = json!(ago_ms);
                on.put(&[event]);
            }
            Op::Like(member, undo) => drop(on.put(&[like("item", MEMBERS[*member], *undo)])),
            Op::Batch(member) => drop(on.put(&[view(MEMBERS[*member]), view("d"), view(MEMBERS[*member])])),
            Op::Curate(list, member, puts) => {
                let member = id(MEMBERS[*member]);
                let change = if *puts { Change::Put(&member) } else { Change::Delete(&member) };
                let board = &on.site().boards[BOARD];
                pollster::block_on(on.store().curate(on.site(), board, *list, change)).expect("redis answers");
            }
            Op::Erase(member) => self.erase(MEMBERS[*member]),
            Op::Upkeep(entries) => {
                for window in ["last-3-days", "hot", "fading"] {
                    self.chunk(Job::Window(on.window(BOARD, window)), *entries);
                }
                self.chunk(Job::Indexes, *entries);
            }
            Op::Past => self.build_past(),
            Op::Pass(ms) => on.advance(*ms),
            Op::Flush => drop(on.server.command(&["FLUSHALL"])),
            Op::Snapshot => {
                on.server.snapshot();
                self.snapshot = true;
            }
            Op::Restore if self.snapshot => {
                self.deployment.restore();
                BACK.add(1);
            }
            Op::Part => {
                self.deployment.server.part();
                self.is_parted = true;
            }
            Op::FailOver if self.is_parted => self.fail_over(),
            Op::Restore | Op::FailOver => {}
        }
    }

    fn chunk(&self, job: Job<'_>, entries: u32) {
        let on = &self.deployment;
        let chunk = Chunk { board: &on.site().boards[BOARD], job, owner: "test", entries, is_early: true };
        let done = pollster::block_on(on.store().upkeep(on.site(), &[chunk])).expect("redis answers").remove(0);
        done.expect("upkeep succeeds");
    }

    fn yesterday(&self) -> Period {
        Period { unit: Unit::Day, number: self.deployment.now_ms() / DAY_MS - 1 }
    }

    fn build_past(&self) {
        let on = &self.deployment;
        let window = on.window(BOARD, "last-3-days");
        let (store, board) = (on.store(), &on.site().boards[BOARD]);
        pollster::block_on(store.want(on.site(), board, window, self.yesterday(), "somebody")).expect("redis answers");
        self.chunk(Job::Past, 10_000);
    }

    fn erase(&self, actor: &str) {
        let (on, actor, mut cursor) = (&self.deployment, id(actor), String::new());
        let board = &on.site().boards[BOARD];
        while let Some(next) = {
            let targets = [(Target::Board(board), cursor)];
            pollster::block_on(on.store().erase(on.site(), &actor, 0, &targets)).expect("redis answers").remove(0)
        } {
            cursor = next;
        }
    }

    /// The clock of a replica is not quite that of its master.
    fn fail_over(&mut self) {
        self.deployment.advance(-20);
        self.deployment.fail_over();
        (self.is_parted, self.snapshot) = (false, false);
        BACK.add(1);
    }

    fn check(&mut self) -> Result<(), TestCaseError> {
        let yesterday = Some(self.yesterday());
        let current =
            WINDOWS.iter().flat_map(|window| reads(&self.deployment, window, None).into_iter().map(move |read| (*window, "", read)));
        let past = reads(&self.deployment, "last-3-days", yesterday).into_iter().map(|read| ("last-3-days", "before", read));
        for (i, (window, which, read)) in current.chain(past).collect::<Vec<_>>().into_iter().enumerate() {
            // Ranks are not cached.
            if !matches!(read, Read::Ranks { .. }) {
                let number = if which.is_empty() { 0 } else { yesterday.map_or(0, |period| period.number) };
                self.check_read(&format!("{i} {window} {number}"), &read)?;
            }
        }
        Ok(())
    }

    fn check_read(&mut self, what: &str, read: &Read) -> Result<(), TestCaseError> {
        let (info, now_shown) = whole(&self.deployment, read);
        if !info.known.is_empty() {
            let before = self.shown.entry((what.to_owned(), info.known.clone())).or_insert_with(|| now_shown.clone());
            prop_assert_eq!(&*before, &now_shown, "{}: {}", what, info.known);
        }
        let of = |(of, _): &&(String, String)| of == what;
        let known: Vec<String> = self.shown.keys().filter(of).map(|(_, known)| known.clone()).collect();
        // The latest ones, by their instants.
        for known in known.iter().rev().take(3) {
            let unchanged = is_unchanged(&self.deployment, read, known);
            UNCHANGED.add(usize::from(unchanged));
            RENEWED.add(usize::from(!unchanged));
            // What is not complete has no version. And time goes on: a tick, or a period, may have ended meanwhile.
            let is_same = || self.shown.get(&(what.to_owned(), known.clone())) == Some(&now_shown);
            let is_expected = *known == info.known || unchanged && matches!(read, Read::Top { .. }) && is_same();
            if !info.known.is_empty() && unchanged != is_expected && whole(&self.deployment, read).0.known == info.known {
                prop_assert_eq!(unchanged, is_expected, "{}: {} and {}", what, known, info.known);
            }
        }
        Ok(())
    }
}

#[test]
#[ignore = "long: npm test -- --engines"]
fn no_version_comes_back() {
    let boards = prop_oneof![2 => Just(json!({})), 1 => Just(json!({ "max_members": 3 }))];
    cases::run(file!(), cases::number_of_whole(20), &(boards, ops()), |(extra, ops)| {
        let mut world = World::new(&board(&extra));
        for op in &ops {
            world.run(op);
            world.check()?;
        }
        Ok(())
    });
    UNCHANGED.assert_above(500);
    RENEWED.assert_above(500);
    BACK.assert_above(3);
}
