//! The upkeep of boards of templates: there may be thousands, so one sorted set in Redis says which of them are to be looked at.
//!
//! # Decisions
//!
//! - An event enters its board, unless upkeep looks there soon anyway. So does a reader's wish and an administrator's change. A board that is idle
//!   is not in the set, and costs nothing.
//! - The set is a hint. A board's own state says whether something is due, as that of a configured board does. If Redis loses the set, all boards
//!   are looked at once. For single entries that a failover lost, a few boards have their turn every five minutes: a state in which something changed
//!   since upkeep had nothing left to do is one whose board should be in the set.
//! - What is over of a board with an archive is archived when upkeep looks at it: within a day of its end, or an hour where hours are archived. A
//!   board on which nothing counted since its longest period ended has all of it there, and is looked at no more.
//! - A board is looked up in the registry before: upkeep writes no keys of a board that is being deleted.
//! - A board that is to be archived as a whole is looked at until all its periods are over and archived, and nothing is in a rolling window. Then
//!   nothing changes it any more, also no correction. Two minutes later, when each isolate knows that, all time is archived and its keys are deleted.
//!   What is done on an archived board is done in the archive; what that leaves in Redis is deleted likewise.

use std::rc::Rc;
use std::time::Duration;

use engine::adapter::{Error, Transport};
use engine::store::Store;
use engine::store::boards::{ArchiveStep, DueBoard, DueBoards, LONGEST_BOARD_REST_S, State};
use engine::store::upkeep::Due;
use ranking::name::Name;
use ranking::site::{Board, Site};
use ranking::window::{Kind, Unit};
use ranking::zone::Zones;
use serve::app::agenda::{Resting, has_upkeep};
use serve::app::failure::Failure;
use serve::app::ports::Runtime;
use serve::app::templates::is_kept;

use super::{Answered, LOOK_S, Upkeep};
use crate::app::archive::{ArchiveError, Archived};
use crate::app::copies::Copying;
use crate::app::templates::going::WAIT_MS;

/// Boards that are looked at together.
const PIECE: u32 = 100;
/// Boards that have their turn together to show whether their entry was lost: about one a minute.
const SWEPT: u32 = 5;
/// A board that failed is looked at again, behind the others that are due. What was entered for an event that counted nothing is looked at once more:
/// the isolate enters its next one within this.
const AGAIN_S: u64 = 600;
/// After so many lives a score of a window that fades is 2^-64 of what it was.
const FADED_LIVES: f64 = 64.0;
const HOUR_S: u64 = 3_600;
const DAY_S: u64 = 86_400;

/// What to do after a piece.
enum Next {
    /// The next piece.
    Piece,
    /// Some of it is left to the next run.
    Run,
    /// None is due for so many seconds.
    Rest(u64),
}

impl<R: Runtime> Upkeep<'_, R> {
    /// Upkeep of the boards of templates, for the scheduled run. Answers a line for each failure.
    pub(super) async fn keep_boards_due(&self, until_ms: u64) -> Vec<String> {
        let mut failures = Vec::new();
        let has_templates = |site: &Site| site.templates.values().any(|template| is_kept(&template.board));
        for site in self.config.sites.values().filter(|site| has_templates(site)) {
            let resting = Resting::MadeBoards(site.name.clone());
            while !self.agenda.rests(&resting, self.clock.clock_ms()) && self.clock.clock_ms() < until_ms {
                match self.keep_piece(site, until_ms, &mut failures).await {
                    Ok(Next::Piece) => {}
                    Ok(Next::Run) => break,
                    Ok(Next::Rest(rest_s)) => self.agenda.rest(resting.clone(), self.clock.clock_ms(), 1000 * rest_s),
                    Err(error) => {
                        failures.push(format!("{}/boards: {}", site.name, Failure::of_write(&error).detail));
                        break;
                    }
                }
            }
        }
        failures
    }

    /// Asks which boards are due, and keeps them.
    async fn keep_piece(&self, site: &Rc<Site>, until_ms: u64, failures: &mut Vec<String>) -> Result<Next, Error> {
        let store = self.redis.store()?;
        let Some(DueBoards { now_s, rest_s, boards }) = store.due_boards(site, PIECE).await? else {
            store.list_due(site).await?;
            return Ok(Next::Piece);
        };
        let boards = if boards.is_empty() { self.find_lost(&store, site).await? } else { boards };
        if boards.is_empty() {
            return Ok(Next::Rest(rest_s.unwrap_or(LOOK_S).min(LOOK_S)));
        }
        let count = boards.len();
        let kept = self.keep_boards(&store, site, boards, (now_s, until_ms), failures).await?;
        store.rest_boards(site, &kept).await?;
        Ok(if kept.len() == count { Next::Piece } else { Next::Run })
    }

    /// Boards that nobody entered, though something changed there since upkeep had nothing left to do: Redis lost their entries. A few boards have their
    /// turn each time.
    async fn find_lost<T: Transport, Z: Zones>(&self, store: &Store<'_, T, Z>, configured: &Rc<Site>) -> Result<Vec<DueBoard>, Error> {
        let (resting, now_ms) = (Resting::Sweep(configured.name.clone()), self.clock.clock_ms());
        if self.agenda.rests(&resting, now_ms) {
            return Ok(Vec::new());
        }
        self.agenda.rest(resting, now_ms, 1000 * LOOK_S);
        let swept = store.sweep_boards(configured, LOOK_S, SWEPT).await?;
        let names: Vec<Name> = swept.iter().filter_map(|due| Name::of_board(&due.name)).collect();
        let site = configured.with_boards(&names);
        let board_of = |due: DueBoard| Some((site.boards.get(&due.name).filter(|board| is_kept(board))?, due));
        let swept: Vec<_> = swept.into_iter().filter_map(board_of).collect();
        if swept.is_empty() {
            return Ok(Vec::new());
        }
        let asked: Vec<(&Site, &Board)> = swept.iter().map(|(board, _)| (&site, &***board)).collect();
        let states = store.due(&asked).await?.boards;
        let is_lost = |due: &Result<Due, Error>| due.as_ref().is_ok_and(|Due { seen, .. }| seen.changed_us.is_some() && !seen.is_noted);
        Ok(swept.into_iter().zip(states).filter(|(_, state)| is_lost(state)).map(|((_, due), _)| due).collect())
    }

    /// Keeps boards that are due. Answers of those of which nothing is left to do when upkeep looks at them again (Unix seconds); 0: when somebody
    /// enters them.
    async fn keep_boards<T: Transport, Z: Zones>(
        &self,
        store: &Store<'_, T, Z>,
        configured: &Rc<Site>,
        boards: Vec<DueBoard>,
        (now_s, until_ms): (i64, u64),
        failures: &mut Vec<String>,
    ) -> Result<Vec<(DueBoard, i64)>, Error> {
        let names: Vec<Name> = boards.iter().filter_map(|due| Name::of_board(&due.name)).collect();
        let site = &configured.with_boards(&names);
        let is_moving = |due: &DueBoard| matches!(due.state, State::Copying | State::Archived | State::Opening);
        let (moving, boards): (Vec<_>, Vec<_>) = boards.into_iter().partition(is_moving);
        let kept_board = |due: &DueBoard| {
            let board = site.boards.get(&due.name).filter(|board| is_kept(board))?;
            (!matches!(due.state, State::Missing | State::Going)).then_some(&**board)
        };
        let (there, missing): (Vec<_>, Vec<_>) =
            boards.into_iter().map(|due| (kept_board(&due), due)).partition(|(board, _)| board.is_some());
        let mut kept: Vec<(DueBoard, i64)> = missing.into_iter().map(|(_, due)| (due, 0)).collect();
        kept.extend(self.move_boards(store, configured, moving, (now_s, until_ms), failures).await?);
        let there: Vec<(&Board, DueBoard)> = there.into_iter().filter_map(|(board, due)| Some((board?, due))).collect();
        if there.is_empty() {
            return Ok(kept);
        }
        let asked: Vec<(&Site, &Board)> = there.iter().map(|(board, _)| (site, *board)).collect();
        let states = store.due(&asked).await?.boards;
        let Answered { due: there, unanswered, failure } = Answered::of(there, states);
        failures.extend(failure.map(|failure| format!("{}/boards: {failure}", configured.name)));
        let copying = if there.iter().any(|((board, _), _)| board.archive) { self.may_archive(configured, failures).await } else { None };
        let mut archived = Archived::default();
        let after = |rest_s: u64| now_s + rest_s.cast_signed().min(LONGEST_BOARD_REST_S);
        kept.extend(unanswered.into_iter().map(|(_, due)| (due, after(AGAIN_S))));
        let (mut looked_at, mut idle) = (Vec::new(), Vec::new());
        for ((board, due), Due { rest_s, is_kept, seen }) in there {
            let is_unchanged_for = |for_s: u64| seen.counted_at.is_none_or(|counted_at| now_s > counted_at + for_s.cast_signed());
            let is_idle = is_unchanged_for(idle_after_s(board));
            let mut archive_at = 0;
            if board.archive {
                if self.clock.clock_ms() >= until_ms {
                    continue;
                }
                let is_done = copying.is_some() && self.archive.archive_made(site, board, until_ms, &mut archived).await;
                let is_archiving = due.state == State::Archiving;
                let is_over = is_archiving && is_done && (is_idle || !has_upkeep(board)) && self.archive.is_over(site, board).await?;
                if is_over {
                    store.archive_board(site, &board.name, ArchiveStep::Copy).await?;
                    failures.extend(self.copies.copy_board(site, &board.name).await.err());
                    kept.push((due, 0));
                    continue;
                }
                archive_at = match (is_done, archives_within_s(board)) {
                    (false, _) => after(AGAIN_S),
                    (true, within) if is_unchanged_for(within.all_s) && !is_archiving => 0,
                    (true, within) => after(within.every_s),
                };
            }
            match (rest_s, !has_upkeep(board) || is_idle && is_kept && !due.is_entered()) {
                (_, true) => {
                    if archive_at == 0 {
                        idle.extend(seen.changed_us.map(|changed_us| (board, changed_us)));
                    }
                    kept.push((due, archive_at));
                }
                (0, false) => looked_at.push((board, due, is_idle, archive_at)),
                (rest_s, false) => kept.push((due, sooner(after(rest_s), archive_at))),
            }
        }
        failures.extend(self.archive.note_made(configured, archived, copying.as_ref()).await);
        if !idle.is_empty() {
            store.note_idle(site, &idle).await?;
        }
        let works: Vec<(&Site, &Board)> = looked_at.iter().map(|(board, ..)| (site, *board)).collect();
        let worked = self.keep(store, &works, (&self.random.token(), now_s), until_ms).await;
        failures.extend(worked.failures);
        for (board, due, is_idle, archive_at) in looked_at {
            let rested = worked.rested.iter().find(|(_, rested, _)| rested.name == board.name);
            let upkeep_at = match rested {
                Some((.., rest_s)) if !is_idle => after(*rest_s),
                Some((.., rest_s)) => after(AGAIN_S.min(*rest_s)),
                None if self.clock.clock_ms() < until_ms => after(AGAIN_S),
                None => continue,
            };
            kept.push((due, sooner(upkeep_at, archive_at)));
        }
        Ok(kept)
    }

    /// Takes boards that are due further on their way to the archive or back, two minutes after each step. Answers of those of which nothing is left to
    /// do for now when upkeep looks at them again, like [`Self::keep_boards`].
    async fn move_boards<T: Transport, Z: Zones>(
        &self,
        store: &Store<'_, T, Z>,
        configured: &Rc<Site>,
        boards: Vec<DueBoard>,
        (now_s, until_ms): (i64, u64),
        failures: &mut Vec<String>,
    ) -> Result<Vec<(DueBoard, i64)>, Error> {
        let (mut moved, mut archived) = (Vec::new(), Archived::default());
        let copying = if boards.is_empty() { None } else { self.may_archive(configured, failures).await };
        if copying.is_none() {
            return Ok(moved);
        }
        for due in boards {
            let site = Rc::new(configured.with_boards(Name::of_board(&due.name).as_slice()));
            let at = due.archive_s + WAIT_MS / 1_000;
            let Some(board) = site.boards.get(&due.name).filter(|_| at <= now_s) else {
                moved.push((due, at));
                continue;
            };
            if self.clock.clock_ms() >= until_ms {
                break;
            }
            let done = match due.state {
                State::Opening => self.open_board(&site, board, until_ms).await.map(|is_done| is_done.then_some(ArchiveStep::Opened)),
                _ if !self.archive.archive_made(&site, board, until_ms, &mut archived).await => Ok(None),
                State::Copying => {
                    let is_done = self.archive.archive_all_time(&site, board, due.archive_s, until_ms).await;
                    is_done.map(|is_done| is_done.then_some(ArchiveStep::Archived))
                }
                _ => Ok(Some(ArchiveStep::Delete)),
            };
            match done {
                Ok(Some(step)) => {
                    store.archive_board(&site, &board.name, step).await?;
                    failures.extend(self.copies.copy_board(&site, &board.name).await.err());
                    self.agenda.wake(&Resting::GoingBoards(site.name.clone()));
                    let is_opened = step == ArchiveStep::Opened;
                    moved.push((due, if is_opened { now_s + AGAIN_S.cast_signed() } else { 0 }));
                }
                Ok(None) | Err(ArchiveError::Busy) if self.clock.clock_ms() >= until_ms => break,
                Ok(None) | Err(ArchiveError::Busy) => moved.push((due, now_s + AGAIN_S.cast_signed())),
                Err(error) => {
                    failures.push(format!("{}/{}: {}", site.name, board.name, error.detail()));
                    moved.push((due, now_s + AGAIN_S.cast_signed()));
                }
            }
        }
        failures.extend(self.archive.note_made(configured, archived, copying.as_ref()).await);
        Ok(moved)
    }

    /// Puts back what the archive has of a board that is opened. Answers whether all of it is there; then the archive has all time no more.
    async fn open_board(&self, site: &Rc<Site>, board: &Rc<Board>, until_ms: u64) -> Result<bool, ArchiveError> {
        if !self.restore.restore(site, board, false, until_ms).await?.is_done {
            return Ok(false);
        }
        self.archive.files.delete_all_time(site, board).await?;
        Ok(true)
    }

    /// What was found where Redis may be copied.
    async fn may_archive(&self, site: &Rc<Site>, failures: &mut Vec<String>) -> Option<Copying> {
        let may_copy = self.copies.may_copy(site).await;
        failures.extend(may_copy.as_ref().err().and_then(|withheld| withheld.failure(site)));
        may_copy.ok()
    }
}

/// The earlier of two instants, of which 0 is none.
fn sooner(one: i64, other: i64) -> i64 {
    if one == 0 || other == 0 { one.max(other) } else { one.min(other) }
}

/// When something of a board is to be archived.
struct ArchivesWithin {
    /// It is looked at that often.
    every_s: u64,
    /// What was counted is archived that long after.
    all_s: u64,
}

fn archives_within_s(board: &Board) -> ArchivesWithin {
    let units = || Unit::COUNTED.into_iter().filter(|unit| board.archives(*unit));
    let every_s = if units().any(|unit| unit == Unit::Hour) { HOUR_S } else { DAY_S };
    ArchivesWithin { every_s, all_s: units().map(|unit| unit.needed_s(1)).max().unwrap_or(0) }
}

/// Seconds after its last event from which on a board has nothing in a window that upkeep keeps.
pub(in crate::app) fn idle_after_s(board: &Board) -> u64 {
    let of_window = |kind: Kind| match kind {
        Kind::Rolling { unit, length } => unit.needed_s(length),
        Kind::HalfLife { life_ms } => Duration::from_millis(life_ms).mul_f64(FADED_LIVES).as_secs(),
        Kind::Step { every, factor } => steps_s(every.needed_s(1), factor.value()),
        Kind::Calendar(_) | Kind::Linear { .. } => DAY_S,
    };
    board.windows.iter().map(|window| of_window(window.kind)).max().unwrap_or(DAY_S)
}

/// Seconds of as many steps, of about so many seconds each, as make up the lives after which a score has faded.
fn steps_s(step_s: u64, factor: f64) -> u64 {
    Duration::from_secs(step_s).mul_f64(FADED_LIVES / -factor.log2()).as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_until_nothing_remains() {
        assert_eq!([0.5, 0.25, 0.9].map(|factor| steps_s(10, factor)), [640, 320, 4_210]);
    }
}
