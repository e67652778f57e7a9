//! A feed: a member is new in it once per period.

use std::fmt::Write;

use chrono::DateTime;

use super::{Link, Movement, Ranking, escape};

/// RSS 2.0. `origin` is that of the site's pages, to which paths lead; `address` that of the feed.
pub fn write(ranking: &Ranking, title: Option<&str>, origin: Option<&str>, address: &str) -> String {
    let Ranking { board, window, period, generated_at, entries, .. } = ranking;
    let address = escape(address);
    let link = origin.map_or_else(|| address.clone(), escape);
    let period = escape(period.id.as_deref().unwrap_or(window));
    let title = title.map_or_else(|| format!("{board} · {window}"), escape);
    let mut rss = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" xmlns:atom=\"http://www.w3.org/2005/Atom\"><channel>\n\
         <title>{title}</title>\n<link>{link}</link>\n<description>{board} · {window} · {period}</description>\n\
         <atom:link rel=\"self\" type=\"application/rss+xml\" href=\"{address}\"/>\n<ttl>1</ttl>\n"
    );
    if let Ok(at) = DateTime::parse_from_rfc3339(generated_at) {
        let _ = writeln!(rss, "<lastBuildDate>{}</lastBuildDate>", at.to_rfc2822());
    }
    for entry in entries {
        let (id, name) = (escape(&entry.id), escape(entry.name()));
        let moved = match entry.movement() {
            Movement::Unknown | Movement::Same => String::new(),
            Movement::New => ", new".into(),
            Movement::Up(by) => format!(", up {by}"),
            Movement::Down(by) => format!(", down {by}"),
        };
        let (rank, score) = (entry.rank, &entry.score);
        let from = entry.window.as_ref().map_or(String::new(), |window| format!(", {window}"));
        let _ = write!(rss, "<item><title>{rank}. {name}</title>");
        match (entry.link(), origin) {
            (Some(Link::Address(address)), _) => drop(write!(rss, "<link>{}</link>", escape(address))),
            (Some(Link::Path(path)), Some(origin)) => drop(write!(rss, "<link>{}{}</link>", escape(origin), escape(path))),
            _ => {}
        }
        let _ = writeln!(
            rss,
            "<guid isPermaLink=\"false\">{board}/{window}/{period}/{id}</guid><description>Score {score}{moved}{from}</description></item>"
        );
    }
    rss.push_str("</channel></rss>\n");
    rss
}
