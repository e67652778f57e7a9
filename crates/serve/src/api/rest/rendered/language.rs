//! What lists for pages without scripts say besides names: as web/board.js says it, which has the browser's `Intl` for numbers.

use serde_json::Number;

/// The texts and numbers of a language.
#[derive(Debug)]
pub struct Language {
    /// Of tags: what stands before the first `-`.
    code: &'static str,
    pub new: &'static str,
    /// `{n}` stands for a number of ranks.
    up: &'static str,
    down: &'static str,
    pub empty: &'static str,
    /// Between three digits.
    group: char,
    /// Digits from which on there are groups.
    grouped_from: usize,
    decimal: char,
}

const ENGLISH: Language =
    Language { code: "en", new: "new", up: "up {n}", down: "down {n}", empty: "Nothing yet", group: ',', grouped_from: 4, decimal: '.' };

/// Those of web/board-texts.js.
static LANGUAGES: [Language; 6] = [
    ENGLISH,
    Language {
        code: "de",
        new: "neu",
        up: "{n} nach oben",
        down: "{n} nach unten",
        empty: "Noch nichts",
        group: '.',
        decimal: ',',
        ..ENGLISH
    },
    Language {
        code: "fr",
        new: "nouveau",
        up: "en hausse de {n}",
        down: "en baisse de {n}",
        empty: "Rien pour le moment",
        group: '\u{202f}',
        decimal: ',',
        ..ENGLISH
    },
    Language {
        code: "es",
        new: "nuevo",
        up: "sube {n}",
        down: "baja {n}",
        empty: "Todavía nada",
        group: '.',
        grouped_from: 5,
        decimal: ',',
    },
    Language {
        code: "ja", new: "新着", up: "{n} ランク上昇", down: "{n} ランク下降", empty: "まだありません", ..ENGLISH
    },
    Language { code: "ar", new: "جديد", up: "صعود {n}", down: "هبوط {n}", empty: "لا شيء بعد", ..ENGLISH },
];

impl Language {
    /// That of a tag, else English.
    pub fn of(tag: &str) -> &'static Self {
        let code = tag.split('-').next().unwrap_or_default();
        LANGUAGES.iter().find(|language| language.code.eq_ignore_ascii_case(code)).unwrap_or(&LANGUAGES[0])
    }

    pub fn up(&self, by: u64) -> String {
        self.up.replace("{n}", &self.number(&by.into(), None))
    }

    pub fn down(&self, by: u64) -> String {
        self.down.replace("{n}", &self.number(&by.into(), None))
    }

    /// With so many decimals, or one where it has any. Digits are rounded as they are printed, as `Intl` does it: half away from zero.
    pub fn number(&self, number: &Number, decimals: Option<u8>) -> String {
        let printed = number.to_string();
        let (sign, digits) = printed.strip_prefix('-').map_or(("", printed.as_str()), |digits| ("-", digits));
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let places = usize::from(decimals.unwrap_or(1));
        let next = part.as_bytes().get(places).is_some_and(|digit| *digit >= b'5');
        let kept = format!("{whole}{part:0<places$.places$}");
        // No score is so great that it is printed with an exponent.
        let Ok(kept) = kept.parse::<u128>().map(|kept| kept + u128::from(next)) else { return printed };
        let kept = format!("{kept:0>width$}", width = places + 1);
        let (whole, part) = kept.split_at(kept.len() - places);
        let part = if decimals.is_none() { part.trim_end_matches('0') } else { part };
        let mut shown = String::from(if kept.bytes().all(|digit| digit == b'0') { "" } else { sign });
        for (at, digit) in whole.chars().enumerate() {
            if whole.len() >= self.grouped_from && at > 0 && (whole.len() - at).is_multiple_of(3) {
                shown.push(self.group);
            }
            shown.push(digit);
        }
        if !part.is_empty() {
            shown.push(self.decimal);
            shown.push_str(part);
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_are_those_of_the_element() {
        let texts = include_str!("../../../../../../web/board-texts.js");
        for Language { code, new, up, down, empty, .. } in LANGUAGES.iter().skip(1) {
            let line = texts.lines().find(|line| line.starts_with(&format!("  {code}: "))).expect("its line");
            for (name, text) in [("new", new), ("up", up), ("down", down), ("empty", empty)] {
                assert!(line.contains(&format!("{name}: '{text}'")), "{line} has no {text}");
            }
        }
        assert_eq!(texts.lines().filter(|line| line.starts_with("  ")).count(), LANGUAGES.len() - 1);
        let element = include_str!("../../../../../../web/board.js");
        let Language { new, up, down, empty, .. } = ENGLISH;
        for text in [new, up, down, empty] {
            assert!(element.contains(&format!("'{text}'")), "{text}");
        }
    }

    #[test]
    fn numbers() {
        let cases = [
            ("en", "1234", None, "1,234"),
            ("en-GB", "0.25", None, "0.3"),
            ("en", "1234.35", None, "1,234.4"),
            ("en", "12.05", Some(2), "12.05"),
            ("en", "12", Some(2), "12.00"),
            ("en", "12.4", Some(0), "12"),
            ("en", "-0.04", None, "0"),
            ("en", "0.96", None, "1"),
            ("xx", "9007199254740992", Some(6), "9,007,199,254,740,992.000000"),
            ("de", "1234567.5", None, "1.234.567,5"),
            ("fr", "1234", None, "1\u{202f}234"),
            ("es", "1234", None, "1234"),
            ("es", "12345", None, "12.345"),
            ("ja", "-1234.56", Some(1), "-1,234.6"),
            ("ar-EG", "1234.5", None, "1,234.5"),
            ("en", "1e300", None, "1e+300"),
        ];
        for (tag, number, decimals, expected) in cases {
            let number: Number = serde_json::from_str(number).expect(number);
            assert_eq!(Language::of(tag).number(&number, decimals), expected, "{tag} {number}");
        }
    }
}
