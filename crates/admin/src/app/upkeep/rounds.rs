//! Rounds of chunks: each job gets one in turn, so that none waits for a large one, all over one connection.

use engine::adapter::{Error, Transport};
use engine::store::Store;
use ranking::name::Name;
use ranking::site::{Board, Site};
use ranking::window::{Kind, Window};
use ranking::zone::Zones;
use serve::app::counters::{Counters, Series};

use super::{Chunk, Done, Failure, Job, Progress, Runtime, Task, Upkeep, WindowUpkeep};

/// Entries of sorted sets in one chunk. Redis serves nobody else meanwhile: 2 to 4 ms of a slow core.
const ENTRIES: u32 = 500;
const YEAR_S: u64 = 366 * 86_400;
/// Chunks in one round trip. Redis may do them one after the other, without serving anybody in between.
const LANES: usize = 2;

/// A job of a board, how many entries of sorted sets its chunks read, and what became of it.
#[derive(Debug)]
pub(super) struct Work<'a> {
    site: &'a Site,
    board: &'a Board,
    job: Job<'a>,
    entries: u32,
    /// Whether it is enough that the current board is complete.
    until_complete: bool,
    /// The last answer; the inner `None`: somebody else is at it.
    answer: Option<Result<Option<Progress>, Error>>,
    dropped: u64,
    is_over: bool,
}

impl<'a> Work<'a> {
    pub(super) fn new(site: &'a Site, board: &'a Board, job: Job<'a>) -> Self {
        Self { site, board, job, entries: ENTRIES, until_complete: false, answer: None, dropped: 0, is_over: false }
    }

    pub(super) fn of_entries(entries: u32, site: &'a Site, board: &'a Board, job: Job<'a>) -> Self {
        Self { entries, ..Self::new(site, board, job) }
    }

    pub(super) fn until_complete(site: &'a Site, board: &'a Board, window: &'a Window) -> Self {
        Self { until_complete: true, ..Self::new(site, board, Job::Window(window)) }
    }

    pub(super) fn is_of(&self, site: &Site, board: &Board) -> bool {
        self.site.name == site.name && self.board.name == board.name
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Seconds for which nothing is due; 0 when something is, or may be.
    pub(super) fn rest_s(&self) -> u64 {
        match &self.answer {
            // A call that makes work enters the board.
            Some(Ok(Some(progress))) if progress.task == Task::Ready && !matches!(self.job, Job::Window(_)) => YEAR_S,
            Some(Ok(Some(progress))) => progress.rest_s,
            _ => 0,
        }
    }

    /// `board/window`, or what else is done for the board.
    fn name(&self, board: &Name) -> String {
        let job = match self.job {
            Job::Window(window) => window.name.as_str(),
            Job::Past => "past rankings",
            Job::Indexes => "indexes",
        };
        format!("{board}/{job}")
    }

    /// A line for the log, when it failed.
    pub(super) fn failure(&self) -> Option<String> {
        let Some(Err(error)) = &self.answer else { return None };
        Some(format!("{}/{}: {}", self.site.name, self.name(&self.board.name), error.detail))
    }

    /// Counts a chunk that took so long, before its answer is taken.
    fn count(&self, counters: &Counters, answer: &Result<Option<Progress>, Error>, ms: u64, now_ms: u64) {
        let is_repair = |answer: &Result<Option<Progress>, Error>| matches!(answer, Ok(Some(progress)) if progress.task.is_incomplete());
        let repairs = self.until_complete || is_repair(answer) || self.answer.as_ref().is_some_and(is_repair);
        // There may be thousands of a template: its name is counted by.
        let counted_as = self.name(self.board.of_template.as_ref().unwrap_or(&self.board.name));
        let (site, name) = (self.site.name.as_str(), format!("{} {counted_as}", if repairs { "repair" } else { "upkeep" }));
        let add = |series, by| counters.add(series, site, &name, by);
        match answer {
            Ok(Some(progress)) => {
                let before = match &self.answer {
                    Some(Ok(Some(before))) if before.task == progress.task => before.scanned,
                    _ => 0,
                };
                add(Series::JobRuns, 1);
                add(Series::JobMembers, progress.scanned.saturating_sub(before).min(ENTRIES.into()));
                add(Series::JobMs, ms);
                counters.note_done(site, &name, now_ms);
            }
            Ok(None) => add(Series::JobsBusy, 1),
            Err(_) => add(Series::JobsFailed, 1),
        }
    }

    /// What became of a window; `None` for another job.
    pub(super) fn of_window(self, failure: &dyn Fn(&Error) -> Failure) -> Option<WindowUpkeep<'a>> {
        let Job::Window(window) = self.job else { return None };
        let is_rolling = matches!(window.kind, Kind::Rolling { .. });
        let done = match self.answer {
            Some(Ok(Some(progress))) if is_rolling => Ok(Done::Rolling(progress)),
            Some(Ok(Some(_))) => Ok(Done::Decaying { dropped: self.dropped }),
            Some(Err(error)) => Err(failure(&error)),
            Some(Ok(None)) | None => Ok(Done::Busy),
        };
        Some(WindowUpkeep { board: self.board, window, done })
    }

    fn take(&mut self, answer: Result<Option<Progress>, Error>, is_early: bool) {
        self.is_over = match &answer {
            Ok(Some(progress)) => {
                self.dropped += if progress.task == Task::Trim || progress.task == Task::Ready { progress.scanned } else { 0 };
                progress.task == Task::Ready || progress.rest_s > 0 && !is_early || self.until_complete && !progress.task.is_incomplete()
            }
            Ok(None) | Err(_) => true,
        };
        self.answer = Some(answer);
    }
}

impl<R: Runtime> Upkeep<'_, R> {
    /// Does jobs in rounds until each is over or `until_ms` has come.
    pub(super) async fn work(&self, works: &mut [Work<'_>], owner: &str, is_early: bool, until_ms: u64) {
        match self.redis.store() {
            Ok(store) => self.work_over(&store, works, owner, is_early, until_ms).await,
            Err(error) => works.iter_mut().for_each(|work| work.take(Err(error.clone()), is_early)),
        }
    }

    /// The same over a connection that is there.
    pub(super) async fn work_over<T: Transport, Z: Zones>(
        &self,
        store: &Store<'_, T, Z>,
        works: &mut [Work<'_>],
        owner: &str,
        is_early: bool,
        until_ms: u64,
    ) {
        let mut is_first = true;
        loop {
            let open: Vec<usize> = (0..works.len()).filter(|i| !works[*i].is_over).collect();
            if open.is_empty() || !is_first && self.clock.clock_ms() >= until_ms {
                return;
            }
            for lanes in trips(works, &open, is_first) {
                // Not what an administrator asks for: that has a round at least.
                if !is_early && works.iter().any(|work| work.answer.is_some()) && self.clock.clock_ms() >= until_ms {
                    return;
                }
                let chunk = |i: &usize| {
                    let Work { board, job, entries, .. } = works[*i];
                    Chunk { board, job, owner, entries, is_early }
                };
                let chunks: Vec<Chunk> = lanes.iter().map(chunk).collect();
                let asked_at_ms = self.clock.clock_ms();
                let answers = store.upkeep(works[lanes[0]].site, &chunks).await;
                let now_ms = self.clock.clock_ms();
                let each_ms = now_ms.saturating_sub(asked_at_ms) / lanes.len() as u64;
                let mut take = |i: usize, answer: Result<Option<Progress>, Error>| {
                    works[i].count(self.counters, &answer, each_ms, now_ms);
                    works[i].take(answer, is_early);
                };
                match answers {
                    Ok(answers) => lanes.iter().zip(answers).for_each(|(i, answer)| take(*i, answer)),
                    // These are on a node that is gone; the others may not be.
                    Err(error) if store.transport.is_cluster() => lanes.iter().for_each(|i| take(*i, Err(error.clone()))),
                    // Redis does not answer: the others would wait for nothing.
                    Err(error) => return open.iter().for_each(|i| take(*i, Err(error.clone()))),
                }
            }
            is_first = false;
        }
    }

    /// Asks jobs how far they are, in one round trip; all are of one site.
    pub(super) async fn look<'a>(&self, works: &mut [Work<'a>]) {
        let Some(site) = works.first().map(|work| work.site) else { return };
        let chunk = |work: &Work<'a>| Chunk { board: work.board, job: work.job, owner: "", entries: 0, is_early: false };
        let chunks: Vec<Chunk<'a>> = works.iter().map(chunk).collect();
        let answers = match self.redis.store() {
            Ok(store) => store.upkeep(site, &chunks).await,
            Err(error) => Err(error),
        };
        match answers {
            Ok(answers) => works.iter_mut().zip(answers).for_each(|(work, answer)| work.take(answer, false)),
            Err(error) => works.iter_mut().for_each(|work| work.take(Err(error.clone()), false)),
        }
    }
}

/// The open jobs in groups of one round trip, each of one site. A job that is alone at work gets every lane.
fn trips(works: &[Work<'_>], open: &[usize], is_first: bool) -> Vec<Vec<usize>> {
    let mut trips = Vec::new();
    for of_site in open.chunk_by(|one, other| works[*one].site.name == works[*other].site.name) {
        trips.extend(of_site.chunks(LANES).map(<[usize]>::to_vec));
    }
    if let ([only], false) = (open, is_first) {
        return vec![vec![*only; LANES]];
    }
    trips
}
