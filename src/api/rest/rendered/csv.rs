//! A table for spreadsheets.

use std::fmt::Write;

use super::{Link, Ranking};
use crate::ranking::page::Previous;

/// `rank,id,score,previous_rank`, and `title,url` where details were asked for, with CRLF at the ends of lines.
pub fn write(ranking: &Ranking) -> String {
    let is_described = ranking.entries.iter().any(|entry| entry.details.is_some());
    let mut csv = format!("rank,id,score,previous_rank{}\r\n", if is_described { ",title,url" } else { "" });
    for entry in &ranking.entries {
        let previous = match entry.previous {
            Previous::Rank(rank) => rank.to_string(),
            Previous::Unknown | Previous::New => String::new(),
        };
        let _ = write!(csv, "{},{},{},{previous}", entry.rank, quote(&entry.id), entry.score);
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
