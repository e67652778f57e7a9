//! Whether what Redis has may be copied: to totals, snapshots, history and the archive. They follow it only while nothing shows that it lost
//! something. Else they would lose it too.
//!
//! Each board has a number in Redis, its mark, and the last one is known beside Redis. Upkeep raises both within an hour of a change, Redis first:
//! so a smaller one there, or none, is another Redis, an old backup of it, or a replica that was behind. What became of it is a person's to say: the
//! site is restored, or that is fine. Until then nothing is copied, and the log, `readyz`, metrics and rankings report it.
//!
//! Boards of templates have none, since there may be thousands. Each template has one, which is raised every hour as if it had changed.
//!
//! # Out of scope
//! What was lost since the last number was raised, and deployments that have neither a database nor an archive: nothing beside Redis knows a
//! number.
//!
//! # Decisions
//!
//! - One guard is before every copy (`Copies::may_copy`), and `Copies::may_still_copy` behind what was read (`machine.rs`). So what a run
//!   reads and then writes comes from the Redis that it asked first. The archive has its own notes for that, which vanish with
//!   the rest of Redis.
//! - A person settles a loss. The worker cannot know whether a smaller Redis is meant. Until then copies are what is left.
//! - A mark is raised only for boards that changed, so an idle month costs nothing more.
//! - The loss and the progress of a restoration are beside Redis, in the document of the marks: Redis may fail again meanwhile.
//!   Each write names the version that it replaces.

mod curation;
pub(super) mod document;
pub(super) mod following;
pub(super) mod machine;
pub(super) mod record;
mod registry;
pub(super) mod runs;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use engine::store::Store;
use engine::store::mark::{Mark, Marking, Seen};
use ranking::name::Name;
use ranking::page::rfc3339;
use ranking::site::{Board, Site};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serve::app::agenda::{Agenda, Resting, has_upkeep};
use serve::app::health::Health;
use serve::app::health::clocks::ClocksDiffer;
use serve::app::ports::{Clock, Log, Runtime};
use serve::app::redis::Redis;
use serve::config::Config;

use self::document::Document;
use self::following::Following;
use self::record::Record;
use super::copies::document::Documents;

/// A mark is raised that often at most.
const EVERY_S: u32 = 3_600;
/// The log reports a loss that often at most, and upkeep looks that often at a site that nobody asks about.
const HOUR_MS: u64 = 3_600_000;
/// What was found holds for so long, so that nobody keeps the database busy by asking.
const KEPT_MS: u64 = 1_000;

/// Boards of templates whose archives are behind that are known, about.
const MOST_BEHIND: usize = 200;

/// How often a document is tried again that somebody else wrote meanwhile.
pub(super) const TRIES: usize = 20;
pub(super) const CONTENDED: &str = "somebody else wrote the same meanwhile";

/// That Redis lost something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    pub code: LossCode,
    /// Unix seconds: what was counted since then may be missing; `None` where all may be.
    pub since: Option<i64>,
    /// Unix seconds, by the clock of Redis: when it was noticed. What is counted since then is there.
    pub noticed_at: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossCode {
    /// Redis has no mark.
    RedisLost,
    /// It has an earlier one.
    RedisBehind,
}

impl Loss {
    fn of(since: Option<i64>, noticed_at: i64) -> Self {
        Self { code: if since.is_some() { LossCode::RedisBehind } else { LossCode::RedisLost }, since, noticed_at }
    }

    /// Both as one: what either lost may be missing.
    fn and(self, other: Self) -> Self {
        let since = self.since.zip(other.since).map(|(one, other)| one.min(other));
        Self::of(since, self.noticed_at.max(other.noticed_at))
    }
}

impl LossCode {
    pub const fn name(self) -> &'static str {
        match self {
            Self::RedisLost => "redis-lost",
            Self::RedisBehind => "redis-behind",
        }
    }
}

/// A loss, and of which site.
#[derive(Clone, Debug)]
pub struct SiteLoss {
    pub site: Name,
    pub loss: Loss,
}

/// What was found of all sites the last time, and when.
#[derive(Default)]
pub struct KnownLosses(RefCell<Option<(u64, Vec<SiteLoss>)>>);

/// Why nothing may be copied from Redis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// It lost something. The log says so.
    Lost(Loss),
    /// What is over by its clock may go on. The log says so.
    Clocks(ClocksDiffer),
    /// Nobody knows, for the log.
    Unknown(String),
}

impl Withheld {
    /// A line for the log, where it is not there already.
    pub fn failure(&self, site: &Site) -> Option<String> {
        match self {
            Self::Lost(_) | Self::Clocks(_) => None,
            Self::Unknown(why) => Some(format!("{}: whether Redis lost something: {why}", site.name)),
        }
    }

    /// For people.
    pub fn detail(&self) -> String {
        match self {
            Self::Lost(loss) => format!("{}: nothing is copied until the site is restored or that is accepted", loss.code.name()),
            Self::Clocks(differ) => differ.to_string(),
            Self::Unknown(why) => why.clone(),
        }
    }
}

/// What was found when it was found that Redis may be copied.
#[derive(Clone, Debug, Default)]
pub struct Copying {
    /// The marks that it had.
    marks: BTreeMap<String, Mark>,
    /// Whether the archive of a period was behind, when that was noted last.
    pub lags: bool,
    /// Unix milliseconds, by its clock; `None` where nobody asked.
    redis_ms: Option<i64>,
    /// The instant that both clocks had reached, where they had to agree.
    reached_ms: Option<i64>,
}

impl Copying {
    /// What ended before this instant (Unix milliseconds) is over.
    pub fn reached_ms(&self) -> i64 {
        self.reached_ms.unwrap_or(i64::MIN)
    }

    /// Unix milliseconds, by the clock of Redis; `None` where nobody asked.
    pub fn redis_ms(&self) -> Option<i64> {
        self.redis_ms
    }
}

/// What the marks of a site show.
enum Shown {
    /// Redis lost something.
    Loss(Loss),
    /// Nothing; these boards changed, and their marks are to be raised.
    Whole(Vec<Rc<Board>>),
}

/// What copies beside Redis know of losses, and the guard before each copy.
pub struct Copies<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) documents: Documents<'a, R>,
    pub(in crate::app) health: Health<'a, R>,
    pub(in crate::app) agenda: &'a Agenda,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) log: &'a dyn Log,
    pub(in crate::app) losses: Rc<KnownLosses>,
}

impl<R: Runtime> Copies<'_, R> {
    /// Whether what Redis has of a site may be copied now. Every run that copies asks first.
    ///
    /// 1. Read the marks that are known, and then those in Redis. In this order, since Redis's are raised first.
    /// 2. Where one of them is missing or smaller, note that Redis lost something.
    /// 3. Else raise those of boards that changed since they were raised, and note them.
    ///
    /// # Errors
    /// Why it may not.
    pub async fn may_copy(&self, site: &Rc<Site>) -> Result<Copying, Withheld> {
        if !self.documents.has_documents() {
            return Ok(Copying::default());
        }
        let record = self.documents.record(site).await.map_err(Withheld::Unknown)?;
        let boards: Vec<Rc<Board>> = marked(site).filter(|board| board.has_copies()).collect();
        self.judge_now(site, record, boards).await
    }

    /// Whether what is over may be copied now: the clocks must agree as well.
    ///
    /// # Errors
    /// Why it may not.
    pub async fn may_copy_ended(&self, site: &Rc<Site>) -> Result<Copying, Withheld> {
        let copying = self.may_copy(site).await?;
        let reached = copying.redis_ms.map(|redis_ms| self.health.agreed_ms(redis_ms).map_err(Withheld::Clocks));
        Ok(Copying { reached_ms: reached.transpose()?, ..copying })
    }

    /// Whether Redis has the marks still that it had when it was asked whether it may be copied: what was read meanwhile is of that one. Clocks that
    /// had to agree must do so still.
    ///
    /// # Errors
    /// Why it may not be copied.
    pub async fn may_still_copy(&self, site: &Site, board: &Board, copying: &Copying) -> Result<(), Withheld> {
        let Some(known) = copying.marks.get(board.name.as_str()) else { return Ok(()) };
        let unknown = |error: engine::adapter::Error| Withheld::Unknown(error.to_string());
        let (now_s, seen) = self.redis.store().map_err(unknown)?.marks(site, &[board]).await.map_err(unknown)?;
        if copying.reached_ms.is_some() {
            self.health.agreed_ms(now_s * 1_000).map_err(Withheld::Clocks)?;
        }
        match seen.into_iter().next().transpose().map_err(unknown)?.and_then(|seen| seen.mark) {
            Some(mark) if mark.number >= known.number => Ok(()),
            _ => Err(Withheld::Unknown(format!("the board {} lost its mark meanwhile", board.name))),
        }
    }

    /// Notes until when the archives of some boards of a site follow.
    ///
    /// # Errors
    /// For the log: why that may not be known.
    pub async fn note_following(&self, site: &Site, following: &BTreeMap<String, Following>) -> Result<(), String> {
        for _ in 0..TRIES {
            let mut record = self.documents.record(site).await?;
            let known = &mut record.value.archive;
            known.retain(|board, _| match Name::of_board(board) {
                Some(made) => site.template_of(&made).is_some_and(|template| template.board.archive),
                None => site.boards.get(board).is_some_and(|board| board.archive),
            });
            for (board, of) in following {
                // Of boards of templates there may be thousands: those are known that are behind, and not all where very many are.
                let is_kept = Name::of_board(board).is_none() || !of.behind.is_empty() && known.len() < MOST_BEHIND;
                if is_kept {
                    known.insert(board.clone(), of.clone());
                } else {
                    known.remove(board);
                }
            }
            if self.documents.put_record(site, &record).await? {
                return Ok(());
            }
        }
        Err(CONTENDED.into())
    }

    /// The loss of a site that nobody has settled, and until when the archives of its boards follow, by their names.
    ///
    /// # Errors
    /// For the log: why nobody knows.
    pub async fn known_of_copies(&self, site: &Site) -> Result<(Option<Loss>, BTreeMap<String, Following>), String> {
        if !self.documents.has_documents() {
            return Ok((None, BTreeMap::new()));
        }
        let Record { loss, archive, .. } = self.documents.record(site).await?.value;
        Ok((loss, archive))
    }

    /// The loss of a site that nobody has settled.
    ///
    /// # Errors
    /// For the log: why nobody knows.
    pub async fn loss(&self, site: &Site) -> Result<Option<Loss>, String> {
        if self.documents.has_documents() { Ok(self.documents.record(site).await?.value.loss) } else { Ok(None) }
    }

    /// The losses of all sites that nobody has settled, asked for about once a second at most. What cannot be known is left out: the log says
    /// it of upkeep.
    pub async fn losses(&self) -> Vec<SiteLoss> {
        let now_ms = self.clock.clock_ms();
        if let Some((found_ms, found)) = &*self.losses.0.borrow()
            && (*found_ms..*found_ms + KEPT_MS).contains(&now_ms)
        {
            return found.clone();
        }
        let mut losses = Vec::new();
        for site in self.config.sites.values() {
            let loss = self.loss(site).await.ok().flatten();
            losses.extend(loss.map(|loss| SiteLoss { site: site.name.clone(), loss }));
        }
        self.losses.0.replace(Some((self.clock.clock_ms(), losses.clone())));
        losses
    }

    /// Says that nothing is missing of a site any more: it was restored, or that is fine.
    ///
    /// # Errors
    /// For the log: why that may not be known; doing it again does no harm.
    pub async fn settle_loss(&self, site: &Site) -> Result<(), String> {
        if !self.documents.has_documents() {
            return Ok(());
        }
        let record = self.documents.record(site).await?;
        if record.value.loss.is_none() { Ok(()) } else { self.settle_marks(site, record).await }
    }

    pub(super) async fn settle_marks(&self, site: &Site, mut record: Document<Record>) -> Result<(), String> {
        let failed = |error: engine::adapter::Error| error.to_string();
        let store = self.redis.store().map_err(failed)?;
        for _ in 0..TRIES {
            for board in marked(site) {
                let above = record.value.boards.get(board.name.as_str()).map_or(0, |mark| mark.number);
                let mark = store.mark(site, &board, Marking::Settle, above).await.map_err(failed)?;
                record.value.boards.insert(board.name.to_string(), mark);
            }
            (record.value.loss, record.value.said_at_ms, record.value.is_shown, record.value.ending) = (None, 0, false, None);
            self.losses.0.take();
            if self.documents.put_record(site, &record).await? {
                return Ok(());
            }
            record = self.documents.record(site).await?;
            // Somebody else settled it. No mark in Redis is below the one that was noted then.
            if record.value.loss.is_none() && record.value.ending.is_none() {
                return Ok(());
            }
        }
        Err(CONTENDED.into())
    }

    /// Forgets what is known of boards whose keys are removed from Redis, however many, in a few trips to the database or the bucket.
    ///
    /// # Errors
    /// For the log: why they may still be known.
    pub async fn forget_boards(&self, site: &Site, boards: &BTreeSet<String>) -> Result<(), String> {
        if !self.documents.has_documents() {
            return Ok(());
        }
        self.forget_curation(site, boards).await?;
        self.forget_registered(site, boards).await?;
        for _ in 0..TRIES {
            let mut record = self.documents.record(site).await?;
            let known = record.value.boards.len();
            record.value.boards.retain(|board, _| !boards.contains(board));
            if record.value.boards.len() == known || self.documents.put_record(site, &record).await? {
                return Ok(());
            }
        }
        Err(CONTENDED.into())
    }

    /// Looks whether Redis lost something of sites about which nothing else asks, for the scheduled run. Answers a line for each site of which
    /// nobody knows.
    pub async fn watch_due(&self, until_ms: u64) -> Vec<String> {
        let mut failures = Vec::new();
        for site in self.config.sites.values().filter(|_| self.documents.has_documents()) {
            let (now_ms, rest) = (self.clock.clock_ms(), Resting::Marks(site.name.clone()));
            let is_asked = |board: &Rc<Board>| board.has_copies() || has_upkeep(board);
            let is_asked = site.templates.is_empty() && site.boards.values().any(is_asked);
            if is_asked || self.agenda.rests(&rest, now_ms) || now_ms >= until_ms {
                continue;
            }
            let judged = match self.documents.record(site).await {
                Ok(record) => self.judge_now(site, record, marked(site).collect()).await,
                Err(why) => Err(Withheld::Unknown(why)),
            };
            match judged {
                Err(withheld @ Withheld::Unknown(_)) => failures.extend(withheld.failure(site)),
                _ => self.agenda.rest(rest, now_ms, HOUR_MS),
            }
        }
        failures
    }

    /// What is known of the marks of sites, before Redis is asked for theirs.
    pub(super) async fn records(&self, sites: impl Iterator<Item = &Rc<Site>>) -> Vec<(Rc<Site>, Result<Document<Record>, String>)> {
        let mut records = Vec::new();
        for site in sites.filter(|_| self.documents.has_documents()) {
            records.push((Rc::clone(site), self.documents.record(site).await));
        }
        records
    }

    async fn judge_now(&self, site: &Rc<Site>, record: Document<Record>, boards: Vec<Rc<Board>>) -> Result<Copying, Withheld> {
        let unknown = |error: engine::adapter::Error| Withheld::Unknown(error.to_string());
        let asked: Vec<&Board> = boards.iter().map(|board| &**board).collect();
        let store = self.redis.store().map_err(unknown)?;
        let (now_s, replies) = store.marks(site, &asked).await.map_err(unknown)?;
        let (mut answered, mut failed) = (Vec::new(), None);
        for (board, reply) in boards.into_iter().zip(replies) {
            let is_template = site.templates.get(board.name.as_str()).is_some();
            match reply {
                Ok(seen) => answered.push((board, if is_template { Seen { changed_us: Some(now_s * 1_000_000), ..seen } } else { seen })),
                Err(error) => failed = Some(error),
            }
        }
        let copying = self.judge(&store, site, record, now_s, answered).await?;
        failed.map_or(Ok(copying), |error| Err(unknown(error)))
    }

    /// What marks that Redis had say, read behind those that are known. What is due for them goes over the connection that read them.
    pub(super) async fn judge(
        &self,
        store: &Store<'_, R::Transport, R>,
        site: &Rc<Site>,
        mut record: Document<Record>,
        now_s: i64,
        seen: Vec<(Rc<Board>, Seen)>,
    ) -> Result<Copying, Withheld> {
        if let Some(loss) = record.value.loss {
            let reported = match lost_later(&record.value, now_s, &seen) {
                Some(later) => self.note_loss(site, record, loss.and(later)).await,
                None => self.report_again(site, record, loss).await,
            };
            return Err(reported.map_or_else(Withheld::Unknown, |()| Withheld::Lost(loss)));
        }
        match shown(&record.value, now_s, &seen) {
            Shown::Loss(loss) => {
                self.note_loss(site, record, loss).await.map_err(Withheld::Unknown)?;
                Err(Withheld::Lost(loss))
            }
            Shown::Whole(changed) => {
                let mut marks: BTreeMap<String, Mark> =
                    seen.iter().filter_map(|(board, seen)| Some((board.name.to_string(), seen.mark?))).collect();
                for board in changed {
                    let above = record.value.boards.get(board.name.as_str()).map_or(0, |mark| mark.number);
                    let unknown = |error: engine::adapter::Error| Withheld::Unknown(error.to_string());
                    let mark = store.mark(site, &board, Marking::Raise { every_s: EVERY_S }, above).await.map_err(unknown)?;
                    marks.insert(board.name.to_string(), mark);
                }
                let is_new =
                    |(board, mark): &(&String, &Mark)| record.value.boards.get(*board).is_none_or(|known| known.number < mark.number);
                let raised: Vec<(String, Mark)> = marks.iter().filter(is_new).map(|(board, mark)| (board.clone(), *mark)).collect();
                if !raised.is_empty() {
                    record.value.boards.extend(raised);
                    // Where somebody else wrote meanwhile, the next run does so.
                    self.documents.put_record(site, &record).await.map_err(Withheld::Unknown)?;
                }
                let lags = record.value.archive.values().any(|of| !of.behind.is_empty());
                Ok(Copying { marks, lags, redis_ms: Some(now_s * 1_000), reached_ms: None })
            }
        }
    }

    /// Notes a loss: beside Redis first, so that nothing is copied from then on.
    async fn note_loss(&self, site: &Site, mut record: Document<Record>, loss: Loss) -> Result<(), String> {
        (record.value.loss, record.value.said_at_ms, record.value.is_shown) = (Some(loss), self.clock.clock_ms(), false);
        if !self.documents.put_record(site, &record).await? {
            return Err(CONTENDED.into());
        }
        self.losses.0.take();
        self.log_loss(site, loss);
        self.show_loss(site, loss).await
    }

    /// Reports a loss once more, when that is due.
    async fn report_again(&self, site: &Site, mut record: Document<Record>, loss: Loss) -> Result<(), String> {
        if !record.value.is_shown {
            self.show_loss(site, loss).await?;
            record = self.documents.record(site).await?;
        }
        let now_ms = self.clock.clock_ms();
        if record.value.loss.is_none() || (record.value.said_at_ms..record.value.said_at_ms + HOUR_MS).contains(&now_ms) {
            return Ok(());
        }
        record.value.said_at_ms = now_ms;
        // Another run may report it.
        if self.documents.put_record(site, &record).await? {
            self.log_loss(site, loss);
        }
        Ok(())
    }

    /// Has the rankings of a site say since when they count, but those of boards that lost nothing: they are on other nodes of a cluster. Those of a
    /// node that does not answer are judged when it does. No mark is raised while a loss is not settled.
    async fn show_loss(&self, site: &Site, loss: Loss) -> Result<(), String> {
        let failed = |error: engine::adapter::Error| error.to_string();
        let mut record = self.documents.record(site).await?;
        let boards: Vec<Rc<Board>> = marked(site).collect();
        let asked: Vec<&Board> = boards.iter().map(|board| &**board).collect();
        let store = self.redis.store().map_err(failed)?;
        let (now_s, seen) = store.marks(site, &asked).await.map_err(failed)?;
        for (board, seen) in boards.iter().zip(seen) {
            let Ok(Seen { mark, .. }) = seen else { continue };
            let is_known = record.value.boards.contains_key(board.name.as_str());
            let code = match lost(&record.value, board, mark, now_s) {
                Some(lost) => lost.code,
                None if is_known => continue,
                None => loss.code,
            };
            let marking = if code == LossCode::RedisLost { Marking::Lost } else { Marking::Behind };
            store.mark(site, board, marking, 0).await.map_err(failed)?;
        }
        record = self.documents.record(site).await?;
        if record.value.loss.is_none() {
            // It was settled meanwhile.
            return self.settle_marks(site, record).await;
        }
        record.value.is_shown = true;
        // Else it is shown once more.
        self.documents.put_record(site, &record).await.map(drop)
    }

    fn log_loss(&self, site: &Site, loss: Loss) {
        let what = match loss.code {
            LossCode::RedisLost => "Redis has lost what it had",
            LossCode::RedisBehind => "Redis is an earlier one: what it counted since may be missing",
        };
        let command = format!("POST /v1/{}/admin/restore", site.name);
        let detail = format!(
            "{what}. Nothing is copied from it until it is restored: {command} gives back what is archived. With the body {{\"accept\": true}} it says \
             that nothing is missing"
        );
        let [since, noticed_at] = [loss.since, Some(loss.noticed_at)].map(|at| at.and_then(|at| rfc3339(at * 1_000, false)));
        self.log.log(&json!({
            "level": "error", "code": loss.code.name(), "site": site.name.as_str(), "since": since, "noticed_at": noticed_at, "detail": detail,
        }));
    }
}

/// What has a mark: the boards of the configuration and of sections, and templates.
fn marked(site: &Site) -> impl Iterator<Item = Rc<Board>> {
    let boards = site.boards.values().filter(|board| board.of_template.is_none()).cloned();
    boards.chain(site.templates.values().map(|template| Rc::new(template.board.clone())))
}

/// What a board lost, by the mark that Redis has of it and the one that is known.
fn lost(record: &Record, board: &Board, mark: Option<Mark>, now_s: i64) -> Option<Loss> {
    let known = record.boards.get(board.name.as_str())?;
    match mark {
        Some(mark) if mark.number >= known.number => None,
        mark => Some(Loss::of(mark.map(|mark| mark.at), now_s)),
    }
}

/// What boards lost that do not say so yet, where those do that lost something before.
fn lost_later(record: &Record, now_s: i64, seen: &[(Rc<Board>, Seen)]) -> Option<Loss> {
    let silent = seen.iter().filter(|(_, seen)| record.is_shown && !seen.says_lost);
    silent.filter_map(|(board, seen)| lost(record, board, seen.mark, now_s)).reduce(Loss::and)
}

/// What marks show, of which some are known.
fn shown(record: &Record, now_s: i64, seen: &[(Rc<Board>, Seen)]) -> Shown {
    let losses = seen.iter().filter_map(|(board, seen)| lost(record, board, seen.mark, now_s));
    if let Some(loss) = losses.reduce(Loss::and) {
        return Shown::Loss(loss);
    }
    let is_changed = |(_, seen): &&(Rc<Board>, Seen)| match seen.mark {
        None => seen.changed_us.is_some(),
        Some(mark) => {
            let is_due = !(mark.at..mark.at + i64::from(EVERY_S)).contains(&now_s);
            is_due && seen.changed_at().is_some_and(|at| at >= mark.at)
        }
    };
    Shown::Whole(seen.iter().filter(is_changed).map(|(board, _)| Rc::clone(board)).collect())
}
