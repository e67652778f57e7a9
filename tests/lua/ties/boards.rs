//! The boards on a server, and what happened on them.

use engine::store::Store;
use engine::store::upkeep::{Chunk, Job, Task};
use proptest::prelude::*;
use ranking::counting::{Outcome, Target, TargetBatch, TargetEvent, TrackedAction, Verb, Who};
use ranking::event::{SenderClass, When};
use ranking::name::{Id, Name};
use ranking::page::{Entry, Page, PeriodInfo, Previous};
use ranking::period::Period;
use ranking::read::{PeriodRef, Read, ReadReply};
use ranking::score::Score;
use ranking::site::{Board, Ranking, Site};
use ranking::window::Unit;
use serde_json::json;
use serve::config::Config;

use super::model::{Expected, Model, Scope, Sent};
use super::{BOARDS, DAY_MS, Event, MINUTE_MS, RANKINGS, ROLLING, START_MS, Step};
use crate::call::{self, page, period_ref};
use crate::cases::Counter;
use crate::support::{Connection, Server, TzZones};

pub(super) static DECIDED: Counter = Counter::new("pairs of ties whose order is known");
pub(super) static DENSE: Counter = Counter::new("readings of dense ranks by their index");
pub(super) static LATE: Counter = Counter::new("events of an earlier day");
pub(super) static UNDONE: Counter = Counter::new("actions that were undone");
pub(super) static REPAIRS: Counter = Counter::new("chunks that readers set off");

/// The boards on a server, and what happened on them.
pub(super) struct Boards<'s> {
    pub(super) server: &'s Server,
    pub(super) connection: Connection,
    pub(super) zones: TzZones,
    /// The same boards, by what ranks they have; the dense ones are written to.
    pub(super) configs: [Config; 2],
    pub(super) members: u8,
    pub(super) now_ms: i64,
    pub(super) model: Model,
}

impl<'s> Boards<'s> {
    pub(super) fn new(server: &'s Server, actor_history: &str, members: u8) -> Self {
        server.command(&["FLUSHALL"]);
        let config = |ranking: Ranking| {
            let board = |ties| json!({ "weights": { "view": 1, "like": 1 }, "windows": ["day", "all", ROLLING], "ties": ties, "ranking": ranking.name() });
            let boards: serde_json::Map<_, _> = BOARDS.into_iter().map(|ties| (ties.to_owned(), board(ties))).collect();
            let site = json!({ "site": { "actor_history": actor_history, "actions": { "view": {}, "like": { "reversible": true } }, "boards": boards } });
            Config::read([("SITES".into(), site)], |_| true).expect("a valid configuration")
        };
        let boards = Self {
            server,
            connection: Connection::new(server.url()),
            zones: TzZones::default(),
            configs: RANKINGS.map(config),
            members,
            now_ms: 0,
            model: Model::default(),
        };
        boards.set_clock(START_MS)
    }

    pub(super) fn set_clock(mut self, now_ms: i64) -> Self {
        self.advance(now_ms - self.now_ms);
        self
    }

    pub(super) fn advance(&mut self, ms: i64) {
        self.now_ms += ms;
        self.server.clock.set(self.now_ms);
    }

    pub(super) fn today(&self) -> i64 {
        self.now_ms.div_euclid(DAY_MS)
    }

    pub(super) fn site(&self) -> &Site {
        &self.configs[0].sites["site"]
    }

    pub(super) fn store(&self) -> Store<'_, &Connection, TzZones> {
        call::store(&self.connection, &self.zones, self.now_ms / 1000)
    }

    /// Puts events into both boards, in one call each.
    pub(super) fn put(&mut self, batch: &[Sent]) -> Result<(), TestCaseError> {
        let ids: Vec<Id> = batch.iter().map(|sent| member_id(sent.member)).collect();
        let actors: Vec<Option<Id>> = batch.iter().map(|sent| sent.actor.and_then(|actor| Id::new(&format!("u{actor}")))).collect();
        let action = Name::new("like").expect("a name");
        let events: Vec<TargetEvent> = batch
            .iter()
            .zip(ids.iter().zip(&actors))
            .map(|(sent, (member, actor))| TargetEvent {
                item: Some(member),
                member,
                weight: score(sent.weight),
                when: if sent.at_ms >= self.now_ms { When::Now } else { When::At(sent.at_ms.try_into().expect("after 1970")) },
                id: None,
                batch: None,
                index: 0,
                action: &action,
                count: 1,
                meta: None,
                tracked: sent.verb.zip(actor.as_ref()).map(|(verb, actor)| TrackedAction {
                    seq: None,
                    verb,
                    once: None,
                    item: Some(member),
                    who: Who::Actor(actor),
                }),
                number: 0,
            })
            .collect();
        let site = self.site();
        let targets = BOARDS.map(|board| TargetBatch {
            target: Target::Board(&site.boards[board]),
            sender: SenderClass::Server,
            id: None,
            is_whole: true,
            events: events.clone(),
            senders: Vec::new(),
        });
        let recorded = pollster::block_on(self.store().record(site, &targets, ""));
        let recorded = recorded.expect("redis answers").into_iter().collect::<Result<Vec<_>, _>>().expect("the batches are well made");
        prop_assert_eq!(&recorded[0], &recorded[1]);
        self.model.note(batch, &recorded[0]);
        for (sent, _) in batch.iter().zip(&recorded[0]).filter(|(_, outcome)| **outcome == Outcome::Counted) {
            LATE.add(usize::from(sent.at_ms < self.now_ms - DAY_MS));
            UNDONE.add(usize::from(sent.verb == Some(Verb::Undo)));
        }
        Ok(())
    }

    /// Events as they stand in a step, with what they are about.
    pub(super) fn sent(&self, events: &[Event]) -> Vec<Sent> {
        let tracked: Vec<(u8, u8)> = self.model.tracked.keys().copied().collect();
        let at_ms = |minutes_ago: i64| self.now_ms - minutes_ago * MINUTE_MS;
        let sent = |event: &Event| match *event {
            Event::Plain { member, weight, minutes_ago } => {
                Some(Sent { member: member % self.members, actor: None, at_ms: at_ms(minutes_ago), weight, verb: None })
            }
            Event::Do { member, actor, weight, minutes_ago } => {
                let verb = Some(Verb::DoReversibly);
                Some(Sent { member: member % self.members, actor: Some(actor), at_ms: at_ms(minutes_ago), weight, verb })
            }
            Event::Undo(index) => {
                let (member, actor) = *index.get(tracked.get(..).filter(|tracked| !tracked.is_empty())?);
                Some(Sent { member, actor: Some(actor), at_ms: self.now_ms, weight: 1, verb: Some(Verb::Undo) })
            }
        };
        events.iter().filter_map(sent).collect()
    }

    /// A chunk of upkeep of every board; answers whether all are ready.
    pub(super) fn chunk(&self, entries: u32) -> bool {
        let is_ready = BOARDS.map(|name| {
            let board = &self.site().boards[name];
            let window = Job::Window(board.window(ROLLING).expect("a window of the board"));
            self.work(board, window, entries)
        });
        is_ready == [true; BOARDS.len()]
    }

    /// Builds a past ranking of every board.
    pub(super) fn build_past(&self, last: i64) {
        for name in BOARDS {
            let board = &self.site().boards[name];
            let window = board.window(ROLLING).expect("a window of the board");
            pollster::block_on(self.store().want(self.site(), board, window, day(last), "test")).expect("redis answers");
            while !self.work(board, Job::Past, 100) {}
        }
    }

    fn work(&self, board: &Board, job: Job<'_>, entries: u32) -> bool {
        let chunk = Chunk { board, job, owner: "test", entries, is_early: true };
        let done = pollster::block_on(self.store().upkeep(self.site(), &[chunk])).expect("redis answers").remove(0);
        done.expect("upkeep succeeds").expect("nobody else is at it").task == Task::Ready
    }

    pub(super) fn read(&self, config: &Config, board: &str, window: &str, last: Option<i64>, [offset, limit]: [u32; 2]) -> Page {
        page(&self.store(), &config.sites["site"], of_day(config, board, window, last), [offset, limit])
    }

    /// What readers see of every window is what the model says, page by page.
    pub(super) fn check(&self) -> Result<(), TestCaseError> {
        let today = self.today();
        let of_day = |day| Expected::new(self.members, |member| self.model.standing(member, Scope::Day(day)));
        self.check_window("day", None, &of_day(today), Some(&of_day(today - 1)))?;
        self.check_window("all", None, &Expected::new(self.members, |member| self.model.standing(member, Scope::Always)), None)?;
        self.check_rolling(None)
    }

    pub(super) fn check_rolling(&self, last: Option<i64>) -> Result<(), TestCaseError> {
        let last_day = last.unwrap_or(self.today());
        self.check_window(ROLLING, last, &Expected::new(self.members, |member| self.model.rolling(member, last_day)), None)
    }

    /// Of a window that is said to be complete. `before` is what the period before must show.
    pub(super) fn check_window(
        &self,
        window: &str,
        last: Option<i64>,
        expected: &Expected,
        before: Option<&Expected>,
    ) -> Result<(), TestCaseError> {
        let readings = BOARDS.into_iter().flat_map(|board| self.configs.iter().map(move |config| (board, config)));
        for (turn, (board, config)) in readings.enumerate() {
            let ranking = config.sites["site"].boards[board].ranking;
            let what = format!("{board} {window} {last:?} {ranking:?} on day {}", self.today());
            let whole = self.read(config, board, window, last, [0, 100]);
            if !whole.info.complete {
                continue;
            }
            prop_assert_eq!(whole.total, expected.rows.len() as u64, "{}", what);
            let shown: Vec<u8> = whole.entries.iter().map(|entry| member_of(&entry.id)).collect();
            let seen: Vec<_> = whole.entries.iter().map(|entry| (entry.score.value(), entry.rank)).collect();
            for (member, (sum, rank)) in shown.iter().zip(&seen) {
                let wanted = expected.of(*member, ranking).map(|(sum, rank)| (score(sum).value(), rank));
                prop_assert_eq!(Some((*sum, *rank)), wanted, "{}: m{} of {:?} {:?}", what, member, shown, seen);
            }
            prop_assert!(seen.windows(2).all(|pair| pair[0].0 >= pair[1].0), "{}: {:?}", what, seen);
            let order = expected.order(board);
            let known: Vec<u8> = shown.iter().copied().filter(|member| order.contains(member)).collect();
            prop_assert_eq!(known, order, "{}: {:?} {:?} of {:?}", what, shown, seen, expected.rows);
            DECIDED.add(expected.decided());

            for (member, entry) in shown.iter().zip(&whole.entries) {
                match (before, window) {
                    (Some(before), _) => {
                        let rank = before.of(*member, ranking).map_or(Previous::New, |(_, rank)| Previous::Rank(rank));
                        prop_assert_eq!(entry.previous, rank, "{}: m{} before", what, member);
                    }
                    (None, "all") => prop_assert_eq!(entry.previous, Previous::Unknown),
                    _ => {}
                }
            }
            // A script of its own for each; one of the four is enough after each step.
            if turn == self.model.changes.len() % 4 {
                self.check_parts(config, board, window, last, &whole, &what)?;
            }
        }
        Ok(())
    }

    /// A page of two, and each member by itself, say what the whole says.
    pub(super) fn check_parts(
        &self,
        config: &Config,
        board: &str,
        window: &str,
        last: Option<i64>,
        whole: &Page,
        what: &str,
    ) -> Result<(), TestCaseError> {
        let rows =
            |page: &Page| page.entries.iter().map(|entry| (entry.rank, entry.id.clone(), entry.score, entry.previous)).collect::<Vec<_>>();
        let all = rows(whole);
        let offset = self.model.changes.len() % all.len().max(1);
        let page = self.read(config, board, window, last, [u32::try_from(offset).expect("few"), 2]);
        prop_assert_eq!(rows(&page), all.iter().skip(offset).take(2).cloned().collect::<Vec<_>>(), "{}: from {}", what, offset);

        let ids: Vec<Id> =
            (0..self.members).map(|member| member_id((member + u8::try_from(offset).expect("few")) % self.members)).collect();
        let ask = |read| match call::read(&self.store(), &config.sites["site"], read) {
            ReadReply::Standings(standings) => standings,
            other => panic!("{other:?}"),
        };
        let of = || of_day(config, board, window, last);
        let found = ask(Read::Ranks { of: of(), ids: ids.clone(), among: false });
        prop_assert_eq!(found.total, whole.total);
        // Without their index, dense ranks are those of a competition, and it is said.
        let dense = config.sites["site"].boards[board].ranking == Ranking::Dense;
        DENSE.add(usize::from(dense && found.ranking == Ranking::Dense));
        let rank_by = |ranking: Ranking, entry: &Entry| match (dense, ranking) {
            (true, Ranking::Competition) => whole.entries.iter().filter(|other| other.score > entry.score).count() as u64 + 1,
            _ => entry.rank,
        };
        for (id, standing) in ids.iter().zip(&found.members) {
            let entry = whole.entries.iter().find(|entry| entry.id == *id);
            let higher = |score: Score| whole.entries.iter().filter(|entry| entry.score > score).count() as u64;
            let rank = |entry: &Entry| rank_by(found.ranking, entry);
            let wanted = entry.map(|entry| (rank(entry), entry.score, higher(entry.score)));
            prop_assert_eq!(standing.map(|standing| (standing.rank, standing.score, standing.higher)), wanted, "{}: {:?}", what, id);
        }
        let alone = ask(Read::Member { of: of(), id: ids[0].clone(), around: 0 });
        let ends = |info: &PeriodInfo| (info.period, info.named_at, info.starts_at, info.ends_at, info.complete);
        prop_assert_eq!((alone.total, ends(&alone.info)), (whole.total, ends(&whole.info)), "{}: {:?} alone", what, ids[0]);
        if alone.ranking == found.ranking {
            prop_assert_eq!(format!("{:?}", alone.members), format!("{:?}", &found.members[..1]), "{}: {:?} alone", what, ids[0]);
        }
        let at = whole.entries.iter().position(|entry| entry.id == ids[0]);
        let near = at.map_or(&[][..], |at| &whole.entries[at.saturating_sub(1)..whole.entries.len().min(at + 2)]);
        let around = ask(Read::Member { of: of(), id: ids[0].clone(), around: 1 });
        let pairs: Vec<_> = around.around.iter().map(|entry| (entry.rank, entry.id.clone())).collect();
        let wanted: Vec<_> = near.iter().map(|entry| (rank_by(around.ranking, entry), entry.id.clone())).collect();
        prop_assert_eq!(pairs, wanted, "{}: around {:?}", what, ids[0]);
        Ok(())
    }

    pub(super) fn step(&mut self, step: &Step) -> Result<(), TestCaseError> {
        match step {
            Step::Batch(events) => {
                let sent = self.sent(events);
                if !sent.is_empty() {
                    self.put(&sent)?;
                }
            }
            Step::Advance(minutes) => self.advance(minutes * MINUTE_MS),
            Step::Midnight(prepared) => {
                while *prepared && !self.chunk(500) {}
                self.advance(DAY_MS + MINUTE_MS - self.now_ms.rem_euclid(DAY_MS));
            }
            Step::Chunk(entries) => drop(self.chunk(*entries)),
            Step::Upkeep => while !self.chunk(500) {},
            Step::Read(days_ago) => {
                while BOARDS.iter().any(|board| !self.read(&self.configs[0], board, ROLLING, None, [0, 1]).info.complete) {
                    REPAIRS.add(1);
                    self.chunk(100);
                }
                let last = self.today() - days_ago;
                self.build_past(last);
                self.check_rolling(Some(last))?;
            }
        }
        self.check()
    }
}

/// A window of a board, in the period that ends with a day.
pub(super) fn of_day(config: &Config, board: &str, window: &str, last: Option<i64>) -> PeriodRef {
    let site = &config.sites["site"];
    period_ref(site, board, site.boards[board].window(window).expect("a window of the board"), last.map(day))
}

pub(super) fn day(number: i64) -> Period {
    Period { unit: Unit::Day, number }
}

pub(super) fn member_id(member: u8) -> Id {
    Id::new(&format!("m{member}")).expect("an id")
}

pub(super) fn member_of(id: &Id) -> u8 {
    id.as_str()[1..].parse().expect("a member of these tests")
}

pub(super) fn score(points: i64) -> Score {
    #[expect(clippy::cast_precision_loss, reason = "small, or a power of two")]
    Score::new(points as f64).expect("finite")
}
