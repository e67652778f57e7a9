//! Random batches of several senders that are counted together, against the reference, which takes them one after another.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use ranking::counting::{Outcome, Target};
use ranking::event::{Batch as Parsed, SenderClass};
use ranking::visitor::VisitorKey;
use serve::ingest::{ParsedBatch, Source, Split};

use super::model::{Event, Model};
use super::random::{batch, options};
use super::{BOARD, Batch, EventId, LATEST_MS, Options, Sent, announce, compare, models_of, start};
use crate::call::whole;
use crate::cases::{self, Counter};
use crate::deployment::Deployment;

static GROUPS: Counter = Counter::new("groups of several senders");
static COUNTED: Counter = Counter::new("events that were counted in a group");
static DUPLICATE: Counter = Counter::new("events of a group whose id was known");

impl Batch {
    fn comes(&self, index: usize) -> bool {
        self.events.len() == 1 || self.part.is_none_or(|even| even == index.is_multiple_of(2))
    }

    fn parsed(&self, deployment: &Deployment, options: &Options, now_ms: i64) -> Parsed {
        let body = self.body(options, now_ms).to_string();
        let parsed = ParsedBatch::read(deployment.site(), Source::Server(Some(&VisitorKey::new("a-secret"))), body.as_bytes());
        let mut parsed = parsed.and_then(whole).unwrap_or_else(|refusal| panic!("{refusal:?}: {body}"));
        // A bare event that is named as one of another batch is a part of that.
        parsed.is_whole &= self.part.is_none();
        parsed.events.retain(|event| self.comes(event.index));
        parsed.visitor = options.sender(deployment.site(), self.events.len());
        if parsed.visitor.is_some() {
            parsed.sender = SenderClass::Browser;
        }
        parsed
    }
}

/// Sends batches as one to the server, and one by one to the models. `false` when it took so long that nothing can be said.
fn send(deployment: &Deployment, options: &Options, models: &mut [(&str, Model)], group: &[Batch], now_ms: i64) -> bool {
    deployment.server.clock.set(now_ms);
    let site = deployment.site();
    let parsed: Vec<Parsed> = group.iter().map(|batch| batch.parsed(deployment, options, now_ms)).collect();
    let split = Split::merged(site, &parsed.iter().collect::<Vec<_>>());
    // Events that no board counts make no batch.
    let recorded = if split.batches.is_empty() { Vec::new() } else { deployment.record(&split.batches).expect("redis answers") };
    if deployment.now_ms() > now_ms + LATEST_MS {
        return false;
    }
    for (target, model) in models {
        model.begin(now_ms);
        let is_log = model.rules.is_log;
        let of_target = split.batches.iter().zip(&recorded).find(|(batch, _)| matches!(batch.target, Target::ActivityLog) == is_log);
        let mut answered = of_target.map_or(&[][..], |(_, outcomes)| outcomes.as_ref().expect("the group is counted"));
        for batch in group {
            let batch_id = batch.id.map(|id| format!("b{id}"));
            let events = batch.events.iter().enumerate().filter(|(index, _)| batch.comes(*index));
            let events: Vec<Event> = events
                .filter_map(|(index, sent)| sent.event(options, is_log, now_ms, batch_id.as_deref(), index, batch.events.len()))
                .collect();
            let (own, others) = answered.split_at(events.len());
            answered = others;
            let expected = model.apply(now_ms, batch_id.as_deref(), batch.part.is_none(), &events, own);
            assert_eq!(own, expected, "{target:?}: {batch:?}");
            let count = |counter: &Counter, of| counter.add(own.iter().filter(|outcome| **outcome == of).count());
            count(&COUNTED, Outcome::Counted);
            count(&DUPLICATE, Outcome::Duplicate);
        }
        assert!(answered.is_empty(), "an outcome of no sender");
    }
    GROUPS.add(1);
    true
}

/// An id stands for one thing: who sends it again sends the same.
fn honest(mut history: Vec<Vec<Batch>>) -> Vec<Vec<Batch>> {
    let mut known: BTreeMap<u8, Vec<Sent>> = BTreeMap::new();
    for batch in history.iter_mut().flatten() {
        for event in &mut batch.events {
            event.id = event.id.filter(|id| matches!(id, EventId::Own(_)));
        }
        if let Some(id) = batch.id {
            batch.events.clone_from(known.entry(id).or_insert_with(|| batch.events.clone()));
        }
    }
    history
}

fn play(deployment: &mut Deployment, options: &Options, history: &[Vec<Batch>]) {
    let mut now_ms = options.start_ms();
    deployment.server.command(&["FLUSHALL"]);
    deployment.server.clock.set(now_ms);
    deployment.configure(&options.configuration());
    announce(deployment, options);
    let mut models = models_of(deployment, options);
    deployment.upkeep(BOARD);
    for (step, group) in history.iter().enumerate() {
        now_ms = options.next_ms(now_ms, group[0].after_s, (step, history.len()));
        if !send(deployment, options, &mut models, group, now_ms) {
            return;
        }
        compare::keys(deployment, &models, now_ms);
        compare::rolling(deployment, &models[0].1, now_ms, false);
        if group[0].upkeep {
            deployment.upkeep(BOARD);
            compare::rolling(deployment, &models[0].1, now_ms, true);
        }
    }
}

#[test]
fn merged_batches_count_as_one_by_one() {
    let deployment = RefCell::new(start());
    let history = (options(), prop::collection::vec(prop::collection::vec(batch(), 2..7), 5..25));
    let cases = cases::number_of_whole(8);
    cases::run(file!(), cases, &history, |(options, history)| {
        play(&mut deployment.borrow_mut(), &options, &honest(history));
        Ok(())
    });
    let cases = usize::try_from(cases).expect("few");
    for (counter, times) in [(&GROUPS, 8), (&COUNTED, 80), (&DUPLICATE, 1)] {
        counter.assert_above(times * cases);
    }
}
