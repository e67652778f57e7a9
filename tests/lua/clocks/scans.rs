//! Scans of upkeep: beside writers, over restarts and failovers.

use edgeboard::ranking::window::Unit;
use serde_json::{Value as Json, json};

use super::{BOARD, DAY_MS, Deployment, check, check_all, repair, site, view};
use crate::call::NOON_MS;
use crate::support::Server;
use crate::support::clock::until;

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
            let replica = Server::start_with(deployment.now_ms(), &["--enable-debug-command", "yes"]);
            deployment.server.command(&["CONFIG", "SET", "repl-diskless-sync-delay", "0"]);
            let port = deployment.server.address().port.to_string();
            replica.command(&["REPLICAOF", "127.0.0.1", &port]);
            until("the replica has it all", || replica.text(&["INFO", "replication"]).contains("master_link_status:up").then_some(()));
            replica.command(&["REPLICAOF", "NO", "ONE"]);
            deployment.take_over(replica);
            deployment.put(&[view("failed-over", 0)]);
            check_all(&deployment, "a failover");
        }
        repair(&deployment, "failovers");
    }
}
