//! How wide text is, where it may be broken, and which way it is written. No browser measures a picture's text before it is drawn, so
//! the widths are those of the fonts that it names: Verdana and `DejaVu Sans`, whose glyphs are equally wide.

/// Hundredths of the size of the font, of the characters from the space on.
const ASCII: [u8; 95] = [
    36, 41, 46, 84, 64, 108, 78, 28, 46, 46, 64, 84, 37, 46, 37, 46, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 46, 46, 84, 84, 84, 55, 100,
    69, 69, 70, 78, 64, 58, 78, 76, 43, 46, 70, 56, 87, 75, 79, 61, 79, 70, 69, 62, 74, 69, 99, 69, 62, 69, 46, 46, 46, 84, 64, 64, 62, 64,
    55, 64, 62, 36, 64, 64, 28, 35, 60, 28, 98, 64, 62, 64, 64, 43, 53, 40, 64, 60, 82, 60, 60, 53, 64, 46, 64, 84,
];
const ELLIPSIS: char = '…';

/// Hundredths of the size of the font. Other scripts have no table: their widths are rather too large than too small.
pub fn width(text: &str) -> usize {
    text.chars().map(advance).sum()
}

fn advance(char: char) -> usize {
    let code = u32::from(char);
    match code {
        0x20..=0x7e => ASCII[(code - 0x20) as usize].into(),
        _ if continues(char) => 0,
        0x2013 | 0x2018..=0x201f | 0x2022 => 60,
        0x2010..=0x2026 => 100,
        0x2600..=0x27bf | 0x1f000..=0x1faff => 140,
        _ if is_wide(code) => 100,
        0x590..=0x8ff => 75,
        0xa0..=0x24f | 0x370..=0x3ff => 70,
        _ => 80,
    }
}

/// Whether it belongs to the character before it.
fn continues(char: char) -> bool {
    matches!(
        u32::from(char),
        0x300..=0x36f | 0x483..=0x489 | 0x591..=0x5c7 | 0x610..=0x61a | 0x64b..=0x65f | 0x670 | 0x6d6..=0x6ed | 0x200b..=0x200f
            | 0x202a..=0x202e | 0x2060..=0x2069 | 0x20d0..=0x20ff | 0xfe00..=0xfe0f | 0x1f3fb..=0x1f3ff | 0xe0100..=0xe01ef
    )
}

/// Ideographs, kana, Hangul and full-width forms: a line may end behind each.
fn is_wide(code: u32) -> bool {
    matches!(code, 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff01..=0xff60 | 0x20000..=0x3fffd)
}

/// Whether its first letter is of a script that is written from the right.
pub fn is_right_to_left(text: &str) -> bool {
    let letter = text.chars().find(|char| char.is_alphabetic()).map_or(0, u32::from);
    matches!(letter, 0x590..=0x8ff | 0xfb1d..=0xfdff | 0xfe70..=0xfeff | 0x10800..=0x10fff | 0x1e800..=0x1eeff)
}

/// At most `most` lines of that width, in hundredths of the font's size. What has no room ends with an ellipsis.
pub fn lines(text: &str, most: usize, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text.trim();
    while width(rest) > room && lines.len() + 1 < most {
        let (line, next) = rest.split_at(line_end(rest, room));
        lines.push(line.trim_end().to_owned());
        rest = next.trim_start();
    }
    if width(rest) > room {
        let end = fitting(rest, room.saturating_sub(advance(ELLIPSIS)));
        lines.push(format!("{}{ELLIPSIS}", rest[..end].trim_end()));
    } else {
        lines.push(rest.to_owned());
    }
    lines
}

/// How many bytes of it have room.
fn fitting(text: &str, room: usize) -> usize {
    let mut used = 0;
    let mut end = 0;
    let mut joins = false;
    for (at, char) in text.char_indices() {
        if !joins && !continues(char) {
            end = at;
        }
        used += advance(char);
        // What a zero-width joiner stands before is one emoji with what stands behind it.
        joins = char == '\u{200d}';
        if used > room {
            return end;
        }
    }
    text.len()
}

/// Where a line of it ends: behind a space, a hyphen, a slash or an ideograph, else where there is no more room; never at its beginning.
fn line_end(text: &str, room: usize) -> usize {
    let fits = fitting(text, room);
    let may_end = |char: char| char.is_whitespace() || matches!(char, '-' | '/') || is_wide(u32::from(char));
    let last = text[..fits].char_indices().rev().find(|(_, char)| may_end(*char));
    let first = || text.chars().next().map_or(0, char::len_utf8);
    match last {
        // The space before a word that has no room has none either.
        _ if text[fits..].starts_with(char::is_whitespace) => fits,
        Some((at, char)) if at > 0 => at + char.len_utf8(),
        _ => fits.max(first()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_where_a_word_ends() {
        let cases: [(&str, usize, &[&str]); 9] = [
            ("One two", 1000, &["One two"]),
            ("One two three", 500, &["One two", "three"]),
            ("One two three four five six", 500, &["One two", "three f…"]),
            ("Donaudampfschifffahrt", 500, &["Donauda", "mpfschi…"]),
            ("/posts/a-long-slug", 500, &["/posts/a-", "long-slug"]),
            ("日本語の題名です", 500, &["日本語の題", "名です"]),
            ("e\u{301}e\u{301}e\u{301}e\u{301}", 130, &["e\u{301}e\u{301}", "e\u{301}e\u{301}"]),
            ("👩\u{200d}🚀👩\u{200d}🚀", 280, &["👩\u{200d}🚀", "👩\u{200d}🚀"]),
            ("", 500, &[""]),
        ];
        for (text, room, expected) in cases {
            assert_eq!(lines(text, 2, room), expected, "{text}");
        }
        assert_eq!(lines("WWW", 2, 10), ["W", "…"], "no room for anything");
    }

    #[test]
    fn directions() {
        for (text, expected) in [("عنوان", true), ("1. שלום, world", true), ("world שלום", false), ("123", false), ("", false)]
        {
            assert_eq!(is_right_to_left(text), expected, "{text}");
        }
    }
}
