//! The counts by action of a member, as the scripts write them: "action count sum …".

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value, json};

use super::amend::rounded;

/// `{"view":[40,40],"like":[1,2]}`: how often, and what that was worth.
pub(super) fn to_json(tally: &str) -> Value {
    let entry = |(action, (count, sum)): (&str, (i64, f64))| (action.to_owned(), json!([count, number(sum)]));
    Value::Object(read(tally).into_iter().map(entry).collect())
}

/// The tally of such an object; `None` where it is something else.
pub(super) fn from_json(json: &Value) -> Option<String> {
    let entry = |(action, counted): (&String, &Value)| Some(text(action, counted.get(0)?.as_i64()?, counted.get(1)?.as_f64()?));
    let words: Option<Vec<String>> = json.as_object().map(Map::iter)?.map(entry).collect();
    words.map(|words| words.join(" "))
}

/// Two tallies of a member as one.
pub(super) fn added(one: &str, other: &str) -> String {
    let mut sums = read(one);
    for (action, (count, sum)) in read(other) {
        let had = sums.entry(action).or_default();
        *had = (had.0 + count, rounded(had.1 + sum));
    }
    let words: Vec<String> =
        sums.into_iter().filter(|(_, (count, _))| *count != 0).map(|(action, (count, sum))| text(action, count, sum)).collect();
    words.join(" ")
}

/// The tally that takes one away.
pub(super) fn negated(tally: &str) -> String {
    let words: Vec<String> = read(tally).into_iter().map(|(action, (count, sum))| text(action, -count, -sum)).collect();
    words.join(" ")
}

fn read(tally: &str) -> BTreeMap<&str, (i64, f64)> {
    let words: Vec<&str> = tally.split_whitespace().collect();
    let entry = |words: &[&'_ str]| Some((words.get(1)?.parse().ok()?, words.get(2)?.parse().ok()?));
    words.chunks(3).filter_map(|words| Some((*words.first()?, entry(words)?))).collect()
}

fn text(action: &str, count: i64, sum: f64) -> String {
    format!("{action} {count} {}", number(sum))
}

/// A whole number as such.
fn number(sum: f64) -> Number {
    const WHOLE: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and below 2^53")]
    let whole = (sum.fract() == 0.0 && sum.abs() < WHOLE).then_some(sum as i64);
    whole.map(Number::from).or_else(|| Number::from_f64(sum)).unwrap_or_else(|| 0.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for tally in ["", "view 40 40", "like -1 -2 view 3 0.30000000000000004"] {
            assert_eq!(from_json(&to_json(tally)).as_deref(), Some(tally));
        }
        assert_eq!(to_json("view 40 40 like 1 2.5"), json!({ "view": [40, 40], "like": [1, 2.5] }));
        for wrong in [json!([]), json!({ "view": 1 }), json!({ "view": ["1", 2] })] {
            assert_eq!(from_json(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn sums() {
        for (one, other, sum) in [
            ("", "view 1 1", "view 1 1"),
            ("view 3 3 like 1 2", "like -1 -2", "view 3 3"),
            ("view 1 0.1", "view 2 0.2", "view 3 0.3"),
            ("like 1 2", "like -1 -2", ""),
            ("like 1 2", "share 1 5 like 1 2", "like 2 4 share 1 5"),
        ] {
            assert_eq!(added(one, other), sum, "{one} + {other}");
        }
    }
}
