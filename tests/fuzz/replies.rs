//! Replies of Redis: RESP in any pieces, and Upstash's JSON.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use engine::adapter::resp::{Decoder, Request};
use engine::adapter::{Cmd, Error, Mode, Value, rest};
use serde_json::{Value as Json, json};

use crate::mutation::mutate;
use crate::random::Random;
use crate::redis;
use crate::target::run;

/// As many commands as are asked for with an input.
const MAX_WANTED: usize = 4;

#[test]
fn resp() {
    let saved = run("resp", make_resp, mutate, check_resp);
    for outcome in ["malformed", "unfinished", "whole"] {
        assert!(saved.keys().any(|found| found.starts_with(outcome)), "no saved reply is {outcome}");
    }
}

fn make_resp(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..=random.below(MAX_WANTED) {
        let reply = redis::value(random, 3);
        write(random, &reply, &mut bytes);
    }
    bytes
}

/// As Redis writes it, or nearly: a length may lie.
fn write(random: &mut Random, value: &Value, bytes: &mut Vec<u8>) {
    let mut length = |true_one: usize| if random.once_in(40) { random.whole().to_string() } else { true_one.to_string() };
    match value {
        Value::Nil => bytes.extend_from_slice(if length(0) == "0" { b"$-1\r\n" } else { b"*-1\r\n" }),
        Value::Int(number) => bytes.extend(format!(":{number}\r\n").bytes()),
        Value::SimpleString(text) => bytes.extend(format!("+{text}\r\n").bytes()),
        Value::Okay => bytes.extend(b"+OK\r\n"),
        Value::ServerError(error) => bytes.extend(format!("-{} {}\r\n", error.code(), error.detail()).bytes()),
        Value::BulkString(text) => {
            bytes.extend(format!("${}\r\n", length(text.len())).bytes());
            bytes.extend_from_slice(text);
            bytes.extend(b"\r\n");
        }
        Value::Array(items) => {
            bytes.extend(format!("*{}\r\n", length(items.len())).bytes());
            for item in items {
                write(random, item, bytes);
            }
        }
        Value::Missing(_) => unreachable!("no server writes it"),
    }
}

/// 1. What is read does not depend on how the bytes are cut.
/// 2. So many replies are read as were asked for.
/// 3. What they mean for a transaction is found out, whatever they are.
fn check_resp(input: &[u8]) -> String {
    let mut random = Random::of(input);
    let wanted = 1 + random.below(MAX_WANTED);
    let read = |pieces: &mut dyn Iterator<Item = &[u8]>| {
        let mut decoder = Decoder::new(wanted);
        for piece in pieces {
            match decoder.push(piece) {
                Ok(None) => {}
                end => return end,
            }
        }
        drop(decoder.handshake_refusal());
        Ok(None)
    };
    let whole = read(&mut std::iter::once(input));
    let size = 1 + random.below(input.len().clamp(1, 64));
    assert_eq!(read(&mut input.chunks(size)), whole, "in pieces of {size}");
    let replies = match whole {
        Err(_) => return "malformed".into(),
        Ok(None) => return "unfinished".into(),
        Ok(Some(replies)) => replies,
    };
    assert_eq!(replies.len(), wanted);
    let last = replies.last().map_or("nothing", kind);
    let commands: Vec<Cmd> = (2..wanted).map(|_| Cmd::new("PING")).collect();
    let request = Request::new(&commands, Mode::Transaction);
    if request.sent().count() == wanted {
        let answers = request.answers(replies);
        assert!(answers.is_err() || answers.is_ok_and(|answers| answers.len() == commands.len()));
    }
    format!("whole, at last {last}")
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Nil => "nil",
        Value::Int(_) => "int",
        Value::BulkString(_) => "text",
        Value::SimpleString(_) => "line",
        Value::Okay => "ok",
        Value::Array(_) => "list",
        Value::ServerError(_) => "error",
        Value::Missing(_) => unreachable!("no server writes it"),
    }
}

#[test]
fn rest() {
    let saved = run("rest", make_rest, mutate, check_rest);
    for outcome in ["read", "unauthorized", "unavailable", "gateway", "malformed", "refused"] {
        assert!(saved.keys().any(|found| found.ends_with(outcome)), "no saved answer is {outcome}");
    }
}

/// The status, and what follows it.
fn make_rest(random: &mut Random) -> Vec<u8> {
    let status = *random.pick(&[200, 200, 200, 200, 400, 401, 403, 404, 429, 500, 502, 503]);
    let answer = |random: &mut Random| match random.below(6) {
        0 => json!({ "error": random.text() }),
        1 => json!({ "error": "WRONGTYPE Operation against a key holding the wrong kind of value" }),
        2 => random.json(2),
        _ => {
            let value = redis::value(random, 2);
            json!({ "result": as_json(&value) })
        }
    };
    let body = match random.below(3) {
        0 => answer(random),
        _ => (0..random.below(MAX_WANTED + 1)).map(|_| answer(random)).collect(),
    };
    format!("{status} {body}").into_bytes()
}

fn as_json(value: &Value) -> Json {
    match value {
        Value::Nil => Json::Null,
        Value::Int(number) => json!(number),
        Value::Okay => json!("OK"),
        Value::SimpleString(text) => json!(STANDARD.encode(text)),
        Value::BulkString(bytes) => json!(STANDARD.encode(bytes)),
        Value::ServerError(error) => json!({ "error": format!("{} {}", error.code(), error.detail()) }),
        Value::Array(items) => items.iter().map(as_json).collect(),
        Value::Missing(_) => unreachable!("no server writes it"),
    }
}

/// So many replies as commands, or an error that is of some kind.
fn check_rest(input: &[u8]) -> String {
    let at = input.iter().position(|byte| *byte == b' ').unwrap_or(0);
    let status = std::str::from_utf8(&input[..at]).ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    let mut outcomes: Vec<&str> = Vec::new();
    for count in 1..=MAX_WANTED {
        match rest::decode(count, status, &input[at..]) {
            Ok(replies) => {
                assert_eq!(replies.len(), count);
                outcomes.push("read");
            }
            Err(Error { fault, .. }) => outcomes.push(fault.label()),
        }
    }
    outcomes.dedup();
    outcomes.join(" ")
}
