//! Scans of upkeep: vanished boards one by one, restarts and failovers in mid-scan, a lock under a clock that steps back.

use ranking::window::Unit;
use serde_json::{Value as Json, json};

use super::{BOARD, DAY_MS, Deployment, HOUR_MS, SECOND_MS, check, check_all, repair, rolling_keys, site, view};
use crate::call::NOON_MS;

/// Seven hundred members over ten days, so that sets are scanned by cursors.
fn crowd(deployment: &Deployment) {
    deployment.server.command(&["FLUSHALL"]);
    deployment.server.clock.set(NOON_MS);
    let views: Vec<Json> = (0..1400_i64).map(|i| view(i % 700, i % 10 * DAY_MS)).collect();
    deployment.put(&views);
}

fn last_3_days() -> (String, Unit, u32) {
    ("last-3-days".into(), Unit::Day, 3)
}

/// Each rolling and each base board that a window is made of, dropped by itself: noticed, announced, repaired.
#[test]
fn every_board_that_vanishes_is_noticed() {
    let deployment = Deployment::start(&site("Europe/London"), NOON_MS);
    let fill = || {
        deployment.server.command(&["FLUSHALL"]);
        deployment.server.clock.set(NOON_MS);
        let views: Vec<Json> = (0..90).map(|i| view(i % 30, (i % 9) * DAY_MS + (i % 2) * HOUR_MS)).collect();
        deployment.put(&views);
        repair(&deployment, "the beginning");
        deployment.upkeep(BOARD);
    };
    fill();
    let contents = deployment.contents();
    let mut keys = rolling_keys(&contents);
    let windows = deployment.rolling(BOARD);
    for (window, unit, length) in &windows {
        let number = deployment.read(BOARD, window, None).info.period.number;
        let bases = (number - i64::from(*length) + 1..=number).map(|number| super::base_key(*unit, number));
        keys.extend(bases.filter(|key| contents.contains_key(key)));
    }
    keys.sort();
    keys.dedup();
    assert!(keys.len() >= 14, "{keys:?}");
    for key in keys {
        for event in [None, Some(view(3, 0)), Some(view("new", 0)), Some(view(3, DAY_MS)), Some(view("new", 2 * DAY_MS))] {
            for together in [false, true] {
                fill();
                deployment.server.command(&["DEL", &key]);
                let what = format!("{key} and {event:?} (in a batch: {together})");
                let concerned = |(window, unit, length): &(String, Unit, u32)| {
                    let number = deployment.read(BOARD, window, None).info.period.number;
                    let current = format!("eb:{{site:{BOARD}}}:window:{window}:{number}");
                    key == current || (0..i64::from(*length)).any(|back| super::base_key(*unit, number - back) == key)
                };
                if event.is_none() {
                    for window in windows.iter().filter(|window| concerned(window)) {
                        assert!(!check(&deployment, window, &what), "{what}: {} is said to be complete", window.0);
                    }
                }
                if let Some(event) = &event {
                    let more = if together { vec![event.clone(), view(4, 0)] } else { vec![event.clone()] };
                    deployment.put(&more);
                }
                check_all(&deployment, &what);
                repair(&deployment, &what);
                deployment.advance(DAY_MS);
                check_all(&deployment, &format!("the day after {what}"));
            }
        }
    }
}

/// What is written while a scan goes on, and members that come and go, are in no chunk's way.
#[test]
fn scans_beside_writers() {
    let deployment = Deployment::start(&site("UTC"), NOON_MS);
    crowd(&deployment);
    for turn in 0..60_i64 {
        for (window, ..) in deployment.rolling(BOARD) {
            deployment.chunk(BOARD, &window, 90);
        }
        deployment.put(&[view(turn * 11 % 700, 0)]);
        deployment.put(&[view(format!("n{turn}"), turn % 4 * DAY_MS), view(turn * 13 % 700, DAY_MS)]);
        let back = |item: String| json!({ "action": "back", "item": item, "ago": DAY_MS });
        deployment.put(&[back(format!("m{}", turn * 17 % 700)), back(format!("mn{}", turn / 2))]);
        check_all(&deployment, &format!("turn {turn}"));
    }
    repair(&deployment, "scans");
    deployment.upkeep(BOARD);
    deployment.advance(DAY_MS);
    check_all(&deployment, "the next day");
}

/// A cursor means nothing to another process: a restart in mid-scan misses nobody.
#[test]
fn a_restart_in_mid_scan_misses_nobody() {
    let mut deployment = Deployment::start(&site("UTC"), NOON_MS);
    for preparing in [false, true] {
        crowd(&deployment);
        if preparing {
            repair(&deployment, "the beginning");
        }
        for _ in 0..6 {
            deployment.chunk(BOARD, &last_3_days().0, 400);
            deployment.restart();
            deployment.put(&[view("restarted", 0)]);
            check_all(&deployment, "a restart");
        }
        repair(&deployment, "restarts");
        deployment.upkeep(BOARD);
        deployment.advance(DAY_MS);
        assert!(check(&deployment, &last_3_days(), "the next day"), "what was prepared over restarts is whole (preparing: {preparing})");
    }
}

/// Nor does a failover to a replica.
#[test]
fn a_failover_in_mid_scan_misses_nobody() {
    for preparing in [false, true] {
        let mut deployment = Deployment::start(&site("UTC"), NOON_MS);
        crowd(&deployment);
        if preparing {
            repair(&deployment, "the beginning");
        }
        for _ in 0..3 {
            deployment.chunk(BOARD, &last_3_days().0, 400);
            deployment.server.part();
            deployment.fail_over();
            deployment.put(&[view("failed-over", 0)]);
            check_all(&deployment, "a failover");
        }
        repair(&deployment, "failovers");
    }
}

/// A chunk of another owner is not kept out for longer than the lock is meant to last, whatever the clock does.
#[test]
fn a_lock_does_not_outlive_a_step_back() {
    let deployment = Deployment::start(&site("UTC"), NOON_MS);
    crowd(&deployment);
    let (window, ..) = last_3_days();
    let chunk = |owner: &str| deployment.try_chunk(BOARD, &window, owner, 50).is_some();
    for step_ms in [5 * SECOND_MS, HOUR_MS, DAY_MS, 40 * DAY_MS] {
        assert!(chunk("one"), "{step_ms}");
        assert!(!chunk("two"), "{step_ms}: one has the lock");
        deployment.advance(-step_ms);
        chunk("two");
        deployment.advance(4 * SECOND_MS);
        assert!(chunk("two"), "{step_ms}: the lock is over");
        deployment.advance(4 * SECOND_MS);
    }
}
