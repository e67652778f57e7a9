//! A second that passes between the calls of a transaction, just when the zone's span ends to be enough: all of them count. Where calls know nothing of
//! each other, the rest counts in another transaction.

use std::cell::{Cell, RefCell};

use engine::adapter::{Cmd, Error, Mode, Transport, Value};
use ranking::counting::Outcome;
use ranking::site::Site;
use ranking::zone::Years;
use serde_json::json;
use serve::config::Config;
use serve::ingest::{ParsedBatch, Source, Split};

use crate::call::{Call, NOON_S, connect, store, whole};
use crate::skipped::skipped;
use crate::support::{Connection, Server, TzZones};

/// What `settle_clock` of `lua/lib/clock.lua` wants to know of the zone.
const REACH_S: i64 = 397 * 86_400;
const BOARDS: [&str; 3] = ["eb:{site:a}", "eb:{site:b}", "eb:{site:c}"];

fn like(board: &str, verb: &str) -> Call {
    let what = format!("like:{verb}:-:like-of-x:actor:u1");
    let call = Call::record("Europe/Berlin", NOON_S).tracked(["x", if verb == "u" { "0" } else { "1" }, "", verb, &what]);
    Call { keys: vec![board.into()], ..call }
}

fn command(call: &Call) -> Cmd {
    let mut command: Cmd = ["FCALL", call.script().function, "1", &call.keys[0]].into_iter().collect();
    command.args(call.arguments());
    command
}

#[test]
fn do_and_undo_over_three_boards_while_the_clock_turns() {
    if skipped() {
        return;
    }
    let server = Server::start_debugged(NOON_S * 1000);
    let connection = connect(&server);
    like("eb:{site:other}", "r").send(&connection);
    let zone = &like(BOARDS[0], "r").args["zone"];
    let span_until: i64 = zone.split(' ').next().and_then(|until| until.parse().ok()).expect("the end of the span");
    let turn_ms = (span_until - REACH_S + 1) * 1000;

    let scores = || BOARDS.map(|board| server.scores(&format!("{board}:all:0")).len());
    for (verb, expected) in [("r", [1; 3]), ("u", [0; 3])] {
        server.clock.set(turn_ms - 2_000);
        let mut commands: Vec<Cmd> = BOARDS.iter().map(|board| command(&like(board, verb))).collect();
        commands.insert(1, ["DEBUG", "SLEEP", "2.2"].into_iter().collect());
        let replies = connection.exchange_as(&commands, Mode::Transaction).expect("redis-server answers");
        let is_counted = |reply: &Value| matches!(reply, Value::BulkString(codes) if codes == b"c");
        assert_eq!(replies.iter().filter(|reply| is_counted(reply)).count(), 3, "{replies:?}");
        assert_eq!(scores(), expected);
    }
    // A call that comes alone after it asks for more.
    server.clock.set(turn_ms + 100_000);
    let reply = like("eb:{site:d}", "r").try_send(&connection).expect("an answer");
    assert_eq!(reply[0], Value::BulkString("SPAN".into()));
}

/// The clock turns between the calls of the next transaction, and something may happen after it.
struct Turning<'c> {
    connection: &'c Connection,
    turns: Cell<bool>,
    transactions: Cell<usize>,
    then: RefCell<Option<Box<dyn FnOnce() + 'c>>>,
}

impl Transport for Turning<'_> {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        self.transactions.set(self.transactions.get() + 1);
        if !self.turns.replace(false) {
            return self.connection.send(commands, mode).await;
        }
        let (first, others) = commands.split_at(1);
        let replies = self.connection.send(&[first, &[["DEBUG", "SLEEP", "1.6"].into_iter().collect()], others].concat(), mode).await;
        self.then.take().into_iter().for_each(|then| then());
        replies.map(|mut replies| {
            replies.remove(1);
            replies
        })
    }

    fn has_functions(&self) -> bool {
        self.connection.has_functions()
    }
}

/// Whether time passes between the calls of a transaction: Redis 7.0 has it so, and Valkey 8.1 does not.
fn goes_on(connection: &Connection) -> bool {
    let time: Cmd = ["EVAL", "return redis.call('TIME')", "0"].into_iter().collect();
    let commands = [time.clone(), ["DEBUG", "SLEEP", "0.01"].into_iter().collect(), time];
    let replies = connection.exchange_as(&commands, Mode::Transaction).expect("redis-server answers");
    replies[0] != replies[2]
}

/// What became of a like, or of its undo, on each board. A worker that takes `guess_s` for the time sends it.
fn act(transport: impl Transport, site: &Site, guess_s: i64, item: &str, undo: bool) -> Vec<Outcome> {
    let body = json!({ "events": [{ "action": "like", "item": item, "actor": "u1", "undo": undo }] }).to_string();
    let batch = whole(ParsedBatch::read(site, Source::Server(None), body.as_bytes()).expect("a batch")).expect("all are valid");
    let zones = TzZones::default();
    let recorded = pollster::block_on(store(transport, &zones, guess_s).record(site, &Split::new(site, &batch).batches, ""));
    recorded.expect("redis answers").into_iter().flat_map(|outcomes| outcomes.expect("it is well made")).collect()
}

/// The clock of this worker is a year late, so the years of the zone that it sends end to be enough just now. Where functions keep nothing, or there are
/// none, the first board counts alone, and the others after it: an undo that comes between them finds a like on the first board only.
#[test]
fn where_nothing_is_kept_the_rest_counts_in_another_transaction() {
    if skipped() {
        return;
    }
    let board = json!({ "weights": { "like": 1 }, "windows": ["all"] });
    let site = json!({
        "timezone": "Europe/Berlin",
        "activity": false,
        "actions": { "like": { "reversible": true } },
        "boards": { "a": board, "b": board, "c": board },
    });
    let config = Config::read([("SITES".into(), json!({ "site": site }))], |_| true).expect("valid");
    let site = &config.sites["site"];
    let turn_s = Years::around(NOON_S, NOON_S).bounds().1 - REACH_S + 1;
    let (counted, not_done) = (Outcome::Counted, Outcome::UndoneAlready);
    for has_functions in [true, false] {
        let server = Server::start_debugged(turn_s * 1000);
        let connection = connect(&server);
        connection.has_functions.set(has_functions);
        let is_whole = has_functions || !goes_on(&connection);
        let transactions = if is_whole { 1 } else { 2 };
        // So that Redis knows what it runs.
        act(&connection, site, turn_s, "other", false);
        let scores = || BOARDS.map(|board| server.scores(&format!("{board}:all:0")).iter().any(|(member, _)| member == "x"));
        let turn = |undo: bool, then: Option<Box<dyn FnOnce() + '_>>| {
            server.clock.set(turn_s * 1000 - 1_500);
            let turning = Turning { connection: &connection, turns: true.into(), transactions: 0.into(), then: then.into() };
            (act(&turning, site, NOON_S, "x", undo), turning.transactions.get())
        };
        // What is kept is tested above.
        for undo in if has_functions { &[][..] } else { &[false, true] } {
            assert_eq!(turn(*undo, None), (vec![counted; 3], transactions));
            assert_eq!(scores(), [!undo; 3]);
            let again = if *undo { not_done } else { Outcome::DoneAlready };
            assert_eq!(act(&connection, site, turn_s, "x", *undo), vec![again; 3], "it counts once");
        }
        let between = || {
            let expected = if is_whole { vec![counted; 3] } else { vec![counted, not_done, not_done] };
            assert_eq!(act(&connection, site, turn_s, "x", true), expected);
        };
        assert_eq!(turn(false, Some(Box::new(between))), (vec![counted; 3], transactions));
        assert_eq!(scores(), [false, !is_whole, !is_whole]);
    }
}
