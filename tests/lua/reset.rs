//! Resets: what random batches do not show. Those are in `batches` and `values`.

use std::collections::BTreeSet;

use serde_json::json;

use crate::call::NOON_MS;
use crate::deployment::{BOARD, Deployment, Held};

/// Who has nothing any more is marked for who hands totals on.
#[test]
fn members_that_go_are_marked() {
    let site = json!({ "actions": { "view": {} }, "activity": false, "boards": { BOARD: {
        "weights": { "view": 1 }, "windows": ["day", "all"], "totals": [{ "window": "all", "to": "d1" }] } } });
    let deployment = Deployment::start(&site, NOON_MS);
    deployment.put(&(0..1500).map(|i| json!({ "action": "view", "item": format!("i{i}") })).collect::<Vec<_>>());
    let key = "eb:{site:board}:changed:all";
    let marked = || match deployment.contents().remove(key).map(|key| key.held) {
        Some(Held::Set(members)) => members.into_iter().collect::<BTreeSet<_>>(),
        _ => BTreeSet::new(),
    };
    let all = marked();
    assert_eq!(all.len(), 1500);
    deployment.server.command(&["DEL", key]);
    deployment.reset(BOARD, Some("day"));
    assert!(marked().is_empty(), "those of the day are not handed on");
    deployment.reset(BOARD, None);
    assert_eq!(marked(), all);
}
