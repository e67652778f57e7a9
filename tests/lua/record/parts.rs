//! A batch that is split over partitions, of which one fails: sent again in parts, whole, or merged, it counts once.

use ranking::counting::{Outcome, TargetBatch};
use ranking::event::{Batch, SenderClass};
use ranking::site::Site;
use serde_json::json;
use serve::config::Config;
use serve::ingest::{ParsedBatch, Source, Split};

use crate::call::{NOON_MS, NOON_S, connect, store, whole};
use crate::support::{Connection, Server, TzZones};

const ACTORS: usize = 30;

fn record(connection: &Connection, site: &Site, batches: &[TargetBatch]) -> Vec<Vec<Outcome>> {
    let zones = TzZones::default();
    let recorded = pollster::block_on(store(connection, &zones, NOON_S).record(site, batches, ""));
    recorded.expect("redis answers").into_iter().collect::<Result<_, _>>().expect("the batches are well made")
}

/// The events of each target whose place leaves this rest when it is divided by two.
fn part<'b>(split: &Split<'b>, rest: usize) -> Vec<TargetBatch<'b>> {
    let part = |batch: &TargetBatch<'b>| {
        let events = batch.events.iter().filter(|event| event.index % 2 == rest).cloned().collect();
        TargetBatch { is_whole: false, events, ..batch.clone() }
    };
    split.batches.iter().map(part).collect()
}

#[test]
fn a_batch_over_two_partitions_counts_once() {
    let site = json!({
        "origins": [],
        "actions": { "view": { "public": true }, "like": { "reversible": true } },
        "boards": { "people": { "members": "actors", "weights": { "view": 1, "like": 2 }, "windows": ["day"] } },
    });
    let config = Config::read([("SITES".into(), json!({ "demo": site }))], |_| true).expect("valid");
    let site = &config.sites["demo"];
    let events: Vec<_> =
        (0..ACTORS).map(|i| json!({ "action": if i % 3 == 0 { "like" } else { "view" }, "item": "a", "actor": format!("u{i}") })).collect();
    for id in ["short", "an-id-of-more-than-fourteen-characters", "with/slash"] {
        let server = Server::start_at(NOON_MS);
        let connection = connect(&server);
        let body = json!({ "id": id, "events": events }).to_string();
        let parsed = ParsedBatch::read(site, Source::Server(None), body.as_bytes()).expect("a batch");
        let batch = whole(parsed).expect("all are valid");
        let split = Split::new(site, &batch);
        assert_eq!(split.batches.iter().map(|batch| batch.events.len()).collect::<Vec<_>>(), [ACTORS; 2], "the board and the activity log");

        // One partition counts, the other one fails. Then the batch comes whole.
        assert!(record(&connection, site, &part(&split, 0)).concat().iter().all(|outcome| *outcome == Outcome::Counted));
        let recorded = record(&connection, site, &split.batches);
        let outcomes = split.join(0, &recorded.iter().map(Vec::as_slice).collect::<Vec<_>>());
        for (index, outcome) in outcomes.iter().enumerate() {
            let expected = if index % 2 == 0 { Outcome::Duplicate } else { Outcome::Counted };
            assert_eq!(*outcome, expected, "{id}: {index}");
        }
        // However it comes now, it is known.
        for again in [part(&split, 0), part(&split, 1), split.batches.clone()] {
            assert!(record(&connection, site, &again).concat().iter().all(|outcome| *outcome == Outcome::Duplicate), "{id}");
        }
        let scores = server.scores("eb:{demo:people}:day:20777");
        assert_eq!(scores.len(), ACTORS);
        for (actor, score) in scores {
            let number: usize = actor[1..].parse().expect("a number");
            assert_eq!(score, if number.is_multiple_of(3) { "2" } else { "1" }, "{id}: {actor}");
        }
    }
}

/// What was counted alone is known when it comes merged, and the other way around.
#[test]
fn batches_of_several_senders_count_once() {
    let site = json!({
        "origins": [],
        "actions": { "view": { "public": true } },
        "boards": { "articles": { "weights": { "view": 1 }, "windows": ["day"] } },
    });
    let config = Config::read([("SITES".into(), json!({ "demo": site }))], |_| true).expect("valid");
    let site = &config.sites["demo"];
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    let view = |item: &str| json!({ "action": "view", "item": item });
    let longest = "i".repeat(64);
    let bodies = [
        json!({ "id": "one", "events": [view("a"), view("b")] }),
        json!({ "id": longest, "events": [view("a"), { "action": "view", "item": "c", "id": "own" }] }),
        json!({ "events": [view("d")] }),
        // Sent again while the first one waits.
        json!({ "id": "one", "events": [view("a"), view("b")] }),
        json!({ "action": "view", "item": "b", "id": "one/1" }),
    ];
    let send = |sender: SenderClass, bodies: &[&serde_json::Value]| -> Vec<Vec<Outcome>> {
        let parsed = bodies.iter().map(|body| ParsedBatch::read(site, Source::Server(None), body.to_string().as_bytes()).and_then(whole));
        let batches: Vec<_> = parsed.map(|batch| Batch { sender, ..batch.expect("valid") }).collect();
        let split = Split::merged(site, &batches.iter().collect::<Vec<_>>());
        assert_eq!(split.batches.len(), 1, "one call");
        let recorded = record(&connection, site, &split.batches);
        let outcomes: Vec<_> = recorded.iter().map(Vec::as_slice).collect();
        (0..batches.len()).map(|sender| split.join(sender, &outcomes)).collect()
    };
    let (new, known) = (Outcome::Counted, Outcome::Duplicate);
    let [one, other, bare, again, event] = bodies.each_ref();
    let both = |outcome: &Outcome| vec![*outcome; 2];
    assert_eq!(
        send(SenderClass::Server, &[one, other, bare, again, event]),
        [both(&new), both(&new), vec![new], both(&known), vec![known]]
    );
    for alone in [one, other, again] {
        assert_eq!(send(SenderClass::Server, &[alone]), [both(&known)]);
    }
    // Browsers' ids are others. This time each came alone before.
    for alone in [one, other] {
        assert_eq!(send(SenderClass::Browser, &[alone]), [both(&new)]);
    }
    assert_eq!(send(SenderClass::Browser, &[other, one, event]), [both(&known), both(&known), vec![known]]);
    let scores = server.scores("eb:{demo:articles}:day:20777");
    let expected = [("a", "4"), ("b", "2"), ("c", "2"), ("d", "1")];
    assert_eq!(
        scores.iter().map(|(id, score)| (id.as_str(), score.as_str())).collect::<std::collections::BTreeMap<_, _>>(),
        expected.into()
    );
}
