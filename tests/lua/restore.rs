//! Restoring a period of the archive, where its board's options change meanwhile.

use engine::store::archive::Member;
use engine::store::restore::{Outcome, Remembered, Restored, Step};
use ranking::name::Id;
use ranking::period::Period;
use ranking::score::Score;
use ranking::window::Unit;
use serde_json::{Value as Json, json};

use crate::call::NOON_MS;
use crate::deployment::{BOARD, Deployment};

fn site(board: Json) -> Json {
    let mut all = json!({ "weights": { "view": 1 }, "windows": ["day", "all"] });
    all.as_object_mut().expect("an object").extend(board.as_object().expect("an object").clone());
    json!({ "actions": { "view": {} }, "activity": false, "boards": { BOARD: all } })
}

/// The day before is restored in two steps and a third one. Before each the options are these.
fn restored(options: [Json; 3]) -> Vec<String> {
    let mut deployment = Deployment::start(&site(json!({})), NOON_MS);
    deployment.server.command(&["HSET", "eb:{site:board}:archive", "owner", "test"]);
    let day = NOON_MS / 86_400_000 - 1;
    let of = Restored {
        period: Period { unit: Unit::Day, number: day },
        is_closed: true,
        starts_at: day * 86_400,
        kept_until: day * 86_400 + 5_000_000,
    };
    let members = |ids: [&str; 2]| ids.map(|id| Member { id: Id::new(id).expect("an id"), score: Score::ONE, tally: String::new() });
    let (first, last) = (members(["/b", "/a"]), members(["/d", "/c"]));
    let steps = [
        Step::Add { members: &first, added: 0, total: 4 },
        Step::Add { members: &last, added: 2, total: 4 },
        Step::Put { note: "note", noted: "1", total: 4 },
    ];
    for ((step, options), [before, after]) in steps.into_iter().zip(options).zip([["", "1"], ["1", "2"], ["2", ""]]) {
        deployment.configure(&site(options));
        let (store, remembered) = (deployment.store(), Remembered { owner: "test", before, after });
        let done = pollster::block_on(store.restore(deployment.site(), &deployment.site().boards[BOARD], of, step, remembered));
        assert_eq!(done.expect("redis answers"), Outcome::Done(0));
    }
    deployment.put(&[json!({ "action": "view", "item": "/late", "ago": 86_400_000 })]);
    deployment.read(BOARD, "day", Some(day)).entries.into_iter().map(|entry| entry.id.as_str().to_owned()).collect()
}

#[test]
fn a_change_of_ties_hides_nobody_who_is_restored() {
    let (none, first, last) = (json!({}), json!({ "ties": "first" }), json!({ "ties": "last" }));
    assert_eq!(restored([first.clone(), first.clone(), first.clone()]), ["/b", "/a", "/d", "/c", "/late"]);
    let by_id = ["/late", "/d", "/c", "/b", "/a"];
    assert_eq!(restored([none.clone(), first.clone(), first.clone()]), by_id);
    assert_eq!(restored([last.clone(), first.clone(), first.clone()]), by_id);
    assert_eq!(restored([first.clone(), first.clone(), last]), by_id);
    assert_eq!(restored([first.clone(), first, none]), by_id);
}
