//! Time zones from chrono-tz, in place of the runtime's `Intl`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use chrono::{DateTime, Offset, TimeZone};
use chrono_tz::Tz;
use ranking::zone::{Years, ZoneSpan, Zones};

/// Keeps the spans it found, as the edge does.
#[derive(Default)]
pub struct TzZones {
    spans: RefCell<HashMap<(String, Years), Rc<ZoneSpan>>>,
}

impl Zones for TzZones {
    fn span(&self, timezone: &str, years: Years) -> Rc<ZoneSpan> {
        let zone = parse(timezone).unwrap_or_else(|| panic!("no zone is called {timezone}"));
        let find = || Rc::new(ZoneSpan::find(years, |instant| offset_at(zone, instant)));
        Rc::clone(self.spans.borrow_mut().entry((timezone.into(), years)).or_insert_with(find))
    }
}

pub fn parse(timezone: &str) -> Option<Tz> {
    timezone.parse().ok()
}

/// Seconds by which the zone's clock is ahead of UTC at an instant (Unix seconds).
pub fn offset_at(zone: Tz, instant: i64) -> i32 {
    let at = DateTime::from_timestamp(instant, 0).expect("an instant that chrono knows");
    zone.offset_from_utc_datetime(&at.naive_utc()).fix().local_minus_utc()
}
