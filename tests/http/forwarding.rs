//! Counted events are handed on while their receiver is out: they are kept, come in their order when it is back, and what is dropped is
//! counted and logged.

use std::rc::Rc;

use admin::app::Admin;
use admin::app::actors::Part;
use http::Request;
use proptest::prelude::*;
use ranking::name::Id;
use serde_json::{Value, json};
use serve::app::App;
use serve::config::Config;

use crate::faulty::FaultyRuntime;
use crate::support::zones;
use crate::world::{NOON_MS, World, post};

const MINUTE_MS: u64 = 60_000;
const WAITING: &str = "eb:{demo}:backlog";

fn world() -> World {
    let site = json!({
        "origins": ["https://blog.example"],
        "actors": "any",
        "limits": { "beacons": 0, "misses": 0 },
        "actions": { "view": { "public": true } },
        "boards": { "articles": { "weights": { "view": 1 }, "windows": ["all"] } },
        "forward": { "webhook": "https://hears.example" },
    });
    let mut world = World::noon();
    let config = Config::read([("SITES".into(), json!({ "demo": site }))], |zone| zones::parse(zone).is_some()).expect("valid");
    world.app = App { config: Rc::new(config), ..world.app };
    world
}

fn click(id: &str, actor: &str) -> Request<Vec<u8>> {
    post("/v1/demo/beacon", &json!({ "id": id, "events": [{ "action": "view", "item": "/posts/1", "actor": actor }] }))
}

impl World {
    /// Clicks of some isolate, of which each is answered and handed on.
    fn click(&self, app: &App<FaultyRuntime>, ids: &[&str]) {
        for id in ids {
            assert_eq!(self.answers([(app, click(id, "u1"))])[0].status(), 204);
            self.runtime.finish_background();
            self.pass_ms(MINUTE_MS);
        }
    }

    /// Both clocks go on.
    fn pass_ms(&self, ms: u64) {
        self.runtime.pass_ms(ms);
        let passed_ms = self.runtime.now_ms() - (u64::try_from(NOON_MS).expect("since 1970") + crate::world::DAY_MS);
        self.server.clock.set(NOON_MS + i64::try_from(passed_ms).expect("not for long"));
    }

    fn send_waiting(&self, app: &App<FaultyRuntime>) {
        let until_ms = self.runtime.now_ms() + 25_000;
        let failures = self.runtime.run(vec![Box::pin(async { app.forwarding().forward_due(until_ms).await })]);
        assert_eq!(failures, [Vec::<String>::new()]);
    }

    /// The ids of the batches whose events the receiver took.
    fn forwarded(&self) -> Vec<String> {
        let id = |event: &Value| event["id"].as_str().expect("an id").split_once('/').expect("of a batch").0.to_owned();
        let taken = self.runtime.take_forwarded();
        taken.iter().flat_map(|message| message["events"].as_array().expect("events").iter().map(id)).collect()
    }

    fn logged(&self) -> Vec<(String, u64)> {
        let of_forward = |line: &Value| ["not-forwarded", "forward-waits"].contains(&line["code"].as_str().unwrap_or_default());
        let log = self.runtime.take_log();
        log.iter()
            .filter(|line| of_forward(line))
            .map(|line| (line["code"].as_str().expect("a code").into(), line["messages"].as_u64().expect("a number")))
            .collect()
    }
}

#[test]
fn what_a_receiver_did_not_take_comes_later_in_its_order() {
    let world = world();
    world.click(&world.app, &["a"]);
    assert_eq!(world.forwarded(), ["a"]);
    world.runtime.set_receiver_out(true);
    world.click(&world.app, &["b", "c", "d"]);
    assert_eq!(world.forwarded(), [""; 0]);
    assert_eq!(world.logged(), [("forward-waits".into(), 1)], "it is logged once");
    world.send_waiting(&world.app);
    assert_eq!(world.logged(), [("forward-waits".into(), 3)]);
    world.runtime.set_receiver_out(false);
    // Those that come now wait behind the others.
    world.click(&world.app, &["e", "f"]);
    assert_eq!(world.forwarded(), [""; 0]);
    world.pass_ms(MINUTE_MS);
    world.send_waiting(&world.app);
    assert_eq!(world.forwarded(), ["b", "c", "d", "e", "f"]);
    assert_eq!(world.server.number(&["EXISTS", WAITING, &format!("{WAITING}:texts")]), 0, "nothing is left");
    world.runtime.take_sent();
    world.click(&world.app, &["g"]);
    assert_eq!(world.forwarded(), ["g"]);
    assert_eq!(world.runtime.take_sent(), ["FCALL record_event, FCALL record_event"], "as ever, on the board and the activity log");
    assert_eq!(world.logged(), []);
}

/// The messages of requests that are tried beside one another come by their instants, whichever is kept first.
#[test]
fn what_isolates_keep_comes_by_its_instant() {
    let world = world();
    let others = [world.new_isolate(), world.new_isolate()];
    world.runtime.set_receiver_out(true);
    world.runtime.set_tries_ms(15_000);
    for (n, app) in others.iter().chain([&world.app]).enumerate() {
        world.answers([(app, click(&format!("b{n}"), "u1"))]);
        world.runtime.pass_ms(3_000);
    }
    world.runtime.finish_background();
    for app in others.iter().chain([&world.app]).rev() {
        world.click(app, &["later"]);
    }
    world.runtime.set_receiver_out(false);
    world.send_waiting(&others[1]);
    assert_eq!(world.forwarded(), ["b0", "b1", "b2", "later", "later", "later"]);
    // The isolates that saw others wait see that none does.
    for (app, id) in others.iter().zip(["x", "y"]) {
        world.click(app, &[id]);
    }
    assert_eq!(world.forwarded(), ["x", "y"]);
}

#[test]
fn what_waits_for_a_day_is_dropped_and_logged() {
    let world = world();
    world.runtime.set_receiver_out(true);
    world.click(&world.app, &["a", "b"]);
    world.pass_ms(86_000_000);
    world.click(&world.app, &["c"]);
    world.logged();
    world.pass_ms(1_000_000);
    world.send_waiting(&world.app);
    assert_eq!(world.logged(), [("not-forwarded".into(), 2), ("forward-waits".into(), 1)]);
    world.runtime.set_receiver_out(false);
    world.pass_ms(MINUTE_MS);
    world.send_waiting(&world.app);
    assert_eq!(world.forwarded(), ["c"]);
}

#[test]
fn what_is_refused_is_dropped_alone() {
    let world = world();
    world.runtime.set_receiver_out(true);
    world.click(&world.app, &["a", "b"]);
    world.answers([(&world.app, click("p", "poison"))]);
    world.runtime.finish_background();
    world.click(&world.app, &["c"]);
    world.logged();
    world.runtime.set_receiver_out(false);
    world.send_waiting(&world.app);
    assert_eq!((world.forwarded(), world.logged()), (vec!["a".into(), "b".into(), "c".into()], vec![("not-forwarded".into(), 1)]));
    world.answers([(&world.app, click("q", "poison"))]);
    world.runtime.finish_background();
    assert_eq!(world.logged(), [("not-forwarded".into(), 1)], "what is refused at once is not kept");
}

#[test]
fn a_redis_that_is_out_keeps_nothing_and_it_is_logged() {
    let world = world();
    world.runtime.set_receiver_out(true);
    assert_eq!(world.answers([(&world.app, click("a", "u1"))])[0].status(), 204);
    world.runtime.set_out(true);
    world.runtime.finish_background();
    assert_eq!(world.logged(), [("not-forwarded".into(), 1)]);
}

#[test]
fn an_actor_is_erased_from_what_waits() {
    let world = world();
    world.runtime.set_receiver_out(true);
    let event = |actor: &str| json!({ "action": "view", "item": "a", "actor": actor });
    for n in 0..450 {
        let events = [event("u1"), event(if n % 3 == 0 { "u1" } else { "u2" })];
        let events = if n % 5 == 0 { &events[1..] } else { &events[..] };
        world.answers([(&world.app, post("/v1/demo/beacon", &json!({ "id": format!("b{n}"), "events": events })))]);
        world.runtime.finish_background();
    }
    let actor = Id::new("u1").expect("an id");
    let site = &world.app.config.sites["demo"];
    let until_ms = world.runtime.now_ms() + 60_000;
    assert!(
        world
            .runtime
            .run(vec![Box::pin(Admin(&world.app).actors().erase(site, &actor, Part::WHOLE, until_ms))])
            .remove(0)
            .expect("redis answers")
    );
    world.runtime.set_receiver_out(false);
    for _ in 0..3 {
        world.send_waiting(&world.app);
    }
    let taken = world.runtime.take_forwarded();
    let actors: Vec<&str> = taken
        .iter()
        .flat_map(|message| message["events"].as_array().expect("events"))
        .map(|event| event["actor"].as_str().expect("an actor"))
        .collect();
    assert_eq!((actors.len(), actors.contains(&"u1")), (300, false));
}

/// What befalls, and what comes.
#[derive(Clone, Debug)]
enum Step {
    Click(usize),
    Receiver(bool),
    Upkeep(usize),
    Pass(u64),
}

#[test]
fn each_click_is_handed_on_in_order_or_logged_as_dropped() {
    let step = prop_oneof![
        6 => (0..2_usize).prop_map(Step::Click),
        2 => any::<bool>().prop_map(Step::Receiver),
        2 => (0..2_usize).prop_map(Step::Upkeep),
        1 => prop_oneof![3 => 0..600_000_u64, 1 => 0..100_000_000_u64].prop_map(Step::Pass),
    ];
    let config = ProptestConfig { cases: 40, ..ProptestConfig::default() };
    proptest!(config, |(steps in prop::collection::vec(step, 5..60))| {
        let world = world();
        let isolates = [world.app.clone(), world.new_isolate()];
        let (mut clicks, mut taken, mut dropped) = (0, Vec::new(), 0);
        for step in steps {
            match step {
                Step::Click(isolate) => {
                    world.click(&isolates[isolate], &[&format!("b{clicks:03}")]);
                    clicks += 1;
                }
                Step::Receiver(out) => world.runtime.set_receiver_out(out),
                Step::Upkeep(isolate) => world.send_waiting(&isolates[isolate]),
                Step::Pass(ms) => {
                    world.pass_ms(ms);
                    world.send_waiting(&isolates[0]);
                }
            }
            taken.extend(world.forwarded());
            dropped += world.logged().iter().filter(|(code, _)| code == "not-forwarded").map(|(_, messages)| messages).sum::<u64>();
        }
        world.runtime.set_receiver_out(false);
        world.pass_ms(5 * MINUTE_MS);
        for app in &isolates {
            world.send_waiting(app);
        }
        let late = world.forwarded();
        prop_assert!(late.is_sorted(), "{late:?}");
        taken.extend(late);
        dropped += world.logged().iter().map(|(_, messages)| messages).sum::<u64>();
        prop_assert_eq!(taken.len() as u64 + dropped, clicks);
        taken.sort();
        let sent = taken.len();
        taken.dedup();
        prop_assert_eq!(taken.len(), sent, "each once");
    });
}
