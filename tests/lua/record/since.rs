//! Since when a target counts its units and decaying windows.

use super::utc;
use crate::call::{Call, DAY_S, NOON_MS, NOON_S, connect, retention};
use crate::support::Server;

const HOT: &str = "hot:half-life:-:21600000:0";

/// Counts an event so many seconds after noon; answers what the state says then, with instants from noon on.
fn count(server: &Server, call: &Call, after_s: i64) -> String {
    server.clock.set(NOON_MS + after_s * 1000);
    call.clone().tracked(["a", "1", "", "", "view"]).outcomes(&connect(server));
    let message = server.text(&["HGET", "eb:{site:board}:state", "since"]);
    let instant = |at: &str| at.parse::<i64>().expect("seconds");
    let relative = message.split(' ').filter_map(|entry| entry.split_once('=')).map(|(name, at)| match instant(at) {
        0 => format!("{name} unknown"),
        at => format!("{name} {}", at - NOON_S),
    });
    relative.collect::<Vec<_>>().join(", ")
}

#[test]
fn what_is_counted_is_known_since_its_first_event() {
    let server = Server::start_at(NOON_MS);
    let with =
        |units: &str, kept: &str, decaying: &str| utc().set("units", units).set("retention", &retention(kept)).set("decaying", decaying);
    let call = with("hd", "3600 864000", "");
    assert_eq!(count(&server, &call, 0), "h 0, d 0");
    assert_eq!(count(&server, &call, 60), "h 0, d 0");
    // What comes later counts since then; what goes is forgotten, whether an event comes alone or in a batch, or has indexes.
    assert_eq!(count(&server, &with("hdw", "3600 864000 0", HOT), 120), format!("h 0, d 0, w 120, {HOT} 120"));
    assert_eq!(count(&server, &with("dw", "864000 0", HOT).event(["b", "1", "", ""]), 180), format!("d 0, w 120, {HOT} 120"));
    assert_eq!(count(&server, &with("hdw", "3600 864000 0", HOT).set("options", "first"), 240), format!("h 240, d 0, w 120, {HOT} 120"));
    // A window of the same name that decays otherwise is another one.
    let other = "hot:half-life:-:3600000:0";
    assert_eq!(count(&server, &with("hdw", "3600 864000 0", other), 300), format!("h 240, d 0, w 120, {other} 300"));
    // What a shorter retention dropped is not there.
    let later_s = 100 * DAY_S;
    let expected = format!("h {}, d {}, w 120", later_s - 3600, later_s - 10 * DAY_S);
    assert_eq!(count(&server, &with("hdw", "7200 0 0", ""), later_s), expected);
    assert_eq!(count(&server, &with("hdw", "3600 864000 0", ""), later_s + 60), expected);
}

#[test]
fn what_was_counted_before_is_not_known() {
    let server = Server::start_at(NOON_MS);
    let call = utc().set("units", "da").set("retention", &retention("864000 0"));
    let more = |call: &Call| call.clone().set("units", "dwa").set("retention", &retention("864000 0 0"));
    for lost in [&["DEL", "eb:{site:board}:state"][..], &["HDEL", "eb:{site:board}:state", "counts", "since"]] {
        server.command(&["FLUSHALL"]);
        assert_eq!(count(&server, &call, 0), "d 0, a 0");
        server.command(lost);
        assert_eq!(count(&server, &call, 60), "d unknown, a unknown", "{lost:?}");
        assert_eq!(count(&server, &more(&call), 120), "d unknown, w 120, a unknown", "{lost:?}");
    }
    // Boards that only decay, and the activity log, which has counts by action alone.
    for call in [
        utc().set("units", "").set("retention", "").set("decaying", HOT),
        utc().set("units", "d").set("retention", &retention("864000")).set("options", "activity-log actions"),
    ] {
        server.command(&["FLUSHALL"]);
        assert!(count(&server, &call, 0).ends_with(" 0"));
        server.command(&["DEL", "eb:{site:board}:state"]);
        assert!(count(&server, &call, 60).ends_with(" unknown"));
    }
}
