//! Events by counting target, and their outcomes.

use super::event::{SenderClass, When};
use super::facts::Sections;
use super::name::{Id, Name, ReplayId};
use super::score::Score;
use super::site::{Board, Members, ReplayWindow, Site};
use super::visitor::Fingerprint;
use super::window::{Unit, Window};

/// A target of a site. The activity log is a board without scores: it counts by action what each actor did on a day.
#[derive(Clone, Copy, Debug)]
pub enum Target<'s> {
    Board(&'s Board),
    ActivityLog,
}

/// Actors whose day the activity log holds, at most; beyond them it is not kept, and boards count on.
const MAX_ACTORS: u32 = 1_000_000;

impl<'s> Target<'s> {
    /// What it ranks by.
    pub fn windows(self) -> &'s [Window] {
        match self {
            Self::Board(board) => &board.windows,
            Self::ActivityLog => &[],
        }
    }

    /// Every target of a site.
    pub fn each(site: &'s Site) -> impl Iterator<Item = Self> {
        site.boards.values().map(|board| Self::Board(board)).chain(site.activity.then_some(Self::ActivityLog))
    }

    /// Every target that events of a site may count on: a template stands for its boards.
    pub fn each_possible(site: &'s Site) -> impl Iterator<Item = Self> {
        Self::each(site).chain(site.templates.values().map(|template| Self::Board(&template.board)))
    }

    /// The name of its board; `-` is no board's.
    pub fn label(&self) -> &str {
        match self {
            Self::Board(board) => board.name.as_str(),
            Self::ActivityLog => "-",
        }
    }

    /// Whether its members are people.
    pub fn has_actors(self) -> bool {
        match self {
            Self::Board(board) => board.members != Members::Items,
            Self::ActivityLog => true,
        }
    }

    /// Seconds for which what it counts is noted, so that it can be taken back; 0: it is not. Values are not: nobody knows the one before.
    pub fn journal_s(self, site: &Site) -> u32 {
        if self.ranks_values() { 0 } else { site.journal_s }
    }

    /// Whether it ranks values instead of sums.
    pub fn ranks_values(self) -> bool {
        matches!(self, Self::Board(Board { values: Some(_), .. }))
    }

    /// Members its periods may hold, as the scripts' argument has it.
    pub fn max_members(self) -> String {
        match self {
            Self::Board(board) => board.max_members.to_arg(),
            Self::ActivityLog => MAX_ACTORS.to_string(),
        }
    }

    /// For how long ids are remembered: in the activity log for as long as on any board.
    pub fn replay_window(self, site: &Site) -> ReplayWindow {
        let longer = |a: ReplayWindow, b: ReplayWindow| ReplayWindow {
            browsers_s: a.browsers_s.max(b.browsers_s),
            servers_s: a.servers_s.max(b.servers_s),
            queue_s: a.queue_s.max(b.queue_s),
        };
        match self {
            Self::Board(board) => board.replay_window,
            Self::ActivityLog => site.kinds_of_boards().map(|board| board.replay_window).reduce(longer).unwrap_or(ReplayWindow::DEFAULT),
        }
    }
}

/// Whether an action may count on several targets. An event may name several boards of a template, and an item may be in a section besides its board.
pub fn counts_on_several(site: &Site, action: &str) -> bool {
    let weighs = |board: &Board| board.weights.get(action).is_some();
    let of_board = |board: &Board| if matches!(board.sections, Sections::ByCategory(_)) { 2 } else { 1 };
    let boards: usize = site.boards.values().filter(|board| weighs(board)).map(|board| of_board(board)).sum();
    let is_of_template = site.templates.values().any(|template| weighs(&template.board));
    is_of_template || boards + usize::from(site.activity) > 1
}

/// The events of a batch, or of several of one class of senders, that count in one target.
#[derive(Clone, Debug)]
pub struct TargetBatch<'b> {
    pub target: Target<'b>,
    pub sender: SenderClass,
    /// None where the events are of several batches.
    pub id: Option<&'b ReplayId>,
    /// Whether these are all the events of the batch that count in the target, or a part of them.
    pub is_whole: bool,
    pub events: Vec<TargetEvent<'b>>,
    /// Who sent the events: how many of them in a row, and what is known of the visitor.
    pub senders: Vec<(usize, Option<&'b Fingerprint>)>,
}

impl<'b> TargetBatch<'b> {
    /// One without events, for scripts that count what was counted before.
    pub fn empty(target: Target<'b>) -> Self {
        Self { target, sender: SenderClass::Server, id: None, is_whole: true, events: Vec::new(), senders: Vec::new() }
    }

    /// Whether it has actions that can be undone, or undos: each of them counts on all of its targets before the next one.
    pub fn is_ordered(&self) -> bool {
        self.events.iter().any(TargetEvent::is_ordered)
    }
}

/// What an event is in a target: a weight for a member.
#[derive(Clone, Debug)]
pub struct TargetEvent<'b> {
    pub member: &'b Id,
    pub weight: Score,
    pub when: When,
    pub id: Option<&'b ReplayId>,
    /// The id of the batch that it was sent in. It is known by that and its place, when it has no id of its own.
    pub batch: Option<&'b ReplayId>,
    /// Its place in the batch as it was sent.
    pub index: usize,
    pub action: &'b Name,
    pub item: Option<&'b Id>,
    /// How often it happened. The weight is of all of it.
    pub count: u32,
    /// JSON that is kept beside its value.
    pub meta: Option<&'b str>,
    pub tracked: Option<TrackedAction<'b>>,
    /// Its number among the events that are counted together, the same on all of its targets.
    pub number: usize,
}

impl TargetEvent<'_> {
    /// Whether it can be undone, or undoes.
    pub fn is_ordered(&self) -> bool {
        self.tracked.as_ref().is_some_and(|tracked| matches!(tracked.verb, Verb::DoReversibly | Verb::Undo))
    }
}

/// What makes an event count once, or lets it be undone: it is remembered who did what.
#[derive(Clone, Debug)]
pub struct TrackedAction<'b> {
    pub verb: Verb,
    /// The unit in whose periods it counts once.
    pub once: Option<Unit>,
    pub item: Option<&'b Id>,
    /// See [`super::event::Event`]; of what can be undone, and of undos.
    pub seq: Option<u64>,
    pub who: Who<'b>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// It cannot be undone.
    Do,
    /// The same, and it may count again: it is only noted in the journal.
    Note,
    /// It can be undone.
    DoReversibly,
    Undo,
}

#[derive(Clone, Copy, Debug)]
pub enum Who<'b> {
    Actor(&'b Id),
    Visitor(&'b Fingerprint),
    /// Nobody knows.
    Nobody,
}

/// What became of an event in a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// In every window that still keeps its period.
    Counted,
    /// Its id was seen before.
    Duplicate,
    /// Later than Redis's clock.
    Future,
    /// No window keeps its period any more.
    TooOld,
    /// Between two seasons, of a board that has no other windows.
    OutOfSeason,
    /// New, and every window holds `max_members` already.
    Full,
    /// Every window that it is of was reset since.
    Reset,
    /// Its member was removed from the board.
    Removed,
    /// No server announced its item.
    Unknown,
    /// Its member is new, and its sender put enough of those on the board within the hour.
    TooManyNew,
    /// It names a board of a template that there is not.
    NoBoard,
    /// It names a board of a template that has not begun, or has ended.
    BoardClosed,
    /// It counts once, and enough visitors of the same address counted that day.
    Crowded,
    /// It counts once, and was done before.
    DoneAlready,
    /// An undo of what was not done, or is not remembered.
    NotDone,
    /// An undo of what was undone before.
    UndoneAlready,
    /// An undo of what was done too long ago.
    UndoneTooLate,
    /// What the same actor did or undid with a newer seq was applied.
    Superseded,
    /// It has the newest seq, and changes nothing: done is done, and what was never done need not be undone.
    Settled,
}

impl Outcome {
    /// The codes by which the scripts and objects answer. Scripts know no boards that are not there.
    const CODES: [(u8, Self); 19] = [
        (b'c', Self::Counted),
        (b'd', Self::Duplicate),
        (b'f', Self::Future),
        (b'o', Self::TooOld),
        (b'r', Self::Full),
        (b'e', Self::OutOfSeason),
        (b'b', Self::Reset),
        (b'g', Self::Removed),
        (b'x', Self::Unknown),
        (b'm', Self::TooManyNew),
        (b'v', Self::Crowded),
        (b's', Self::DoneAlready),
        (b'n', Self::NotDone),
        (b'u', Self::UndoneAlready),
        (b'l', Self::UndoneTooLate),
        (b'p', Self::Superseded),
        (b'k', Self::Settled),
        (b'a', Self::NoBoard),
        (b'q', Self::BoardClosed),
    ];

    /// The code that stands for it.
    pub fn code(self) -> char {
        let code = Self::CODES.into_iter().find(|(_, outcome)| *outcome == self);
        char::from(code.map_or(b'c', |(code, _)| code))
    }

    /// By the code that scripts and objects answer.
    pub fn of_code(code: u8) -> Option<Self> {
        Self::CODES.into_iter().find(|(known, _)| *known == code).map(|(_, outcome)| outcome)
    }
}
