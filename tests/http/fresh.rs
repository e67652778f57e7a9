//! How long rankings are fresh: as long as their boards say. What caches in front may keep, and what is not there.

use std::rc::Rc;

use http::Request;
use serde_json::json;
use serve::app::App;
use serve::app::counters::Series;
use serve::config::Config;

use crate::rankings::{ASKED, HIT, MISS, OUT, STALE, UNCHANGED, check, lifetime, status, view};
use crate::world::{Answer, NOON_MS, World, entries, get, header, post};

const BRISK: &str = "/v1/demo/boards/brisk/day";
const CALM: &str = "/v1/demo/boards/calm/day";

/// `brisk` is as fresh as boards are by default, `calm` and `slow` for longer.
fn noon() -> World {
    let mut world = World::noon();
    let board = |fresh: &str| json!({ "weights": { "view": 1 }, "windows": ["day"], "fresh": fresh });
    let site = json!({
        "origins": ["*"],
        "actions": { "view": { "public": true } },
        "boards": { "brisk": board("2s"), "calm": board("5s"), "slow": board("1m") },
    });
    let config = Config::read([("SITES".into(), json!({ "demo": site }))], |_| true).expect("a valid configuration");
    world.app = App { config: Rc::new(config), ..world.app };
    world
}

#[test]
fn a_board_says_how_long() {
    let world = noon();
    view(&world, "a");
    check(&world, CALM, MISS, "a=1", 1);
    view(&world, "a");
    world.runtime.pass_ms(4_999);
    check(&world, CALM, HIT, "a=1", 0);
    world.runtime.pass_ms(1);
    check(&world, CALM, STALE, "a=1", 0);
    world.runtime.finish_background();
    assert_eq!(world.runtime.take_sent(), ASKED);
    check(&world, CALM, HIT, "a=2", 0);
}

/// What became of reads is logged each five minutes in which rankings are read from Redis.
#[test]
fn reads_are_logged() {
    let world = noon();
    view(&world, "a");
    check(&world, CALM, MISS, "a=1", 1);
    check(&world, CALM, HIT, "a=1", 0);
    world.runtime.pass_ms(60_000);
    check(&world, CALM, UNCHANGED, "a=1", 1);
    assert_eq!(world.runtime.take_log(), Vec::<serde_json::Value>::new());
    world.runtime.pass_ms(240_000);
    check(&world, CALM, UNCHANGED, "a=1", 1);
    let lines = world.runtime.take_log();
    let reported = |name: &str| lines.iter().map(|line| line[name].clone()).collect::<Vec<_>>();
    assert_eq!(
        (reported("code"), reported("asked"), reported("unchanged"), reported("memory")),
        (vec!["reads".into()], vec![3.into()], vec![2.into()], vec![1.into()])
    );
    world.runtime.pass_ms(299_999);
    check(&world, CALM, UNCHANGED, "a=1", 1);
    assert_eq!(world.runtime.take_log().len(), 0);
}

/// What holds for the shortest holds for all that are read at once.
#[test]
fn several_are_as_fresh_as_the_least() {
    let world = noon();
    let both = "/v1/demo/top?boards=brisk/day,calm/day";
    assert_eq!(status(&world.get(both)), MISS);
    world.runtime.pass_ms(1_999);
    assert_eq!(status(&world.get(both)), HIT);
    world.runtime.pass_ms(1);
    assert_eq!(status(&world.get(both)), STALE);
}

/// A request of somebody who holds a copy: of a cache in front of the worker, or of a browser.
fn again(path: &str) -> Request<Vec<u8>> {
    let mut request = get(path);
    request.headers_mut().insert("if-none-match", "\"another\"".parse().expect("a header"));
    request
}

/// Gets a ranking as somebody who holds a copy.
#[track_caller]
fn check_again(world: &World, path: &str, how: &str, expected: &str, asked: usize) -> Answer {
    let answer = world.answer(again(path));
    assert_eq!((status(&answer), entries(&answer).as_str()), (how, expected));
    assert_eq!(world.runtime.take_sent(), vec![ASKED[0]; asked]);
    answer
}

/// What a cache is given it may keep for a second, so it is not given what would be too old then.
#[test]
fn who_holds_a_copy_is_given_a_new_one() {
    let world = noon();
    view(&world, "a");
    check(&world, BRISK, MISS, "a=1", 1);
    view(&world, "a");
    world.runtime.pass_ms(1_000);
    assert_eq!(lifetime(&check_again(&world, BRISK, HIT, "a=1", 0)), (1, 1));
    world.runtime.pass_ms(1);
    check(&world, BRISK, HIT, "a=1", 0);
    assert_eq!(lifetime(&check_again(&world, BRISK, MISS, "a=2", 1)), (2, 1));

    // Not twice in a row, so that it costs Redis at most half as much again.
    view(&world, "a");
    world.runtime.pass_ms(1_999);
    assert_eq!(lifetime(&check_again(&world, BRISK, HIT, "a=2", 0)), (1, 0));
    world.runtime.pass_ms(1);
    check_again(&world, BRISK, MISS, "a=3", 1);
    view(&world, "a");
    world.runtime.pass_ms(1_500);
    check_again(&world, BRISK, MISS, "a=4", 1);

    // One waits; the others are served what there is.
    view(&world, "a");
    world.runtime.pass_ms(2_000);
    world.runtime.set_latency_ms(50);
    let answers = world.answers((0..5).map(|_| (&world.app, again(BRISK))));
    let how: Vec<&str> = answers.iter().map(status).collect();
    assert_eq!(how, [MISS, STALE, STALE, STALE, STALE]);
    assert_eq!(world.runtime.take_sent(), ASKED);
}

/// Some caches take a 304 as leave to keep what they hold, so there is none where nothing may be kept.
#[test]
fn what_may_not_be_kept_is_sent_whole() {
    let mut world = World::at(NOON_MS);
    world.app = App { config: noon().app.config, ..world.app };
    // The clock goes on by itself, so what takes long comes before.
    world.server.clock.set(NOON_MS + 12 * 3_600_000 - 3_000);
    let known = |request: Request<Vec<u8>>, answer: &Answer| {
        let mut request = request;
        request.headers_mut().insert("if-none-match", answer.headers()["etag"].clone());
        request
    };
    let first = check(&world, BRISK, MISS, "", 1);
    for (later_ms, expected) in [(0, 304), (1_000, 200)] {
        world.runtime.pass_ms(later_ms);
        let answer = world.answer(known(get(BRISK), &first));
        let is_kept = lifetime(&answer).0 > 0;
        assert_eq!((answer.status().as_u16(), is_kept), (expected, expected == 304), "{later_ms}");
    }
    // But when Redis is out there is nothing newer to be had.
    world.runtime.finish_background();
    world.runtime.set_out(true);
    world.runtime.pass_ms(20_000);
    let out = world.answer(known(get(BRISK), &first));
    assert_eq!((out.status().as_u16(), status(&out)), (304, OUT));
}

/// A client with a copy is served what there is when Redis does not answer.
#[test]
fn who_holds_a_copy_when_redis_is_out() {
    let world = noon();
    view(&world, "a");
    check(&world, BRISK, MISS, "a=1", 1);
    world.runtime.set_out(true);
    world.runtime.pass_ms(1_500);
    assert_eq!(lifetime(&check_again(&world, BRISK, HIT, "a=1", 1)), (1, 0));
    check_again(&world, BRISK, HIT, "a=1", 0);
    world.runtime.pass_ms(1_000);
    check_again(&world, BRISK, STALE, "a=1", 1);
}

/// What one isolate asked for ahead, others take from the cache of the data center.
#[test]
fn isolates_go_ahead_once_together() {
    let mut world = noon();
    view(&world, "a");
    check(&world, BRISK, MISS, "a=1", 1);
    let other = world.new_isolate();
    world.runtime.finish_background();
    assert_eq!(status(&world.answers([(&other, get(BRISK))])[0]), "edgeboard; hit; detail=edge");
    view(&world, "a");
    world.runtime.pass_ms(1_500);
    check_again(&world, BRISK, MISS, "a=2", 1);
    world.runtime.finish_background();
    world.app = other;
    check_again(&world, BRISK, "edgeboard; hit; detail=edge", "a=2", 0);
}

/// What is not there is asked for once while rankings are fresh.
#[test]
fn what_is_missing_is_remembered() {
    let world = noon();
    view(&world, "a");
    let (member, of_member) = ("/v1/demo/boards/calm/day/members/b", "FCALL_RO ranks");
    for (path, asked, max_age) in [
        (member, of_member, 5),
        ("/v1/demo/boards/calm/day?period=2026-11-21", ASKED[0], 5),
        ("/v1/demo/boards/brisk/day?period=2020-01-01", ASKED[0], 2),
    ] {
        let missed = |max_age: u64| {
            let answer = world.get(path);
            let cache_control = format!("public, max-age={max_age}");
            assert_eq!((answer.status().as_u16(), header(&answer, "cache-control")), (404, cache_control.as_str()), "{path}");
            world.runtime.take_sent()
        };
        assert_eq!(missed(max_age), [asked]);
        assert!(missed(max_age).is_empty());
        world.runtime.pass_ms(max_age * 1_000 - 1);
        assert!(missed(1).is_empty());
        world.runtime.pass_ms(1);
        assert_eq!(missed(max_age), [asked]);
    }
    assert_eq!(world.app.memory.counters.sum(Series::Reads, Some("missing")), 6);

    // Requests at once ask once.
    world.runtime.pass_ms(5_000);
    world.runtime.set_latency_ms(50);
    let answers = world.answers((0..5).map(|_| (&world.app, get(member))));
    assert!(answers.iter().all(|answer| answer.status() == 404));
    assert_eq!(world.runtime.take_sent(), [of_member]);
    // It is there after that time.
    view(&world, "b");
    world.runtime.pass_ms(5_000);
    assert_eq!(world.get(member).status(), 200);

    // What Redis says is not remembered past a failure to ask.
    let other = "/v1/demo/boards/calm/day/members/c";
    assert_eq!(world.get(other).status(), 404);
    world.runtime.set_out(true);
    world.runtime.pass_ms(5_000);
    let failed = world.get(other);
    assert_eq!((failed.status().as_u16(), header(&failed, "cache-control")), (503, "no-store"));
}

/// A member that went away does not come back from the cache of the data center.
#[test]
fn what_went_away_stays_away() {
    let world = noon();
    let member = "/v1/demo/boards/brisk/day/members/a";
    view(&world, "a");
    assert_eq!(world.get(member).status(), 200);
    world.runtime.finish_background();
    world.server.command(&["ZADD", "eb:{demo:brisk}:curated", "-1", "a"]);
    world.server.command(&["HSET", "eb:{demo:brisk}:state", "changed", "1795176000000001", "curated", "1795176000000001"]);
    world.runtime.pass_ms(2_000);
    assert_eq!(status(&world.get(member)), STALE);
    world.runtime.finish_background();
    for later_ms in [0, 1_999, 1, 5_000] {
        world.runtime.pass_ms(later_ms);
        assert_eq!(world.get(member).status(), 404, "{later_ms}");
        world.runtime.finish_background();
    }
}

/// What the configuration has not may be kept for as long as rankings are fresh, problems of other kinds never.
#[test]
fn what_is_not_configured_may_be_kept() {
    let world = noon();
    for (path, status, cache_control) in [
        ("/v1/demo/boards/calm/decade", 404, "public, max-age=5"),
        ("/v1/demo/boards/calm/decade/members/a", 404, "public, max-age=5"),
        ("/v1/demo/boards/calm/day/members/a/explain", 404, "public, max-age=5"),
        ("/v1/demo/boards/nothing/day", 404, "public, max-age=2"),
        ("/v1/demo/top?boards=nothing/day", 404, "public, max-age=2"),
        ("/v1/nobody/boards/calm/day", 404, "public, max-age=2"),
        ("/v1/demo/boards/calm/day?limit=0", 400, "no-store"),
        ("/v1/demo/boards/calm/day?period=yesterday", 400, "no-store"),
        ("/v1/nobody/boards", 404, "no-store"),
        ("/nothing", 404, "no-store"),
    ] {
        let answer = world.get(path);
        assert_eq!((answer.status().as_u16(), header(&answer, "cache-control")), (status, cache_control), "{path}");
    }
    let ranks = world.answer(post("/v1/nobody/boards/calm/day/ranks", &json!({ "ids": ["a"] })));
    assert_eq!((ranks.status().as_u16(), header(&ranks, "cache-control")), (404, "no-store"));
}

#[test]
fn what_reads_become_is_counted() {
    let world = noon();
    view(&world, "a");
    check(&world, BRISK, MISS, "a=1", 1);
    check(&world, BRISK, HIT, "a=1", 0);
    check(&world, BRISK, HIT, "a=1", 0);
    world.runtime.finish_background();
    world.runtime.set_out(true);
    world.runtime.pass_ms(2_000);
    check(&world, BRISK, STALE, "a=1", 0);
    world.runtime.finish_background();
    world.runtime.pass_ms(10_000);
    world.runtime.take_sent();
    check(&world, BRISK, OUT, "a=1", 1);
    let reads =
        ["memory", "edge", "stale", "out", "waited", "missing"].map(|what| world.app.memory.counters.sum(Series::Reads, Some(what)));
    let renewals = ["asked", "failed", "looks", "unchanged"].map(|what| world.app.memory.counters.sum(Series::Renewals, Some(what)));
    assert_eq!((reads, renewals), ([2, 0, 1, 1, 1, 0], [3, 2, 0, 0]));
}

/// What is fresh for long is looked at every ten seconds. Only what is hidden, pinned or erased replaces it.
#[test]
fn what_is_fresh_for_long_is_looked_at() {
    const SLOW: &str = "/v1/demo/boards/slow/day";
    let mut world = noon();
    view(&world, "a");
    view(&world, "b");
    let first = check(&world, SLOW, MISS, "b=1 a=1", 1);
    assert_eq!(lifetime(&first), (10, 1));
    view(&world, "a");
    for _ in 0..2 {
        world.runtime.pass_ms(8_999);
        check(&world, SLOW, HIT, "b=1 a=1", 0);
        world.runtime.pass_ms(1);
        check(&world, SLOW, HIT, "b=1 a=1", 0);
        check(&world, SLOW, HIT, "b=1 a=1", 0);
        world.runtime.finish_background();
        assert_eq!(world.runtime.take_sent(), ASKED, "one look");
        assert_eq!(lifetime(&check(&world, SLOW, HIT, "b=1 a=1", 0)), (10, 1));
    }
    // Nobody read it for a while: the next reader waits for the look, also in another isolate.
    for isolates in 0..2 {
        world.runtime.pass_ms(10_000);
        check(&world, SLOW, UNCHANGED, "b=1 a=1", 1);
        world.runtime.finish_background();
        if isolates == 0 {
            world.app = world.new_isolate();
        }
    }
    // Somebody who holds a copy waits for the look as well.
    world.runtime.pass_ms(9_500);
    check_again(&world, SLOW, UNCHANGED, "b=1 a=1", 1);
    world.runtime.finish_background();
    assert_eq!(world.app.memory.counters.sum(Series::Renewals, Some("looks")), 2);

    // A hidden member goes at the next look, with what was counted meanwhile.
    world.server.command(&["ZADD", "eb:{demo:slow}:curated", "-1", "b"]);
    world.server.command(&["HSET", "eb:{demo:slow}:state", "changed", "1795176000000001", "curated", "1795176000000001"]);
    world.runtime.pass_ms(9_000);
    check(&world, SLOW, HIT, "b=1 a=1", 0);
    world.runtime.finish_background();
    assert_eq!(world.runtime.take_sent(), ASKED);
    check(&world, SLOW, HIT, "a=2", 0);
}

/// It is replaced when it is no longer fresh, also when it was looked at a moment ago.
#[test]
fn what_was_looked_at_is_replaced_in_time() {
    const SLOW: &str = "/v1/demo/boards/slow/day";
    let world = noon();
    view(&world, "a");
    check(&world, SLOW, MISS, "a=1", 1);
    view(&world, "a");
    for _ in 0..6 {
        world.runtime.pass_ms(9_500);
        check(&world, SLOW, HIT, "a=1", 0);
        world.runtime.finish_background();
        assert_eq!(world.runtime.take_sent(), ASKED);
    }
    world.runtime.pass_ms(3_000);
    check(&world, SLOW, STALE, "a=1", 0);
    world.runtime.finish_background();
    world.runtime.take_sent();
    check(&world, SLOW, HIT, "a=2", 0);
}
