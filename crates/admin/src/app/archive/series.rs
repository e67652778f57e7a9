//! The scores of members in each of some periods, from Redis or the archive.

use std::rc::Rc;

use engine::store::series::{Point as Kept, Series as Asked};
use ranking::name::Id;
use ranking::period::Period;
use ranking::read::{PeriodRef, Read, ReadRequest};
use ranking::score::Score;
use ranking::series::{MemberSeries, Point, SeriesList, Span};
use ranking::site::{Board, Site};
use serve::app::cache::{Entry, Known, STALE_MS};
use serve::app::failure::{Failure, Missing, ReadError};
use serve::app::ports::Runtime;
use serve::app::price::MAX_OBJECTS;
use serve::config::Binding;

use super::ArchiveError;
use super::manifest::Place;
use super::read::{ArchiveReads, Found, Reader};

const READS: usize = MAX_OBJECTS as usize;

impl<R: Runtime> ArchiveReads<'_, R> {
    /// A series as the caches keep it. It has no version: what is asked for again is read again.
    ///
    /// # Errors
    /// When a member is hidden who alone is asked for, or when Redis or the archive does not answer.
    pub(in crate::app) async fn read_series(&self, request: &ReadRequest) -> Result<Entry, ReadError> {
        let Read::Series { of: PeriodRef { board, window, .. }, ids, span, is_list } = &request.read else {
            return Err(unlike("a series is read"));
        };
        let (site, asked_at_ms) = (&request.site, self.clock.clock_ms());
        let (series, ends_in_ms) = self.series(site, board, ids, span).await?;
        let rendered =
            if *is_list { series.render(site, board, window, span).map(Some) } else { series.render_first(site, board, window, span) };
        let rendered = rendered.map_err(|error| unlike(&error.to_string()))?;
        let hidden = || ReadError::Missing { what: Missing::Member(ids[0].clone()), remaining_ms: request.fresh_ms().min(STALE_MS) };
        let (json, version) = rendered.ok_or_else(hidden)?;
        Ok(Entry {
            asked_at_ms,
            looked_at_ms: asked_at_ms,
            fresh_ms: request.fresh_ms(),
            ends_in_ms,
            complete: true,
            unbuilt: false,
            json: json.into(),
            version,
            known: Rc::new(Known { configuration: site.digest.clone(), ..Known::default() }),
            ahead: false,
        })
    }

    /// Reads what members had in each of some periods: from Redis in one call, and what that keeps no longer from the archive, the
    /// latest first. Also answers in how many milliseconds the current period ends.
    async fn series(
        &self,
        site: &Rc<Site>,
        board: &Rc<Board>,
        members: &[Id],
        span: &Span,
    ) -> Result<(SeriesList, Option<u64>), ReadError> {
        let read = self.redis.read(async |store| store.series(site, board, members, span).await).await;
        let Asked { hidden, points, ends_in_ms, next } = read.map_err(|error| ReadError::Failed(Failure::of_read(&error)))?;
        let of = |(id, is_hidden): (&Id, bool)| MemberSeries { id: id.clone(), is_hidden, points: Vec::new() };
        let next = next.map(|(number, starts_at)| (Period { unit: span.unit, number }, starts_at));
        let mut series = SeriesList { members: members.iter().zip(hidden).map(of).collect(), complete: true, next };
        let asked: Vec<Id> = series.members.iter().filter(|of| !of.is_hidden).map(|of| of.id.clone()).collect();
        let has_archive = self.files.is_bound() || self.config.lack_of(Binding::Bucket).is_some();
        let (mut remaining, archives) = (READS, board.archives(span.unit) && has_archive && !asked.is_empty());
        for kept in points.chunks(members.len()).rev() {
            let Some(of) = kept.first() else { continue };
            let period = Period { unit: span.unit, number: of.number };
            let (mut found, mut tallied) = (Vec::new(), false);
            if archives && !of.is_there && !of.is_current {
                let looked = self.archived_points(site, board, &asked, period, of.starts_at, &mut remaining).await;
                match looked.map_err(|error| ReadError::Undescribed(error.into()))? {
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
        Ok((series, ends_in_ms))
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
        remaining: &mut usize,
    ) -> Result<Looked, ArchiveError> {
        let is_first = *remaining == READS;
        let place = Place::of(&self.config.key_prefix, site, board, period, starts_at);
        let Some(place) = place.filter(|_| *remaining > 0) else { return Ok(Looked::Unread) };
        *remaining -= 1;
        let Some(manifest) = self.files.ended_manifest(&place).await? else { return Ok(Looked::Nothing) };
        let reads = manifest.reads_to_find(members.len());
        if reads > *remaining && !is_first {
            *remaining = 0;
            return Ok(Looked::Unread);
        }
        *remaining = remaining.saturating_sub(reads);
        let tallied = manifest.tallied;
        Reader::new(&self.files, place, manifest).find(members).await.map(|found| Looked::Found(found, tallied))
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
fn unarchived(found: Option<Found>, kept: &Kept, period: Period, span: &Span, tallied: bool) -> Point {
    let tally = tallied.then(|| found.as_ref().map_or_else(String::new, |found| found.tally.clone()));
    let rank = found.as_ref().map(|found| found.higher + 1).filter(|_| span.ranks);
    let score = found.map_or(Score::ZERO, |found| found.score);
    Point { period, starts_at: kept.starts_at, score: Some(score), rank, tally }
}

/// What no request asks, and no reply has.
fn unlike(detail: &str) -> ReadError {
    ReadError::Failed(Failure { nothing_written: true, is_transient: false, script: None, detail: detail.into() })
}
