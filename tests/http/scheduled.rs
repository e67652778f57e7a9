//! The scheduled run: no job takes the time of those after it, and no board that of the others.

use std::rc::Rc;

use admin::app::Admin;
use ranking::token::Tokens;
use serde_json::json;
use serve::app::App;
use serve::config::Config;

use crate::world::{NOON_MS, World};

const BOARDS: usize = 250;
const HOUR_MS: i64 = 3_600_000;
const RUN_MS: u64 = 25_000;

/// Many boards with a rolling window and an archive, each with an event of three hours ago.
fn many_boards() -> World {
    let mut world = World::noon();
    let board = json!({ "weights": { "view": 1 }, "windows": ["hour", "last-3-hours"], "archive": true });
    // A variable has 5 KB at most.
    let some = (0..BOARDS).step_by(50).map(|from| {
        let boards: serde_json::Map<_, _> = (from..(from + 50)).map(|i| (format!("b{i}"), board.clone())).collect();
        (format!("SITES_{from}"), json!({ "demo": { "boards": boards } }))
    });
    let site = ("SITES".into(), json!({ "demo": { "origins": ["https://blog.example"], "actions": { "view": {} } } }));
    let config = Config::read(some.chain([site]), |_| true).expect("a valid configuration");
    world.app = App { config: Rc::new(config), ..world.app };
    world.runtime.begin_bucket();
    world.events(&json!({ "events": [{ "action": "view", "item": "/a" }] }));
    world.server.clock.set(NOON_MS + 3 * HOUR_MS);
    world.runtime.set_clock_ms(u64::try_from(NOON_MS + 3 * HOUR_MS).expect("since 1970"));
    world.runtime.set_latency_ms(40);
    world.runtime.take_sent();
    world
}

/// A run of the next minute; answers what it took and what it sent.
fn run(world: &World) -> (u64, String) {
    let (tokens, began_ms) = (Tokens::default(), world.runtime.now_ms());
    world.runtime.run(vec![Box::pin(async {
        let _: bool = Admin(&world.app).run_scheduled(&tokens, began_ms + RUN_MS).await;
    })]);
    let took_ms = world.runtime.now_ms() - began_ms;
    world.runtime.set_clock_ms(began_ms + 60_000);
    (took_ms, world.runtime.take_sent().join(", "))
}

#[test]
fn jobs_after_one_with_much_to_do_have_their_share() {
    let world = many_boards();
    let (took_ms, sent) = run(&world);
    assert!(took_ms <= RUN_MS + 2_000, "{took_ms} ms");
    assert!(sent.contains("FCALL upkeep") && sent.contains("FCALL archive"), "{sent}");
}

/// Else upkeep would take a section's board for one that is lost.
#[test]
fn a_site_whose_sections_cannot_be_read_waits_alone() {
    let mut world = World::noon();
    let board = |more: &serde_json::Value| {
        let mut board = json!({ "weights": { "view": 1 }, "windows": ["last-3-hours"] });
        board.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        json!({ "origins": ["https://blog.example"], "actions": { "view": {} }, "boards": { "b": board } })
    };
    let sites = json!({ "blog": board(&json!({ "sections": "category" })), "demo": board(&json!({})) });
    let config = Config::read([("SITES".into(), sites)], |_| true).expect("a valid configuration");
    world.app = App { config: Rc::new(config), ..world.app };
    world.events(&json!({ "events": [{ "action": "view", "item": "/a" }] }));
    world.server.clock.set(NOON_MS + 3 * HOUR_MS);
    world.runtime.set_clock_ms(u64::try_from(NOON_MS + 3 * HOUR_MS).expect("since 1970"));
    world.server.command(&["SET", "eb:{blog}:sections", "no sorted set"]);
    world.runtime.take_log();
    run(&world);
    let lines: Vec<String> = world.runtime.take_log().iter().map(|line| line["detail"].as_str().unwrap_or_default().to_owned()).collect();
    assert!(lines.iter().any(|line| line.starts_with("sections of blog: ")), "{lines:?}");
    assert!(world.server.text(&["HGET", "eb:{demo:b}:state", "window:last-3-hours"]).starts_with("whole"));
}

#[test]
fn every_board_has_its_turn() {
    let world = many_boards();
    let is_whole = |i: usize| world.server.text(&["HGET", &format!("eb:{{demo:b{i}}}:state"), "window:last-3-hours"]).starts_with("whole");
    let runs = (1..12).find(|_| {
        run(&world);
        (0..BOARDS).all(is_whole)
    });
    assert!(runs.is_some(), "some boards are never looked at");
}
