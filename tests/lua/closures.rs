//! How many functions a call makes: every call of a script makes its functions anew, and the usual ones need few.

use edgeboard::adapter::{Cmd, Script, Value};
use edgeboard::store::scripts::LIBRARY;

use crate::assembler::tested::limits::functions;
use crate::assembler::tested::words::words;
use crate::call::{Call, NOON_MS, NOON_S, connect};
use crate::support::{Connection, Server};

/// A script that counts the functions that it makes, and answers their number with its reply.
fn counting(script: &Script) -> String {
    let source = script.source();
    let words = words(&source);
    let mut inserts: Vec<(usize, &str)> = Vec::new();
    for function in functions(&words) {
        let at = words.iter().position(|(at, ..)| *at == function.start).expect("a function begins with a word");
        if source[function.start..].starts_with("function(") {
            inserts.extend([(function.start, "made("), (function.end, ")")]);
        } else if at > 0 && words[at - 1].1 == "local" {
            inserts.push((words[at - 1].0, "made() "));
        } else {
            inserts.push((function.start, "made() "));
        }
    }
    inserts.sort_by_key(|(at, _)| *at);
    let mut out = "local closures = 0\nlocal function made(f) closures = closures + 1 return f end\nlocal function script()\n".to_owned();
    let mut done = 0;
    for (at, text) in inserts {
        out.push_str(&source[done..at]);
        out.push_str(text);
        done = at;
    }
    out + &source[done..] + "end\nlocal reply = script()\nreturn { closures, reply }"
}

/// The functions that a call makes, which must succeed.
#[track_caller]
fn closures(connection: &Connection, call: &Call) -> i64 {
    let mut eval = Cmd::new("EVAL");
    eval.arg(counting(call.script())).arg(call.keys.len().to_string()).args(&call.keys).args(call.arguments());
    match connection.exchange(&[eval]).expect("redis-server answers").as_slice() {
        [Value::Array(said)] => match said.as_slice() {
            [Value::Int(made), Value::BulkString(_)] => *made,
            [Value::Int(made), Value::Array(reply)] if reply.first() == Some(&Value::BulkString(b"OK".to_vec())) => *made,
            other => panic!("{} answered {other:?}", call.script().name),
        },
        other => panic!("{} answered {other:?}", call.script().name),
    }
}

#[test]
fn every_function_is_counted() {
    static SCRIPT: Script = Script {
        name: "s",
        library: &LIBRARY,
        function: "",
        reads: false,
        sha1: "",
        parts: &[
            "local f = nil and function() end\nlocal function g() return function(x) return x end, 1 end\nlocal t = {}\nfunction t.h() end\ng()(g())\n\
            for i = 1, 3 do t[i] = function() end end\nreturn { 'OK' }\n",
        ],
        keys: &["board"],
        packed: 0,
        args: &[],
        each: &[],
    };
    let server = Server::start_at(NOON_MS);
    let call = Call { script: &SCRIPT, ..Call::top("UTC", NOON_S, "d") };
    assert_eq!(closures(&connect(&server), &call), 7);
}

/// An event of now whose call has more to do, such as a new plan, counts once on a half-life all the same.
#[test]
fn an_event_of_now_fades_once() {
    const LIFE_MS: i64 = 21_600_000;
    let kept = Call::record("UTC", NOON_S);
    let alone = kept.clone().set("units", "").set("retention", "");
    for call in [kept, alone] {
        let server = Server::start_at(NOON_MS);
        let connection = connect(&server);
        for i in 0..130 {
            server.clock.set(NOON_MS + i);
            call.clone().set("decaying", "hot:half-life:-:21600000:0").tracked(["a", "1", "", "", ""]).send(&connection);
        }
        let number = NOON_MS.div_euclid(512 * LIFE_MS);
        let sum: f64 = server.text(&["ZSCORE", &format!("eb:{{site:board}}:window:hot:{number}"), "a"]).parse().expect("a score");
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of a few years")]
        let worth = 2_f64.powf((NOON_MS - number * 512 * LIFE_MS) as f64 / LIFE_MS as f64);
        assert!((sum / worth - 130.0).abs() < 0.01, "{}", sum / worth);
    }
}

/// What the usual calls make at most.
#[test]
fn usual_calls_make_few() {
    let server = Server::start_at(NOON_MS + 1_800_000);
    let connection = connect(&server);
    let plain = || Call::record("UTC", NOON_S).set("batch_id", "b");
    let windows = || plain().set("rolling", "last-7-days:d:7").set("decaying", "hot:half-life:-:21600000:0");
    let view = ["a", "1", "900", "", ""];
    let like = ["a", "2", "900", "", "like:r:-:liked-a:actor:u"];
    let batch = |call: Call, count: usize| (0..count).fold(call, |call, i| call.tracked([&format!("m{}", i % 40), "1", "900", "", ""]));
    for (what, call, most) in [
        ("a view of calendar windows", plain().tracked(view), 8),
        ("a view", windows().tracked(view), 8),
        ("a batch", batch(windows(), 100), 93),
        // Each of another actor.
        ("a like", windows().tracked(like), 139),
        ("a day's top", Call::top("UTC", NOON_S, "d"), 59),
    ] {
        // The first call makes keys, and the second one a plan, which is not usual.
        let other = |id: &str| {
            let mut call = if call.args.contains_key("batch_id") { call.clone().set("batch_id", id) } else { call.clone() };
            for tracked in call.rest.iter_mut().filter(|text| text.contains(":actor:")) {
                tracked.push_str(id);
            }
            call
        };
        other("first").send(&connection);
        other("second").send(&connection);
        // In one millisecond of 64 a call also looks whether the ids are full, which is not usual either.
        let [third, fourth, fifth] = ["third", "fourth", "fifth"].map(|id| closures(&connection, &other(id)));
        let made = third.min(fourth).min(fifth);
        assert!(made <= most, "{what} makes {made} functions");
        server.command(&["FLUSHALL"]);
    }
}
