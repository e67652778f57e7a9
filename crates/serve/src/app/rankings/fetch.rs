//! Asking Redis and rendering its answer.

use std::rc::Rc;

use engine::adapter::Error;
use ranking::capacity::is_nearly_full;
use ranking::name::Id;
use ranking::page::{Page, PeriodInfo};
use ranking::read::{NoPeriod, PeriodRef, Read, ReadReply, ReplicaReads};
use ranking::window::Kind;
use serde_json::json;

use super::composed::no_json;
use super::part::Part;
use super::{Missing, Rankings, ReadError, ReadRequest};
use crate::app::agenda::Resting;
use crate::app::beyond::Beyond;
use crate::app::cache::{Entry, Known, STALE_MS};
use crate::app::database::DatabaseError;
use crate::app::failure::Failure;
use crate::app::ports::Runtime;

/// For how long a reader waits until the boards that its page is filled up from are complete.
const FILLING_MS: u64 = 500;

/// Of an archived period that is to be explained.
const UNTALLIED: &str =
    "it was archived without counts by action, which breakdown = true keeps from then on; its scores can be asked for without /explain";

impl<R: Runtime> Rankings<'_, R> {
    /// Asks Redis for all of it, past the caches. `held` is what they have, when something was hidden, pinned or erased since (`looks`), or when
    /// anything changed.
    ///
    /// 1. Ask, and say what is known. A period that is not one of the site's, has not begun, or is no longer kept is refused.
    /// 2. What has not changed goes on as it is.
    /// 3. What a page is filled up from is repaired before the answer, for as long as a reader may wait.
    /// 4. Where a current rolling board is incomplete, repair it in the background, but on an archived board. One of minutes is prepared for its next period, too. Where a past one is not built, want it.
    /// 5. Render.
    ///
    /// # Errors
    /// When there is no such period or member, or when Redis does not answer.
    pub async fn read(&self, request: &ReadRequest, held: Option<&Entry>, looks: bool) -> Result<Entry, ReadError> {
        let failure = |Part { detail, .. }| Failure { nothing_written: true, is_transient: true, script: None, detail };
        self.read_or_part(request, held, looks).await?.map_err(|part| ReadError::Failed(failure(part)))
    }

    /// The same, or which boards are unavailable while others are not.
    pub(super) async fn read_or_part(
        &self,
        request: &ReadRequest,
        held: Option<&Entry>,
        looks: bool,
    ) -> Result<Result<Entry, Part>, ReadError> {
        if let Read::Series { .. } = &request.read {
            return R::Beyond::series(&self.later.app(), request).await.map(Ok);
        }
        let (asked_at_ms, digest) = (self.clock.clock_ms(), &request.site.digest);
        let held = held.filter(|held| held.known.configuration == *digest);
        let known = held.filter(|held| self.is_described(request, held));
        let known = known.map_or("", |held| if looks { &held.known.curated } else { &held.known.version });
        let reply = self.ask(request, known).await?;
        let reply = if lacks_filling(request, &reply) { self.fill(request).await? } else { reply };
        if let ReadReply::Part { unavailable, detail } = reply {
            return Ok(Err(Part { unavailable, detail }));
        }
        let periods = reply.periods();
        let ends_in_ms = periods.iter().filter_map(|info| info.ends_in_ms()).min();
        let joined = |of: fn(&PeriodInfo) -> &str| periods.iter().map(|info| of(info)).collect::<Vec<_>>().join(",");
        let as_known = |described_at_ms| Known {
            version: joined(|info| &info.known),
            curated: joined(|info| &info.curated),
            configuration: digest.clone(),
            described_at_ms,
        };
        if let (ReadReply::Unchanged(_), Some(held)) = (&reply, held) {
            let seen = Entry { looked_at_ms: asked_at_ms, ..held.clone() };
            // Something may have been counted since that does not show.
            return Ok(Ok(if looks {
                seen
            } else {
                Entry { asked_at_ms, ends_in_ms, known: Rc::new(as_known(held.known.described_at_ms)), ..seen }
            }));
        }
        if let ReadReply::Pages(pages) = &reply {
            self.warn_of_full(request, pages);
        }
        let (complete, unbuilt) = (periods.iter().all(|info| info.complete), periods.iter().any(|info| info.is_unbuilt()));
        let is_kept = !request.periods().iter().any(|of| of.board.is_archived);
        if is_kept && unbuilt {
            self.want(request);
        } else if is_kept && (!complete || self.is_new_grain(request, ends_in_ms)) {
            self.repair(request);
        }
        let composed = if let ReadReply::Pages(pages) = &reply { self.compose(request, pages).await? } else { None };
        let (json, version, described_at_ms) = if let Some(composed) = composed {
            composed
        } else {
            let (json, version) = reply.render(request).map_err(no_json)?.ok_or_else(|| no_member(request))?;
            (json, version, None)
        };
        let (fresh_ms, known) = (request.fresh_ms(), Rc::new(as_known(described_at_ms)));
        let looked_at_ms = asked_at_ms;
        Ok(Ok(Entry {
            asked_at_ms,
            looked_at_ms,
            fresh_ms,
            ends_in_ms,
            complete,
            unbuilt,
            json: json.into(),
            version,
            known,
            ahead: false,
        }))
    }

    /// Whether an entry may go on as it is where Redis has not changed: not where the database has to be asked again.
    fn is_described(&self, request: &ReadRequest, held: &Entry) -> bool {
        let Read::Composed { view, .. } = &request.read else { return true };
        let is_believed = |at_ms| self.members.believes(at_ms, self.clock.clock_ms());
        // Counts by action and who stays may change where a page does not.
        view.details && !view.is_filtered() && !view.actions && held.known.described_at_ms.is_some_and(is_believed)
    }

    /// What Redis answered, or what was archived or frozen of a period that it keeps no longer, or has lost.
    async fn or_frozen(&self, request: &ReadRequest, reply: ReadReply) -> Result<ReadReply, ReadError> {
        let is_expired = matches!(reply, ReadReply::NoPeriod(NoPeriod::Expired));
        let reply = match (&request.read, reply) {
            (Read::Tops { of, limit }, ReadReply::Pages(pages)) => return self.pages_or_archived(request, of, *limit, pages).await,
            (_, reply) => reply,
        };
        let is_archived = request.periods().iter().all(PeriodRef::is_in_archive);
        if !is_expired && !(is_empty(&reply) && (is_archived || is_past(&reply))) {
            return Ok(reply);
        }
        if let Some(archived) = R::Beyond::archived(&self.later.app(), request).await? {
            return Ok(archived);
        }
        if !is_expired {
            return Ok(reply);
        }
        match self.frozen.read_frozen(request).await {
            Ok(frozen) => Ok(frozen.unwrap_or(reply)),
            Err(DatabaseError::Absent) => Ok(reply),
            Err(error) => Err(ReadError::Undescribed(error)),
        }
    }

    /// What Redis answered of several rankings, or what is archived of some of them.
    async fn pages_or_archived(
        &self,
        request: &ReadRequest,
        of: &[PeriodRef],
        limit: u32,
        mut pages: Vec<Page>,
    ) -> Result<ReadReply, ReadError> {
        for (of, page) in of.iter().zip(&mut pages).filter(|(of, page)| of.is_in_archive() && page.total == 0) {
            let read = Read::Top { of: of.clone(), offset: 0, limit };
            let alone = ReadRequest { site: Rc::clone(&request.site), read, by: request.by.clone() };
            if let Some(ReadReply::Pages(archived)) = R::Beyond::archived(&self.later.app(), &alone).await? {
                for archived in archived {
                    *page = archived;
                }
            }
        }
        Ok(ReadReply::Pages(pages))
    }

    /// What Redis answers after the rolling boards that pages are filled up from were repaired: without them a page that should never be
    /// empty would be.
    async fn fill(&self, request: &ReadRequest) -> Result<ReadReply, ReadError> {
        self.complete_for(request, self.clock.clock_ms() + FILLING_MS).await;
        self.ask(request, "").await
    }

    /// Logs once an hour which boards of some pages are nearly full: the upkeep, the metrics and the like. The periods that rolling
    /// windows are made of are bounded, not they.
    fn warn_of_full(&self, request: &ReadRequest, pages: &[Page]) {
        const HOUR_MS: u64 = 3_600_000;
        let now_ms = self.clock.clock_ms();
        for (PeriodRef { board, window, period, .. }, page) in request.periods().iter().zip(pages) {
            let max_members = board.max_members.of(window);
            if period.is_some() || matches!(window.kind, Kind::Rolling { .. }) || !is_nearly_full(page.total, max_members) {
                continue;
            }
            let full = Resting::NearlyFull(request.site.name.clone(), board.name.clone(), window.name.clone());
            if !self.agenda.rests(&full, now_ms) {
                self.agenda.rest(full, now_ms, HOUR_MS);
                let detail = format!("{}/{}/{}: {} of {max_members} members", request.site.name, board.name, window.name, page.total);
                self.log.log(&json!({ "level": "warn", "code": "board-nearly-full", "detail": detail }));
            }
        }
    }

    /// What a replica answers, where one may. `None` where the master is to be asked: also where the replica has nothing, less than is `known`, or a board
    /// that is to be repaired, and where somebody was hidden just now.
    async fn ask_replica(&self, request: &ReadRequest, known: &[&str]) -> Option<ReadReply> {
        let (periods, now_s) = (request.periods(), i64::try_from(self.clock.clock_ms() / 1_000).unwrap_or(0));
        let may = match self.config.replica_reads {
            ReplicaReads::None => false,
            ReplicaReads::Past => periods.iter().all(|of| of.is_over(&request.site, now_s)),
            ReplicaReads::All => true,
        };
        // One that is made when it is asked for is made at the master.
        let is_made = |of: &PeriodRef| of.board.values.is_some() && matches!(of.window.kind, Kind::Rolling { .. });
        if !may || periods.iter().any(is_made) || known.iter().any(|known| known.starts_with('c')) {
            return None;
        }
        let (mut reply, silent_s) = self.redis.read_replica(async |store| store.read(request, known).await).await?;
        let infos = reply.periods();
        let is_older = known.iter().zip(&infos).any(|(known, info)| changed_at(known) > changed_at(&info.known));
        if infos.is_empty() || is_older || infos.iter().any(|info| !info.complete) || is_empty(&reply) && is_past(&reply) {
            return None;
        }
        reply.note_replica(silent_s);
        Some(reply)
    }

    /// `known` is a field of [`Known`]; empty when nothing is known.
    async fn ask(&self, request: &ReadRequest, known: &str) -> Result<ReadReply, ReadError> {
        let failed = |error: Error| ReadError::Failed(Failure::of_read(&error));
        if is_of_decaying(request) {
            let frozen = self.frozen.read_frozen(request).await.map_err(ReadError::Undescribed)?;
            return frozen.ok_or_else(|| missing(request, Missing::Period("it was not frozen")));
        }
        let known: Vec<&str> = known.split(',').collect();
        let reply = match self.ask_replica(request, &known).await {
            Some(reply) => reply,
            None => self.redis.read(async |store| store.read(request, &known).await).await.map_err(failed)?,
        };
        let reply = self.or_frozen(request, reply).await?;
        match reply {
            ReadReply::NoPeriod(_) if request.periods().iter().all(|of| of.period.is_none()) => {
                Err(unlike("the current period is always there"))
            }
            ReadReply::NoPeriod(NoPeriod::Ahead) => Err(missing(request, Missing::Period("it has not begun"))),
            ReadReply::NoPeriod(NoPeriod::Expired) => Err(missing(request, Missing::Period("it is no longer kept"))),
            ReadReply::NoPeriod(NoPeriod::Untallied) => Err(missing(request, Missing::Period(UNTALLIED))),
            _ if request.periods().iter().zip(reply.periods()).all(|(of, info)| is_of_hour(of, info)) => Ok(reply),
            _ => Err(missing(request, Missing::Period("no hour of the site's time zone starts then"))),
        }
    }
}

/// The instant of the last change, of a version that [`PeriodInfo::known`] tells; `None` where there is none.
fn changed_at(version: &str) -> Option<u64> {
    version.split(':').next()?.parse().ok()
}

/// Whether a page is filled up from others, and a current rolling board among them all is not complete.
fn lacks_filling(request: &ReadRequest, reply: &ReadReply) -> bool {
    let (Read::Filled { of, .. } | Read::Composed { of, .. }) = &request.read else { return false };
    let ReadReply::Pages(pages) = reply else { return false };
    of.len() > 1 && of.iter().zip(pages).any(|(of, page)| of.period.is_none() && of.board.rolls(&of.window) && !page.info.complete)
}

/// Whether an hour or a day of a decaying window is asked for: Redis has none of it but now.
fn is_of_decaying(request: &ReadRequest) -> bool {
    request.periods().iter().any(|of| of.period.is_some() && of.window.period_unit().is_none())
}

/// Whether it is of a period that is over: where nobody is there, Redis may have lost it.
fn is_past(reply: &ReadReply) -> bool {
    reply.periods().iter().all(|info| info.ends_in_ms().is_none() && info.ends_at.is_some())
}

/// Whether nobody is there.
fn is_empty(reply: &ReadReply) -> bool {
    let total = match reply {
        ReadReply::Pages(pages) => pages.iter().map(|page| page.total).sum(),
        ReadReply::Standings(standings) => standings.total,
        ReadReply::Place(place) => place.total,
        ReadReply::Distribution(distribution) => distribution.total,
        ReadReply::Explained(explained) => explained.periods.len() as u64,
        ReadReply::NoPeriod(_) | ReadReply::Part { .. } | ReadReply::Unchanged(_) => return false,
    };
    total == 0
}

/// Only a read of one member can find nobody.
fn no_member(request: &ReadRequest) -> ReadError {
    match &request.read {
        Read::Member { id, .. } | Read::Explain { id, .. } => missing(request, Missing::Member(Id::clone(id))),
        Read::Top { .. }
        | Read::Tops { .. }
        | Read::Filled { .. }
        | Read::Composed { .. }
        | Read::Ranks { .. }
        | Read::Place { .. }
        | Read::Distribution { .. }
        | Read::Series { .. } => unlike("the reply is of another kind than the request"),
    }
}

/// What no script answers.
fn unlike(detail: &str) -> ReadError {
    ReadError::Failed(Failure { nothing_written: true, is_transient: true, script: None, detail: detail.into() })
}

/// Not for longer than a hidden member may show, since one that is shown again is not seen earlier.
fn missing(request: &ReadRequest, what: Missing) -> ReadError {
    ReadError::Missing { what, remaining_ms: request.fresh_ms().min(STALE_MS) }
}

/// An hour that was asked for by its start must start then.
fn is_of_hour(of: &PeriodRef, info: &PeriodInfo) -> bool {
    of.hour_starts_at.is_none() || of.hour_starts_at == info.named_at
}
