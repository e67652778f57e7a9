//! A page of a ranking, and how it is rendered.

use chrono::{DateTime, Datelike, Timelike};
use serde::Serialize;

use super::period::Period;
use super::score::Score;
use super::site::{Board, Site};
use super::window::Window;

/// The members of a period from a rank on, best first, at an instant of Redis's clock.
#[derive(Debug)]
pub struct Page {
    pub period: Period,
    /// Unix seconds: the start of the period, for a rolling window of its last base period; `None` for all time.
    pub named_at: Option<i64>,
    /// Where the window starts and ends; `None` where it does not.
    pub starts_at: Option<i64>,
    pub ends_at: Option<i64>,
    /// Unix milliseconds.
    pub now_ms: i64,
    /// Whether every member's score is right: false while a rolling board is being repaired.
    pub complete: bool,
    /// Members of the period that can be shown.
    pub total: u64,
    /// Events of new members that the period refused because it was full.
    pub refused: u64,
    /// Members before this page.
    pub offset: u32,
    pub members: Vec<(String, Score)>,
}

/// A rendered page.
#[derive(Debug)]
pub struct Rendered {
    pub json: Vec<u8>,
    /// Changes when, and only when, something else than the time of rendering does.
    pub version: String,
}

#[derive(Serialize)]
struct Document<'p> {
    site: &'p str,
    board: &'p str,
    window: &'p str,
    period: PeriodDocument,
    complete: bool,
    generated_at: String,
    version: &'p str,
    total: u64,
    #[serde(skip_serializing_if = "is_zero")]
    refused: u64,
    entries: &'p [Entry<'p>],
}

#[derive(Serialize)]
struct PeriodDocument {
    id: Option<String>,
    starts_at: Option<String>,
    ends_at: Option<String>,
}

#[derive(Serialize)]
struct Entry<'p> {
    rank: u64,
    id: &'p str,
    score: Score,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Page {
    pub fn render(&self, site: &Site, board: &Board, window: &Window) -> serde_json::Result<Rendered> {
        let entries: Vec<Entry> =
            (u64::from(self.offset) + 1..).zip(&self.members).map(|(rank, (id, score))| Entry { rank, id, score: *score }).collect();
        let digest = serde_json::to_vec(&(&entries, self.total, self.refused, self.starts_at, self.ends_at, self.complete))?;
        let version: String = sha1_smol::Sha1::from(digest).digest().to_string().chars().take(16).collect();
        let seconds = |instant: Option<i64>| rfc3339(instant? * 1000, false);
        let document = Document {
            site: site.name.as_str(),
            board: board.name.as_str(),
            window: window.name.as_str(),
            period: PeriodDocument {
                id: self.period.id(self.named_at, site.week_starts_on),
                starts_at: seconds(self.starts_at),
                ends_at: seconds(self.ends_at),
            },
            complete: self.complete,
            generated_at: rfc3339(self.now_ms, true).unwrap_or_default(),
            version: &version,
            total: self.total,
            refused: self.refused,
            entries: &entries,
        };
        Ok(Rendered { json: serde_json::to_vec(&document)?, version })
    }

    /// Milliseconds from the instant of this page to the end of its period; `None` when it has none.
    pub fn ends_in_ms(&self) -> Option<i64> {
        self.ends_at.map(|ends_at| ends_at * 1000 - self.now_ms)
    }
}

/// RFC 3339, in UTC, with milliseconds where they are asked for.
pub fn rfc3339(unix_ms: i64, millis: bool) -> Option<String> {
    let at = DateTime::from_timestamp_millis(unix_ms)?;
    let millis = if millis { format!(".{:03}", at.timestamp_subsec_millis()) } else { String::new() };
    let (date, time) = (at.date_naive(), at.time());
    Some(format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{millis}Z",
        date.year(),
        date.month(),
        date.day(),
        time.hour(),
        time.minute(),
        time.second()
    ))
}
