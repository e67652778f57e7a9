//! A list to include in a page, by a template, an ESI tag or a fetch.

use std::fmt::Write;

use super::{Ranking, escape};

/// An `<ol>`: `<li value>` with the movement as its class, the window that it was taken from where that is another one, the title or id, as a link where one is known, and the score.
pub fn write(ranking: &Ranking, title: Option<&str>) -> String {
    let Ranking { board, window, period, version, entries, .. } = ranking;
    let period = escape(period.id.as_deref().unwrap_or_default());
    let label = title.map_or(String::new(), |title| format!(" aria-label=\"{}\"", escape(title)));
    let mut html = format!(
        "<ol class=\"edge-board\"{label} data-board=\"{board}\" data-window=\"{window}\" data-period=\"{period}\" data-version=\"{version}\">\n"
    );
    for entry in entries {
        let class = match entry.movement().class() {
            "" => String::new(),
            class => format!(" class=\"{class}\""),
        };
        let name = escape(entry.name());
        let shown = match entry.link() {
            Some(link) => format!("<a href=\"{}\">{name}</a>", escape(link.relative())),
            None => format!("<span>{name}</span>"),
        };
        let (rank, score) = (entry.rank, &entry.score);
        let from = entry.window.as_ref().map_or(String::new(), |window| format!(" data-window=\"{window}\""));
        let _ = writeln!(html, "<li value=\"{rank}\"{class}{from}>{shown} <data value=\"{score}\">{score}</data></li>");
    }
    html.push_str("</ol>\n");
    html
}
