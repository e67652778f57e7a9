//! A time zone's UTC offsets over a span of time, as data that the scripts reckon with.

use std::fmt::Write;
use std::rc::Rc;

use chrono::{Datelike, NaiveDate};

use super::season::Season;

/// A zone's offsets from `rows[0].from` until `until`; of the time outside nothing is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneSpan {
    rows: Vec<Row>,
    until: i64,
}

/// From this instant (Unix seconds) on, the zone's clock is this many seconds ahead of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    from: i64,
    offset: i32,
}

/// A span in which the offset does not change and no clock that was set back still repeats itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StableOffset {
    pub from: i64,
    pub until: i64,
    pub offset: i32,
}

/// Whole years, so that few spans are ever asked for: they can be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Years {
    first: i32,
    last: i32,
}

/// Whoever knows time zones.
pub trait Zones {
    /// A zone (an IANA name that was found valid before) over some years.
    fn span(&self, timezone: &str, years: Years) -> Rc<ZoneSpan>;
}

/// For who has no other zone.
#[derive(Clone, Copy, Debug)]
pub struct Utc;

impl Zones for Utc {
    fn span(&self, _timezone: &str, years: Years) -> Rc<ZoneSpan> {
        Rc::new(ZoneSpan::find(years, |_| 0))
    }
}

const WEEK: i64 = 7 * 86_400;
/// The scripts reckon this far around an instant (`REACH` in `lua/lib/clock.lua`).
const REACH: i64 = 397 * 86_400;

impl Years {
    /// The years needed to reckon with instants from `from` until `until` (Unix seconds), and two more on either side. So every
    /// instant of the years between is further than `REACH` from both ends.
    pub fn around(from: i64, until: i64) -> Self {
        Self { first: year_of(from) - 2, last: year_of(until) + 2 }
    }

    /// From the earlier to the later of both.
    pub fn and(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    /// The first instant of the first year and of the year after the last, in UTC.
    pub fn bounds(self) -> (i64, i64) {
        (new_year(self.first), new_year(self.last + 1))
    }
}

impl ZoneSpan {
    /// Finds the rows by asking for the offset once a week and halving every span over which it differs. Two changes within
    /// the same week that cancel each other are missed. No zone has had such since 1970.
    pub fn find(years: Years, offset_at: impl Fn(i64) -> i32) -> Self {
        let (from, until) = years.bounds();
        let mut rows = vec![Row { from, offset: offset_at(from) }];
        let mut at = from;
        while at < until {
            let next = (at + WEEK).min(until);
            let (before, after) = (rows[rows.len() - 1].offset, offset_at(next));
            if before != after {
                let (mut unchanged, mut changed) = (at, next);
                while changed - unchanged > 1 {
                    let middle = unchanged + (changed - unchanged) / 2;
                    if offset_at(middle) == before { unchanged = middle } else { changed = middle }
                }
                rows.push(Row { from: changed, offset: offset_at(changed) });
            }
            at = if rows[rows.len() - 1].offset == after { next } else { rows[rows.len() - 1].from };
        }
        Self { rows, until }
    }

    /// As the scripts read it: `until from:offset from:offset …`.
    pub fn to_arg(&self) -> String {
        let mut arg = self.until.to_string();
        for row in &self.rows {
            let _ = write!(arg, " {}:{}", row.from, row.offset);
        }
        arg
    }

    /// The first instant at which the zone's clock shows a local time or a later one. Both are in seconds, of local time as if it were UTC's.
    /// Before and after the span the nearest offset is taken.
    pub fn instant_of(&self, local: i64) -> i64 {
        let ends = self.rows.iter().skip(1).map(|row| row.from).chain([i64::MAX]);
        let mut reached = self.rows.iter().zip(ends).enumerate().map(|(i, (row, ends))| {
            let at = local - i64::from(row.offset);
            (if i == 0 { at } else { at.max(row.from) }, ends)
        });
        reached.find(|(at, ends)| at < ends).map_or(local, |(at, _)| at)
    }

    /// Seasons in a row, as the scripts read them behind the zone: `;start=instant` where one starts, `;-=instant` where one ends and none
    /// starts. Those that do not reach into the span are left out.
    pub fn seasons_arg(&self, seasons: &[Season]) -> String {
        let (mut arg, mut ends) = (String::new(), None);
        let is_near = |season: &&Season| self.instant_of(season.ends) >= self.rows[0].from && self.instant_of(season.starts) <= self.until;
        for season in seasons.iter().filter(is_near) {
            if let Some(ends) = ends.filter(|ends| *ends != season.starts) {
                let _ = write!(arg, ";-={}", self.instant_of(ends));
            }
            let _ = write!(arg, ";{}={}", season.starts, self.instant_of(season.starts));
            ends = Some(season.ends);
        }
        if let Some(ends) = ends {
            let _ = write!(arg, ";-={}", self.instant_of(ends));
        }
        arg
    }

    /// The span of a stable offset around an instant, or an empty one: there the scripts reckon with all rows.
    pub fn stable_offset_at(&self, instant: i64) -> StableOffset {
        let ends = self.rows.iter().skip(1).map(|row| row.from).chain([self.until]);
        let mut before: Option<Row> = None;
        for (row, ends) in self.rows.iter().zip(ends) {
            if (row.from..ends).contains(&instant) {
                // A count of hours repeats for less than an hour, a count of days for as long as the clock was set back.
                let repeats = before.map_or(0, |before| i64::from((before.offset - row.offset).max(3600)));
                return StableOffset {
                    from: (row.from + repeats).max(self.rows[0].from + REACH),
                    until: ends.min(self.until - REACH),
                    offset: row.offset,
                };
            }
            before = Some(*row);
        }
        StableOffset { from: 0, until: 0, offset: 0 }
    }
}

fn year_of(instant: i64) -> i32 {
    let day = chrono::DateTime::from_timestamp(instant, 0);
    day.map_or(1970, |day| day.year())
}

fn new_year(year: i32) -> i64 {
    NaiveDate::from_ymd_opt(year, 1, 1).and_then(|day| day.and_hms_opt(0, 0, 0)).map_or(0, |start| start.and_utc().timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets that change at the given instants.
    fn offsets(rows: &[(i64, i32)]) -> impl Fn(i64) -> i32 {
        move |at| rows.iter().rev().find(|(from, _)| at >= *from).map_or(0, |(_, offset)| *offset)
    }

    #[test]
    fn finds_every_change_to_the_second() {
        let years = Years::around(1_700_000_000, 1_700_000_000);
        let (from, until) = years.bounds();
        let rows = [(from, 0), (1_616_893_200, 3600), (1_616_893_201 + 86_400, 7200), (1_635_642_000, -3600)];
        let span = ZoneSpan::find(years, offsets(&rows));
        assert_eq!(span.to_arg(), format!("{until} {from}:0 1616893200:3600 1616979601:7200 1635642000:-3600"));
    }

    #[test]
    fn local_times_are_first_reached_at_an_instant() {
        let years = Years::around(1_700_000_000, 1_700_000_000);
        let rows = [(0, 3600), (1_700_000_000, 7200), (1_710_000_000, 3600)];
        let span = ZoneSpan::find(years, offsets(&rows));
        let check = |local: i64, instant: i64| assert_eq!(span.instant_of(local), instant, "{local}");
        check(1_700_003_599, 1_699_999_999);
        // Clocks go forward by an hour: these local times do not exist.
        check(1_700_003_600, 1_700_000_000);
        check(1_700_007_199, 1_700_000_000);
        check(1_700_007_201, 1_700_000_001);
        // They go back: the hour before comes twice.
        check(1_710_007_199, 1_709_999_999);
        check(1_710_003_600, 1_709_996_400);
        check(1_710_007_200, 1_710_003_600);
        check(0, -3600);
        let season = |starts: i64, ends: i64| Season { starts, ends };
        let seasons = [
            season(0, 9),
            season(1_700_003_600, 1_710_003_600),
            season(1_710_003_600, 1_710_007_200),
            season(1_710_007_300, 1_710_007_400),
        ];
        let arg = ";1700003600=1700000000;1710003600=1709996400;-=1710003600;1710007300=1710003700;-=1710003800";
        assert_eq!(span.seasons_arg(&seasons), arg);
    }

    #[test]
    fn a_stable_offset_stays_clear_of_repeated_time_and_of_the_ends() {
        let now = 1_700_000_000;
        let years = Years::around(now, now);
        let back = now - 10_000;
        let rows = [(0, 7200), (back, -7200)];
        let span = ZoneSpan::find(years, offsets(&rows));
        let stable = span.stable_offset_at(now);
        assert_eq!((stable.from, stable.offset), (back + 14_400, -7200));
        assert_eq!(stable.until, years.bounds().1 - REACH);
        assert_eq!(span.stable_offset_at(years.bounds().1), StableOffset { from: 0, until: 0, offset: 0 });
    }
}
