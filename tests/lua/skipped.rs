//! Tests that a cluster cannot run, and why. They run over one Redis alone.

use std::io::{Write, stderr};
use std::thread;

use crate::support::cluster;

const MULTI: &str = "a transaction has one slot";
const REPLICA: &str = "a replica of a cluster refuses no writer: it sends it to its master";

const CLOCK: &str = "the nodes of a cluster need a clock that goes on";

const REASONS: [(&str, &str); 6] = [
    ("clocks::turned::do_and_undo_over_three_boards_while_the_clock_turns", MULTI),
    ("clocks::turned::where_nothing_is_kept_the_rest_counts_in_another_transaction", MULTI),
    ("errors::replicas_cannot_write", REPLICA),
    ("faults::a_replica_is_not_written", REPLICA),
    ("homes::commands_of_a_like", MULTI),
    ("memo::what_is_kept_between_calls_changes_no_key", CLOCK),
];

/// Whether the test that asks is not to run, which is printed. Its thread has its name.
pub fn skipped() -> bool {
    let thread = thread::current();
    let name = thread.name().expect("threads of tests have names");
    let (_, why) = REASONS.iter().find(|(path, _)| *path == name).expect("it is listed");
    let is_skipped = cluster::is_asked_for();
    if is_skipped {
        // Nothing that is printed otherwise is shown of a test that passes.
        writeln!(stderr(), "skipped over a cluster: {name}: {why}").expect("somebody reads it");
    }
    is_skipped
}
