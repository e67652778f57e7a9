//! The scores of members in each of some periods.

use serde::Serialize;
use serde_json::{Map, Value};

use super::composed::counts;
use super::name::Id;
use super::page::{rfc3339, version_of};
use super::period::Period;
use super::score::Score;
use super::site::{Board, Site};
use super::window::{Unit, Window};

/// Which periods of a unit.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub unit: Unit,
    /// The first one, by its number, or by how many periods it is before the last one.
    pub from: Result<i64, u32>,
    /// The last one's number; `None` for the current one.
    pub until: Option<i64>,
    /// Periods on a page.
    pub most: u32,
    /// Whether to read the members' ranks.
    pub ranks: bool,
    /// Whether to tell what they did, by action.
    pub actions: bool,
}

/// The scores of members over time.
#[derive(Debug)]
pub struct SeriesList {
    /// Of each member, which has a point in every period.
    pub members: Vec<MemberSeries>,
    /// Whether each period was looked for: archived ones are only so far back.
    pub complete: bool,
    /// The period that the next page begins with, and when it starts (Unix seconds).
    pub next: Option<(Period, Option<i64>)>,
}

/// What one member had.
#[derive(Debug)]
pub struct MemberSeries {
    pub id: Id,
    pub is_hidden: bool,
    /// The oldest first.
    pub points: Vec<Point>,
}

/// A period.
#[derive(Debug)]
pub struct Point {
    pub period: Period,
    /// Unix seconds.
    pub starts_at: Option<i64>,
    /// `None` where nothing is known of the period.
    pub score: Option<Score>,
    /// The member's rank: one more than those with more. `None` where it was not on the board, or that was not asked for.
    pub rank: Option<u64>,
    /// What it did by action: "action count sum …"; `None` where that is not known.
    pub tally: Option<String>,
}

#[derive(Serialize)]
struct Document<'d> {
    site: &'d str,
    board: &'d str,
    window: &'d str,
    by: &'d str,
    id: &'d Id,
    complete: bool,
    /// The `from` of the next page; null on the last one.
    next: Option<String>,
    points: Vec<PointDocument>,
}

#[derive(Serialize)]
struct ListDocument<'d> {
    site: &'d str,
    board: &'d str,
    window: &'d str,
    by: &'d str,
    complete: bool,
    next: Option<String>,
    series: Vec<OfDocument<'d>>,
}

/// The series of one of several members. One that is hidden has no scores.
#[derive(Serialize)]
struct OfDocument<'d> {
    id: &'d Id,
    points: Vec<PointDocument>,
}

#[derive(Serialize)]
#[expect(clippy::option_option, reason = "what was not asked for is left out, and what is not there is null")]
struct PointDocument {
    period: Option<String>,
    starts_at: Option<String>,
    score: Option<Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<Option<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<Option<Map<String, Value>>>,
}

impl SeriesList {
    /// The series of the first member, and its version; `None` where that is hidden.
    ///
    /// # Errors
    /// When it has no JSON.
    pub fn render_first(&self, site: &Site, board: &Board, window: &Window, span: &Span) -> serde_json::Result<Option<(Vec<u8>, String)>> {
        let Some(of) = self.members.first().filter(|of| !of.is_hidden) else { return Ok(None) };
        versioned(&Document {
            site: site.name.as_str(),
            board: board.name.as_str(),
            window: window.name.as_str(),
            by: span.unit.name(),
            id: &of.id,
            complete: self.complete,
            next: self.next(site),
            points: points(of, site, span),
        })
        .map(Some)
    }

    /// The series of all, and its version.
    ///
    /// # Errors
    /// When it has no JSON.
    pub fn render(&self, site: &Site, board: &Board, window: &Window, span: &Span) -> serde_json::Result<(Vec<u8>, String)> {
        versioned(&ListDocument {
            site: site.name.as_str(),
            board: board.name.as_str(),
            window: window.name.as_str(),
            by: span.unit.name(),
            complete: self.complete,
            next: self.next(site),
            series: self.members.iter().map(|of| OfDocument { id: &of.id, points: points(of, site, span) }).collect(),
        })
    }

    fn next(&self, site: &Site) -> Option<String> {
        self.next.and_then(|(period, starts_at)| period.id(starts_at, site.week_starts_on))
    }
}

/// It holds nothing but what it is a version of.
fn versioned(document: &impl Serialize) -> serde_json::Result<(Vec<u8>, String)> {
    let json = serde_json::to_vec(document)?;
    let version = version_of(&json);
    Ok((json, version))
}

fn points(of: &MemberSeries, site: &Site, span: &Span) -> Vec<PointDocument> {
    let point = |point: &Point| PointDocument {
        period: point.period.id(point.starts_at, site.week_starts_on),
        starts_at: point.starts_at.and_then(|at| rfc3339(at * 1_000, false)),
        score: point.score,
        rank: span.ranks.then_some(point.rank),
        actions: span.actions.then(|| point.tally.as_deref().map(counts)),
    };
    of.points.iter().map(point).collect()
}
