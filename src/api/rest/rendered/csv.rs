//! A table for spreadsheets.

use std::fmt::Write;

use super::Ranking;
use crate::ranking::page::Previous;

/// `rank,id,score,previous_rank`, with CRLF at the ends of lines.
pub fn write(ranking: &Ranking) -> String {
    let mut csv = String::from("rank,id,score,previous_rank\r\n");
    for entry in &ranking.entries {
        let previous = match entry.previous {
            Previous::Rank(rank) => rank.to_string(),
            Previous::Unknown | Previous::New => String::new(),
        };
        let _ = write!(csv, "{},{},{},{previous}\r\n", entry.rank, quote(&entry.id), entry.score);
    }
    csv
}

/// An id in quotation marks. Spreadsheets run what begins like a formula, in quotation marks or not; a ' before it stops them.
fn quote(id: &str) -> String {
    let guard = if id.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    format!("\"{guard}{}\"", id.replace('"', "\"\""))
}
