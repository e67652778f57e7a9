//! Meeting all members of a window, some at a time, while they change.

use std::collections::BTreeMap;

use engine::store::members::Met;
use ranking::read::PeriodRef;
use serde_json::{Value as Json, json};

use crate::call::NOON_MS;
use crate::deployment::{BOARD, Deployment};

const MEMBERS: usize = 600;
const DAY_MS: i64 = 86_400_000;

fn site(ties: bool) -> Json {
    let mut board = json!({ "weights": { "view": 1, "down": -1 }, "windows": ["day", "last-3-days"], "min_score": 2 });
    if ties {
        (board["ties"], board["ranking"]) = (json!("first"), json!("dense"));
    }
    json!({ "actions": { "view": {}, "down": {} }, "boards": { BOARD: board }, "activity": false })
}

fn name(i: usize) -> String {
    format!("m{i:03}")
}

/// Member `i` has `1 + i % 5` views, so a fifth of them is not shown.
fn start(ties: bool) -> Deployment {
    let deployment = Deployment::start(&site(ties), NOON_MS);
    let views = (0..MEMBERS).flat_map(|i| (0..=i % 5).map(move |_| json!({ "action": "view", "item": name(i) })));
    deployment.put(&views.collect::<Vec<_>>());
    deployment.upkeep(BOARD);
    deployment
}

fn meet(deployment: &Deployment, window: &str, place: &str) -> Option<Met> {
    let (site, window) = (deployment.site(), deployment.window(BOARD, window).clone());
    let of = PeriodRef { board: site.boards[BOARD].clone(), window, period: None, hour_starts_at: None };
    pollster::block_on(deployment.store().members(site, &of, place, 50)).expect("redis answers")
}

/// Scores and orders by member, of all who are met; `meanwhile` is called after each call.
fn meet_all(deployment: &Deployment, window: &str, meanwhile: impl Fn(usize)) -> BTreeMap<String, (f64, f64)> {
    let (mut met, mut place) = (BTreeMap::new(), String::new());
    for calls in 1.. {
        let some = meet(deployment, window, &place).expect("the place holds");
        met.extend(some.members.iter().map(|member| (member.id.as_str().to_owned(), (member.score.value(), member.order.value()))));
        meanwhile(calls);
        let Some(next) = some.place else {
            assert!(calls >= MEMBERS / 100, "{calls} calls are not many");
            break;
        };
        place = next;
    }
    met
}

#[test]
fn everybody_who_stays_is_met_while_scores_change() {
    for (ties, window) in [(false, "day"), (false, "last-3-days"), (true, "day"), (true, "last-3-days")] {
        let deployment = start(ties);
        let before = meet_all(&deployment, window, |_| ());
        let expected: BTreeMap<String, f64> =
            (0..MEMBERS).filter(|i| i % 5 > 0).map(|i| (name(i), f64::from(u32::try_from(1 + i % 5).expect("small")))).collect();
        assert_eq!(before.iter().map(|(id, (score, _))| (id.clone(), *score)).collect::<BTreeMap<_, _>>(), expected, "{ties} {window}");
        if ties {
            let mut orders: Vec<(f64, String)> = before.iter().map(|(id, (_, order))| (*order, id.clone())).collect();
            orders.sort_by(|one, other| other.0.total_cmp(&one.0));
            assert_eq!(orders[0].1, name(4), "the first one to have the most");
        }
        // Some rise to the top and some fall, past wherever the scan is; others come and go.
        let during = meet_all(&deployment, window, |calls| {
            let event = |action: &str, i: usize| json!({ "action": action, "item": name(i) });
            let moved =
                (0..20).flat_map(|i| [event("view", 1 + (calls * 35 + i * 5) % MEMBERS), event("down", 4 + (calls * 35 + i * 5) % 595)]);
            let others = (0..20).map(|i| json!({ "action": "view", "item": format!("new-{calls}-{i}") }));
            deployment.put(&moved.chain(others).collect::<Vec<_>>());
        });
        let after = meet_all(&deployment, window, |_| ());
        let stayed: Vec<&String> = before.keys().filter(|id| after.contains_key(*id)).collect();
        assert!(stayed.len() > MEMBERS / 2 && after.iter().any(|(id, (score, _))| before.get(id).is_some_and(|(was, _)| was < score)));
        for id in stayed {
            assert!(during.contains_key(id), "{ties} {window}: {id} was not met");
        }
    }
}

#[test]
fn a_place_is_of_one_server_and_one_period() {
    let mut deployment = start(false);
    let place = |deployment: &Deployment| meet(deployment, "day", "").expect("it begins").place.expect("more are left");
    let of_before = place(&deployment);
    assert!(meet(&deployment, "day", &of_before).is_some());
    assert!(meet(&deployment, "last-3-days", &of_before).is_none(), "another window");
    deployment.restart();
    assert!(meet(&deployment, "day", &of_before).is_none(), "another server");
    let of_now = place(&deployment);
    deployment.advance(DAY_MS);
    assert!(meet(&deployment, "day", &of_now).is_none(), "another day");
}

#[test]
fn tells_whether_anything_was_ever_counted() {
    let deployment = start(false);
    assert!(meet(&deployment, "day", "").expect("it begins").is_counted);
    deployment.reset(BOARD, None);
    let met = meet(&deployment, "day", "").expect("it begins");
    assert!(met.is_counted && met.members.is_empty(), "it was emptied by hand");
    deployment.server.command(&["FLUSHALL"]);
    deployment.upkeep(BOARD);
    assert!(!meet(&deployment, "day", "").expect("it begins").is_counted);
}
