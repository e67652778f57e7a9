//! Between which ranks members stand, as a distribution tells it without asking Redis about each.
//!
//! # Decisions
//!
//! - A range is of the instant of the distribution: it is the rank of the member's score among the scores of that instant. A member that
//!   was counted since is found by its new score.
//! - Both ends are equal where nobody else can stand between: where a score is alone in its interval, lies between two
//!   intervals, or, where equal members share a rank, is the best one of its interval.

use serde::Serialize;
use serde_json::Value;

use super::distribution::top_percent;
use super::name::Id;
use super::page::{PeriodInfo, rfc3339};
use super::score::Score;
use super::site::{Board, Ranking, Site};
use super::window::Window;

/// What members have on a window.
#[derive(Debug)]
pub struct Scores {
    pub info: PeriodInfo,
    /// In the order in which they were asked for; `None` for who is not shown.
    pub members: Vec<Option<StandingScore>>,
}

#[derive(Clone, Copy, Debug)]
pub struct StandingScore {
    pub score: Score,
    /// The place of a pinned member.
    pub pinned_at: Option<u64>,
}

/// A distribution as an answer tells it, which caches keep.
#[derive(Debug)]
pub struct KnownDistribution {
    starts_at: Option<String>,
    generated_at: String,
    /// See [`PeriodInfo::replicated_ms`].
    replicated_ms: Option<i64>,
    is_complete: bool,
    total: u64,
    intervals: Vec<KnownInterval>,
}

#[derive(Debug)]
struct KnownInterval {
    best: Score,
    score: Score,
    rank: u64,
    members: u64,
}

/// The ranks between which a member stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankRange {
    pub low: u64,
    pub high: u64,
}

impl KnownDistribution {
    /// Reads an answer; `None` where it is of a version that tells less.
    pub fn read(json: &[u8]) -> Option<Self> {
        let json: Value = serde_json::from_slice(json).ok()?;
        let score = |of: &Value, name| Score::new(of.get(name)?.as_f64()?);
        let interval = |of: &Value| {
            Some(KnownInterval {
                best: score(of, "best")?,
                score: score(of, "score")?,
                rank: of.get("rank")?.as_u64()?,
                members: of.get("members")?.as_u64()?,
            })
        };
        Some(Self {
            starts_at: json.get("period")?.get("starts_at")?.as_str().map(String::from),
            generated_at: json.get("generated_at")?.as_str()?.into(),
            replicated_ms: json.get("replicated_at").and_then(Value::as_str).and_then(instant_ms),
            is_complete: json.get("complete")?.as_bool()?,
            total: json.get("total")?.as_u64()?,
            intervals: json.get("intervals")?.as_array()?.iter().map(interval).collect::<Option<_>>()?,
        })
    }

    /// Unix milliseconds: the instant that it tells of.
    pub fn as_of_ms(&self) -> Option<i64> {
        instant_ms(&self.generated_at)
    }

    /// Whether it is of the same period.
    pub fn is_of(&self, info: &PeriodInfo) -> bool {
        self.starts_at == info.starts_at.and_then(|second| rfc3339(second * 1_000, false))
    }

    /// Where a member stands that has a score.
    pub fn range_of(&self, board: &Board, StandingScore { score, pinned_at }: StandingScore) -> RankRange {
        let exactly = |rank| RankRange { low: rank, high: rank };
        if let Some(place) = pinned_at {
            return exactly(place);
        }
        let score = as_read(score);
        let at = self.intervals.partition_point(|interval| board.is_above(interval.score, score));
        let Some(KnownInterval { best, score: least, rank, members }) = self.intervals.get(at) else { return exactly(self.total + 1) };
        let is_best = score == *best && board.ranking != Ranking::Ordinal;
        if is_best || board.is_above(score, *best) {
            return exactly(*rank);
        }
        // A hidden member may have the least score, so that all others are above.
        RankRange { low: *rank, high: rank + members - u64::from(best == least) }
    }
}

fn instant_ms(rfc3339: &str) -> Option<i64> {
    chrono::DateTime::parse_from_rfc3339(rfc3339).ok().map(|at| at.timestamp_millis())
}

/// A score as [`KnownDistribution::read`] would read it: the last digit of what fades is lost on the way, and equal scores are to stay equal.
fn as_read(score: Score) -> Score {
    let read = serde_json::to_vec(&score).ok().and_then(|json| serde_json::from_slice::<Value>(&json).ok()?.as_f64());
    read.and_then(Score::new).unwrap_or(score)
}

#[derive(Serialize)]
struct Document<'s> {
    as_of: &'s str,
    total: u64,
    ranks: Vec<RangeDocument<'s>>,
}

#[derive(Serialize)]
struct RangeDocument<'s> {
    id: &'s Id,
    rank_low: Option<u64>,
    rank_high: Option<u64>,
    score: Option<Score>,
    top_percent: Option<Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<&'s str>,
}

impl Scores {
    /// Between which ranks the members stand, as JSON; `ids` are those that were asked for. Share and tier are of the lower end, so
    /// that a member is never shown more than it has.
    ///
    /// # Errors
    /// When it has no JSON.
    pub fn render(
        &self,
        site: &Site,
        board: &Board,
        window: &Window,
        ids: &[Id],
        known: &KnownDistribution,
    ) -> serde_json::Result<Vec<u8>> {
        let range = |(id, standing): (_, &Option<StandingScore>)| {
            let range = standing.map(|standing| known.range_of(board, standing));
            // Of who came since, and stands behind all.
            let total = range.map_or(0, |range| range.high.max(known.total));
            RangeDocument {
                id,
                rank_low: range.map(|range| range.low),
                rank_high: range.map(|range| range.high),
                score: standing.map(|standing| standing.score),
                top_percent: range.map(|range| top_percent(range.high, total)),
                tier: range.and_then(|range| board.tiers.of(range.high, total)),
            }
        };
        let ranks = ids.iter().zip(&self.members).map(range).collect();
        let rest = serde_json::to_vec(&Document { as_of: &known.generated_at, total: known.total, ranks })?;
        let complete = self.info.complete && known.is_complete;
        let info = PeriodInfo { complete, replicated_ms: known.replicated_ms, ..self.info.clone() };
        info.begin(site, board, window, &rest)
    }
}
