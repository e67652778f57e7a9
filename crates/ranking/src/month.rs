//! Calendar months of UTC, in which sites use what their quotas allow.

use chrono::{DateTime, Datelike, Months, NaiveDate};

/// A calendar month of UTC, by its first day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Month(NaiveDate);

impl Month {
    /// The month of an instant, in Unix milliseconds.
    pub fn of(unix_ms: i64) -> Self {
        let date = DateTime::from_timestamp_millis(unix_ms).unwrap_or_default().date_naive();
        Self(date.with_day(1).unwrap_or(date))
    }

    /// `2026-11`
    pub fn id(self) -> String {
        format!("{:04}-{:02}", self.0.year(), self.0.month())
    }

    /// When the next one begins, in Unix milliseconds.
    pub fn ends_ms(self) -> i64 {
        self.0.checked_add_months(Months::new(1)).unwrap_or(NaiveDate::MAX).and_time(chrono::NaiveTime::MIN).and_utc().timestamp_millis()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_ends_where_the_next_one_begins() {
        for (at, id, ends) in [
            ("2026-11-20T12:00:00Z", "2026-11", "2026-12-01T00:00:00Z"),
            ("2026-12-31T23:59:59.999Z", "2026-12", "2027-01-01T00:00:00Z"),
            ("2028-02-29T00:00:00Z", "2028-02", "2028-03-01T00:00:00Z"),
        ] {
            let ms = |text: &str| DateTime::parse_from_rfc3339(text).expect("an instant").timestamp_millis();
            let month = Month::of(ms(at));
            assert_eq!((month.id(), month.ends_ms()), (id.into(), ms(ends)), "{at}");
        }
    }
}
