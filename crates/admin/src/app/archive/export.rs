//! All members of a calendar period, some at a time, from wherever it is: Redis or the archive.

use std::rc::Rc;

use engine::store::archive::{Member, Stored};
use ranking::period::Period;
use ranking::read::{NoPeriod, PeriodRef, Read, ReadReply, ReadRequest};
use ranking::site::{Board, Site};
use serve::app::failure::{Failure, Missing, ReadError};
use serve::app::ports::Runtime;

use super::ArchiveError;
use super::manifest::{ALL_TIME, Manifest, PART, Place};
use super::read::ArchiveReads;

/// A period that is being exported.
pub struct Export {
    site: Rc<Site>,
    board: Rc<Board>,
    period: Period,
    /// The period's id.
    pub id: String,
    source: Source,
}

/// Where the rest of the members is.
enum Source {
    /// In Redis, from a place on.
    Redis(String),
    /// In the archive, from a part on.
    Archive(Place, Rc<Manifest>, usize),
    Done,
}

impl<R: Runtime> ArchiveReads<'_, R> {
    /// Begins the export of what a reset took of a period, at that instant (Unix milliseconds).
    ///
    /// # Errors
    /// When it is not in the archive, or that does not answer.
    pub async fn export_taken(&self, site: &Rc<Site>, of: PeriodRef, reset_at: i64) -> Result<Export, ReadError> {
        let missing =
            || ReadError::Missing { what: Missing::Period("the archive has nothing that a reset took of it then"), remaining_ms: 0 };
        let period = of.period.ok_or_else(missing)?;
        let place = Place::of(&self.config.key_prefix, site, &of.board, period, of.hour_starts_at).ok_or_else(missing)?;
        let place = place.reset_at(reset_at);
        let found = self.files.manifest(&place).await.map_err(|error| ReadError::Undescribed(error.into()))?;
        let source = Source::Archive(place, Rc::new(found.ok_or_else(missing)?), 0);
        let id = period.id(of.hour_starts_at, site.week_starts_on).unwrap_or_default();
        Ok(Export { site: Rc::clone(site), board: of.board, period, id, source })
    }

    /// Begins the export of a period of a calendar window.
    ///
    /// # Errors
    /// When there is no such period, or Redis or the archive does not answer.
    pub async fn export(&self, site: &Rc<Site>, of: PeriodRef) -> Result<Export, ReadError> {
        let missing = |why| ReadError::Missing { what: Missing::Period(why), remaining_ms: 0 };
        let request = ReadRequest { site: Rc::clone(site), read: Read::Top { of, offset: 0, limit: 1 }, by: String::new() };
        let read = self.redis.read(async |store| store.read(&request, &[]).await).await;
        let reply = read.map_err(|error| ReadError::Failed(Failure::of_read(&error)))?;
        let Read::Top { of, .. } = request.read else { return Err(missing("it is of no window")) };
        let (info, is_there) = match &reply {
            ReadReply::NoPeriod(NoPeriod::Ahead) => return Err(missing("it has not begun")),
            ReadReply::Pages(pages) => (pages.first().map(|page| &page.info), pages.iter().any(|page| page.total > 0)),
            _ => (None, false),
        };
        if of.hour_starts_at.is_some() && info.is_some_and(|info| info.named_at != of.hour_starts_at) {
            return Err(missing("no hour of the site's time zone starts then"));
        }
        let period = info.map(|info| info.period).or(of.period).ok_or_else(|| missing("it is no longer kept"))?;
        let starts_at = of.hour_starts_at.or(info.and_then(|info| info.named_at));
        let id = period.id(starts_at, site.week_starts_on).unwrap_or_default();
        let (in_redis, board) = (Source::Redis(String::new()), of.board);
        let source =
            if is_there { in_redis } else { self.archived(site, &board, period, starts_at, info.is_some()).await?.unwrap_or(in_redis) };
        match source {
            Source::Redis(_) if info.is_none() => Err(missing("it is no longer kept")),
            source => Ok(Export { site: Rc::clone(site), board, period, id, source }),
        }
    }

    /// The archive as the source, where the period is there. A caller with another one does not need it.
    async fn archived(
        &self,
        site: &Site,
        board: &Board,
        period: Period,
        starts_at: Option<i64>,
        is_optional: bool,
    ) -> Result<Option<Source>, ReadError> {
        let is_archived = board.archives(period.unit) || board.is_archived && period == ALL_TIME;
        let place = Place::of(&self.config.key_prefix, site, board, period, starts_at).filter(|_| is_archived);
        let Some(place) = place else { return Ok(None) };
        match self.files.ended_manifest(&place).await {
            Ok(manifest) => Ok(manifest.map(|manifest| Source::Archive(place, Rc::new(manifest), 0))),
            Err(ArchiveError::Absent) => Ok(None),
            Err(_) if is_optional => Ok(None),
            Err(error) => Err(ReadError::Undescribed(error.into())),
        }
    }

    /// The next members, best first; `None` when all were answered. Members that are hidden or below `min_score` are among them.
    ///
    /// # Errors
    /// For the log: why the rest cannot be had.
    pub async fn next_exported(&self, export: &mut Export) -> Result<Option<Vec<Member>>, String> {
        let (members, rest) = match &export.source {
            Source::Done => return Ok(None),
            Source::Redis(place) => {
                let read = async |store: &engine::store::Store<'_, R::Transport, R>| {
                    store.scan(&export.site, &export.board, export.period, Stored::Period, place, PART).await
                };
                let scanned = self.redis.read(read).await.map_err(|error| error.to_string())?;
                (scanned.members, scanned.place.map(Source::Redis))
            }
            Source::Archive(place, manifest, at) => {
                let Some(part) = manifest.parts.get(*at) else { return Ok(None) };
                let members = self.files.part(place, part).await.map_err(ArchiveError::detail)?;
                (members, Some(Source::Archive(place.clone(), Rc::clone(manifest), at + 1)))
            }
        };
        export.source = rest.unwrap_or(Source::Done);
        Ok(Some(members))
    }
}
