//! Renewals by version: what has not changed is not read again, and what another configuration shaped is not taken for unchanged.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Value as Json, json};
use serve::app::App;
use serve::config::Config;

use crate::rankings::{ASKED, DAY, HIT, MISS, STALE, UNCHANGED, check, status, view};
use crate::world::{Answer, NOON_MS, World, body, entries, header};

const HOT: &str = "/v1/demo/boards/articles/hot";
const OUT_EDGE: &str = "edgeboard; fwd=stale; fwd-status=503; detail=edge";
const STALE_EDGE: &str = "edgeboard; fwd=stale; detail=edge";

fn site(ranking: &str) -> Json {
    let hot = json!({ "name": "hot", "kind": "half-life", "half_life": "6h" });
    json!({
        "origins": ["*"],
        "actions": { "view": { "public": true }, "like": { "public": true } },
        "boards": {
            "articles": { "weights": { "view": 1 }, "windows": ["day", hot], "ranking": ranking },
            "likes": { "weights": { "like": 1 }, "windows": ["day"] },
        },
    })
}

fn config(site: &Json) -> Rc<Config> {
    Rc::new(Config::read([("SITES".into(), json!({ "demo": site }))], |_| true).expect("a valid configuration"))
}

fn noon() -> World {
    let mut world = World::noon();
    world.app = App { config: config(&site("ordinal")), ..world.app };
    world
}

/// What something costs Redis.
fn commands(world: &World, does: impl FnOnce()) -> BTreeMap<String, u64> {
    world.server.command(&["CONFIG", "RESETSTAT"]);
    does();
    let stats = world.server.text(&["INFO", "commandstats"]);
    let calls = stats.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
        Some((name.to_owned(), rest.split_once(',')?.0.parse().ok()?))
    });
    calls.filter(|(name, _): &(String, u64)| name != "config|resetstat").collect()
}

fn three() -> BTreeMap<String, u64> {
    ["fcall_ro", "hmget", "time"].map(|command| (command.to_owned(), 1)).into()
}

/// Lets an answer become stale and be renewed in the background; answers what it is then, and what that cost.
#[track_caller]
fn renew(world: &World, path: &str) -> (Answer, BTreeMap<String, u64>) {
    world.runtime.pass_ms(2_000);
    assert_eq!(status(&world.get(path)), STALE);
    let cost = commands(world, || world.runtime.finish_background());
    world.runtime.take_sent();
    let answer = world.get(path);
    assert_eq!(status(&answer), HIT);
    (answer, cost)
}

#[test]
fn what_has_not_changed_is_not_read_again() {
    let world = noon();
    view(&world, "a");
    for path in [DAY, HOT, "/v1/demo/boards/articles/day/members/a"] {
        let first = world.get(path);
        world.runtime.finish_background();
        for _ in 0..3 {
            let (again, cost) = renew(&world, path);
            assert_eq!(cost, three(), "{path}");
            assert_eq!((again.body(), header(&again, "etag")), (first.body(), header(&first, "etag")), "{path}");
        }
        view(&world, "a");
        let (changed, cost) = renew(&world, path);
        assert!(cost.len() > 3, "{path}: {cost:?}");
        assert_ne!(header(&changed, "etag"), header(&first, "etag"), "{path}");
        assert_ne!(body(&changed)["generated_at"], body(&first)["generated_at"], "{path}");
    }
}

/// The version is kept at the edge, too.
#[test]
fn other_isolates_know_it() {
    let mut world = noon();
    view(&world, "a");
    check(&world, DAY, MISS, "a=1", 1);
    world.runtime.finish_background();
    for (ms, how) in [(2_000, STALE_EDGE), (20_000, UNCHANGED)] {
        world.app = world.new_isolate();
        world.runtime.pass_ms(ms);
        world.runtime.take_sent();
        let cost = commands(&world, || {
            let answer = world.get(DAY);
            assert_eq!((status(&answer), entries(&answer).as_str()), (how, "a=1"));
            world.runtime.finish_background();
        });
        assert_eq!(cost, three());
    }
}

#[test]
fn several_are_asked_again_where_only_some_changed() {
    let world = noon();
    let both = "/v1/demo/top?boards=articles/day,likes/day";
    view(&world, "a");
    assert_eq!(world.beacon(&json!({ "action": "like", "item": "b" })).status(), 204);
    let first = world.get(both);
    world.runtime.finish_background();
    let (again, cost) = renew(&world, both);
    assert_eq!((again.body(), cost["fcall_ro"]), (first.body(), 2));

    assert_eq!(world.beacon(&json!({ "action": "like", "item": "b" })).status(), 204);
    world.runtime.pass_ms(2_000);
    world.get(both);
    world.runtime.take_sent();
    world.runtime.finish_background();
    assert_eq!(world.runtime.take_sent(), ["FCALL_RO top, FCALL_RO top", "FCALL_RO top"]);
    let changed = body(&world.get(both));
    let scores: Vec<&Json> = changed["boards"].as_array().expect("a list").iter().map(|board| &board["entries"][0]["score"]).collect();
    assert_eq!(scores, [&json!(1), &json!(2)]);
}

#[test]
fn a_changed_configuration_is_asked_anew() {
    let mut world = noon();
    view(&world, "a");
    view(&world, "b");
    check(&world, DAY, MISS, "b=1 a=1", 1);
    world.runtime.finish_background();
    world.app = App { config: config(&site("competition")), ..world.new_isolate() };
    world.runtime.set_out(true);
    let out = world.get(DAY);
    assert_eq!(
        (status(&out), body(&out)["entries"][1]["rank"].as_u64()),
        (OUT_EDGE, Some(2)),
        "when Redis is out it is better than nothing"
    );
    world.runtime.set_out(false);
    world.runtime.pass_ms(1_000);
    world.runtime.take_sent();
    let cost = commands(&world, || assert_eq!(body(&world.get(DAY))["entries"][1]["rank"], 1));
    assert!(cost.len() > 3, "{cost:?}");
    assert_eq!(world.runtime.take_sent(), ASKED);
}

#[test]
fn an_emptied_redis_is_not_unchanged() {
    let world = noon();
    view(&world, "a");
    check(&world, DAY, MISS, "a=1", 1);
    world.server.command(&["FLUSHALL"]);
    let (empty, _) = renew(&world, DAY);
    assert_eq!(entries(&empty), "");
    let (again, _) = renew(&world, DAY);
    assert_eq!(entries(&again), "");
    view(&world, "b");
    let (new, _) = renew(&world, DAY);
    assert_eq!(entries(&new), "b=1");
}

/// A snapshot is restored, and what comes then is not what was there.
#[test]
fn a_restored_snapshot_is_not_unchanged() {
    let mut world = noon();
    view(&world, "a");
    world.server.snapshot();
    view(&world, "a");
    check(&world, DAY, MISS, "a=2", 1);
    world.server.restore();
    let (restored, _) = renew(&world, DAY);
    assert_eq!(entries(&restored), "a=1");
    view(&world, "b");
    let (other, _) = renew(&world, DAY);
    assert_eq!(entries(&other), "b=1 a=1");
}

/// At the end of the period nothing is unchanged.
#[test]
fn a_new_day_is_read() {
    let world = noon();
    view(&world, "a");
    check(&world, DAY, MISS, "a=1", 1);
    world.server.clock.set(NOON_MS + 12 * 3_600_000);
    world.runtime.pass_ms(12 * 3_600_000);
    let new = check(&world, DAY, MISS, "", 1);
    assert_eq!(body(&new)["period"]["id"], "2026-11-21");
}
