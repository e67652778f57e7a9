//! Asking Redis and rendering its answer.

use super::{ReadError, ReadRequest};
use crate::adapter::Error;
use crate::app::cache::Entry;
use crate::app::{App, Failure, Runtime};
use crate::ranking::name::Id;
use crate::ranking::page::PeriodInfo;
use crate::ranking::read::{PeriodRef, Read, ReadReply};
use crate::ranking::window::Kind;

impl<R: Runtime> App<R> {
    /// Asks Redis, past the caches.
    ///
    /// 1. Ask. Where a rolling board is incomplete, repair it in the background.
    /// 2. Refuse a period that is not one of the site's.
    /// 3. Render.
    ///
    /// # Errors
    /// When there is no such period or member, or when Redis does not answer.
    pub async fn read(&self, request: &ReadRequest) -> Result<Entry, ReadError> {
        let asked_at_ms = self.runtime.clock_ms();
        let reply = self.ask(request).await?;
        if !is_complete(&reply) {
            self.repair(request);
        }
        let no_json = |error: serde_json::Error| ReadError::Failed(Failure { nothing_written: true, detail: error.to_string() });
        let (json, version) = reply.render(request).map_err(no_json)?.ok_or_else(|| not_on_board(request))?;
        let ends_in_ms = reply.periods().iter().filter_map(PeriodInfo::ends_in_ms).min();
        Ok(Entry { asked_at_ms, ends_in_ms, complete: is_complete(&reply), json: json.into(), version })
    }

    async fn ask(&self, request: &ReadRequest) -> Result<ReadReply, ReadError> {
        let failed = |error: Error| ReadError::Failed(Failure::of_read(&error));
        let reply = self.store().map_err(failed)?.read(request).await.map_err(failed)?;
        request.periods().iter().zip(reply.periods()).try_for_each(|(of, info)| check_period(of, &info))?;
        Ok(reply)
    }
}

fn is_complete(reply: &ReadReply) -> bool {
    reply.periods().iter().all(|info| info.complete)
}

/// Only a read of one member can find nobody.
fn not_on_board(request: &ReadRequest) -> ReadError {
    match &request.read {
        Read::Member { id, .. } | Read::Explain { id, .. } => ReadError::NotOnBoard(Id::clone(id)),
        Read::Top { .. } | Read::Tops { .. } | Read::Ranks { .. } => {
            ReadError::Failed(Failure { nothing_written: true, detail: "the reply is of another kind than the request".into() })
        }
    }
}

/// A period that was asked for by its id must be one of the site's, have begun and still be kept.
fn check_period(of: &PeriodRef, info: &PeriodInfo) -> Result<(), ReadError> {
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
    if !of.board.keeps(info.period.unit, first, info.now_ms) {
        return Err(ReadError::NoSuchPeriod("it is no longer kept"));
    }
    Ok(())
}
