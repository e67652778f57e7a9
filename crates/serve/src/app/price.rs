//! The price of a read or a beacon, and the share of its client's limit that it takes.
//!
//! A price follows from the route, its parameters and the configuration alone. So it is taken before the work, and never given back: an answer
//! that was cheaper, or a failure, costs the same. It is an upper bound of what a request makes Redis, the database and the archive do.
//!
//! # Out of scope
//! What no request chooses: members that are hidden and have the score of one that is asked for, a command each; and the repair of a window that is
//! not whole, of which one is under way at a time.

use ranking::counting::Target;
use ranking::event::{Batch, Event, When};
use ranking::explained::MAX_EXPLAINED;
use ranking::name::Name;
use ranking::read::{PeriodRef, Read, ReadRequest};
use ranking::series::Span;
use ranking::site::{Board, Ranking, Site};
use ranking::window::Kind;

/// Commands of Redis, rows of the database and objects of the archive, at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub commands: u32,
    pub rows: u32,
    pub objects: u32,
}

/// What one of a client's `misses` pays for. An hour of 300 a minute is 180,000 commands ($0.36 at $2 a million), or 3.6 million rows ($0.004 at
/// $0.001 a million), or 90,000 objects ($0.03 at $0.36 a million).
const OF_A_MISS: Cost = Cost { commands: 10, rows: 200, objects: 5 };
/// What one of its `beacons` pays for. An hour of 120 a minute is 288,000 commands ($0.58 at $2 a million).
const COMMANDS_OF_A_BEACON: u32 = 40;

/// Commands that no anonymous read is above, but for the ranks of many members and the first pages of many rankings.
pub const MAX_COMMANDS: u32 = 250;

impl Cost {
    pub const fn commands(commands: u32) -> Self {
        Self { commands, rows: 0, objects: 0 }
    }

    pub const fn rows(rows: u32) -> Self {
        Self { commands: 0, rows, objects: 0 }
    }

    /// How many of a client's `misses` that takes: at least one.
    pub const fn misses(self) -> u32 {
        let Self { commands, rows, objects } = OF_A_MISS;
        let parts = self.commands * (rows * objects) + self.rows * (commands * objects) + self.objects * (commands * rows);
        let misses = parts.div_ceil(commands * rows * objects);
        if misses == 0 { 1 } else { misses }
    }
}

impl std::ops::Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { commands: self.commands + other.commands, rows: self.rows + other.rows, objects: self.objects + other.objects }
    }
}

/// A page of a ranking, see ARCHITECTURE.md, What a read costs.
const PAGE: u32 = 9;
/// What every call that reads costs: itself, the clock, the state, who is curated, and their scores.
const CALL: u32 = 5;
/// Making a rolling window of values first, where something changed.
const UNITE: u32 = 14;
/// Intervals of a distribution, at most; see `lua/lib/intervals.lua`.
const INTERVALS: u32 = 100;
/// Noting that a past rolling ranking is wanted.
const WANT: u32 = 10;
/// A chunk of building one of a short window, of up to 500 entries, and for each period that the window has: where the members of each are others.
const CHUNK: u32 = 35;
const CHUNK_PERIOD: u32 = 14;
/// A chunk of up to 150 entries, but for the periods, which are counted first.
const SMALL_CHUNK: u32 = 210;
/// Who is hidden, for an archived period.
const HIDDEN: u32 = 4;
/// Of an archived period: the manifest, an index or the few parts without one, and two parts for what is near.
const ARCHIVED: u32 = 8;
/// Of a snapshot: the window, and two pages of its members, each in its index and in its table.
const SNAPSHOT: u32 = 6;
/// Of a member that is looked up, see [`MAX_LOOKED_UP`](ranking::view::MAX_LOOKED_UP).
const ROWS_OF_ID: u32 = 3;
/// Of a frozen period, in its index and in its table.
const FROZEN: u32 = 2;

/// What a read may cost, past the caches.
pub fn of_read(request: &ReadRequest) -> Cost {
    let periods = request.periods();
    let pages = Cost::commands(PAGE * count(periods));
    let read = match &request.read {
        Read::Top { .. } | Read::Tops { .. } | Read::Filled { .. } => pages,
        Read::Composed { offset, limit, view, .. } => {
            let end = offset + limit;
            let ids = view.looked_up(*limit, end, (count(periods) - 1) * end);
            pages + Cost { commands: view.actions.into(), rows: ids * ROWS_OF_ID, objects: 0 }
        }
        Read::Ranks { of, ids, .. } => of_ranks(of, count(ids)),
        Read::Place { of, .. } => Cost::commands(CALL + 3 + extra(of)),
        // Where an interval ends, and how many are above that.
        Read::Distribution { of } => Cost::commands(CALL + 3 + 2 * INTERVALS + extra(of)),
        // The neighbours are read at once. Where they share ranks, who is above the first of them is counted.
        Read::Member { of, around, .. } => {
            let near = if *around == 0 { 0 } else { 1 + u32::from(of.board.ranking == Ranking::Competition) };
            Cost::commands(CALL + 4 + near + extra(of))
        }
        Read::Explain { of, .. } => Cost::commands(CALL + 2 + 2 * explained(of)),
        Read::Series { of, ids, span, .. } => of_series(&of.board, count(ids), span),
    };
    periods.iter().map(of_period).fold(read, |all, one| all + one)
}

/// What the scores of members cost who are found in a distribution, whatever their number.
pub fn of_scores(request: &ReadRequest, of: &PeriodRef) -> Cost {
    request.periods().iter().map(of_period).fold(Cost::commands(CALL + extra(of)), |all, one| all + one)
}

/// What a snapshot shows of a read, which the database alone is asked for.
pub fn of_snapshot(request: &ReadRequest) -> Cost {
    let ids = match &request.read {
        Read::Composed { offset, limit, view, .. } => view.looked_up(*limit, offset + limit, 0),
        _ => 0,
    };
    Cost::rows(SNAPSHOT * count(request.periods()) + ids * ROWS_OF_ID)
}

/// What a read of one of these periods may cost besides its page.
fn of_period(of: &PeriodRef) -> Cost {
    let rolls = matches!(of.window.kind, Kind::Rolling { .. });
    let unite = if rolls && of.board.values.is_some() { UNITE } else { 0 };
    let archived = if of.may_be_archived() { Cost { commands: HIDDEN, rows: 0, objects: ARCHIVED } } else { Cost::default() };
    if of.period.is_none() {
        return archived + Cost::commands(unite);
    }
    let want = if rolls { WANT } else { 0 };
    archived + Cost { commands: unite + want, rows: FROZEN * u32::from(of.board.history > 0), objects: 0 }
}

/// A chunk of building past rolling rankings of a board, whoever wanted them: how many entries of sorted sets it reads, and what it may cost. It follows
/// from the longest of the windows.
pub fn of_building(board: &Board) -> (u32, Cost) {
    let lengths =
        board.windows.iter().filter_map(|window| if let Kind::Rolling { length, .. } = window.kind { Some(length) } else { None });
    let length = lengths.max().unwrap_or(0);
    let (usual, small) = (CHUNK + CHUNK_PERIOD * length, SMALL_CHUNK + length);
    if usual <= small { (500, Cost::commands(usual)) } else { (150, Cost::commands(small)) }
}

/// The index of distinct scores, and whether the boards that a window is made of are there.
fn extra(of: &PeriodRef) -> u32 {
    2 * u32::from(of.board.ranking == Ranking::Dense) + u32::from(matches!(of.window.kind, Kind::Rolling { .. }))
}

/// How many members are shown, who is above each, and where ranks are not shared, or are dense, the place of each. Two objects hold an archived one.
fn of_ranks(of: &PeriodRef, ids: u32) -> Cost {
    let each = if of.board.ranking == Ranking::Competition { 1 } else { 2 };
    let objects = if of.may_be_archived() { 2 * ids } else { 0 };
    Cost { commands: CALL + 2 + extra(of) + each * ids, rows: 0, objects }
}

fn explained(of: &PeriodRef) -> u32 {
    if let Kind::Rolling { length, .. } = of.window.kind { length.min(MAX_EXPLAINED) } else { 1 }
}

/// Points of all members of a series on a page, whatever they cost: a hundred have 32.
const MAX_POINTS: u32 = 3_200;
/// Objects of the archive that are read for one series: of the fifty that a request may read of R2 on the free plan.
pub const MAX_OBJECTS: u32 = 45;

/// Periods on a page of a series of so many members. Each is two commands, one for counts by action, and one for each rank.
pub fn points_of_page(members: u32, ranks: bool, actions: bool) -> u32 {
    (MAX_COMMANDS - CALL).min(MAX_POINTS / members.max(1) * point(members, ranks, actions)) / point(members, ranks, actions)
}

fn point(members: u32, ranks: bool, actions: bool) -> u32 {
    2 + u32::from(actions) + if ranks { members } else { 0 }
}

fn of_series(board: &Board, members: u32, span: &Span) -> Cost {
    let points = match (span.from, span.until) {
        (Err(back), _) => back.saturating_add(1),
        (Ok(from), Some(until)) => {
            u32::try_from(until.saturating_sub(from).saturating_add(1)).unwrap_or(if until < from { 0 } else { u32::MAX })
        }
        (Ok(_), None) => u32::MAX,
    };
    let commands = CALL + points.min(span.most) * point(members, span.ranks, span.actions);
    Cost { commands, rows: 0, objects: if board.archives(span.unit) { MAX_OBJECTS } else { 0 } }
}

/// What an actor asks of itself: on which items its action stands.
pub fn of_stands(site: &Site) -> Cost {
    Cost::commands(CALL + buckets(site))
}

/// What it did on so many days.
pub fn of_days(days: u32) -> Cost {
    Cost::commands(CALL + days)
}

/// What it did one by one, and what that made on each board.
pub fn of_entries(site: &Site) -> Cost {
    let boards = u32::try_from(site.boards.values().count()).unwrap_or(u32::MAX);
    Cost::commands((1 + boards) * (CALL + buckets(site)))
}

/// Spans of 31 days that hold what an actor can undo.
fn buckets(site: &Site) -> u32 {
    const BUCKET_S: u32 = 31 * 86_400;
    site.actor_history_s / BUCKET_S + 2
}

/// What the events of a beacon may cost, and so how many of its client's `beacons` it takes: at least one.
pub fn of_beacon(site: &Site, batch: &Batch) -> u32 {
    of_batch(site, batch).div_ceil(COMMANDS_OF_A_BEACON).max(1)
}

/// The commands that the events of a batch may cost.
pub fn of_batch(site: &Site, batch: &Batch) -> u32 {
    let facts = if site.asks_facts() { CALL + count(&batch.events) } else { 0 };
    let commands: u32 = Target::each(site).map(|target| of_target(site, target, batch)).sum();
    facts + commands + of_named(site, batch)
}

/// The boards of templates that events name: to look them up, and to count there.
fn of_named(site: &Site, batch: &Batch) -> u32 {
    let mut names: Vec<&Name> = batch.events.iter().flat_map(|event| &event.boards).collect();
    names.sort_unstable();
    names.dedup();
    let templates = names.iter().filter_map(|name| site.template_of(name));
    let counting: u32 = templates.map(|template| of_target(site, Target::Board(&template.board), batch)).sum();
    if names.is_empty() { 0 } else { CALL + counting }
}

/// A call that counts: itself, the clock, the state read and written, ids looked for and remembered, and what bounds new members.
const RECORD: u32 = 15;
/// Who did it is remembered, and looked for in the buckets of a year.
const TRACKED: u32 = 6;
/// An event that the activity log remembers one by one.
const ENTRY: u32 = 6;

/// What the events of a batch may cost on one of its targets. Those of one hour share their keys.
fn of_target(site: &Site, target: Target<'_>, batch: &Batch) -> u32 {
    let counts = |event: &&Event| match target {
        Target::Board(board) => board.weight(event.action.as_str(), event.item.as_ref()).is_some(),
        Target::ActivityLog => event.actor.is_some(),
    };
    let events: Vec<&Event> = batch.events.iter().filter(counts).collect();
    let mut hours: Vec<u64> = events.iter().map(|event| hours_ago(event.when)).collect();
    hours.sort_unstable();
    hours.dedup();
    let late = count(&hours) - u32::from(hours.first() == Some(&0));
    let recent = count(&hours) - late;
    match (target, &events[..]) {
        (_, []) => 0,
        (Target::ActivityLog, _) => {
            RECORD + TRACKED + 3 * count(&hours) + if site.activity_entries > 0 { ENTRY * count(&events) } else { 0 }
        }
        (Target::Board(board), [_]) if recent > 0 => {
            RECORD + TRACKED * u32::from(tracks(site, board, &events)) + Periods::of(board).of_one()
        }
        (Target::Board(board), _) => {
            let (periods, tracked) = (Periods::of(board), u32::from(tracks(site, board, &events)));
            RECORD + tracked * (TRACKED + 4 * count(&hours)) + recent * periods.of_many() + late * periods.of_late()
        }
    }
}

/// Full hours since an event, and one more; 0 of what just happened.
fn hours_ago(when: When) -> u64 {
    const JUST_MS: u64 = 60_000;
    match when {
        When::Ago(ms) if ms >= JUST_MS => ms / 3_600_000 + 1,
        When::Now | When::Ago(_) | When::At(_) => 0,
    }
}

/// Whether a board remembers who did any of these.
fn tracks(site: &Site, board: &Board, events: &[&Event]) -> bool {
    let is_tracked = |event: &&Event| board.once.get(event.action.as_str()).is_some() || site.is_reversible(&event.action);
    site.journal_s > 0 || events.iter().any(is_tracked)
}

/// What a board counts an instant in.
struct Periods {
    units: u32,
    rolling: u32,
    decaying: u32,
    ties: u32,
    breakdown: u32,
    dense: u32,
}

impl Periods {
    fn of(board: &Board) -> Self {
        let windows = |is_one: fn(&Kind) -> bool| count(&board.windows.iter().filter(|window| is_one(&window.kind)).collect::<Vec<_>>());
        Self {
            units: count(&board.counted_units()),
            rolling: windows(|kind| matches!(kind, Kind::Rolling { .. })),
            decaying: windows(|kind| !matches!(kind, Kind::Rolling { .. } | Kind::Calendar(_))),
            ties: board.ties.is_some().into(),
            breakdown: board.breakdown.into(),
            dense: (board.ranking == Ranking::Dense).into(),
        }
    }

    /// One event of now, of a new member: each board is added to unread, and may be full; its indexes are read and written.
    fn of_one(&self) -> u32 {
        self.units * (3 + 2 * self.ties + 2 * self.breakdown + 4 * self.dense)
            + self.rolling * (3 + 3 * self.ties)
            + self.decaying * (2 + 2 * self.breakdown)
    }

    /// Several: each board is read and written. Of a rolling window also the one that leaves it, and the next one.
    fn of_many(&self) -> u32 {
        self.units * (3 + 3 * self.ties + 3 * self.breakdown + 5 * self.dense)
            + self.rolling * (5 + 4 * self.ties)
            + self.decaying * (3 + 3 * self.breakdown)
    }

    /// The same of another hour, whose boards may be new: each key is marked, and expires.
    fn of_late(&self) -> u32 {
        self.of_many() + self.units * 2 * (1 + self.ties + self.breakdown + self.dense) + self.rolling * 3
    }
}

fn count<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misses_are_by_the_ten_commands_the_two_hundred_rows_and_the_five_objects() {
        for (commands, rows, objects, misses) in [
            (0, 0, 0, 1),
            (9, 0, 0, 1),
            (10, 0, 0, 1),
            (11, 0, 0, 2),
            (250, 0, 0, 25),
            (9, 20, 0, 1),
            (9, 21, 0, 2),
            (0, 1_000, 0, 5),
            (0, 0, 45, 9),
            (5, 100, 0, 1),
            (10, 200, 5, 3),
        ] {
            assert_eq!(Cost { commands, rows, objects }.misses(), misses, "{commands} {rows} {objects}");
        }
    }

    #[test]
    fn no_page_of_a_series_is_above_what_a_read_may_cost() {
        for members in 1..=100 {
            for (ranks, actions) in [(false, false), (false, true), (true, false), (true, true)] {
                let points = points_of_page(members, ranks, actions);
                let commands = CALL + points * point(members, ranks, actions);
                assert!(points > 0 && commands <= MAX_COMMANDS && points * members <= MAX_POINTS, "{members} {ranks} {actions}");
            }
        }
    }
}
