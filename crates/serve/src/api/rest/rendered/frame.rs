//! A page that shows a list in a frame, without a script: its links lead the page around it to what was chosen.

use std::fmt::Write;

use super::language::Language;
use super::look::{Look, STYLE};
use super::{Link, Ranking, escape};

/// A whole page. `origin` is that of the site's pages, to which paths lead; without it they are no links.
pub fn write(ranking: &Ranking, look: &Look<'_>, origin: Option<&str>) -> String {
    let language = Language::of(look.lang());
    let direction = if look.is_right_to_left(&ranking.entries) { "rtl" } else { "ltr" };
    let (lang, theme) = (look.lang(), look.theme);
    let label = escape(&super::label(ranking, look.title));
    let heading = look.title.map_or(String::new(), |title| format!("<h1>{}</h1>\n", escape(title)));
    let mut html = format!(
        "<!doctype html>\n<html lang=\"{lang}\" dir=\"{direction}\" class=\"{theme}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{label}</title><base target=\"_top\"><style>{STYLE}</style></head>\n\
         <body><main>{heading}"
    );
    if ranking.entries.is_empty() {
        let _ = writeln!(html, "<p class=\"empty\">{}</p></main></body></html>", ranking.empty(language));
        return html;
    }
    let _ = writeln!(html, "<ol role=\"list\" aria-label=\"{label}\">");
    for entry in &ranking.entries {
        let (rank, score, name) = (entry.rank, &entry.score, escape(entry.name()));
        let shown = match (entry.link(), origin) {
            (Some(Link::Address(address)), _) => format!("<a class=\"name\" dir=\"auto\" href=\"{}\">{name}</a>", escape(address)),
            (Some(Link::Path(path)), Some(origin)) => {
                format!("<a class=\"name\" dir=\"auto\" href=\"{}{}\">{name}</a>", escape(origin), escape(path))
            }
            _ => format!("<span class=\"name\" dir=\"auto\">{name}</span>"),
        };
        let movement = entry.movement();
        let moved = match movement.sign() {
            sign if sign.is_empty() => sign,
            sign => {
                format!("<span class=\"move {}\" role=\"img\" aria-label=\"{}\">{sign}</span>", movement.class(), movement.label(language))
            }
        };
        let bar = match (ranking.share(entry) + 5) / 10 {
            0 => String::new(),
            percent => {
                format!("<svg class=\"share\" aria-hidden=\"true\"><rect class=\"bar\" width=\"{percent}%\" height=\"100%\"/></svg>")
            }
        };
        let points = language.number(score, ranking.decimals);
        let _ = writeln!(
            html,
            "<li value=\"{rank}\">{bar}<span class=\"rank\">{rank}</span>{shown}{moved}<data class=\"score\" value=\"{score}\">{points}</data></li>"
        );
    }
    html.push_str("</ol></main></body></html>\n");
    html
}
