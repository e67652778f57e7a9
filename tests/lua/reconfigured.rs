//! Random histories in which the options of two boards change, and every rare operation comes right after such a change: what is shown is what a
//! site shows whose options never changed, and an index holds its board's members or is not there.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use engine::store::alias::Alias;
use engine::store::curate::{Change, List};
use engine::store::keep_off::Whom;
use engine::store::revoke::{Culprit, Revocation};
use engine::store::upkeep::{Chunk, Job};
use proptest::prelude::*;
use ranking::name::Id;
use ranking::page::Page;
use ranking::read::{Read, ReadReply};
use ranking::window::Kind;
use serde_json::{Value as Json, json};

use crate::call::{NOON_MS, period_ref, read};
use crate::cases::{self, Counter};
use crate::deployment::{BOARD, Contents, Deployment, Held, sorted};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// It ranks actors.
const PEOPLE: &str = "people";
pub const BOARDS: [&str; 2] = [BOARD, PEOPLE];
const ITEMS: [&str; 5] = ["/old", "/new", "/a", "/b", "/c"];
const ACTORS: [&str; 4] = ["u0", "u1", "u2", "u3"];
pub const WINDOWS: [&str; 6] = ["hour", "day", "week", "all", "last-3-days", "last-2-hours"];
/// It comes and goes.
const SOMETIMES: &str = "last-2-days";

static COMPARED: Counter = Counter::new("pages with members that were compared");
static TIES: Counter = Counter::new("orders of ties that were looked at");
static DISTINCT: Counter = Counter::new("indexes of distinct scores that were looked at");
static RARE: Counter = Counter::new("rare operations right after a change");

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    ties: Option<&'static str>,
    ranking: &'static str,
    breakdown: bool,
    has_sometimes: bool,
}

pub const COUNTED_BY_ACTION: Options = Options { ties: None, ranking: "ordinal", breakdown: true, has_sometimes: true };
pub const PLAIN: Options = Options { ties: None, ranking: "ordinal", breakdown: false, has_sometimes: true };

#[derive(Clone, Debug)]
pub enum Act {
    View,
    Down,
    Like,
    Unlike,
}

#[derive(Clone, Debug)]
pub struct Sent {
    pub act: Act,
    pub item: usize,
    pub actor: usize,
    pub ago_ms: i64,
}

#[derive(Clone, Copy, Debug)]
pub enum Rare {
    /// All of the alias, or a chunk of it.
    Alias(bool),
    Remove(usize, bool),
    LetIn(usize),
    Hide(usize, bool),
    Erase(usize),
    Revoke(usize),
    Reset(Option<usize>),
}

#[derive(Clone, Debug)]
pub enum Op {
    Batch(Vec<Sent>),
    Configure(Options, Option<Rare>),
    Rare(Rare),
    Advance(i64),
    Upkeep,
    Chunk(usize, u32),
    Restart,
}

pub fn options() -> impl Strategy<Value = Options> {
    let ties = prop_oneof![Just(None), Just(Some("first")), Just(Some("last"))];
    let ranking = prop_oneof![Just("ordinal"), Just("competition"), Just("dense")];
    (ties, ranking, any::<bool>(), any::<bool>()).prop_map(|(ties, ranking, breakdown, has_sometimes)| Options {
        ties,
        ranking,
        breakdown,
        has_sometimes,
    })
}

pub fn sent() -> impl Strategy<Value = Sent> {
    let act = prop_oneof![5 => Just(Act::View), 1 => Just(Act::Down), 4 => Just(Act::Like), 2 => Just(Act::Unlike)];
    let ago_ms = prop_oneof![6 => Just(0), 2 => 0..3 * HOUR_MS, 2 => 0..4 * DAY_MS];
    (act, 0..ITEMS.len(), 0..ACTORS.len(), ago_ms).prop_map(|(act, item, actor, ago_ms)| Sent { act, item, actor, ago_ms })
}

fn rare() -> impl Strategy<Value = Rare> {
    prop_oneof![
        4 => any::<bool>().prop_map(Rare::Alias),
        // What becomes another one cannot be kept off.
        2 => (2..ITEMS.len(), any::<bool>()).prop_map(|(item, stays_off)| Rare::Remove(item, stays_off)),
        1 => (2..ITEMS.len()).prop_map(Rare::LetIn),
        1 => (0..ITEMS.len(), any::<bool>()).prop_map(|(item, hides)| Rare::Hide(item, hides)),
        1 => (0..ACTORS.len()).prop_map(Rare::Erase),
        1 => (0..ACTORS.len()).prop_map(Rare::Revoke),
        1 => prop::option::of(0..WINDOWS.len()).prop_map(Rare::Reset),
    ]
}

pub fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        10 => prop::collection::vec(sent(), 1..8).prop_map(Op::Batch),
        6 => (options(), prop::option::of(rare())).prop_map(|(options, rare)| Op::Configure(options, rare)),
        3 => rare().prop_map(Op::Rare),
        4 => prop_oneof![(1..30_i64).prop_map(|fives| fives * HOUR_MS / 12), Just(DAY_MS)].prop_map(Op::Advance),
        3 => Just(Op::Upkeep),
        2 => (0..WINDOWS.len(), 1..60_u32).prop_map(|(window, entries)| Op::Chunk(window, entries)),
        1 => Just(Op::Restart),
    ]
}

pub fn site(options: Options) -> Json {
    let mut windows = WINDOWS.to_vec();
    windows.extend(options.has_sometimes.then_some(SOMETIMES));
    let board = |members: &str| {
        let mut board = json!({
            "members": members,
            "weights": { "view": 1, "down": -1, "like": 2 },
            "windows": windows,
            "ranking": options.ranking,
            "breakdown": options.breakdown,
        });
        if let Some(ties) = options.ties {
            board["ties"] = json!(ties);
        }
        board
    };
    json!({
        "actions": { "view": {}, "down": {}, "like": { "reversible": true } },
        "journal": "30d",
        "boards": { BOARD: board("items"), PEOPLE: board("actors") },
    })
}

pub fn body(batch: &[Sent], now_ms: i64) -> Vec<Json> {
    let event = |sent: &Sent| {
        let action = match sent.act {
            Act::View => "view",
            Act::Down => "down",
            Act::Like | Act::Unlike => "like",
        };
        let mut event = json!({ "action": action, "item": ITEMS[sent.item], "actor": ACTORS[sent.actor] });
        match sent.act {
            Act::Unlike => event["undo"] = json!(true),
            _ if sent.ago_ms > 0 => event["at"] = json!(now_ms - sent.ago_ms),
            _ => {}
        }
        event
    };
    batch.iter().map(event).collect()
}

fn id(text: &str) -> Id {
    Id::new(text).expect("an id")
}

/// A site, and how far its alias is.
pub struct World {
    pub on: Deployment,
    pub is_begun: bool,
    pub is_merging: bool,
}

impl World {
    fn begin(&mut self, options: Options) {
        self.on.server.command(&["FLUSHALL"]);
        self.on.server.clock.set(NOON_MS);
        self.on.configure(&site(options));
        // A board that upkeep began is not whole before it was repaired.
        self.on.put(&[json!({ "action": "view", "item": "/c", "actor": "u3" })]);
        (self.is_begun, self.is_merging) = (false, false);
    }

    /// A chunk of the alias on each target.
    fn alias_chunk(&mut self, entries: u32) {
        (self.is_begun, self.is_merging) = (true, self.on.alias_chunk(ITEMS[0], ITEMS[1], entries));
    }

    pub fn rare(&mut self, rare: Rare) {
        let store = self.on.store();
        match rare {
            Rare::Alias(is_whole) => {
                self.alias_chunk(40);
                while is_whole && self.is_merging {
                    self.alias_chunk(Alias::ENTRIES);
                }
            }
            Rare::Remove(item, stays_off) => drop(self.on.remove(BOARD, &Whom::Member(id(ITEMS[item])), stays_off)),
            Rare::LetIn(item) => self.on.let_in(BOARD, &Whom::Member(id(ITEMS[item]))),
            Rare::Hide(item, hides) => {
                let (item, board) = (id(ITEMS[item]), &self.on.site().boards[BOARD]);
                let change = if hides { Change::Put(&item) } else { Change::Delete(&item) };
                pollster::block_on(store.curate(self.on.site(), board, List::Hidden, change)).expect("redis answers");
            }
            Rare::Erase(actor) => {
                let mut remaining: Vec<_> = self.on.targets().into_iter().map(|target| (target, String::new())).collect();
                while !remaining.is_empty() {
                    let next = pollster::block_on(store.erase(self.on.site(), &id(ACTORS[actor]), 0, &remaining)).expect("redis answers");
                    remaining = remaining.into_iter().zip(next).filter_map(|((target, _), next)| Some((target, next?))).collect();
                }
            }
            Rare::Revoke(actor) => {
                let culprit = Culprit::Actor(id(ACTORS[actor]));
                let revocation = Revocation { culprit, known_as: Vec::new(), from_ms: 0, until_ms: i64::MAX, is_dry: false };
                let mut remaining: Vec<_> = self.on.targets().into_iter().map(|target| (target, String::new())).collect();
                while !remaining.is_empty() {
                    let chunks = pollster::block_on(store.revoke(self.on.site(), &revocation, &remaining)).expect("redis answers");
                    remaining =
                        remaining.into_iter().zip(chunks).filter_map(|((target, _), chunk)| Some((target, chunk.cursor?))).collect();
                }
            }
            Rare::Reset(window) => BOARDS.iter().for_each(|board| drop(self.on.reset(board, window.map(|window| WINDOWS[window])))),
        }
    }

    pub fn upkeep(&self) {
        for board in BOARDS {
            self.on.upkeep(board);
            let (store, of) = (self.on.store(), &self.on.site().boards[board]);
            let chunk = || Chunk { board: of, job: Job::Indexes, owner: "test", entries: 10_000, is_early: true };
            pollster::block_on(store.upkeep(self.on.site(), &[chunk()])).expect("redis answers").remove(0).expect("upkeep succeeds");
        }
    }
}

/// The members of a page, with their scores.
fn shown(page: &Page) -> BTreeMap<String, f64> {
    page.entries.iter().map(|entry| (entry.id.as_str().to_owned(), entry.score.value())).collect()
}

/// Ranks follow from the scores, and members are asked for one by one with the same result, but for dense ranks without an index.
fn check_ranks(on: &Deployment, board: &str, window: &str, page: &Page, options: Options) -> Result<(), TestCaseError> {
    let scores: Vec<f64> = page.entries.iter().map(|entry| entry.score.value()).collect();
    prop_assert!(scores.is_sorted_by(|one, other| one >= other), "{} of {}: {:?}", window, board, scores);
    let rank = |at: usize, ranking: &str| {
        let higher: Vec<f64> = scores.iter().copied().filter(|score| *score > scores[at]).collect();
        match ranking {
            "ordinal" => at + 1,
            "competition" => higher.len() + 1,
            _ => higher.iter().map(|score| score.to_bits()).collect::<BTreeSet<_>>().len() + 1,
        }
    };
    let ids: Vec<Id> = page.entries.iter().map(|entry| entry.id.clone()).take(100).collect();
    let of = period_ref(on.site(), board, on.window(board, window), None);
    let ReadReply::Standings(found) = read(&on.store(), on.site(), Read::Ranks { of, ids, among: false }) else { panic!("ranks") };
    for (at, entry) in page.entries.iter().enumerate() {
        prop_assert_eq!(
            usize::try_from(entry.rank).ok(),
            Some(rank(at, options.ranking)),
            "{} of {}: {}",
            window,
            board,
            entry.id.as_str()
        );
        let alone = found.members[at].as_ref().map(|standing| usize::try_from(standing.rank).expect("few"));
        let fallback = (options.ranking == "dense").then(|| rank(at, "competition"));
        prop_assert!(
            alone == Some(rank(at, options.ranking)) || fallback.is_some() && alone == fallback,
            "{}: {:?}",
            entry.id.as_str(),
            alone
        );
    }
    Ok(())
}

/// Every index of the generation that is kept holds the members of its board by their scores, or is not there.
fn check_indexes(contents: &Contents) -> Result<(), TestCaseError> {
    for board in BOARDS {
        let prefix = format!("eb:{{site:{board}}}:");
        let Some(Held::Hash(state)) = contents.get(&format!("{prefix}state")).map(|key| &key.held) else { continue };
        let Some((generation, options)) = state.get("indexes").and_then(|message| message.split_once(':')) else { continue };
        let ending = |index: &str| if generation == "0" { format!(":{index}") } else { format!(":{index}:{generation}") };
        let boards = |ending: String| {
            contents
                .iter()
                .filter_map(move |(key, held)| Some((key.strip_suffix(&ending)?.to_owned(), held)))
                .filter(|(key, _)| key.starts_with(&prefix))
        };
        for ties in options.split(' ').filter(|option| ["first", "last"].contains(option)) {
            for (key, order) in boards(ending(ties)) {
                let Held::Sorted(members) = &order.held else { panic!("{order:?}") };
                let own: BTreeSet<_> =
                    members.iter().map(|(member, _)| member.clone()).filter(|member| !member.starts_with('\0')).collect();
                let expected: BTreeSet<_> = sorted(contents, &key).into_keys().collect();
                prop_assert_eq!(own, expected, "the order of ties of {}", key);
                prop_assert!(members.iter().any(|(member, _)| member == "\0"), "the order of ties of {} has no mark", key);
                TIES.add(1);
            }
        }
        for (key, holders) in boards(ending("holders")).filter(|_| options.split(' ').any(|option| option == "dense")) {
            let Held::Hash(holders) = &holders.held else { panic!("{holders:?}") };
            if holders.get("\0").is_none_or(|from| from != "-inf") {
                continue;
            }
            let mut expected = BTreeMap::new();
            for score in sorted(contents, &key).into_values() {
                *expected.entry(score.to_string()).or_insert(0) += 1;
            }
            let own = holders.iter().filter(|(score, _)| *score != "\0");
            let own: BTreeMap<String, i32> = own.map(|(score, holders)| (score.clone(), holders.parse().expect("a number"))).collect();
            prop_assert_eq!(own, expected, "the holders of the scores of {}", key);
            DISTINCT.add(1);
        }
    }
    Ok(())
}

/// What a window is made of.
fn sums(contents: &Contents, board: &str, on: &Deployment, window: &str) -> Option<BTreeMap<String, f64>> {
    let of = on.window(board, window);
    let Kind::Rolling { unit, length } = of.kind else { return None };
    let last = on.read(board, window, None).info.period.number;
    let mut sums = BTreeMap::new();
    for number in last - i64::from(length) + 1..=last {
        for (member, score) in sorted(contents, &format!("eb:{{site:{board}}}:{}:{number}", unit.name())) {
            *sums.entry(member).or_insert(0.0) += score;
        }
    }
    sums.retain(|_, sum| *sum != 0.0);
    Some(sums)
}

fn check(ours: &World, other: &World, options: Options, is_stale: bool) -> Result<(), TestCaseError> {
    let contents = ours.on.contents();
    check_indexes(&contents)?;
    let windows = WINDOWS.iter().chain((options.has_sometimes && !is_stale).then_some(&SOMETIMES));
    for (board, window) in BOARDS.iter().flat_map(|board| windows.clone().map(move |window| (*board, *window))) {
        let (one, plain) = (ours.on.read(board, window, None), other.on.read(board, window, None));
        check_ranks(&ours.on, board, window, &one, options)?;
        if let Some(expected) = sums(&contents, board, &ours.on, window).filter(|_| one.info.complete) {
            let key = format!("eb:{{site:{board}}}:window:{window}:{}", one.info.period.number);
            prop_assert_eq!(sorted(&contents, &key), expected, "{} of {}", window, board);
        }
        if one.info.complete && plain.info.complete && !ours.is_merging && !other.is_merging {
            prop_assert_eq!((shown(&one), one.total), (shown(&plain), plain.total), "{} of {}", window, board);
            COMPARED.add(usize::from(!one.entries.is_empty()));
        }
    }
    Ok(())
}

fn play([ours, other]: &mut [World; 2], first: Options, ops: &[Op]) -> Result<(), TestCaseError> {
    for (of, options) in [(&mut *ours, first), (&mut *other, PLAIN)] {
        of.begin(options);
    }
    let (mut options, mut is_stale) = (first, false);
    for (i, op) in ops.iter().enumerate() {
        // What the library keeps between calls may be lost at any time, and be of before what another version's library did.
        if i % 2 == 0 {
            other.on.server.command(&["FUNCTION", "FLUSH"]);
        }
        ours.on.deploy(i % 3 == 1);
        let rare = match op {
            Op::Configure(_, rare) => *rare,
            Op::Rare(rare) => Some(*rare),
            _ => None,
        };
        if let Op::Configure(to, rare) = op {
            // A window that comes back lacks what was counted meanwhile, until the next event.
            is_stale |= to.has_sometimes && !options.has_sometimes;
            options = *to;
            ours.on.configure(&site(options));
            RARE.add(usize::from(rare.is_some()));
        }
        for of in [&mut *ours, &mut *other] {
            if let Some(rare) = rare {
                of.rare(rare);
            }
            match op {
                Op::Advance(ms) => of.on.advance(*ms),
                Op::Upkeep => of.upkeep(),
                Op::Chunk(window, entries) if WINDOWS[*window].starts_with("last-") => {
                    for board in BOARDS {
                        of.on.chunk(board, WINDOWS[*window], *entries);
                    }
                }
                Op::Restart => of.on.restart(),
                _ => {}
            }
        }
        if let Op::Batch(batch) = op {
            let now_ms = ours.on.now_ms().min(other.on.now_ms());
            let body = json!({ "events": body(batch, now_ms) });
            let [one, plain] = [&*ours, &*other].map(|of| of.on.try_send(&body).expect("redis answers"));
            prop_assert_eq!(format!("{one:?}"), format!("{plain:?}"));
            is_stale = false;
        }
        // A batch is seen later.
        if i % 3 == 0 || !matches!(op, Op::Batch(_)) {
            check(ours, other, options, is_stale)?;
        }
    }
    for of in [&mut *ours, &mut *other] {
        while of.is_begun && of.is_merging {
            of.alias_chunk(Alias::ENTRIES);
        }
        of.upkeep();
    }
    check(ours, other, options, is_stale)
}

#[test]
fn what_is_shown_after_a_change_is_as_if_it_never_was() {
    let cases = cases::number(16);
    let history = (options(), prop::collection::vec(op(), 4..40));
    let start = || World { on: Deployment::start(&site(PLAIN), NOON_MS), is_begun: false, is_merging: false };
    let worlds = RefCell::new([start(), start()]);
    cases::run(file!(), cases, &history, |(options, ops)| play(&mut worlds.borrow_mut(), options, &ops));
    let cases = usize::try_from(cases).expect("few");
    RARE.assert_above(cases);
    COMPARED.assert_above(20 * cases);
    TIES.assert_above(10 * cases);
    DISTINCT.assert_above(5 * cases);
}
