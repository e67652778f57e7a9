//! A picture of a list, for pages that can show nothing else: a readme, a profile, a mail.

use std::fmt::Write;

use super::language::Language;
use super::look::{Look, STYLE};
use super::text::{is_right_to_left, lines, width};
use super::{Entry, Ranking, escape};

// Pixels. The sizes of fonts are those of web/list.css.
const FONT: usize = 14;
const HEADING: usize = 16;
const SMALL: usize = 11;
const LINE: usize = 20;
/// From the edge to rows, and from the ends of a row to what stands in it.
const MARGIN: usize = 10;
const PADDING: usize = 8;
const GAP: usize = 10;
const BETWEEN: usize = 4;
/// From the top of a line to where its letters stand.
const BASE: usize = 15;
/// Bold letters are as much wider, in hundredths.
const BOLD: usize = 122;
const MAX_LINES: usize = 2;

/// A row's texts, and its height.
struct Row<'e> {
    entry: &'e Entry,
    score: String,
    moved: Moved,
    lines: Vec<String>,
}

struct Moved {
    class: &'static str,
    sign: String,
    label: String,
}

/// Where things stand, in pixels from the side where rows begin.
struct Columns {
    full: usize,
    is_right: bool,
    names: usize,
    /// What names have.
    room: usize,
    moves: usize,
    scores: usize,
}

impl Columns {
    fn of(rows: &[Row<'_>], full: usize, is_right: bool) -> Self {
        let widest = |of: &dyn Fn(&Row<'_>) -> usize| rows.iter().map(of).max().unwrap_or(0);
        let rank = pixels(widest(&|row| width(&row.entry.rank.to_string())), FONT).max(FONT * 5 / 4);
        let moved = pixels(widest(&|row| width(&row.moved.sign)), SMALL);
        let score = pixels(widest(&|row| width(&row.score)) * BOLD / 100, FONT);
        let names = MARGIN + PADDING + rank + GAP;
        let scores = full - MARGIN - PADDING;
        let moves = scores.saturating_sub(score + GAP);
        let room = moves.saturating_sub(names + if moved == 0 { 0 } else { moved + GAP });
        Self { full, is_right, names, room, moves, scores }
    }

    fn x(&self, at: usize) -> usize {
        if self.is_right { self.full - at } else { at }
    }

    /// The left end of what begins there and is so wide.
    fn rect_x(&self, at: usize, width: usize) -> usize {
        if self.is_right { self.full - at - width } else { at }
    }

    /// Text that is written the other way stands at the same side.
    fn direction(&self, text: &str) -> &'static str {
        match (is_right_to_left(text), self.is_right) {
            (true, false) => " direction=\"rtl\" text-anchor=\"end\"",
            (false, true) => " direction=\"ltr\" text-anchor=\"end\"",
            _ => "",
        }
    }
}

/// A row for each member: its rank, its title or name in up to two lines, its movement and its score, on a bar as long as its share of the
/// best score. Text is text: no id makes a link or a style.
pub fn write(ranking: &Ranking, look: &Look<'_>) -> String {
    let language = Language::of(look.lang());
    let full = look.width as usize;
    let inner = full - 2 * MARGIN;
    let mut rows: Vec<Row<'_>> = ranking.entries.iter().map(|entry| row(ranking, entry, language)).collect();
    let columns = Columns::of(&rows, full, look.is_right_to_left(&ranking.entries));
    for row in &mut rows {
        row.lines = lines(row.entry.name(), MAX_LINES, columns.room * 100 / FONT);
    }

    let mut top = MARGIN;
    let (mut beside, mut names) = (String::new(), String::new());
    if let Some(title) = look.title {
        let (x, direction) = (columns.x(MARGIN + PADDING), columns.direction(title));
        for line in lines(title, MAX_LINES, (inner - 2 * PADDING) * 10_000 / BOLD / HEADING) {
            let (y, line) = (top + BASE, escape(&line));
            let _ = write!(beside, "<text class=\"heading\" x=\"{x}\" y=\"{y}\"{direction}>{line}</text>");
            top += LINE;
        }
        top += PADDING;
    }
    for row in &rows {
        let height = row.lines.len() * LINE + GAP;
        let bar = (ranking.share(row.entry) * inner + 500) / 1000;
        if bar > 0 {
            let x = columns.rect_x(MARGIN, bar);
            let _ = write!(beside, "<rect class=\"bar\" x=\"{x}\" y=\"{top}\" width=\"{bar}\" height=\"{height}\" rx=\"6\"/>");
        }
        write_row(row, &columns, top + GAP / 2 + BASE, &mut beside, &mut names);
        top += height + BETWEEN;
    }
    if rows.is_empty() {
        let (x, y) = (columns.x(MARGIN + PADDING), top + GAP / 2 + BASE);
        let _ = write!(beside, "<text class=\"empty\" x=\"{x}\" y=\"{y}\">{}</text>", ranking.empty(language));
        top += LINE + GAP + BETWEEN;
    }
    let height = top - BETWEEN + MARGIN;

    let description =
        if rows.is_empty() { ranking.empty(language).to_owned() } else { rows.iter().map(described).collect::<Vec<_>>().join(", ") };
    let (label, description, lang, theme) = (escape(&super::label(ranking, look.title)), escape(&description), look.lang(), look.theme);
    let direction = if columns.is_right { "rtl" } else { "ltr" };
    let (names_x, names_width) = (columns.rect_x(columns.names, columns.room), columns.room);
    let (card_width, card_height) = (full - 1, height - 1);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{full}\" height=\"{height}\" viewBox=\"0 0 {full} {height}\" class=\"{theme}\" \
         lang=\"{lang}\" direction=\"{direction}\" role=\"img\" aria-label=\"{label}: {description}\"><title>{label}</title><style>{STYLE}</style>\
         <clipPath id=\"names\"><rect x=\"{names_x}\" width=\"{names_width}\" height=\"{height}\"/></clipPath>\
         <rect class=\"card\" x=\".5\" y=\".5\" width=\"{card_width}\" height=\"{card_height}\" rx=\"8\"/>{beside}\
         <g clip-path=\"url(#names)\">{names}</g></svg>\n"
    )
}

/// The texts of a row whose first line stands on `y`. Names are written apart from the others, since what is too wide for its column is cut
/// off: widths are only estimated.
fn write_row(row: &Row<'_>, columns: &Columns, y: usize, beside: &mut String, names: &mut String) {
    let Row { entry, score, moved: Moved { class, sign, .. }, lines } = row;
    let rank = entry.rank;
    let [ranks_x, names_x, moves_x, scores_x] = [columns.names - GAP, columns.names, columns.moves, columns.scores].map(|at| columns.x(at));
    let _ = write!(beside, "<text class=\"rank\" x=\"{ranks_x}\" y=\"{y}\" text-anchor=\"end\">{rank}</text>");
    if !sign.is_empty() {
        let _ = write!(beside, "<text class=\"move {class}\" x=\"{moves_x}\" y=\"{y}\" text-anchor=\"end\">{sign}</text>");
    }
    let _ = write!(beside, "<text class=\"score\" x=\"{scores_x}\" y=\"{y}\" text-anchor=\"end\">{score}</text>");
    let direction = columns.direction(entry.name());
    for (at, line) in lines.iter().enumerate() {
        let (y, line) = (y + at * LINE, escape(line));
        let _ = write!(names, "<text x=\"{names_x}\" y=\"{y}\"{direction}>{line}</text>");
    }
}

/// Without the lines of its name, whose room follows from all rows.
fn row<'e>(ranking: &Ranking, entry: &'e Entry, language: &Language) -> Row<'e> {
    let movement = entry.movement();
    let moved = Moved { class: movement.class(), sign: movement.sign(), label: movement.label(language) };
    let score = language.number(&entry.score, ranking.decimals);
    Row { entry, score, moved, lines: Vec::new() }
}

/// A row for readers who hear it.
fn described(row: &Row<'_>) -> String {
    let Row { entry, score, moved, .. } = row;
    let moved = if moved.label.is_empty() { String::new() } else { format!(", {}", moved.label) };
    format!("{}. {} {score}{moved}", entry.rank, entry.name())
}

fn pixels(hundredths: usize, font: usize) -> usize {
    (hundredths * font).div_ceil(100)
}
