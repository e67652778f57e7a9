//! Asking Redis and rendering its answer.

use super::{ReadError, ReadRequest};
use crate::adapter::Error;
use crate::app::cache::Entry;
use crate::app::{App, Failure, Runtime};
use crate::ranking::name::Id;
use crate::ranking::page::PeriodInfo;
use crate::ranking::read::{NoPeriod, PeriodRef, Read, ReadReply};

impl<R: Runtime> App<R> {
    /// Asks Redis, past the caches.
    ///
    /// 1. Ask. A period that is not one of the site's, has not begun, or is no longer kept is refused.
    /// 2. Where a current rolling board is incomplete, repair it in the background. Where a past one is not built, want it.
    /// 3. Render.
    ///
    /// # Errors
    /// When there is no such period or member, or when Redis does not answer.
    pub async fn read(&self, request: &ReadRequest) -> Result<Entry, ReadError> {
        let asked_at_ms = self.runtime.clock_ms();
        let reply = self.ask(request).await?;
        let unbuilt = reply.periods().iter().any(PeriodInfo::is_unbuilt);
        if unbuilt {
            self.want(request);
        } else if !is_complete(&reply) {
            self.repair(request);
        }
        let no_json = |error: serde_json::Error| ReadError::Failed(Failure { nothing_written: true, detail: error.to_string() });
        let (json, version) = reply.render(request).map_err(no_json)?.ok_or_else(|| not_on_board(request))?;
        let ends_in_ms = reply.periods().iter().filter_map(PeriodInfo::ends_in_ms).min();
        let (fresh_ms, complete) = (request.fresh_ms(), is_complete(&reply));
        Ok(Entry { asked_at_ms, fresh_ms, ends_in_ms, complete, unbuilt, json: json.into(), version })
    }

    async fn ask(&self, request: &ReadRequest) -> Result<ReadReply, ReadError> {
        let failed = |error: Error| ReadError::Failed(Failure::of_read(&error));
        let reply = self.store().map_err(failed)?.read(request).await.map_err(failed)?;
        match reply {
            ReadReply::NoPeriod(NoPeriod::Ahead) => return Err(ReadError::NoSuchPeriod("it has not begun")),
            ReadReply::NoPeriod(NoPeriod::Gone) => return Err(ReadError::NoSuchPeriod("it is no longer kept")),
            _ => request.periods().iter().zip(reply.periods()).try_for_each(|(of, info)| check_hour(of, &info))?,
        }
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

/// An hour that was asked for by its start must start then.
fn check_hour(of: &PeriodRef, info: &PeriodInfo) -> Result<(), ReadError> {
    if of.hour_starts_at.is_some() && of.hour_starts_at != info.named_at {
        return Err(ReadError::NoSuchPeriod("no hour of the site's time zone starts then"));
    }
    Ok(())
}
