//! What reading costs, and that it writes nothing: `top`, `ranks`, `place` and `explain` on boards with everything that can stand in
//! their way.

mod places;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use engine::adapter::{Cmd, Error, Mode, Transport, Value};
use engine::store::scripts::{LIBRARY, SCRIPTS};
use ranking::name::Id;
use ranking::page::Previous;
use ranking::period::Period;
use ranking::read::{PeriodRef, Read, ReadReply};
use ranking::score::Score;
use ranking::site::{Ranking, Site};
use ranking::standing::Asked;
use ranking::window::Unit;
use serde_json::json;
use serve::config::Config;

use crate::call::{self, NOON_MS, NOON_S, calls, connect, page, period_ref, store};
use crate::support::{Connection, Server, TzZones};

const TODAY: i64 = 20_777;
const LIMIT: u32 = 1_000;
/// Half of them are hidden, half are pinned.
const CURATED: u32 = 50;
const WINDOWS: [&str; 6] = ["day", "all", "last-7-days", "hot", "fading", "smooth"];
/// The ranks and orders of ties of boards.
type Kind = (Ranking, &'static str);
const KINDS: [Kind; 9] = [
    (Ranking::Ordinal, ""),
    (Ranking::Ordinal, "first"),
    (Ranking::Ordinal, "last"),
    (Ranking::Competition, ""),
    (Ranking::Competition, "first"),
    (Ranking::Competition, "last"),
    (Ranking::Dense, ""),
    (Ranking::Dense, "first"),
    (Ranking::Dense, "last"),
];
/// Each of both at least once, for boards that take long to fill.
const FEW_KINDS: [Kind; 3] = [(Ranking::Ordinal, "first"), (Ranking::Competition, ""), (Ranking::Dense, "")];

/// Fills a board with the indexes that a board of these options has: members m000001, m000002, …, whose scores repeat. A unit of a score
/// is worth `worth` there.
const FILL: &str = concat!(
    include_str!("../../../lua/lib/common/sort_keys.lua"),
    "local key, count, scores, index, worth = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
     for from = 1, count, 1000 do
       local board, order, distinct = {}, {}, {}
       for i = from, math.min(from + 999, count) do
         local member, score = string.format('m%06d', i), string.format('%.17g', (i % scores + 1) * worth)
         board[#board + 1], board[#board + 2] = score, member
         distinct[#distinct + 1], distinct[#distinct + 2] = score, score
         if index ~= '' then order[#order + 1], order[#order + 2] = string.format('%.17g', pack_sort_key(i % scores + 1, i, index)), member end
       end
       redis.call('ZADD', key, unpack(board))
       redis.call('ZADD', key .. ':distinct', unpack(distinct))
       if index ~= '' then redis.call('ZADD', key .. ':' .. index, unpack(order)) end
     end"
);

/// A site whose boards are `board-ranking-ties`, and what they hold.
struct Boards {
    server: Server,
    connection: Connection,
    zones: TzZones,
    config: Config,
}

fn name((ranking, ties): Kind) -> String {
    format!("{}-{}", ranking.name(), if ties.is_empty() { "none" } else { ties })
}

impl Boards {
    /// Boards of so many members, which have so many scores. Marks stand wherever they may.
    fn new(kinds: &[Kind], members: u32, scores: u32) -> Self {
        let server = Server::start_at(NOON_MS);
        let board = |(ranking, ties): Kind| {
            let sums = ["day", "all", "last-7-days"].map(|name| json!(name));
            let fading = [
                json!({ "name": "hot", "kind": "half-life", "half_life": "6h" }),
                json!({ "name": "fading", "kind": "step", "every": "day", "factor": 0.5 }),
                json!({ "name": "smooth", "kind": "linear", "resets": "day" }),
            ];
            let has_fading = ties.is_empty() && ranking != Ranking::Dense;
            let windows: Vec<_> = sums.into_iter().chain(fading.into_iter().filter(|_| has_fading)).collect();
            let mut board =
                json!({ "weights": { "view": 1 }, "windows": windows, "limit": LIMIT, "ranking": ranking.name(), "breakdown": true });
            if !ties.is_empty() {
                board["ties"] = json!(ties);
            }
            board
        };
        let boards: serde_json::Map<_, _> = kinds.iter().map(|kind| (name(*kind), board(*kind))).collect();
        let site = json!({ "site": { "actions": { "view": {} }, "boards": boards } });
        let config = Config::read([("SITES".into(), site)], |_| true).expect("a valid configuration");
        let boards = Self { connection: connect(&server), server, zones: TzZones::default(), config };
        for kind in kinds {
            boards.fill(*kind, members, scores);
        }
        boards
    }

    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a few years")]
    fn fill(&self, kind: Kind, members: u32, scores: u32) {
        let ((ranking, ties), prefix) = (kind, format!("eb:{{site:{}}}", name(kind)));
        let days: Vec<String> = (TODAY - 6..=TODAY).map(|day| day.to_string()).collect();
        let dense = if ranking == Ranking::Dense { "dense" } else { "" };
        let options = format!("0:{}", [ties, dense].join(" ").trim());
        let seen = format!("498660:{TODAY}");
        let (made, whole) = (format!(" {} ", days.join(" ")), format!("whole {}", TODAY - 6));
        let state = ["layout", "2", "seen", &seen, "indexes", &options, "made:d", &made, "window:last-7-days", &whole];
        self.server.command(&[&["HSET", &format!("{prefix}:state")], &state[..]].concat());
        // Half-lives since the landmark, of which there is one each 512.
        let decaying = |name: &str, life: i64, now: i64| {
            (format!("window:{name}:{}", now.div_euclid(512 * life)), 2_f64.powf(now.rem_euclid(512 * life) as f64 / life as f64))
        };
        let mut keys: Vec<(String, f64)> = days.iter().map(|day| (format!("day:{day}"), 1.0)).collect();
        let sums = [
            "all:0".into(),
            format!("window:last-7-days:{TODAY}"),
            format!("window:last-7-days:{}", TODAY - 1),
            format!("window:smooth:{TODAY}"),
        ];
        keys.extend(sums.map(|key| (key, 1.0)));
        keys.extend([decaying("hot", 6 * 3_600_000, NOON_MS), decaying("fading", 1, TODAY)]);
        for (key, worth) in keys {
            // Of earlier days it matters that they are there.
            let is_early = days[..4].iter().any(|day| key == format!("day:{day}"));
            let (key, members) = (format!("{prefix}:{key}"), if is_early { 1 } else { members });
            self.server.command(&["EVAL", FILL, "1", &key, &members.to_string(), &scores.to_string(), ties, &worth.to_string()]);
            for marked in [key.clone(), format!("{key}:{ties}"), format!("{key}:distinct")] {
                self.server.command(&["ZADD", &marked, "-inf", "\0", "-inf", "\0scan", "-inf", "\0\x30"]);
            }
        }
        let curated = format!("{prefix}:curated");
        self.server.command(&["ZADD", &curated, "-inf", "\0"]);
        for i in 0..CURATED {
            // Some of the best, and some of the others; every second one is pinned.
            let member = format!("m{:06}", members - i * 7);
            let score = if i % 2 == 0 { -1 } else { i64::from(i) };
            self.server.command(&["ZADD", &curated, &score.to_string(), &member]);
        }
    }

    fn load_library(&self) {
        self.server.command(&["FUNCTION", "LOAD", "REPLACE", &LIBRARY.parts.concat()]);
    }

    fn site(&self) -> &Rc<Site> {
        &self.config.sites["site"]
    }

    fn read<T: Transport>(
        &self,
        transport: T,
        board: &str,
        window: &str,
        period: Option<Period>,
        read: &dyn Fn(PeriodRef) -> Read,
    ) -> ReadReply {
        let window = self.site().boards[board].window(window).expect("a window of the board");
        call::read(&store(transport, &self.zones, NOON_S), self.site(), read(period_ref(self.site(), board, window, period)))
    }

    /// Every read that anybody may ask for, with what it is.
    fn each(&self, limit: u32, mut run: impl FnMut(&str, &str, Option<Period>, &dyn Fn(PeriodRef) -> Read)) {
        let day = |number| Some(Period { unit: Unit::Day, number });
        for board in self.site().boards.values() {
            for window in WINDOWS.iter().filter(|window| board.window(window).is_some()) {
                let past = if *window == "day" { day(TODAY - 1) } else { None };
                for period in [None, past, day(TODAY - 9).filter(|_| *window == "last-7-days")] {
                    let board = board.name.as_str();
                    run(board, window, period, &|of| Read::Top { of, offset: 0, limit });
                    run(board, window, period, &|of| Read::Top { of, offset: LIMIT - limit, limit });
                    run(board, window, period, &|of| Read::Member { of, id: id(500), around: 0 });
                    run(board, window, period, &|of| Read::Member { of, id: id(500), around: 50 });
                    run(board, window, period, &|of| Read::Ranks { of, ids: (1..=100).map(|i| id(i * 11)).collect(), among: false });
                    run(board, window, period, &|of| Read::Place { of, by: Asked::Rank(700) });
                    run(board, window, period, &|of| Read::Place { of, by: Asked::Score(Score::from_integer(200)) });
                    run(board, window, period, &|of| Read::Distribution { of });
                    run(board, window, period, &|of| Read::Explain { of, id: id(500), before: None });
                }
            }
        }
    }
}

fn id(i: u32) -> Id {
    Id::new(&format!("m{i:06}")).expect("an id")
}

#[test]
fn a_page_costs_at_most_nine_commands() {
    let boards = Boards::new(&KINDS, 1_300, 400);
    let mut most = BTreeMap::new();
    for limit in [1, 100, LIMIT] {
        boards.each(limit, |board, window, period, read| {
            let is_page = matches!(read(period_ref(boards.site(), board, &boards.site().boards[board].windows[0], None)), Read::Top { .. });
            if !is_page {
                return;
            }
            boards.load_library();
            boards.server.command(&["CONFIG", "RESETSTAT"]);
            let reply = boards.read(&boards.connection, board, window, period, read);
            let calls = calls(&boards.server);
            let ReadReply::Pages(pages) = reply else { panic!("{reply:?}") };
            let page = &pages[0];
            assert!(calls.values().sum::<u64>() <= 9, "{board}/{window} {period:?} {limit}: {calls:?}");
            assert_eq!(page.info.complete, !page.info.is_unbuilt(), "{board}/{window} {period:?}");
            if page.info.complete {
                assert_eq!(
                    (page.entries.len(), page.total),
                    (limit as usize, 1_300 - u64::from(CURATED) / 2),
                    "{board}/{window} {period:?}"
                );
                assert!(page.entries.iter().all(|entry| !entry.id.as_str().starts_with('\0')));
                let compares = window == "day" || window == "last-7-days" && period.is_none();
                for entry in &page.entries {
                    // The period before has the same members and scores.
                    let previous = if compares { Previous::Rank(entry.rank) } else { Previous::Unknown };
                    assert_eq!(entry.previous, previous, "{board}/{window} {period:?} {limit}: {entry:?}");
                }
            }
            let sum = calls.values().sum::<u64>();
            most.entry(limit).and_modify(|most: &mut u64| *most = sum.max(*most)).or_insert(sum);
        });
    }
    println!("most commands of a page, by limit: {most:?}");
}

/// Sends reads as `EVALSHA_RO`, which refuses a script that writes. Functions that read are sent as `FCALL_RO` anyway.
struct ReadOnly<'c>(&'c Connection);

impl Transport for ReadOnly<'_> {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let read_only = |command: &Cmd| {
            let mut words = words(command);
            words[0].extend(b"_RO");
            words.into_iter().collect()
        };
        self.0.send(&commands.iter().map(read_only).collect::<Vec<_>>(), mode).await
    }

    fn has_functions(&self) -> bool {
        false
    }
}

/// Sends reads to replicas. Those of a cluster say as well how long they have not heard their master.
struct Replicas(Connection);

impl Transport for Replicas {
    async fn send(&self, commands: &[Cmd], _mode: Mode) -> Result<Vec<Value>, Error> {
        let mut answers = self.0.send(commands, Mode::Replica).await?;
        answers.truncate(commands.len());
        Ok(answers)
    }
}

fn words(command: &Cmd) -> Vec<Vec<u8>> {
    command.words().map(Vec::from).collect()
}

/// On a replica a script may not write either. Both answer what the master does.
#[test]
fn reading_writes_nothing() {
    let mut boards = Boards::new(&KINDS, 1_100, 50);
    boards.load_library();
    boards.server.replicate();
    let replicas = Replicas(Connection::new(boards.server.url_of_replicas()));
    boards.each(100, |board, window, period, read| {
        let shown = |reply: ReadReply| match reply {
            ReadReply::Pages(pages) => format!("{:?}", pages[0].entries),
            ReadReply::Standings(standings) => format!("{:?} {:?}", standings.members, standings.around),
            ReadReply::Place(place) => format!("{:?} {:?}", place.rank, place.score),
            ReadReply::Distribution(distribution) => format!("{:?} {:?}", distribution.total, distribution.intervals),
            ReadReply::Explained(explained) => format!("{:?} {:?}", explained.score, explained.periods),
            other => panic!("{other:?}"),
        };
        let master = shown(boards.read(&boards.connection, board, window, period, read));
        assert_eq!(shown(boards.read(ReadOnly(&boards.connection), board, window, period, read)), master, "{board}/{window}");
        assert_eq!(shown(boards.read(&replicas, board, window, period, read)), master, "{board}/{window}");
    });
    let empty = Server::start_at(NOON_MS);
    let connection = connect(&empty);
    boards.each(100, |board, window, period, read| drop(boards.read(ReadOnly(&connection), board, window, period, read)));
    assert_eq!(empty.number(&["DBSIZE"]), 0);
}

/// Counts the commands of scripts, and the elements of their arguments and replies.
struct Counted<'c> {
    inner: &'c Connection,
    commands: Cell<i64>,
    elements: Cell<i64>,
}

impl Transport for Counted<'_> {
    fn has_functions(&self) -> bool {
        false
    }

    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let counted = |command: &Cmd| {
            let mut words = words(command);
            let script = SCRIPTS.iter().find(|script| script.sha1.as_bytes() == words[1]).expect("a script of ours");
            let source = script.source().replace("redis.call", "counted_call");
            words[0] = b"EVAL".to_vec();
            words[1] = format!(
                "local commands, elements = 1, 0
                 local function counted_call(...)
                   local reply = redis.call(...)
                   commands, elements = commands + 1, elements + select('#', ...) + (type(reply) == 'table' and #reply or 1)
                   return reply
                 end
                 local function run() {source} end
                 local reply = run()
                 return {{ commands, elements, reply }}"
            )
            .into_bytes();
            words.into_iter().collect()
        };
        let replies = self.inner.send(&commands.iter().map(counted).collect::<Vec<_>>(), mode).await?;
        let take = |reply| match reply {
            Value::Array(items) => match <[Value; 3]>::try_from(items) {
                Ok([Value::Int(commands), Value::Int(elements), reply]) => {
                    self.commands.set(self.commands.get() + commands);
                    self.elements.set(self.elements.get() + elements);
                    reply
                }
                other => panic!("{other:?}"),
            },
            other => other,
        };
        Ok(replies.into_iter().map(take).collect())
    }
}

/// The cost of a read grows with what is asked for and with who is curated, never with the board.
#[test]
#[ignore = "long: npm test -- --engines"]
fn every_read_is_bounded_at_a_hundred_thousand_members() {
    let boards = Boards::new(&FEW_KINDS, 100_000, 1_000);
    // An index that is not there is not made up for.
    boards.server.command(&["UNLINK", &format!("eb:{{site:dense-none}}:day:{TODAY}:distinct")]);
    let curated = i64::from(CURATED);
    let mut most: BTreeMap<&str, [i64; 2]> = BTreeMap::new();
    boards.each(LIMIT, |board, window, period, read| {
        let counted = Counted { inner: &boards.connection, commands: Cell::new(0), elements: Cell::new(0) };
        boards.read(&counted, board, window, period, read);
        let what = read(period_ref(boards.site(), board, &boards.site().boards[board].windows[0], None));
        let limit = i64::from(LIMIT);
        let (kind, bounds) = match what {
            // The heads of two periods, with scores.
            Read::Top { .. } => ("top", [9, 4 * (limit + curated) + 3 * curated + 200]),
            // The curated ones are read thrice: with their marks, their scores and where they stand. Those that stand above are passed on
            // the way to the next higher score.
            Read::Member { around: 0, .. } => ("member", [13 + curated, 11 * curated + 110]),
            Read::Member { .. } => ("member and neighbors", [14 + curated, 11 * curated + 4 * (50 + curated) + 110]),
            // Each id: its score, its rank, who is higher, its distinct score.
            Read::Ranks { .. } => ("ranks", [12 + 3 * 100 + curated, 24 * 100 + 9 * curated + 100]),
            // The curated ones and their scores; a window behind the rank.
            Read::Place { .. } => ("place", [9 + curated, 9 * curated + 100]),
            // Two for each interval, with its last member and the one below.
            Read::Distribution { .. } => ("distribution", [9 + 2 * 100 + curated, 16 * 100 + 9 * curated + 100]),
            Read::Explain { .. } => ("explain", [8 + 2 * 7, 3 * curated + 200]),
            Read::Tops { .. } | Read::Filled { .. } | Read::Composed { .. } | Read::Series { .. } => {
                unreachable!("each ranking is a call of its own, and a series comes in pages")
            }
        };
        let cost = [counted.commands.get(), counted.elements.get()];
        assert!(cost[0] <= bounds[0] && cost[1] <= bounds[1], "{kind} of {board}/{window} {period:?}: {cost:?}, at most {bounds:?}");
        let most = most.entry(kind).or_insert(cost);
        *most = [most[0].max(cost[0]), most[1].max(cost[1])];
    });
    println!("most commands and elements: {most:?}");
}

/// The board before keeps its mark when the current one was repaired since, and is trusted then as far as it is read to its end.
#[test]
fn the_board_before_vouches_for_itself() {
    let boards = Boards::new(&[(Ranking::Competition, "")], 900, 400);
    let (state, before) = ("eb:{site:competition-none}:state", format!("eb:{{site:competition-none}}:window:last-7-days:{}", TODAY - 1));
    let of = || {
        let board = &boards.site().boards["competition-none"];
        period_ref(boards.site(), "competition-none", board.window("last-7-days").expect("it has"), None)
    };
    let first = || page(&store(&boards.connection, &boards.zones, NOON_S), boards.site(), of(), [0, 1]).entries[0].previous;
    assert_eq!(first(), Previous::Rank(1));
    boards.server.command(&["HSET", state, "window:last-7-days", &format!("whole {TODAY}")]);
    assert_eq!(first(), Previous::Rank(1), "its own mark is there");
    boards.server.command(&["ZREM", &before, "\0\x30"]);
    assert_eq!(first(), Previous::Unknown, "nobody vouches for it");
}

/// Dense ranks without their index are those of a competition, and say so. A page has them at once.
#[test]
fn dense_ranks_without_their_index() {
    let boards = Boards::new(&[(Ranking::Dense, "")], 1_300, 400);
    let ranks = || {
        let read = |of| Read::Ranks { of, ids: [1_299, 900, 1].map(id).into(), among: false };
        match boards.read(&boards.connection, "dense-none", "day", None, &read) {
            ReadReply::Standings(standings) => {
                (standings.ranking, standings.members.iter().map(|member| member.map_or(0, |member| member.rank)).collect::<Vec<_>>())
            }
            other => panic!("{other:?}"),
        }
    };
    let (kind, dense) = ranks();
    assert_eq!(kind, Ranking::Dense);
    let of = || period_ref(boards.site(), "dense-none", boards.site().boards["dense-none"].window("day").expect("it has"), None);
    let shown = || page(&store(&boards.connection, &boards.zones, NOON_S), boards.site(), of(), [0, LIMIT]);
    let on_page: Vec<(Id, u64)> = shown().entries.into_iter().map(|entry| (entry.id, entry.rank)).collect();
    let rank_of = |id: Id| on_page.iter().find(|(other, _)| *other == id).map(|(_, rank)| *rank);
    assert_eq!([1_299, 900].map(|i| rank_of(id(i))), [Some(dense[0]), Some(dense[1])], "one by one as on the page");

    boards.server.command(&["UNLINK", &format!("eb:{{site:dense-none}}:day:{TODAY}:distinct")]);
    let (kind, competition) = ranks();
    assert_eq!(kind, Ranking::Competition);
    assert!(competition[1] > dense[1] && competition[2] > dense[2], "{competition:?} {dense:?}");
    assert_eq!(shown().entries.into_iter().map(|entry| (entry.id, entry.rank)).collect::<Vec<_>>(), on_page);
}
