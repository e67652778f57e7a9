//! What a state does not know: it was lost, or a window was not configured for a while.

use serde_json::{Value as Json, json};

use super::{BOARD, DAY_MS, Deployment, SECOND_MS, check, check_all, repair, site, view};
use crate::call::{BOARD as KEYS, NOON_MS};

fn lose_state(deployment: &Deployment) {
    deployment.server.command(&["DEL", &format!("{KEYS}:state")]);
}

/// A clock was ahead and left boards of a later time; then the state was lost. Marks of before mean nothing any more, so these
/// boards are not taken for whole when their time has come.
#[test]
fn boards_of_a_clock_that_was_ahead() {
    let deployment = Deployment::start(&site("UTC"), NOON_MS);
    let ahead_ms = 400 * DAY_MS;
    let day = |number: i64, member: &str| {
        deployment.server.clock.set(NOON_MS + number * DAY_MS);
        deployment.put(&[view(member, 0)]);
        check_all(&deployment, &format!("a view on day {number}"));
    };
    day(0, "first");
    deployment.upkeep(BOARD);
    deployment.server.clock.set(NOON_MS + ahead_ms);
    deployment.put(&[view("ahead", 0)]);
    repair(&deployment, "the clock is ahead");
    deployment.upkeep(BOARD);
    deployment.server.clock.set(NOON_MS + 3 * SECOND_MS);
    deployment.put(&[view("back", 0)]);
    repair(&deployment, "the clock is back");
    deployment.upkeep(BOARD);

    lose_state(&deployment);
    check_all(&deployment, "the state is lost");
    for number in 395..402 {
        day(number, &format!("of day {number}"));
        repair(&deployment, &format!("day {number}"));
        deployment.upkeep(BOARD);
    }
}

/// A window that was not configured for a while missed what was counted then. It is repaired, however it was before.
#[test]
fn a_window_that_comes_back() {
    let mut few = site("UTC");
    few["boards"][BOARD]["windows"] = json!(["hour", "day", "week", "month", "year"]);
    for (is_alone, chunks) in [(true, 100), (false, 100), (true, 1)] {
        let mut deployment = Deployment::start(&site("UTC"), NOON_MS);
        let views: Vec<Json> = (0..60).map(|i| view(i, i % 4 * DAY_MS)).collect();
        deployment.put(&views);
        deployment.advance(3 * DAY_MS);
        deployment.put(&views);
        // To its end, or into the middle of it.
        for _ in 0..chunks {
            for (window, ..) in deployment.rolling(BOARD) {
                deployment.chunk(BOARD, &window, 10);
            }
        }
        deployment.configure(&few);
        deployment.put(&[view("meanwhile", 0)]);
        deployment.configure(&site("UTC"));
        deployment.put(if is_alone { &views[..1] } else { &views[..2] });
        for window in deployment.rolling(BOARD) {
            assert!(!check(&deployment, &window, "it came back"), "{} is said to be complete", window.0);
        }
        repair(&deployment, "it came back");
        deployment.upkeep(BOARD);
        deployment.advance(DAY_MS);
        check_all(&deployment, "the day after");
    }
}
