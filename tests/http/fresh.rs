//! How long rankings are fresh: as long as their boards say.

use std::rc::Rc;

use edgeboard::app::App;
use edgeboard::config::Config;
use serde_json::json;

use crate::rankings::{ASKED, HIT, MISS, STALE, check, status, view};
use crate::world::World;

const CALM: &str = "/v1/demo/boards/calm/day";

/// `brisk` is as fresh as boards are by default, `calm` for longer.
fn noon() -> World {
    let mut world = World::noon();
    let board = |fresh: &str| json!({ "weights": { "view": 1 }, "windows": ["day"], "fresh": fresh });
    let site = json!({
        "origins": ["*"],
        "actions": { "view": { "public": true } },
        "boards": { "brisk": board("2s"), "calm": board("5s") },
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
