//! Building the scripts: what is made of a right one, and what is said of a wrong one.

#[path = "../../lua/build/mod.rs"]
mod tested;

use tested::Sources;
use tested::assembler::{Assembled, assemble_all};
use tested::bindings;

const RIGHT: &str = "\
-- s: says hello.
-- @key board         the board
-- @arg limit int     how many
-- @arg name  text    who
-- @args place
-- @each event        an event
-- @field member text who
-- @field delta number what it
--                    is worth
-- @returns OK        it is done
-- @field total count how many there are
-- @fields place
-- @group row per event a row
-- @field rank count? its rank
-- @group entry       an entry
-- @field id id       whose
-- @returns SPAN      more is needed
-- @fields place
-- @include outer
-- a comment
local sum = outer(board, limit, name, x) -- kept
return events + event_fields
";

fn sources(script: &str) -> Sources {
    let functions = [
        ("inner", "-- inner: one.\nlocal function inner() return 1 end\n"),
        ("outer", "-- outer: two.\n-- @include inner\nlocal function outer() return inner() + 1 end\n"),
        ("other", "-- other: three.\nlocal function other() return 3 end\n"),
    ];
    let place = "-- place: where.\n--\n-- @field x int the first\n-- @field y text the second\n";
    Sources {
        scripts: [("s".into(), script.into())].into(),
        functions: functions.map(|(name, text)| (name.into(), text.into())).into(),
        fields: [("place".into(), place.into())].into(),
    }
}

fn assemble(sources: &Sources) -> Result<Assembled, String> {
    assemble_all(sources).map(|mut scripts| scripts.remove(0))
}

#[test]
fn a_right_script() {
    let made = assemble(&sources(RIGHT)).expect("right");
    assert_eq!(made.header.keys, ["board"]);
    let source = made.source();
    let at = |text: &str| source.find(text).unwrap_or_else(|| panic!("{text:?} is not in:\n{source}"));
    assert!(at("#KEYS ~= 1 or #ARGV < 4 or (#ARGV - 4) % 2 ~= 0") < at("local board = KEYS[1]"));
    assert!(at("local limit = tonumber(ARGV[1])") < at("local name = ARGV[2]"));
    assert!(at("local x = tonumber(ARGV[3])") < at("if not (limit and x) or 0 * (limit + x) ~= 0"));
    assert!(!source.contains("local y"), "what of a shared list is not used");
    assert!(at("local events, event_fields = 5, 2") < at("local function inner()"));
    assert!(at("local function inner()") < at("local function outer()"), "what a function needs stands before it");
    assert!(at("local function outer()") < at("local sum = outer(board, limit, name, x)"));
    assert_eq!(source.matches("local function inner()").count(), 1);
    assert!(!source.contains("local function other()"), "only what is included");
    assert!(!source.contains("a comment") && !source.contains("@key"));
}

#[test]
fn a_right_script_has_bindings() {
    let made = assemble_all(&sources(RIGHT)).expect("right");
    let rust = bindings::write(&made, |_| "sha".into()).expect("right");
    for part in [
        "pub struct PlaceFields {\n/// The first.\npub x: i64,\n/// The second.\npub y: String,\n}",
        "args: &[\"limit\", \"name\", \"x\", \"y\"], each: &[\"member\", \"delta\"]",
        "pub struct SEvent {\n/// Who.\npub member: String,\n/// What it is worth.\npub delta: Score,\n}",
        "pub board: String,\n/// How many.\npub limit: i64,\n/// Who.\npub name: String,\npub place: PlaceFields,\n/// An event.\npub events: Vec<SEvent>,\n}",
        "pub struct SReply {\n/// How many there are.\npub total: u64,\npub place: PlaceFields,\n/// A row.\npub rows: Vec<SRow>,",
        "rank: reply.optional(\"rank\", ReplyReader::count)?,",
        "rows: reply.groups_per_argument(\"row\", SRow::read)?,\nentries: reply.groups(\"entry\", 1, SEntry::read)?,",
        "pub static SCRIPTS: [&Script; 1] = [&S];",
    ] {
        assert!(rust.contains(part), "{part}\nis not in\n{rust}");
    }
    let both = RIGHT.replacen("-- @returns SPAN      more", "-- @returns BUSY      more", 1);
    let rust = bindings::write(&assemble_all(&sources(&both)).expect("right"), |_| "sha".into()).expect("right");
    assert!(rust.contains("pub enum SReply {\n/// It is done.\nOk {\n/// How many there are.\ntotal: u64,"), "{rust}");
    let only = RIGHT.replacen("-- @returns OK        it", "-- @returns SPAN        it", 1);
    let none = bindings::write(&assemble_all(&sources(&only)).expect("right"), |_| "sha".into());
    assert_eq!(none.expect_err("wrong"), "s: has no reply but SPAN");
}

/// `RIGHT` with `from` replaced by `to` must be refused with `problem`.
#[track_caller]
fn check(from: &str, to: &str, problem: &str) {
    assert!(RIGHT.contains(from), "{from:?}");
    assert_eq!(assemble(&sources(&RIGHT.replacen(from, to, 1))).expect_err("wrong"), problem);
}

#[test]
fn wrong_scripts_are_named_with_what_is_wrong() {
    check("-- s: ", "-- t: ", "s: the first line must begin \"-- s: \"");
    check("-- s: says hello.\n", "", "s: the first line must begin \"-- s: \"");
    check("-- @key board         the board\n", "", "s: the header names no @key");
    check("@returns OK        it is done", "@returns", "s: unknown or empty tag @returns");
    check("@returns OK        it is done", "@returns OK", "s: @returns OK does not say what it means");
    check("@key", "@keys", "s: unknown or empty tag @keys");
    check("limit int ", "limit integer ", "s: @arg limit must be one of text, int, number, count, flag, id");
    check("limit int ", "limit count ", "s: @arg limit must be text, int or number");
    check("limit int ", "limit int? ", "s: @arg limit must be text, int or number");
    check("limit int     how many", "limit int", "s: @arg limit does not say what it means");
    check("@args place", "@args places", "s: @args places is not in lua/fields");
    check("@fields place", "@fields places", "s: @fields places is not in lua/fields");
    check("@each event        an event", "@each event", "s: @each event does not say what it means");
    check("-- @each event        an event\n", "", "s: @field member stands before any @each or @returns");
    check("-- @each event ", "-- @fields place\n-- @each event ", "s: @fields place stands before any @returns");
    check("row per event", "row per member", "s: @group row is per member, which no @each names");
    check("row per event", "row", "s: @group row must come last");
    check("-- @field rank count? its rank\n", "", "s: the group row has no @field");
    check("-- @args place\n", "-- @arg z int what\n", "s: z is declared and never used");
    check(", name, x)", ", name)", "s: place is declared and never used");
    check("outer(board, ", "outer(", "s: board is declared and never used");
    check("limit, name, x)", "name, x)", "s: limit is declared and never used");
    check("limit, name, x)", "limit, names, x)", "s: name is declared and never used");
    check("outer(board", "outer(KEYS[1], board", "s: the body names KEYS; use the names of the header");
    check("outer(board", "outer(ARGV[1], board", "s: the body numbers ARGV; use the names of the header");
    check("return events", "return [[events]]", "s: a string goes over several lines, whose indentation would be lost");
    check("-- @include outer\n", "", "s: outer must be included if and only if it is used");
    check("-- @include outer\n", "-- @include outer other\n", "s: other must be included if and only if it is used");
    check("-- @include outer\n", "-- @include outer inner\n", "s: inner must be included if and only if it is used");
    check("return events", "return other() + events", "s: other must be included if and only if it is used");
    check("-- @include outer\n", "-- @later outer\n", "s: the body does not say where the @later functions go");
    let text = RIGHT.replace("-- @include outer\n", "-- @later outer\n") + "-- @functions\n";
    assert_eq!(assemble(&sources(&text)).expect_err("wrong"), "s: outer is used before it is there");
    let (include, body) = ("-- @include outer gone\n", "outer(gone, board");
    let text = RIGHT.replace("-- @include outer\n", include).replace("outer(board", body);
    assert_eq!(assemble(&sources(&text)).expect_err("wrong"), "s: includes gone, which is not in lua/lib");
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
        let mut sources = sources(RIGHT);
        sources.functions.insert(name.into(), text.into());
        assert_eq!(assemble(&sources).expect_err("wrong"), problem);
    }
}

#[test]
fn wrong_lists_of_fields_are_named_with_what_is_wrong() {
    for (text, problem) in [
        ("-- places: where.\n", "place: the first line must begin \"-- place: \""),
        ("-- place: where.\n-- @field x integer one\n", "place: @field x must be one of text, int, number, count, flag, id"),
        ("-- place: where.\n-- @arg x int one\n", "place: unknown or empty tag @arg"),
        ("-- place: where.\nreturn 1\n", "place: a list of fields has no code"),
        ("-- place: where.\n-- @field x flag one\n", "s: @args place must be text, int or number"),
    ] {
        let mut sources = sources(RIGHT);
        sources.fields.insert("place".into(), text.into());
        assert_eq!(assemble(&sources).expect_err("wrong"), problem);
    }
}
