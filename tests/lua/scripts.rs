//! What build.rs says of the scripts is what a server finds.

use std::collections::BTreeSet;

use engine::adapter::{Fault, Value};
use engine::store::scripts::SCRIPTS;

use crate::call::{BOARD, Call, NOON_MS, NOON_S, connect};
use crate::support::Server;

#[test]
fn digests_are_the_servers() {
    let server = Server::start_at(NOON_MS);
    for script in SCRIPTS {
        assert_eq!(server.text(&["SCRIPT", "LOAD", &script.source()]), script.sha1, "{}", script.name);
        let keys: &[&str] = match script.name {
            "decide" | "intents" => &["home"],
            "ready" => &["ready"],
            "enter_sites" | "due_sites" | "rest_sites" => &["due_set", "changes"],
            "memo" => &["deployment"],
            "replace_object" => &["object", "names"],
            _ => &["board"],
        };
        assert_eq!(script.keys, keys, "{}", script.name);
        let names: BTreeSet<_> = script.args.iter().chain(script.each).collect();
        assert_eq!(names.len(), script.args.len() + script.each.len(), "{}: each argument has a name of its own", script.name);
    }
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/lua")).expect("lua/ is readable");
    let scripts = files.filter(|file| file.as_ref().expect("readable").path().extension().is_some_and(|ending| ending == "lua"));
    assert_eq!(scripts.count(), SCRIPTS.len(), "every script of lua/ is in SCRIPTS");
}

/// A script is refused whole unless it gets the keys and arguments that its header names.
#[test]
fn wrong_counts_are_refused() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    let record = Call::record("UTC", NOON_S).event(["a", "1", "", "id"]);
    let top = Call::top("UTC", NOON_S, "d");
    let mut wrong = Vec::new();
    for right in [&record, &top] {
        right.send(&connection);
        for keys in [vec![], vec![BOARD.into(), BOARD.into()]] {
            wrong.push(Call { keys, ..right.clone() });
        }
    }
    server.command(&["FLUSHALL"]);
    for extra in 1..4 {
        wrong.push(Call { rest: record.rest[..extra].to_vec(), ..record.clone() });
        wrong.push(Call { rest: [&record.rest[..], &record.rest[..extra]].concat(), ..record.clone() });
    }
    wrong.push(Call { rest: vec!["1".into()], ..top });
    for call in wrong {
        let error = call.try_send(&connection).expect_err("a wrong count");
        assert_eq!(error.fault, Fault::Refused);
        assert!(error.detail.contains("wrong number of keys or arguments"), "{}", error.detail);
    }
    for script in SCRIPTS {
        let reply = connection.exchange(&[["EVAL", &script.source(), "0"].into_iter().collect()]);
        assert!(matches!(reply.as_deref(), Ok([Value::ServerError(_)])), "{}: {reply:?}", script.name);
    }
    assert_eq!(server.number(&["DBSIZE"]), 0);
}
