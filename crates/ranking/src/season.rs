//! Seasons: spans of time with a beginning and an end of their own, by the clock of the site's zone.
//!
//! A season is known by when it starts. So a season keeps its board when others are configured before or after it.
//!
//! # Decisions
//!
//! - A season is a calendar period whose boundaries the worker sends as instants, behind the zone (`ZoneSpan::seasons_arg`). So
//!   ties, dense ranks, counts by action, undos and bounds hold for seasons as for days. Its number is its local start, which
//!   no other configuration changes.
//! - Seasons of a board do not overlap. So the letter of the unit and the start identify one, also in records that outlive a
//!   configuration.

use chrono::{DateTime, Datelike, Months, NaiveDate, NaiveDateTime, TimeDelta, Timelike};

use super::cron::Cron;

/// When a season starts and ends by the zone's clock, in seconds as if that were UTC's. The end is not in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Season {
    pub starts: i64,
    pub ends: i64,
}

/// When one season ends and the next one starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Every {
    Hours(u32),
    Months(u32),
    Cron(Cron),
}

/// Seasons of a board, at most: a day's for a year, or a week's for seven. All that are near go with each call.
pub const MOST: usize = 400;
/// Days of a season, at most: the zone is known for two years around an instant.
pub const LONGEST_DAYS: i64 = 730;

impl Every {
    /// Reads `"2 weeks"`, or a cron expression of five fields; `None` when it is neither.
    pub fn parse(text: &str) -> Option<Self> {
        let Some((number, unit)) = text.split_once(' ').filter(|(_, unit)| !unit.contains(' ')) else {
            return Cron::parse(text).map(Self::Cron);
        };
        let number: u32 = number.parse().ok().filter(|number| (1..=1000).contains(number))?;
        Some(match unit.strip_suffix('s').unwrap_or(unit) {
            "hour" => Self::Hours(number),
            "day" => Self::Hours(24 * number),
            "week" => Self::Hours(7 * 24 * number),
            "month" => Self::Months(number),
            "year" => Self::Months(12 * number),
            _ => return None,
        })
    }

    /// The boundary number `place` of seasons that begin at `from`, if the one before is `last`.
    fn boundary(&self, from: NaiveDateTime, place: u32, last: NaiveDateTime) -> Option<NaiveDateTime> {
        match self {
            Self::Hours(hours) => from.checked_add_signed(TimeDelta::hours(i64::from(*hours) * i64::from(place))),
            // Counted from the beginning: the 31st is the last day of shorter months, and the 31st again afterwards.
            Self::Months(months) => from.checked_add_months(Months::new(months * place)),
            Self::Cron(cron) => cron.after(last),
        }
    }
}

impl Season {
    /// The seasons in a row from one local time until another; without `every` one. `None` where there are more than [`MOST`].
    pub fn in_a_row(from: NaiveDateTime, until: NaiveDateTime, every: Option<&Every>) -> Option<Vec<Self>> {
        let (mut seasons, mut starts) = (Vec::new(), from);
        while starts < until {
            let place = u32::try_from(seasons.len() + 1).ok()?;
            let boundary = every.and_then(|every| every.boundary(from, place, starts));
            let ends = boundary.map_or(until, |boundary| boundary.min(until));
            seasons.push(Self { starts: starts.and_utc().timestamp(), ends: ends.and_utc().timestamp() });
            if seasons.len() > MOST {
                return None;
            }
            starts = ends;
        }
        Some(seasons)
    }

    pub fn days(self) -> i64 {
        (self.ends - self.starts).div_euclid(86_400)
    }
}

/// Reads `2026-12-01` or `2026-12-01T18:30`, between 1970 and 2199.
pub fn local_time(text: &str) -> Option<NaiveDateTime> {
    let (date, time) = text.split_once('T').unwrap_or((text, "00:00"));
    let mut parts = date.splitn(3, '-').zip([4, 2, 2]).map(|(part, width)| digits(part, width));
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let (hour, minute) = time.split_once(':')?;
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day).filter(|date| (1970..=2199).contains(&date.year()))?;
    date.and_hms_opt(digits(hour, 2)?, digits(minute, 2)?, 0)
}

/// The id of a season that starts at a local time: the date, and the time of day unless that is midnight.
pub fn id(starts: i64) -> Option<String> {
    let at = DateTime::from_timestamp(starts, 0)?.naive_utc();
    let date = format!("{:04}-{:02}-{:02}", at.year(), at.month(), at.day());
    Some(if at.num_seconds_from_midnight() == 0 { date } else { format!("{date}T{:02}:{:02}", at.hour(), at.minute()) })
}

/// A number of exactly `width` digits.
fn digits(text: &str, width: usize) -> Option<u32> {
    let valid = text.len() == width && text.bytes().all(|byte| byte.is_ascii_digit());
    valid.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(from: &str, until: &str, every: Option<&str>, starts: &[&str]) {
        let every = every.map(|every| Every::parse(every).expect("every is well written"));
        let time = |text| local_time(text).expect("a time");
        let seasons = Season::in_a_row(time(from), time(until), every.as_ref()).expect("not too many");
        let ids: Vec<String> = seasons.iter().map(|season| id(season.starts).expect("a time")).collect();
        assert_eq!(ids, starts);
        for pair in seasons.windows(2) {
            assert_eq!(pair[0].ends, pair[1].starts);
        }
        assert_eq!(seasons.last().map(|last| last.ends), Some(time(until).and_utc().timestamp()));
    }

    #[test]
    fn seasons_follow_each_other() {
        check("2026-12-01", "2027-03-01", None, &["2026-12-01"]);
        check("2026-12-01", "2027-01-05", Some("2 weeks"), &["2026-12-01", "2026-12-15", "2026-12-29"]);
        check("2027-12-31", "2028-04-01", Some("1 month"), &["2027-12-31", "2028-01-31", "2028-02-29", "2028-03-31"]);
        check("2024-02-29T18:00", "2026-03-01", Some("1 year"), &["2024-02-29T18:00", "2025-02-28T18:00", "2026-02-28T18:00"]);
        check("2026-12-03", "2026-12-12", Some("30 18 * * 5"), &["2026-12-03", "2026-12-04T18:30", "2026-12-11T18:30"]);
        check("2028-02-27", "2028-03-02", Some("1 day"), &["2028-02-27", "2028-02-28", "2028-02-29", "2028-03-01"]);
    }

    #[test]
    fn what_is_no_season() {
        for text in ["2026-02-29", "2026-2-1", "2026-12-01T24:00", "2026-12-01T1:00", "2026-12-01T10:00:00", "1969-12-31", "2200-01-01", ""]
        {
            assert_eq!(local_time(text), None, "{text}");
        }
        for text in ["2", "weeks", "0 weeks", "2 fortnights", "1001 days", "-1 days", "* * * *", "60 * * * *", ""] {
            assert_eq!(Every::parse(text), None, "{text}");
        }
        let time = |text| local_time(text).expect("a time");
        assert_eq!(Season::in_a_row(time("2026-01-01"), time("2027-03-01"), Every::parse("1 day").as_ref()), None);
    }
}
