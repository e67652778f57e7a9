//! Messages that wait for the receiver of a site, against a model: they come in the order of their instants, for a day, and as many bytes as may
//! be are kept.

use std::cell::RefCell;
use std::collections::BTreeMap;

use engine::adapter::Value;
use engine::store::scripts::BACKLOG;
use proptest::prelude::*;

use crate::call::{Call, NOON_MS, NOON_S, connect};
use crate::cases::{self, Counter};
use crate::support::{Connection, Server};

const HOME: &str = "eb:{site}";
const DAY_MS: i64 = 86_400_000;
const MOST: usize = 400;

static DROPPED: Counter = Counter::new("messages that were dropped");
static BUSY: Counter = Counter::new("owners that found another one");
static BEHIND: Counter = Counter::new("messages that were kept since others wait");

/// A call, and what it answers: whether it kept, how many were dropped and wait, and the messages.
#[derive(Clone, Debug, Default)]
struct Ask {
    owner: &'static str,
    only_behind: bool,
    after: String,
    limit: usize,
    sent: Vec<String>,
    /// Place, milliseconds ago, text.
    messages: Vec<(String, i64, String)>,
}

type Answer = Option<(bool, i64, i64, Vec<(String, String)>)>;

fn ask(connection: &Connection, ask: &Ask) -> Answer {
    let text = |text: &str| text.to_owned();
    let args = [
        ("owner", text(ask.owner)),
        ("only_behind", i32::from(ask.only_behind).to_string()),
        ("after", ask.after.clone()),
        ("limit", ask.limit.to_string()),
        ("most", MOST.to_string()),
        ("sent", ask.sent.join(" ")),
    ];
    let rest = ask.messages.iter().flat_map(|(place, ago, text)| [place.clone(), ago.to_string(), text.clone()]).collect();
    let call = Call { script: &BACKLOG, keys: vec![HOME.into()], args: args.into(), rest, ..Call::record("UTC", NOON_S) };
    let message = |value: &Value| match value {
        Value::BulkString(bytes) => String::from_utf8(bytes.clone()).expect("UTF-8"),
        Value::Int(number) => number.to_string(),
        other => panic!("{other:?}"),
    };
    let reply: Vec<String> = call.send(connection).iter().map(message).collect();
    let number = |at: usize| reply[at].parse::<i64>().expect("a number");
    (reply[0] == "OK")
        .then(|| (number(1) == 1, number(2), number(3), reply[4..].chunks(2).map(|two| (two[0].clone(), two[1].clone())).collect()))
}

#[derive(Clone, Debug)]
enum Step {
    /// Milliseconds ago, and how long the texts are.
    Keep(Vec<(i64, usize)>, bool),
    /// An owner reads so many, and what it then does.
    Read(bool, usize, Then),
    /// Whole seconds, as owners are known by these.
    Pass(i64),
}

#[derive(Clone, Copy, Debug)]
enum Then {
    Nothing,
    /// All of them were sent.
    Sent,
    /// The first one was, and the receiver is out.
    Fails,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let message = (0..30_000_i64, 1..90_usize);
    let then = prop_oneof![3 => Just(Then::Nothing), 4 => Just(Then::Sent), 1 => Just(Then::Fails)];
    let step = prop_oneof![
        5 => (prop::collection::vec(message, 1..4), any::<bool>()).prop_map(|(messages, behind)| Step::Keep(messages, behind)),
        4 => (any::<bool>(), 1..6_usize, then).prop_map(|(owner, limit, then)| Step::Read(owner, limit, then)),
        1 => prop_oneof![3 => 1..100_i64, 1 => 0..DAY_MS / 1_000].prop_map(Step::Pass),
    ];
    prop::collection::vec(step, 3..50)
}

/// What waits: texts by instants and the order in which they came.
#[derive(Default)]
struct Model {
    waiting: BTreeMap<(i64, usize), String>,
    number: usize,
    owner: Option<(&'static str, i64)>,
    is_last: bool,
}

impl Model {
    /// Drops what is too old, then the oldest ones of too many.
    fn drop_old(&mut self, now_ms: i64) -> i64 {
        let before = self.waiting.len();
        self.waiting.retain(|(at_ms, _), _| *at_ms > now_ms - DAY_MS);
        self.settle();
        i64::try_from(before - self.waiting.len()).expect("few")
    }

    fn drop_many(&mut self) -> i64 {
        let mut dropped = 0;
        while self.waiting.values().map(String::len).sum::<usize>() > MOST {
            self.waiting.pop_first();
            dropped += 1;
        }
        self.settle();
        dropped
    }

    fn settle(&mut self) {
        if self.waiting.is_empty() {
            (self.owner, self.is_last) = (None, false);
        }
    }
}

fn play(server: &Server, steps: &[Step]) {
    server.command(&["FLUSHALL"]);
    let connection = connect(server);
    let (mut model, mut now_ms) = (Model::default(), NOON_MS);
    for step in steps {
        // A call takes some milliseconds of Redis's clock: instants of messages lie apart from each other and from whole seconds.
        now_ms += 1_000;
        server.clock.set(now_ms);
        let lasts = |texts: &[(String, String)]| texts.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>();
        match step {
            Step::Pass(seconds) => now_ms += seconds * 1_000,
            Step::Keep(messages, only_behind) => {
                let texts: Vec<(String, i64, String)> = messages
                    .iter()
                    .enumerate()
                    .map(|(i, (ago, length))| {
                        (
                            String::new(),
                            1_000_300 * (ago / 10_000) + 50 * i64::try_from(i + 1).expect("it fits"),
                            format!("{now_ms}{i}{}", "x".repeat(*length)),
                        )
                    })
                    .collect();
                let mut dropped = model.drop_old(now_ms);
                let is_kept = !only_behind || (!model.waiting.is_empty() && !model.is_last);
                if is_kept {
                    for (_, ago_ms, text) in &texts {
                        model.number += 1;
                        model.waiting.insert((now_ms - ago_ms, model.number), text.clone());
                    }
                    model.is_last = false;
                    BEHIND.add(usize::from(*only_behind));
                }
                dropped += model.drop_many();
                DROPPED.add(usize::try_from(dropped).expect("it fits"));
                let answer = ask(&connection, &Ask { only_behind: *only_behind, messages: texts, ..Ask::default() });
                let waiting = i64::try_from(model.waiting.len()).expect("it fits");
                assert_eq!(answer, Some((is_kept, dropped, waiting, Vec::new())), "{step:?}");
            }
            Step::Read(owner, limit, then) => {
                let owner = if *owner { "one" } else { "other" };
                let answer = ask(&connection, &Ask { owner, limit: *limit, ..Ask::default() });
                if model.owner.is_some_and(|(by, until_ms)| by != owner && now_ms < until_ms) {
                    assert_eq!(answer, None);
                    BUSY.add(1);
                    continue;
                }
                let dropped = model.drop_old(now_ms);
                let expected: Vec<String> = model.waiting.values().take(*limit).cloned().collect();
                let waiting = i64::try_from(model.waiting.len()).expect("it fits");
                let (_, was_dropped, waits, found) = answer.expect("nobody else is at it");
                assert_eq!((was_dropped, waits, lasts(&found)), (dropped, waiting, expected), "{step:?}");
                if model.waiting.is_empty() {
                    continue;
                }
                model.owner = Some((owner, now_ms + 60_000));
                model.is_last |= model.waiting.len() <= *limit;
                let sent = match then {
                    Then::Nothing => continue,
                    Then::Sent => found.len(),
                    Then::Fails => 1,
                };
                let sent: Vec<String> = found.into_iter().take(sent).map(|(place, _)| place).collect();
                for _ in &sent {
                    model.waiting.pop_first();
                }
                (model.owner, model.is_last) = (None, false);
                let answer = ask(&connection, &Ask { owner, sent, ..Ask::default() });
                assert_eq!(answer.map(|(_, _, waits, _)| waits), Some(i64::try_from(model.waiting.len()).expect("it fits")));
            }
        }
        let bytes = server.command(&["HGET", &format!("{HOME}:backlog:texts"), "bytes"]);
        let bytes = if let Value::BulkString(bytes) = bytes { String::from_utf8_lossy(&bytes).parse().expect("a number") } else { 0 };
        assert_eq!(bytes, model.waiting.values().map(String::len).sum::<usize>(), "{step:?}");
    }
}

#[test]
fn messages_wait_in_their_order() {
    let server = RefCell::new(Server::start_at(NOON_MS));
    let cases = cases::number(60);
    cases::run(file!(), cases, &steps(), |steps| {
        play(&server.borrow(), &steps);
        Ok(())
    });
    let cases = usize::try_from(cases).expect("few");
    for (counter, times) in [(&DROPPED, 1), (&BUSY, 1), (&BEHIND, 1)] {
        counter.assert_above(times * cases / 2);
    }
}

/// An actor's events are taken out of a message in its place.
#[test]
fn a_message_is_replaced_where_it_is() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    let new = |ago, text: &str| (String::new(), ago, text.to_owned());
    ask(&connection, &Ask { messages: vec![new(300, "a"), new(100, "c"), new(200, "b")], ..Ask::default() });
    let (.., found) = ask(&connection, &Ask { limit: 2, ..Ask::default() }).expect("nobody is at it");
    let place = found[1].0.clone();
    let replace = vec![(place.clone(), 0, "beta".into()), ("1-9".into(), 0, "nowhere".into())];
    let (_, _, waiting, rest) = ask(&connection, &Ask { after: place, limit: 9, messages: replace, ..Ask::default() }).expect("likewise");
    assert_eq!((waiting, rest.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>()), (3, vec!["c"]));
    let (.., found) = ask(&connection, &Ask { limit: 9, ..Ask::default() }).expect("likewise");
    assert_eq!(found.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["a", "beta", "c"]);
    assert_eq!(server.text(&["HGET", &format!("{HOME}:backlog:texts"), "bytes"]), "6");
}
