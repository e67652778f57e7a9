//! Archived periods that Redis still has: their archives follow, whatever changes there, ends a run, or becomes of Redis.

use std::collections::BTreeMap;
use std::rc::Rc;

use admin::api;
use admin::app::Admin;
use engine::adapter::Value as RedisValue;
use http::Request;
use ranking::token::{Right, Tokens};
use serde_json::{Value, json};
use serve::app::App;
use serve::config::Config;

use crate::faulty::Mishap;
use crate::world::{Answer, TOKEN, World, body, post};

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 86_400_000;
/// Friday, 2026-11-20T00:00:00Z: the first of the days that are archived.
const FIRST_MS: i64 = 20_777 * DAY_MS;
const DAYS: i64 = 3;
const MEMBERS: u64 = 6;

type Scores = BTreeMap<String, i64>;
/// Scores by day.
type Days = BTreeMap<i64, Scores>;

/// A deployment with an archive, at ten minutes past the last of the days.
struct Archived {
    world: World,
    at_ms: i64,
}

/// Numbers that follow from a seed alone.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % most
    }
}

impl Archived {
    fn start() -> Self {
        let mut world = World::at(FIRST_MS);
        let site = json!({
            "origins": ["*"],
            "actor_history": "366d",
            "journal": "31d",
            "actions": { "view": { "public": true }, "like": { "reversible": true } },
            "boards": { "articles": { "weights": { "view": 1, "like": 2 }, "windows": ["day"], "archive": true, "breakdown": true } },
        });
        let config = Config::read([("SITES".into(), json!({ "demo": site }))], |_| true).expect("a valid configuration");
        world.app = App { config: Rc::new(config), ..world.app };
        world.runtime.begin_bucket();
        let mut archived = Self { world, at_ms: FIRST_MS };
        archived.pass(10 * MINUTE_MS + DAYS * DAY_MS);
        archived
    }

    /// Both clocks go on.
    fn pass(&mut self, ms: i64) {
        self.at_ms += ms;
        self.world.server.clock.set(self.at_ms);
        self.world.runtime.set_clock_ms(u64::try_from(self.at_ms).expect("since 1970"));
    }

    fn ask(&self, mut request: Request<Vec<u8>>) -> Answer {
        let mut tokens = Tokens::default();
        tokens.grant(Right::Write, None, TOKEN);
        tokens.grant(Right::Admin, None, TOKEN);
        request.headers_mut().insert("authorization", format!("Bearer {TOKEN}").parse().expect("a header"));
        let app = &self.world.app;
        let answers = self.world.runtime.run(vec![Box::pin(async move { api::handle(app, &Rc::new(tokens), request).await })]);
        answers.into_iter().next().expect("one answer")
    }

    fn send(&self, events: &[Value]) {
        let answer = self.ask(post("/v1/demo/events", &json!({ "events": events })));
        let reported = body(&answer);
        assert_eq!((answer.status().as_u16(), &reported["rejected"]), (200, &json!([])), "{reported}");
    }

    /// Archives what is due. Answers how many periods were archived or followed.
    fn archive(&self) -> (u64, Vec<String>) {
        let (app, runtime) = (&self.world.app, &self.world.runtime);
        let site = Rc::clone(app.config.sites.values().next().expect("a site"));
        let until_ms = runtime.now_ms() + 60_000;
        let run: Vec<std::pin::Pin<Box<dyn Future<Output = _>>>> =
            vec![Box::pin(async move { Admin(app).archive().archive(&site, until_ms).await })];
        let done = runtime.run(run).pop().expect("one");
        (done.periods, done.failures)
    }

    /// The same, until nothing is left.
    fn archive_all(&self) {
        loop {
            let (periods, failures) = self.archive();
            assert_eq!(failures, [""; 0]);
            if periods == 0 {
                return;
            }
        }
    }

    fn restore(&self) -> Value {
        let answer = self.ask(post("/v1/demo/admin/restore", &json!({})));
        let reported = body(&answer);
        assert_eq!((answer.status().as_u16(), &reported["done"]), (200, &json!(true)), "{reported}");
        reported
    }

    fn remove(&self, member: &str) {
        let request = Request::delete(format!("https://edge.example/v1/demo/admin/boards/articles/members/{member}"));
        let answer = self.ask(request.body(Vec::new()).expect("a request"));
        assert_eq!(answer.status(), 200, "{}", String::from_utf8_lossy(answer.body()));
    }

    fn revoke(&self, actor: &str) {
        let answer = self.ask(post("/v1/demo/admin/revoke", &json!({ "actor": actor, "from": "2026-11-20T00:00:00Z" })));
        assert_eq!((answer.status().as_u16(), &body(&answer)["done"]), (200, &json!(true)), "{}", body(&answer));
    }

    /// What Redis has of the days.
    fn in_redis(&self) -> Days {
        let scores = |day| {
            let scores = self.world.server.scores(&format!("eb:{{demo:articles}}:day:{}", FIRST_MS / DAY_MS + day));
            scores.into_iter().map(|(id, score)| (id, score.parse().expect("a whole number"))).collect()
        };
        (0..DAYS).map(|day| (day, scores(day))).filter(|(_, scores): &(i64, Scores)| !scores.is_empty()).collect()
    }

    /// Until when each archived day has what was counted (Unix milliseconds).
    fn days_until(&self) -> Vec<(i64, i64)> {
        let names = self.world.runtime.objects("eb/demo/articles/manifests/day/");
        let until = |name: String| {
            let manifest: Value = serde_json::from_slice(&self.world.runtime.object(&name)?).ok()?;
            Some((manifest["number"].as_i64()? - FIRST_MS / DAY_MS, manifest["until_us"].as_i64()? / 1_000))
        };
        names.into_iter().filter_map(until).collect()
    }

    /// The days of which Redis names the revision of the manifest.
    fn whole_days(&self) -> Vec<i64> {
        let is_whole = |day: &i64| {
            let number = FIRST_MS / DAY_MS + day;
            let noted = self.world.server.command(&["HGET", "eb:{demo:articles}:archive", &format!("whole:day:{number}")]);
            let name = format!("eb/demo/articles/manifests/day/2026-11-{}.json", 20 + day);
            let manifest: Option<Value> = self.world.runtime.object(&name).and_then(|bytes| serde_json::from_slice(&bytes).ok());
            let (Some(manifest), RedisValue::BulkString(noted)) = (manifest, noted) else { return false };
            let noted = String::from_utf8(noted).expect("text");
            noted.split(' ').any(|named| Some(named) == manifest["job"].as_str())
        };
        (0..DAYS).filter(is_whole).collect()
    }

    /// What the archive has of them.
    fn in_archive(&self) -> Days {
        let runtime = &self.world.runtime;
        let mut days = Days::new();
        for name in runtime.objects("eb/demo/articles/manifests/day/") {
            let manifest: Value = serde_json::from_slice(&runtime.object(&name).expect("it is listed")).expect("JSON");
            let day = manifest["number"].as_i64().expect("a number") - FIRST_MS / DAY_MS;
            let folder = name.replace("manifests", "members").replace(".json", "/");
            let mut scores = Scores::new();
            for part in manifest["parts"].as_array().expect("a list") {
                let lines = runtime.object(&format!("{folder}{}", part["object"].as_str().expect("a name"))).expect("it is named");
                for line in String::from_utf8(lines).expect("text").lines() {
                    let line: Value = serde_json::from_str(line).expect("JSON");
                    let (id, score) = (line["id"].as_str().expect("an id"), line["score"].as_i64().expect("a whole number"));
                    let sums = line["actions"].as_object().map(|actions| actions.values().map(|of| of[1].as_i64().unwrap_or(0)).sum());
                    assert_eq!(sums, Some(score), "{name} {line}");
                    assert_eq!(scores.insert(id.into(), score), None, "{id} is there once");
                }
            }
            if !scores.is_empty() {
                days.insert(day, scores);
            }
        }
        days
    }
}

fn event(action: &str, item: &str, day: i64) -> Value {
    json!({ "action": action, "item": item, "at": FIRST_MS + day * DAY_MS + DAY_MS / 2 })
}

fn like(actor: &str, item: &str, day: i64, undo: bool) -> Value {
    json!({ "action": "like", "item": item, "actor": actor, "at": FIRST_MS + day * DAY_MS + DAY_MS / 2, "undo": undo })
}

fn days(of: &[(i64, &[(&str, i64)])]) -> Days {
    let scores = |scores: &[(&str, i64)]| scores.iter().map(|(id, score)| ((*id).to_owned(), *score)).collect();
    of.iter().map(|(day, of)| (*day, scores(of))).collect()
}

#[test]
fn late_events_and_undos_follow() {
    let mut archived = Archived::start();
    archived.send(&[event("view", "a", 0), event("view", "b", 0), like("ann", "a", 1, false), like("ben", "c", 1, false)]);
    archived.archive_all();
    let first = days(&[(0, &[("a", 1), ("b", 1)]), (1, &[("a", 2), ("c", 2)])]);
    assert_eq!((archived.in_archive(), archived.in_redis()), (first.clone(), first));
    archived.send(&[event("view", "a", 0), event("view", "new", 1), like("ben", "c", 1, true)]);
    archived.pass(6 * MINUTE_MS);
    assert_eq!(archived.archive(), (2, vec![]), "both days follow in one run");
    let second = days(&[(0, &[("a", 2), ("b", 1)]), (1, &[("a", 2), ("new", 1)])]);
    assert_eq!(archived.in_archive(), second);
    assert_eq!(archived.archive(), (0, vec![]), "once");
    // What the archive has is enough.
    archived.world.server.command(&["FLUSHALL"]);
    archived.restore();
    assert_eq!(archived.in_redis(), second);
    // And goes on.
    archived.send(&[event("view", "b", 0)]);
    archived.archive_all();
    assert_eq!((archived.in_archive(), archived.in_redis()), (archived.in_redis(), archived.in_archive()));
    assert_eq!(archived.in_archive()[&0]["b"], 2);
}

#[test]
fn what_is_taken_back_follows() {
    let archived = Archived::start();
    let flood = (0..9).map(|_| json!({ "action": "view", "item": "flood", "actor": "eve", "at": FIRST_MS + DAY_MS / 2 }));
    archived.send(&[event("view", "a", 0), event("view", "b", 0)].into_iter().chain(flood).collect::<Vec<_>>());
    archived.archive_all();
    assert_eq!(archived.in_archive()[&0]["flood"], 9);
    archived.revoke("eve");
    archived.archive_all();
    assert_eq!(archived.in_archive(), days(&[(0, &[("a", 1), ("b", 1)])]));
    archived.remove("b");
    assert_eq!(archived.in_archive(), days(&[(0, &[("a", 1)])]), "a removal waits for no run");
    archived.archive_all();
    assert_eq!(archived.in_archive(), days(&[(0, &[("a", 1)])]));
}

/// How many keys a run looks into, to know what Redis has of periods.
fn looked_into(archived: &Archived) -> u64 {
    archived.world.server.command(&["CONFIG", "RESETSTAT"]);
    assert_eq!(archived.archive().1, [""; 0]);
    let stats = archived.world.server.text(&["INFO", "commandstats"]);
    let calls = stats.lines().find_map(|line| line.strip_prefix("cmdstat_zcard:calls=")?.split(',').next()?.parse().ok());
    calls.unwrap_or(0)
}

#[test]
fn a_period_that_follows_is_looked_up_alone() {
    let mut archived = Archived::start();
    archived.send(&[event("view", "a", 0), event("view", "a", 1), event("view", "a", 2)]);
    archived.archive_all();
    let mut looked = Vec::new();
    for days in 1..=DAYS {
        archived.send(&(0..days).map(|day| event("view", "a", day)).collect::<Vec<_>>());
        archived.pass(6 * MINUTE_MS);
        looked.push(looked_into(&archived));
    }
    assert!(looked[0] > 100, "what is over is looked for in all that is kept: {looked:?}");
    assert_eq!([looked[1] - looked[0], looked[2] - looked[1]], [2, 2], "two keys a period: {looked:?}");
}

/// What the metrics tell of the archive: how many periods it is behind in.
fn behind_periods(archived: &Archived) -> u64 {
    let request = Request::get("https://edge.example/v1/demo/admin/metrics").body(Vec::new()).expect("a request");
    let text = String::from_utf8(archived.ask(request).into_body()).expect("text");
    let line = text.lines().find_map(|line| line.strip_prefix("edgeboard_archive_behind_periods{site=\"demo\",board=\"articles\"} "));
    line.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no such metric in {text}"))
}

#[test]
fn what_concerns_many_parts_follows_some_parts_a_run_and_revocations_first() {
    // 51 parts of 5,000 members, in the order of their scores.
    const MANY: i64 = 251_000;
    let mut archived = Archived::start();
    archived.send(&[event("view", "first", 0), event("view", "b", 1)]);
    let key = format!("eb:{{demo:articles}}:day:{}", FIRST_MS / DAY_MS);
    for from in (0..MANY).step_by(1_000) {
        let fields = (from..from + 1_000).flat_map(|i| [(10 * i + 10).to_string(), format!("m{i:06}")]);
        let command: Vec<String> = ["ZADD".to_owned(), key.clone()].into_iter().chain(fields).collect();
        archived.world.server.command(&command.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let flood: Vec<Value> =
        (0..9).map(|_| json!({ "action": "view", "item": "flood", "actor": "eve", "at": FIRST_MS + DAY_MS + DAY_MS / 2 })).collect();
    archived.send(&flood);
    archived.archive_all();
    assert_eq!(behind_periods(&archived), 0);
    // One member of each part gets a late event, and somebody is revoked on the next day.
    let late: Vec<Value> = (0..MANY).step_by(5_000).map(|i| event("view", &format!("m{i:06}"), 0)).collect();
    archived.send(&late);
    archived.pass(MINUTE_MS);
    archived.revoke("eve");
    let day = |archived: &Archived, day: i64| {
        let name = format!("eb/demo/articles/manifests/day/2026-11-{}.json", 20 + day);
        let manifest: Value = serde_json::from_slice(&archived.world.runtime.object(&name).expect("it is archived")).expect("JSON");
        manifest["until_us"].as_i64().expect("an instant") / 1_000
    };
    let since = archived.at_ms;
    archived.pass(6 * MINUTE_MS);
    let (periods, failures) = archived.archive();
    assert_eq!((periods, failures), (1, vec![]), "what was revoked");
    assert!(day(&archived, 1) >= since && day(&archived, 0) < since, "{} {} {since}", day(&archived, 1), day(&archived, 0));
    assert_eq!(behind_periods(&archived), 1, "the rest is for the next run");
    archived.pass(6 * MINUTE_MS);
    assert_eq!(archived.archive(), (1, vec![]));
    assert!(day(&archived, 0) >= since, "it follows");
    assert_eq!(behind_periods(&archived), 0);
}

/// What befalls a random history.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Loss {
    Everything,
    Snapshot,
}

/// Late events, undos, revocations and removals in random order, runs that are killed, and then a loss: after a restore nothing differs but what came
/// after the archive followed last.
fn history(seed: u64) {
    let (mut archived, mut dice) = (Archived::start(), Dice(seed));
    let (mut kept, mut extra): (Option<u64>, Vec<String>) = (None, Vec::new());
    let mut liked: Vec<(String, String, i64)> = Vec::new();
    archived.send(&[event("view", "m0", 0), event("view", "m1", 1)]);
    archived.archive_all();
    // What Redis had, by the instant since which it had that (Unix milliseconds), and when it was kept.
    let (mut trail, mut kept_at_ms): (Vec<(i64, Days)>, i64) = (vec![(0, archived.in_redis())], 0);
    for step in 0..40 {
        archived.pass(7 * MINUTE_MS + i64::try_from(dice.below(60_000)).expect("small"));
        let what = dice.below(20);
        let (item, day) = (format!("m{}", dice.below(MEMBERS)), i64::try_from(dice.below(3)).expect("small"));
        let actor = format!("u{step}");
        match what {
            0..=5 => archived.send(&[event("view", &item, day)]),
            6..=9 => {
                archived.send(&[like(&actor, &item, day, false)]);
                liked.push((actor, item, day));
            }
            10..=12 => {
                if let Some((actor, item, day)) = liked.pop() {
                    archived.send(&[like(&actor, &item, day, true)]);
                }
            }
            13 => {
                if let Some((actor, ..)) = liked.first().cloned() {
                    archived.revoke(&actor);
                    liked.retain(|(known, ..)| *known != actor);
                }
            }
            14 => {
                if let Some(dropped) = extra.pop() {
                    archived.remove(&dropped);
                } else {
                    archived.send(&[event("view", &format!("x{step}"), day)]);
                    extra.push(format!("x{step}"));
                }
            }
            15 => {
                archived.world.server.snapshot();
                (kept, kept_at_ms) = (Some(step), archived.at_ms);
            }
            16 | 17 => {
                // The run ends after one of its trips; its lease has ended before the next one.
                let trips = usize::try_from(dice.below(30)).expect("small");
                let mishaps: Vec<Mishap> = (0..trips).map(|_| Mishap::Passed).chain((0..40).map(|_| Mishap::After)).collect();
                archived.world.runtime.let_happen(&mishaps);
                archived.archive();
                archived.world.runtime.forget_mishaps();
            }
            _ => {
                archived.archive_all();
                assert_eq!(archived.in_archive(), archived.in_redis(), "seed {seed}, step {step}");
            }
        }
        trail.push((archived.at_ms, archived.in_redis()));
    }
    let loss = if dice.below(2) == 0 && kept.is_some() { Loss::Snapshot } else { Loss::Everything };
    if dice.below(2) == 0 {
        archived.pass(7 * MINUTE_MS);
        archived.archive_all();
    }
    let mut expected = archived.in_archive();
    archived.pass(7 * MINUTE_MS);
    if loss == Loss::Snapshot {
        archived.world.server.restore();
        archived.world.server.clock.set(archived.at_ms);
        archived.pass(MINUTE_MS);
    } else {
        archived.world.server.command(&["FLUSHALL"]);
    }
    let in_redis = archived.in_redis();
    // Where Redis has a period whole that was archived last, it is right: its archive follows.
    let whole = archived.whole_days();
    for (day, until_ms) in archived.days_until().into_iter().filter(|_| loss == Loss::Snapshot) {
        let scores = in_redis.get(&day).cloned().unwrap_or_default();
        if whole.contains(&day) {
            expected.insert(day, scores);
            continue;
        }
        // Else the archive gets what the snapshot has of after it.
        let (_, had) = trail.iter().rev().find(|(at_ms, _)| *at_ms <= until_ms).expect("the first is of the beginning");
        if kept_at_ms > until_ms {
            for id in scores.keys().chain(had.get(&day).into_iter().flat_map(Scores::keys)).collect::<std::collections::BTreeSet<_>>() {
                let more = scores.get(id).unwrap_or(&0) - had.get(&day).and_then(|had| had.get(id)).unwrap_or(&0);
                *expected.entry(day).or_default().entry(id.clone()).or_default() += more;
            }
        }
    }
    send_late(&mut archived, &mut dice, &mut expected);
    archived.pass(7 * MINUTE_MS);
    archived.restore();
    let context = format!("seed {seed}, {loss:?} of step {kept:?}, Redis had {in_redis:?}");
    assert_eq!(archived.in_redis(), expected, "{context}: Redis");
    archived.pass(7 * MINUTE_MS);
    archived.archive_all();
    assert_eq!(archived.in_archive(), expected, "{context}: the archive");
}

/// Sends late events to a Redis that lost something, some of which are archived, and adds them to what is expected.
fn send_late(archived: &mut Archived, dice: &mut Dice, expected: &mut Days) {
    for scores in expected.values_mut() {
        scores.retain(|_, score| *score != 0);
    }
    expected.retain(|_, scores| !scores.is_empty());
    for _ in 0..dice.below(6) {
        let (item, day) = (format!("m{}", dice.below(MEMBERS)), i64::try_from(dice.below(3)).expect("small"));
        archived.pass(i64::try_from(dice.below(8 * 60_000)).expect("small"));
        archived.send(&[event("view", &item, day)]);
        *expected.entry(day).or_default().entry(item).or_default() += 1;
        if dice.below(3) == 0 {
            archived.pass(7 * MINUTE_MS);
            archived.archive_all();
        }
    }
}

#[test]
fn random_histories() {
    let cases: u64 = std::env::var("EDGEBOARD_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(12);
    let first: u64 = std::env::var("EDGEBOARD_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    for seed in first..first + cases {
        history(seed);
    }
}
