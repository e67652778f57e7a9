//! Numbers that look random and repeat with their seed, and the values at which code tends to break.

use serde_json::{Value, json};

/// The generator `SplitMix64`: <https://prng.di.unimi.it/splitmix64.c>.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// For what must happen the same way each time that an input is tried.
    pub fn of(input: &[u8]) -> Self {
        // FNV-1a
        Self(input.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below one that is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("it is below a usize")
    }

    /// Once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }

    pub fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    /// A whole number at or near a bound of some type or rule.
    pub fn whole(&mut self) -> i64 {
        const BOUNDS: [i64; 22] = [
            0,
            1,
            -1,
            7,
            20,
            50,
            99,
            100,
            101,
            127,
            255,
            256,
            1_000,
            65_536,
            86_400_000,
            100_000_000_000,
            1_795_176_000_000,
            i32::MAX as i64,
            u32::MAX as i64,
            9_007_199_254_740_992,
            i64::MAX,
            i64::MIN,
        ];
        let bound = *self.pick(&BOUNDS);
        match self.below(4) {
            0 => bound.wrapping_add(1),
            1 => bound.wrapping_sub(2),
            2 => self.next().cast_signed() >> self.below(64),
            _ => bound,
        }
    }

    /// A text that some rule is about.
    pub fn text(&mut self) -> String {
        const TEXTS: [&str; 40] = [
            "",
            " ",
            "view",
            "like",
            "comment",
            "share",
            "demo",
            "articles",
            "people",
            "once",
            "hot",
            "day",
            "week",
            "last-7-days",
            "all",
            "/posts/1",
            "u7",
            "é",
            "\u{0}",
            "\u{1f}",
            "\u{7f}",
            "\u{85}",
            "\u{2028}",
            "\u{202e}",
            "\u{feff}",
            "😀",
            "\u{10ffff}",
            "%2F",
            "..",
            "__proto__",
            "null",
            "2026-11-20",
            "2026-11-20T12:00:00Z",
            "2026-11-20T23:59:60+14:00",
            "2026-W53",
            "1e999",
            "NaN",
            "127.0.0.1",
            "2001:db8::1",
            "\\\"",
        ];
        let text = *self.pick(&TEXTS);
        match self.below(8) {
            0 => text.repeat(*self.pick(&[2, 64, 127, 128, 255, 256, 257, 1025])),
            1 => format!("{text}{}", self.pick(&TEXTS)),
            2 => self.whole().to_string(),
            _ => text.into(),
        }
    }

    /// A JSON value, at most so deep.
    pub fn json(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 8 } else { 11 }) {
            0 => Value::Null,
            1 => json!(self.once_in(2)),
            2 => json!(self.whole()),
            3 => json!(self.next()),
            4 => json!(f64::from_bits(self.next())),
            5 => json!(*self.pick(&[0.1, -0.0, 0.5, 1e300, 1e-300, f64::MAX, f64::MIN_POSITIVE, 99_999_999_999.5])),
            6 | 7 => json!(self.text()),
            8 => (0..self.below(4)).map(|_| self.json(depth - 1)).collect(),
            9 => (0..self.below(4)).map(|_| (self.text(), self.json(depth - 1))).collect::<serde_json::Map<_, _>>().into(),
            _ => (0..*self.pick(&[99, 100, 101, 130])).fold(json!([]), |inner, _| json!([inner])),
        }
    }
}
