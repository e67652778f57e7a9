//! States that are lost, alone and after a clock that was ahead.

use super::{BOARD, DAY_MS, Deployment, SECOND_MS, check_all, repair, site, view};
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
