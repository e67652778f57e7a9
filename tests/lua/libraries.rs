//! The library of functions: what a server answers without it, and what becomes of those of other versions.

use engine::adapter::{Fault, Value, script};
use engine::store::Store;
use engine::store::scripts::{LIBRARY, SCRIPTS};

use crate::call::{BOARD, Call, NOON_MS, NOON_S, connect};
use crate::support::{Connection, Server, TzZones};

const NOTES: &str = "edgeboard:libraries";
const DAY_MS: i64 = 86_400_000;

fn keep(connection: &Connection) -> Vec<String> {
    let store = Store { transport: connection, zones: &TzZones::default(), guess_s: NOON_S, key_prefix: "eb", replica: None };
    pollster::block_on(store.keep_libraries()).expect("it may")
}

/// Another version's library, with one function.
fn load(server: &Server, name: &str) {
    let text = format!("#!lua name={name}\nredis.register_function('{name}_top', function() return 1 end)");
    assert_eq!(server.text(&["FUNCTION", "LOAD", &text]), name);
}

fn text(value: Value) -> String {
    if let Value::BulkString(bytes) = value { String::from_utf8_lossy(&bytes).into_owned() } else { panic!("no text") }
}

fn libraries(server: &Server) -> Vec<String> {
    let list = |value| if let Value::Array(items) = value { items } else { panic!("no list") };
    list(server.command(&["FUNCTION", "LIST"])).into_iter().map(|library| text(list(library).remove(1))).collect()
}

fn has(server: &Server, library: &str) -> bool {
    libraries(server).iter().any(|name| name == library)
}

#[test]
fn each_script_is_a_function_and_readers_cannot_write() {
    let server = Server::start_at(NOON_MS);
    assert_eq!(server.text(&["FUNCTION", "LOAD", &LIBRARY.parts.concat()]), LIBRARY.name);
    let connection = connect(&server);
    let (mut readers, mut writers) = (Vec::new(), Vec::new());
    for script in SCRIPTS {
        (if script.reads { &mut readers } else { &mut writers }).push(script.name);
        // Without keys it refuses itself, which shows that it is there; read only, Redis refuses who may write.
        for (command, by) in
            [("FCALL", "wrong number of keys"), ("FCALL_RO", if script.reads { "wrong number of keys" } else { "write flag" })]
        {
            let reply = connection.exchange(&[[command, script.function, "0"].into_iter().collect()]).expect("an answer").remove(0);
            let error = script::reply(reply).expect_err("refused");
            assert!(error.detail.contains(by), "{command} {}: {error}", script.name);
        }
    }
    for reads in ["top", "ranks", "series", "explain", "members", "did"] {
        assert!(readers.contains(&reads), "{reads} is among {readers:?}");
    }
    for writes in ["record_event", "record_tracked", "upkeep", "erase", "ready"] {
        assert!(writers.contains(&writes), "{writes} is among {writers:?}");
    }
    assert_eq!(readers.len() + writers.len(), SCRIPTS.len());
}

/// Whatever is lost, the next call brings it back.
#[test]
fn a_lost_library_is_loaded_again() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    let count = |n: usize| drop(Call::record("UTC", NOON_S).event(["a", "1", "", &n.to_string()]).send(&connection));
    count(1);
    assert!(has(&server, LIBRARY.name));
    for (n, lost) in [(2, &["FUNCTION", "FLUSH"][..]), (3, &["FUNCTION", "DELETE", LIBRARY.name])] {
        server.command(&["FUNCTION", "LOAD", "REPLACE", &LIBRARY.parts.concat()]);
        server.command(lost);
        assert!(!has(&server, LIBRARY.name));
        count(n);
        assert!(has(&server, LIBRARY.name));
    }
    assert_eq!(server.text(&["ZSCORE", &format!("{BOARD}:all:0"), "a"]), "3");
}

/// A first call is counted as one wherever the library was just loaded, so it is asked again.
#[test]
fn a_server_is_asked_whether_it_keeps_a_memo() {
    let forgets = std::env::var_os("EDGEBOARD_FORGETS").is_some();
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    let store = Store { transport: &connection, zones: &TzZones::default(), guess_s: NOON_S, key_prefix: "eb", replica: None };
    for _ in 0..2 {
        for _ in 0..2 {
            let ready = pollster::block_on(store.ready(false, || NOON_MS.unsigned_abs())).expect("it may");
            assert_eq!((ready.has_functions, ready.has_memo), (true, !forgets));
        }
        assert_eq!(pollster::block_on(store.has_memo()).expect("it may"), !forgets);
        server.command(&["FUNCTION", "FLUSH"]);
    }
}

#[test]
fn libraries_that_no_version_used_for_a_week_go() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    Call::record("UTC", NOON_S).event(["a", "1", "", "id"]).send(&connection);
    let (old, other) = ("eb_0123456789ab", "eb_ba9876543210");
    load(&server, old);
    load(&server, other);
    load(&server, "of_somebody_else");
    assert_eq!(keep(&connection), [""; 0], "those without a note get one");
    // Of each node of a cluster.
    let notes = || server.keys(&format!("{NOTES}*"));
    let noted = |name: &str| notes().iter().any(|notes| server.number(&["HEXISTS", notes, name]) == 1);
    assert!(noted(old) && noted(other) && noted(LIBRARY.name) && !noted("of_somebody_else"));
    for day in 1..=7 {
        server.clock.set(NOON_MS + day * DAY_MS);
        // Another deployment still uses it.
        for notes in notes() {
            server.command(&["HSET", &notes, other, &(NOON_S + day * 86_400).to_string()]);
        }
        assert_eq!(keep(&connection), [""; 0], "day {day}");
    }
    server.clock.set(NOON_MS + 7 * DAY_MS + 1_000);
    server.command(&["CONFIG", "SET", "maxmemory", "1"]);
    let store = Store { transport: &connection, zones: &TzZones::default(), guess_s: NOON_S, key_prefix: "eb", replica: None };
    assert_eq!(pollster::block_on(store.keep_libraries()).expect_err("no memory").fault, Fault::Unavailable);
    server.command(&["CONFIG", "SET", "maxmemory", "0"]);
    assert!(has(&server, old), "nothing is deleted then");
    assert_eq!(keep(&connection), [old]);
    assert!(!has(&server, old) && !noted(old));
    for kept in [other, "of_somebody_else", LIBRARY.name] {
        assert!(has(&server, kept), "{kept}");
    }
    // What is gone already only loses its note.
    server.command(&["FUNCTION", "DELETE", other]);
    server.clock.set(NOON_MS + 30 * DAY_MS);
    assert_eq!(keep(&connection), [""; 0]);
    assert!(!noted(other));
}

/// The same calls with functions and without leave the same keys.
#[test]
fn a_server_without_functions_runs_scripts() {
    let dump = |rights: [&str; 2]| {
        let server = Server::start_at(NOON_MS);
        server.command(&[&["ACL", "SETUSER", "default"][..], &rights].concat());
        let connection = connect(&server);
        for n in 0..20 {
            server.clock.set(NOON_MS + n * 60_000);
            Call::record("UTC", NOON_S).event([["a", "b"][usize::from(n % 3 == 0)], "1", "", &(n / 2).to_string()]).send(&connection);
        }
        let mut keys: Vec<String> = match server.command(&["KEYS", "*"]) {
            Value::Array(keys) => keys.into_iter().map(text).collect(),
            other => panic!("{other:?}"),
        };
        keys.sort();
        let page = Call::top("UTC", NOON_S, "d").send(&connection).split_off(13);
        let scores = server.command(&["ZRANGE", &format!("{BOARD}:all:0"), "0", "-1", "WITHSCORES"]);
        ((page, scores), keys, has(&server, LIBRARY.name))
    };
    let (with, without) = (dump(["+fcall", "+fcall_ro"]), dump(["-fcall", "-fcall_ro"]));
    assert!(with.2 && !without.2);
    assert_eq!((with.0, with.1), (without.0, without.1));
}
