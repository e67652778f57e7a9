//! Periods: one concrete instance of a window, by number (as the scripts count them) or by id (as people read them).
//!
//! | unit | number | id |
//! |---|---|---|
//! | minute, 5-minutes, 10-minutes | such periods since 1970, of UTC | `2026-11-20T13:05Z`, its start in UTC, at full hours as theirs |
//! | hour | hours since 1970 that the zone's clock has begun | `2026-11-20T13Z`, its start in UTC |
//! | day | days since 1970-01-01 | `2026-11-20` |
//! | week | weeks since the one that holds 1970-01-01 | `2026-W47` |
//! | month | year × 12 + month − 1 | `2026-11` |
//! | season | seconds from 1970 to its start by the zone's clock | `2026-12-01`, or `2026-12-01T18:00` |
//! | year | the year | `2026` |
//! | all | 0 | `all` |
//!
//! A week is named by the year of its fourth day and its place in that year. Weeks that start on Monday are those of
//! ISO 8601. Weeks that start on Sunday are the CDC's epidemiological weeks.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Timelike, Weekday};

use super::season;
use super::window::Unit;

/// One concrete instance of a calendar unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    pub unit: Unit,
    pub number: i64,
}

/// Years a period may be asked for.
const YEARS: std::ops::RangeInclusive<i64> = 1970..=2199;

impl Period {
    /// How the ids of a unit's periods are written, for messages.
    pub fn allowed(unit: Unit) -> &'static str {
        match unit {
            Unit::Minutes(_) => "its last minutes' start in UTC, like 2026-11-20T13:05Z",
            Unit::Hour => "an hour's start in UTC, like 2026-11-20T13Z",
            Unit::Day => "a day, like 2026-11-20",
            Unit::Week => "a week, like 2026-W47",
            Unit::Month => "a month, like 2026-11",
            Unit::Season => "when one of its seasons starts, like 2026-12-01 or 2026-12-01T18:00",
            Unit::Year => "a year, like 2026",
            Unit::All => "all",
        }
    }

    /// Reads a period id; `None` when it names no period of the unit between 1970 and 2199.
    pub fn parse(unit: Unit, id: &str, week_starts_on: Weekday) -> Option<Self> {
        let number = match unit {
            Unit::Minutes(grain) => hour_start(id)?.div_euclid(grain.seconds().into()),
            Unit::Hour => hour_number(id)?,
            Unit::Day => day_number(read_date(id)?),
            Unit::Week => {
                let (year, week) = id.split_once('-')?;
                let week: i64 = digits(week.strip_prefix('W')?, 2)?;
                let number = first_week(digits(year, 4)?, week_starts_on)? + week - 1;
                (week > 0 && week_name(number, week_starts_on)?.1 == week).then_some(number)?
            }
            Unit::Month => {
                let (year, month) = id.split_once('-')?;
                let month = digits(month, 2).filter(|month| (1..=12).contains(month))?;
                digits(year, 4)? * 12 + month - 1
            }
            Unit::Season => season::local_time(id)?.and_utc().timestamp(),
            Unit::Year => digits(id, 4)?,
            Unit::All => (id == "all").then_some(0)?,
        };
        let period = Self { unit, number };
        // Written in exactly one way, and within the years: nothing else may become a key.
        (unit == Unit::All || YEARS.contains(&digits(id.get(..4)?, 4)?)).then_some(())?;
        (unit == Unit::Hour || period.id(None, week_starts_on)? == id).then_some(period)
    }

    /// The id. Hours are named by their start (Unix seconds), which only Redis tells.
    pub fn id(self, starts_at: Option<i64>, week_starts_on: Weekday) -> Option<String> {
        Some(match self.unit {
            Unit::Minutes(_) | Unit::Hour => {
                let start = self.unit.grain_s().map_or(starts_at, |grain_s| self.number.checked_mul(grain_s));
                let start = DateTime::from_timestamp(start?, 0)?;
                let (day, hour) = (write_date(start.date_naive()), start.hour());
                match start.minute() {
                    0 => format!("{day}T{hour:02}Z"),
                    minute => format!("{day}T{hour:02}:{minute:02}Z"),
                }
            }
            Unit::Day => write_date(date(self.number)?),
            Unit::Week => {
                let (year, week) = week_name(self.number, week_starts_on)?;
                format!("{year:04}-W{week:02}")
            }
            Unit::Month => format!("{:04}-{:02}", self.number.div_euclid(12), self.number.rem_euclid(12) + 1),
            Unit::Season => season::id(self.number)?,
            Unit::Year => format!("{:04}", self.number),
            Unit::All => "all".into(),
        })
    }

    /// Roughly when the period begins, in Unix seconds: within two days of the truth in any zone. `None` for all time.
    pub fn about(self, week_starts_on: Weekday) -> Option<i64> {
        match self.unit {
            Unit::All => None,
            Unit::Season => Some(self.number),
            Unit::Minutes(grain) => self.number.checked_mul(grain.seconds().into()),
            _ => Some(day_number(self.civil_start(week_starts_on)?) * 86_400),
        }
    }

    /// The civil date of the period's first day.
    fn civil_start(self, week_starts_on: Weekday) -> Option<NaiveDate> {
        match self.unit {
            Unit::Minutes(_) | Unit::Season => None,
            Unit::Hour => date(self.number.div_euclid(24)),
            Unit::Day => date(self.number),
            Unit::Week => date(week_first_day(self.number, week_starts_on)),
            Unit::Month => {
                NaiveDate::from_ymd_opt(self.number.div_euclid(12).try_into().ok()?, u32::try_from(self.number.rem_euclid(12)).ok()? + 1, 1)
            }
            Unit::Year => NaiveDate::from_ymd_opt(self.number.try_into().ok()?, 1, 1),
            Unit::All => NaiveDate::from_ymd_opt(1970, 1, 1),
        }
    }
}

/// The hour's number is its start in hours, rounded up (`lua/lib/zones.lua` counts an hour that starts at 12:30 as the
/// thirteenth).
fn hour_number(id: &str) -> Option<i64> {
    Some((hour_start(id)? + 3599).div_euclid(3600))
}

/// The start (Unix seconds) that `2026-11-20T13Z` or `2026-11-20T12:30Z` names. Whether an hour starts then depends on the
/// zone; `None` when it is not written so.
pub fn hour_start(id: &str) -> Option<i64> {
    let (day, time) = id.strip_suffix('Z')?.split_once('T')?;
    let day = read_date(day)?;
    let (hour, minute) = match time.split_once(':') {
        Some((hour, minute)) => (hour, digits(minute, 2).filter(|minute| *minute != 0)?),
        None => (time, 0),
    };
    let time = NaiveTime::from_hms_opt(digits(hour, 2)?.try_into().ok()?, minute.try_into().ok()?, 0)?;
    Some(day.and_time(time).and_utc().timestamp())
}

/// A number of exactly `width` digits.
fn digits(text: &str, width: usize) -> Option<i64> {
    let valid = text.len() == width && text.bytes().all(|byte| byte.is_ascii_digit());
    valid.then(|| text.parse().ok())?
}

/// `2026-11-20`. By hand: chrono's formats would make the bundle a tenth larger.
fn read_date(text: &str) -> Option<NaiveDate> {
    let (year, rest) = text.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    NaiveDate::from_ymd_opt(digits(year, 4)?.try_into().ok()?, digits(month, 2)?.try_into().ok()?, digits(day, 2)?.try_into().ok()?)
}

fn write_date(date: NaiveDate) -> String {
    format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
}

fn date(day_number: i64) -> Option<NaiveDate> {
    DateTime::from_timestamp(day_number.checked_mul(86_400)?, 0).map(|instant| instant.date_naive())
}

fn day_number(date: NaiveDate) -> i64 {
    date.and_time(NaiveTime::MIN).and_utc().timestamp().div_euclid(86_400)
}

/// Day 0, 1970-01-01, is a Thursday; week 0 holds it.
fn week_shift(week_starts_on: Weekday) -> i64 {
    (3 - i64::from(week_starts_on.num_days_from_monday())).rem_euclid(7)
}

fn week_first_day(week: i64, week_starts_on: Weekday) -> i64 {
    week * 7 - week_shift(week_starts_on)
}

/// The number of a year's first week, the one that holds 4 January.
fn first_week(year: i64, week_starts_on: Weekday) -> Option<i64> {
    let fourth = NaiveDate::from_ymd_opt(year.try_into().ok()?, 1, 4)?;
    Some((day_number(fourth) + week_shift(week_starts_on)).div_euclid(7))
}

/// Year and place in the year: those of the week's fourth day.
fn week_name(week: i64, week_starts_on: Weekday) -> Option<(i64, i64)> {
    let fourth = date(week_first_day(week, week_starts_on) + 3)?;
    Some((fourth.year().into(), i64::from(fourth.ordinal0()) / 7 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(unit: Unit, id: &str, week_starts_on: Weekday, expected: Option<i64>) {
        let period = Period::parse(unit, id, week_starts_on);
        assert_eq!(period.map(|period| period.number), expected, "{id}");
        if let (Some(period), false) = (period, unit == Unit::Hour) {
            assert_eq!(period.id(None, week_starts_on).as_deref(), Some(id));
        }
    }

    #[test]
    fn ids_and_numbers() {
        use Weekday::{Mon, Sun};
        check(Unit::Day, "1970-01-01", Mon, Some(0));
        check(Unit::Day, "2026-11-20", Mon, Some(20_777));
        check(Unit::Week, "1970-W01", Mon, Some(0));
        check(Unit::Week, "2020-W53", Mon, Some(2661));
        check(Unit::Week, "2021-W01", Mon, Some(2662));
        check(Unit::Week, "2021-W53", Mon, None);
        check(Unit::Week, "2020-W53", Sun, Some(2661));
        check(Unit::Month, "2026-11", Mon, Some(24_322));
        check(Unit::Year, "2026", Mon, Some(2026));
        check(Unit::All, "all", Mon, Some(0));
        check(Unit::Hour, "1970-01-02T00Z", Mon, Some(24));
        check(Unit::Hour, "1970-01-01T12:30Z", Mon, Some(13));
        check(Unit::Hour, "1970-01-01T12:15Z", Mon, Some(13));
    }

    #[test]
    fn garbage() {
        let garbage = [
            "",
            "all ",
            "2026-13",
            "2026-1",
            "+026",
            "2026-11-31",
            "02026-11-20",
            "2026-11-20T24Z",
            "2026-11-20T13",
            "2026-W00",
            "2026-W54",
            "1969-12-31",
            "2200",
            "-001",
            "2026-11-20T13:60Z",
            "2026-11-20T13:00Z",
            "99999-01-01",
            "２０２６",
        ];
        for id in garbage {
            for unit in Unit::EACH {
                check(unit, id, Weekday::Mon, None);
            }
        }
    }

    #[test]
    fn hours_are_named_by_their_start() {
        let hour = Period { unit: Unit::Hour, number: 13 };
        assert_eq!(hour.id(Some(45_000), Weekday::Mon).as_deref(), Some("1970-01-01T12:30Z"));
        assert_eq!(hour.id(Some(46_800), Weekday::Mon).as_deref(), Some("1970-01-01T13Z"));
        assert_eq!(hour.id(None, Weekday::Mon), None);
    }
}
