//! What an isolate leaves alone for a while, and where its jobs go on.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use ranking::name::Name;
use ranking::site::{Board, Ranking, Site};
use ranking::window::Window;

/// Plain data; each method is a moment, never held across an `await`.
#[derive(Default)]
pub struct Agenda(RefCell<Inner>);

#[derive(Default)]
struct Inner {
    /// Boards that need no upkeep, and until when nobody asks; those that somebody was warned of, and until when nobody is again.
    rests: HashMap<Resting, Range<u64>>,
    /// With how many of them those that are over are dropped.
    most: usize,
    /// Jobs that ran out of time, each with the place from which it goes on.
    turns: Vec<(String, usize)>,
}

/// So many are kept in any case, though they are over.
const MANY: usize = 1_000;

/// What an isolate has done, asked or logged, and leaves alone for a while. Those of a site, a board or a window have their names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Resting {
    /// Of the deployment: what is logged once an hour, and what is asked once in a while.
    BindingMissing,
    ClocksDiffer,
    DueSites,
    Eviction,
    GoingSites,
    Libraries,
    Nodes,
    NodesApart,
    Trips,
    /// What is left to do about items, by the job's name.
    Unsettled(&'static str),
    /// Work on a site.
    Archive(Name),
    Curation(Name),
    DeadLetters(Name),
    Fullness(Name),
    GoingBoards(Name),
    History(Name),
    MadeBoards(Name),
    Marks(Name),
    Sweep(Name),
    WantedPages(Name),
    /// Messages that are to be handed on: looking for them, and that some are known to wait.
    Forward(Name),
    ForwardWaits(Name),
    /// Work on a board.
    Snapshot(Name, Name),
    Upkeep(Name, Name),
    /// Work on a window of a board. Totals are named by their own windows.
    Frozen(Name, Name, Name),
    Grain(Name, Name, Name),
    NearlyFull(Name, Name, Name),
    NotLost(Name, Name, Name),
    Totals(Name, Name, String),
}

impl Resting {
    pub fn upkeep(site: &Site, board: &Board) -> Self {
        Self::Upkeep(site.name.clone(), board.name.clone())
    }

    /// That what is over of a window is frozen.
    pub fn frozen(site: &Site, board: &Board, window: &Window) -> Self {
        Self::Frozen(site.name.clone(), board.name.clone(), window.name.clone())
    }
}

impl Agenda {
    /// Remembers that something need not be done for a while. A clock that goes back ends that.
    pub fn rest(&self, what: Resting, now_ms: u64, for_ms: u64) {
        let Inner { rests, most, .. } = &mut *self.0.borrow_mut();
        if rests.len() >= *most {
            rests.retain(|_, times| times.contains(&now_ms));
            *most = (2 * rests.len()).max(MANY);
        }
        rests.insert(what, now_ms..now_ms.saturating_add(for_ms));
    }

    /// Something came up.
    pub fn wake(&self, what: &Resting) {
        self.0.borrow_mut().rests.remove(what);
    }

    /// Remembers from which of its places a job goes on that ran out of time; `None`: it got to its end.
    pub fn set_turn(&self, job: &str, place: Option<usize>) {
        let turns = &mut self.0.borrow_mut().turns;
        turns.retain(|(of, _)| of != job);
        turns.extend(place.map(|place| (job.into(), place)));
    }

    pub fn turn(&self, job: &str) -> Option<usize> {
        self.0.borrow().turns.iter().find(|(of, _)| of == job).map(|(_, place)| *place)
    }

    pub fn rests(&self, what: &Resting, now_ms: u64) -> bool {
        self.0.borrow().rests.get(what).is_some_and(|times| times.contains(&now_ms))
    }
}

/// Whether a board ever needs upkeep.
pub fn has_upkeep(board: &Board) -> bool {
    board.windows.iter().any(|window| board.rolls(window) || window.fades()) || board.ranking == Ranking::Dense
}

/// A place to begin with, by a random word.
pub fn place_of(word: &str) -> usize {
    word.bytes().fold(0, |place: usize, byte| place.wrapping_mul(31).wrapping_add(byte.into()))
}

/// The name of a board among those of all sites.
pub fn name_of(site: &Site, board: &Board) -> String {
    format!("{}/{}", site.name, board.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_are_over_are_dropped() {
        let agenda = Agenda::default();
        let site = |i: u64| Resting::Upkeep(Name::new(&format!("s{i}")).expect("a name"), Name::new("b").expect("a name"));
        for i in 0..10_000 {
            agenda.rest(site(i), i, 10);
        }
        assert!(agenda.0.borrow().rests.len() <= MANY + 1, "{}", agenda.0.borrow().rests.len());
        assert!(agenda.rests(&site(9_999), 10_000) && agenda.rests(&site(9_995), 10_000) && !agenda.rests(&site(9_989), 10_000));
    }

    #[test]
    fn a_rest_ends_with_its_time_and_with_a_clock_that_goes_back() {
        let agenda = Agenda::default();
        agenda.rest(Resting::Libraries, 100, 10);
        let rests = |now_ms| agenda.rests(&Resting::Libraries, now_ms);
        assert_eq!([99, 100, 109, 110].map(rests), [false, true, true, false]);
        agenda.wake(&Resting::Libraries);
        assert!(!agenda.rests(&Resting::Libraries, 105));
    }
}
