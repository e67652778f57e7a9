//! Building the scripts: what is made of a right one, and what is said of a wrong one.

#[path = "../../lua/build/mod.rs"]
pub mod tested;

use tested::Sources;
use tested::assembler::{Assembled, assemble_all};
use tested::library::Library;
use tested::{bindings, functions};

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
-- a comment
local sum = outer(board, limit, name, x) -- kept: other
return events + event_fields
";

const RECORD: &str = "-- room: what is there.\n--\n-- @as x\n-- @field other int another one\n";

fn sources(script: &str) -> Sources {
    let functions = [
        ("room", "-- room: things.\n\n-- inner: one.\nlocal function inner() return 1 end\n"),
        (
            "hall",
            "-- hall: things.\n-- @use room\n\n-- inner_size: a constant.\nlocal inner_size = 1\n\n-- near: four.\n\
             local function near() return inner_size + #SIZE end\n\n-- outer: two.\n\
             local function outer(...)\n  near()\n  return inner_size + inner() + x.other\nend\n",
        ),
        ("common/pure", "-- pure: three.\n-- other: four.\nlocal function other() return SIZE end\n-- SIZE: five.\nlocal SIZE = 'inner'\n"),
    ];
    let place = "-- place: where.\n--\n-- @field x int the first\n-- @field y text the second\n";
    Sources {
        scripts: [("s".into(), script.into())].into(),
        functions: functions.map(|(name, text)| (name.into(), text.into())).into(),
        fields: [("place".into(), place.into())].into(),
        groups: [].into(),
        records: [("room".into(), RECORD.into())].into(),
    }
}

/// The scripts, and the library; where no groups are given, all modules are of one.
fn assemble_grouped(sources: &Sources) -> Result<(Vec<Assembled>, Library), String> {
    let mut sources = sources.clone();
    if sources.groups.is_empty() {
        let modules: Vec<&str> = sources.functions.keys().map(String::as_str).filter(|path| !path.contains('/')).collect();
        let group = format!("-- all: all.\n-- @modules {}\n", modules.join(", "));
        sources.groups.insert("all".into(), group);
    }
    assemble_all(&sources)
}

fn bound(sources: &Sources) -> Result<String, String> {
    let (scripts, library) = assemble_grouped(sources)?;
    bindings::write(&scripts, &library, digest)
}

fn digest(_: &str) -> String {
    "0123456789abcdef".into()
}

/// The only script.
fn assemble(sources: &Sources) -> Result<Assembled, String> {
    assemble_grouped(sources).map(|(mut scripts, _)| scripts.remove(0))
}

/// The source of the only script, and the library.
fn texts(sources: &Sources) -> (String, String) {
    let (scripts, library) = assemble_grouped(sources).expect("right");
    let source = functions::source(&scripts[0], &library).expect("right").concat();
    (source, functions::library(&scripts, &library, digest).expect("right").parts.concat())
}

#[test]
fn a_right_script() {
    let made = assemble(&sources(RIGHT)).expect("right");
    assert_eq!(made.header.keys, ["board"]);
    let at = |text: &str| made.body.find(text).unwrap_or_else(|| panic!("{text:?} is not in:\n{}", made.body));
    assert!(at("#KEYS ~= 1 or #ARGV < 4 or (#ARGV - 4) % 2 ~= 0") < at("local board = KEYS[1]"));
    assert!(at("local limit = read_number(ARGV[1])") < at("local name = ARGV[2]"));
    assert!(at("local x = read_number(ARGV[3])") < at("if not (limit and x) or 0 * (limit + x) ~= 0"));
    assert!(!made.body.contains("local y"), "what of a shared list is not used");
    assert!(at("local events, event_fields = 5, 2") < at("local sum = outer(board, limit, name, x)"));
    assert!(!made.body.contains("a comment") && !made.body.contains("@key"));
    assert_eq!(made.uses, ["outer"]);
}

/// A script by itself has what it reaches, the library has all; both in an order in which each stands after what it needs.
#[test]
fn a_script_alone_and_in_the_library() {
    let (source, library) = texts(&sources(RIGHT));
    for (text, what) in [(&source, "source"), (&library, "library")] {
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part:?} is not in the {what}:\n{text}"));
        assert!(at("local SIZE='inner'") < at("local M = {}\n"), "common ones are found by all");
        assert!(at("M.inner=inner\n") < at("do\nlocal inner=M.inner\nlocal inner_size=1\n"), "a module stands after those that it uses");
        assert!(at("local inner_size=1") < at("local function near()"), "what a function needs stands before it");
        assert!(at("return inner_size+inner()+x.other\nend\nM.outer=outer\n") < at("local outer=M.outer\nlocal function call_script("));
        assert_eq!(text.matches("local function inner()").count(), 1);
    }
    assert!(!source.contains("local function other()"), "only what is reached: {source}");
    assert!(library.contains("local function other()"));
    assert!(source.ends_with("return call_script(KEYS, ARGV)\n"));
    assert!(library.starts_with("#!lua name=eb_0123456789ab\nlocal LIBRARY = 'eb_0123456789ab'\n"));
    // What it reaches has no command that writes.
    assert!(
        library.contains("register({ function_name = LIBRARY .. '_s', callback = call_script, flags = { 'no-writes' } })"),
        "{library}"
    );
    let writing = RIGHT.replacen("return events", "redis.call('HSET', board)\nreturn events", 1);
    let (source, library) = texts(&sources(&writing));
    assert!(library.contains("register({ function_name = LIBRARY .. '_s', callback = call_script })"));
    assert!(library.contains("\nredis_call('HSET',c)\n"), "nothing is looked up in a table: {library}");
    assert!(library.contains(
        "local function globals()\nreturn redis.call, redis.error_reply, unpack\nend\nlocal redis_call, redis_error_reply, unpack\n"
    ));
    assert!(source.starts_with("local redis_call, redis_error_reply, unpack = redis.call, redis.error_reply, unpack\n"), "{source}");
}

#[test]
fn a_right_script_has_bindings() {
    let rust = bound(&sources(RIGHT)).expect("right");
    for part in [
        "pub struct PlaceFields {\n/// The first.\npub x: i64,\n/// The second.\npub y: String,\n}",
        "packed: 0, args: &[\"limit\", \"name\", \"x\", \"y\"], each: &[\"member\", \"delta\"]",
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
    let rust = bound(&sources(&both)).expect("right");
    assert!(rust.contains("pub enum SReply {\n/// It is done.\nOk {\n/// How many there are.\ntotal: u64,"), "{rust}");
    let only = RIGHT.replacen("-- @returns OK        it", "-- @returns SPAN        it", 1);
    let none = bound(&sources(&only));
    assert_eq!(none.expect_err("wrong"), "s: has no reply but SPAN");
}

/// A table holds the keys and the arguments of lists, whether the body names them or not.
#[test]
fn arguments_may_be_in_a_table() {
    let listed = RIGHT.replacen("-- @args place\n", "-- @table c place\n", 1);
    let script = listed.replacen("local sum = ", "local all = c.y\nlocal sum = ", 1);
    let assembled = assemble(&sources(&script)).expect("right");
    let source = assembled.body;
    assert!(source.contains("local c = { board = board, x = x, y = y }"), "{source}");
    let twice = listed.replacen("-- @arg limit", "-- @table d place\n-- @arg limit", 1);
    assert_eq!(assemble(&sources(&twice)).expect_err("wrong"), "s: @table c is a second table");
    let empty = RIGHT.replacen("-- @args place\n", "-- @table c\n", 1);
    assert_eq!(assemble(&sources(&empty)).expect_err("wrong"), "s: @table c names no list");
}

/// What is packed is one argument, and is read into a table before the first statement that needs it.
#[test]
fn arguments_may_be_packed() {
    let packed = RIGHT.replacen("-- @args place\n", "", 1).replacen("-- @arg limit", "-- @packed about said place\n-- @arg limit", 1);
    let script = packed.replacen(
        "local sum = outer(board, limit, name, x)",
        "local all = #about + limit\nlocal sum = outer(board, limit, name, said.x)",
        1,
    );
    let made = assemble(&sources(&script)).expect("right");
    let source = made.body;
    let at = |text: &str| source.find(text).unwrap_or_else(|| panic!("{text:?} is not in:\n{source}"));
    assert!(at("#ARGV < 3 or (#ARGV - 3) % 2 ~= 0") < at("local about = ARGV[1]"));
    assert!(at("local about = ARGV[1]") < at("local limit = read_number(ARGV[2])"));
    let unpacked = at(
        "local said = recall_packed(about)\nif not said then\nlocal x, y = string.match('\\n' .. about, '^\\n([^\\n]*)\\n([^\\n]*)$')\n",
    );
    assert!(at("x = tonumber(x)\nif not (x) or 0 * (x) ~= 0") < at("said = keep_packed(about, { x = x, y = y })\nend\n"));
    assert!(at("local all = #about + limit") < unpacked && unpacked < at("local sum = "));
    let rust = bound(&sources(&script)).expect("right");
    assert!(rust.contains("packed: 2, args: &[\"x\", \"y\", \"limit\", \"name\"]"), "{rust}");
    assert!(rust.contains("self.place.append(&mut args);\nlet mut args = vec![args.join(\"\\n\")];\n"), "{rust}");
    let late = RIGHT.replacen("-- @args place\n", "-- @packed about said place\n", 1);
    assert_eq!(assemble(&sources(&late)).expect_err("wrong"), "s: @packed about does not stand before all other arguments");
    let empty = RIGHT.replacen("-- @arg limit", "-- @packed about said\n-- @arg limit", 1);
    assert_eq!(assemble(&sources(&empty)).expect_err("wrong"), "s: @packed about names no list");
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
    check("-- @each event ", "-- @fields place\n-- @each event ", "s: @fields place stands before any @each or @returns");
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
    check("outer(board", "outer(board .. ':x'", "s: the body makes a key; name that in lib/common/keys.lua");
    check("return events", "return [[events]]", "s: a string goes over several lines, whose indentation would be lost");
    check("local sum", "local other", "s: other is a function of lua/lib; name the local otherwise");
    check("return events", "local x, other = 1\nreturn events", "s: other is a function of lua/lib; name the local otherwise");
    check("return events", "local function f(x, other) end\nreturn events", "s: other is a function of lua/lib; name the local otherwise");
    check("return events", "for i, other in x do end\nreturn events", "s: other is a function of lua/lib; name the local otherwise");
    let renamed = RIGHT.replace("@arg limit int", "@arg inner int").replace("(board, limit", "(board, inner");
    assert_eq!(assemble(&sources(&renamed)).expect_err("wrong"), "s: inner is a function of lua/lib; name the argument otherwise");
}

#[test]
fn functions_are_found_by_words() {
    let using = |code: &str| {
        let made = assemble(&sources(&RIGHT.replacen("return events", &format!("{code}\nreturn events"), 1))).expect("right");
        assert!(made.body.ends_with(&format!("{code}\nreturn events + event_fields\n")), "{}", made.body);
        made.uses.contains(&"other".to_owned())
    };
    for code in ["x = other()", "x = 1 .. other", "x = other == 1", "local y = x, other", "x{ a = other }", "if x then other() end"] {
        assert!(using(code), "{code}");
    }
    for code in [
        "x = 'other'",
        "x = \"it's \\\" other\"",
        "x = y.other",
        "x:other()",
        "x{ other = 1 }",
        "function x.other() end",
        "others()",
        "f() -- other",
    ] {
        assert!(!using(code), "{code}");
    }
}

#[test]
fn limits_of_lua_are_named() {
    let many = |count: usize, text: &str| (0..count).map(|i| text.replace('N', &i.to_string())).collect::<String>();
    let wrong = |path: &str, text: String, body: &str| {
        let mut sources = sources(&RIGHT.replacen("return events", &format!("{body}\nreturn events"), 1));
        sources.functions.insert(path.into(), text);
        bound(&sources).map(|_| ())
    };
    let names = |count| {
        let constants = many(count, "-- SN: one.\nlocal SN = N\n");
        format!("-- names: many.\n{constants}-- total: all.\nlocal function total()\n  return {}0\nend\n", many(count, "SN + "))
    };
    assert_eq!(wrong("names", names(60), "x = total()"), Ok(()));
    let problem = "names has a function that uses 61 names around it, above 60: function total()";
    assert_eq!(wrong("names", names(61), "x = total()"), Err(problem.into()));
    let locals =
        |count| format!("-- big: many.\n-- @use room\nlocal function big()\n{}  return inner()\nend\n", many(count, "  local sN = N\n"));
    assert_eq!(wrong("big", locals(200), "x = big()"), Ok(()));
    let problem = "big has a function of 201 locals, above 200: function big()";
    assert_eq!(wrong("big", locals(201), "x = big()"), Err(problem.into()));
    let message = wrong("common/big", "-- big: one.\nlocal big = 1\n".into(), &many(201, "local sN = big\n")).expect_err("too many");
    assert!(message.starts_with("s: has a function of ") && message.contains(" locals, above 200: "), "{message}");
}

/// A text with a colon behind a board or another key is a key, however it is put there; other texts may have colons.
#[test]
fn keys_are_made_in_one_module() {
    let text = |code: &str| format!("-- second: one.\nlocal function second(board, keys)\n  return {code}\nend\n");
    let made = |path: &str, code: &str| {
        let mut sources = sources(RIGHT);
        sources.functions.insert(path.into(), text(code).replace("second", path.rsplit('/').next().expect("a name")));
        bound(&sources).map(|_| ())
    };
    for code in [
        "board..\n  \":x\"",
        "board .. ':' .. c.unit",
        "string.format('%s:visitors:%d', keys[1], 3)",
        "string.format(\n    \"%s:%d\",\n    c.board,\n    c.at\n  )",
        "format('%s:x', actions_key(c.at))",
        "table.concat({ board, 'x' }, ':')",
        "table.concat({ taken_key(c.at), c.at }, c.with)",
    ] {
        let problem = made("second", code).expect_err(code);
        assert_eq!(problem, "second: makes a key; name that in lib/common/keys.lua", "{code}");
        assert_eq!(made("common/keys", code), Ok(()), "{code}");
    }
    for code in ["string.format('%s:%d', c.at, #keys)", "string.format('%d:%s', c.at, c.board)", "table.concat({ c.at, #board }, ':')"] {
        assert_eq!(made("second", code), Ok(()), "{code}");
    }
}

#[test]
fn wrong_functions_are_named_with_what_is_wrong() {
    let long = format!("-- second: one.\n{}", "-- more\n".repeat(250));
    for (path, text, problem) in [
        ("second", "-- third: one.\nlocal function more() end\n", "second: the first line must begin \"-- second: \""),
        ("second", "-- second: one.\nlocal function more() end\n", "second: no comment says what more is: -- more: …"),
        ("second", "-- second: one.\nlocal function second() inner() end\n", "second: must say -- @use room"),
        ("second", "-- second: one.\n-- @use hall, room\nlocal function second() inner() end\n", "second: must say -- @use room"),
        (
            "second",
            "-- second: one.\n-- @use third\nlocal function second() end\n-- other_one: two.\nlocal function other_one() second() other_two() end\n-- other_two: two.\nlocal function other_two() other_one() end\n",
            "second: must say -- @use ",
        ),
        (
            "second",
            "-- second: one.\nlocal function second() third() end\n-- third: two.\nlocal function third() second() end\n",
            "second: uses itself by second, third",
        ),
        ("room", "-- room: things.\n-- @use hall\n-- inner: one.\nlocal function inner() outer() end\n", "hall: uses itself by hall, room"),
        (
            "common/pure",
            "-- pure: three.\n-- other: one.\nlocal function other() inner() end\n",
            "common: other uses inner of room; it must lie in a module itself",
        ),
        (
            "room",
            "-- room: things.\n-- inner: one.\nlocal function inner(outer) end\n",
            "room: outer is a function of lua/lib; name the local otherwise",
        ),
        ("second", "-- second: one.\n-- inner: one.\nlocal function inner() end\n", "second: inner is defined in room too"),
        (
            "second",
            "-- second: one.\nlocal function second() return ARGV end\n",
            "second: second uses ARGV of a call; take it as a parameter",
        ),
        ("common/pure", "-- pure: three.\nreturn 3\n", "pure: code outside of a function: return 3"),
        ("common/pure", "-- pure: three.\n-- other: one.\nlocal other = 3\nother()\n", "pure: code outside of a function: other()"),
        ("second", &long, "second: has more than 250 lines"),
    ] {
        let mut sources = sources(RIGHT);
        sources.functions.insert(path.into(), text.into());
        assert_eq!(bound(&sources).expect_err("wrong"), problem);
    }
}

/// It counts whoever uses a function, a module or a script, and each function once.
#[test]
fn a_module_answers_few_functions() {
    let many = |range: std::ops::Range<usize>, text: &str| range.map(|i| text.replace('N', &i.to_string())).collect::<String>();
    let second = format!("-- second: one.\n{}", many(0..14, "-- fN: one.\nlocal function fN() end\n"));
    let built = |of_module: std::ops::Range<usize>, of_script: std::ops::Range<usize>| {
        let script = RIGHT.replacen("return events", &format!("{}return events", many(of_script, "fN()\n")), 1);
        let mut sources = sources(&script);
        let third = format!("-- third: one.\n-- @use second\n-- g: one.\nlocal function g() {}end\n", many(of_module, "fN() "));
        sources.functions.extend([("second".into(), second.clone()), ("third".into(), third)]);
        assemble(&sources).map(|_| ())
    };
    assert_eq!(built(0..12, 0..12), Ok(()));
    for (of_module, of_script) in [(0..13, 0..0), (0..1, 0..13), (0..12, 11..13)] {
        let problem = built(of_module, of_script).expect_err("thirteen");
        assert_eq!(problem, "second: others use 13 of its functions, above 12");
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

#[test]
fn wrong_records_are_named_with_what_is_wrong() {
    for (text, problem) in [
        ("-- rooms: what is there.\n", "room: the first line must begin \"-- room: \""),
        ("-- room: what is there.\nreturn 1\n", "room: a list of fields has no code"),
        ("-- room: what is there.\n-- @as x\n-- @field other int\n", "room: \"other int\" must be a name, a type and what it means"),
        ("-- room: what is there.\n-- @as x\n-- @field more int one\n", "hall: x.other is listed by no record of lua/records"),
        (&format!("{RECORD}-- @field more int one\n"), "records/room: no code names x.more"),
        (&format!("{RECORD}-- @field other int one\n"), "room: x.other is listed in room too"),
    ] {
        let mut sources = sources(RIGHT);
        sources.records.insert("room".into(), text.into());
        assert_eq!(assemble(&sources).expect_err("wrong"), problem);
    }
    let mut sources = sources(&RIGHT.replace("return events", "return y.other, y.more + events"));
    sources.records.insert("more".into(), "-- more: more.\n-- @as x y\n-- @field more int one of both\n".into());
    assert_eq!(assemble(&sources).expect_err("wrong"), "s: y.other is listed by no record of lua/records");
}

/// The hall uses the room.
#[test]
fn groups_of_modules_know_what_they_say() {
    for (public, private, problem) in [
        ("@modules hall\n-- @knows private", "@modules room", None),
        ("@modules hall, room", "@knows public", None),
        ("@modules room", "@modules hall\n-- @knows public", None),
        ("@modules hall", "@modules room\n-- @knows public", Some("hall: is of public, which must not know room of private")),
        ("@modules hall", "", Some("room: is of no group of lua/groups")),
        ("@modules hall, room", "@modules room", Some("room: is of two groups, private and public")),
        ("@modules hall, room", "@modules cellar", Some("groups/private: there is no module cellar")),
        ("@modules hall, room", "@knows cellar", Some("private: there is no group cellar")),
    ] {
        let mut sources = sources(RIGHT);
        for (name, text) in [("public", public), ("private", private)] {
            sources.groups.insert(name.into(), format!("-- {name}: some.\n-- {text}\n"));
        }
        assert_eq!(assemble(&sources).err().as_deref(), problem, "{public} {private}");
    }
}

#[test]
fn tables_that_pass_between_modules_have_records() {
    for (hall, room, problem) in [
        ("return x.other", "return 1", None),
        ("return x.other + y.one", "return 1", None),
        ("return x.other + y.one", "return y.two", Some("room: y.two and fields in hall are listed by no record of lua/records")),
        ("return x.other + math.pi", "return math.huge", None),
        ("return x.other + z.one", "return 1", Some("hall: z.one is a field of a parameter; list it in a record of lua/records")),
        ("local x = { other = f({ a = 1 }), b = { c = 2 } }", "return 1", Some("hall: x.b is listed by no record of lua/records")),
        ("local x = { other = f({ a = 1 }) }", "return 1", None),
    ] {
        let mut sources = sources(RIGHT);
        let outer = format!("-- hall: things.\n\n-- outer: two.\nlocal function outer(z, ...)\n  {hall}\nend\n");
        sources.functions.insert("hall".into(), outer);
        sources.functions.insert("room".into(), format!("-- room: things.\n\n-- inner: one.\nlocal function inner()\n  {room}\nend\n"));
        assert_eq!(assemble(&sources).err().as_deref(), problem, "{hall}");
    }
}

#[test]
fn a_table_goes_to_a_third_of_the_modules() {
    let mut sources = sources(RIGHT);
    for name in ["second", "third"] {
        let text = format!("-- {name}: one.\n\n-- of_{name}: two.\nlocal function of_{name}(x) return x.other end\n");
        sources.functions.insert(name.into(), text);
    }
    assert_eq!(assemble(&sources).map(|_| ()), Ok(()), "two of five");
    let hall = sources.functions["hall"].replace("outer(...)", "outer(x, ...)");
    sources.functions.insert("hall".into(), hall);
    assert_eq!(assemble(&sources).expect_err("three"), "x: goes to 3 of 5 modules, above 2");
}

#[test]
fn spaces_that_only_readers_need_are_dropped() {
    use tested::text::squeeze;

    for (code, squeezed) in [
        ("local a, b = { 1, 2 }, f(x) + 1\n", "local a,b={1,2},f(x)+1\n"),
        ("if not (a == 'b = c') then return -x - -1 end\n", "if not(a=='b = c')then return -x - -1 end\n"),
        ("s = 1 .. \" , \\\" , \" .. 'x'\n", "s=1 .. \" , \\\" , \" .. 'x'\n"),
    ] {
        assert_eq!(squeeze(code), squeezed);
    }
}

#[test]
fn locals_of_functions_get_short_names() {
    use tested::shorten::shorten;

    let code = "local function name_of(first, second)\nlocal key, other = { first = first, { second } }, c.first\nkey.other, key = 'first', other .. second\n\
                for other, first in ipairs(key) do other = first end\nreturn key, name_of, redis.call(first), a\nend\n";
    let short = "local function name_of(b,d)\nlocal e,f={first=b,{d}},c.first\ne.other,e='first',f .. d\n\
                 for f,b in ipairs(e)do f=b end\nreturn e,name_of,redis.call(b),a\nend\n";
    assert_eq!(shorten(code), short);
    assert_eq!(shorten("local board = KEYS[1]\n"), "local board=KEYS[1]\n", "others use it");
}
