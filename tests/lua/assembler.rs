//! The assembler's own tests: what it makes of a script, and what it says of a wrong one.

use std::collections::BTreeMap;

#[path = "../../lua/assembler.rs"]
mod tested;

use tested::assemble;

const RIGHT: &str = "\
-- s: says hello.
-- @key board        the board
-- @arg limit number how many
-- @arg name  text   who
-- @each event       member, delta: what
-- @returns OK
-- @include outer
-- a comment
local sum = outer(board, limit, name) -- kept
return events + event_fields
";

fn lib() -> BTreeMap<String, String> {
    let functions = [
        ("inner", "-- inner: one.\nlocal function inner() return 1 end\n"),
        ("outer", "-- outer: two.\n-- @include inner\nlocal function outer() return inner() + 1 end\n"),
        ("other", "-- other: three.\nlocal function other() return 3 end\n"),
    ];
    functions.map(|(name, text)| (name.into(), text.into())).into()
}

#[test]
fn a_right_script() {
    let made = assemble("s", RIGHT, &lib()).expect("right");
    assert_eq!(made.keys, ["board"]);
    assert_eq!(made.args, ["limit", "name"]);
    assert_eq!(made.each, ["member", "delta"]);
    let source = made.source();
    let at = |text: &str| source.find(text).unwrap_or_else(|| panic!("{text:?} is not in:\n{source}"));
    assert!(at("#KEYS ~= 1 or #ARGV < 2 or (#ARGV - 2) % 2 ~= 0") < at("local board = KEYS[1]"));
    assert!(at("local limit = tonumber(ARGV[1])") < at("local name = ARGV[2]"));
    assert!(at("local events, event_fields = 3, 2") < at("local function inner()"));
    assert!(at("local function inner()") < at("local function outer()"), "what a function needs stands before it");
    assert!(at("local function outer()") < at("local sum = outer(board, limit, name)"));
    assert_eq!(source.matches("local function inner()").count(), 1);
    assert!(!source.contains("local function other()"), "only what is included");
    assert!(!source.contains("a comment") && !source.contains("@key"));
}

/// `RIGHT` with `from` replaced by `to` must be refused with `problem`.
#[track_caller]
fn check(from: &str, to: &str, problem: &str) {
    assert!(RIGHT.contains(from), "{from:?}");
    assert_eq!(assemble("s", &RIGHT.replacen(from, to, 1), &lib()).expect_err("wrong"), problem);
}

#[test]
fn wrong_scripts_are_named_with_what_is_wrong() {
    check("-- s: ", "-- t: ", "s: the first line must begin \"-- s: \"");
    check("-- s: says hello.\n", "", "s: the first line must begin \"-- s: \"");
    check("-- @key board        the board\n", "", "s: the header names no @key");
    check("-- @returns OK\n", "", "s: the header has no @returns");
    check("@returns OK", "@returns", "s: unknown or empty tag @returns");
    check("@key", "@keys", "s: unknown or empty tag @keys");
    check("limit number", "limit integer", "s: @arg limit must be text or number");
    check("member, delta: what", "member, delta", "s: @each event must read \"field, field: …\"");
    check("outer(board, ", "outer(", "s: board is declared and never used");
    check("limit, name)", "name)", "s: limit is declared and never used");
    check("limit, name)", "limit, names)", "s: name is declared and never used");
    check("outer(board", "outer(KEYS[1], board", "s: the body names KEYS; use the names of the header");
    check("outer(board", "outer(ARGV[1], board", "s: the body numbers ARGV; use the names of the header");
    check("return events", "return [[events]]", "s: a string goes over several lines, whose indentation would be lost");
    check("-- @include outer\n", "", "s: outer must be included if and only if it is used");
    check("-- @include outer\n", "-- @include outer other\n", "s: other must be included if and only if it is used");
    check("-- @include outer\n", "-- @include outer inner\n", "s: inner must be included if and only if it is used");
    check("return events", "return other() + events", "s: other must be included if and only if it is used");
    check("-- @include outer\n", "-- @later outer\n", "s: the body does not say where the @later functions go");
    let text = RIGHT.replace("-- @include outer\n", "-- @later outer\n") + "-- @functions\n";
    assert_eq!(assemble("s", &text, &lib()).expect_err("wrong"), "s: outer is used before it is there");
    let (include, body) = ("-- @include outer gone\n", "outer(gone, board");
    let text = RIGHT.replace("-- @include outer\n", include).replace("outer(board", body);
    assert_eq!(assemble("s", &text, &lib()).expect_err("wrong"), "s: includes gone, which is not in lua/lib");
}

#[test]
fn wrong_functions_are_named_with_what_is_wrong() {
    for (name, text, problem) in [
        ("outer", "-- outer: two.\nlocal function outer() return inner() end\n", "outer: inner must be included if and only if it is used"),
        (
            "outer",
            "-- outer: two.\n-- @include inner other\nlocal function outer() return inner() end\n",
            "outer: other must be included if and only if it is used",
        ),
        ("outer", "-- outer: two.\nlocal function outr() end\n", "outer: must define the local function outer"),
        ("inner", "-- inside: one.\nlocal function inner() end\n", "inner: the first line must begin \"-- inner: \""),
    ] {
        let mut lib = lib();
        lib.insert(name.into(), text.into());
        assert_eq!(assemble("s", RIGHT, &lib).expect_err("wrong"), problem);
    }
}
