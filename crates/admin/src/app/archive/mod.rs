//! The archive: all members of every calendar period that is over, in a bucket: R2, or another Redis. Redis forgets a period only after its archive was
//! read back as what was written.
//!
//! A period is archived twice: a while after its end, so that it outlives Redis, and when Redis no longer keeps it for readers. Then its
//! sorted set is set aside (`lua/archive.lua`), where nothing writes it, so parts that are read one after the other are of one instant.
//! What comes for it later begins a sorted set anew, and is added to the archive.
//!
//! # Out of scope
//! Rolling and decaying windows, and all time: they follow from periods, or are never over. What a reset takes of a period that is not over is archived
//! apart from it, of all time as well. So is all time of a board of a template that is archived as a whole.
//!
//! # Decisions
//!
//! - Objects are written under new names, then the manifest names them. Objects that it no longer names are deleted afterwards.
//!   So readers see the old archive or the new one, and a run may end anywhere.
//! - Redis notes the revision of the manifest of each period that it has whole (`whole:day:20777`). A new revision is noted
//!   before the manifest is written, and the one before is forgotten afterwards. So a Redis that names the manifest's revision
//!   has all that is in it, and an emptied or older Redis shows itself.
//! - Manifests record `until_us`. The archive is of that one instant, though its members are read one after the other: a member
//!   that changed meanwhile is taken as it was then. Scripts note the earlier values of members that change in a period that is
//!   over. They note nothing for an event of now, unless a clock that was ahead had the current period archived.
//! - One run writes up to 50 parts of periods that follow, of all boards of a site, in three passes: erasures, revocations, the
//!   rest. Boards without changes are looked at once, as before.
//! - A period that many members changed in is archived anew, and the manifest switches at the end. Unchanged parts are not
//!   written.
//! - Boards of templates are archived by upkeep, which knows which of them are due (`made.rs`). This looks at all boards of the
//!   configuration.
//! - A period that Redis forgot holds only later events when it comes back: the notes say that nothing was there before. It is
//!   set aside, and added. A correction has a token, which the manifest holds. So it is added once, though the step that
//!   forgets it is another one.

mod alias;
mod amend;
pub(super) mod bucket;
pub(super) mod erase;
mod export;
mod follow;
mod job;
mod made;
mod manifest;
mod next;
mod part;
pub(super) mod read;
mod resets;
pub(super) mod restore;
mod restoring;
mod run;
mod series;
mod sweep;
mod tally;
mod work;

pub use super::copies::following::{BehindPeriod, Following, Why};
pub use engine::store::archive::Member;
pub use engine::store::objects::{Objects, digest};
pub use export::Export;
pub use resets::{TakenList, TakenPeriod};
pub use restoring::{Filled, Restoration, Whole};
pub use serve::app::ports::Tagged;

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::adapter;
use ranking::site::{Board, Site};
use serve::app::agenda::{Agenda, Resting, place_of};
use serve::app::database::DatabaseError;
use serve::app::health::Health;
use serve::app::health::clocks::ClocksDiffer;
use serve::app::ports::{Clock, Random, Runtime};
use serve::app::redis::Redis;
use serve::config::Binding;
use serve::config::Config;

use super::archive::bucket::ArchiveFiles;
use super::audit::Audit;
use super::copies::runs::{Copied, Looks, Runs, Scope, Stopped};
use super::copies::{Copies, Withheld};

const COPIED: Copied = Copied { name: "archive", job: "archive" };
/// While nothing is due, Redis is asked for it once in five minutes.
const LOOKS: Looks = Looks { is_of: |board| board.archive, resting: Resting::Archive, every_ms: 300_000 };

/// Why the archive could not be used.
#[derive(Clone, Debug)]
pub enum ArchiveError {
    /// The deployment has none.
    Absent,
    /// A board has an archive, and it is not bound: the line that names it.
    Missing(String),
    /// Another run is at it.
    Busy,
    /// Nobody knows which periods are over.
    Clocks(ClocksDiffer),
    /// For the log.
    Failed(String),
}

/// What a run did.
#[derive(Debug)]
pub struct Archived {
    /// Periods that were archived, moved or corrected.
    pub periods: u64,
    /// A line for each board that failed, and for each period that Redis forgets soon.
    pub failures: Vec<String>,
    /// Parts that it may still write of periods that were archived before.
    remaining_parts: usize,
    /// Until when the archives of boards follow, by their names, as far as it looked.
    following: BTreeMap<String, Following>,
    /// Whether it looked at a board.
    is_begun: bool,
}

impl Default for Archived {
    fn default() -> Self {
        Self { periods: 0, failures: Vec::new(), remaining_parts: usize::MAX, following: BTreeMap::new(), is_begun: false }
    }
}

impl From<adapter::Error> for ArchiveError {
    fn from(error: adapter::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<Withheld> for ArchiveError {
    fn from(withheld: Withheld) -> Self {
        Self::Failed(withheld.detail())
    }
}

impl From<ArchiveError> for Stopped {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Busy => Self::Busy,
            // The log says it once for all.
            ArchiveError::Clocks(_) => Self::Reported,
            error => Self::Failed(error.detail()),
        }
    }
}

impl ArchiveError {
    /// For the log.
    pub fn detail(self) -> String {
        match self {
            Self::Absent => {
                "the deployment has neither a bucket ARCHIVE nor an ARCHIVE_REDIS_URL, of which boards with an archive need one".into()
            }
            Self::Busy => "another run is at it".into(),
            Self::Clocks(differ) => differ.to_string(),
            Self::Missing(detail) | Self::Failed(detail) => detail,
        }
    }
}

impl From<ArchiveError> for DatabaseError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Missing(line) => Self::Missing(line),
            error => Self::Failed(error.detail()),
        }
    }
}

impl<R: Runtime> ArchiveFiles<'_, R> {
    /// The message where there is no archive.
    fn no_bucket(&self) -> ArchiveError {
        self.config.lack_of(Binding::Bucket).map_or(ArchiveError::Absent, |lack| ArchiveError::Missing(lack.line.clone()))
    }
}

/// Archiving: what is over goes into the archive, and what changes there later follows.
pub struct Archive<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) audit: Audit<'a, R>,
    pub(in crate::app) copies: Copies<'a, R>,
    pub(in crate::app) files: ArchiveFiles<'a, R>,
    pub(in crate::app) health: Health<'a, R>,
    pub(in crate::app) runs: Runs<'a>,
    pub(in crate::app) agenda: &'a Agenda,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) random: &'a dyn Random,
}

impl<R: Runtime> Archive<'_, R> {
    /// Archives the periods of every site that are over, for the scheduled run.
    pub async fn archive_due(&self, until_ms: u64) -> Vec<String> {
        self.runs.each_site(&LOOKS, until_ms, async |site| self.archive(site, until_ms).await.failures).await
    }

    /// Archives the periods of a board that are over, and what resets took, all of it.
    ///
    /// # Errors
    /// When the archive or Redis does not answer, another run is at it, or time ran out.
    pub async fn archive_now(&self, site: &Rc<Site>, board: &Rc<Board>, until_ms: u64) -> Result<(), ArchiveError> {
        self.copies.may_copy(site).await?;
        let mut archived = Archived::default();
        self.archive_board(site, board, until_ms, Why::Counted, &mut archived).await?;
        self.copies.note_following(site, &archived.following).await.map_err(ArchiveError::Failed)?;
        if self.clock.clock_ms() < until_ms {
            Ok(())
        } else {
            Err(ArchiveError::Failed("time ran out; the rest is for the next run".into()))
        }
    }

    /// Archives the periods of a site that are over, until `until_ms` (by the edge's clock) has come; the rest is for the next run, which begins with
    /// the board that was not reached.
    ///
    /// Periods that were archived before follow first where somebody was erased, of all boards, then where something was revoked.
    pub async fn archive(&self, site: &Rc<Site>, until_ms: u64) -> Archived {
        let mut archived = Archived { remaining_parts: follow::PARTS, ..Archived::default() };
        if !site.boards.values().any(|board| board.archive) {
            return archived;
        }
        let copying = match self.copies.may_copy(site).await {
            Ok(copying) => copying,
            Err(withheld) => {
                archived.failures.extend(withheld.failure(site));
                return archived;
            }
        };
        let mut boards: Vec<&Rc<Board>> = site.boards.values().filter(|board| board.archive).collect();
        let job = format!("archive {}", site.name);
        let places = boards.len();
        let begin = self.agenda.turn(&job).unwrap_or_else(|| place_of(&self.random.token())) % places;
        boards.rotate_left(begin);
        let mut next = None;
        for least in [Why::Erased, Why::Revoked, Why::Counted] {
            let mut waiting = Vec::new();
            for (i, board) in boards.into_iter().enumerate() {
                // One board at least.
                if archived.is_begun && self.clock.clock_ms() >= until_ms {
                    next = next.or_else(|| (least == Why::Erased).then_some((begin + i) % places));
                    continue;
                }
                archived.is_begun = true;
                if self.archive_counted(site, board, until_ms, least, &mut archived).await == Some(true) {
                    waiting.push(board);
                }
            }
            boards = waiting;
        }
        self.agenda.set_turn(&job, next);
        if archived.periods > 0 || copying.lags || archived.following.values().any(|of| !of.behind.is_empty()) {
            let noted = self.copies.note_following(site, &archived.following).await;
            archived.failures.extend(noted.err().map(|why| format!("{}: archive: {why}", site.name)));
        }
        archived
    }

    /// Archives a board, and counts that. Answers whether something is left; `None`: nobody knows.
    async fn archive_counted(&self, site: &Site, board: &Board, until_ms: u64, least: Why, archived: &mut Archived) -> Option<bool> {
        let mut waits = None;
        let work = async {
            waits = Some(self.archive_board(site, board, until_ms, least, archived).await?);
            // A run that goes on is counted when it ends.
            if waits == Some(true) { Err(Stopped::Idle) } else { Ok(()) }
        };
        let done = self.runs.count(&COPIED, Scope::board(site, board), work).await;
        archived.failures.extend(done.err().flatten());
        waits
    }
}
