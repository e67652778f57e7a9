//! The parts of a score.

use serde::Serialize;

use super::name::{Id, Name, Named};
use super::page::{PeriodInfo, rfc3339};
use super::period::Period;
use super::score::Score;
use super::site::{Board, Site};
use super::window::{Kind, Window};

/// Base periods of a rolling window that are explained at once, the latest first: each is two commands, so that no explanation is above 250.
pub const MAX_EXPLAINED: u32 = 120;

/// What a member's score is made of, by base period and action.
#[derive(Debug)]
pub struct Explained {
    pub info: PeriodInfo,
    pub score: Score,
    /// What the sums are multiplied with: decaying windows keep them as they were at a landmark.
    pub scale: Score,
    /// Unix seconds: the window counts since then; `None` when all of it was counted, or when nobody knows.
    pub counted_since: Option<i64>,
    /// The base period that the next page ends before; `None` on the last one.
    pub next: Option<i64>,
    /// Whether there are other pages: then all this is of the base periods of its own page.
    pub is_part: bool,
    /// The base periods that hold the member, oldest first.
    pub periods: Vec<ExplainedPeriod>,
}

#[derive(Debug)]
pub struct ExplainedPeriod {
    pub number: i64,
    /// Unix seconds; `None` for all time and for decaying windows.
    pub starts_at: Option<i64>,
    pub score: Score,
    pub shares: Vec<Share>,
}

/// How often an action counted for a member, and what that made.
#[derive(Clone, Debug)]
pub struct Share {
    pub action: Name,
    pub count: i64,
    pub sum: Score,
}

impl Share {
    fn mean(&self) -> Score {
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 events")]
        let count = self.count.max(1) as f64;
        rounded(self.sum.value() / count)
    }
}

#[derive(Serialize)]
struct Document<'e> {
    id: &'e Id,
    score: Score,
    formula: FormulaDocument<'e>,
    actions: Vec<ShareDocument<'e>>,
    periods: Vec<PeriodDocument<'e>>,
    /// Since when the window counts, where it began before.
    counted_since: Option<String>,
    /// What was counted before the board kept counts by action.
    unexplained: Score,
    /// The `cursor` of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// Of the kind's parameters those that it has.
#[derive(Default, Serialize)]
struct FormulaDocument<'e> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    half_life_s: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    every: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    factor: Option<Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resets: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    beta: Option<Score>,
    weights: Option<&'e Named<Score>>,
    text: &'static str,
}

#[derive(Serialize)]
struct ShareDocument<'e> {
    action: &'e str,
    count: i64,
    score: Score,
    /// The mean of the weights that its events had when they were counted; decaying windows keep no weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<Score>,
}

#[derive(Serialize)]
struct PeriodDocument<'e> {
    id: Option<String>,
    starts_at: Option<String>,
    score: Score,
    actions: Vec<ShareDocument<'e>>,
}

impl Explained {
    /// The explanation as JSON, and its version; `None` when there is nothing to explain.
    ///
    /// # Errors
    /// When it has no JSON.
    pub fn render(&self, site: &Site, board: &Board, window: &Window, id: &Id) -> serde_json::Result<Option<(Vec<u8>, String)>> {
        if self.periods.is_empty() && !self.is_part {
            return Ok(None);
        }
        let mut total: Vec<Share> = Vec::new();
        for share in self.periods.iter().flat_map(|period| &period.shares) {
            match total.iter_mut().find(|known| known.action == share.action) {
                Some(known) => {
                    known.count += share.count;
                    known.sum = add(known.sum, share.sum, window);
                }
                None => total.push(share.clone()),
            }
        }
        let explained: f64 = total.iter().map(|share| self.scaled(share.sum).value()).sum();
        let periods = self.periods.iter().map(|period| PeriodDocument {
            id: window.period_unit().and_then(|unit| Period { unit, number: period.number }.id(period.starts_at, site.week_starts_on)),
            starts_at: period.starts_at.and_then(|at| rfc3339(at * 1000, false)),
            score: self.scaled(period.score),
            actions: self.shares(&period.shares, window),
        });
        let document = Document {
            id,
            score: self.score,
            formula: formula(board, window),
            actions: self.shares(&total, window),
            periods: periods.collect(),
            counted_since: self.counted_since.or(self.info.counted_since).and_then(|at| rfc3339(at * 1000, false)),
            unexplained: rounded(self.score.value() - explained),
            next: self.next.map(|next| next.to_string()),
        };
        // The document tells it.
        PeriodInfo { counted_since: None, ..self.info.clone() }.with(site, board, window, &document).map(Some)
    }

    fn shares<'e>(&self, shares: &'e [Share], window: &Window) -> Vec<ShareDocument<'e>> {
        let document = |share: &'e Share| ShareDocument {
            action: share.action.as_str(),
            count: share.count,
            score: self.scaled(share.sum),
            weight: window.sums_weights().then(|| share.mean()),
        };
        shares.iter().map(document).collect()
    }

    fn scaled(&self, sum: Score) -> Score {
        Score::new(sum.value() * self.scale.value()).unwrap_or(sum)
    }
}

/// Sums of weights have at most six decimals.
fn add(one: Score, other: Score, window: &Window) -> Score {
    let sum = one.value() + other.value();
    if window.sums_weights() { rounded(sum) } else { Score::new(sum).unwrap_or(one) }
}

fn rounded(sum: f64) -> Score {
    Score::new((sum * 1e6).round() / 1e6).unwrap_or(Score::ONE)
}

fn formula<'e>(board: &'e Board, window: &Window) -> FormulaDocument<'e> {
    let document = FormulaDocument { kind: window.kind.name(), weights: Some(&board.weights), ..FormulaDocument::default() };
    match window.kind {
        Kind::Calendar(unit) => {
            FormulaDocument { unit: Some(unit.name()), text: "the sum of the weights of the period's events", ..document }
        }
        Kind::Rolling { unit, length } => FormulaDocument {
            unit: Some(unit.name()),
            length: Some(length),
            text: "the sum of the weights of the events of the current period and the length - 1 before it",
            ..document
        },
        Kind::HalfLife { life_ms } => FormulaDocument {
            half_life_s: Some(life_ms / 1000),
            text: "the sum over the events of weight * 2^(-age / half_life)",
            ..document
        },
        Kind::Step { every, factor } => FormulaDocument {
            every: Some(every.name()),
            factor: Some(factor),
            text: "the sum over the events of weight * factor^(boundaries since the event)",
            ..document
        },
        Kind::Linear { resets, beta, .. } => FormulaDocument {
            resets: Some(resets.name()),
            beta: Some(beta),
            text: "the sum over the events since the last reset of weight * beta * seconds from the reset to the event",
            ..document
        },
    }
}
