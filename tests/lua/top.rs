//! `lua/top.lua`, through the store: pages of rankings.

use engine::adapter::{Fault, Value};
use ranking::name::Id;
use ranking::page::Page;
use ranking::period::Period;
use ranking::read::{NoPeriod, Read, ReadReply};
use ranking::score::Score;
use ranking::window::{Unit, Window};

use crate::call::{self, Call, DAY_S, HOUR_S, NOON_MS, NOON_S, connect, page, period_ref, store, unix_s};
use crate::periods::site;
use crate::support::{Connection, Server, TzZones};

fn noon() -> (Server, Connection) {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    (server, connection)
}

/// A page of the board that [`Call::record`] writes.
#[track_caller]
fn read(connection: &Connection, unit: Unit, number: Option<i64>, offset: u32, limit: u32) -> Page {
    let (config, zones) = (site("UTC", "00:00", "monday"), TzZones::default());
    let site = &config.sites["site"];
    let window = Window::parse(unit.name()).expect("a window");
    let of = period_ref(site, "board", &window, number.map(|number| Period { unit, number }));
    page(&store(connection, &zones, NOON_S), site, of, [offset, limit])
}

fn entries(page: &Page) -> String {
    let entries: Vec<String> = page.entries.iter().map(|entry| format!("{}={}", entry.id.as_str(), entry.score)).collect();
    entries.join(" ")
}

/// Events of now: members with their deltas.
fn record(connection: &Connection, events: &[(&str, &str)]) {
    events.iter().fold(Call::record("UTC", NOON_S), |call, (member, delta)| call.event([member, delta, "", ""])).outcomes(connection);
}

#[test]
fn the_current_period_of_each_unit() {
    let (_server, connection) = noon();
    record(&connection, &[("a", "1"), ("b", "3"), ("c", "2")]);
    for (unit, number, starts, ends) in [
        (Unit::Hour, 498_660, "2026-11-20T12:00:00Z", "2026-11-20T13:00:00Z"),
        (Unit::Day, 20_777, "2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z"),
        (Unit::Week, 2968, "2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z"),
        (Unit::Month, 24_322, "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"),
        (Unit::Year, 2026, "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
    ] {
        let page = read(&connection, unit, None, 0, 10);
        assert_eq!(
            (page.info.period, page.info.starts_at, page.info.ends_at),
            (Period { unit, number }, Some(unix_s(starts)), Some(unix_s(ends)))
        );
        assert_eq!((entries(&page).as_str(), page.total, page.refused), ("b=3 c=2 a=1", 3, 0));
        assert!((NOON_MS..NOON_MS + 10_000).contains(&page.info.now_ms));
        assert_eq!(page.info.ends_in_ms(), u64::try_from(unix_s(ends) * 1000 - page.info.now_ms).ok());
    }
    let page = read(&connection, Unit::All, None, 0, 10);
    assert_eq!((page.info.period.number, page.info.starts_at, page.info.ends_at, page.info.ends_in_ms()), (0, None, None, None));
    assert_eq!(entries(&page), "b=3 c=2 a=1");
}

#[test]
fn other_periods_by_number() {
    let (server, connection) = noon();
    record(&connection, &[("a", "1")]);
    server.clock.set(NOON_MS + DAY_S * 1000);
    record(&connection, &[("b", "1")]);
    assert_eq!(entries(&read(&connection, Unit::Day, None, 0, 10)), "b=1");
    assert_eq!(entries(&read(&connection, Unit::Day, Some(20_777), 0, 10)), "a=1");
    assert_eq!(entries(&read(&connection, Unit::Hour, Some(498_660), 0, 10)), "a=1");
    let empty = read(&connection, Unit::Day, Some(20_770), 0, 10);
    assert_eq!((empty.total, empty.entries.len(), empty.info.starts_at), (0, 0, Some(unix_s("2026-11-13T00:00:00Z"))));
    // Far from now, where the first guess at the zone's span does not reach.
    assert_eq!(read(&connection, Unit::Year, Some(1970), 0, 1).info.starts_at, Some(0));
    assert_eq!(server.keys("*:day:*").len(), 2, "reading makes no keys");
}

/// A period that has not begun, or that is no longer kept, costs a look at the clock.
#[test]
fn periods_that_cannot_be_had_are_refused_first() {
    let (server, connection) = noon();
    record(&connection, &[("a", "1")]);
    let refused = |unit: Unit, number: i64| {
        server.command(&["CONFIG", "RESETSTAT"]);
        let window = Window::parse(unit.name()).expect("a window");
        let (config, zones) = (site("UTC", "00:00", "monday"), TzZones::default());
        let of = period_ref(&config.sites["site"], "board", &window, Some(Period { unit, number }));
        let reply = call::read(&store(&connection, &zones, NOON_S), &config.sites["site"], Read::Top { of, offset: 0, limit: 10 });
        let ReadReply::NoPeriod(why) = reply else { panic!("{unit:?} {number}: {reply:?}") };
        let commands = call::calls(&server);
        let calls = commands["fcall_ro"];
        let expected = [("fcall_ro", calls), ("hmget", calls), ("time", calls)];
        assert_eq!(commands, expected.map(|(name, calls)| (name.to_owned(), calls)).into());
        assert!(calls <= 2, "once more where the zone is not known there");
        why
    };
    for (unit, dropped, kept, ahead) in [
        (Unit::Hour, 498_660 - 73, 498_660 - 72, 498_661),
        (Unit::Day, 20_777 - 61, 20_777 - 60, 20_778),
        (Unit::Week, 2968 - 53, 2968 - 52, 2969),
        (Unit::Month, 24_322 - 37, 24_322 - 36, 24_323),
        (Unit::Year, i64::MIN, 1970, 2027),
        (Unit::All, i64::MIN, 0, 1),
    ] {
        read(&connection, unit, Some(kept), 0, 10);
        assert_eq!(refused(unit, ahead), NoPeriod::Ahead, "{unit:?}");
        if dropped > i64::MIN {
            assert_eq!(refused(unit, dropped), NoPeriod::Expired, "{unit:?}");
        }
    }
    assert_eq!(
        [refused(Unit::Day, 0), refused(Unit::Day, 83_979), refused(Unit::Year, 2199)],
        [NoPeriod::Expired, NoPeriod::Ahead, NoPeriod::Ahead]
    );
}

#[test]
fn pages_neither_repeat_nor_skip() {
    let (_server, connection) = noon();
    // 300 members, six of each score: ties stand in one order, whatever the page.
    let members: Vec<(String, String)> = (0..300).map(|i| (format!("m{:03}", i * 7 % 300), (i / 6 + 1).to_string())).collect();
    for part in members.chunks(100) {
        record(&connection, &part.iter().map(|(member, score)| (member.as_str(), score.as_str())).collect::<Vec<_>>());
    }
    let pairs = |page: Page| page.entries.into_iter().map(|entry| (entry.id, entry.score)).collect::<Vec<_>>();
    let whole = pairs(read(&connection, Unit::Day, None, 0, 300));
    assert_eq!(whole.len(), 300);
    assert!(whole.windows(2).all(|pair| pair[0].1 >= pair[1].1 && pair[0].0 != pair[1].0));
    for limit in [1, 7, 100, 299, 300, 301] {
        let mut paged: Vec<(Id, Score)> = Vec::new();
        while paged.len() < 300 {
            let offset = u32::try_from(paged.len()).expect("few");
            let page = read(&connection, Unit::Day, None, offset, limit);
            assert_eq!((page.total, page.offset), (300, offset));
            assert_eq!(page.entries.len(), usize::try_from(limit).expect("few").min(300 - paged.len()));
            paged.extend(pairs(page));
        }
        assert_eq!(paged, whole, "pages of {limit}");
    }
    for offset in [300, 301, u32::MAX] {
        let beyond = read(&connection, Unit::Day, None, offset, 10);
        assert_eq!((beyond.entries.len(), beyond.total), (0, 300), "from {offset}");
    }
}

#[test]
fn only_what_is_above_zero_is_shown() {
    let (_server, connection) = noon();
    record(&connection, &[("a", "-1"), ("b", "0.5"), ("c", "0"), ("d", "0.000001")]);
    let page = read(&connection, Unit::Day, None, 0, 10);
    assert_eq!((entries(&page).as_str(), page.total), ("b=0.5 d=1e-6", 2));
    record(&connection, &[("a", "3")]);
    assert_eq!(entries(&read(&connection, Unit::Day, None, 0, 10)), "a=2 b=0.5 d=1e-6");
}

#[test]
fn scores_come_out_exact() {
    let (_server, connection) = noon();
    let exact = ["9007199254740992", "9007199254740991", "1234567890123456", "1000000000.5", "0.3", "0.1"];
    record(&connection, &exact.map(|score| (score, score)));
    for entry in read(&connection, Unit::All, None, 0, 10).entries {
        assert_eq!(entry.score.to_string(), entry.id.as_str());
    }
}

#[test]
fn refused_events_are_reported() {
    let (_server, connection) = noon();
    let full = Call::record("UTC", NOON_S).set("max_members", "1");
    for member in ["a", "b", "b"] {
        full.clone().event([member, "1", "", ""]).outcomes(&connection);
    }
    assert_eq!(read(&connection, Unit::Day, None, 0, 10).refused, 2);
    assert_eq!(read(&connection, Unit::Day, Some(20_776), 0, 10).refused, 0);
}

#[test]
fn an_empty_board_has_empty_pages() {
    let (server, connection) = noon();
    for unit in Unit::EACH {
        let page = read(&connection, unit, None, 0, 10);
        assert_eq!((page.entries.len(), page.total, page.refused), (0, 0, 0));
    }
    assert_eq!(server.number(&["DBSIZE"]), 0);
}

/// A span that does not reach around the period is asked for, not guessed.
#[test]
fn a_span_that_is_too_small_is_asked_for() {
    let (_server, connection) = noon();
    let wanted = |call: Call| match call.send(&connection).as_slice() {
        [Value::BulkString(span), Value::Int(now_ms), Value::Int(from), Value::Int(until)] if span == b"SPAN" => {
            (*now_ms / 1000, *from, *until)
        }
        other => panic!("not asked for: {other:?}"),
    };
    let top = |unit: &str| Call::top("Europe/London", NOON_S, unit);
    let (month_s, reach_s) = (30 * DAY_S, 397 * DAY_S);
    for (from, until) in [(NOON_S - month_s, NOON_S + 2 * reach_s), (NOON_S - 2 * reach_s, NOON_S + month_s)] {
        for unit in ["h", "d", "w", "m", "y"] {
            let (now_s, from, until) = wanted(top(unit).set("zone", &format!("{until} {from}:0")));
            assert_eq!((from, until), (now_s - reach_s, now_s + reach_s), "{unit}");
        }
    }
    // By number, only the period itself must be reached.
    let (from, until) = (unix_s("2026-11-20T12:00:00Z"), unix_s("2026-11-20T13:00:00Z"));
    let hour = |from: i64, until: i64| top("h").set("number", "498660").set("zone", &format!("{until} {from}:0"));
    assert_eq!(wanted(hour(from, until + 1)).1, from - reach_s);
    assert_eq!(wanted(hour(from - 1, until)).2, until + reach_s);
    assert_eq!(hour(from - 1, until + 1).send(&connection)[4..6], [Value::Int(from), Value::Int(from + HOUR_S)]);
}

#[test]
fn wrong_arguments_are_refused() {
    let (server, connection) = noon();
    for name in ["length", "amount", "at", "min_score", "offset", "limit", "day_starts_at", "week_starts_on"] {
        for garbage in ["", "x", "nan", "inf", "-inf", "1e999"] {
            let error = Call::top("UTC", NOON_S, "d").set(name, garbage).try_send(&connection).expect_err("refused");
            assert_eq!(error.fault, Fault::Refused, "{name} = {garbage:?}");
            assert!(error.detail.contains("top: "), "{name} = {garbage:?}: {error}");
        }
    }
    assert_eq!(server.number(&["DBSIZE"]), 0);
}
