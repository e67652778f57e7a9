//! Random batches, of which one culprit's events are taken back: then every member of every window is as on a server that never saw them,
//! also when more comes.

use std::cell::RefCell;
use std::collections::BTreeMap;

use engine::store::revoke::{Culprit, Revocation};
use proptest::prelude::*;
use ranking::name::Id;
use ranking::page::Page;
use ranking::visitor::VisitorKey;
use ranking::window::{Kind, Unit};
use serde_json::{Value as Json, json};

use super::random::{batch, options};
use super::{Batch, Options, Sender, Sent, When, start};
use crate::cases::{self, Counter};
use crate::deployment::{BOARD, Contents, Deployment, Held, sorted};

static REVOKED: Counter = Counter::new("events that were taken back");
static COMPARED: Counter = Counter::new("boards that were compared");

#[derive(Clone, Copy, Debug)]
enum Who {
    Actor,
    Visitor,
    Item,
}

impl Who {
    fn did(self, sent: &Sent) -> bool {
        match (self, sent.who) {
            (Self::Actor, Sender::Actor(0)) | (Self::Visitor, Sender::Visitor(0)) => true,
            (Self::Item, _) => sent.item == 0,
            _ => false,
        }
    }

    fn culprit(self, deployment: &Deployment) -> Culprit {
        let id = |id| Id::new(id).expect("an id");
        match self {
            Self::Actor => Culprit::Actor(id("a0")),
            Self::Visitor => {
                Culprit::Visitor(VisitorKey::new("a-secret").fingerprint(&deployment.site().name, "192.0.2.0", "x").expect("an address"))
            }
            Self::Item => Culprit::Item(id("i0")),
        }
    }
}

fn configuration(options: &Options) -> Json {
    let mut site = options.configuration();
    site["journal"] = json!("30d");
    // They stay.
    site["activity_entries"] = json!(0);
    site
}

/// Sends what is left of a batch; answers how many events that were.
fn send(deployment: &Deployment, options: &Options, events: &[&Sent], now_ms: i64) {
    deployment.server.clock.set(now_ms);
    let events: Vec<Json> = events.iter().map(|sent| sent.json(options, now_ms)).collect();
    for (target, outcomes) in deployment.try_send(&json!({ "events": events })).expect("redis answers") {
        outcomes.unwrap_or_else(|error| panic!("{target}: {error}"));
    }
}

/// All that was counted on periods, and by whom, but the order of ties: a sum that went through zero has forgotten it.
fn counted(contents: &Contents) -> BTreeMap<String, BTreeMap<String, String>> {
    let is_counted = |key: &&String| {
        // A visitor keeps its place among those of its address: the bound is against what it did.
        let internal = ["state", "journal", "salt", "ids", "undone", "visitors"];
        let rest = key.split_once("}:").map_or("", |(_, rest)| rest);
        let ends = [":first", ":last", ":refused"];
        !internal.contains(&rest.split(':').next().unwrap_or_default())
            && !rest.starts_with("window:")
            && !ends.iter().any(|end| key.ends_with(end))
    };
    let mut all = BTreeMap::new();
    for key in contents.keys().filter(is_counted) {
        let mut held: BTreeMap<String, String> = match &contents[key].held {
            Held::Sorted(_) => sorted(contents, key).into_iter().map(|(member, score)| (member, score.to_string())).collect(),
            // Records hold instants and sequence numbers.
            Held::Hash(fields) if key.contains(":tracked:") => {
                fields.iter().map(|(field, record)| (field.clone(), record.split(',').next().unwrap_or_default().into())).collect()
            }
            Held::Hash(fields) => fields.iter().map(|(member, message)| (member.clone(), words(message))).collect(),
            Held::Set(members) => members.iter().map(|member| (member.clone(), String::new())).collect(),
            other => panic!("{key}: {other:?}"),
        };
        held.retain(|member, _| !member.starts_with('\0'));
        if !held.is_empty() {
            COMPARED.add(1);
            all.insert(key.clone(), held);
        }
    }
    all
}

/// Counts by action, in the order of their names.
fn words(message: &str) -> String {
    let words: Vec<&str> = message.split(' ').collect();
    let mut each: Vec<String> = words.chunks(3).map(|word| word.join(" ")).collect();
    each.sort();
    each.join(" ")
}

#[track_caller]
fn compare(dirty: &Deployment, clean: &Deployment, what: &str) {
    for of in [dirty, clean] {
        of.upkeep(BOARD);
    }
    let contents = [dirty.contents(), clean.contents()];
    for window in &dirty.site().boards[BOARD].windows {
        let [one, other] = [dirty, clean].map(|of| of.read(BOARD, window.name.as_str(), None));
        assert!(one.info.complete && other.info.complete, "{what}: {}", window.name);
        if matches!(window.kind, Kind::Rolling { .. }) {
            for number in [one.info.period.number, one.info.period.number + 1] {
                let key = format!("eb:{{site:{BOARD}}}:window:{}:{number}", window.name);
                assert_eq!(sorted(&contents[0], &key), sorted(&contents[1], &key), "{what}: {key}");
                COMPARED.add(1);
            }
        }
        let scores =
            |page: &Page| page.entries.iter().map(|entry| (entry.id.as_str().to_owned(), entry.score.value())).collect::<BTreeMap<_, _>>();
        let (one, other) = (scores(&one), scores(&other));
        let near =
            |(id, score): (&String, &f64)| other.get(id).is_some_and(|expected| (score - expected).abs() <= 1e-4 * expected.abs().max(1.0));
        assert!(one.len() == other.len() && one.iter().all(near), "{what}: {}: {one:?} instead of {other:?}", window.name);
    }
    let [found, expected] = contents.map(|contents| counted(&contents));
    for key in found.keys().chain(expected.keys()) {
        assert!(found.get(key) == expected.get(key), "{what}: {key}: {:?} instead of {:?}", found.get(key), expected.get(key));
    }
}

fn play(servers: &mut [Deployment; 2], options: &Options, who: Who, history: &[Batch]) {
    let [dirty, clean] = servers;
    let mut now_ms = options.start_ms();
    if matches!(who, Who::Visitor) {
        // Visitors have a name for a day.
        now_ms = options.next_ms(now_ms, 0, (1, 3));
    }
    for of in [&mut *dirty, &mut *clean] {
        of.server.command(&["FLUSHALL"]);
        of.server.clock.set(now_ms);
        of.configure(&configuration(options));
    }
    let (before, after) = history.split_at(history.len() * 2 / 3);
    let hour_s = super::HOUR_S;
    let mut steps = 0..history.len();
    let mut step = |batch: &Batch, dirty: &Deployment, clean: &Deployment, is_over: bool| {
        let after_s = batch.after_s % if matches!(who, Who::Visitor) { 60 } else { 6 * hour_s };
        now_ms = options.next_ms(now_ms, after_s, (steps.next().expect("a step"), history.len()));
        let all: Vec<&Sent> = batch.events.iter().collect();
        let others: Vec<&Sent> = batch.events.iter().filter(|sent| is_over || !who.did(sent)).collect();
        send(dirty, options, &all, now_ms);
        if !others.is_empty() {
            send(clean, options, &others, now_ms);
        }
        clean.server.clock.set(now_ms);
        if batch.upkeep {
            dirty.upkeep(BOARD);
        }
    };
    for batch in before {
        step(batch, dirty, clean, false);
    }
    let revocation = |is_dry| Revocation { culprit: who.culprit(dirty), known_as: Vec::new(), from_ms: 0, until_ms: i64::MAX, is_dry };
    let revoke = |is_dry| {
        let mut remaining = dirty.targets().into_iter().map(|target| (target, String::new())).collect::<Vec<_>>();
        let mut events = 0;
        while !remaining.is_empty() {
            let chunks = pollster::block_on(dirty.store().revoke(dirty.site(), &revocation(is_dry), &remaining)).expect("redis answers");
            events += chunks.iter().map(|chunk| chunk.events).sum::<u64>();
            remaining = remaining.into_iter().zip(chunks).filter_map(|((target, _), chunk)| Some((target, chunk.cursor?))).collect();
        }
        events
    };
    let expected = revoke(true);
    assert_eq!(revoke(false), expected, "what a dry run tells");
    assert_eq!(revoke(false), 0, "nothing is left");
    REVOKED.add(usize::try_from(expected).expect("few"));
    compare(dirty, clean, "after it was taken back");
    for batch in after {
        step(batch, dirty, clean, true);
    }
    compare(dirty, clean, "after more");
}

/// What a server that never saw some events can be compared with.
fn suited(options: &mut Options, who: Who, history: &mut [Batch]) {
    // A member that is refused for want of room was never counted, and would be on the other server.
    (options.max_members, options.bounds_differ, options.browsers, options.visitors_per_address) = (None, false, None, 0);
    if matches!(options.once, Some(Unit::All)) && matches!(who, Who::Visitor) {
        options.once = Some(Unit::Day);
    }
    for sent in history.iter_mut().flat_map(|batch| &mut batch.events) {
        sent.id = None;
        // Its seq stays: what is older must not take the place of what was revoked.
        sent.seq = None;
        // The salts of days long past are gone.
        if matches!(sent.who, Sender::Visitor(_)) {
            sent.when = When::Now;
        }
    }
}

fn culprits() -> impl Strategy<Value = Who> {
    prop_oneof![Just(Who::Actor), Just(Who::Visitor), Just(Who::Item)]
}

#[test]
fn what_is_revoked_never_was() {
    let servers = RefCell::new([start(), start()]);
    let history = (options(), culprits(), prop::collection::vec(batch(), 6..40));
    let cases = cases::number(25);
    cases::run(file!(), cases, &history, |(mut options, who, mut history)| {
        suited(&mut options, who, &mut history);
        play(&mut servers.borrow_mut(), &options, who, &history);
        Ok(())
    });
    let cases = usize::try_from(cases).expect("few");
    REVOKED.assert_above(4 * cases);
    COMPARED.assert_above(20 * cases);
}

/// Likewise of events of now that come alone, which are counted straight, and noted in the journal.
#[test]
fn events_of_now_that_are_revoked_never_were() {
    let servers = RefCell::new([start(), start()]);
    let history = (options(), culprits(), prop::collection::vec(batch(), 40..100));
    cases::run(file!(), cases::number(15), &history, |(mut options, who, mut history)| {
        suited(&mut options, who, &mut history);
        for batch in &mut history {
            batch.events.truncate(1);
            batch.after_s %= 90;
            for sent in &mut batch.events {
                (sent.when, sent.count) = (When::Now, 1);
            }
        }
        play(&mut servers.borrow_mut(), &options, who, &history);
        Ok(())
    });
}
