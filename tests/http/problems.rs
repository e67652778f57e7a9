//! Problems: a status, a stable code, what is allowed; nothing written; nothing cacheable but that there is no such ranking.

use std::rc::Rc;

use admin::api::{Level, Logged};
use http::{Method, Request};
use serde_json::{Value, json};
use serve::app::App;
use serve::app::counting::MAX_BODY;
use serve::config::Config;

use crate::world::{Answer, TOKEN, World, body, get, header, post};

/// A problem document must say this much, and may not be kept.
#[track_caller]
fn check(answer: &Answer, status: u16, code: &str, detail: &str) {
    check_kept(answer, status, code, detail, "no-store");
}

/// A problem document must say this much.
#[track_caller]
fn check_kept(answer: &Answer, status: u16, code: &str, detail: &str, cache_control: &str) {
    let message = body(answer);
    assert_eq!((answer.status().as_u16(), &message["code"], &message["status"]), (status, &json!(code), &json!(status)), "{message}");
    assert!(message["detail"].as_str().is_some_and(|message| message.contains(detail)), "{message}");
    assert_eq!(message["title"], json!(answer.status().canonical_reason()));
    assert_eq!((header(answer, "content-type"), header(answer, "cache-control")), ("application/problem+json", cache_control));
    let level = answer.extensions().get::<Logged>().map(|logged| logged.level);
    assert!(level != Some(Level::Error) || status >= 500, "{message}");
    assert!(level.is_some() || status < 500, "5xx are logged: {message}");
}

fn with(mut request: Request<Vec<u8>>, name: &'static str, value: &str) -> Request<Vec<u8>> {
    request.headers_mut().insert(name, value.parse().expect("a header"));
    request
}

#[test]
fn requests_for_what_is_not_there() {
    let world = World::noon();
    for (path, status, code, detail) in [
        ("/nothing", 404, "not-found", "/nothing"),
        ("/v1/demo", 404, "not-found", "/v1/demo"),
        ("/v1/demo/boards/", 404, "not-found", "/v1/demo/boards/"),
        (
            "/v1/demo/boards/hours",
            404,
            "not-found",
            "there is nothing at /v1/demo/boards/hours; a ranking of the board is at /v1/demo/boards/hours/WINDOW, and its windows are hour",
        ),
        (
            "/v1/demo/boards/hour",
            404,
            "not-found",
            "the site demo has no board \"hour\"; it has articles, hours, talk; did you mean \"hours\"?",
        ),
        ("/v1/dmeo/boards/hours", 404, "not-found", "no site is called \"dmeo\"; did you mean \"demo\"?"),
        ("/v1/demo/items//posts/1", 404, "not-found", "; a slash in an id is written %2F: /v1/demo/items/%2Fposts%2F1"),
        ("/v1/demo/actors/a/b/activity", 404, "not-found", "%2F: /v1/demo/actors/a%2Fb/activity"),
        ("/v1/demo/boards/articles/day/members//posts/1", 404, "not-found", "%2F: /v1/demo/boards/articles/day/members/%2Fposts%2F1"),
        (
            "/v1/demo/boards/articles/day/members//posts/1/badge.svg",
            404,
            "not-found",
            "%2F: /v1/demo/boards/articles/day/members/%2Fposts%2F1/badge.svg",
        ),
        ("/v1/none/boards", 404, "unknown-site", "\"none\""),
        ("/v1/none/boards/articles/day", 404, "unknown-site", "\"none\""),
        ("/v1/demo/boards/none/day", 404, "unknown-board", "\"none\""),
        ("/v1/demo/boards/hours/day", 404, "unknown-window", "it has hour"),
        ("/v1/demo/boards/articles/%FF", 400, "invalid-encoding", "%FF"),
        ("/v1/demo/boards/articles/day?utm_source=x", 400, "unknown-parameter", "limit, offset, period"),
        ("/v1/demo/boards/articles/day?limits=1", 400, "unknown-parameter", "; did you mean limit?"),
        ("/v1/demo/boards/articles/day?Limit=1", 400, "unknown-parameter", "; did you mean limit?"),
        ("/v1/demo/boards?limit=1", 400, "unknown-parameter", "none"),
        ("/healthz?x", 400, "unknown-parameter", "\"x\""),
        ("/v1/demo/boards/articles/day?limit=1&limit=2", 400, "repeated-parameter", "limit"),
        ("/v1/demo/boards/articles/day?limit=0", 400, "invalid-parameter", "from 1 to 100"),
        ("/v1/demo/boards/articles/day?limit=101", 400, "invalid-parameter", "from 1 to 100"),
        ("/v1/demo/boards/articles/day?offset=91", 400, "invalid-parameter", "from 0 to 90"),
        ("/v1/demo/boards/articles/day?period=2026-11-31", 400, "invalid-period", "like 2026-11-20"),
        ("/v1/demo/boards/articles/day?period=2026-11-20T12Z", 400, "invalid-period", "like 2026-11-20"),
        ("/v1/demo/boards/articles/year?period=1969", 400, "invalid-period", "like 2026"),
        ("/v1/demo/boards/articles/day?period=2026-11-21", 404, "unknown-period", "not begun"),
        ("/v1/demo/boards/articles/hour?period=2026-11-17T10Z", 404, "unknown-period", "no longer kept"),
        ("/v1/demo/boards/articles/hour?period=2026-11-20T11:30Z", 404, "unknown-period", "no hour"),
    ] {
        let is_ranking = status == 404 && path.matches('/').count() > 4 && code != "not-found";
        check_kept(&world.get(path), status, code, detail, if is_ranking { "public, max-age=2" } else { "no-store" });
    }
    for path in [
        "day?limit=100",
        "day?limit=10&offset=90",
        "day?period=2026-11-20",
        "hour?period=2026-11-20T11Z",
        "year?period=1970",
        "all?period=all",
    ] {
        assert_eq!(world.get(&format!("/v1/demo/boards/articles/{path}")).status(), 200, "{path}");
    }
    assert_eq!(world.server.number(&["DBSIZE"]), 0, "reading writes nothing");
}

#[test]
fn other_methods() {
    let world = World::noon();
    for (path, method, allowed) in [
        ("/v1/demo/boards/articles/day", Method::POST, "GET"),
        ("/v1/demo/beacon", Method::GET, "POST"),
        ("/v1/demo/events", Method::PUT, "POST"),
        ("/healthz", Method::DELETE, "GET"),
    ] {
        let mut request = get(path);
        *request.method_mut() = method;
        let answer = world.answer(request);
        check(&answer, 405, "method-not-allowed", allowed);
        assert_eq!(header(&answer, "allow"), allowed);
    }
}

#[test]
fn what_nothing_can_be_understood_of_is_refused() {
    let world = World::noon();
    let view = json!({ "action": "view", "item": "a" });
    let altered = |name: &str, value: Value| {
        let mut event = view.clone();
        event[name] = value;
        json!({ "events": [event] })
    };
    let raw = |bytes: &[u8]| Request::post("https://edge.example/v1/demo/beacon").body(bytes.to_vec()).expect("a request");
    for (request, status, code, detail) in [
        (raw(b""), 400, "invalid-json", "not JSON"),
        (raw(b"{"), 400, "invalid-json", "not JSON"),
        (raw(b"[]"), 400, "invalid-json", "not an object"),
        (raw(b"{\"action\":\"view\",\"item\":\"\xff\"}"), 400, "invalid-json", "not JSON"),
        (raw(&vec![b' '; MAX_BODY + 1]), 413, "body-too-large", "65536"),
        (post("/v1/demo/beacon", &json!({ "events": {} })), 400, "invalid-json", "not a list"),
        (post("/v1/demo/beacon", &json!({ "events": vec![&view; 101] })), 413, "too-many-events", "at most 20 events"),
        (post("/v1/demo/beacon", &json!({ "events": [1] })), 400, "invalid-event", "1"),
        // What is understood and not allowed says more than what is not understood.
        (post("/v1/demo/beacon", &json!({ "events": [1, { "action": "like", "item": "a" }] })), 403, "action-not-public", "like"),
        (post("/v1/demo/beacon", &json!({ "id": "a b", "events": [view] })), 400, "invalid-id", "printable ASCII"),
        (post("/v1/demo/beacon", &altered("action", json!("share"))), 400, "unknown-action", "share"),
        (post("/v1/demo/beacon", &altered("action", json!(7))), 400, "invalid-action", "7"),
        (post("/v1/demo/beacon", &altered("action", json!("like"))), 403, "action-not-public", "like"),
        (post("/v1/demo/beacon", &altered("item", json!(null))), 400, "invalid-item", "missing"),
        (post("/v1/demo/beacon", &json!({ "acton": "view", "item": "a" })), 400, "unknown-field", "; did you mean action?"),
        (
            post("/v1/demo/beacon", &json!({ "action": "view", "itme": "a" })),
            400,
            "unknown-field",
            "seq, boards, id, events; did you mean item?",
        ),
        (
            post("/v1/demo/beacon", &json!({ "events": [{ "action": "view", "itme": "a" }] })),
            400,
            "unknown-field",
            "seq, boards, id; did you mean item?",
        ),
        (
            post("/v1/demo/beacon", &altered("worth", json!(1))),
            400,
            "unknown-field",
            "\"worth\" is not a field of an event; allowed: action, ",
        ),
        (post("/v1/demo/beacon", &json!({ "evnts": [view] })), 400, "unknown-field", "; did you mean events?"),
        (post("/v1/demo/beacon", &json!({ "ids": "a", "events": [view] })), 400, "unknown-field", "allowed: id, events; did you mean id?"),
        (post("/v1/demo/beacon", &altered("item", json!(""))), 400, "invalid-item", "1 to 256 bytes"),
        (post("/v1/demo/beacon", &altered("item", json!("a\u{0}b"))), 400, "invalid-item", "control"),
        (post("/v1/demo/beacon", &altered("item", json!("x".repeat(257)))), 400, "invalid-item", "1 to 256 bytes"),
        (post("/v1/demo/beacon", &altered("actor", json!(["u"]))), 400, "invalid-actor", "text of 1 to 256 bytes"),
        (post("/v1/demo/beacon", &altered("id", json!("é"))), 400, "invalid-id", "printable ASCII"),
        (post("/v1/demo/beacon", &altered("ago", json!(-1))), 400, "invalid-ago", "from 0 to 86400000"),
        (post("/v1/demo/beacon", &altered("ago", json!(86_400_001))), 400, "invalid-ago", "from 0 to 86400000"),
        (post("/v1/demo/beacon", &altered("at", json!(0))), 400, "invalid-at", "browsers send ago"),
        (post("/v1/demo/beacon", &altered("undo", json!(true))), 400, "undo-not-possible", "browsers may not undo"),
        (get("/v1/demo/beacon.gif?action=view"), 400, "invalid-item", "missing"),
        (get("/v1/demo/beacon.gif?action=view&item=a&ago=1"), 400, "unknown-parameter", "ago"),
        (with(post("/v1/demo/beacon", &view), "origin", "https://evil.example"), 403, "origin-not-allowed", "https://evil.example"),
        (with(post("/v1/demo/beacon", &view), "origin", "https://blog.example.evil.example"), 403, "origin-not-allowed", "evil"),
        (
            with(get("/v1/demo/beacon.gif?action=view&item=a"), "referer", "https://evil.example/https://blog.example"),
            403,
            "origin-not-allowed",
            "evil",
        ),
        (post("/v1/demo/events", &view), 401, "unauthorized", "Bearer"),
        (with(post("/v1/demo/events", &view), "authorization", "Bearer wrong"), 401, "unauthorized", "WRITE_TOKEN"),
        (with(post("/v1/demo/events", &view), "authorization", TOKEN), 401, "unauthorized", "Bearer"),
        (with(post("/v1/demo/events", &json!([])), "authorization", &format!("Bearer {TOKEN}")), 400, "invalid-json", "not an object"),
        (
            with(post("/v1/demo/events", &json!({ "events": [] })), "authorization", &format!("Bearer {TOKEN}")),
            400,
            "invalid-json",
            "events is empty; allowed: 1 to 100 events",
        ),
    ] {
        let is_click = request.uri().path().starts_with("/v1/demo/beacon");
        let answer = world.answer(request);
        check(&answer, status, code, detail);
        let logged = answer.extensions().get::<Logged>().map(|logged| (logged.level, logged.code));
        // The first wrong token of a minute is.
        let is_logged = is_click || (code, detail) == ("unauthorized", "WRITE_TOKEN");
        assert_eq!(logged, is_logged.then_some((Level::Warn, code)), "refused clicks are logged with their code, others are not");
        assert_eq!(header(&answer, "www-authenticate"), if status == 401 { "Bearer" } else { "" });
    }
    assert!(world.runtime.take_sent().is_empty(), "Redis was never asked");
    assert_eq!(world.server.number(&["DBSIZE"]), 0);
}

/// A beacon without those of its events that can never be valid counts; the header and the log say that.
#[test]
fn one_bad_action_does_not_lose_the_others() {
    let world = World::noon();
    let view = |item: &str| json!({ "action": "view", "item": item });
    let batch = json!({ "id": "x", "events": [view("a"), { "action": "veiw", "item": "b" }, { "action": "like", "item": "c" }, 7, { "action": "", "item": "d" }, view("e")] });
    for _ in 0..2 {
        let answer = world.beacon(&batch);
        assert_eq!(answer.status(), 204);
        assert_eq!(header(&answer, "edgeboard-refused"), "unknown-action, action-not-public, invalid-event");
        let logged = answer.extensions().get::<Logged>().expect("logged");
        assert_eq!((logged.level, logged.code), (Level::Warn, "unknown-action"));
        assert!(logged.detail.contains("\"veiw\" is not an action"), "{}", logged.detail);
    }
    let all = || world.server.scores("eb:{demo:articles}:all:0");
    assert_eq!(all(), [("a".into(), "1".into()), ("e".into(), "1".into())]);
    // Sent again, mended in its place.
    let mended = json!({ "id": "x", "events": [view("a"), view("b")] });
    assert_eq!(header(&world.beacon(&mended), "edgeboard-refused"), "");
    assert_eq!(all(), [("a".into(), "1".into()), ("b".into(), "1".into()), ("e".into(), "1".into())]);
    let fine = world.beacon(&json!({ "events": [view("a")] }));
    assert!(!fine.headers().contains_key("edgeboard-refused") && fine.extensions().get::<Logged>().is_none());
}

/// A list is answered with what became of its events, a bare event with a problem where no board takes it.
#[test]
fn bare_events_that_no_board_takes() {
    let world = World::noon();
    let like = |item: &str| json!({ "action": "like", "item": item });
    let reported = |event: &Value, status: u16, code: &str, detail: &str| {
        let answer = world.events(event);
        check(&answer, status, code, detail);
        let listed = world.events(&json!({ "events": [event] }));
        assert_eq!((listed.status().as_u16(), &body(&listed)["rejected"][0]["code"]), (200, &json!(code)), "{event}");
        assert_eq!(body(&listed)["rejected"][0]["detail"], body(&answer)["detail"], "{event}");
    };
    let with = |name: &str, value: Value| {
        let mut event = like("a");
        event[name] = value;
        event
    };
    for (event, code, detail) in [
        (with("action", json!("lkie")), "unknown-action", "is not an action of the site demo"),
        (with("item", json!("")), "invalid-item", "1 to 256 bytes"),
        (with("undo", json!(true)), "undo-not-possible", "not a reversible action"),
        (with("seq", json!(1)), "invalid-seq", "seq = 1 is not allowed: it orders what a known actor does"),
        (with("value", json!(1)), "invalid-value", "value = 1 is not allowed with like, whose values no board ranks; these sum: articles"),
        (with("at", json!("2026-11-20T12:00:01Z")), "at-in-future", "later than Redis's clock"),
        (json!({ "action": "say", "item": "a", "ago": 1e10 }), "too-old", "no window keeps the period"),
    ] {
        reported(&event, 400, code, detail);
    }
    for item in ["a", "b", "c"] {
        assert_eq!(body(&world.events(&like(item)))["accepted"], 1);
    }
    let named = with("id", json!("x"));
    for (accepted, duplicate) in [(1, 0), (0, 1)] {
        let answer = world.events(&named);
        assert_eq!(answer.status(), 200, "a duplicate is no failure");
        assert_eq!(body(&answer), json!({ "accepted": accepted, "duplicate": duplicate, "rejected": [] }));
    }
    reported(&like("d"), 409, "board-full", "max_members already");
}

/// A token that stands in a wrong field, or is none, is in no answer and in no line of the log.
#[test]
fn tokens_of_actors_are_not_shown() {
    const SHOWN: &str = "v1.1795176000.dTc.M2gvcGJ4nt7lnk6b";
    let world = World::noon();
    for body in [
        json!({ "token": [SHOWN], "action": "view", "item": "a" }),
        json!({ "token": { "token": SHOWN }, "events": [{ "action": "view", "item": "a" }] }),
        json!({ "action": "view", "item": "a", "actor": { "token": SHOWN } }),
        json!({ "action": SHOWN, "item": "a" }),
        json!({ "action": "view", "item": "a", SHOWN: 1 }),
        json!({ "events": [SHOWN] }),
    ] {
        let answer = world.beacon(&body);
        let logged = answer.extensions().get::<Logged>().expect("logged");
        assert_eq!(answer.status(), 400, "{body}");
        for text in [logged.detail.as_str(), &String::from_utf8_lossy(answer.body())] {
            assert!(text.contains("(not shown)") && !text.contains("dTc"), "{text}");
        }
    }
}

/// An action that counts for actors alone needs no item, and who did it is what is missing.
#[test]
fn a_missing_actor_is_not_called_a_missing_item() {
    let mut world = World::noon();
    let site = json!({
        "actions": { "follow": { "public": true }, "view": { "public": true } },
        "boards": {
            "people": { "members": "actors", "weights": { "follow": 1 }, "windows": ["day"] },
            "articles": { "weights": { "view": 1 }, "windows": ["day"] },
        },
    });
    let config = Config::read([("SITES".into(), json!({ "demo": site }))], |_| true).expect("valid");
    world.app = App { config: Rc::new(config), ..world.app };
    let follow = json!({ "action": "follow" });
    let message = "actor is missing; allowed: text of 1 to 256 bytes of UTF-8 without control characters, other than . and .., since follow counts for actors alone";
    check(&world.events(&follow), 400, "invalid-actor", message);
    check(&world.beacon(&follow), 400, "invalid-actor", message);
    let named = json!({ "action": "follow", "actor": "u7" });
    let message = "actor = \"u7\" is not allowed; allowed: the actor of a valid token, since follow counts for actors alone";
    check(&world.beacon(&named), 400, "invalid-actor", message);
    assert_eq!(body(&world.events(&named))["accepted"], 1);
    check(&world.events(&json!({ "action": "view", "actor": "u7" })), 400, "invalid-item", "item is missing");
}

#[test]
fn which_worker_it_is() {
    let world = World::noon();
    let message = body(&world.get("/healthz"));
    assert_eq!(message, json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION"), "commit": "unknown" }));
}

/// After twenty wrong tokens of an address in a minute none of its tokens is looked at; the log has one line.
#[test]
fn tokens_cannot_be_tried_out() {
    let world = World::noon();
    let show = |token: &str, address: &'static str| {
        let request = with(post("/v1/demo/events", &json!({ "events": [1] })), "authorization", &format!("Bearer {token}"));
        world.answer(with(request, "cf-connecting-ip", address))
    };
    let mut logged = Vec::new();
    for i in 0..20 {
        let answer = show(&format!("guess-{i}"), "192.0.2.1");
        check(&answer, 401, "unauthorized", "WRITE_TOKEN");
        logged.extend(answer.extensions().get::<Logged>().map(|logged| (logged.level, logged.detail.clone())));
    }
    let detail = "a token is not the WRITE_TOKEN of the site demo; no more are logged for a minute".to_owned();
    assert_eq!(logged, [(Level::Warn, detail)]);
    world.runtime.pass_ms(10_000);
    for token in ["guess", TOKEN] {
        let answer = show(token, "192.0.2.1");
        check(&answer, 429, "too-many-attempts", "wait");
        assert_eq!(header(&answer, "retry-after"), "50");
    }
    assert_eq!(show(TOKEN, "192.0.2.2").status(), 200, "others are let in");
    check(&world.answer(post("/v1/demo/events", &json!({ "events": [] }))), 401, "unauthorized", "send");
    world.runtime.pass_ms(50_000);
    assert_eq!(show(TOKEN, "192.0.2.1").status(), 200);
}

/// Nothing of what Redis or the runtime said reaches the client.
#[test]
fn redis_is_out() {
    let world = World::noon();
    world.runtime.set_out(true);
    for answer in [
        world.get("/readyz"),
        world.get("/v1/demo/boards/articles/day"),
        world.get("/v1/demo/beacon.gif?action=view&item=a"),
        world.beacon(&json!({ "action": "view", "item": "a" })),
        world.events(&json!({ "action": "view", "item": "a" })),
    ] {
        check(&answer, 503, "redis-unavailable", "nothing was written");
        assert_eq!(header(&answer, "retry-after"), "1");
        assert!(!String::from_utf8_lossy(answer.body()).contains("hidden"));
        let logged = answer.extensions().get::<Logged>().expect("logged");
        assert_eq!((logged.code, logged.detail.as_str()), ("redis-unavailable", "connect: hidden detail"));
    }
    assert_eq!(world.get("/healthz").status(), 200);
    assert_eq!(world.get("/v1/demo/boards").status(), 200);
}
