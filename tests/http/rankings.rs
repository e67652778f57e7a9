//! Rankings through the caches: what is served fresh, stale and when Redis is out, and how often Redis is asked.

use std::rc::Rc;

use http::StatusCode;
use serde_json::json;
use serve::app::App;
use serve::app::cache::Entry;
use serve::config::Config;

use crate::faulty::Mishap;
use crate::world::{Answer, DAY_MS, NOON_MS, World, body, entries, get, header, post};

pub const DAY: &str = "/v1/demo/boards/articles/day";
pub const ASKED: [&str; 1] = ["FCALL_RO top"];

pub const MISS: &str = "edgeboard; fwd=miss";
/// From a cache, after Redis said that nothing has changed.
pub const UNCHANGED: &str = "edgeboard; fwd=miss; detail=unchanged";
pub const HIT: &str = "edgeboard; hit; detail=memory";
const HIT_EDGE: &str = "edgeboard; hit; detail=edge";
pub const STALE: &str = "edgeboard; fwd=stale; detail=memory";
const STALE_EDGE: &str = "edgeboard; fwd=stale; detail=edge";
pub const OUT: &str = "edgeboard; fwd=stale; fwd-status=503; detail=memory";
const OUT_EDGE: &str = "edgeboard; fwd=stale; fwd-status=503; detail=edge";

pub fn status(answer: &Answer) -> &str {
    header(answer, "cache-status")
}

pub fn view(world: &World, item: &str) {
    assert_eq!(world.beacon(&json!({ "action": "view", "item": item })).status(), 204);
    world.runtime.take_sent();
}

/// What caches in front of the worker may do: `max-age`, and `stale-while-revalidate`.
#[track_caller]
pub fn lifetime(answer: &Answer) -> (u64, u64) {
    let cache_control = header(answer, "cache-control");
    let seconds = |directive: Option<&str>, name: &str| {
        let value = directive.and_then(|directive| directive.trim().strip_prefix(name)).expect("a directive");
        value.parse().expect("seconds")
    };
    let mut directives = cache_control.split(',');
    assert_eq!(directives.next(), Some("public"), "{cache_control}");
    let found = (seconds(directives.next(), "max-age="), seconds(directives.next(), "stale-while-revalidate="));
    assert_eq!((directives.next(), directives.next()), (Some(" stale-if-error=86400"), None));
    assert!(!answer.headers().contains_key("age"), "max-age is what is left: an age would be taken off once more");
    found
}

/// Gets a ranking; it must have come by `how`, hold `expected`, and have asked Redis as often as given.
#[track_caller]
pub fn check(world: &World, path: &str, how: &str, expected: &str, asked: usize) -> Answer {
    let answer = world.get(path);
    assert_eq!((status(&answer), entries(&answer).as_str()), (how, expected));
    let sent = world.runtime.take_sent();
    assert_eq!(sent, vec![ASKED[0]; asked]);
    answer
}

#[test]
fn fresh_then_stale_then_renewed_once() {
    let world = World::noon();
    view(&world, "a");
    let first = check(&world, DAY, MISS, "a=1", 1);
    assert_eq!(lifetime(&first), (2, 1));
    assert_eq!((header(&first, "access-control-allow-origin"), header(&first, "content-type")), ("*", "application/json"));
    view(&world, "a");

    world.runtime.pass_ms(1_999);
    let fresh = check(&world, DAY, HIT, "a=1", 0);
    assert_eq!(lifetime(&fresh), (1, 0));

    world.runtime.pass_ms(1);
    for _ in 0..3 {
        let stale = check(&world, DAY, STALE, "a=1", 0);
        assert_eq!(lifetime(&stale), (0, 0));
    }
    world.runtime.finish_background();
    assert_eq!(world.runtime.take_sent(), ASKED, "three stale answers, one renewal");
    check(&world, DAY, HIT, "a=2", 0);

    // A ranking that nobody read for ten seconds is asked for anew.
    view(&world, "a");
    world.runtime.pass_ms(10_000);
    check(&world, DAY, MISS, "a=3", 1);
}

#[test]
fn stale_while_redis_is_out_for_a_day() {
    let world = World::noon();
    view(&world, "a");
    let asked = check(&world, DAY, MISS, "a=1", 1);
    world.runtime.finish_background();
    world.runtime.set_out(true);

    world.runtime.pass_ms(2_000);
    check(&world, DAY, STALE, "a=1", 0);
    world.runtime.finish_background();
    assert_eq!(world.runtime.take_sent(), ASKED);
    // For a second Redis is left alone.
    for _ in 0..3 {
        check(&world, DAY, STALE, "a=1", 0);
        world.runtime.finish_background();
        assert!(world.runtime.take_sent().is_empty());
    }
    world.runtime.pass_ms(8_000);
    let out = check(&world, DAY, OUT, "a=1", 1);
    assert_eq!(lifetime(&out), (0, 0));
    assert_eq!(out.body(), asked.body(), "it tells when it was made");
    check(&world, DAY, OUT, "a=1", 0);

    world.runtime.pass_ms(DAY_MS - 10_001);
    check(&world, DAY, OUT, "a=1", 1);
    world.runtime.pass_ms(1);
    for _ in 0..2 {
        let dropped = world.get(DAY);
        assert_eq!((dropped.status(), &body(&dropped)["code"]), (StatusCode::SERVICE_UNAVAILABLE, &json!("redis-unavailable")));
        assert_eq!((header(&dropped, "cache-control"), header(&dropped, "retry-after")), ("no-store", "1"));
    }

    world.runtime.take_sent();
    world.runtime.set_out(false);
    check(&world, DAY, UNCHANGED, "a=1", 1);
}

#[test]
fn a_ranking_never_served_is_missed_at_once() {
    let world = World::noon();
    world.runtime.set_out(true);
    assert_eq!(world.get(DAY).status(), 503);
    assert_eq!(world.runtime.take_sent(), ASKED);
    world.runtime.set_out(false);
    // Requests that have nothing to serve do not leave Redis alone.
    check(&world, DAY, MISS, "", 1);
}

#[test]
fn requests_at_once_ask_once() {
    let world = World::noon();
    view(&world, "a");
    world.runtime.set_latency_ms(200);
    let answers = world.answers((0..10).map(|_| (&world.app, get(DAY))));
    assert_eq!(world.runtime.take_sent(), ASKED);
    let of = |how: &str| answers.iter().filter(|answer| status(answer) == how).count();
    assert_eq!((of(MISS), of(HIT)), (1, 9));
    assert!(answers.iter().all(|answer| answer.body() == answers[0].body()));

    // Other pages are other questions; the same ones in other words are not.
    let same = [
        "/v1/demo/boards/articles/day?limit=5&offset=0",
        "/v1/demo/boards/articles/day?offset=0&limit=5",
        "/v1/demo/boards/articles/day?limit=05",
    ];
    let other =
        ["/v1/demo/boards/articles/day?limit=4", "/v1/demo/boards/articles/day?limit=5&offset=1", "/v1/demo/boards/articles/week?limit=5"];
    let answers = world.answers(same.iter().chain(&other).map(|path| (&world.app, get(path))));
    assert!(answers.iter().all(|answer| answer.status() == 200));
    assert_eq!(world.runtime.take_sent().len(), 1 + other.len());
}

/// A renewal that went away before its fetch does not keep others from asking for ever.
#[test]
fn a_claim_is_not_believed_for_ever() {
    let world = World::noon();
    view(&world, "a");
    check(&world, DAY, MISS, "a=1", 1);
    world.runtime.finish_background();
    world.runtime.pass_ms(2_000);
    check(&world, DAY, STALE, "a=1", 0);
    world.runtime.drop_background();
    world.runtime.pass_ms(2_999);
    check(&world, DAY, STALE, "a=1", 0);
    world.runtime.finish_background();
    assert!(world.runtime.take_sent().is_empty(), "somebody is believed to be at it");
    world.runtime.pass_ms(2_001);
    check(&world, DAY, STALE, "a=1", 0);
    world.runtime.finish_background();
    assert_eq!(world.runtime.take_sent(), ASKED);
    check(&world, DAY, HIT, "a=1", 0);
}

#[test]
fn the_edge_cache_serves_other_isolates() {
    let mut world = World::noon();
    view(&world, "a");
    check(&world, DAY, MISS, "a=1", 1);
    world.runtime.finish_background();

    world.app = world.new_isolate();
    world.runtime.pass_ms(1_000);
    let hit = check(&world, DAY, HIT_EDGE, "a=1", 0);
    assert_eq!(lifetime(&hit), (1, 1));
    check(&world, DAY, HIT, "a=1", 0);

    world.app = world.new_isolate();
    world.runtime.pass_ms(1_000);
    check(&world, DAY, STALE_EDGE, "a=1", 0);
    world.runtime.finish_background();
    assert_eq!(world.runtime.take_sent(), ASKED);

    world.app = world.new_isolate();
    world.runtime.pass_ms(20_000);
    world.runtime.set_out(true);
    check(&world, DAY, OUT_EDGE, "a=1", 1);
}

/// What one isolate renewed, another one takes from the edge cache.
#[test]
fn isolates_renew_once_together() {
    let mut world = World::noon();
    view(&world, "a");
    check(&world, DAY, MISS, "a=1", 1);
    world.runtime.finish_background();
    let other = world.new_isolate();
    assert_eq!(status(&world.answers([(&other, get(DAY))])[0]), HIT_EDGE);
    view(&world, "a");

    world.runtime.pass_ms(2_000);
    check(&world, DAY, STALE, "a=1", 0);
    world.runtime.finish_background();
    assert_eq!(world.runtime.take_sent(), ASKED);
    world.app = other;
    check(&world, DAY, STALE, "a=1", 0);
    world.runtime.finish_background();
    check(&world, DAY, HIT, "a=2", 0);
}

/// A machine whose clock is ahead cannot make this one serve its entry for as long.
#[test]
fn an_entry_of_the_future_is_a_spare_only() {
    let mut world = World::noon();
    view(&world, "a");
    check(&world, DAY, MISS, "a=1", 1);
    world.runtime.finish_background();
    let ahead = |entry: &mut Entry| entry.asked_at_ms += 60_000;
    world.runtime.edge().borrow_mut().values_mut().for_each(ahead);

    view(&world, "a");
    world.app = world.new_isolate();
    check(&world, DAY, MISS, "a=2", 1);
    world.runtime.finish_background();
    world.runtime.edge().borrow_mut().values_mut().for_each(ahead);

    world.app = world.new_isolate();
    world.runtime.set_out(true);
    check(&world, DAY, OUT_EDGE, "a=2", 1);
}

/// A day that ends within the time for which rankings are fresh, or stale, is not served as today's when it is over.
#[test]
fn no_period_is_served_as_current_past_its_end() {
    let midnight_ms = NOON_MS + 12 * 3_600_000;
    for before_ms in [1_900, 5_500] {
        let world = World::at(midnight_ms - before_ms);
        view(&world, "a");
        let old = check(&world, DAY, MISS, "a=1", 1);
        assert_eq!(body(&old)["period"]["id"], "2026-11-20");
        assert_eq!(lifetime(&old), if before_ms < 2_000 { (0, 0) } else { (2, 1) });
        check(&world, DAY, HIT, "a=1", 0);
        check(&world, "/v1/demo/boards/articles/all", MISS, "a=1", 1);

        world.runtime.pass_ms(u64::try_from(before_ms).expect("short"));
        world.server.clock.set(midnight_ms);
        let new = check(&world, DAY, MISS, "", 1);
        assert_eq!(body(&new)["period"]["id"], "2026-11-21");
        assert_eq!(body(&new)["period"]["starts_at"], "2026-11-21T00:00:00Z");
        // What has no end goes on.
        let all = if before_ms < 2_000 { HIT } else { STALE };
        check(&world, "/v1/demo/boards/articles/all", all, "a=1", 0);
        // The day before is there, by its name.
        check(&world, "/v1/demo/boards/articles/day?period=2026-11-20", MISS, "a=1", 1);
    }
}

/// When Redis is out at the end of a period, the old one is served and said to be stale.
#[test]
fn redis_is_out_at_midnight() {
    let world = World::at(NOON_MS + 12 * 3_600_000 - 1_500);
    view(&world, "a");
    check(&world, DAY, MISS, "a=1", 1);
    world.runtime.set_out(true);
    world.runtime.pass_ms(1_500);
    let out = check(&world, DAY, OUT, "a=1", 1);
    assert_eq!(body(&out)["period"]["id"], "2026-11-20");
    assert_eq!(lifetime(&out), (0, 0));
}

#[test]
fn unchanged_rankings_are_not_sent_again() {
    let world = World::noon();
    view(&world, "a");
    let first = check(&world, DAY, MISS, "a=1", 1);
    let tag = header(&first, "etag").to_owned();
    assert!(tag.starts_with("W/\"") && tag.ends_with('"'));
    for known in [tag.clone(), tag.trim_start_matches("W/").to_owned(), "*".into(), format!("\"other\", {tag}")] {
        let mut request = get(DAY);
        request.headers_mut().insert("if-none-match", known.parse().expect("a header"));
        let answer = world.answer(request);
        assert_eq!((answer.status().as_u16(), answer.body().len()), (304, 0), "{known}");
        assert_eq!((header(&answer, "etag"), header(&answer, "cache-status")), (tag.as_str(), HIT));
    }
    // Asked again, the version is the same while the ranking is; when it changes, so does the version.
    world.runtime.pass_ms(20_000);
    let same = check(&world, DAY, UNCHANGED, "a=1", 1);
    assert_eq!(header(&same, "etag"), tag);
    assert_ne!(body(&same)["generated_at"], "");
    view(&world, "a");
    world.runtime.pass_ms(20_000);
    let mut request = get(DAY);
    request.headers_mut().insert("if-none-match", tag.parse().expect("a header"));
    let changed = world.answer(request);
    assert_eq!((changed.status().as_u16(), entries(&changed).as_str()), (200, "a=2"));
    assert_ne!(header(&changed, "etag"), tag);
}

/// HEAD is GET without the body.
#[test]
fn head() {
    let world = World::noon();
    view(&world, "a");
    let mut request = get(DAY);
    *request.method_mut() = http::Method::HEAD;
    let (head, get) = (world.answer(request), world.get(DAY));
    assert_eq!((head.status(), head.body().len()), (get.status(), 0));
    assert_eq!(header(&head, "etag"), header(&get, "etag"));
}

/// What goes wrong in the repair of a rolling board keeps nobody from the ranking as it is.
#[test]
fn a_failed_repair_is_not_a_failed_read() {
    let world = World::noon();
    let sites = json!({ "demo": {
        "origins": ["*"],
        "actions": { "view": { "public": true } },
        "boards": { "articles": { "weights": { "view": 1 }, "windows": ["last-7-days"] } },
    } });
    let config = Config::read([("SITES".into(), sites)], |_| true).expect("a valid configuration");
    let app = App { config: Rc::new(config), ..world.app.clone() };
    let answer = |request| world.answers([(&app, request)]).pop().expect("one answer");
    let read = || answer(get("/v1/demo/boards/articles/last-7-days"));
    assert_eq!(answer(post("/v1/demo/beacon", &json!({ "action": "view", "item": "a" }))).status(), 204);

    world.server.command(&["DEL", "eb:{demo:articles}:window:last-7-days:20777"]);

    for mishap in [Mishap::Before, Mishap::After] {
        world.runtime.let_happen(&[Mishap::Passed, mishap]);
        let incomplete = read();
        assert_eq!((incomplete.status(), &body(&incomplete)["complete"]), (StatusCode::OK, &json!(false)));
        world.runtime.finish_background();
        world.runtime.pass_ms(250);
    }
    let complete = read();
    assert_eq!((entries(&complete).as_str(), &body(&complete)["complete"]), ("a=1", &json!(true)));
}

/// Nobody keeps the boards, so the rolling one that fills the page up has to be made from its base periods first.
#[test]
fn a_page_is_filled_up_by_the_first_read_after_a_day_without_upkeep() {
    let world = World::noon();
    let sites = json!({ "demo": {
        "origins": ["*"],
        "actions": { "view": { "public": true } },
        "boards": { "articles": {
            "weights": { "view": 1 }, "windows": ["day", "last-7-days", "last-48-hours"], "fallback": ["last-48-hours", "last-7-days"],
        } },
    } });
    let config = Config::read([("SITES".into(), sites)], |_| true).expect("a valid configuration");
    let app = App { config: Rc::new(config), ..world.app.clone() };
    let answer = |request| world.answers([(&app, request)]).pop().expect("one answer");
    for item in ["a", "b", "a"] {
        assert_eq!(answer(post("/v1/demo/beacon", &json!({ "action": "view", "item": item }))).status(), 204);
    }
    world.server.clock.set(NOON_MS + 25 * 3_600_000);
    for path in ["/v1/demo/boards/articles/day", "/v1/demo/boards/articles/day?limit=2"] {
        let filled = answer(get(path));
        assert_eq!((entries(&filled).as_str(), &body(&filled)["complete"]), ("a=2 b=1", &json!(true)), "{path}");
    }
}

/// Until upkeep has built it, a past rolling ranking has nobody, nor a rank for a badge.
#[test]
fn a_past_rolling_ranking_that_is_being_built() {
    let world = World::noon();
    world.events(&json!({ "events": [{ "action": "say", "item": "/a" }] }));
    let past = "?period=2026-11-20T10Z";
    let page = world.get(&format!("/v1/demo/boards/talk/last-3-hours{past}"));
    let badge = world.get(&format!("/v1/demo/boards/talk/last-3-hours/members/%2Fa/badge.svg{past}"));
    for answer in [&page, &badge] {
        assert_eq!((answer.status(), header(answer, "cache-control"), header(answer, "retry-after")), (StatusCode::OK, "no-store", "60"));
    }
    assert!(String::from_utf8_lossy(badge.body()).contains("not known yet"));
}

/// The request that finds a past rolling ranking not built builds it, whatever the scheduled run believes of the board.
#[test]
fn a_past_rolling_ranking_is_built_for_who_asks() {
    let world = World::noon();
    world.events(&json!({ "events": [{ "action": "say", "item": "/a" }] }));
    world.server.clock.set(NOON_MS + 3 * 3_600_000);
    let path = "/v1/demo/boards/talk/last-3-hours?period=2026-11-20T12Z";
    for form in [".svg", "/frame.html"] {
        let begun = world.get(&path.replace('?', &format!("{form}?")));
        let text = String::from_utf8_lossy(begun.body());
        assert!(text.contains(">…<") && begun.headers().contains_key("retry-after"), "{form}: {text}");
    }
    assert_eq!(body(&world.get(path))["complete"], json!(false));
    world.runtime.finish_background();
    let built = world.get(path);
    assert_eq!((entries(&built).as_str(), &body(&built)["complete"]), ("/a=1", &json!(true)));
}

/// Lists and feeds are for people; programs read tables and JSON.
#[test]
fn lists_and_feeds_are_short() {
    let mut world = World::noon();
    let site = json!({ "actions": { "view": {} }, "boards": { "long": { "weights": { "view": 1 }, "windows": ["day"], "limit": 1000 } } });
    let config = Config::read([("SITES".into(), json!({ "demo": site }))], |_| true).expect("a valid configuration");
    world.app = App { config: Rc::new(config), ..world.app };
    let short = [".html", ".svg", ".rss", "/frame.html"].into_iter().flat_map(|form| [(form, 100, 200), (form, 101, 400)]);
    for (form, limit, status) in short.chain([(".csv", 1000, 200), ("", 1000, 200)]) {
        let answer = world.get(&format!("/v1/demo/boards/long/day{form}?limit={limit}"));
        assert_eq!(answer.status().as_u16(), status, "{form} {limit}: {}", String::from_utf8_lossy(answer.body()));
    }
}
