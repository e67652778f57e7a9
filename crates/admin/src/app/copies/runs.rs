//! The runs of copies: which sites they work on, and how each is counted, timed and reported. What they do at a board or a window is the machine's
//! (`machine.rs`).

use std::rc::Rc;

use engine::adapter::Error;
use ranking::name::Name;
use ranking::site::{Board, Site};
use serve::app::agenda::{Agenda, Resting};
use serve::app::counters::{Counters, Series};
use serve::app::database::DatabaseError;
use serve::app::ports::Clock;
use serve::config::Config;

use super::Withheld;

/// A kind of copy.
pub(in crate::app) struct Copied {
    /// What it is called in the log.
    pub name: &'static str,
    /// What its jobs are called in the metrics, before their scopes.
    pub job: &'static str,
}

/// Which sites are worked on, and how often.
pub(in crate::app) struct Looks {
    /// Whether a board has a copy.
    pub is_of: fn(&Board) -> bool,
    /// That a site is left alone.
    pub resting: fn(Name) -> Resting,
    /// A site that was worked on to its end is left alone for so long.
    pub every_ms: u64,
}

/// What a run works on: a board, or a window of it.
#[derive(Clone, Copy)]
pub(in crate::app) struct Scope<'p> {
    pub site: &'p Site,
    pub board: &'p Board,
    window: Option<&'p str>,
}

impl<'p> Scope<'p> {
    pub fn board(site: &'p Site, board: &'p Board) -> Self {
        Self { site, board, window: None }
    }

    pub fn window(site: &'p Site, board: &'p Board, window: &'p str) -> Self {
        Self { site, board, window: Some(window) }
    }

    /// `board`, or `board/window`.
    fn name(&self) -> String {
        let board = &self.board.name;
        self.window.map_or_else(|| board.to_string(), |window| format!("{board}/{window}"))
    }
}

/// Why a run did nothing.
#[derive(Debug)]
pub(in crate::app) enum Stopped {
    /// Nothing is due.
    Idle,
    /// Another run is at it.
    Busy,
    /// It failed, and the log says so already.
    Reported,
    /// It failed: why, for the log.
    Failed(String),
}

impl From<String> for Stopped {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<DatabaseError> for Stopped {
    fn from(error: DatabaseError) -> Self {
        Self::Failed(error.detail().to_owned())
    }
}

impl From<Withheld> for Stopped {
    fn from(withheld: Withheld) -> Self {
        Self::Failed(withheld.detail())
    }
}

/// Has copies run.
pub struct Runs<'a> {
    pub(in crate::app) agenda: &'a Agenda,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) counters: &'a Counters,
}

impl Runs<'_> {
    /// Works on each site that has a copy and is not left alone. Answers a line for each failure.
    pub(in crate::app) async fn each_site(
        &self,
        looks: &Looks,
        until_ms: u64,
        work: impl AsyncFn(&Rc<Site>) -> Vec<String>,
    ) -> Vec<String> {
        let now_ms = self.clock.clock_ms();
        let mut failures = Vec::new();
        for site in self.config.sites.values().filter(|site| site.boards.values().any(|board| (looks.is_of)(board))) {
            let rest = (looks.resting)(site.name.clone());
            if self.agenda.rests(&rest, now_ms) {
                continue;
            }
            failures.extend(work(site).await);
            if self.clock.clock_ms() < until_ms {
                self.agenda.rest(rest, now_ms, looks.every_ms);
            }
        }
        failures
    }

    /// Counts and times what a run does at a scope.
    ///
    /// # Errors
    /// When it stopped: a line for the log, where that has none yet.
    pub(in crate::app) async fn count<T>(
        &self,
        copied: &Copied,
        scope: Scope<'_>,
        work: impl Future<Output = Result<T, Stopped>>,
    ) -> Result<T, Option<String>> {
        let (job, site, started_ms) = (job_of(copied, scope), scope.site.name.as_str(), self.clock.clock_ms());
        let add = |series, by| self.counters.add(series, site, &job, by);
        let done = work.await;
        let now_ms = self.clock.clock_ms();
        add(Series::JobMs, now_ms.saturating_sub(started_ms));
        match done {
            Ok(done) => {
                add(Series::JobRuns, 1);
                self.counters.note_done(site, &job, now_ms);
                return Ok(done);
            }
            Err(Stopped::Idle) => {}
            Err(Stopped::Busy) => add(Series::JobsBusy, 1),
            Err(Stopped::Reported) => add(Series::JobsFailed, 1),
            Err(Stopped::Failed(why)) => {
                add(Series::JobsFailed, 1);
                return Err(Some(format!("{site}/{}: {}: {why}", scope.name(), copied.name)));
            }
        }
        Err(None)
    }

    /// Counts members that were copied at a scope.
    pub(in crate::app) fn count_members(&self, copied: &Copied, scope: Scope<'_>, members: usize) {
        self.counters.add(Series::JobMembers, scope.site.name.as_str(), &job_of(copied, scope), members as u64);
    }
}

/// What a job is called in the metrics: of boards of a template, by that.
fn job_of(copied: &Copied, scope: Scope<'_>) -> String {
    let template = scope.board.of_template.as_ref().map(Name::to_string);
    format!("{} {}", copied.job, template.unwrap_or_else(|| scope.name()))
}
