//! The golden vectors of tests/vectors/periods.json: Lua and Rust find the same periods as a search by definition does.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use chrono::{DateTime, Datelike};
use engine::adapter::{Cmd, Error, Mode, Transport, Value};
use engine::store::scripts::LIBRARY;
use ranking::counting::Target;
use ranking::counting::{Outcome, TargetBatch, TargetEvent};
use ranking::event::{SenderClass, When};
use ranking::name::Id;
use ranking::period::Period;
use ranking::score::Score;
use ranking::site::Site;
use ranking::window::{Unit, Window};
use ranking::zone::{Years, Zones};
use serde::Deserialize;
use serde_json::json;
use serve::config::Config;

use crate::call::{BOARD, Call, DAY_S, connect, counted_keys, page, period_ref, retention, store};
use crate::support::{Connection, Server, TzZones, zones};

#[derive(Deserialize)]
struct Case {
    name: String,
    timezone: String,
    day_starts_at: String,
    week_starts_on: String,
    instants: Vec<Instant>,
}

#[derive(Deserialize)]
struct Instant {
    at: String,
    hour: Expected,
    day: Expected,
    week: Expected,
    month: Expected,
    year: Expected,
}

#[derive(Deserialize)]
struct Expected {
    number: i64,
    id: String,
    starts_at: String,
    ends_at: String,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("../vectors/periods.json")).expect("periods.json reads")
}

impl Instant {
    fn each(&self) -> [(Unit, &Expected); 5] {
        [(Unit::Hour, &self.hour), (Unit::Day, &self.day), (Unit::Week, &self.week), (Unit::Month, &self.month), (Unit::Year, &self.year)]
    }

    /// The keys of the windows and their expiry, for an event at this instant that every window still keeps.
    fn keys(&self) -> BTreeMap<String, i64> {
        let key = |(unit, expected): (Unit, &Expected)| {
            let kept = i64::try_from(unit.retention_s()).expect("below 2^63");
            let expires = if kept == 0 { -1 } else { unix(&expected.ends_at) + kept };
            (format!("{BOARD}:{}:{}", unit.name(), expected.number), expires)
        };
        self.each().into_iter().map(key).chain([(format!("{BOARD}:all:0"), -1)]).collect()
    }
}

fn unix(rfc3339: &str) -> i64 {
    DateTime::parse_from_rfc3339(rfc3339).expect("RFC 3339").timestamp()
}

/// A configuration of one site, `site`, with one board, `board`, of every window.
pub fn site(timezone: &str, day_starts_at: &str, week_starts_on: &str) -> Config {
    let units: Vec<&str> = Unit::EACH.into_iter().map(Unit::name).collect();
    let site = json!({
        "timezone": timezone, "day_starts_at": day_starts_at, "week_starts_on": week_starts_on,
        "actions": { "view": {} },
        "boards": { "board": { "weights": { "view": 1 }, "windows": units } },
    });
    Config::read([("SITES".into(), json!({ "site": site }))], |zone| zones::parse(zone).is_some()).expect("valid")
}

/// One event of now on the board.
pub fn now<'e>(site: &'e Site, member: &'e Id) -> TargetEvent<'e> {
    let (action, _) = site.actions.iter().next().expect("an action");
    TargetEvent {
        member,
        item: Some(member),
        weight: Score::ONE,
        when: When::Now,
        id: None,
        batch: None,
        index: 0,
        action,
        count: 1,
        meta: None,
        tracked: None,
        number: 0,
    }
}

/// Records events through the store.
#[track_caller]
pub fn record(transport: &impl Transport, zones: &impl Zones, site: &Rc<Site>, guess_s: i64, events: &[TargetEvent]) -> Vec<Outcome> {
    let batch = TargetBatch {
        target: Target::Board(&site.boards["board"]),
        sender: SenderClass::Server,
        id: None,
        is_whole: true,
        events: events.to_vec(),
        senders: Vec::new(),
    };
    let mut recorded = pollster::block_on(store(transport, zones, guess_s).record(site, &[batch], "")).expect("redis-server answers");
    recorded.pop().expect("one board").expect("recorded")
}

/// A connection that counts the round trips.
struct Counting<'c> {
    inner: &'c Connection,
    trips: Cell<usize>,
}

impl Transport for Counting<'_> {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        self.trips.set(self.trips.get() + 1);
        self.inner.exchange_as(commands, mode)
    }
}

/// Lets `act` run on an empty server within the second `at`; again when the clock went on too far.
fn within<T>(server: &Server, at: i64, act: impl Fn() -> T) -> T {
    for _ in 0..5 {
        server.command(&["FLUSHDB"]);
        server.clock.set(at * 1000);
        let done = act();
        if server.texts(&["TIME"])[0] == at.to_string() {
            return done;
        }
    }
    panic!("five calls took more than a second each");
}

/// Every key that holds what was counted, with its expiry.
fn held(server: &Server) -> BTreeMap<String, i64> {
    let expiry = |key: String| (server.number(&["EXPIRETIME", &key]), key);
    counted_keys(server).into_iter().map(expiry).map(|(expiry, key)| (key, expiry)).collect()
}

/// Runs a check on every instant of the vectors.
fn each_instant(check: impl Fn(&Server, &Connection, &Rc<Site>, &Case, &Instant)) {
    let server = Server::start_at(0);
    let connection = connect(&server);
    for case in cases() {
        let config = site(&case.timezone, &case.day_starts_at, &case.week_starts_on);
        for instant in &case.instants {
            check(&server, &connection, &config.sites["site"], &case, instant);
        }
    }
}

#[test]
fn ids_and_numbers_are_one_to_one() {
    for case in cases() {
        let config = site(&case.timezone, &case.day_starts_at, &case.week_starts_on);
        let week_starts_on = config.sites["site"].week_starts_on;
        for instant in &case.instants {
            for (unit, expected) in instant.each() {
                let period = Period { unit, number: expected.number };
                assert_eq!(
                    period.id(Some(unix(&expected.starts_at)), week_starts_on).as_ref(),
                    Some(&expected.id),
                    "{}: {}",
                    case.name,
                    instant.at
                );
                // Of other years no period can be asked for.
                let readable = ("1970".."2200").contains(&&expected.id[..4]);
                assert_eq!(Period::parse(unit, &expected.id, week_starts_on), readable.then_some(period), "{}: {}", case.name, instant.at);
                let about = period.about(week_starts_on).expect("a calendar period");
                assert!((about - unix(&expected.starts_at)).abs() <= 2 * DAY_S, "{}: {} begins about {about}", case.name, expected.id);
            }
        }
    }
}

/// As the store does it, with a good guess of the time.
#[test]
fn now_is_counted_in_its_periods() {
    let zones = TzZones::default();
    let member = Id::new("m").expect("valid");
    each_instant(|server, connection, site, case, instant| {
        let at = unix(&instant.at);
        within(server, at, || record(connection, &zones, site, at, &[now(site, &member)]));
        assert_eq!(held(server), instant.keys(), "{}: {}", case.name, instant.at);
    });
}

/// The usual case needs no zone at all: where the offset is stable and the state has seen this hour and day, a zone that says
/// nothing does no harm.
#[test]
fn instants_of_a_stable_offset_need_no_zone() {
    let (zones, stable_instants) = (TzZones::default(), Cell::new(0));
    each_instant(|server, connection, site, case, instant| {
        let at = unix(&instant.at);
        let stable = zones.span(&site.timezone, Years::around(at, at)).stable_offset_at(at);
        if !(stable.from..stable.until).contains(&at) {
            return;
        }
        stable_instants.set(stable_instants.get() + 1);
        let first = in_site(Call::record(&site.timezone, at), site).set("retention", &retention("0 0 0 0 0 0"));
        let usual = first.clone().set("zone", "0 0:0");
        within(server, at, || {
            first.clone().event(["m", "1", "", ""]).outcomes(connection);
            usual.clone().event(["m", "2", "", ""]).outcomes(connection);
            usual.clone().event(["m", "4", "", ""]).event(["m", "8", "", ""]).outcomes(connection);
        });
        let held = counted_keys(server).into_iter().map(|key| (server.scores(&key), key));
        let expected = instant.keys().into_keys().map(|key| (vec![("m".to_owned(), "15".to_owned())], key));
        assert!(held.eq(expected), "{}: {}", case.name, instant.at);
    });
    assert!(stable_instants.get() > 50, "only {} instants are stable", stable_instants.get());
}

/// Without a stable offset the rows alone must lead to the same periods.
#[test]
fn rows_lead_to_the_same_periods() {
    each_instant(|server, connection, site, case, instant| {
        let at = unix(&instant.at);
        let call =
            in_site(Call::record(&site.timezone, at), site).set("stable_from", "0").set("stable_until", "0").set("stable_offset", "0");
        within(server, at, || call.clone().event(["m", "1", "", ""]).outcomes(connection));
        assert_eq!(held(server), instant.keys(), "{}: {}", case.name, instant.at);
    });
}

/// A worker whose clock is 20 years off pays one more round trip, and its events land where they belong.
#[test]
fn a_wrong_guess_costs_one_trip() {
    let zones = TzZones::default();
    let member = Id::new("m").expect("valid");
    each_instant(|server, connection, site, case, instant| {
        let at = unix(&instant.at);
        for guess in [at + 20 * 365 * DAY_S, at - 20 * 365 * DAY_S] {
            let counting = Counting { inner: connection, trips: Cell::new(0) };
            server.command(&["FUNCTION", "LOAD", "REPLACE", &LIBRARY.parts.concat()]);
            let trips = within(server, at, || {
                counting.trips.set(0);
                record(&counting, &zones, site, guess, &[now(site, &member)]);
                counting.trips.get()
            });
            assert_eq!((held(server), trips), (instant.keys(), 2), "{}: {}, guessed {guess}", case.name, instant.at);
        }
    });
}

/// A day later an event is reported with its instant.
#[test]
fn late_events_are_counted_in_their_periods() {
    let zones = TzZones::default();
    let member = Id::new("m").expect("valid");
    each_instant(|server, connection, site, case, instant| {
        let at = unix(&instant.at);
        let when = When::At(u64::try_from(at * 1000).expect("since 1970"));
        server.command(&["FLUSHDB"]);
        server.clock.set((at + DAY_S) * 1000);
        assert_eq!(record(connection, &zones, site, at, &[TargetEvent { when, ..now(site, &member) }]), [Outcome::Counted]);
        assert_eq!(held(server), instant.keys(), "{}: {}", case.name, instant.at);
    });
}

/// `top` finds the current period and, by its number, the same one a day later.
#[test]
fn rankings_tell_where_their_period_begins_and_ends() {
    let zones = TzZones::default();
    each_instant(|server, connection, site, case, instant| {
        let at = unix(&instant.at);
        for (unit, expected) in instant.each() {
            let read = |guess_s, period| {
                let window = Window::parse(unit.name()).expect("a window");
                let info = page(&store(connection, &zones, guess_s), site, period_ref(site, "board", &window, period), [0, 1]).info;
                (info.period, info.starts_at, info.ends_at)
            };
            let period = Period { unit, number: expected.number };
            let right = (period, Some(unix(&expected.starts_at)), Some(unix(&expected.ends_at)));
            for guess in [at, at + 20 * 365 * DAY_S] {
                assert_eq!(within(server, at, || read(guess, None)), right, "{}: {}, guessed {guess}", case.name, instant.at);
            }
            // Kept by then, whatever the worker takes for the time.
            server.clock.set((at + DAY_S) * 1000);
            assert_eq!(read(at + 10 * 365 * DAY_S, Some(period)), right, "{}: {} of {}", case.name, expected.id, instant.at);
        }
    });
}

/// Every day of the years 1970 to 2199 is in the month that chrono says, and begins it where chrono says.
#[test]
fn the_calendar_is_chronos() {
    let server = Server::start_at(0);
    let script = concat!(
        include_str!("../../lua/lib/common/calendar.lua"),
        "local said = {} for day = 0, tonumber(ARGV[1]) do local month = civil_month(day) \
         said[day + 1] = month .. ' ' .. month_first_day(month) end return said",
    );
    let last = 84_005;
    for (day, message) in (0..=last).zip(server.texts(&["EVAL", script, "0", &last.to_string()])) {
        let date = DateTime::from_timestamp(day * DAY_S, 0).expect("of these years").date_naive();
        let month = i64::from(date.year()) * 12 + i64::from(date.month0());
        assert_eq!(message, format!("{month} {}", day - i64::from(date.day0())), "{date}");
    }
}

/// A call with a site's own start of days and weeks.
fn in_site(call: Call, site: &Rc<Site>) -> Call {
    let week_starts_on = site.week_starts_on.num_days_from_monday();
    call.set("day_starts_at", &site.day_starts_at_s.to_string()).set("week_starts_on", &week_starts_on.to_string())
}
