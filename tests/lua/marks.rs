//! Marks, members that no id can equal, planted in every sorted set: answers, ranks, ties, counts and expiries are unchanged.

use engine::store::curate::{Change, List};
use ranking::name::Id;
use ranking::period::Period;
use ranking::read::{Read, ReadRequest};
use serde_json::{Value as Json, json};

use crate::call::{NOON_MS, period_ref};
use crate::deployment::{BOARD, Deployment};

const DAY_MS: i64 = 86_400_000;
/// Members of the boards, so few that a mark which is counted would leave no room for the last one.
const MEMBERS: usize = 12;
/// Plants marks in every sorted set that has none of these names, and answers in how many.
const PLANT: &str = "
local sets = 0
for _, key in ipairs(redis.call('KEYS', '*')) do
  if redis.call('TYPE', key).ok == 'zset' then
    redis.call('ZADD', key, 'NX', '-inf', '\\0x', '-inf', '\\0\\0', '-inf', '\\0999', '-inf', '\\0\\255')
    sets = sets + 1
  end
end
return sets";

fn sites() -> [Json; 2] {
    let site = |board: Json| {
        json!({
            "timezone": "UTC",
            "activity": false,
            "actions": { "view": {}, "like": { "reversible": true }, "back": {} },
            "boards": { BOARD: board },
        })
    };
    let weights = json!({ "view": 1, "like": 3, "back": -2 });
    // Its scores depend on the hour only: two servers need not agree on the millisecond.
    let fading = json!({ "name": "fading", "kind": "step", "every": "hour", "factor": 0.5 });
    let windows = json!(["hour", "day", "week", "month", "year", "all", "last-2-hours", "last-3-days", fading]);
    let summed = json!(["day", "all", "last-3-days", "last-2-weeks"]);
    [
        site(json!({ "weights": weights, "windows": windows, "max_members": MEMBERS, "breakdown": true, "ranking": "competition" })),
        site(json!({ "weights": weights, "windows": summed, "max_members": MEMBERS, "ties": "last", "ranking": "dense" })),
    ]
}

/// One of two deployments with the same past; only one gets marks.
struct Twin(Deployment);

impl Twin {
    fn start(site: &Json) -> Self {
        let deployment = Deployment::start(site, NOON_MS);
        let twin = Self(deployment);
        twin.0.upkeep(BOARD);
        for day in 0..4_i64 {
            twin.0.server.clock.set(NOON_MS + day * DAY_MS);
            twin.views(0..MEMBERS - 1, day);
            twin.0.upkeep(BOARD);
        }
        for (list, member) in [(List::Hidden, "m1"), (List::Hidden, "m4"), (List::Pinned, "m2"), (List::Pinned, "m9")] {
            let id = Id::new(member).expect("an id");
            let put = twin.0.store();
            let put = put.curate(twin.0.site(), &twin.0.site().boards[BOARD], list, Change::Put(&id));
            assert!(pollster::block_on(put).expect("redis answers").is_some());
        }
        twin
    }

    /// Some views per member, so that there are ties; one is below zero.
    fn views(&self, members: std::ops::Range<usize>, turn: i64) {
        let times = |member: usize| 1 + (member + usize::try_from(turn).expect("small")) % 3;
        let views = members.flat_map(|member| vec![json!({ "action": "view", "item": format!("m{member}") }); times(member)]);
        self.0.put(&views.chain([json!({ "action": "back", "item": "m7" })]).collect::<Vec<_>>());
    }

    /// What anybody can ask of every window, without the instant.
    fn answers(&self) -> Vec<Json> {
        let (site, store) = (self.0.site(), self.0.store());
        let ids: Vec<Id> = (0..MEMBERS).map(|member| Id::new(&format!("m{member}")).expect("an id")).collect();
        let mut answers = Vec::new();
        for window in &site.boards[BOARD].windows {
            let current = self.0.read(BOARD, window.name.as_str(), None).info.period;
            let before = Period { number: current.number - 1, ..current };
            let before = window.period_unit().filter(|_| window.name.as_str() != "all").map(|_| before);
            for period in [None, before].into_iter().take(1 + usize::from(before.is_some())) {
                let of = || period_ref(site, BOARD, window, period);
                let member = |id: &Id| Read::Member { of: of(), id: id.clone(), around: 3 };
                let explain = |id: &Id| Read::Explain { of: of(), id: id.clone(), before: None };
                let pages = [(0, 5), (5, 100), (0, 1000)].map(|(offset, limit)| Read::Top { of: of(), offset, limit });
                let reads = pages.into_iter().chain([Read::Ranks { of: of(), ids: ids.clone(), among: false }]);
                for read in reads.chain(ids.iter().map(member)).chain(ids.iter().map(explain)) {
                    let request = ReadRequest { site: site.clone(), read, by: String::new() };
                    let reply = pollster::block_on(store.read(&request, &[])).expect("redis answers");
                    let json = reply.render(&request).expect("it has JSON").map(|(json, _)| json);
                    let mut json: Json = serde_json::from_slice(&json.unwrap_or(b"null".to_vec())).expect("JSON");
                    leave_out_instants(&mut json);
                    answers.push(json!([window.name.as_str(), format!("{period:?}"), json]));
                }
            }
        }
        answers
    }
}

/// Leaves out the instant.
fn leave_out_instants(json: &mut Json) {
    match json {
        Json::Object(fields) => {
            fields.retain(|name, _| name != "generated_at" && name != "version");
            fields.values_mut().for_each(leave_out_instants);
        }
        Json::Array(items) => items.iter_mut().for_each(leave_out_instants),
        _ => {}
    }
}

#[track_caller]
fn assert_alike(with: &Twin, without: &Twin, when: &str) {
    let (with, without) = (with.answers(), without.answers());
    assert_eq!(with.len(), without.len());
    for (one, other) in with.iter().zip(&without) {
        assert_eq!(one, other, "{when}");
    }
    assert!(with.len() > 100);
}

#[test]
fn marks_change_nothing() {
    for site in sites() {
        let (with, without) = (Twin::start(&site), Twin::start(&site));
        let plant = || {
            let sets = with.0.server.number(&["EVAL", PLANT, "0"]);
            assert!(sets > 10, "marks are in {sets} sets");
        };
        assert_alike(&with, &without, "without marks");
        let before = with.0.contents();
        plant();
        assert_alike(&with, &without, "with marks");
        let expiries = |twin: &Twin| twin.0.contents().into_iter().map(|(key, value)| (key, value.expires_at)).collect::<Vec<_>>();
        assert_eq!(expiries(&with), before.into_iter().map(|(key, value)| (key, value.expires_at)).collect::<Vec<_>>());
        // The last member that there is room for, one more, and who leaves.
        for (turn, when) in (4..).zip(["a day after", "two days after", "three days after"]) {
            for twin in [&with, &without] {
                twin.0.server.clock.set(NOON_MS + turn * DAY_MS);
                twin.views(0..MEMBERS + 2, turn);
                let like = |undo: bool| json!({ "action": "like", "item": "m3", "actor": "u", "undo": undo });
                twin.0.put(&[like(false), json!({ "action": "back", "item": "m0" })]);
                twin.0.put(&[json!({ "action": "view", "item": "m5" })]);
                twin.0.put(&[like(true)]);
            }
            assert_alike(&with, &without, when);
            plant();
            with.0.upkeep(BOARD);
            without.0.upkeep(BOARD);
            assert_alike(&with, &without, &format!("{when}, after upkeep"));
        }
        assert_eq!(expiries(&with), expiries(&without));
    }
}
