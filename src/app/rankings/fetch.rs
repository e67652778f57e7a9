//! Asking Redis and rendering its answer.

use super::request::PeriodRef;
use super::{Read, ReadError, ReadRequest};
use crate::adapter::{Error, Fault};
use crate::app::cache::Entry;
use crate::app::{App, Failure, Runtime};
use crate::ranking::name::Id;
use crate::ranking::page::{PeriodInfo, version_of};
use crate::ranking::site::{Board, Site};
use crate::ranking::window::Kind;
use crate::store::WindowRef;
use crate::store::top::PageRequest;

/// What Redis answered, rendered.
struct Rendered {
    /// Of each ranking, in the order of the request's.
    periods: Vec<PeriodInfo>,
    /// Its JSON and version.
    document: (Vec<u8>, String),
}

impl Rendered {
    fn one(period: PeriodInfo, document: serde_json::Result<(Vec<u8>, String)>) -> Result<Self, ReadError> {
        Ok(Self { periods: vec![period], document: rendered(document)? })
    }

    fn is_complete(&self) -> bool {
        self.periods.iter().all(|period| period.complete)
    }
}

impl<R: Runtime> App<R> {
    /// Asks Redis, past the caches.
    ///
    /// # Errors
    /// When there is no such period, or when Redis does not answer.
    pub async fn read(&self, request: &ReadRequest) -> Result<Entry, ReadError> {
        let asked_at_ms = self.runtime.clock_ms();
        let mut answer = self.answer(request).await;
        let incomplete = match &answer {
            Ok(answer) => !answer.is_complete(),
            // Who is missing from an incomplete board may be on it once it is repaired.
            Err(NoAnswer { incomplete, .. }) => *incomplete,
        };
        if incomplete && self.repair(request, asked_at_ms).await {
            answer = self.answer(request).await;
        }
        let answer = answer.map_err(|no| no.error)?;
        let complete = answer.is_complete();
        let (json, version) = answer.document;
        let ends_in_ms = answer.periods.iter().filter_map(PeriodInfo::ends_in_ms).min();
        Ok(Entry { asked_at_ms, ends_in_ms, complete, json: json.into(), version })
    }

    async fn answer(&self, request: &ReadRequest) -> Result<Rendered, NoAnswer> {
        let store = self.store().map_err(failed)?;
        let site = &*request.site;
        match &request.read {
            Read::Top { of, offset, limit } => {
                let request = PageRequest { of: of.window_ref(site), offset: *offset, limit: *limit };
                let pages = store.top(&[request]).await.map_err(failed)?;
                let page = pages.first().ok_or_else(|| failed(Error::new(Fault::Malformed, "no page")))?;
                check_period(of, &page.head)?;
                Ok(Rendered::one(page.head, page.render(site, &of.board, &of.window))?)
            }
            Read::Tops { of, limit } => {
                let requests: Vec<PageRequest> =
                    of.iter().map(|of| PageRequest { of: of.window_ref(site), offset: 0, limit: (*limit).min(of.board.limit) }).collect();
                let pages = store.top(&requests).await.map_err(failed)?;
                let (mut json, mut versions) = (b"{\"site\":".to_vec(), String::new());
                json.extend(rendered(serde_json::to_vec(site.name.as_str()))?);
                json.extend(b",\"boards\":[");
                for (i, (page, of)) in pages.iter().zip(of).enumerate() {
                    let (page, version) = rendered(page.render(site, &of.board, &of.window))?;
                    json.extend(if i == 0 { "" } else { "," }.bytes());
                    json.extend(page);
                    versions.push_str(&version);
                }
                json.extend(b"]}");
                let periods = pages.iter().map(|page| page.head).collect();
                Ok(Rendered { periods, document: (json, version_of(versions.as_bytes())) })
            }
            Read::Ranks { of, ids } => {
                let found = store.ranks(of.window_ref(site), ids, 0).await.map_err(failed)?;
                check_period(of, &found.head)?;
                Ok(Rendered::one(found.head, found.render(site, &of.board, &of.window, ids))?)
            }
            Read::Member { of, id, around } => {
                let ids = std::slice::from_ref(id);
                let found = store.ranks(of.window_ref(site), ids, *around).await.map_err(failed)?;
                check_period(of, &found.head)?;
                match rendered(found.render_first(site, &of.board, &of.window, id))? {
                    Some(document) => Ok(Rendered { periods: vec![found.head], document }),
                    None => Err(not_on_board(id, &found.head)),
                }
            }
            Read::Explain { of, id } => {
                let found = store.explain(of.window_ref(site), id).await.map_err(failed)?;
                check_period(of, &found.head)?;
                match rendered(found.render(site, &of.board, &of.window, id))? {
                    Some(document) => Ok(Rendered { periods: vec![found.head], document }),
                    None => Err(not_on_board(id, &found.head)),
                }
            }
        }
    }
}

/// Why there is nothing to render, and whether a repair may change that.
struct NoAnswer {
    error: ReadError,
    incomplete: bool,
}

impl From<ReadError> for NoAnswer {
    fn from(error: ReadError) -> Self {
        Self { error, incomplete: false }
    }
}

fn not_on_board(id: &Id, period: &PeriodInfo) -> NoAnswer {
    NoAnswer { error: ReadError::NotOnBoard(id.clone()), incomplete: !period.complete }
}

fn failed(error: Error) -> NoAnswer {
    ReadError::Failed(Failure::of_read(&error)).into()
}

/// What was rendered, or why it was not.
fn rendered<T>(result: serde_json::Result<T>) -> Result<T, ReadError> {
    result.map_err(|error| ReadError::Failed(Failure { nothing_written: true, detail: error.to_string() }))
}

impl PeriodRef {
    fn window_ref<'b>(&'b self, site: &'b Site) -> WindowRef<'b> {
        WindowRef { site, board: &self.board, window: &self.window, period: self.period }
    }
}

/// A period that was asked for by its id must be one of the site's, have begun and still be kept.
fn check_period(of: &PeriodRef, info: &PeriodInfo) -> Result<(), ReadError> {
    let board: &Board = &of.board;
    if of.period.is_none() {
        return Ok(());
    }
    if of.hour_starts_at.is_some() && of.hour_starts_at != info.named_at {
        return Err(ReadError::NoSuchPeriod("no hour of the site's time zone starts then"));
    }
    if info.named_at.is_some_and(|named_at| named_at * 1000 > info.now_ms) {
        return Err(ReadError::NoSuchPeriod("it has not begun"));
    }
    // A rolling window needs its first base period, which ends after the window's start.
    let first = if matches!(of.window.kind, Kind::Rolling { .. }) { info.starts_at } else { info.ends_at };
    if !board.keeps(info.period.unit, first, info.now_ms) {
        return Err(ReadError::NoSuchPeriod("it is no longer kept"));
    }
    Ok(())
}
