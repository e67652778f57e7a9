//! The upkeep of boards of templates: there may be thousands, so one sorted set in Redis says which of them are to be looked at.
//!
//! # Decisions
//!
//! - An event enters its board, unless upkeep looks there soon anyway. So does a reader's wish and an administrator's change. A board that is idle
//!   is not in the set, and costs nothing.
//! - The set is a hint. A board's own state says whether something is due, as that of a configured board does. If Redis loses the set, all boards
//!   are looked at once.
//! - A board is looked up in the registry before: upkeep writes no keys of a board that is being deleted.

use std::time::Duration;

use engine::adapter::{Error, Transport};
use engine::store::Store;
use engine::store::boards::{DueBoard, DueBoards, LONGEST_BOARD_REST_S, State};
use engine::store::upkeep::Due;
use ranking::name::Name;
use ranking::site::{Board, Site};
use ranking::window::Kind;
use ranking::zone::Zones;

use super::{LOOK_S, Upkeep};
use crate::app::agenda::{Resting, has_upkeep};
use crate::app::failure::Failure;
use crate::app::ports::Runtime;

/// Boards that are looked at together.
const PIECE: u32 = 100;
/// What was entered for an event that counted nothing is looked at once more. The isolate enters its next one within this.
const AGAIN_S: u64 = 600;
/// After so many lives a score of a window that fades is 2^-64 of what it was.
const FADED_LIVES: f64 = 64.0;
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
        let has_templates = |site: &Site| site.templates.values().any(|template| has_upkeep(&template.board));
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
    async fn keep_piece(&self, site: &Site, until_ms: u64, failures: &mut Vec<String>) -> Result<Next, Error> {
        let store = self.redis.store()?;
        let Some(DueBoards { now_s, rest_s, boards }) = store.due_boards(site, PIECE).await? else {
            store.list_due(site).await?;
            return Ok(Next::Piece);
        };
        if boards.is_empty() {
            return Ok(Next::Rest(rest_s.unwrap_or(LOOK_S).min(LOOK_S)));
        }
        let count = boards.len();
        let kept = self.keep_boards(&store, site, boards, (now_s, until_ms), failures).await?;
        store.rest_boards(site, &kept).await?;
        Ok(if kept.len() == count { Next::Piece } else { Next::Run })
    }

    /// Keeps boards that are due. Answers of those of which nothing is left to do when upkeep looks at them again (Unix seconds); 0: when somebody
    /// enters them.
    async fn keep_boards<T: Transport, Z: Zones>(
        &self,
        store: &Store<'_, T, Z>,
        site: &Site,
        boards: Vec<DueBoard>,
        (now_s, until_ms): (i64, u64),
        failures: &mut Vec<String>,
    ) -> Result<Vec<(DueBoard, i64)>, Error> {
        let names: Vec<Name> = boards.iter().filter_map(|due| Name::of_board(&due.name)).collect();
        let site = &site.with_boards(&names);
        let kept_board = |due: &DueBoard| {
            let board = site.boards.get(&due.name).filter(|board| has_upkeep(board))?;
            (!matches!(due.state, State::Missing | State::Going)).then_some(&**board)
        };
        let (there, gone): (Vec<_>, Vec<_>) = boards.into_iter().map(|due| (kept_board(&due), due)).partition(|(board, _)| board.is_some());
        let mut kept: Vec<(DueBoard, i64)> = gone.into_iter().map(|(_, due)| (due, 0)).collect();
        let there: Vec<(&Board, DueBoard)> = there.into_iter().filter_map(|(board, due)| Some((board?, due))).collect();
        if there.is_empty() {
            return Ok(kept);
        }
        let asked: Vec<(&Site, &Board)> = there.iter().map(|(board, _)| (site, *board)).collect();
        let states = store.due(&asked).await?.boards;
        let after = |rest_s: u64| now_s + rest_s.cast_signed().min(LONGEST_BOARD_REST_S);
        let mut looked_at = Vec::new();
        for ((board, due), Due { rest_s, seen }) in there.into_iter().zip(states) {
            let is_idle = seen.changed_at.is_none_or(|changed_at| now_s > changed_at + idle_after_s(board).cast_signed());
            match (rest_s, is_idle && !due.is_entered()) {
                (_, true) => kept.push((due, 0)),
                (0, false) => looked_at.push((board, due, is_idle)),
                (rest_s, false) => kept.push((due, after(rest_s))),
            }
        }
        let works: Vec<(&Site, &Board)> = looked_at.iter().map(|(board, ..)| (site, *board)).collect();
        let worked = self.keep(store, &works, (&self.random.token(), now_s), until_ms).await;
        failures.extend(worked.failures);
        for (board, due, is_idle) in looked_at {
            if let Some((.., rest_s)) = worked.rested.iter().find(|(_, rested, _)| rested.name == board.name) {
                kept.push((due, after(if is_idle { AGAIN_S.min(*rest_s) } else { *rest_s })));
            }
        }
        Ok(kept)
    }
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
    fn steps_until_nothing_is_left() {
        assert_eq!([0.5, 0.25, 0.9].map(|factor| steps_s(10, factor)), [640, 320, 4_210]);
    }
}
