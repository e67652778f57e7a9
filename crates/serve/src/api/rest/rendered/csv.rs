//! A table for spreadsheets.

use std::fmt::Write;

use ranking::page::Previous;

use super::{Link, Ranking};

/// `rank,id,score,previous_rank`, then `window` where some were taken from others, and `title,url` where details were asked for, with CRLF at the ends of lines.
pub fn write(ranking: &Ranking) -> String {
    let is_described = ranking.entries.iter().any(|entry| entry.details.is_some());
    let is_filled = ranking.entries.iter().any(|entry| entry.window.is_some());
    let [window, described] =
        [(is_filled, ",window"), (is_described, ",title,url")].map(|(is_there, names)| if is_there { names } else { "" });
    let mut csv = format!("rank,id,score,previous_rank{window}{described}\r\n");
    for entry in &ranking.entries {
        let previous = match entry.previous {
            Previous::Rank(rank) => rank.to_string(),
            Previous::Unknown | Previous::New => String::new(),
        };
        let _ = write!(csv, "{},{},{},{previous}", entry.rank, quote(&entry.id), entry.score);
        if is_filled {
            let _ = write!(csv, ",{}", entry.window.as_ref().unwrap_or(&ranking.window));
        }
        if is_described {
            let known = entry.details.as_ref().is_some_and(|details| details.title.is_some() || details.name.is_some());
            let name = if known { entry.name() } else { "" };
            let _ = write!(csv, ",{},{}", quote(name), quote(entry.link().map_or("", Link::relative)));
        }
        csv.push_str("\r\n");
    }
    csv
}

/// Text in quotation marks. Spreadsheets run what begins like a formula, in quotation marks or not; a ' before it stops them.
pub fn quote(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}
