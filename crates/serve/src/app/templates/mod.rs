//! Boards of templates: which there are, for who counts, reads or administers them.
//!
//! Which boards there are lies in Redis, beside the site's own keys. An isolate believes what it read for a minute, or until a board begins or
//! ends by its details.
//!
//! # Decisions
//!
//! - A request or a batch gets a site with the boards that it names, not with all: there may be 10,000. So what counts, reads and caches
//!   boards knows no templates.
//! - A board is looked up where its events count, not where they come in: a queue may deliver them after the board ended. A board takes
//!   events while it is open, whenever they happened.
//! - A deployment without templates asks nothing: each of the functions here begins with that.
//! - While Redis does not answer, or the node of a cluster that has the list, boards are read as an isolate knew them last: their own nodes, and the
//!   caches, may have them. Nothing is written so, since a board may have been deleted since.

pub mod chunks;

use std::cell::{Cell, RefCell};
use std::num::NonZeroUsize;

use engine::adapter::Error;

pub use engine::store::boards::{ArchiveStep, BoardDetails, Entering, Known, Listed, Made, State, Stepped};
use lru::LruCache;
use ranking::counting::Outcome;
use ranking::event::Batch;
use ranking::name::Name;
use ranking::site::{Board, Site};
use ranking::template::Template;

use super::agenda::{Agenda, Resting, has_upkeep};
use super::failure::Failure;
use super::ports::{Clock, Runtime};
use super::redis::Redis;

/// For so long an isolate believes what it read. Keys of a board that goes are deleted after twice that.
pub const FRESH_MS: u64 = 60_000;
/// Boards of which an isolate remembers how they are: about 400 KB.
const MOST_KNOWN: NonZeroUsize = NonZeroUsize::new(2_000).expect("it is not zero");
/// Boards that are read in one piece, where all are.
const PIECE: u32 = 1_000;

/// For so long an isolate does not have upkeep look at a board again on which it counted something.
const ENTERED_MS: u64 = 300_000;

/// Whether upkeep looks at a board of a template while it is in use.
pub fn is_kept(board: &Board) -> bool {
    has_upkeep(board) || board.archive
}

/// For so long readers do not ask again where Redis did not answer.
const BACK_OFF_MS: u64 = 1_000;

/// What a caller does with boards.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Nothing is written: see the decisions of this module.
    Read,
    Write,
}

/// What an isolate remembers of boards of templates.
pub struct KnownBoards {
    /// By site and board.
    states: RefCell<LruCache<(Name, Name), Remembered>>,
    /// When Redis did not answer the last time.
    unanswered_ms: Cell<u64>,
}

#[derive(Clone, Copy)]
struct Remembered {
    state: State,
    /// Until when that is believed.
    until_ms: u64,
    /// When it was entered for upkeep; 0: never.
    entered_ms: u64,
}

impl Default for KnownBoards {
    fn default() -> Self {
        Self { states: RefCell::new(LruCache::new(MOST_KNOWN)), unanswered_ms: Cell::default() }
    }
}

impl KnownBoards {
    fn state(&self, site: &Site, board: &Name, now_ms: u64) -> Option<State> {
        let states = &mut *self.states.borrow_mut();
        states.get(&(site.name.clone(), board.clone())).filter(|known| known.until_ms > now_ms).map(|known| known.state)
    }

    /// The same of a board that was there, however long ago.
    fn last_state(&self, site: &Site, board: &Name) -> Option<State> {
        let states = &mut *self.states.borrow_mut();
        states.get(&(site.name.clone(), board.clone())).map(|known| known.state).filter(|state| *state != State::Missing)
    }

    fn is_backing_off(&self, now_ms: u64) -> bool {
        let unanswered_ms = self.unanswered_ms.get();
        (unanswered_ms..unanswered_ms + BACK_OFF_MS).contains(&now_ms)
    }

    fn keep(&self, site: &Site, board: &Name, known: &Known, now_ms: u64) {
        let until_ms = now_ms + known.rest_ms.map_or(FRESH_MS, |rest_ms| rest_ms.min(FRESH_MS));
        let (states, key) = (&mut *self.states.borrow_mut(), (site.name.clone(), board.clone()));
        let entered_ms = states.get(&key).map_or(0, |before| before.entered_ms);
        states.put(key, Remembered { state: known.state, until_ms, entered_ms });
    }

    /// Whether a board was entered for upkeep a moment ago.
    fn is_entered(&self, site: &Site, board: &Name, now_ms: u64) -> bool {
        let states = &mut *self.states.borrow_mut();
        let known = states.get(&(site.name.clone(), board.clone()));
        known.is_some_and(|known| (known.entered_ms..known.entered_ms + ENTERED_MS).contains(&now_ms))
    }

    fn note_entered(&self, site: &Site, board: &Name, now_ms: u64) {
        if let Some(known) = self.states.borrow_mut().get_mut(&(site.name.clone(), board.clone())) {
            known.entered_ms = now_ms;
        }
    }

    /// Has how a board is read anew.
    pub fn forget(&self, site: &Site, board: &Name) {
        self.states.borrow_mut().pop(&(site.name.clone(), board.clone()));
    }
}

/// Batches without the events that name boards which do not take them.
pub struct Named {
    pub site: Site,
    pub batches: Vec<Batch>,
    /// Of each batch as it came, for each event why it does not count, if it does not.
    refused: Vec<Vec<Option<Outcome>>>,
}

impl Named {
    /// What became of all events of each batch, of what became of those that count.
    pub fn joined(&self, counted: Vec<Result<Vec<Outcome>, Failure>>) -> Vec<Result<Vec<Outcome>, Failure>> {
        let joined = |(refused, counted): (&Vec<Option<Outcome>>, Result<Vec<Outcome>, Failure>)| {
            let mut counted = counted?.into_iter();
            Ok(refused.iter().map(|refused| refused.or_else(|| counted.next()).unwrap_or(Outcome::Counted)).collect())
        };
        self.refused.iter().zip(counted).map(joined).collect()
    }
}

/// Which boards of templates a site has.
pub struct Templates<'a, R> {
    pub redis: Redis<'a, R>,
    pub agenda: &'a Agenda,
    pub clock: &'a dyn Clock,
    pub known: &'a KnownBoards,
}

impl<R: Runtime> Templates<'_, R> {
    /// Finds the boards that events name; `None`: they name none. What the site leaves out is not looked up.
    ///
    /// # Errors
    /// When Redis does not answer; nothing was counted.
    pub async fn named_boards(&self, site: &Site, senders: &[&Batch]) -> Result<Option<Named>, Failure> {
        if site.templates.is_empty() {
            return Ok(None);
        }
        let mut names: Vec<(Name, bool)> = Vec::new();
        for batch in senders {
            let may_make = !batch.sender.is_browser();
            for name in batch.events.iter().flat_map(|event| &event.boards) {
                match names.iter_mut().find(|(known, _)| known == name) {
                    Some((_, makes)) => *makes |= may_make,
                    None => names.push((name.clone(), may_make)),
                }
            }
        }
        if names.is_empty() {
            return Ok(None);
        }
        names.retain(|(name, _)| !site.excluded.iter().any(|target| target == name.as_str()));
        let asked: Vec<Name> = names.iter().map(|(name, _)| name.clone()).collect();
        let mut states = self.board_states(site, &asked, Purpose::Write).await?;
        for ((name, makes), state) in names.iter().zip(&mut states) {
            if *state == State::Missing
                && let Some(template) = site.template_of(name).filter(|template| *makes && template.on_event)
                && let Made::There(known, _) = self.make_board(site, template, name, None).await?
            {
                *state = known.state;
            }
        }
        let refused_by = |name: &Name| match asked.iter().position(|known| known == name).map(|at| states[at]) {
            None | Some(State::Open) => None,
            Some(State::Missing | State::Going) => Some(Outcome::NoBoard),
            Some(_) => Some(Outcome::BoardClosed),
        };
        let open: Vec<Name> = asked.iter().filter(|name| refused_by(name).is_none()).cloned().collect();
        let mut named = Named { site: site.with_boards(&open), batches: Vec::new(), refused: Vec::new() };
        for batch in senders {
            let refused: Vec<Option<Outcome>> = batch.events.iter().map(|event| event.boards.iter().find_map(refused_by)).collect();
            let taken = batch.events.iter().zip(&refused).filter(|(_, refused)| refused.is_none());
            let events = taken.map(|(event, _)| event.clone()).collect();
            // Events are known by their places then: one that is refused may be sent again in its own.
            let is_whole = batch.is_whole && (batch.id.is_none() || refused.iter().all(Option::is_none));
            named.batches.push(Batch { events, is_whole, sender: batch.sender, id: batch.id.clone(), visitor: batch.visitor.clone() });
            named.refused.push(refused);
        }
        Ok(Some(named))
    }

    /// How some boards of templates are, as far as this isolate knows; `None` of one that Redis has to be asked for.
    pub fn remembered_states(&self, site: &Site, names: &[Name], purpose: Purpose) -> Vec<Option<State>> {
        let now_ms = self.clock.clock_ms();
        let is_out = purpose == Purpose::Read && self.known.is_backing_off(now_ms);
        let last = |name: &Name| if is_out { self.known.last_state(site, name) } else { None };
        names.iter().map(|name| self.known.state(site, name, now_ms).or_else(|| last(name))).collect()
    }

    /// How some boards of templates are, each of which the site has a template for.
    ///
    /// # Errors
    /// When Redis does not answer; of who reads, where this isolate never knew one of them.
    pub async fn board_states(&self, site: &Site, names: &[Name], purpose: Purpose) -> Result<Vec<State>, Failure> {
        let mut states = self.remembered_states(site, names, purpose);
        let asked: Vec<Name> = names.iter().zip(&states).filter(|(_, state)| state.is_none()).map(|(name, _)| name.clone()).collect();
        if !asked.is_empty() {
            let asked_at_ms = self.clock.clock_ms();
            let found = match self.redis.read(async |store| store.find_boards(site, &asked).await).await {
                Ok(found) => found,
                Err(error) => {
                    let failure = Failure::of_read(&error);
                    if failure.is_transient {
                        self.known.unanswered_ms.set(self.clock.clock_ms());
                    }
                    let last: Option<Vec<State>> = self.remembered_states(site, names, purpose).into_iter().collect();
                    return last.ok_or(failure);
                }
            };
            let mut found = asked.iter().zip(found);
            for state in states.iter_mut().filter(|state| state.is_none()) {
                *state = found.next().map(|(name, known)| {
                    self.known.keep(site, name, &known, asked_at_ms);
                    known.state
                });
            }
        }
        Ok(states.into_iter().map(|state| state.unwrap_or(State::Missing)).collect())
    }

    /// A site with all boards of its templates but those that are being deleted; `None`: it has no templates.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn site_with_all_boards(&self, site: &Site) -> Result<Option<Site>, Failure> {
        if site.templates.is_empty() {
            return Ok(None);
        }
        let (mut names, mut after) = (Vec::new(), String::new());
        loop {
            let listed = self.list_boards(site, "", &after, PIECE).await?;
            let Some((last, _)) = listed.boards.last() else { return Ok(Some(site.with_boards(&names))) };
            after.clone_from(last);
            let there = listed.boards.iter().filter(|(_, known)| known.state != State::Going);
            names.extend(there.filter_map(|(name, _)| Name::of_board(name)));
        }
    }

    /// What is known of a board of a template, from Redis.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn find_board(&self, site: &Site, name: &Name) -> Result<Option<Known>, Failure> {
        let names = std::slice::from_ref(name);
        let found = self.redis.read(async |store| store.find_boards(site, names).await).await;
        let found = found.map_err(|error| Failure::of_read(&error))?;
        Ok(found.into_iter().next().filter(|known| known.state != State::Missing))
    }

    /// The boards whose names begin so, in the order of these, from the one behind another on.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn list_boards(&self, site: &Site, prefix: &str, after: &str, limit: u32) -> Result<Listed, Failure> {
        let listed = self.redis.read(async |store| store.list_boards(site, prefix, after, limit).await).await;
        listed.map_err(|error| Failure::of_read(&error))
    }

    /// The templates of a site, each with how many boards it has.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn count_boards<'s>(&self, site: &'s Site) -> Result<Vec<(&'s Template, u64)>, Failure> {
        if site.templates.is_empty() {
            return Ok(Vec::new());
        }
        let counted = self.redis.read(async |store| store.count_boards(site).await).await;
        let counted = counted.map_err(|error| Failure::of_read(&error))?;
        Ok(site.templates.values().map(|template| &**template).zip(counted).collect())
    }

    /// Makes a board of a template, or changes the details of one; without any, one that is there stays as it is.
    ///
    /// # Errors
    /// When Redis does not answer. Doing it again does no harm.
    pub async fn make_board(&self, site: &Site, template: &Template, name: &Name, details: Option<&BoardDetails>) -> Result<Made, Failure> {
        let failed = |error: Error| Failure::of_write(&error);
        let asked_at_ms = self.clock.clock_ms();
        let made = self.redis.repeat(async |store| store.make_board(site, template, name, details).await).await.map_err(failed)?;
        match &made {
            Made::There(known, _) => self.known.keep(site, name, known, asked_at_ms),
            Made::Going | Made::Full | Made::OverQuota => self.known.forget(site, name),
        }
        Ok(made)
    }

    /// The boards of templates that a site has and that upkeep is to look at soon, since something counted on them. Those that were entered a
    /// moment ago are left out.
    pub fn boards_to_enter(&self, site: &Site) -> Vec<Name> {
        let now_ms = self.clock.clock_ms();
        let made = site.boards.values().filter(|board| board.of_template.is_some() && is_kept(board));
        made.filter(|board| !self.known.is_entered(site, &board.name, now_ms)).map(|board| board.name.clone()).collect()
    }

    /// Has upkeep look at boards of templates. It finds them again by itself for as long as they have something in a rolling window or one that fades.
    ///
    /// # Errors
    /// When Redis does not answer. Doing it again does no harm.
    pub async fn enter_boards(&self, site: &Site, names: &[Name], entering: Entering) -> Result<(), Failure> {
        if names.is_empty() {
            return Ok(());
        }
        let asked_at_ms = self.clock.clock_ms();
        let entered = self.redis.repeat(async |store| store.enter_boards(site, names, entering).await).await;
        entered.map_err(|error| Failure::of_write(&error))?;
        for name in names {
            self.known.note_entered(site, name, asked_at_ms);
        }
        if entering == Entering::Now {
            self.agenda.wake(&Resting::MadeBoards(site.name.clone()));
        }
        Ok(())
    }

    /// Has upkeep look at once at the boards of templates of a site that have an archive: what changed in archived periods is to follow. A failure is not
    /// reported: a later event enters the board as well.
    pub async fn enter_archived(&self, site: &Site) {
        let archived = site.boards.values().filter(|board| board.of_template.is_some() && board.archive);
        let names: Vec<Name> = archived.map(|board| board.name.clone()).collect();
        let _ = self.enter_boards(site, &names, Entering::Now).await;
    }

    /// Has upkeep look at a board at once where it is one of a template, since work came up there. A failure is not reported: an event enters the board
    /// as well, and a reader completes what is incomplete.
    pub async fn enter_changed(&self, site: &Site, board: &Board) {
        if board.of_template.is_some() {
            let _ = self.enter_boards(site, std::slice::from_ref(&board.name), Entering::Now).await;
        }
    }
}
