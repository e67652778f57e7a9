//! Random histories against a plain model: after each, every member of every period of every unit is what the model says.
//!
//! The model finds periods by looking back over the zone's clock, and otherwise only adds.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Datelike, Days, NaiveDate, Weekday};
use chrono_tz::Tz;
use proptest::prelude::*;

use crate::call::{BOARD, Call, DAY_S, HOUR_S, changed_ms, connect, counted_keys, retention, unix_s};
use crate::cases::{self, Counter};
use crate::support::{Server, zones};

const CASES: u32 = 64;
const MAX_BATCHES: usize = 40;
const REPLAY_WINDOW_S: i64 = 3600;

static LATE: Counter = Counter::new("events of an earlier hour that were counted");
static DUPLICATE: Counter = Counter::new("events whose id was known");
static FUTURE: Counter = Counter::new("events of the future");

/// A site, and an instant shortly before its clock does something.
const PLACES: [(&str, i64, Weekday, &str); 8] = [
    ("UTC", 0, Weekday::Mon, "2026-12-31T20:00:00Z"),
    ("Europe/London", 0, Weekday::Sun, "2026-03-28T21:00:00Z"),
    ("Europe/London", 5400, Weekday::Mon, "2026-10-24T22:00:00Z"),
    ("America/New_York", 5400, Weekday::Mon, "2026-11-01T03:00:00Z"),
    ("America/St_Johns", 0, Weekday::Sat, "2009-11-01T00:00:00Z"),
    ("America/Sao_Paulo", 0, Weekday::Sun, "2017-10-14T22:00:00Z"),
    ("Australia/Lord_Howe", 14_400, Weekday::Mon, "2026-10-03T12:00:00Z"),
    ("Pacific/Apia", 0, Weekday::Fri, "2011-12-30T06:00:00Z"),
];

/// One batch, after some time.
#[derive(Clone, Debug)]
struct Batch {
    after_s: i64,
    id: Option<u8>,
    /// Of the events that its id stands for.
    is_part: bool,
    events: Vec<Event>,
}

#[derive(Clone, Debug)]
struct Event {
    member: u8,
    delta: i64,
    when: When,
    id: Option<u8>,
}

#[derive(Clone, Debug)]
enum When {
    Now,
    Ago(i64),
    /// Seconds from the history's start, which may lie ahead.
    At(i64),
}

fn event() -> impl Strategy<Value = Event> {
    let when = prop_oneof![
        4 => Just(When::Now),
        2 => (0..3 * HOUR_S * 1000).prop_map(When::Ago),
        1 => (0..400 * DAY_S * 1000).prop_map(When::Ago),
        2 => (-2 * DAY_S..2 * DAY_S).prop_map(When::At),
    ];
    (0..8_u8, -3..=6_i64, when, prop::option::weighted(0.3, 0..12_u8)).prop_map(|(member, delta, when, id)| Event {
        member,
        delta,
        when,
        id,
    })
}

fn batch() -> impl Strategy<Value = Batch> {
    let after_s = prop_oneof![3 => 0..60_i64, 3 => 0..2 * HOUR_S, 1 => 0..2 * DAY_S];
    let id = prop::option::weighted(0.2, 0..6_u8);
    let is_part = any::<bool>();
    (after_s, id, is_part, prop::collection::vec(event(), 1..6)).prop_map(|(after_s, id, is_part, events)| Batch {
        after_s,
        id,
        is_part,
        events,
    })
}

#[derive(Default)]
struct Model {
    /// By key of a period, by member.
    periods: BTreeMap<String, BTreeMap<String, i64>>,
    /// When an id was last sent, in seconds.
    sent: BTreeMap<String, i64>,
}

struct Place {
    zone: Tz,
    timezone: &'static str,
    day_starts_at_s: i64,
    week_starts_on: Weekday,
}

impl Place {
    /// How many whole units of `size` the zone's clock, ahead by `ahead`, has ever shown until an instant. Looking back for two
    /// days, each quarter of an hour: all of these zones start their days and hours at one.
    fn count(&self, instant: i64, size: i64, ahead: impl Fn(i64) -> i64) -> i64 {
        let quarters = (0..=2 * DAY_S / 900).map(|back| (instant.div_euclid(900) - back) * 900);
        let reached = |at: i64| (at + ahead(i64::from(zones::offset_at(self.zone, at)))).div_euclid(size);
        quarters.chain([instant]).map(reached).max().expect("some")
    }

    fn keys(&self, instant: i64) -> [String; 6] {
        let hour = self.count(instant, HOUR_S, |offset| offset.rem_euclid(HOUR_S));
        let day = self.count(instant, DAY_S, |offset| offset - self.day_starts_at_s);
        let date = DateTime::from_timestamp(day * DAY_S, 0).expect("of these years").date_naive();
        let week = (first_of_week(date, self.week_starts_on) - first_of_week(NaiveDate::default(), self.week_starts_on)).num_days() / 7;
        let month = i64::from(date.year()) * 12 + i64::from(date.month0());
        let key = |unit: &str, number: i64| format!("{BOARD}:{unit}:{number}");
        [key("hour", hour), key("day", day), key("week", week), key("month", month), key("year", date.year().into()), key("all", 0)]
    }
}

fn first_of_week(date: NaiveDate, week_starts_on: Weekday) -> NaiveDate {
    date - Days::new(date.weekday().days_since(week_starts_on).into())
}

impl Model {
    /// Whether an id must count, must not, or may (`None`) at an instant.
    fn must_count(&self, id: &str, now_s: i64) -> Option<bool> {
        match self.sent.get(id) {
            None => Some(true),
            Some(sent) if now_s - sent <= REPLAY_WINDOW_S => Some(false),
            Some(sent) if now_s - sent >= 2 * REPLAY_WINDOW_S => Some(true),
            Some(_) => None,
        }
    }

    /// Takes a batch and what the script answered.
    fn apply(&mut self, place: &Place, start_s: i64, batch: &Batch, outcomes: &str, now_ms: i64) -> Result<(), TestCaseError> {
        let now_s = now_ms / 1000;
        let (mut in_batch, mut sent) = (BTreeSet::new(), BTreeSet::new());
        prop_assert_eq!(outcomes.len(), batch.events.len());
        let at_ms = |event: &Event| match event.when {
            When::Now => now_ms,
            When::Ago(ms) => now_ms - ms,
            When::At(s) => (start_s + s) * 1000,
        };
        // A batch with a refused event is remembered event by event.
        let is_part = batch.is_part || batch.events.iter().any(|event| at_ms(event) > now_ms);
        for (index, (event, code)) in batch.events.iter().zip(outcomes.chars()).enumerate() {
            let at_ms = at_ms(event);
            if at_ms > now_ms {
                prop_assert_eq!(code, 'f');
                FUTURE.add(1);
                continue;
            }
            let batch_id = batch.id.map(|id| format!("b{id}"));
            let place_id = batch_id.as_ref().map(|id| format!("{id}/{index}"));
            let own = event.id.map(|id| format!("e{id}"));
            let known_by: Vec<&String> = batch_id.iter().chain(own.as_ref().or(place_id.as_ref())).collect();
            let twin = own.as_ref().is_some_and(|own| !in_batch.insert(own.clone()));
            let may_count: Vec<Option<bool>> = known_by.into_iter().map(|id| self.must_count(id, now_s)).chain([Some(!twin)]).collect();
            let expected = if may_count.contains(&Some(false)) { Some(false) } else { may_count.into_iter().min().expect("one") };
            let counted = expected.unwrap_or(code == 'c');
            prop_assert_eq!(code, if counted { 'c' } else { 'd' }, "{:?} at {}", event, now_s);
            sent.extend(own.or(place_id.filter(|_| is_part)));
            sent.extend(batch_id.filter(|_| !is_part));
            DUPLICATE.add(usize::from(!counted));
            if counted {
                LATE.add(usize::from(at_ms < now_ms - HOUR_S * 1000));
                for key in place.keys(at_ms.div_euclid(1000)) {
                    *self.periods.entry(key).or_default().entry(format!("m{}", event.member)).or_default() += event.delta;
                }
            }
        }
        self.sent.extend(sent.into_iter().map(|id| (id, now_s)));
        Ok(())
    }

    /// Every member whose sum is not zero, of every period that has one.
    fn held(&self) -> BTreeMap<String, BTreeMap<String, i64>> {
        let held = |members: &BTreeMap<String, i64>| members.clone().into_iter().filter(|(_, sum)| *sum != 0).collect();
        let periods = self.periods.iter().map(|(key, members)| (key.clone(), held(members)));
        periods.filter(|(_, members): &(String, BTreeMap<String, i64>)| !members.is_empty()).collect()
    }
}

fn play(server: &Server, place: &Place, start_s: i64, history: &[Batch]) -> Result<(), TestCaseError> {
    server.command(&["FLUSHALL"]);
    let connection = connect(server);
    let (mut model, mut now_s) = (Model::default(), start_s);
    for batch in history {
        now_s += batch.after_s;
        server.clock.set(now_s * 1000);
        let call = batch.events.iter().enumerate().fold(call(place, now_s), |call, (index, event)| {
            let when = match event.when {
                When::Now => String::new(),
                When::Ago(ms) => ms.to_string(),
                When::At(s) => format!("@{}", (start_s + s) * 1000),
            };
            let place = batch.id.map_or(String::new(), |_| format!("/{index}"));
            let id = event.id.map_or(place, |id| format!("e{id}"));
            call.event([&format!("m{}", event.member), &event.delta.to_string(), &when, &id])
        });
        let call = call.set("batch_id", &batch.id.map_or(String::new(), |id| format!("b{id}")));
        let outcomes = call.set("has_all", if batch.is_part { "0" } else { "1" }).outcomes(&connection);
        model.apply(place, start_s, batch, &outcomes, changed_ms(server).max(now_s * 1000))?;
    }
    let keys = counted_keys(server).into_iter().filter(|key| !key.contains(":ids:"));
    let scores = |key: &str| server.scores(key).into_iter().map(|(member, score)| (member, score.parse().expect("whole"))).collect();
    // A board keeps its key when its last member leaves.
    let held: BTreeMap<String, BTreeMap<String, i64>> =
        keys.map(|key| (key.clone(), scores(&key))).filter(|(_, members): &(_, BTreeMap<_, _>)| !members.is_empty()).collect();
    prop_assert_eq!(held, model.held());
    Ok(())
}

/// What the store sends, except that every period is kept for ever.
fn call(place: &Place, now_s: i64) -> Call {
    Call::record(place.timezone, now_s)
        .since(now_s - 401 * DAY_S)
        .set("day_starts_at", &place.day_starts_at_s.to_string())
        .set("week_starts_on", &place.week_starts_on.num_days_from_monday().to_string())
        .set("replay_window", &REPLAY_WINDOW_S.to_string())
        .set("retention", &retention("0 0 0 0 0 0"))
}

#[test]
fn every_member_of_every_period() {
    let server = Server::start_at(0);
    let history = (0..PLACES.len(), prop::collection::vec(batch(), 1..=MAX_BATCHES));
    cases::run(file!(), CASES, &history, |(place, history)| {
        let (timezone, day_starts_at_s, week_starts_on, start) = PLACES[place];
        let zone = zones::parse(timezone).expect("a zone");
        play(&server, &Place { zone, timezone, day_starts_at_s, week_starts_on }, unix_s(start), &history)
    });
    LATE.assert_above(300);
    DUPLICATE.assert_above(30);
    FUTURE.assert_above(30);
}
