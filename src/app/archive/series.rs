//! What members had in each of some periods, from wherever these are.

use std::rc::Rc;

use super::ArchiveError;
use super::manifest::Place;
use super::read::{Found, Reader};
use crate::app::database::DatabaseError;
use crate::app::{App, Failure, Runtime};
use crate::config::Binding;
use crate::ranking::name::Id;
use crate::ranking::period::Period;
use crate::ranking::score::Score;
use crate::ranking::site::{Board, Site};
use crate::store::series::Point as Kept;
pub use crate::store::series::{Series as Asked, Span};

/// Objects of the archive that are read for one answer: of the fifty that a request may read of R2 on the free plan.
const READS: usize = 45;

/// The scores of members over time.
#[derive(Debug)]
pub struct SeriesList {
    /// Of each member, which has a point in every period.
    pub members: Vec<MemberSeries>,
    /// Whether each period was looked for: archived ones are only so far back.
    pub complete: bool,
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
    /// Where the member stood: one more than those with more. `None` where it was not on the board, or that was not asked for.
    pub rank: Option<u64>,
    /// What it did by action: "action count sum …"; `None` where that is not known.
    pub tally: Option<String>,
}

/// Why there is none.
#[derive(Debug)]
pub enum NoSeries {
    /// These are so many periods, which is too many.
    Many(u64),
    Failed(Failure),
    /// The archive did not answer; for the log.
    Unarchived(DatabaseError),
}

impl<R: Runtime> App<R> {
    /// Reads what members had in each of some periods: from Redis in one call, and what that keeps no longer from the archive, the
    /// latest first.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn series(&self, site: &Rc<Site>, board: &Rc<Board>, members: &[Id], span: Span) -> Result<SeriesList, NoSeries> {
        let read = self.read_store(async |store| store.series(site, board, members, span).await).await;
        let (hidden, points) = match read.map_err(|error| NoSeries::Failed(Failure::of_read(&error)))? {
            Asked::Points { hidden, points } => (hidden, points),
            Asked::Many(count) => return Err(NoSeries::Many(count)),
        };
        let of = |(id, is_hidden): (&Id, bool)| MemberSeries { id: id.clone(), is_hidden, points: Vec::new() };
        let mut series = SeriesList { members: members.iter().zip(hidden).map(of).collect(), complete: true };
        let asked: Vec<Id> = series.members.iter().filter(|of| !of.is_hidden).map(|of| of.id.clone()).collect();
        let has_archive = self.runtime.has_bucket() || self.config.lack_of(Binding::Bucket).is_some();
        let (mut left, archives) = (READS, board.archives(span.unit) && has_archive && !asked.is_empty());
        for kept in points.chunks(members.len()).rev() {
            let Some(of) = kept.first() else { continue };
            let period = Period { unit: span.unit, number: of.number };
            let (mut found, mut tallied) = (Vec::new(), false);
            if archives && !of.is_there && !of.is_current {
                let looked = self.archived_points(site, board, &asked, period, of.starts_at, &mut left).await;
                match looked.map_err(|error| NoSeries::Unarchived(error.into()))? {
                    Looked::Found(members, are_tallied) => (found, tallied) = (members, are_tallied),
                    Looked::Nothing => {}
                    Looked::Unread => series.complete = false,
                }
            }
            let mut found = found.into_iter();
            for (of, kept) in series.members.iter_mut().zip(kept) {
                let archived = if of.is_hidden { None } else { found.next() };
                of.points.push(
                    archived.map_or_else(|| known(kept, period, of.is_hidden), |found| unarchived(found, kept, period, span, tallied)),
                );
            }
        }
        for of in &mut series.members {
            of.points.reverse();
        }
        Ok(series)
    }

    /// What the archive knows of members in a period, by no more objects than are left to be read. The first period is looked up whatever
    /// that takes.
    async fn archived_points(
        &self,
        site: &Site,
        board: &Board,
        members: &[Id],
        period: Period,
        starts_at: Option<i64>,
        left: &mut usize,
    ) -> Result<Looked, ArchiveError> {
        let is_first = *left == READS;
        let place = Place::of(&self.config.key_prefix, site, board, period, starts_at);
        let Some(place) = place.filter(|_| *left > 0) else { return Ok(Looked::Unread) };
        *left -= 1;
        let Some(manifest) = self.ended_manifest(&place).await? else { return Ok(Looked::Nothing) };
        let reads = manifest.reads_to_find(members.len());
        if reads > *left && !is_first {
            *left = 0;
            return Ok(Looked::Unread);
        }
        *left = left.saturating_sub(reads);
        let tallied = manifest.tallied;
        Reader::new(self, place, manifest).find(members).await.map(|found| Looked::Found(found, tallied))
    }
}

/// What became of looking a period up in the archive.
enum Looked {
    /// Of each member, and whether their counts by action are known.
    Found(Vec<Option<Found>>, bool),
    /// The period is not there.
    Nothing,
    /// Too much was read before.
    Unread,
}

/// What Redis knows: nothing of what it keeps no longer.
fn known(kept: &Kept, period: Period, is_hidden: bool) -> Point {
    let is_known = kept.is_kept && !is_hidden;
    let score = kept.score.or(is_known.then_some(Score::ZERO));
    let tally = is_known.then(|| kept.tally.clone());
    Point { period, starts_at: kept.starts_at, score, rank: kept.higher.map(|higher| higher + 1), tally }
}

/// What the archive knows.
fn unarchived(found: Option<Found>, kept: &Kept, period: Period, span: Span, tallied: bool) -> Point {
    let tally = tallied.then(|| found.as_ref().map_or_else(String::new, |found| found.tally.clone()));
    let rank = found.as_ref().map(|found| found.higher + 1).filter(|_| span.ranks);
    let score = found.map_or(Score::ZERO, |found| found.score);
    Point { period, starts_at: kept.starts_at, score: Some(score), rank, tally }
}
