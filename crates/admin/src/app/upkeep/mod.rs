//! Keeping boards: rolling boards whole and ready for their next period, past rankings and indexes built, decaying boards free of what
//! has faded.
//!
//! Nothing here is needed for correct counts: what is not whole says so until it is.

pub(in crate::app) mod boards;
mod intents;
pub mod libraries;
pub mod rebuild;
mod rounds;

use std::rc::Rc;

use engine::adapter::{Error, Transport};
use engine::store::Store;
use engine::store::homes::Settled;
use engine::store::upkeep::{Chunk, Due, Job, LONGEST_REST_S};
pub use engine::store::upkeep::{Progress, Task};
use ranking::site::{Board, Ranking, Site};
use ranking::window::{Kind, Window};
use ranking::zone::Zones;

use super::archive::Archive;
use super::archive::restore::ArchiveRestore;
use super::copies::{Copies, Withheld};
use rounds::Work;
use serve::app::agenda::{Agenda, Resting, has_upkeep, place_of};
use serve::app::counters::Counters;
use serve::app::failure::Failure;
use serve::app::ports::{Clock, Log, Random, Runtime};
use serve::app::redis::Redis;
use serve::config::Config;

/// While nothing is due, a board is asked for it in each fifth run: an idle month costs 8,640 looks a board. The fifth run may begin some seconds early.
const LOOK_S: u64 = 300 - 5;

/// What became of a window.
#[derive(Debug)]
pub struct WindowUpkeep<'a> {
    pub board: &'a Board,
    pub window: &'a Window,
    pub done: Result<Done, Failure>,
}

#[derive(Debug)]
pub enum Done {
    /// Rolling: how far it is.
    Rolling(Progress),
    /// Decaying: members dropped.
    Decaying { dropped: u64 },
    /// Somebody else is at it.
    Busy,
}

/// What became of boards on which something was due.
struct Kept<'a> {
    /// Boards on which nothing is due for so many seconds.
    rested: Vec<(&'a Site, &'a Board, u64)>,
    failures: Vec<String>,
}

/// Boards that were asked for what is due there.
struct Answered<B> {
    due: Vec<(B, Due)>,
    /// Those whose node of a cluster did not answer.
    unanswered: Vec<B>,
    /// A line about them.
    failure: Option<String>,
}

impl<B> Answered<B> {
    fn of(boards: Vec<B>, states: Vec<Result<Due, Error>>) -> Self {
        let (mut due, mut unanswered, mut first) = (Vec::new(), Vec::new(), None);
        for (board, state) in boards.into_iter().zip(states) {
            match state {
                Ok(state) => due.push((board, state)),
                Err(error) => {
                    unanswered.push(board);
                    first.get_or_insert(error);
                }
            }
        }
        let failure =
            first.map(|error| format!("due on {} of {} boards: {}", unanswered.len(), unanswered.len() + due.len(), error.detail));
        Self { due, unanswered, failure }
    }
}

/// The upkeep of boards and of Redis's libraries of functions.
pub struct Upkeep<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) archive: Archive<'a, R>,
    pub(in crate::app) copies: Copies<'a, R>,
    pub(in crate::app) restore: ArchiveRestore<'a, R>,
    pub(in crate::app) agenda: &'a Agenda,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) counters: &'a Counters,
    pub(in crate::app) log: &'a dyn Log,
    pub(in crate::app) random: &'a dyn Random,
    pub(in crate::app) settled: &'a Settled,
}

impl<R: Runtime> Upkeep<'_, R> {
    /// Does what the windows of a site need, and prepares all of them, until nothing is left or `until_ms` (by the edge's clock)
    /// has come; the rest is for the next run.
    pub async fn upkeep<'a>(&self, site: &'a Site, until_ms: u64) -> Vec<WindowUpkeep<'a>> {
        let owner = self.random.token();
        let mut works: Vec<Work> = site.boards.values().flat_map(|board| jobs(board).map(|job| Work::new(site, board, job))).collect();
        self.work(&mut works, &owner, true, until_ms).await;
        works.into_iter().filter_map(|work| work.of_window(&|error| Failure::of_write(error))).collect()
    }

    /// How far the rolling windows of a site are.
    pub async fn upkeep_progress<'a>(&self, site: &'a Site) -> Vec<WindowUpkeep<'a>> {
        let is_rolling = |job: &Job| matches!(job, Job::Window(Window { kind: Kind::Rolling { .. }, .. }));
        let rolling = site.boards.values().flat_map(|board| jobs(board).filter(is_rolling).map(|job| Work::new(site, board, job)));
        let mut works: Vec<Work> = rolling.collect();
        self.look(&mut works).await;
        works.into_iter().filter_map(|work| work.of_window(&|error| Failure::of_read(error))).collect()
    }

    /// Upkeep of every site, as far as something is due, for the scheduled run. Answers a line for each job that failed.
    ///
    /// 1. Ask the boards whether something is due, in one round trip: those that did not say a moment ago that they rest.
    /// 2. See whether they lost something, as their marks say that came with it.
    /// 3. Do what is due, over the same connection.
    /// 4. Remember until when each board rests, in Redis and in the memory of the isolate.
    /// 5. Do the same for boards of templates, see [`Self::keep_boards_due`].
    pub async fn keep_due(&self, until_ms: u64) -> Vec<String> {
        let mut failures = self.keep_configured_due(until_ms).await;
        failures.extend(self.keep_boards_due(until_ms).await);
        failures
    }

    async fn keep_configured_due(&self, until_ms: u64) -> Vec<String> {
        let sites: Vec<Rc<Site>> = self.config.sites.values().cloned().collect();
        let now_ms = self.clock.clock_ms();
        let kept = sites.iter().flat_map(|site| site.boards.values().map(move |board| (site, board)));
        let awake: Vec<(&Rc<Site>, &Rc<Board>)> =
            kept.filter(|(site, board)| has_upkeep(board) && !self.agenda.rests(&Resting::upkeep(site, board), now_ms)).collect();
        if awake.is_empty() {
            return Vec::new();
        }
        let (owner, failed) = (self.random.token(), |error: &Error| vec![format!("due: {}", error.detail)]);
        let store = match self.redis.store() {
            Ok(store) => store,
            Err(error) => return failed(&error),
        };
        let records = self.copies.records(sites.iter().filter(|site| awake.iter().any(|(of, _)| of.name == site.name))).await;
        let asked: Vec<(&Site, &Board)> = awake.iter().map(|(site, board)| (&***site, &***board)).collect();
        let asked = match store.due(&asked).await {
            Ok(asked) => asked,
            Err(error) => return failed(&error),
        };
        let now_s = asked.now_s;
        let Answered { due: answered, failure, .. } = Answered::of(awake, asked.boards);
        let mut failures = Vec::from_iter(failure);
        for (site, record) in records {
            let of_site = answered.iter().filter(|((of, _), _)| of.name == site.name);
            let seen = of_site.map(|((_, board), due)| (Rc::clone(board), due.seen)).collect();
            let judged = match record {
                Ok(record) => self.copies.judge(&store, &site, record, now_s, seen).await.map(drop),
                Err(why) => Err(Withheld::Unknown(why)),
            };
            failures.extend(judged.err().and_then(|withheld| withheld.failure(&site)));
        }
        let mut looked_at = Vec::new();
        for ((site, board), Due { rest_s, .. }) in answered {
            if rest_s > 0 {
                self.agenda.rest(Resting::upkeep(site, board), now_ms, 1000 * rest_s.min(LOOK_S));
            } else {
                looked_at.push((&**site, &**board));
            }
        }
        let kept = self.keep(&store, &looked_at, (&owner, now_s), until_ms).await;
        for (site, board, rest_s) in kept.rested {
            self.agenda.rest(Resting::upkeep(site, board), self.clock.clock_ms(), 1000 * rest_s.min(LOOK_S));
        }
        failures.extend(kept.failures);
        failures
    }

    /// Does what is due on some boards over a connection, from a board on that each run chooses anew, and has Redis remember until when each rests.
    /// `now_s` is by Redis's clock.
    async fn keep<'a, T: Transport, Z: Zones>(
        &self,
        store: &Store<'_, T, Z>,
        boards: &[(&'a Site, &'a Board)],
        (owner, now_s): (&str, i64),
        until_ms: u64,
    ) -> Kept<'a> {
        let began_ms = self.clock.clock_ms();
        let boards: Vec<(&Site, &Board, i64)> = boards.iter().map(|(site, board)| (*site, *board, 0)).collect();
        let mut due = say_rest(store, &boards, owner).await;
        // Whatever is left undone, another board is the first one in the next run.
        let places = due.len().max(1);
        due.rotate_left(place_of(owner) % places);
        let mut works: Vec<Work> = due.iter().flat_map(|(site, board, _)| jobs(board).map(|job| Work::new(site, board, job))).collect();
        self.work_over(store, &mut works, owner, false, until_ms).await;
        // About now, by Redis's clock. A second late, and what is due after some hours waits for one run and one look more.
        let ended_s = now_s + (self.clock.clock_ms().saturating_sub(began_ms) / 1000).cast_signed();
        let (mut rested, mut until) = (Vec::new(), Vec::new());
        for (site, board, _) in due {
            let of_board = works.iter().filter(|work| work.is_of(site, board));
            if let Some(rest_s) = of_board.map(Work::rest_s).min().filter(|rest_s| *rest_s > 0) {
                rested.push((site, board, rest_s));
                until.push((site, board, ended_s + rest_s.min(LONGEST_REST_S).cast_signed()));
            }
        }
        // What is lost of it is looked up again.
        say_rest(store, &until, owner).await;
        Kept { rested, failures: works.iter().filter_map(Work::failure).collect() }
    }

    /// Works on rolling boards that readers found incomplete until they are complete, or until `until_ms`. Those of minutes are prepared as
    /// well.
    pub async fn complete<'a>(&self, site: &'a Site, windows: &[(&'a Board, &'a Window)], until_ms: u64) {
        let work = |&(board, window): &(&'a Board, &'a Window)| match window.grain_s() {
            Some(_) => Work::new(site, board, Job::Window(window)),
            None => Work::until_complete(site, board, window),
        };
        let mut works: Vec<Work> = windows.iter().map(work).collect();
        self.work(&mut works, &self.random.token(), false, until_ms).await;
    }

    /// Builds past rankings of a board that readers want, so many entries at a time, until none is left or it may not go on.
    pub async fn build_wanted(&self, site: &Site, board: &Board, entries: u32, mut may_go_on: impl FnMut() -> bool) {
        let (owner, mut is_over) = (self.random.token(), false);
        while !is_over && may_go_on() {
            let mut chunk = [Work::of_entries(entries, site, board, Job::Past)];
            self.work(&mut chunk, &owner, false, 0).await;
            is_over = chunk[0].is_over();
        }
    }
}

/// Notes until when boards rest, see [`Store::rest`], a site after the other. Answers those of which it was noted.
async fn say_rest<'a, T: Transport, Z: Zones>(
    store: &Store<'_, T, Z>,
    boards: &[(&'a Site, &'a Board, i64)],
    owner: &str,
) -> Vec<(&'a Site, &'a Board, i64)> {
    let mut message = Vec::new();
    for of_site in boards.chunk_by(|one, other| one.0.name == other.0.name) {
        let rests: Vec<(&Board, i64)> = of_site.iter().map(|(_, board, until_s)| (*board, *until_s)).collect();
        let is_reported = store.rest(of_site[0].0, &rests, owner).await;
        message.extend(of_site.iter().zip(is_reported).filter(|(_, is_reported)| *is_reported).map(|(of, _)| *of));
    }
    message
}

/// What a board may need.
fn jobs(board: &Board) -> impl Iterator<Item = Job<'_>> {
    let is_kept = |window: &&Window| board.rolls(window) || window.fades();
    let windows = board.windows.iter().filter(is_kept).map(Job::Window);
    let has_past = board.windows.iter().any(|window| board.rolls(window));
    let has_indexes = board.ranking == Ranking::Dense;
    windows.chain(has_past.then_some(Job::Past)).chain(has_indexes.then_some(Job::Indexes))
}
