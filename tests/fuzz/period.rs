//! Period ids: what reads as one is written in that one way.

use chrono::Weekday;
use ranking::period::{Period, hour_start};
use ranking::window::Unit;

use crate::mutation::mutate;
use crate::random::Random;
use crate::target::run;

/// Two days, in seconds.
const ABOUT_S: i64 = 2 * 86_400;

pub fn make(random: &mut Random) -> String {
    let (year, small) = (random.pick(&[0, 1969, 1970, 1972, 2000, 2026, 2100, 2199, 2200, 9999]), |random: &mut Random| random.below(62));
    match random.below(9) {
        0 => format!("{year:04}-{:02}-{:02}T{:02}Z", small(random), small(random), small(random)),
        1 => {
            format!("{year:04}-{:02}-{:02}T{:02}:{:02}Z", 1 + small(random) % 12, 1 + small(random) % 31, small(random) % 24, small(random))
        }
        2 | 3 => format!("{year:04}-{:02}-{:02}", 1 + small(random) % 13, 1 + small(random) % 32),
        4 => format!("{year:04}-W{:02}", small(random) % 55),
        5 => format!("{year:04}-{:02}", small(random) % 14),
        6 => format!("{year:04}"),
        7 => format!("{}-{}", random.whole(), random.whole()),
        _ => random.text(),
    }
}

/// 1. Numbers of any size that a script can answer have an id or none.
/// 2. An id names at most one period of each unit, and that one is written so again.
/// 3. Where it begins is known within two days, and follows the numbers.
fn check(input: &[u8]) -> String {
    // What a reply can hold.
    let number = Random::of(input).whole() >> 10;
    let id = String::from_utf8_lossy(input);
    let mut read = Vec::new();
    for week_starts_on in [Weekday::Mon, Weekday::Sat, Weekday::Sun] {
        for unit in Unit::EACH {
            let any = Period { unit, number };
            let _ = (any.id(Some(number), week_starts_on), any.about(week_starts_on));
            let Some(period) = Period::parse(unit, &id, week_starts_on) else { continue };
            let start = hour_start(&id);
            assert_eq!(period.id(start, week_starts_on).as_deref(), Some(&*id), "{unit:?}");
            assert_eq!(period.about(week_starts_on).is_none(), unit == Unit::All, "{unit:?} {id}");
            if let (Unit::Hour, Some(start), Some(about)) = (unit, start, period.about(week_starts_on)) {
                assert!((start - about).abs() <= ABOUT_S, "{id} starts at {start}, about {about}");
            }
            let next = Period { number: period.number + 1, ..period };
            assert!(next.about(week_starts_on) >= period.about(week_starts_on), "{unit:?} {id}");
            read.push(format!("{unit:?}"));
        }
    }
    read.dedup();
    if read.is_empty() { "of no unit".into() } else { read.join(" ") }
}

#[test]
fn period() {
    let saved = run("period", |random| make(random).into_bytes(), mutate, check);
    for unit in Unit::EACH {
        assert!(saved.keys().any(|units| units.contains(&format!("{unit:?}"))), "no saved id is of {unit:?}");
    }
}
