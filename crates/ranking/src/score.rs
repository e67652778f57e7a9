//! Scores: sums of weights.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A finite score. Integers up to 2^53 are exact and print as integers.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Score(f64);

impl Score {
    pub const ZERO: Self = Self(0.0);
    pub const ONE: Self = Self(1.0);

    /// Reads what a script answers (`%.17g`); `None` when it is not a finite number.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok().and_then(Self::new)
    }

    /// `None` when the value is not finite.
    pub fn new(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self(value))
    }

    /// An integer; above 2^53 the nearest number.
    pub fn from_integer(value: u64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "documented")]
        Self(value as f64)
    }

    /// So many of it: a product of weights and counts is finite.
    pub fn times(self, count: u32) -> Self {
        Self(self.0 * f64::from(count))
    }

    pub fn value(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Score {
    /// The shortest text that reads back as the same number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(f64::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("no score"))
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// Above this, integers are not all exact: 2^53.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.0.fract() == 0.0 && self.0.abs() <= EXACT {
            #[expect(clippy::cast_possible_truncation, reason = "an integer of at most 2^53 fits")]
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_integers_as_integers() {
        for (text, printed) in [
            ("42", "42"),
            ("-3", "-3"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("9007199254740992", "9007199254740992"),
            ("1e+300", "1e+300"),
            ("2.5", "2.5"),
        ] {
            let score = Score::parse(text).expect(text);
            assert_eq!(serde_json::to_string(&score).expect("scores serialize"), printed);
        }
        assert_eq!(Score::parse("nan"), None);
        assert_eq!(Score::parse("inf"), None);
    }
}
