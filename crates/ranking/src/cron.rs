//! Cron expressions of five fields: minute, hour, day of the month, month, day of the week. Lists, ranges, steps and `*`, in numbers.
//!
//! Like those of cron itself, an expression that names days of the month and days of the week means both kinds of days.
//!
//! # Out of scope
//! Names of months and days, seconds, years, and the letters `L`, `W` and `#`.
//!
//! # Decisions
//!
//! - It is our own code. croner 4 takes the days of `*/10` for named ones, so `0 0 */10 * 1` would mean every Monday as well, which it does
//!   not to cron. The crates cron and saffron read Quartz's expressions, whose weekdays begin with 1 for Sunday.

use std::ops::RangeInclusive;

use chrono::{Datelike, Days, NaiveDateTime};

/// What a field matches: bit n is for the number n.
type Numbers = u64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cron {
    minutes: Numbers,
    hours: Numbers,
    days: Numbers,
    months: Numbers,
    /// Sunday is 0.
    weekdays: Numbers,
    /// Whether a day must match both fields of days: one of them begins with a star.
    both: bool,
}

impl Cron {
    /// Reads an expression; `None` when it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let mut fields = text.split_ascii_whitespace();
        let mut next = || fields.next();
        let (minutes, hours, days, months, weekdays) = (next()?, next()?, next()?, next()?, next()?);
        if fields.next().is_some() {
            return None;
        }
        let week = numbers(weekdays, 0..=7)?;
        Some(Self {
            minutes: numbers(minutes, 0..=59)?,
            hours: numbers(hours, 0..=23)?,
            days: numbers(days, 1..=31)?,
            months: numbers(months, 1..=12)?,
            weekdays: week | week >> 7,
            both: days.starts_with('*') || weekdays.starts_with('*'),
        })
    }

    /// The first time after another one that it means; `None` when none comes within nine years, such as the 30th of February. A leap
    /// day comes after eight at the latest.
    pub fn after(&self, time: NaiveDateTime) -> Option<NaiveDateTime> {
        const LONGEST_DAYS: usize = 9 * 366;
        let mut date = time.date();
        for _ in 0..LONGEST_DAYS {
            if self.is_day(date.day(), date.month(), date.weekday().num_days_from_sunday()) {
                let times = (0..24).filter(|hour| has(self.hours, *hour)).flat_map(|hour| (0..60).map(move |minute| (hour, minute)));
                let mut times =
                    times.filter(|(_, minute)| has(self.minutes, *minute)).filter_map(|(hour, minute)| date.and_hms_opt(hour, minute, 0));
                if let Some(at) = times.find(|at| *at > time) {
                    return Some(at);
                }
            }
            date = date.checked_add_days(Days::new(1))?;
        }
        None
    }

    fn is_day(&self, day: u32, month: u32, weekday: u32) -> bool {
        let (of_month, of_week) = (has(self.days, day), has(self.weekdays, weekday));
        has(self.months, month) && if self.both { of_month && of_week } else { of_month || of_week }
    }
}

fn has(numbers: Numbers, number: u32) -> bool {
    numbers >> number & 1 == 1
}

/// Reads a field: `*`, `5`, `1-5`, `*/15`, `1-9/2`, and lists of these.
fn numbers(field: &str, allowed: RangeInclusive<u32>) -> Option<Numbers> {
    let number = |text: &str| {
        let digits = text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|number| digits && allowed.contains(number))
    };
    let mut found = 0;
    for part in field.split(',') {
        let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None if range == "*" => (*allowed.start(), *allowed.end()),
            None if step.is_some() => return None,
            None => (number(range)?, number(range)?),
        };
        let step: usize = step.map_or(Some(1), |step| step.parse().ok().filter(|step| (1..=59).contains(step)))?;
        if first > last {
            return None;
        }
        found |= (first..=last).step_by(step).fold(0, |found, number| found | 1 << number);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::season::{id, local_time};

    #[track_caller]
    fn check(expression: &str, from: &str, expected: &[&str]) {
        let cron = Cron::parse(expression).expect("an expression");
        let mut time = local_time(from).expect("a time");
        for expected in expected {
            time = cron.after(time).expect("a next time");
            assert_eq!(id(time.and_utc().timestamp()).as_deref(), Some(*expected), "{expression}");
        }
    }

    #[test]
    fn next_times() {
        check("0 0 * * *", "2026-12-31", &["2027-01-01", "2027-01-02"]);
        check(
            "*/20 9-10 * * *",
            "2026-12-31T09:30",
            &["2026-12-31T09:40", "2026-12-31T10:00", "2026-12-31T10:20", "2026-12-31T10:40", "2027-01-01T09:00"],
        );
        check("0 18 1 1,7 *", "2026-12-31", &["2027-01-01T18:00", "2027-07-01T18:00", "2028-01-01T18:00"]);
        check("0 0 29 2 *", "2026-12-31", &["2028-02-29", "2032-02-29"]);
        check("0 0 29 2 *", "2096-02-29", &["2104-02-29"]);
        check("0 0 * * 7", "2026-12-01", &["2026-12-06", "2026-12-13"]);
        check("0 0 13 * 5", "2026-12-01", &["2026-12-04", "2026-12-11", "2026-12-13", "2026-12-18"]);
        check("0 0 */10 * 1", "2026-12-01", &["2026-12-21", "2027-01-11"]);
        assert_eq!(Cron::parse("0 0 30 2 *").and_then(|cron| cron.after(local_time("2026-12-01")?)), None);
    }

    #[test]
    fn what_is_no_expression() {
        for text in [
            "",
            "* * * *",
            "* * * * * *",
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "* * * 13 *",
            "* * * * 8",
            "5-1 * * * *",
            "1/2 * * * *",
            "*/0 * * * *",
            "a * * * *",
            "1,,2 * * * *",
            "001 * * * *",
        ] {
            assert_eq!(Cron::parse(text), None, "{text}");
        }
    }
}
