//! What the library keeps between calls changes no key. Random histories run in three worlds whose clocks stand still between steps: one keeps what
//! it knows, while two versions take turns in it; one loses its library before each step; one has no functions, so no call knows of another. After
//! each step all keys are the same, in what they hold and in when they expire. And each member whose total the step changed is noted, so that
//! the total is handed on.

use std::cell::RefCell;
use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::call::unix_s;
use crate::cases::{self, Counter};
use crate::deployment::{BOARD, Contents, Deployment, Held, Key};
use crate::reconfigured::{self, BOARDS, Op, Options, PLAIN, Rare, Sent, WINDOWS, World};
use crate::skipped::skipped;
use crate::totals;

/// Some hours later London has an hour twice.
const START: &str = "2026-10-24T22:30:00Z";
const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 86_400_000;

static COMPARED: Counter = Counter::new("steps after which all keys were compared");
static COUNTED: Counter = Counter::new("events that counted");
static LOST: Counter = Counter::new("keys that were lost");

#[derive(Clone, Debug)]
enum Step {
    Op(Op),
    /// The clock goes to another time, so many milliseconds later or earlier.
    Clock(i64),
    /// A key is lost.
    Lose(prop::sample::Index),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let clock = prop_oneof![
        4 => -90..400_i64,
        1 => Just(DAY_MS / MINUTE_MS),
        1 => Just(-DAY_MS / MINUTE_MS),
        // Over the next change of the zone, and into another year.
        1 => Just(160 * DAY_MS / MINUTE_MS),
    ];
    // What is planned is one event of now.
    let now = reconfigured::sent().prop_map(|sent| vec![Sent { ago_ms: 0, ..sent }]);
    let step = prop_oneof![
        12 => now.prop_map(|sent| Step::Op(Op::Batch(sent))),
        12 => reconfigured::op().prop_map(Step::Op),
        4 => clock.prop_map(|minutes| Step::Clock(minutes * MINUTE_MS)),
        1 => any::<prop::sample::Index>().prop_map(Step::Lose),
    ];
    prop::collection::vec(step, 10..60)
}

fn site(options: Options) -> Json {
    let mut site = reconfigured::site(options);
    site["timezone"] = json!("Europe/London");
    totals::hand_on(&mut site);
    site
}

/// A part would depend on the order in which a Redis scans its sets, which is another one in each.
fn whole(rare: Rare) -> Rare {
    if matches!(rare, Rare::Alias(_)) { Rare::Alias(true) } else { rare }
}

/// What a world answers to a step. Chunks are whole as well.
fn play_step(world: &mut World, step: &Step, now_ms: i64) -> String {
    match step {
        Step::Op(Op::Batch(batch)) => {
            let body = json!({ "events": reconfigured::body(batch, now_ms) });
            return format!("{:?}", world.on.try_send(&body).expect("redis answers"));
        }
        Step::Op(Op::Configure(options, rare)) => {
            world.on.configure(&site(*options));
            if let Some(rare) = rare {
                world.rare(whole(*rare));
            }
        }
        Step::Op(Op::Rare(rare)) => world.rare(whole(*rare)),
        Step::Op(Op::Advance(ms)) | Step::Clock(ms) => world.on.server.clock.stop_at(now_ms + ms),
        Step::Op(Op::Upkeep) => world.upkeep(),
        Step::Op(Op::Chunk(window, _)) if WINDOWS[*window].starts_with("last-") => {
            let remains = BOARDS.map(|board| world.on.chunk(board, WINDOWS[*window], 10_000));
            return format!("{remains:?}");
        }
        Step::Op(Op::Chunk(..)) => {}
        Step::Op(Op::Restart) => {
            world.on.restart();
            world.on.server.clock.stop_at(now_ms);
        }
        Step::Lose(index) => {
            let keys: Vec<String> = world.on.contents().into_keys().collect();
            let key: &String = index.get(&keys);
            world.on.server.command(&["DEL", key]);
        }
    }
    String::new()
}

fn play(worlds: &mut [World; 3], first: Options, steps: &[Step]) -> Result<(), TestCaseError> {
    for World { on, .. } in &mut *worlds {
        on.server.command(&["FLUSHALL"]);
        on.server.clock.stop_at(unix_s(START) * 1000);
        on.configure(&site(first));
        on.put(&[json!({ "action": "view", "item": "/c", "actor": "u3" })]);
    }
    let mut before = worlds[0].on.contents();
    for (i, step) in steps.iter().enumerate() {
        let [kept, cold, none] = &*worlds;
        kept.on.deploy(i % 3 == 1);
        cold.on.server.command(&["FUNCTION", "FLUSH"]);
        none.on.without_functions();
        for World { on, .. } in &*worlds {
            totals::take(on);
        }
        let now_ms = kept.on.now_ms();
        let [kept, cold, none] = worlds.each_mut().map(|world| play_step(world, step, now_ms));
        prop_assert!(kept == cold && kept == none, "{i}: {step:?}:\n{kept}\n{cold}, cold\n{none}, without functions");
        COUNTED.add(kept.matches("Counted").count());
        LOST.add(usize::from(matches!(step, Step::Lose(_))));
        // Redis deletes what expired when it comes by, and a clock that steps back would show what is left of it.
        for world in &*worlds {
            world.on.server.command(&["SCAN", "0", "COUNT", "100000"]);
        }
        let [kept, cold, none] = worlds.each_ref().map(|world| world.on.contents());
        for (name, other) in [("cold", &cold), ("without functions", &none)] {
            check_same(&kept, other).map_err(|what| TestCaseError::fail(format!("{i}: {step:?}: {name}: {what}")))?;
        }
        if !matches!(step, Step::Lose(_)) {
            let may_expire = matches!(step, Step::Clock(_) | Step::Op(Op::Advance(_) | Op::Restart));
            totals::check_noted(&before, &kept, may_expire).map_err(|what| TestCaseError::fail(format!("{i}: {step:?}: {what}")))?;
        }
        before = kept;
        COMPARED.add(1);
    }
    Ok(())
}

/// Sequence numbers of what was undone, each with the one that it leads to at last. An alias undoes what was done twice in the order in which Redis
/// scans, and another order leads to the same number over others, see `sequence_without`.
fn led(key: &str, of: Option<&Key>) -> Option<Key> {
    let mut of = of?.clone();
    if let Held::Hash(undone) = &mut of.held
        && key.contains(":undone:")
    {
        let leads = undone.clone();
        for (field, to) in undone.iter_mut().filter(|(field, _)| *field != "\0") {
            let unit = &field[field.len() - 1..];
            while let Some(next) = leads.get(&format!("{to}{unit}")) {
                to.clone_from(next);
            }
        }
    }
    Some(of)
}

/// Which key is another one.
fn check_same(one: &Contents, other: &Contents) -> Result<(), String> {
    let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    match keys.into_iter().find(|key| led(key, one.get(*key)) != led(key, other.get(*key))) {
        Some(key) => Err(format!("{key}:\n{:?}\n{:?}", one.get(key), other.get(key))),
        None => Ok(()),
    }
}

#[test]
fn what_is_kept_between_calls_changes_no_key() {
    if skipped() {
        return;
    }
    let cases = cases::number(12);
    let start = || World { on: Deployment::start(&site(PLAIN), unix_s(START) * 1000), is_begun: false, is_merging: false };
    let worlds = RefCell::new([start(), start(), start()]);
    cases::run(file!(), cases, &(reconfigured::options(), steps()), |(first, steps)| play(&mut worlds.borrow_mut(), first, &steps));
    let cases = usize::try_from(cases).expect("few");
    COMPARED.assert_above(10 * cases);
    COUNTED.assert_above(10 * cases);
    LOST.assert_above(1);
    totals::NOTED.assert_above(10 * cases);
    assert!(worlds.borrow().iter().all(|world| world.on.contents().contains_key(&format!("eb:{{site:{BOARD}}}:state"))));
}
