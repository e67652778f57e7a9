//! What fails leaves nothing behind: foreign values at each key, no memory, a killed script, a read-only replica. The answer
//! says so, and the same batch counts once when the fault is gone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use engine::adapter::{Applied, Cmd, Error, Transport, Value};
use ranking::counting::Outcome;
use ranking::visitor::VisitorKey;
use serde_json::{Value as Json, json};

use crate::call::NOON_MS;
use crate::cases::Counter;
use crate::deployment::{BOARD, Contents, Deployment, Held, Sent, sorted};
use crate::skipped::skipped;
use crate::support::{Connection, node};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// The name of a key that is held back, beside those of the board.
const HELD: &str = "held:{site:board}";

static REFUSED: Counter = Counter::new("batches that met a foreign value");

/// A site, what happened on it, and a batch that is counted whole.
struct Case {
    name: &'static str,
    site: Json,
    before: Vec<Json>,
    /// Whether rolling windows are ready.
    upkeep: bool,
    /// An event of now that is sent twice, so that such events are planned.
    planned: Option<Json>,
    batch: Json,
    /// Whether a browser sends both, whose new members are bounded.
    is_browser: bool,
}

fn site(board: Json) -> Json {
    json!({
        "timezone": "Europe/London",
        "activity": false,
        "actions": { "view": {}, "like": { "reversible": true }, "vote": {}, "back": {} },
        "boards": { BOARD: board },
    })
}

fn view(item: &str, ago_ms: i64) -> Json {
    json!({ "action": "view", "item": item, "ago": ago_ms })
}

fn act(action: &str, actor: &str, undo: bool) -> Json {
    json!({ "action": action, "item": "a", "actor": actor, "undo": undo })
}

fn alone(event: &Json) -> Json {
    json!({ "id": "alone", "events": [event] })
}

fn one() -> Json {
    json!({ "id": "one", "events": [{ "action": "view", "item": "a", "ago": 1500 }] })
}

fn calendar() -> Vec<Json> {
    ["hour", "day", "week", "month", "year", "all"].map(|unit| json!(unit)).to_vec()
}

fn hot() -> Json {
    json!({ "name": "hot", "kind": "half-life", "half_life": "6h" })
}

/// Sums, where the views, likes and votes of three items came before.
fn case(name: &'static str, site: &Json, upkeep: bool, batch: Json) -> Case {
    let views = ["a", "b", "c"].iter().flat_map(|item| [view(item, 0), view(item, HOUR_MS), view(item, DAY_MS), view(item, 6 * DAY_MS)]);
    let before = views.chain([act("like", "u1", false), act("like", "u2", false), act("vote", "u1", false)]).collect();
    Case { name, site: site.clone(), before, upkeep, planned: None, batch, is_browser: false }
}

fn planned(name: &'static str, site: &Json, batch: Json) -> Case {
    Case { planned: Some(view("a", 0)), ..case(name, site, true, batch) }
}

fn by_browser(case: Case) -> Case {
    Case { is_browser: true, ..case }
}

fn cases() -> Vec<Case> {
    [sums(), fractions(), values()].into_iter().flatten().collect()
}

fn fractions() -> Vec<Case> {
    let windows: Vec<Json> = calendar().into_iter().chain([json!("last-2-hours"), json!("last-7-days"), hot()]).collect();
    let weights = json!({ "view": 0.1, "like": 2.5, "vote": 0.7, "back": -0.3 });
    let totals = json!([{ "window": "day" }, { "window": "all" }]);
    let plain = site(json!({ "weights": weights, "windows": windows }));
    let lasting = site(json!({ "weights": weights, "windows": windows[..windows.len() - 1] }));
    let tallied = site(json!({ "weights": weights, "windows": windows, "breakdown": true, "once": { "vote": "day" }, "totals": totals }));
    vec![
        planned("one event that is worth a fraction as planned", &plain, one()),
        planned("one like that is worth a fraction as planned", &plain, alone(&act("like", "u3", false))),
        planned("one undo of a fraction as planned", &plain, alone(&act("like", "u1", true))),
        planned("one event that is worth a fraction with counts by action as planned", &tallied, one()),
        planned("one vote that is worth a fraction as planned", &tallied, alone(&act("vote", "u4", false))),
        planned("one event of a new member that is worth a fraction as planned", &lasting, alone(&view("new", 0))),
        by_browser(planned("one event of a browser's new member that is worth a fraction as planned", &lasting, alone(&view("new", 0)))),
    ]
}

fn values() -> Vec<Case> {
    let league = json!({ "name": "league", "kind": "season", "from": "2026-11-02", "until": "2027-03-01", "every": "1 week" });
    let windows: Vec<Json> = calendar().into_iter().chain([league]).collect();
    let board = |score: &str, more: (&str, Json)| {
        let mut board = json!({ "score": score, "actions": ["view"], "decimals": 0, "windows": windows });
        board[more.0] = more.1;
        site(board)
    };
    let bounded = board("max", ("max_members", json!(20)));
    let value = |item: &str, value: i32| json!({ "action": "view", "item": item, "value": value });
    let described = |item: &str, value: i32| json!({ "action": "view", "item": item, "value": value, "meta": value });
    let valued = |name, site: &Json, event: Json| Case {
        before: vec![value("a", 4), value("b", 6)],
        planned: Some(value("a", 5)),
        ..planned(name, site, alone(&event))
    };
    vec![
        valued("one better value as planned", &bounded, value("a", 9)),
        Case {
            before: vec![described("a", 4), value("b", 6)],
            ..valued("one better value with what stands beside it as planned", &bounded, described("a", 9))
        },
        Case {
            before: vec![described("a", 4), described("b", 6)],
            planned: Some(described("a", 5)),
            ..valued("one better value with nothing beside it as planned", &bounded, value("a", 9))
        },
        valued("one value of a new member as planned", &bounded, value("new", 3)),
        by_browser(valued("one value of a browser's new member as planned", &bounded, value("new", 3))),
        valued("one better value with ties as planned", &board("max", ("ties", json!("first"))), described("a", 9)),
        valued("one better value with distinct scores as planned", &board("max", ("ranking", json!("dense"))), value("a", 9)),
        valued("one later value with ties as planned", &board("last", ("ties", json!("last"))), value("a", 3)),
    ]
}

fn sums() -> Vec<Case> {
    let weights = json!({ "view": 1, "like": 3, "vote": 2, "back": -1 });
    let (calendar, hot) = (calendar(), hot());
    let rolling = ["last-2-hours", "last-7-days"].map(|name| json!(name));
    let smooth = json!({ "name": "smooth", "kind": "linear", "resets": "day", "beta": 1.1 });
    let windows: Vec<Json> = calendar.iter().chain(&rolling).chain([&hot, &smooth]).cloned().collect();
    let summed: Vec<Json> = calendar.iter().chain(&rolling).cloned().collect();
    let plain = site(json!({ "weights": weights, "windows": windows, "max_members": 20 }));
    let indexed = site(json!({ "weights": weights, "windows": summed, "ties": "first", "ranking": "dense", "breakdown": true }));
    let ordered = site(json!({ "weights": weights, "windows": summed, "ties": "last", "breakdown": true }));
    let once = site(json!({ "weights": weights, "windows": windows, "breakdown": true, "once": { "vote": "day", "like": "week" } }));
    let totals = json!([{ "window": "day" }, { "window": "all" }]);
    let totalled = site(json!({ "weights": weights, "windows": summed, "totals": totals }));
    let faded: Vec<Json> = summed.iter().chain([&hot]).cloned().collect();
    let fading = site(json!({ "weights": weights, "windows": faded, "breakdown": true }));
    let several = site(json!({ "weights": weights, "windows": windows, "breakdown": true }));
    let many = || {
        let events = [view("a", 0), view("new", 0), view("b", HOUR_MS), view("new", DAY_MS), json!({ "action": "back", "item": "c" })];
        json!({ "id": "many", "events": events })
    };
    let plain_once = site(json!({ "weights": weights, "windows": windows, "once": { "vote": "day", "like": "week" } }));
    let visitor = || json!({ "action": "vote", "item": "b", "visitor": { "address": "192.0.2.1", "agent": "x" } });
    let tracked = || {
        let events = [act("like", "u3", false), act("like", "u1", true), act("vote", "u4", false), visitor(), view("new", HOUR_MS)];
        json!({ "id": "tracked", "events": events })
    };
    vec![
        planned("one event as planned", &plain, one()),
        planned("one event of a new member as planned", &plain, alone(&view("new", 0))),
        planned("one event with ties and counts by action as planned", &ordered, one()),
        planned("one event of a new member with ties as planned", &ordered, alone(&view("new", 0))),
        by_browser(planned("one event of a browser's new member as planned", &plain, alone(&view("new", 0)))),
        by_browser(planned("one event of a browser's new member with ties as planned", &ordered, alone(&view("new", 0)))),
        planned("one event with totals as planned", &totalled, one()),
        planned("one event with counts by action and a half-life as planned", &fading, one()),
        planned("one like with counts by action and a half-life as planned", &fading, alone(&act("like", "u3", false))),
        planned("one undo with counts by action and a half-life as planned", &fading, alone(&act("like", "u1", true))),
        planned("one event of a new member with counts by action and a half-life as planned", &fading, alone(&view("new", 0))),
        planned("one event with counts by action and windows that fade as planned", &several, one()),
        case("one event", &plain, true, one()),
        case("one event, windows not ready", &plain, false, one()),
        case("one event of a new member", &plain, true, json!({ "id": "new", "events": [view("new", 0)] })),
        case("a batch", &plain, true, many()),
        case("one event with indexes", &indexed, true, one()),
        planned("one event with indexes as planned", &indexed, one()),
        planned("one event of a new member with indexes as planned", &indexed, alone(&view("new", 0))),
        case("a batch with indexes", &indexed, true, many()),
        by_browser(case("a batch of a browser", &plain, true, many())),
        by_browser(case("a batch of a browser with indexes", &indexed, true, many())),
        case("a batch with indexes, windows not ready", &indexed, false, many()),
        case("tracked actions", &once, true, tracked()),
        case("tracked actions with indexes", &indexed, true, tracked()),
        case("tracked actions, windows not ready", &once, false, tracked()),
        case("one like", &plain, true, alone(&act("like", "u3", false))),
        case("one like of a new member", &plain, true, alone(&json!({ "action": "like", "item": "new", "actor": "u3" }))),
        case("one like, windows not ready", &plain, false, alone(&act("like", "u3", false))),
        case("one undo", &plain, true, alone(&act("like", "u1", true))),
        case("one vote that counts once", &once, true, alone(&act("vote", "u4", false))),
        case("one like with ties and counts by action", &ordered, true, alone(&act("like", "u3", false))),
        case("one undo with ties and counts by action", &ordered, true, alone(&act("like", "u1", true))),
        planned("one like as planned", &plain, alone(&act("like", "u3", false))),
        planned("one like of a new member as planned", &plain, alone(&json!({ "action": "like", "item": "new", "actor": "u3" }))),
        planned("one undo as planned", &plain, alone(&act("like", "u1", true))),
        planned("one undo of what counts once as planned", &plain_once, alone(&act("like", "u1", true))),
        planned("one vote that counts once as planned", &once, alone(&act("vote", "u4", false))),
        planned("one vote of a visitor as planned", &plain_once, alone(&visitor())),
        planned("one like with ties and counts by action as planned", &ordered, alone(&act("like", "u3", false))),
        planned("one undo with ties and counts by action as planned", &ordered, alone(&act("like", "u1", true))),
        case("one like with indexes", &indexed, true, alone(&act("like", "u3", false))),
        case("one undo with indexes", &indexed, true, alone(&act("like", "u1", true))),
        planned("one undo with indexes as planned", &indexed, alone(&act("like", "u1", true))),
    ]
}

impl Case {
    fn fill(&self, deployment: &Deployment) {
        deployment.server.command(&["FLUSHALL"]);
        deployment.server.clock.set(NOON_MS + 600_000);
        // With an id, so that no set of ids is begun under a fault: that deletes what may be left of an older one, and Redis lets a
        // script go on that began with a deletion. It would count whole.
        let outcomes = deployment.send(&json!({ "id": "before", "events": self.before }));
        assert!(outcomes.iter().all(|outcome| *outcome == Outcome::Counted), "{outcomes:?}");
        if self.upkeep {
            deployment.upkeep(BOARD);
        }
        for id in self.planned.iter().flat_map(|_| ["plan", "planned"]) {
            drop(self.send(deployment, &json!({ "id": id, "events": [self.planned] })));
        }
    }

    fn send(&self, deployment: &Deployment, batch: &Json) -> Result<Sent, Error> {
        let key = VisitorKey::new("a-secret");
        let visitor = key.fingerprint(&deployment.site().name, "192.0.2.1", "agent").expect("an address");
        deployment.try_send_as(batch, self.is_browser.then_some(visitor), |_| ())
    }

    /// What became of the batch, which must be taken.
    #[track_caller]
    fn sent(&self, deployment: &Deployment) -> Vec<Outcome> {
        let sent = self.send(deployment, &self.batch).expect("redis answers");
        sent.into_iter().next().map_or(Vec::new(), |(_, outcomes)| outcomes.expect("the batch is counted"))
    }

    /// What the batch becomes, which must be the same whatever failed before.
    #[track_caller]
    fn count(&self, deployment: &Deployment, after: &str) -> BTreeMap<String, BTreeMap<String, f64>> {
        let outcomes = self.sent(deployment);
        assert!(outcomes.iter().all(|outcome| *outcome == Outcome::Counted), "{} after {after}: {outcomes:?}", self.name);
        let again = self.sent(deployment);
        assert!(again.iter().all(|outcome| *outcome == Outcome::Duplicate), "{} again after {after}: {again:?}", self.name);
        scores(&deployment.contents())
    }

    /// Sends the batch, which must fail and change nothing, and says whether the answer says so.
    #[track_caller]
    fn fail(&self, deployment: &Deployment, fault: &str) -> Error {
        let before = deployment.contents();
        let error =
            error_of(self.send(deployment, &self.batch)).unwrap_or_else(|| panic!("{}: {fault} does not keep it from counting", self.name));
        assert_same(&before, &deployment.contents(), &format!("{}: {fault}: {error}", self.name));
        error
    }
}

/// Sorted sets of periods and rolling windows: what depends on the millisecond is left out, and what upkeep notes.
fn scores(contents: &Contents) -> BTreeMap<String, BTreeMap<String, f64>> {
    let sets =
        contents.iter().filter(|(key, value)| matches!(value.held, Held::Sorted(_)) && !key.contains(":hot:") && !key.contains(":smooth:"));
    sets.map(|(key, _)| (key.clone(), sorted(contents, key))).filter(|(_, scores)| !scores.is_empty()).collect()
}

#[track_caller]
fn assert_same(before: &Contents, after: &Contents, what: &str) {
    let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for key in keys {
        assert_eq!(before.get(key), after.get(key), "{what}: {key} is changed");
    }
}

/// Why a batch was not counted.
fn error_of(sent: Result<Sent, Error>) -> Option<Error> {
    match sent {
        Err(error) => Some(error),
        Ok(sent) => sent.into_iter().find_map(|(_, outcomes)| outcomes.err()),
    }
}

#[test]
#[ignore = "long: npm test -- --engines"]
fn a_foreign_value_at_any_key_leaves_nothing_behind() {
    for case in cases() {
        let deployment = Deployment::start(&case.site, NOON_MS);
        case.fill(&deployment);
        let before = deployment.contents();
        let expected = case.count(&deployment, "nothing");
        let after = deployment.contents();
        let mut met = 0;
        for key in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
            case.fill(&deployment);
            let is_held = deployment.server.number(&["EXISTS", key]) == 1;
            if is_held {
                deployment.server.command(&["RENAME", key, HELD]);
            }
            match after.get(key).map(|key| &key.held) {
                Some(Held::Text(_)) => deployment.server.command(&["RPUSH", key, "foreign"]),
                _ => deployment.server.command(&["SET", key, "foreign"]),
            };
            let what = format!("a foreign value at {key}");
            let planted = deployment.contents();
            let sent = case.send(&deployment, &case.batch);
            let Some(error) = error_of(sent) else {
                // The batch has nothing to do with that key, or puts something of its own there.
                let counted = scores(&deployment.contents());
                assert!(expected.iter().all(|(other, scores)| other == key || counted.get(other) == Some(scores)), "{}: {what}", case.name);
                assert_eq!(case.sent(&deployment)[0], Outcome::Duplicate, "{} again: {what}", case.name);
                continue;
            };
            assert_same(&planted, &deployment.contents(), &format!("{}: {what}: {error}", case.name));
            assert!(error.detail.contains("WRONGTYPE"), "{}: {what}: {error}", case.name);
            assert_eq!((error.applied(), error.is_transient()), (Applied::No, false), "{}: {what}: {error}", case.name);
            met += 1;
            deployment.server.command(&["DEL", key]);
            if is_held {
                deployment.server.command(&["RENAME", HELD, key]);
            }
            assert_eq!(case.count(&deployment, &what), expected, "{} after {what}", case.name);
        }
        assert!(met > 8, "{}: only {met} keys are concerned", case.name);
        REFUSED.add(met);
    }
    REFUSED.assert_above(100);
}

#[test]
fn no_memory_leaves_nothing_behind() {
    for case in cases() {
        let deployment = Deployment::start(&case.site, NOON_MS);
        case.fill(&deployment);
        let expected = case.count(&deployment, "nothing");
        case.fill(&deployment);
        // Memory that Redis runs out of is made free again by nobody.
        deployment.server.command(&["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
        deployment.server.command(&["CONFIG", "SET", "maxmemory", "1"]);
        let error = case.fail(&deployment, "no memory");
        assert!(error.detail.contains("OOM"), "{error}");
        assert_eq!((error.applied(), error.is_transient()), (Applied::No, true), "{}: {error}", case.name);
        deployment.server.command(&["CONFIG", "SET", "maxmemory", "0"]);
        assert_eq!(case.count(&deployment, "no memory"), expected, "{}", case.name);
    }
}

#[test]
fn a_replica_is_not_written() {
    if skipped() {
        return;
    }
    for case in cases() {
        let deployment = Deployment::start(&case.site, NOON_MS);
        case.fill(&deployment);
        let expected = case.count(&deployment, "nothing");
        case.fill(&deployment);
        deployment.server.command(&["REPLICAOF", "127.0.0.1", &node::free_port().to_string()]);
        let error = case.fail(&deployment, "a replica");
        assert!(error.detail.contains("READONLY"), "{error}");
        assert_eq!((error.applied(), error.is_transient()), (Applied::No, true), "{}: {error}", case.name);
        deployment.server.command(&["REPLICAOF", "NO", "ONE"]);
        assert_eq!(case.count(&deployment, "a replica"), expected, "{}", case.name);
    }
}

/// The first write that it may not do comes after the ids are remembered: they must be forgotten again.
#[test]
fn a_command_that_the_user_may_not_run_counts_nothing() {
    for case in cases() {
        let deployment = Deployment::start(&case.site, NOON_MS);
        case.fill(&deployment);
        let expected = case.count(&deployment, "nothing");
        case.fill(&deployment);
        let before = scores(&deployment.contents());
        deployment.server.command(&["ACL", "SETUSER", "default", "-zadd", "-zincrby"]);
        let error = error_of(case.send(&deployment, &case.batch)).unwrap_or_else(|| panic!("{}: it counts", case.name));
        assert_eq!((error.applied(), error.is_transient()), (Applied::No, false), "{}: {error}", case.name);
        deployment.server.command(&["ACL", "SETUSER", "default", "+zadd", "+zincrby"]);
        assert_eq!(scores(&deployment.contents()), before, "{}: {error}", case.name);
        // Sequence numbers that were taken are not given back.
        let without_ties = |mut scores: BTreeMap<String, _>| {
            scores.retain(|key, _| !key.ends_with(":first") && !key.ends_with(":last"));
            scores
        };
        let counted: BTreeMap<String, BTreeMap<String, f64>> = case.count(&deployment, "missing rights");
        assert_eq!(without_ties(counted), without_ties(expected), "{}", case.name);
    }
}

/// A batch that fails when ids are remembered forgets its own ones, and none that was known before.
#[test]
fn ids_that_were_known_outlast_a_batch_that_fails() {
    let has_sums = |case: &Case| case.site["boards"][BOARD].get("weights").is_some();
    for case in cases().into_iter().filter(has_sums) {
        let deployment = Deployment::start(&case.site, NOON_MS);
        case.fill(&deployment);
        let view = |id: &str, item: &str| json!({ "id": id, "action": "view", "item": item });
        let like = |id: &str, actor: &str| json!({ "id": id, "action": "like", "item": "a", "actor": actor });
        // Under ids of their own, as a part of a batch, and the whole batch after its part.
        let known = [
            (json!({ "events": [view("v1", "a")] }), json!({ "events": [view("v1", "a"), view("v2", "b")] })),
            (json!({ "events": [like("l1", "u7")] }), json!({ "events": [view("v3", "b"), like("l1", "u7"), like("l2", "u8")] })),
            (
                json!({ "id": "p", "events": [view("v4", "a"), { "action": "view", "item": "c", "at": "2030-01-01T00:00:00Z" }] }),
                json!({ "id": "p", "events": [view("v4", "a"), { "action": "view", "item": "c" }] }),
            ),
        ];
        for (before, batch) in known {
            deployment.send(&before);
            deployment.server.command(&["ACL", "SETUSER", "default", "-zadd", "-zincrby"]);
            let error = error_of(case.send(&deployment, &batch)).unwrap_or_else(|| panic!("{}: {batch} counts", case.name));
            assert_eq!(error.applied(), Applied::No, "{}: {error}", case.name);
            deployment.server.command(&["ACL", "SETUSER", "default", "+zadd", "+zincrby"]);
            let outcomes = deployment.send(&batch);
            assert!(outcomes.contains(&Outcome::Counted), "{}: {batch}: {outcomes:?}", case.name);
            assert_eq!(deployment.send(&batch), vec![Outcome::Duplicate; outcomes.len()], "{}: {batch}", case.name);
            let repeated = outcomes.iter().filter(|outcome| **outcome == Outcome::Duplicate).count();
            assert_eq!(repeated, 1, "{}: {batch}: {outcomes:?}", case.name);
        }
    }
}

/// A script that has not written can be killed. Its answer may not say that it counted, nor may it have.
#[test]
fn a_killed_script_leaves_nothing_behind() {
    const TIMES: usize = 20_000;
    for case in cases().into_iter().filter(|case| case.batch["events"].as_array().is_some_and(|events| events.len() > 1)) {
        let deployment = Deployment::start(&case.site, NOON_MS);
        case.fill(&deployment);
        let expected = case.count(&deployment, "nothing");
        case.fill(&deployment);
        deployment.server.command(&["CONFIG", "SET", "busy-reply-threshold", "1"]);
        let before = deployment.contents();
        let (is_over, url) = (AtomicBool::new(false), deployment.server.url());
        let (sent, killed) = std::thread::scope(|scope| {
            let killer = scope.spawn(|| kill_scripts(&Connection::new(url), &is_over));
            let sent = deployment.try_send_as(&case.batch, None, |batch| {
                let count = batch.events.len() * TIMES;
                batch.events = batch.events.iter().cycle().take(count).cloned().collect();
            });
            is_over.store(true, Ordering::Relaxed);
            (sent, killer.join().expect("it ends"))
        });
        assert!(killed, "{}: the script was over before it could be killed", case.name);
        let error = error_of(sent).unwrap_or_else(|| panic!("{}: a killed script says that it counted", case.name));
        assert_ne!(error.applied(), Applied::Yes, "{}: {error}", case.name);
        assert_same(&before, &deployment.contents(), &format!("{}: killed: {error}", case.name));
        assert_eq!(case.count(&deployment, "being killed"), expected, "{}", case.name);
    }
}

/// Kills the first script that runs; answers whether one was killed.
fn kill_scripts(connection: &Connection, is_over: &AtomicBool) -> bool {
    while !is_over.load(Ordering::Relaxed) {
        let kill: Cmd = ["FUNCTION", "KILL"].into_iter().collect();
        let of_board: Cmd = ["EXISTS", "eb:{site:board}:state"].into_iter().collect();
        if matches!(pollster::block_on(connection.send_to_servers_of(&[of_board], kill)).as_deref(), Ok([Value::Okay])) {
            return true;
        }
    }
    false
}
