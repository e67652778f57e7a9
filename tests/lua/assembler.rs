//! Building the scripts: what is made of a right one, and what is said of a wrong one.

#[path = "../../lua/build/mod.rs"]
pub mod tested;

use tested::Sources;
use tested::assembler::{Assembled, assemble_all};
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

fn sources(script: &str) -> Sources {
    let functions = [
        ("room/inner", "-- inner: one.\nlocal function inner() return 1 end\n"),
        ("hall/inner_size", "-- inner_size: a constant.\nlocal inner_size = 1\n"),
        ("hall/near", "-- near: four.\nlocal function near() return inner_size + #SIZE end\n"),
        ("hall/outer", "-- outer: two.\nlocal function outer(...)\n  near()\n  return inner_size + inner() + x.other\nend\n"),
        ("pure", "-- pure: three.\nlocal function other() return SIZE end\nlocal SIZE = 'inner'\n"),
    ];
    let place = "-- place: where.\n--\n-- @field x int the first\n-- @field y text the second\n";
    Sources {
        scripts: [("s".into(), script.into())].into(),
        functions: functions.map(|(name, text)| (name.into(), text.into())).into(),
        fields: [("place".into(), place.into())].into(),
    }
}

fn bound(sources: &Sources) -> Result<String, String> {
    let (scripts, library) = assemble_all(sources)?;
    let digest = |_: &str| "0123456789abcdef".to_owned();
    bindings::write(&scripts, &functions::write(&scripts, &library, digest)?, digest)
}

fn assemble(sources: &Sources) -> Result<Assembled, String> {
    assemble_all(sources).map(|(mut scripts, _)| scripts.remove(0))
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
    assert!(at("local events, event_fields = 5, 2") < at("local hall_room, room_room\n"));
    assert!(at("local hall_room, room_room\n") < at("function hall_room()\nif functions then return functions end\n"));
    assert!(at("return inner_size + room_room().inner() + x.other") < at("functions = { outer = outer }\nreturn functions\n"));
    assert!(at("function room_room()") < at("local sum = hall_room().outer(board, limit, name, x)"));
    assert!(at("local inner_size = 1") < at("local function near()"), "what a function needs stands before it");
    assert_eq!(source.matches("local function inner()").count(), 1);
    assert!(!source.contains("local function other()"), "only what is used");
    assert!(!source.contains("a comment") && !source.contains("@key"));
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
    let source = assembled.source();
    assert!(source.contains("local c = { board = board, x = x, y = y }"), "{source}");
    let twice = listed.replacen("-- @arg limit", "-- @table d place\n-- @arg limit", 1);
    assert_eq!(assemble(&sources(&twice)).expect_err("wrong"), "s: @table c is a second table");
    let empty = RIGHT.replacen("-- @args place\n", "-- @table c\n", 1);
    assert_eq!(assemble(&sources(&empty)).expect_err("wrong"), "s: @table c names no list");
}

/// What is packed is one argument, and is read before the first statement that needs a line of it.
#[test]
fn arguments_may_be_packed() {
    let packed = RIGHT.replacen("-- @args place\n", "", 1).replacen("-- @arg limit", "-- @packed about place\n-- @arg limit", 1);
    let script = packed.replacen("local sum = ", "local all = #about + limit\nlocal sum = ", 1);
    let made = assemble(&sources(&script)).expect("right");
    let source = made.source();
    let at = |text: &str| source.find(text).unwrap_or_else(|| panic!("{text:?} is not in:\n{source}"));
    assert!(at("#ARGV < 3 or (#ARGV - 3) % 2 ~= 0") < at("local about = ARGV[1]"));
    assert!(at("local about = ARGV[1]") < at("local limit = tonumber(ARGV[2])"));
    let unpacked = at("local x = string.match('\\n' .. about, '^\\n([^\\n]*)\\n[^\\n]*$')\nx = tonumber(x)\nif not (x) or 0 * (x) ~= 0");
    assert!(at("local all = #about + limit") < unpacked && unpacked < at("local sum = "));
    let rust = bound(&sources(&script)).expect("right");
    assert!(rust.contains("packed: 2, args: &[\"x\", \"y\", \"limit\", \"name\"]"), "{rust}");
    assert!(rust.contains("self.place.append(&mut args);\nlet mut args = vec![args.join(\"\\n\")];\n"), "{rust}");
    let late = RIGHT.replacen("-- @args place\n", "-- @packed about place\n", 1);
    assert_eq!(assemble(&sources(&late)).expect_err("wrong"), "s: @packed about does not stand before all other arguments");
    let empty = RIGHT.replacen("-- @arg limit", "-- @packed about\n-- @arg limit", 1);
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
        let source = assemble(&sources(&RIGHT.replacen("return events", &format!("{code}\nreturn events"), 1))).expect("right").source();
        assert!(source.ends_with(&format!("{code}\nreturn events + event_fields\n")), "{source}");
        source.contains("local function other()")
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
    let source = assemble(&sources(&RIGHT.replacen("return events", "x = other\nreturn events", 1))).expect("right").source();
    assert!(
        source.contains("local SIZE = 'inner'\nlocal function other() return SIZE end\nlocal hall_room, "),
        "before the script's code: {source}"
    );
    assert_eq!(source.matches("local SIZE").count(), 1, "a room finds it there");
    let source = assemble(&sources(RIGHT)).expect("right").source();
    assert!(source.contains("local SIZE = 'inner'\nlocal function near()"), "a room has a copy: {source}");
}

/// Rooms stand before the first statement of the script's own that may need them.
#[test]
fn what_needs_no_room_stands_before_it() {
    let first = |code: &str| {
        let source = assemble(&sources(&RIGHT.replacen("local sum", &format!("{code}\nlocal sum"), 1))).expect("right").source();
        let at = |text: &str| source.find(text).unwrap_or_else(|| panic!("{text:?} is not in:\n{source}"));
        (at("function room_room()") < at("x = 0"), at("function hall_room()") < at("x = 0"))
    };
    assert_eq!(first("x = 0"), (false, false));
    assert_eq!(first("if y then\n  x = 0\nelse\n  inner()\nend"), (true, false));
    assert_eq!(first("local z =\n  inner()\nx = 0"), (true, false));
    assert_eq!(first("x = 0\ninner()"), (false, false));
    assert_eq!(first("local function f()\n  outer()\nend\nx = 0"), (true, true));
}

#[test]
fn limits_of_lua_are_named() {
    let many = |count: usize, text: &str| (0..count).map(|i| text.replace('N', &i.to_string())).collect::<String>();
    let wrong = |path: &str, text: String, body: &str| {
        let mut sources = sources(&RIGHT.replacen("return events", &format!("{body}\nreturn events"), 1));
        sources.functions.insert(path.into(), text);
        assemble(&sources).map(|_| ())
    };
    let sizes = |count| {
        format!("-- sizes: many.\n{}local function total()\n  return {}0\nend\n", many(count, "local SN = N\n"), many(count, "SN + "))
    };
    assert_eq!(wrong("sizes", sizes(60), "x = total()"), Ok(()));
    let problem = "s: has a function that uses 61 names around it, above 60: function total()";
    assert_eq!(wrong("sizes", sizes(61), "x = total()"), Err(problem.into()));
    let locals = |count| format!("-- big: many.\nlocal function big()\n{}  return inner()\nend\n", many(count, "  local sN = N\n"));
    assert_eq!(wrong("hall/big", locals(200), "x = big()"), Ok(()));
    let problem = "s: the room hall has a function of 201 locals, above 200: function big()";
    assert_eq!(wrong("hall/big", locals(201), "x = big()"), Err(problem.into()));
    let said = wrong("big", "-- big: one.\nlocal big = 1\n".into(), &many(201, "local sN = big\n")).expect_err("too many");
    assert!(said.starts_with("s: has a function of ") && said.contains(" locals, above 200: "), "{said}");
}

#[test]
fn wrong_functions_are_named_with_what_is_wrong() {
    for (path, text, problem) in [
        ("hall/outer", "-- outer: two.\nlocal function outr() end\n", "outer: must define the local function outer and nothing else"),
        (
            "hall/outer",
            "-- outer: two.\nlocal function outer() end\nlocal function more() end\n",
            "outer: must define the local function outer and nothing else",
        ),
        ("room/inner", "-- inside: one.\nlocal function inner() end\n", "inner: the first line must begin \"-- inner: \""),
        ("hall/near", "-- near: one.\nlocal function near() outer() end\n", "outer: uses itself by outer, near"),
        (
            "room/inner",
            "-- inner: one.\nlocal function inner(hall_room) end\n",
            "inner: hall_room is a room of lua/lib; name the local otherwise",
        ),
        ("pure", "-- pure: three.\nlocal function other() inner() end\n", "pure: other uses inner of a room; it must lie in a room itself"),
        (
            "hall/inner_size",
            "-- inner_size: one.\nlocal inner_size = inner()\n",
            "inner_size: a constant of hall uses inner of another room",
        ),
        (
            "room/inner",
            "-- inner: one.\nlocal function inner(outer) end\n",
            "inner: outer is a function of lua/lib; name the local otherwise",
        ),
        ("second", "-- second: one.\nlocal function inner() end\n", "second: inner is defined in inner too"),
        ("pure", "-- pure: three.\nreturn 3\n", "pure: code outside of a function: return 3"),
        ("pure", "-- pure: three.\nlocal other = 3\nother()\n", "pure: code outside of a function: other()"),
    ] {
        let mut sources = sources(RIGHT);
        sources.functions.insert(path.into(), text.into());
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

#[test]
fn spaces_that_only_readers_need_are_left_out() {
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
