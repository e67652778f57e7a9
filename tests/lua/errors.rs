//! What a real server says when it refuses a command and when a script fails on its way: which of them wrote nothing.

use std::thread;

use engine::adapter::{Applied, Cmd, Error, Fault, script};

use crate::call::{NOON_MS, connect};
use crate::skipped::skipped;
use crate::support::{Connection, Server, clock, node};

fn refusal(connection: &Connection, words: &[&str]) -> Error {
    let reply = connection.exchange(&[words.iter().collect()]).expect("redis-server answers").pop().expect("one reply");
    script::reply(reply).expect_err("refused")
}

#[track_caller]
fn check(connection: &Connection, words: &[&str], expected: Fault, applied: Applied) {
    let error = refusal(connection, words);
    assert_eq!((error.fault, error.applied()), (expected, applied), "{words:?}: {error}");
}

/// A script that writes `a`, then does something with keys beside it; and one that does it unwritten, as our scripts do.
fn check_script(connection: &Connection, then: &str, inner: Fault) {
    let after = format!("redis.call('INCR', 'a') return redis.call({then})");
    check(connection, &["EVAL", &after, "1", "a"], Fault::Script, Applied::Unknown);
    let before = format!("local r = redis.pcall({then}) return redis.error_reply('UNTOUCHED ' .. r.err)");
    check(connection, &["EVAL", &before, "1", "a"], inner, Applied::No);
}

#[test]
fn an_error_inside_a_script_is_of_unknown_outcome() {
    let server = Server::start_at(NOON_MS);
    let connection = connect(&server);
    server.command(&["SET", "{a}text", "foreign"]);
    check_script(&connection, "'ZINCRBY', '{a}text', 1, 'm'", Fault::Refused);
    check_script(&connection, "'ZINCRBY', '{a}z'", Fault::Refused);
    check_script(&connection, "'NOSUCH'", Fault::Refused);
    for body in ["redis.call('INCR', 'a') error('x')", "redis.call('INCR', 'a') local x = nil + 1", "redis.call('INCR', 'a') no_such()"] {
        check(&connection, &["EVAL", body, "1", "a"], Fault::Script, Applied::Unknown);
    }
    assert_eq!(server.text(&["GET", "a"]), "6");
    // What a script answers by itself came before its first write.
    check(&connection, &["EVAL", "return redis.error_reply('ERR record: wrong')", "0"], Fault::Refused, Applied::No);
    check(&connection, &["EVAL", "return redis.error_reply('LAYOUT found 3, known 2')", "0"], Fault::Configuration, Applied::No);
    // Nothing ran.
    check(&connection, &["EVAL", "no script", "0"], Fault::Refused, Applied::No);
    check(&connection, &["EVALSHA", "0", "0"], Fault::NoScript, Applied::No);
    check(&connection, &["EVALSHA", "0"], Fault::Refused, Applied::No);
}

#[test]
fn users_without_rights() {
    let server = Server::start_at(NOON_MS);
    server.command(&["ACL", "SETUSER", "default", "resetkeys", "~eb:*", "-@all", "+eval", "+incr", "+cluster|slots", "+acl|setuser"]);
    let connection = connect(&server);
    check(&connection, &["EVALSHA", "0", "0"], Fault::Unauthorized, Applied::No);
    check(&connection, &["EVAL", "return 1", "1", "other"], Fault::Unauthorized, Applied::No);
    for then in ["'TIME'", "'INCR', 'other'"] {
        let body = format!("redis.call('INCR', 'eb:a') return redis.call({then})");
        check(&connection, &["EVAL", &body, "1", "eb:a"], Fault::Script, Applied::Unknown);
    }
    server.command(&["ACL", "SETUSER", "default", "allkeys", "+@all"]);
}

#[test]
fn servers_that_cannot_write() {
    let server = Server::start_at(NOON_MS);
    for setting in ["maxmemory", "min-replicas-to-write"] {
        // More replicas than there are.
        server.command(&["CONFIG", "SET", setting, "2"]);
        check_that_nothing_is_written(&server);
        server.command(&["CONFIG", "SET", setting, "0"]);
    }
}

#[test]
fn replicas_cannot_write() {
    if skipped() {
        return;
    }
    let server = Server::start_at(NOON_MS);
    server.command(&["REPLICAOF", "127.0.0.1", &node::free_port().to_string()]);
    check_that_nothing_is_written(&server);
}

#[track_caller]
fn check_that_nothing_is_written(server: &Server) {
    let connection = connect(server);
    let write = "local r = redis.pcall('SET', 'a', 1) return redis.error_reply('UNTOUCHED ' .. r.err)";
    check(&connection, &["SET", "a", "1"], Fault::Unavailable, Applied::No);
    check(&connection, &["EVAL", write, "1", "a"], Fault::Unavailable, Applied::No);
    check(&connection, &["EVAL", "return redis.call('SET', 'a', 1)", "1", "a"], Fault::Script, Applied::Unknown);
    assert_eq!(server.number(&["EXISTS", "a"]), 0);
}

/// Redis kills no script that has written.
#[test]
fn a_script_that_is_killed_wrote_nothing() {
    let server = Server::start_at(NOON_MS);
    server.command(&["CONFIG", "SET", "busy-reply-threshold", "1"]);
    let url = server.url();
    let running = thread::spawn(move || refusal(&Connection::new(url), &["EVAL", "while true do end", "0"]));
    let connection = connect(&server);
    let ping = || script::reply(connection.exchange(&[Cmd::new("PING")]).expect("redis-server answers").remove(0));
    let error = clock::until("the script is busy", || ping().err());
    assert_eq!((error.fault, error.applied()), (Fault::Unavailable, Applied::No), "{error}");
    connection.exchange(&[["SCRIPT", "KILL"].into_iter().collect()]).expect("it is killed");
    let error = running.join().expect("it ends");
    assert_eq!((error.fault, error.applied()), (Fault::Unavailable, Applied::No), "{error}");
}
