//! A second that passes between the calls of a transaction, just when the zone's span ends to be enough: all of them count.

use engine::adapter::{Cmd, Mode, Value};

use crate::call::{Call, NOON_S, connect};
use crate::skipped::skipped;
use crate::support::Server;

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
