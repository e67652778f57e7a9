//! Snapshots: what the current windows of a board show, kept in the database. Where Redis cannot be asked and no cache has a ranking, they
//! are shown, and say of when they are.
//!
//! # Out of scope
//! A Redis that answers and lost everything: nobody can tell that from a board that was emptied by hand.

mod kept;

use std::rc::Rc;

use serde_json::json;

use self::kept::Kept;
use super::cache::{Entry, Known};
use super::counters::Series;
use super::database::{Argument, DatabaseError, Statement, number};
use super::rankings::{CacheResult, CachedResponse, ReadError};
use super::upkeep::name_of;
use super::{App, Runtime};
use crate::ranking::read::{PeriodRef, Read, ReadReply, ReadRequest};
use crate::ranking::site::{Board, Members, Site};

/// Snapshots of a board are taken as seldom as that.
const EVERY_MS: u64 = 300_000;
/// Cron comes some seconds early or late.
const SLACK_MS: u64 = 20_000;
/// An older one is shown no more.
const SHOWN_MS: u64 = 7 * 86_400_000;

const OF_WINDOW: &str = "site = ?1 AND board = ?2 AND window_name = ?3";

impl<R: Runtime> App<R> {
    /// Takes the snapshots of every site that are due, for the scheduled run. Answers a line for each board that failed.
    pub async fn take_snapshots_due(&self, until_ms: u64) -> Vec<String> {
        let mut failures = Vec::new();
        for site in self.config.sites.values() {
            for board in site.boards.values().filter(|board| board.snapshot.is_some()) {
                let (job, now_ms) = (format!("snapshot {}", board.name), self.runtime.clock_ms());
                let rest = format!("{job} {}", site.name);
                if now_ms >= until_ms || self.memory.rests(&rest, now_ms) {
                    continue;
                }
                self.memory.rest(&rest, now_ms + EVERY_MS - SLACK_MS);
                let (counters, of) = (&self.memory.counters, site.name.as_str());
                match self.take_snapshots(site, board, now_ms).await {
                    Ok(None) => counters.add(Series::JobsBusy, of, &job, 1),
                    Ok(Some(members)) => {
                        counters.add(Series::JobRuns, of, &job, 1);
                        counters.add(Series::JobMembers, of, &job, members);
                        counters.note_done(of, &job, self.runtime.clock_ms());
                    }
                    Err(why) => {
                        self.memory.wake(&rest);
                        counters.add(Series::JobsFailed, of, &job, 1);
                        failures.push(format!("{}: snapshot: {why}", name_of(site, board)));
                    }
                }
                counters.add(Series::JobMs, of, &job, self.runtime.clock_ms().saturating_sub(now_ms));
            }
        }
        failures
    }

    /// Takes the snapshots of a board, and answers how many members they have; `None` where another run did so a moment ago.
    ///
    /// 1. Take the lease, in the database.
    /// 2. Read each window, and keep what it shows.
    async fn take_snapshots(&self, site: &Rc<Site>, board: &Rc<Board>, now_ms: u64) -> Result<Option<u64>, String> {
        let failed = |error: DatabaseError| error.detail().to_owned();
        let name = |window: &str| -> Vec<Argument> { vec![site.name.as_str().into(), board.name.as_str().into(), window.into()] };
        let at = instant(now_ms);
        let lease = Statement::new(
            "INSERT INTO snapshots (site, board, window_name, taken_at, page) VALUES (?1, ?2, ?3, ?4, '') \
             ON CONFLICT DO UPDATE SET taken_at = excluded.taken_at WHERE taken_at < ?5 OR taken_at > ?4 RETURNING taken_at",
            [name(""), vec![at.clone(), instant(now_ms.saturating_sub(EVERY_MS - SLACK_MS - 1_000))]].concat(),
        );
        if self.query(&[lease]).await.map_err(failed)?.iter().flatten().next().is_none() {
            return Ok(None);
        }
        let (mut kept, mut members) = (Vec::new(), 0);
        for window in &board.windows {
            let of = PeriodRef { board: Rc::clone(board), window: window.clone(), period: None, hour_starts_at: None };
            let store = self.store().map_err(|error| error.to_string())?;
            let Some(page) = self.top_of(&store, site, of, board.limit).await? else { continue };
            members += page.entries.len() as u64;
            let page = serde_json::to_string(&Kept::of(&page)).map_err(|error| error.to_string())?;
            kept.push(Statement::new(
                "INSERT OR REPLACE INTO snapshots (site, board, window_name, taken_at, page) VALUES (?1, ?2, ?3, ?4, ?5)",
                [name(window.name.as_str()), vec![at.clone(), page.into()]].concat(),
            ));
        }
        self.query(&kept).await.map_err(failed)?;
        Ok(Some(members))
    }

    /// What a snapshot shows of a ranking whose reading failed, if there is one.
    pub async fn snapshot(&self, request: &ReadRequest, error: &ReadError) -> Option<CachedResponse> {
        let (ReadError::Failed(failure), [of]) = (error, request.periods()) else { return None };
        if !failure.is_transient || of.board.snapshot.is_none() || of.period.is_some() {
            return None;
        }
        let entry = self.kept_entry(request, of).await;
        let entry = entry.unwrap_or_else(|why| {
            self.runtime.log(&json!({ "level": "error", "code": "no-snapshot", "detail": why }));
            None
        })?;
        let lifetime = entry.lifetime(self.runtime.clock_ms());
        Some(CachedResponse { entry, result: CacheResult::Snapshot, lifetime, steady: None })
    }

    async fn kept_entry(&self, request: &ReadRequest, of: &PeriodRef) -> Result<Option<Entry>, String> {
        let names = [request.site.name.as_str(), of.board.name.as_str(), of.window.name.as_str()].map(Argument::from);
        let statement = Statement::new(format!("SELECT taken_at, page FROM snapshots WHERE {OF_WINDOW}"), names.into());
        let answer = self.query(&[statement]).await.map_err(|error| error.detail().to_owned())?;
        let Some(row) = answer.first().and_then(|rows| rows.first()) else { return Ok(None) };
        let taken_at_ms = number(row, "taken_at").and_then(|at| u64::try_from(at).ok()).unwrap_or_default();
        if taken_at_ms + SHOWN_MS < self.runtime.clock_ms() {
            return Ok(None);
        }
        let page = row.get("page").and_then(serde_json::Value::as_str).unwrap_or_default();
        let kept: Kept = serde_json::from_str(page).map_err(|error| error.to_string())?;
        let page = match &request.read {
            Read::Top { offset, limit, .. } => kept.page(*offset, *limit),
            Read::Composed { offset, limit, view, .. } => kept.page(0, view.depth(offset + limit)),
            _ => None,
        };
        let Some(page) = page else { return Ok(None) };
        let reply = ReadReply::Pages(vec![page]);
        let ReadReply::Pages(pages) = &reply else { return Ok(None) };
        let composed = self.compose(request, pages).await.map_err(|error| format!("{error:?}"))?.map(|(json, version, _)| (json, version));
        let rendered = match composed {
            Some(composed) => Some(composed),
            None => reply.render(request).map_err(|error| error.to_string())?,
        };
        let known = Rc::new(Known { version: String::new(), curated: String::new(), configuration: request.site.digest.clone() });
        Ok(rendered.map(|(json, version)| Entry {
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
        }))
    }

    /// Forgets the snapshots of the boards of actors, of which one is erased. They are taken anew.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn forget_snapshots(&self, site: &Site) -> Result<(), DatabaseError> {
        let boards = site.boards.values().filter(|board| board.members == Members::Actors && board.snapshot.is_some());
        let names: Vec<&str> = boards.map(|board| board.name.as_str()).collect();
        if names.is_empty() {
            return Ok(());
        }
        let sql = "DELETE FROM snapshots WHERE site = ?1 AND board IN (SELECT value FROM json_each(?2))";
        self.query(&[Statement::new(sql, vec![site.name.as_str().into(), json!(names).to_string().into()])]).await.map(drop)
    }
}

#[expect(clippy::cast_precision_loss, reason = "instants are far below 2^53")]
fn instant(ms: u64) -> Argument {
    Argument::Number(ms as f64)
}
