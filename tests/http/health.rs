//! `GET /readyz` says whether Redis can count, not only that it answers.

use admin::api::Logged;
use serde_json::json;

use crate::support::node;
use crate::world::{World, body};

/// Not ready; the log says why, and the answer does not.
#[track_caller]
fn check_not_ready(world: &World, why: &str) {
    world.runtime.pass_ms(1_000);
    let answer = world.get("/readyz");
    assert_eq!((answer.status().as_u16(), &body(&answer)["code"]), (503, &json!("redis-unavailable")), "{why}");
    let logged = answer.extensions().get::<Logged>().expect("logged");
    assert!(logged.detail.contains(why), "{}", logged.detail);
    assert!(!String::from_utf8_lossy(answer.body()).contains(why));
}

/// Ready, once the clocks agree: this edge's is a day off.
#[track_caller]
fn check_ready(world: &World) {
    world.runtime.pass_ms(1_000);
    world.server.clock.set(i64::try_from(world.runtime.now_ms()).expect("an instant of these centuries"));
    let answer = world.get("/readyz");
    assert_eq!((answer.status().as_u16(), body(&answer)), (200, json!({ "status": "ready" })));
}

#[test]
fn ready_is_who_can_write() {
    let world = World::noon();
    let command = |words: &[&str]| world.server.command(words);
    check_ready(&world);
    assert_eq!(world.runtime.take_sent(), ["FCALL ready"; 2], "the first call of a library does not show whether calls are counted");
    check_ready(&world);
    assert_eq!(world.runtime.take_sent(), ["FCALL ready"], "one round trip");
    assert_eq!(world.server.keys("*"), ["eb:ready"]);
    assert_eq!(world.server.number(&["TTL", "eb:ready"]), 10);

    command(&["CONFIG", "SET", "maxmemory", "1"]);
    check_not_ready(&world, "OOM");
    command(&["CONFIG", "SET", "maxmemory", "0"]);
    check_ready(&world);

    command(&["REPLICAOF", "127.0.0.1", &node::free_port().to_string()]);
    check_not_ready(&world, "READONLY");
    command(&["REPLICAOF", "NO", "ONE"]);
    check_ready(&world);

    command(&["CONFIG", "SET", "min-replicas-to-write", "1"]);
    check_not_ready(&world, "NOREPLICAS");
    command(&["CONFIG", "SET", "min-replicas-to-write", "0"]);

    for right in ["time", "set"] {
        command(&["ACL", "SETUSER", "default", &format!("-{right}")]);
        check_not_ready(&world, "run th");
        command(&["ACL", "SETUSER", "default", &format!("+{right}")]);
    }
    command(&["ACL", "SETUSER", "default", "resetkeys", "~other:*"]);
    check_not_ready(&world, "keys");
    command(&["ACL", "SETUSER", "default", "allkeys"]);
    check_ready(&world);
}

/// A user without the right to functions runs scripts, and is not asked what functions keep.
#[test]
fn without_functions_scripts_are_run() {
    let world = World::noon();
    check_ready(&world);
    world.server.command(&["ACL", "SETUSER", "default", "-fcall"]);
    for _ in 0..2 {
        world.runtime.pass_ms(1_000);
        world.runtime.take_sent();
        let answer = world.get("/readyz");
        assert_eq!((answer.status().as_u16(), body(&answer)), (200, json!({ "status": "ready", "functions": false })));
    }
    assert_eq!(world.runtime.take_sent(), ["EVALSHA ready"]);
    world.server.command(&["ACL", "SETUSER", "default", "-evalsha"]);
    check_not_ready(&world, "run th");
}

/// A Redis that drops keys can count, and says so; what it says is in the log once an hour.
#[test]
fn a_policy_that_drops_keys_is_reported() {
    let world = World::noon();
    let lines = || world.runtime.take_log().iter().filter(|line| line["code"] == "maxmemory-policy").cloned().collect::<Vec<_>>();
    check_ready(&world);
    assert!(lines().is_empty());
    world.server.command(&["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"]);
    for _ in 0..3 {
        world.runtime.pass_ms(1_000);
        let answer = world.get("/readyz");
        assert_eq!((answer.status().as_u16(), body(&answer)), (200, json!({ "status": "ready", "maxmemory_policy": "allkeys-lru" })));
    }
    let detail = "maxmemory-policy = \"allkeys-lru\" lets Redis drop what was counted; allowed: \"noeviction\"";
    assert_eq!(lines(), [json!({ "level": "error", "code": "maxmemory-policy", "detail": detail })]);
    world.runtime.pass_ms(3_600_000);
    world.get("/readyz");
    assert_eq!(lines().len(), 1);
    // A user without the right to ask is not answered, and can count.
    world.server.command(&["ACL", "SETUSER", "default", "-info"]);
    check_ready(&world);
}

/// Events count, and nothing is copied.
#[test]
fn clocks_that_differ_are_reported() {
    let world = World::noon();
    let answer = world.get("/readyz");
    let reported = body(&answer);
    assert_eq!((answer.status().as_u16(), &reported["status"]), (200, &json!("clock-differs")));
    assert!(reported["clocks"]["redis"].as_str() != reported["clocks"]["worker"].as_str());
    check_ready(&world);
}

/// A server that lost its functions is given them.
#[test]
fn ready_again_after_a_restart() {
    let mut world = World::noon();
    check_ready(&world);
    world.server.restart();
    world.server.command(&["FUNCTION", "FLUSH"]);
    world.runtime.take_sent();
    check_ready(&world);
    assert_eq!(world.runtime.take_sent(), ["FCALL ready", "FUNCTION LOAD", "FCALL ready", "FCALL ready"]);
}

/// Whatever was found, Redis is asked about once a second.
#[test]
fn many_who_ask_are_one() {
    let world = World::noon();
    let ask = |count: usize| (0..count).map(|_| world.get("/readyz").status().as_u16()).collect::<Vec<_>>();
    assert_eq!(ask(1), [200]);
    world.runtime.pass_ms(1_000);
    world.runtime.take_sent();
    assert_eq!(ask(100), [200; 100]);
    world.runtime.set_out(true);
    world.runtime.pass_ms(999);
    assert_eq!(ask(1), [200]);
    assert_eq!(world.runtime.take_sent().len(), 1);
    world.runtime.pass_ms(1);
    assert_eq!(ask(100), [503; 100]);
    assert_eq!(world.runtime.take_sent().len(), 1);
}
