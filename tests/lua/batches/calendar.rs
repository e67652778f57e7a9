//! Calendar arithmetic in zones whose offset never changes.

use chrono::{DateTime, Datelike, NaiveDate};
use edgeboard::ranking::window::Unit;

const HOUR_S: i64 = 3600;
const DAY_S: i64 = 86_400;

#[derive(Clone, Copy, Debug)]
pub struct Calendar {
    pub offset_s: i64,
}

impl Calendar {
    /// The number of the period that holds an instant.
    pub fn number(self, unit: Unit, at_ms: i64) -> i64 {
        let at_s = at_ms.div_euclid(1000);
        let day = (at_s + self.offset_s).div_euclid(DAY_S);
        let date = || DateTime::from_timestamp(day * DAY_S, 0).expect("of these years").date_naive();
        match unit {
            Unit::Minutes(grain) => at_s.div_euclid(grain.seconds().into()),
            Unit::Hour => (at_s + self.offset_s.rem_euclid(HOUR_S)).div_euclid(HOUR_S),
            Unit::Day => day,
            Unit::Week => (day + 3).div_euclid(7),
            Unit::Season => unreachable!("no season is counted here"),
            Unit::Month => i64::from(date().year()) * 12 + i64::from(date().month0()),
            Unit::Year => date().year().into(),
            Unit::All => 0,
        }
    }

    /// The instant (Unix seconds) at which a period ends; `None` for never.
    pub fn end_s(self, unit: Unit, number: i64) -> Option<i64> {
        let midnight = |day: i64| day * DAY_S - self.offset_s;
        let first_of = |month: i64| {
            let year = i32::try_from(month.div_euclid(12)).expect("of these years");
            let month = u32::try_from(month.rem_euclid(12) + 1).expect("a month");
            let date = NaiveDate::from_ymd_opt(year, month, 1).expect("a date");
            date.signed_duration_since(NaiveDate::default()).num_days()
        };
        match unit {
            Unit::Minutes(grain) => Some((number + 1) * i64::from(grain.seconds())),
            Unit::Hour => Some((number + 1) * HOUR_S - self.offset_s.rem_euclid(HOUR_S)),
            Unit::Day => Some(midnight(number + 1)),
            Unit::Week => Some(midnight((number + 1) * 7 - 3)),
            Unit::Season => unreachable!("no season is counted here"),
            Unit::Month => Some(midnight(first_of(number + 1))),
            Unit::Year => Some(midnight(first_of((number + 1) * 12))),
            Unit::All => None,
        }
    }
}
