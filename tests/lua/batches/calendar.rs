//! Calendar arithmetic in real zones, also in the nights in which their clocks change.
//!
//! A period's number is the greatest one that the zone's clock has ever reached, found by looking at it now and just before each of its
//! changes of the last days. When a period ends is found by trying instants.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use chrono::{DateTime, Datelike, NaiveDate};
use chrono_tz::Tz;
use ranking::window::Unit;

use crate::support::zones::offset_at;

const HOUR_S: i64 = 3600;
const DAY_S: i64 = 86_400;
/// All clocks of these tests change at a quarter of an hour.
const QUARTER_S: i64 = 900;
/// What histories reach, in quarters: 2024 to 2031.
const QUARTERS: std::ops::Range<i64> = 1_704_067_200 / QUARTER_S..1_956_528_000 / QUARTER_S;

thread_local! {
    static CHANGES: RefCell<HashMap<Tz, Rc<[i64]>>> = RefCell::default();
}

/// The instants (Unix seconds) at which a zone's clock is set forward or back.
fn changes(zone: Tz) -> Rc<[i64]> {
    let find = || {
        let quarters = QUARTERS.map(|quarter| quarter * QUARTER_S);
        quarters.filter(|at_s| offset_at(zone, *at_s) != offset_at(zone, at_s - 1)).collect()
    };
    CHANGES.with_borrow_mut(|known| Rc::clone(known.entry(zone).or_insert_with(find)))
}

#[derive(Clone, Copy, Debug)]
pub struct Calendar {
    pub zone: Tz,
    /// When days begin, in seconds after midnight.
    pub day_starts_at_s: i64,
}

impl Calendar {
    /// The number of the period that holds an instant.
    pub fn number(self, unit: Unit, at_ms: i64) -> i64 {
        let at_s = at_ms.div_euclid(1000);
        let day = || self.day(at_s);
        let date = || DateTime::from_timestamp(day() * DAY_S, 0).expect("of these years").date_naive();
        match unit {
            Unit::Minutes(grain) => at_s.div_euclid(grain.seconds().into()),
            Unit::Hour => self.hour(at_s),
            Unit::Day => day(),
            Unit::Week => (day() + 3).div_euclid(7),
            Unit::Season => unreachable!("no season is counted here"),
            Unit::Month => i64::from(date().year()) * 12 + i64::from(date().month0()),
            Unit::Year => date().year().into(),
            Unit::All => 0,
        }
    }

    /// The instant (Unix seconds) at which a period ends; `None` for never.
    pub fn end_s(self, unit: Unit, number: i64) -> Option<i64> {
        let first_of = |month: i64| {
            let year = i32::try_from(month.div_euclid(12)).expect("of these years");
            let month = u32::try_from(month.rem_euclid(12) + 1).expect("a month");
            let date = NaiveDate::from_ymd_opt(year, month, 1).expect("a date");
            date.signed_duration_since(NaiveDate::default()).num_days()
        };
        let begins = |day: i64| Some(first(|at_s| self.day(at_s) >= day, day * DAY_S));
        match unit {
            Unit::Minutes(grain) => Some((number + 1) * i64::from(grain.seconds())),
            Unit::Hour => Some(first(|at_s| self.hour(at_s) > number, (number + 1) * HOUR_S)),
            Unit::Day => begins(number + 1),
            Unit::Week => begins((number + 1) * 7 - 3),
            Unit::Season => unreachable!("no season is counted here"),
            Unit::Month => begins(first_of(number + 1)),
            Unit::Year => begins(first_of((number + 1) * 12)),
            Unit::All => None,
        }
    }

    fn day(self, at_s: i64) -> i64 {
        self.greatest(at_s, |at_s| (at_s + i64::from(offset_at(self.zone, at_s)) - self.day_starts_at_s).div_euclid(DAY_S))
    }

    /// Hours are named in UTC, and begin with the minutes of the zone.
    fn hour(self, at_s: i64) -> i64 {
        self.greatest(at_s, |at_s| (at_s + i64::from(offset_at(self.zone, at_s)).rem_euclid(HOUR_S)).div_euclid(HOUR_S))
    }

    /// The greatest number that the clock has reached at an instant.
    fn greatest(self, at_s: i64, reached: impl Fn(i64) -> i64) -> i64 {
        let changes = changes(self.zone);
        let until = changes.partition_point(|change_s| *change_s <= at_s);
        let lately = changes[..until].iter().rev().take_while(|change_s| **change_s > at_s - 2 * DAY_S);
        lately.map(|change_s| reached(change_s - 1)).fold(reached(at_s), i64::max)
    }
}

/// The first instant for which something holds from then on, no more than two days from a guess.
fn first(holds: impl Fn(i64) -> bool, guess_s: i64) -> i64 {
    let (mut before, mut after) = (guess_s - 2 * DAY_S, guess_s + 2 * DAY_S);
    while after - before > 1 {
        let between = i64::midpoint(before, after);
        if holds(between) {
            after = between;
        } else {
            before = between;
        }
    }
    after
}
