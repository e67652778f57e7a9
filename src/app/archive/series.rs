//! What a member had in each of some periods, from wherever these are.

use std::rc::Rc;

use super::ArchiveError;
use super::manifest::Place;
use super::read::Reader;
use crate::app::{App, Failure, Runtime};
use crate::ranking::name::Id;
use crate::ranking::period::Period;
use crate::ranking::score::Score;
use crate::ranking::site::{Board, Site};
use crate::store::series::Point as Found;
pub use crate::store::series::{Series as Asked, Span};

/// Periods that are looked up in the archive for one series: each takes three reads of R2 at most, of the fifty that a request may do
/// on the free plan.
const ARCHIVED: usize = 15;

/// A member's scores over time.
#[derive(Debug)]
pub struct Series {
    /// The oldest first.
    pub points: Vec<Point>,
    /// Whether each was looked for: archived ones are only so far back.
    pub complete: bool,
}

/// A period.
#[derive(Debug)]
pub struct Point {
    pub period: Period,
    /// Unix seconds.
    pub starts_at: Option<i64>,
    /// `None` where nothing is known of the period.
    pub score: Option<Score>,
    /// Where the member stood: one more than those with more. `None` where it was not on the board, or that was not asked for.
    pub rank: Option<u64>,
}

/// Why there is none.
#[derive(Debug)]
pub enum NoSeries {
    /// The member is hidden.
    Hidden,
    /// These are so many periods, which is too many.
    Many(u64),
    Failed(Failure),
    /// The archive did not answer; for the log.
    Unarchived(String),
}

impl<R: Runtime> App<R> {
    /// Reads what a member had in each of some periods: from Redis in one call, and what that keeps no longer from the archive, the
    /// latest first.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn series(&self, site: &Rc<Site>, board: &Rc<Board>, member: &Id, span: Span) -> Result<Series, NoSeries> {
        let read = self.read_store(async |store| store.series(site, board, member, span).await).await;
        let found = match read.map_err(|error| NoSeries::Failed(Failure::of_read(&error)))? {
            Asked::Points(points) => points,
            Asked::Hidden => return Err(NoSeries::Hidden),
            Asked::Many(count) => return Err(NoSeries::Many(count)),
        };
        let (mut points, mut complete, mut left) = (Vec::with_capacity(found.len()), true, ARCHIVED);
        for found in found.into_iter().rev() {
            let mut point = known(&found, span);
            if !found.is_there && !found.is_current && board.archives(span.unit) && self.runtime.has_bucket() {
                if left == 0 {
                    complete = false;
                } else {
                    left -= 1;
                    let archived = self.archived_point(site, board, member, &point, span.ranks).await;
                    if let Some((score, rank)) = archived.map_err(|error| NoSeries::Unarchived(error.detail()))? {
                        (point.score, point.rank) = (Some(score), rank);
                    }
                }
            }
            points.push(point);
        }
        points.reverse();
        Ok(Series { points, complete })
    }

    /// What the archive knows of a member in a period; `None` where that is not archived.
    async fn archived_point(
        &self,
        site: &Site,
        board: &Board,
        member: &Id,
        of: &Point,
        ranks: bool,
    ) -> Result<Option<(Score, Option<u64>)>, ArchiveError> {
        let place = Place::of(&self.config.key_prefix, site, board, of.period, of.starts_at);
        let Some(place) = place else { return Ok(None) };
        let Some(manifest) = self.manifest(&place).await? else { return Ok(None) };
        let reader = Reader::new(self, place, manifest);
        let found = reader.find(std::slice::from_ref(member)).await?.pop().flatten();
        let Some(found) = found else { return Ok(Some((Score::ZERO, None))) };
        let rank = if ranks { reader.above(found.at).await?.map(|(_, higher, _)| higher + 1) } else { None };
        Ok(Some((found.score, rank)))
    }
}

/// What Redis knows: nothing of what it keeps no longer.
fn known(found: &Found, span: Span) -> Point {
    let score = found.score.or(found.is_kept.then_some(Score::ZERO));
    let period = Period { unit: span.unit, number: found.number };
    Point { period, starts_at: found.starts_at, score, rank: found.higher.map(|higher| higher + 1) }
}
