//! Sites, their actions and their boards, as the configuration describes them.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use chrono::Weekday;

use super::address::Subnet;
pub use super::bounds::{Limits, NewMembers, Quota};
use super::capacity::Capacity;
use super::choice::choice;
use super::event::Event;
use super::facts::Facts;
use super::facts::{FactsByItem, Sections};
use super::name::{Id, Name, Named};
use super::origin::Origins;
use super::pattern::Pattern;
pub use super::replay::ReplayWindow;
use super::retention::Retention;
use super::score::Score;
use super::template::Template;
use super::tier::Tiers;
use super::values::{Order, Values};
use super::window::{Kind, Unit, Window};

/// What the module, the beacon and the pixel are called besides `beacon`, unless the deployment says otherwise. It is in no
/// filter list.
pub const BEACON_PATH: &str = "shelf";

/// One tenant.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the configuration, or tells the demo")]
pub struct Site {
    pub name: Name,
    /// Whether it is the demo that `npm start` adds, whose keys are apart from those of any deployment with the same Redis.
    pub is_demo: bool,
    /// Another one when anything of this configuration is, or edgeboard itself.
    pub digest: String,
    pub origins: Origins,
    /// IANA name.
    pub timezone: String,
    /// Seconds after local midnight at which a day, and everything above it, begins.
    pub day_starts_at_s: u32,
    pub week_starts_on: Weekday,
    /// Seconds for which actions of actors can be undone and are reported as their activity.
    pub actor_history_s: u32,
    /// Whether an activity log of what actors do is kept.
    pub activity: bool,
    /// What cannot be undone that the activity log remembers one by one, of each actor at most.
    pub activity_entries: u32,
    /// Seconds for which everything that is counted is noted, so that it can be taken back; 0: it is not.
    pub journal_s: u32,
    pub actors: Actors,
    /// Visitors of one address whose actions count once, on each board and day; 0 for all. Of wider networks of IPv6 more count, as with
    /// [`NewMembers`].
    pub visitors_per_address: u32,
    pub bots: Bots,
    /// Whose clicks do not count.
    pub ignore_addresses: Vec<Subnet>,
    pub limits: Limits,
    /// Whether what nobody described of an item is read from its page.
    pub details_from_pages: bool,
    /// What is left out where titles of pages end with it.
    pub title_strip: Option<String>,
    /// Whether browsers' events count only for items that the site's server announced.
    pub known_items: bool,
    pub new_members: NewMembers,
    /// Events in a beacon, at most.
    pub max_beacon_events: u32,
    pub ingest: Ingest,
    /// Objects that gather events, each for the actors and visitors of its own.
    pub ingest_partitions: u32,
    /// Homes of actors: where what counts on several nodes of a cluster gets its order. See `crates/engine/src/store/homes.rs`.
    pub actor_homes: u32,
    /// Milliseconds that a group waits for more events before it is sent.
    pub linger_ms: u32,
    pub acknowledge: Acknowledge,
    pub forward: Option<Forward>,
    pub actions: Named<Action>,
    pub boards: Named<Rc<Board>>,
    /// What boards are made of while the site runs.
    pub templates: Named<Rc<Template>>,
    /// The counting targets that are left out of it, see [`Self::without`].
    pub excluded: Vec<String>,
    /// When it was made, of one that was made while the deployment runs (Unix milliseconds). What was kept under its name before is another one's.
    pub made_ms: Option<i64>,
    pub quota: Quota,
}

impl Site {
    /// The longest actor history, in seconds.
    pub const MAX_ACTOR_HISTORY_S: u32 = 366 * 86_400;
    /// The most homes of actors.
    pub const MAX_HOMES: u32 = 64;
    /// [`Self::max_beacon_events`] unless the configuration says otherwise: as many as the browser module sends.
    pub const MAX_BEACON_EVENTS: u32 = 20;

    /// The same without some of its counting targets, see [`Target::label`](super::counting::Target::label).
    pub fn without(&self, targets: &[String]) -> Self {
        let is_pending = |name: &str| !targets.iter().any(|target| target == name);
        let mut rest = self.clone();
        rest.boards.retain(|board| is_pending(board.as_str()));
        rest.activity &= is_pending("-");
        rest.excluded = targets.to_vec();
        rest
    }

    /// What all that is kept of it begins with: the prefix of the deployment. Behind that the demo has a word of its own, so that a user of
    /// Redis who may touch `eb:*` may touch its keys.
    pub fn prefix<'p>(&self, key_prefix: &'p str, separator: char) -> Cow<'p, str> {
        if self.is_demo { format!("{key_prefix}{separator}start").into() } else { key_prefix.into() }
    }

    /// Whether what an action counted can be taken back.
    pub fn is_reversible(&self, action: &Name) -> bool {
        self.actions.get(action.as_str()).is_some_and(|action| action.reversible)
    }

    /// Whether the periods of any board are frozen.
    pub fn has_history(&self) -> bool {
        self.boards.values().any(|board| board.history > 0)
    }

    /// How many boards its configuration names: without those of sections, and those that were made of templates.
    pub fn configured_boards(&self) -> u32 {
        let is_named = |board: &&Rc<Board>| board.of_template.is_none() && !matches!(board.sections, Sections::Of(_));
        u32::try_from(self.boards.values().filter(is_named).count()).unwrap_or(u32::MAX)
    }

    /// Its boards, and those of its templates.
    pub(super) fn kinds_of_boards(&self) -> impl Iterator<Item = &Board> {
        self.boards.values().map(|board| &**board).chain(self.templates.values().map(|template| &template.board))
    }

    /// Whether any board ranks values.
    pub fn has_values(&self) -> bool {
        self.kinds_of_boards().any(|board| board.values.is_some())
    }

    /// Whether visitors are told apart: something counts once, is noted by who did it, or is bounded for each of them.
    pub fn names_visitors(&self) -> bool {
        self.journal_s > 0 || self.new_members.is_bounded() || self.kinds_of_boards().any(|board| board.once.values().next().is_some())
    }
}

/// The way of events to Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ingest {
    /// Each request's by itself.
    Direct,
    /// Those of many requests together, gathered by an object.
    Grouped,
    /// Through a queue, which is asked to keep them.
    Queue,
}

choice!(Ingest { Direct = "direct", Grouped = "grouped", Queue = "queue" });

/// When an event is acknowledged that Redis counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledge {
    /// Redis has it.
    Written,
    /// A replica has it, too.
    Replicated,
}

choice!(Acknowledge { Written = "written", Replicated = "replicated" });

/// What counted events are handed on to.
#[derive(Clone, Debug)]
pub struct Forward {
    pub to: Receiver,
    /// Those that are; `None`: all.
    pub actions: Option<Vec<Name>>,
    /// Whether periods that are over are handed on as well, with their winners.
    pub periods: bool,
}

#[derive(Clone, Debug)]
pub enum Receiver {
    /// A queue, by its binding in wrangler.toml.
    Queue(String),
    /// An address.
    Webhook(String),
    /// An address whose messages are signed with a secret of the site alone.
    SignedWebhook(String, Signature),
}

/// What messages to a webhook are signed with. Its `Debug` does not show it.
#[derive(Clone)]
pub struct Signature(pub Rc<str>);

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signature")
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// Browsers may send it.
    pub public: bool,
    /// It can be undone.
    pub reversible: bool,
    /// Browsers that show the token of an actor may send it, and undo it.
    pub signed: bool,
}

/// Whom browsers may name as the actor of their events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actors {
    /// Only who is named by a token that the site's server signed.
    Signed,
    /// Anyone.
    Any,
}

choice!(Actors { Signed = "signed", Any = "any" });

/// What becomes of the clicks of bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bots {
    /// They do not count.
    Drop,
    /// They count like others.
    Count,
}

choice!(Bots { Drop = "drop", Count = "count" });

/// A ranking of a site.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the configuration, or tells one that is archived")]
pub struct Board {
    pub name: Name,
    /// The template that it was made of. Then it counts only events that name it.
    pub of_template: Option<Name>,
    /// Whether all of it is in the archive, and Redis may have nothing of it, or a part. Such a board counts nothing.
    pub is_archived: bool,
    pub members: Members,
    /// Which items its events are about; none: any.
    pub items: Vec<Pattern>,
    pub sections: Sections,
    /// What each action is worth; others are worth nothing. Where values are ranked, each counts.
    pub weights: Named<Score>,
    /// The values that are ranked; `None`: sums of weights.
    pub values: Option<Values>,
    /// Decimals that pages show of a score; `None`: as many as it has.
    pub decimals: Option<u8>,
    pub windows: Vec<Window>,
    /// The deepest top-N that is served.
    pub limit: u32,
    /// Members a period may hold.
    pub max_members: Capacity,
    pub replay_window: ReplayWindow,
    /// Actions that count once per actor, item and period of a unit; `Unit::All`: once for ever.
    pub once: Named<Unit>,
    /// Who stands first among ties; `None`: whose id is greater in the order of bytes.
    pub ties: Option<Ties>,
    pub ranking: Ranking,
    /// Names for the best shares of its members.
    pub tiers: Tiers,
    /// Whether counts by action are kept, so that scores can be explained.
    pub breakdown: bool,
    /// The lowest score that is shown; 0 for all above it.
    pub min_score: f64,
    /// Whether rankings tell the ranks of the period before.
    pub movement: bool,
    /// Whether rankings show what is known of their members; `None`: where there is a database.
    pub details: Option<bool>,
    /// How many members of each period are frozen in the database when it is over; 0: none.
    pub history: u32,
    /// How often decaying windows are frozen, which have no periods: at the end of each hour or day.
    pub history_every: Unit,
    /// How long its periods are kept after their end.
    pub keep: Retention,
    /// Whether all members of each period are archived when it is over. Redis then forgets a period only after that.
    pub archive: bool,
    /// What becomes of events for periods that only the archive has.
    pub late: Late,
    /// What totals are handed on; each of another unit.
    pub totals: Vec<Totals>,
    /// What is kept in the database of its current windows, for when Redis is out.
    pub snapshot: Option<Snapshot>,
    /// Windows that a page of the current period is filled up from, when it is not full.
    pub fallback: Vec<Name>,
    /// Seconds for which a ranking may be shown before Redis is asked whether it changed.
    pub fresh_s: u32,
}

/// What a snapshot has of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Snapshot {
    /// The members that the board serves, as many as its `limit`.
    Top,
    /// All members, in pages.
    All,
}

impl Snapshot {
    /// Members that a window may have whose snapshot has all: 100 pages of 1,000, which upkeep holds in memory while it sorts them.
    pub const MOST: u32 = 100_000;
}

choice!(Snapshot { Top = "top", All = "all" });

/// The totals of a calendar window that are handed on as they change.
#[derive(Clone, Debug)]
pub struct Totals {
    pub window: Name,
    pub unit: Unit,
    /// Seconds between two runs.
    pub every_s: u32,
    pub to: TotalsTo,
}

/// Where totals go.
#[derive(Clone, Debug)]
pub enum TotalsTo {
    /// The deployment's database.
    Database,
    /// A webhook.
    Receiver(Receiver),
}

/// What becomes of events for periods that are kept in the archive alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// They are added to the archive.
    Correct,
    /// They are too old for these periods.
    Refuse,
}

choice!(Late { Correct = "correct", Refuse = "refuse" });

/// Which of several members with one score ranks first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// Who reached the score first.
    First,
    /// Who reached the score last.
    Last,
}

choice!(Ties { First = "first", Last = "last" });

/// The ranks of members with one score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// Each one of its own: 1 2 3 4.
    Ordinal,
    /// The same, and the ranks that they share are left out after: 1 2 2 4.
    Competition,
    /// The same, and no rank is left out: 1 2 2 3.
    Dense,
}

choice!(Ranking { Ordinal = "ordinal", Competition = "competition", Dense = "dense" });

/// What a board ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    Items,
    Actors,
    /// Those of the items.
    Authors,
}

choice!(Members { Items = "items", Actors = "actors", Authors = "authors" });

impl Board {
    /// [`Board::fresh_s`] unless the configuration says otherwise.
    pub const FRESH_S: u32 = 2;
    /// See [`Board::stored_s`].
    pub const ARCHIVE_GRACE_S: u64 = 30 * 86_400;

    /// The member an event counts for on this board, and how much, as it is stored; `None` when it does not count here.
    pub fn counts<'e>(&self, event: &'e Event, facts: &'e FactsByItem) -> Option<(&'e Id, Score)> {
        if self.of_template.is_some() && !event.boards.contains(&self.name) {
            return None;
        }
        let weight = self.weight(event.action.as_str(), event.item.as_ref()).filter(|_| self.sections.take(event, facts))?;
        let member = match self.members {
            Members::Items => event.item.as_ref()?,
            Members::Actors => event.actor.as_ref()?,
            Members::Authors => {
                let author = facts.of(event.item.as_ref()?)?.author.as_ref().filter(|_| event.undo || !facts.is_done(event))?;
                &author.author
            }
        };
        match self.values {
            None => Some((member, weight.times(event.count))),
            Some(values) => Some((member, values.stored(event.value?)?)),
        }
    }

    /// What an action on an item is worth; `None` when it does not count.
    pub fn weight(&self, action: &str, item: Option<&Id>) -> Option<Score> {
        let weight = *self.weights.get(action)?;
        (self.items.is_empty() || item.is_some_and(|item| self.is_about(item))).then_some(weight)
    }

    /// Whether it counts what is done to an item.
    pub fn is_about(&self, item: &Id) -> bool {
        self.items.is_empty() || self.items.iter().any(|pattern| pattern.matches(item))
    }

    /// Whether an item of which this is known may be on it: on a section's, if it is or was there.
    pub fn may_have(&self, facts: &Facts) -> bool {
        match &self.sections {
            Sections::Of(section) => facts.categories().any(|category| *category == section.value),
            _ => true,
        }
    }

    pub fn window(&self, name: &str) -> Option<&Window> {
        self.windows.iter().find(|window| window.name.as_str() == name)
    }

    /// The unit of a window's periods: its own, or that by which a decaying one is frozen.
    pub fn period_unit(&self, window: &Window) -> Option<Unit> {
        window.period_unit().or((self.history > 0).then_some(self.history_every))
    }

    /// Whether a window is kept by upkeep as periods come and go. One of values is made when it is asked for.
    pub fn rolls(&self, window: &Window) -> bool {
        self.values.is_none() && matches!(window.kind, Kind::Rolling { .. })
    }

    /// A score as it is shown, of one in Redis.
    pub fn shown(&self, stored: Score) -> Score {
        self.values.map_or(stored, |values| values.shown(stored))
    }

    /// A score as Redis has it, of one that is shown; `None` where the board cannot have it.
    pub fn stored(&self, shown: Score) -> Option<Score> {
        self.values.map_or(Some(shown), |values| values.stored(shown))
    }

    /// Whether a score stands above another one.
    pub fn is_above(&self, score: Score, other: Score) -> bool {
        let is_ascending = self.values.is_some_and(|values| values.order == Order::Ascending);
        if is_ascending { score < other } else { score > other }
    }

    /// Whether counts by action are kept of a window: of those that are not sums of other periods.
    pub fn is_tallied(&self, window: &Window) -> bool {
        self.breakdown && !matches!(window.kind, Kind::Rolling { .. })
    }

    /// The windows that the current period of one is filled up from. One of `fallback` is filled up from those behind it.
    pub fn fallback_of(&self, window: &Window) -> impl Iterator<Item = &Window> {
        let behind = self.fallback.iter().position(|name| *name == window.name).map_or(0, |at| at + 1);
        self.fallback[behind..].iter().filter_map(|name| self.window(name.as_str()))
    }

    /// Seconds for which an item counts that the site's server announced: for as long as any period is kept after its end, at least as
    /// long as a day's; `None` for ever.
    pub fn known_for_s(&self) -> Option<u64> {
        let kept = self.counted_units().into_iter().map(|(_, kept_s)| kept_s);
        kept.chain([Unit::Day.retention_s()]).try_fold(0, |longest, kept_s| (kept_s > 0).then_some(longest.max(kept_s)))
    }

    /// The periods that are counted for its windows, see [`Retention::counted_units`].
    pub fn counted_units(&self) -> Vec<(Unit, u64)> {
        self.keep.counted_units(&self.windows)
    }

    /// Seconds for which the periods of a unit are kept after their end; 0 for ever.
    pub fn kept_s(&self, unit: Unit) -> u64 {
        self.counted_units().into_iter().find(|(counted, _)| *counted == unit).map_or(0, |(_, kept_s)| kept_s)
    }

    /// Seconds for which Redis has the periods of a unit after their end; 0 for ever. Where they are archived, it is longer than they
    /// are shown from there, so that an archive that is out loses nothing.
    pub fn stored_s(&self, unit: Unit, kept_s: u64) -> u64 {
        if kept_s > 0 && self.archives(unit) { kept_s + Self::ARCHIVE_GRACE_S } else { kept_s }
    }

    /// How many periods of a unit before the current one Redis may have, of those that are looked at: the last 1,500, and ten of a unit that
    /// is kept for ever.
    pub fn stored_periods(&self, unit: Unit) -> u32 {
        const MOST: u64 = 1_500;
        const FOR_EVER: u64 = 10;
        let kept_s = self.kept_s(unit);
        let periods = if kept_s == 0 { FOR_EVER } else { (self.stored_s(unit, kept_s) / unit.shortest_s() + 2).min(MOST) };
        u32::try_from(periods).unwrap_or(u32::MAX)
    }

    /// Whether the periods of a unit are archived: those of calendar windows, not those that only rolling ones are made of.
    pub fn archives(&self, unit: Unit) -> bool {
        self.archive && unit != Unit::All && self.windows.iter().any(|window| window.kind == Kind::Calendar(unit))
    }

    /// Whether something is copied from Redis, besides what people ask for.
    pub fn has_copies(&self) -> bool {
        self.archive || self.history > 0 || self.snapshot.is_some() || !self.totals.is_empty()
    }

    /// Whether periods of a window can be frozen anew. Redis has a decaying one of now alone.
    pub fn freezes_anew(&self, window: &Window) -> bool {
        self.history > 0 && window.period_unit().is_some_and(|unit| unit != Unit::All)
    }

    /// The windows whose periods are frozen, but that of all time, with the unit of these.
    pub fn frozen_windows(&self) -> impl Iterator<Item = (&Window, Unit)> {
        let units = self.windows.iter().filter_map(|window| Some((window, self.period_unit(window)?)));
        units.filter(|(_, unit)| self.history > 0 && *unit != Unit::All)
    }

    /// The lowest score of a window that is shown; 0 for all above it.
    pub fn min_shown(&self, window: &Window) -> f64 {
        if window.fades() { self.min_score.max(self.floor()) } else { self.min_score }
    }

    /// The lowest score of a decaying window that is kept: what the smallest weight is worth after 20 half-lives.
    pub fn floor(&self) -> f64 {
        let lightest = self.weights.values().map(|weight| weight.value().abs()).fold(f64::INFINITY, f64::min);
        lightest / f64::from(1 << 20)
    }
}
