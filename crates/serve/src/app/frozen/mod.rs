//! Periods that are over, as the database has them frozen: reading them, and which of them late events are of.

mod late;
pub mod sql;

pub use late::{FrozenPeriods, Touched};

use ranking::name::Id;
use ranking::page::{Entry, Page, PeriodInfo, Previous};
use ranking::period::Period;
use ranking::read::{PeriodRef, Read, ReadReply, ReadRequest};
use ranking::score::Score;
use ranking::site::{Board, Members, Site};
use ranking::standing::{Standing, Standings};
use ranking::window::Window;
use serde_json::Value;

use crate::app::catalog::Catalog;
use crate::app::database::{DatabaseError, Row, Tables, number};
use crate::app::ports::{Clock, Log, Runtime};

/// A period is frozen that long after its end, so that what pages held back is in it.
pub const GRACE_MS: i64 = 300_000;

/// A period that was frozen.
#[derive(Debug)]
pub struct Frozen {
    pub period: String,
    /// Unix seconds.
    pub starts_at: i64,
    pub ends_at: i64,
    /// Unix milliseconds, by the clock of Redis.
    pub frozen_at_ms: i64,
    /// Members that were shown then.
    pub total: u64,
    /// 1, and one more each time that it was frozen anew.
    pub revision: u32,
    /// The best of them: all that were kept, or the first one.
    pub entries: Vec<Entry>,
}

/// Frozen periods, the latest first.
#[derive(Debug)]
pub struct FrozenList {
    pub periods: Vec<Frozen>,
    /// Where the next page begins: Unix seconds; `None` at the end.
    pub next: Option<i64>,
}

/// What the database has of frozen periods.
pub struct FrozenReads<'a, R> {
    pub(in crate::app) catalog: Catalog<'a, R>,
    pub(in crate::app) tables: Tables<'a, R>,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) log: &'a dyn Log,
}

impl<R: Runtime> FrozenReads<'_, R> {
    /// The frozen periods of a window that begin before an instant (Unix seconds), the latest first, each with its winner.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn frozen_periods(
        &self,
        site: &Site,
        board: &Board,
        window: &Window,
        before: i64,
        limit: u32,
    ) -> Result<FrozenList, DatabaseError> {
        let answer =
            self.tables.query(&[sql::list(&site.name, &board.name, &window.name, before, self.clock.edge_ms(), limit + 1)]).await?;
        let rows = answer.into_iter().next().unwrap_or_default();
        let has_more = rows.len() > limit as usize;
        let read = |row: &Row| {
            let first = row.get("winner").and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
            Frozen::read(row, first.iter())
        };
        let periods: Vec<Frozen> = rows.iter().take(limit as usize).filter_map(read).collect();
        let next = periods.last().map(|last| last.starts_at).filter(|_| has_more);
        Ok(FrozenList { periods, next })
    }

    /// What Redis would have answered to a read of a period that it keeps no longer; `None` where it was not frozen.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn read_frozen(&self, request: &ReadRequest) -> Result<Option<ReadReply>, DatabaseError> {
        let [of @ PeriodRef { board, window, period: Some(period), .. }, ..] = request.periods() else { return Ok(None) };
        let Some(id) = period.id(of.hour_starts_at, request.site.week_starts_on).filter(|_| board.history > 0) else { return Ok(None) };
        let answer = self.tables.query(&[sql::find(&request.site.name, &board.name, &window.name, &id, self.clock.edge_ms())]).await?;
        let Some(row) = answer.first().and_then(|rows| rows.first()) else { return Ok(None) };
        let entries: Option<Vec<Value>> = row.get("entries").and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
        let Some(frozen) = entries.and_then(|entries| Frozen::read(row, entries.iter())) else { return Ok(None) };
        Ok(match &request.read {
            Read::Top { offset, limit, .. } => Some(ReadReply::Pages(vec![frozen.page(*period, *offset, *limit)])),
            Read::Composed { offset, limit, view, .. } => Some(ReadReply::Pages(vec![frozen.page(*period, 0, view.depth(offset + limit))])),
            Read::Member { id, around, .. } => Some(ReadReply::Standings(frozen.standings(*period, board, id, *around))),
            Read::Tops { .. }
            | Read::Filled { .. }
            | Read::Ranks { .. }
            | Read::Place { .. }
            | Read::Distribution { .. }
            | Read::Explain { .. }
            | Read::Series { .. } => None,
        })
    }

    /// Takes an actor out of what was frozen.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn erase_frozen(&self, site: &Site, actor: &Id) -> Result<(), DatabaseError> {
        let boards = site.boards.values().filter(|board| board.members != Members::Items);
        let names: Vec<&str> = boards.map(|board| board.name.as_str()).collect();
        if names.is_empty() {
            return Ok(());
        }
        self.tables.query(&[sql::erase(&site.name, serde_json::json!(names).to_string(), actor)]).await.map(drop)
    }
}

impl Frozen {
    /// A page that is frozen as it is; `None` without bounds.
    pub fn of(page: Page, period: &str, revision: u32) -> Option<Self> {
        let Page { info: PeriodInfo { starts_at, ends_at, now_ms, .. }, total, entries, .. } = page;
        let kept = |entry: Entry| Entry { previous: Previous::Unknown, tally: String::new(), ..entry };
        let entries = entries.into_iter().map(kept).collect();
        Some(Self { period: period.into(), starts_at: starts_at?, ends_at: ends_at?, frozen_at_ms: now_ms, total, revision, entries })
    }

    /// A row, and entries like `[1, "/posts/1", 42]`.
    pub fn read<'e>(row: &Row, entries: impl Iterator<Item = &'e Value>) -> Option<Self> {
        let entry = |entry: &Value| {
            Some(Entry {
                rank: entry.get(0)?.as_u64()?,
                id: Id::kept(entry.get(1)?.as_str()?)?,
                score: Score::new(entry.get(2)?.as_f64()?)?,
                meta: entry.get(3).cloned(),
                previous: Previous::Unknown,
                tally: String::new(),
            })
        };
        Some(Self {
            period: row.get("period")?.as_str()?.into(),
            starts_at: number(row, "starts_at")?,
            ends_at: number(row, "ends_at")?,
            frozen_at_ms: number(row, "frozen_at")?,
            total: u64::try_from(number(row, "total")?).ok()?,
            revision: u32::try_from(number(row, "revision")?).ok()?,
            entries: entries.filter_map(entry).collect(),
        })
    }

    fn info(&self, period: Period) -> PeriodInfo {
        PeriodInfo {
            period,
            named_at: Some(self.starts_at),
            starts_at: Some(self.starts_at),
            ends_at: Some(self.ends_at),
            now_ms: self.frozen_at_ms,
            complete: true,
            scored_at_ms: None,
            replicated_ms: None,
            counted_since: None,
            lost: Vec::new(),
            known: String::new(),
            curated: String::new(),
        }
    }

    fn page(mut self, period: Period, offset: u32, limit: u32) -> Page {
        let info = self.info(period);
        self.entries.drain(..self.entries.len().min(offset as usize));
        self.entries.truncate(limit as usize);
        Page { info, total: self.total, refused: 0, pinned: 0, offset, entries: self.entries }
    }

    /// The rank of one of the members that were kept.
    fn standings(mut self, period: Period, board: &Board, id: &Id, around: u32) -> Standings {
        let info = self.info(period);
        let at = self.entries.iter().position(|entry| entry.id == *id);
        let standing = at.map(|at| {
            let Entry { rank, score, .. } = self.entries[at];
            Standing { rank, score, higher: self.entries.iter().filter(|entry| board.is_above(entry.score, score)).count() as u64 }
        });
        let near = at.filter(|_| around > 0).map_or(0..0, |at| {
            let around = around as usize;
            at.saturating_sub(around)..self.entries.len().min(at + around + 1)
        });
        let mut next = self
            .entries
            .iter()
            .map(|entry| entry.score)
            .filter(|score| standing.is_some_and(|standing| board.is_above(*score, standing.score)));
        Standings {
            info,
            total: self.total,
            ranking: board.ranking,
            next_score: next.next_back(),
            metas: vec![at.and_then(|at| self.entries[at].meta.clone())],
            members: vec![standing],
            around: self.entries.drain(near).collect(),
        }
    }
}
