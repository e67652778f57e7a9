//! Time zones through the runtime's `Intl`, so that no zone database is in the bundle.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Date, Function, Object, Reflect};
use ranking::zone::{Years, ZoneSpan};
use serve::config::KnownZones;
use worker::wasm_bindgen::{JsCast, JsValue};

/// Spans that were looked up: a few per zone, since they are whole years.
#[derive(Default)]
pub struct Cache {
    spans: RefCell<Vec<(String, Years, Rc<ZoneSpan>)>>,
}

/// More spans than that are not kept; readers of old periods may ask for any year.
const MAX_SPANS: usize = 200;

impl Cache {
    pub fn span(&self, timezone: &str, years: Years) -> Rc<ZoneSpan> {
        let known = |(name, span_years, _): &&(String, Years, Rc<ZoneSpan>)| name == timezone && *span_years == years;
        if let Some((.., span)) = self.spans.borrow().iter().find(known) {
            return Rc::clone(span);
        }
        let format = formatter(timezone);
        let span = Rc::new(ZoneSpan::find(years, |instant| format.as_ref().and_then(|format| offset_at(format, instant)).unwrap_or(0)));
        let mut spans = self.spans.borrow_mut();
        if spans.len() >= MAX_SPANS {
            spans.clear();
        }
        spans.push((timezone.into(), years, Rc::clone(&span)));
        span
    }
}

/// Those that the runtime knows.
pub struct Known;

impl KnownZones for Known {
    fn knows(&self, name: &str) -> bool {
        formatter(name).is_some()
    }

    fn names(&self) -> Vec<String> {
        let listed = || {
            let intl = Reflect::get(&js_sys::global(), &"Intl".into()).ok()?;
            let list: Function = Reflect::get(&intl, &"supportedValuesOf".into()).ok()?.dyn_into().ok()?;
            list.call1(&intl, &"timeZone".into()).ok()?.dyn_into::<Array>().ok()
        };
        listed().into_iter().flat_map(|zones| zones.iter().collect::<Vec<_>>()).filter_map(|zone| zone.as_string()).collect()
    }
}

/// A function from a date to `11/20/2026, 13:05:09` in the zone; `None` when there is no such zone.
fn formatter(timezone: &str) -> Option<Function> {
    let options = Object::new();
    let set = |name: &str, value: &str| Reflect::set(&options, &name.into(), &value.into());
    set("timeZone", timezone).ok()?;
    set("hourCycle", "h23").ok()?;
    for field in ["year", "month", "day", "hour", "minute", "second"] {
        set(field, "numeric").ok()?;
    }
    let intl = Reflect::get(&js_sys::global(), &"Intl".into()).ok()?;
    let constructor: Function = Reflect::get(&intl, &"DateTimeFormat".into()).ok()?.dyn_into().ok()?;
    // Not js_sys::Intl, whose constructor does not catch the exception about an unknown zone.
    let format = Reflect::construct(&constructor, &Array::of2(&"en-US".into(), &options)).ok()?;
    Reflect::get(&format, &"format".into()).ok()?.dyn_into().ok()
}

/// Seconds by which the zone's clock is ahead of UTC.
fn offset_at(format: &Function, instant: i64) -> Option<i32> {
    #[expect(clippy::cast_precision_loss, reason = "instants of the years 1968 to 2201")]
    let date = Date::new(&JsValue::from_f64(instant as f64 * 1000.0));
    let text = format.call1(&JsValue::UNDEFINED, &date).ok()?.as_string()?;
    let numbers: Vec<u32> = text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect();
    let &[month, day, year, hour, minute, second] = numbers.as_slice() else { return None };
    let local = chrono::NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?.and_hms_opt(hour, minute, second)?;
    i32::try_from(local.and_utc().timestamp() - instant).ok()
}
