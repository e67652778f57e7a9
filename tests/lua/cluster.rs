//! A board's keys share a hash tag, so the scripts run on a cluster as well.

use ranking::counting::Outcome;
use ranking::name::Id;
use ranking::window::{Unit, Window};

use crate::call::{Call, NOON_MS, NOON_S, connect, page, period_ref, store};
use crate::periods::{now, record, site};
use crate::support::{Server, TzZones};

#[test]
fn every_key_of_a_board_carries_its_tag() {
    let server = Server::start_at(NOON_MS);
    let call = Call::record("UTC", NOON_S).set("max_members", "1");
    call.clone().set("batch_id", "x").event(["a", "1", "", ""]).outcomes(&connect(&server));
    call.event(["a", "1", "86400000", "y"]).event(["b", "1", "", "z"]).outcomes(&connect(&server));
    let keys = server.keys("*");
    assert!(keys.iter().any(|key| key.contains(":ids:")) && keys.iter().any(|key| key.ends_with(":refused")));
    for key in keys {
        assert!(key.starts_with("eb:{site:board}:"), "{key}");
    }
}

/// A cluster refuses a script that touches keys of two slots.
#[test]
fn the_scripts_run_on_a_cluster() {
    let server = Server::start_cluster(NOON_MS);
    let (config, zones, connection) = (site("Asia/Shanghai", "04:00", "monday"), TzZones::default(), connect(&server));
    let site = &config.sites["site"];
    let member = Id::new("{x}").expect("valid");
    assert_eq!(record(&connection, &zones, site, NOON_S, &[now(site, &member)]), [Outcome::Counted]);
    for unit in Unit::EACH {
        let window = Window::parse(unit.name()).expect("a window");
        let page = page(&store(&connection, &zones, NOON_S), site, period_ref(site, "board", &window, None), [0, 10]);
        assert_eq!(page.entries.len(), 1, "{unit:?}");
    }
}
