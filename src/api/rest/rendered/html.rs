//! A list to include in a page, by a template, an ESI tag or a fetch.

use std::fmt::Write;

use super::{Movement, Ranking, escape};

/// An `<ol>`: `<li value>` with the movement as its class, the id, as a link where it is a path, and the score.
pub fn write(ranking: &Ranking) -> String {
    let Ranking { board, window, period, version, entries, .. } = ranking;
    let period = escape(period.id.as_deref().unwrap_or_default());
    let mut html = format!(
        "<ol class=\"edge-board\" data-board=\"{board}\" data-window=\"{window}\" data-period=\"{period}\" data-version=\"{version}\">\n"
    );
    for entry in entries {
        let class = match entry.movement() {
            Movement::Unknown => "",
            Movement::New => " class=\"new\"",
            Movement::Up(_) => " class=\"up\"",
            Movement::Down(_) => " class=\"down\"",
            Movement::Same => " class=\"same\"",
        };
        let id = escape(&entry.id);
        let shown = match entry.path() {
            Some(path) => format!("<a href=\"{}\">{id}</a>", escape(path)),
            None => format!("<span>{id}</span>"),
        };
        let (rank, score) = (entry.rank, &entry.score);
        let _ = writeln!(html, "<li value=\"{rank}\"{class}>{shown} <data value=\"{score}\">{score}</data></li>");
    }
    html.push_str("</ol>\n");
    html
}
