//! Showing what snapshots have.

use std::rc::Rc;

use engine::store::Store;
use ranking::page::Page;
use ranking::read::{PeriodRef, Read, ReadReply, ReadRequest};
use ranking::window::Kind;
use serde_json::{Value, json};
use serve::app::agenda::Resting;
use serve::app::cache::{Entry, Known};
use serve::app::database::{DatabaseError, Row, number};
use serve::app::ports::Runtime;
use serve::app::price::{self, Cost};
use serve::app::rankings::{CacheResult, CachedResponse, Missing, ReadError};

use super::Snapshots;
use super::kept::{self, Kept, KeptEntry};
use super::sql::WindowName;

/// An older one is shown no more.
const SHOWN_MS: u64 = 7 * 86_400_000;
/// Meeting one member of a board.
const MET: Cost = Cost::commands(6);
/// That Redis lost nothing is known for so long.
const CHECKED_MS: u64 = 10_000;

/// What is kept of a window, and when that was taken.
struct Found {
    taken_at_ms: u64,
    kept: Kept,
    /// The members of the pages that were asked for, from a place on.
    begins_at: u32,
    members: Vec<KeptEntry>,
}

impl<R: Runtime> Snapshots<'_, R> {
    /// What a snapshot shows of a ranking whose reading failed, if there is one, and its reader did not ask too often.
    pub async fn snapshot(&self, request: &ReadRequest, error: &ReadError) -> Option<CachedResponse> {
        let ReadError::Failed(failure) = error else { return None };
        if !failure.is_transient || !request.periods().iter().all(has_snapshot) {
            return None;
        }
        if self.admission.over_misses(&request.site, price::of_snapshot(request)).await.is_some() {
            return None;
        }
        self.kept_response(request, |_| true).await
    }

    /// What a snapshot shows of a ranking that has nobody, if Redis knows of nothing that was ever counted on its board. Of a calendar
    /// window it is shown until its period is over.
    pub async fn lost(&self, request: &ReadRequest) -> Option<CachedResponse> {
        let of = of_snapshot(request)?;
        let not_lost = Resting::NotLost(request.site.name.clone(), of.board.name.clone(), of.window.name.clone());
        if self.agenda.rests(&not_lost, self.clock.clock_ms())
            || self.admission.over_misses(&request.site, MET + price::of_snapshot(request)).await.is_some()
        {
            return None;
        }
        let read = async |store: &Store<'_, R::Transport, R>| store.members(&request.site, of, "", 1).await;
        let met = self.redis.read(read).await.ok()??;
        if met.is_counted {
            self.agenda.rest(not_lost, self.clock.clock_ms(), CHECKED_MS);
            return None;
        }
        let has_ended = |kept: &Kept| matches!(of.window.kind, Kind::Calendar(_)) && !kept.is_of(met.info.period);
        self.kept_response(request, |kept| !has_ended(kept)).await
    }

    /// Entries past the board's `limit`, from the last snapshot of all members.
    ///
    /// # Errors
    /// When there is none, the database does not answer, or the client asked too often.
    pub async fn beyond(&self, request: &ReadRequest) -> Result<CachedResponse, ReadError> {
        let missing = || ReadError::Missing { what: Missing::Period("no snapshot of it was taken in the last week"), remaining_ms: 0 };
        let of = of_snapshot(request).ok_or_else(missing)?;
        self.admission.take_misses(&request.site, price::of_snapshot(request)).await?;
        let (Read::Top { offset, limit, .. } | Read::Composed { offset, limit, .. }) = request.read else { return Err(missing()) };
        let found = self.find_kept(request, std::slice::from_ref(of), offset, offset + limit).await.map_err(ReadError::Undescribed)?;
        let found = found.into_iter().flatten().next().ok_or_else(missing)?;
        let Found { taken_at_ms, kept, begins_at, members } = found;
        let skipped = offset.saturating_sub(begins_at) as usize;
        let entries = members.into_iter().skip(skipped).take(limit as usize).filter_map(kept::read).collect();
        let page = kept.page(offset, 0).map(|page| Page { entries, ..page }).ok_or_else(missing)?;
        // The page begins where the entries do.
        let read = match &request.read {
            Read::Composed { of, view, .. } => Read::Composed { of: of.clone(), offset: 0, limit, view: view.clone() },
            other => other.clone(),
        };
        let rendered = self.render_kept(&ReadRequest { read, ..request.clone() }, vec![page]).await.map_err(DatabaseError::Failed);
        let (json, version) = rendered.map_err(ReadError::Undescribed)?.ok_or_else(missing)?;
        Ok(self.respond_kept(request, taken_at_ms, (json, version), CacheResult::Beyond))
    }

    /// What snapshots show of all periods of a request; it is as old as the oldest of them.
    async fn kept_response(&self, request: &ReadRequest, is_true: impl Fn(&Kept) -> bool) -> Option<CachedResponse> {
        if !self.tables.is_bound() {
            self.health.tell_lacks();
            return None;
        }
        let found = async {
            let of = request.periods();
            let found = self.find_kept(request, of, 0, 0).await.map_err(|error| error.detail().to_owned())?;
            let (mut pages, mut taken_at_ms) = (Vec::with_capacity(of.len()), u64::MAX);
            for (of, found) in of.iter().zip(found) {
                let Some(found) = found.filter(|found| is_true(&found.kept)) else { return Ok(None) };
                let (offset, limit) = match &request.read {
                    Read::Top { offset, limit, .. } => (*offset, *limit),
                    Read::Tops { limit, .. } | Read::Filled { limit, .. } => (0, *limit.min(&of.board.limit)),
                    Read::Composed { offset, limit, view, .. } => (0, view.depth(offset + limit)),
                    Read::Ranks { .. }
                    | Read::Place { .. }
                    | Read::Distribution { .. }
                    | Read::Member { .. }
                    | Read::Explain { .. }
                    | Read::Series { .. } => return Ok(None),
                };
                let Some(page) = found.kept.page(offset, limit) else { return Ok(None) };
                pages.push(page);
                taken_at_ms = taken_at_ms.min(found.taken_at_ms);
            }
            let rendered = self.render_kept(request, pages).await?;
            Ok(rendered.map(|rendered| self.respond_kept(request, taken_at_ms, rendered, CacheResult::Snapshot)))
        };
        found.await.unwrap_or_else(|why: String| {
            self.log.log(&json!({ "level": "error", "code": "no-snapshot", "detail": why }));
            None
        })
    }

    /// What is kept of some windows, in one trip, with the members from one place to another where all are kept.
    async fn find_kept(&self, request: &ReadRequest, of: &[PeriodRef], from: u32, to: u32) -> Result<Vec<Option<Found>>, DatabaseError> {
        let find = |of: &PeriodRef| {
            let name = WindowName { site: &request.site.name, board: &of.board.name, window: of.window.name.as_str() };
            name.find(from, to)
        };
        let answer = self.tables.query(&of.iter().map(find).collect::<Vec<_>>()).await?;
        answer.iter().map(|rows| self.read_kept(rows)).collect()
    }

    /// What is kept of a window; `None` where nothing is, or it is too old.
    fn read_kept(&self, rows: &[Row]) -> Result<Option<Found>, DatabaseError> {
        let Some(first) = rows.first() else { return Ok(None) };
        let taken_at_ms = number(first, "taken_at").and_then(|at| u64::try_from(at).ok()).unwrap_or_default();
        if taken_at_ms + SHOWN_MS < self.clock.clock_ms() {
            return Ok(None);
        }
        let text = |row: &Row, column: &str| row.get(column).and_then(Value::as_str).unwrap_or_default().to_owned();
        let unreadable = |error: serde_json::Error| DatabaseError::Failed(error.to_string());
        let kept: Kept = serde_json::from_str(&text(first, "page")).map_err(unreadable)?;
        let begins_at = number(first, "begins_at").and_then(|at| u32::try_from(at).ok()).unwrap_or_default();
        let mut members = Vec::new();
        for row in rows.iter().filter(|row| row.get("members").is_some_and(Value::is_string)) {
            members.extend(serde_json::from_str::<Vec<KeptEntry>>(&text(row, "members")).map_err(unreadable)?);
        }
        Ok(Some(Found { taken_at_ms, kept, begins_at, members }))
    }

    async fn render_kept(&self, request: &ReadRequest, pages: Vec<Page>) -> Result<Option<(Vec<u8>, String)>, String> {
        let reply = ReadReply::Pages(pages);
        let ReadReply::Pages(pages) = &reply else { return Ok(None) };
        let composed = self.rankings.compose(request, pages).await.map_err(|error| format!("{error:?}"))?;
        match composed {
            Some((json, version, _)) => Ok(Some((json, version))),
            None => reply.render(request).map_err(|error| error.to_string()),
        }
    }

    fn respond_kept(
        &self,
        request: &ReadRequest,
        taken_at_ms: u64,
        (json, version): (Vec<u8>, String),
        result: CacheResult,
    ) -> CachedResponse {
        let known = Rc::new(Known { configuration: request.site.digest.clone(), ..Known::default() });
        let entry = Entry {
            asked_at_ms: taken_at_ms,
            looked_at_ms: taken_at_ms,
            fresh_ms: 0,
            ends_in_ms: None,
            complete: false,
            unbuilt: false,
            json: json.into(),
            version,
            known,
            ahead: false,
        };
        let lifetime = entry.lifetime(self.clock.clock_ms());
        CachedResponse { entry, result, lifetime, steady: None }
    }
}

/// The window of a request for one ranking that snapshots may answer.
fn of_snapshot(request: &ReadRequest) -> Option<&PeriodRef> {
    let of = request.periods().first()?;
    let is_one = matches!(request.read, Read::Top { .. } | Read::Composed { .. }) && request.periods().len() == 1;
    (is_one && has_snapshot(of)).then_some(of)
}

/// Whether it is the current period of a board that has snapshots.
fn has_snapshot(of: &PeriodRef) -> bool {
    of.board.snapshot.is_some() && of.period.is_none()
}
