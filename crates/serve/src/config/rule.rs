//! Rules: what a single value may be. Each rule reads a value and says what it allows, both from one constant.

use std::ops::RangeInclusive;

use ranking::choice::Choice;
use ranking::name::{Name, nearest};
use ranking::score::Score;
use ranking::tier::Tiers;
use serde_json::Value;

/// What a value may be.
pub(super) trait Rule {
    type Read;

    /// What is allowed, for messages.
    fn allowed(&self) -> String;

    /// `None` when the value is not allowed.
    fn read(&self, value: &Value) -> Option<Self::Read>;

    /// What was probably meant by text that is not allowed.
    fn nearest(&self, _text: &str) -> Option<String> {
        None
    }
}

/// `true` or `false`.
pub(super) struct Boolean;

impl Rule for Boolean {
    type Read = bool;

    fn allowed(&self) -> String {
        "true or false".into()
    }

    fn read(&self, value: &Value) -> Option<bool> {
        value.as_bool()
    }
}

/// Text that is a name.
pub(super) struct NameText;

impl Rule for NameText {
    type Read = Name;

    fn allowed(&self) -> String {
        Name::ALLOWED.into()
    }

    fn read(&self, value: &Value) -> Option<Name> {
        value.as_str().and_then(Name::new)
    }
}

/// A name that no route of a site has, nor a file at the root.
pub(super) struct UnusedName;

impl UnusedName {
    const USED: [&str; 9] = ["actors", "admin", "board", "boards", "events", "items", "mine", "openapi", "top"];
}

impl Rule for UnusedName {
    type Read = Name;

    fn allowed(&self) -> String {
        format!("{}, other than {}", Name::ALLOWED, Self::USED.join(", "))
    }

    fn read(&self, value: &Value) -> Option<Name> {
        NameText.read(value).filter(|name| !Self::USED.contains(&name.as_str()))
    }
}

/// A whole number within bounds.
pub(super) struct Whole(pub RangeInclusive<u32>);

impl Rule for Whole {
    type Read = u32;

    fn allowed(&self) -> String {
        format!("a whole number from {} to {}", self.0.start(), self.0.end())
    }

    fn read(&self, value: &Value) -> Option<u32> {
        value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| self.0.contains(number))
    }
}

/// A number within bounds that have at most six decimals.
pub(super) struct Number(pub RangeInclusive<f64>);

impl Rule for Number {
    type Read = Score;

    fn allowed(&self) -> String {
        format!("a number from {} to {}", decimal(*self.0.start()), decimal(*self.0.end()))
    }

    fn read(&self, value: &Value) -> Option<Score> {
        value.as_f64().filter(|number| self.0.contains(number)).and_then(Score::new)
    }
}

/// A share of all in hundredths of a percent, such as `"1%"` or `"0.25%"`.
pub(super) struct Percent;

impl Rule for Percent {
    type Read = u32;

    fn allowed(&self) -> String {
        r#"a percentage from "0.01%" to "100%", with at most two decimals"#.into()
    }

    fn read(&self, value: &Value) -> Option<u32> {
        let text = value.as_str()?.strip_suffix('%')?;
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |digits: &str, most| (1..=most).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
        if !is_number(whole, 3) || !is_number(decimals, 2) {
            return None;
        }
        let hundredths = whole.parse::<u32>().ok()? * 100 + format!("{decimals:0<2}").parse::<u32>().ok()?;
        (1..=Tiers::ALL).contains(&hundredths).then_some(hundredths)
    }
}

/// A weight: not 0, of either sign.
pub(super) struct Weight;

impl Weight {
    /// Sums of up to 2^53 ÷ 10^9 = 9 million events of the greatest weight stay exact.
    const MAX: u32 = 1_000_000_000;
}

impl Rule for Weight {
    type Read = Score;

    fn allowed(&self) -> String {
        format!("a number other than 0, at most {} in size, with at most six decimals", Self::MAX)
    }

    fn read(&self, value: &Value) -> Option<Score> {
        // The scripts round sums to millionths.
        #[expect(clippy::float_cmp, reason = "it is to be its own rounding exactly")]
        let exact = |number: &f64| *number != 0.0 && number.abs() <= f64::from(Self::MAX) && (number * 1e6).round() / 1e6 == *number;
        value.as_f64().filter(exact).and_then(Score::new)
    }
}

/// A duration within bounds, in seconds.
pub(super) struct Duration(pub RangeInclusive<u32>);

impl Duration {
    /// The units that durations are written in, with their seconds.
    const UNITS: [(char, u32); 4] = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400)];

    /// In the greatest unit that leaves no rest.
    pub(super) fn written(seconds: u32) -> String {
        let whole = Self::UNITS.into_iter().rev().find(|(_, scale)| seconds.is_multiple_of(*scale));
        whole.map_or(String::new(), |(unit, scale)| format!("\"{}{unit}\"", seconds / scale))
    }
}

impl Rule for Duration {
    type Read = u32;

    fn allowed(&self) -> String {
        let (min, max) = (Self::written(*self.0.start()), Self::written(*self.0.end()));
        let units = listed(Self::UNITS.map(|(unit, _)| unit.to_string()).into(), "or");
        format!("a duration from {min} to {max}, a whole number and {units}")
    }

    fn read(&self, value: &Value) -> Option<u32> {
        let text = value.as_str()?;
        let (_, scale) = Self::UNITS.into_iter().find(|(unit, _)| text.ends_with(*unit))?;
        let number: u32 = text[..text.len() - 1].parse().ok()?;
        number.checked_mul(scale).filter(|seconds| self.0.contains(seconds))
    }
}

/// A short duration within bounds, in milliseconds.
pub(super) struct Delay(pub RangeInclusive<u32>);

impl Rule for Delay {
    type Read = u32;

    fn allowed(&self) -> String {
        format!("a duration from \"{}ms\" to \"{}ms\", a whole number and ms or s", self.0.start(), self.0.end())
    }

    fn read(&self, value: &Value) -> Option<u32> {
        let text = value.as_str()?;
        let (number, scale) = match text.strip_suffix("ms") {
            Some(number) => (number, 1),
            None => (text.strip_suffix('s')?, 1000),
        };
        number.parse().ok().and_then(|number: u32| number.checked_mul(scale)).filter(|ms| self.0.contains(ms))
    }
}

/// A time of day, read as the seconds since midnight.
pub(super) struct TimeOfDay {
    /// Whether seconds may be written.
    pub seconds: bool,
}

impl Rule for TimeOfDay {
    type Read = u32;

    fn allowed(&self) -> String {
        if self.seconds { "a time of day from \"00:00:00\" to \"23:59:59\"" } else { "a time of day from \"00:00\" to \"23:59\"" }.into()
    }

    fn read(&self, value: &Value) -> Option<u32> {
        value.as_str().filter(|text| self.seconds || text.len() == 5).and_then(second_of_day)
    }
}

/// The seconds since midnight of `02:01` or `02:01:00`.
fn second_of_day(text: &str) -> Option<u32> {
    let mut parts = text.split(':');
    let mut next = |below: u32| parts.next().map(|part| part.parse::<u32>().ok().filter(|number| part.len() == 2 && *number < below));
    let (hour, minute, second) = (next(24)??, next(60)??, next(60).unwrap_or(Some(0))?);
    parts.next().is_none().then_some(hour * 3600 + minute * 60 + second)
}

/// The name of one of a few things.
pub(super) struct OneOf<T: 'static> {
    pub each: &'static [T],
    pub name: fn(T) -> &'static str,
}

impl<T: Choice> OneOf<T> {
    /// Any of an enumeration.
    pub(super) const ANY: Self = Self { each: T::EACH, name: T::name };
}

impl<T: Copy> OneOf<T> {
    fn each_name(&self) -> impl Iterator<Item = &'static str> {
        self.each.iter().map(|choice| (self.name)(*choice))
    }

    /// The names as they are written.
    pub(super) fn names(&self) -> Vec<String> {
        self.each_name().map(|name| format!("\"{name}\"")).collect()
    }
}

impl<T: Copy> Rule for OneOf<T> {
    type Read = T;

    fn allowed(&self) -> String {
        listed(self.names(), "or")
    }

    fn read(&self, value: &Value) -> Option<T> {
        self.each.iter().copied().find(|choice| value == (self.name)(*choice))
    }

    fn nearest(&self, text: &str) -> Option<String> {
        nearest(text, self.each_name()).map(String::from)
    }
}

/// `a, b or c`
pub(super) fn listed(mut words: Vec<String>, conjunction: &str) -> String {
    let last = words.pop().unwrap_or_default();
    if words.is_empty() { last } else { format!("{} {conjunction} {last}", words.join(", ")) }
}

/// A number of at most six decimals. Not by its own `Display`, which would bring the printing of floats into the bundle.
fn decimal(number: f64) -> String {
    if number.fract() == 0.0 {
        return Score::new(number).map_or(String::new(), |whole| whole.to_string());
    }
    #[expect(clippy::cast_possible_truncation, reason = "bounds with decimals are small")]
    let millionths = (number * 1e6).round() as i64;
    let digits = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
    digits.trim_end_matches('0').into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use ranking::window::Unit;

    #[track_caller]
    fn check<R: Rule<Read: PartialEq + std::fmt::Debug>>(rule: &R, allowed: &str, values: &[(Value, Option<R::Read>)]) {
        assert_eq!(rule.allowed(), allowed);
        for (value, expected) in values {
            assert_eq!(rule.read(value), *expected, "{value}");
        }
    }

    #[test]
    fn bounds_are_read_and_named() {
        check(&Boolean, "true or false", &[(json!(true), Some(true)), (json!("true"), None), (json!(0), None)]);
        check(
            &Whole(2..=30),
            "a whole number from 2 to 30",
            &[(json!(1), None), (json!(2), Some(2)), (json!(30), Some(30)), (json!(31), None), (json!(2.5), None), (json!("2"), None)],
        );
        check(
            &Duration(60..=31 * 86_400),
            r#"a duration from "1m" to "31d", a whole number and s, m, h or d"#,
            &[
                (json!("59s"), None),
                (json!("60s"), Some(60)),
                (json!("1m"), Some(60)),
                (json!("36h"), Some(129_600)),
                (json!("31d"), Some(2_678_400)),
                (json!("32d"), None),
                (json!("4294967297d"), None),
                (json!("1é"), None),
                (json!("d"), None),
                (json!(""), None),
                (json!(60), None),
            ],
        );
        check(&Duration(90..=5400), r#"a duration from "90s" to "90m", a whole number and s, m, h or d"#, &[]);
        check(
            &Delay(0..=2000),
            r#"a duration from "0ms" to "2000ms", a whole number and ms or s"#,
            &[(json!("0ms"), Some(0)), (json!("2s"), Some(2000)), (json!("2001ms"), None), (json!("2"), None), (json!(2), None)],
        );
        let score = Score::new;
        check(
            &Number(0.01..=0.999_999),
            "a number from 0.01 to 0.999999",
            &[(json!(0.01), score(0.01)), (json!(0.999_999), score(0.999_999)), (json!(1), None), (json!(0), None), (json!("0.5"), None)],
        );
        check(&Number(0.000_001..=1e6), "a number from 0.000001 to 1000000", &[(json!(1_000_000), score(1e6))]);
        check(&Number(0.0..=1e15), "a number from 0 to 1000000000000000", &[(json!(-0.5), None)]);
        check(
            &Weight,
            "a number other than 0, at most 1000000000 in size, with at most six decimals",
            &[(json!(0), None), (json!(-1e9), score(-1e9)), (json!(1e9 + 1.0), None), (json!(0.000_001), score(1e-6)), (json!(1e-7), None)],
        );
        check(
            &TimeOfDay { seconds: false },
            r#"a time of day from "00:00" to "23:59""#,
            &[(json!("02:01"), Some(7260)), (json!("02:01:00"), None), (json!("24:00"), None), (json!("2:01"), None)],
        );
        check(
            &TimeOfDay { seconds: true },
            r#"a time of day from "00:00:00" to "23:59:59""#,
            &[(json!("02:01"), Some(7260)), (json!("23:59:59"), Some(86_399)), (json!("02:01:60"), None)],
        );
    }

    #[test]
    fn names_are_read_and_listed() {
        check(
            &OneOf::ANY,
            r#""hour", "day", "week", "month", "year" or "all""#,
            &[(json!("all"), Some(Unit::All)), (json!("All"), None), (json!(1), None)],
        );
        check(&OneOf { each: &[Unit::Day], name: Unit::name }, r#""day""#, &[(json!("day"), Some(Unit::Day)), (json!("week"), None)]);
    }
}
