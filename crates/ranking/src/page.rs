//! A page of a ranking, and how it is rendered.

use chrono::{DateTime, Datelike, Timelike};
use serde::{Serialize, Serializer};

use super::name::Id;
use super::period::Period;
use super::score::Score;
use super::site::{Board, Site};
use super::window::Window;

/// Which period of a window something is of, at an instant of Redis's clock.
#[derive(Clone, Debug)]
pub struct PeriodInfo {
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
    /// Unix milliseconds: the instant whose scores a half-life shows; `None` where scores do not fade so.
    pub scored_at_ms: Option<i64>,
    /// Unix milliseconds: when the replica that answered had last heard its master; `None` where that answered itself.
    pub replicated_ms: Option<i64>,
    /// Unix seconds: since when all is counted, of a board that lost something and was not restored; `None` where nothing is missing.
    pub counted_since: Option<i64>,
    /// Periods whose boards lost what they held, as far as that is known: the window's base periods, or its own.
    pub lost: Vec<LostPeriod>,
    /// What a later read sends, so that Redis can answer that nothing changed; empty when it is to read it all.
    pub known: String,
    /// The same, for changes by hand.
    pub curated: String,
}

/// A period whose board lost what it held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LostPeriod {
    pub number: i64,
    /// Unix seconds.
    pub starts_at: i64,
}

/// What every answer about a ranking begins with.
#[derive(Serialize)]
struct HeadDocument<'p> {
    site: &'p str,
    board: &'p str,
    window: &'p str,
    period: PeriodDocument,
    complete: bool,
    generated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    replicated_at: Option<String>,
    /// Decimals that a score is shown with.
    #[serde(skip_serializing_if = "Option::is_none")]
    decimals: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scored_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counted_since: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost: Vec<String>,
}

#[derive(Serialize)]
struct PeriodDocument {
    id: Option<String>,
    starts_at: Option<String>,
    ends_at: Option<String>,
}

impl PeriodInfo {
    /// A JSON object that begins with the head and goes on with `rest`, another object's JSON. By hand: serde's `flatten`
    /// brings a second serializer into the bundle.
    ///
    /// # Errors
    /// When the head has no JSON.
    pub fn begin(&self, site: &Site, board: &Board, window: &Window, rest: &[u8]) -> serde_json::Result<Vec<u8>> {
        let mut json = serde_json::to_vec(&self.document(site, board, window))?;
        json.pop();
        json.push(b',');
        json.extend_from_slice(&rest[1..]);
        Ok(json)
    }

    /// [`PeriodInfo::begin`], and the version of it all.
    ///
    /// # Errors
    /// When `rest` has no JSON.
    pub fn with(&self, site: &Site, board: &Board, window: &Window, rest: &impl Serialize) -> serde_json::Result<(Vec<u8>, String)> {
        let rest = serde_json::to_vec(rest)?;
        Ok((self.begin(site, board, window, &rest)?, self.version(rest)?))
    }

    /// The version of an answer, of which `visible` is what is seen besides the period.
    ///
    /// # Errors
    /// When the head has no JSON.
    pub fn version(&self, mut visible: Vec<u8>) -> serde_json::Result<String> {
        visible.extend(serde_json::to_vec(&(self.starts_at, self.ends_at, self.complete, self.scored_at_ms))?);
        if let Some(since) = self.counted_since {
            visible.extend(serde_json::to_vec(&since)?);
        }
        if !self.lost.is_empty() {
            visible.extend(serde_json::to_vec(&self.lost)?);
        }
        Ok(version_of(&visible))
    }

    fn document<'p>(&self, site: &'p Site, board: &'p Board, window: &'p Window) -> HeadDocument<'p> {
        let seconds = |instant: Option<i64>| rfc3339(instant? * 1000, false);
        let lost = |of: &LostPeriod| Period { number: of.number, ..self.period }.id(Some(of.starts_at), site.week_starts_on);
        HeadDocument {
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
            replicated_at: self.replicated_ms.and_then(|at_ms| rfc3339(at_ms, true)),
            decimals: board.decimals,
            scored_at: self.scored_at_ms.and_then(|at_ms| rfc3339(at_ms, true)),
            counted_since: seconds(self.counted_since),
            lost: self.lost.iter().filter_map(lost).collect(),
        }
    }

    /// Whether this is a past rolling window that nobody sees yet: upkeep builds it when readers want it.
    pub fn is_unbuilt(&self) -> bool {
        !self.complete && self.ends_at.is_some_and(|ends_at| ends_at * 1000 <= self.now_ms)
    }

    /// Milliseconds from the instant of this page to the end of its period; `None` when it has none ahead.
    pub fn ends_in_ms(&self) -> Option<u64> {
        self.ends_at.and_then(|ends_at| u64::try_from(ends_at * 1000 - self.now_ms).ok())
    }
}

/// The members of a period from a place on, best first.
#[derive(Debug)]
pub struct Page {
    pub info: PeriodInfo,
    /// Members of the period that are shown.
    pub total: u64,
    /// Events of new members that the period refused because it was full.
    pub refused: u64,
    /// How many members are pinned: the first ones.
    pub pinned: u64,
    /// Members before this page.
    pub offset: u32,
    pub entries: Vec<Entry>,
}

/// What a server sent with a value, and stands beside it.
pub type Meta = serde_json::Value;

/// A member that is shown.
#[derive(Debug, Serialize)]
pub struct Entry {
    pub rank: u64,
    pub id: Id,
    pub score: Score,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    #[serde(rename = "previous_rank", skip_serializing_if = "Previous::is_unknown")]
    pub previous: Previous,
    /// What it did by action: "action count sum …"; empty where nobody asked, or it is not kept.
    #[serde(skip)]
    pub tally: String,
}

/// The rank of a member in the period before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Previous {
    /// There is no such period, or nothing is known of it.
    Unknown,
    /// It was not on the board.
    New,
    Rank(u64),
}

impl Previous {
    pub(super) fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }
}

impl Serialize for Previous {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Rank(rank) => serializer.serialize_u64(*rank),
            Self::Unknown | Self::New => serializer.serialize_none(),
        }
    }
}

#[derive(Serialize)]
struct Document<'p> {
    version: &'p str,
    total: u64,
    #[serde(skip_serializing_if = "is_zero")]
    refused: u64,
    entries: Vec<EntryDocument<'p>>,
}

#[derive(Serialize)]
struct EntryDocument<'p> {
    rank: u64,
    id: &'p Id,
    score: Score,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'p Meta>,
    #[serde(rename = "previous_rank", skip_serializing_if = "Previous::is_unknown")]
    previous: Previous,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pinned: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<&'p str>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The version of something: changes when, and only when, it does.
pub fn version_of(visible: &[u8]) -> String {
    sha1_smol::Sha1::from(visible).digest().to_string().chars().take(16).collect()
}

impl Page {
    /// The page as JSON, and its version.
    ///
    /// # Errors
    /// When it has no JSON.
    pub fn render<'s>(&'s self, site: &Site, board: &'s Board, window: &Window) -> serde_json::Result<(Vec<u8>, String)> {
        let mut visible = serde_json::to_vec(&(&self.entries, self.total, self.refused, self.pinned))?;
        visible.extend(board.tiers.version());
        let version = self.info.version(visible)?;
        let entry = |(at, entry): (usize, &'s Entry)| EntryDocument {
            rank: entry.rank,
            id: &entry.id,
            score: entry.score,
            meta: entry.meta.as_ref(),
            previous: entry.previous,
            pinned: u64::from(self.offset) + (at as u64) < self.pinned,
            tier: board.tiers.of(entry.rank, self.total),
        };
        let document = Document {
            version: &version,
            total: self.total,
            refused: self.refused,
            entries: self.entries.iter().enumerate().map(entry).collect(),
        };
        Ok((self.info.begin(site, board, window, &serde_json::to_vec(&document)?)?, version))
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
