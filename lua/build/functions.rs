//! One library of functions for Redis: every script as a function, and what scripts share once.
//!
//! Redis keeps a library, so nothing of it is made anew at a call. While Redis loads one there are no commands, and only the functions of
//! Lua's base. So the other globals are bound at the first call.
//!
//! A room of lua/lib is a block whose functions find each other as locals, and a table of those that others use.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::assembler::Assembled;
use super::library::{Library, room_function};
use super::limits;
use super::shorten::shorten;

/// Globals that are not there while Redis loads a library.
const LATE: [&str; 6] = ["redis", "string", "math", "table", "cjson", "unpack"];

/// Commands of scripts that write.
const WRITES: [&str; 26] = [
    "COPY",
    "DECRBY",
    "DEL",
    "EXPIRE",
    "EXPIREAT",
    "HDEL",
    "HINCRBY",
    "HSET",
    "INCRBY",
    "PERSIST",
    "RENAME",
    "SADD",
    "SET",
    "SREM",
    "UNLINK",
    "XADD",
    "XDEL",
    "XTRIM",
    "ZADD",
    "ZINCRBY",
    "ZPOPMAX",
    "ZRANGESTORE",
    "ZREM",
    "ZREMRANGEBYRANK",
    "ZREMRANGEBYSCORE",
    "ZUNIONSTORE",
];

/// The name by which Redis knows a library and the functions of it begin with.
pub const PREFIX: &str = "eb_";

/// A library: its functions are `eb_<digest>_NAME`, so that those of several versions run beside each other.
#[derive(Debug)]
pub struct Functions {
    pub name: String,
    /// What `FUNCTION LOAD` takes.
    pub text: String,
    /// The scripts that write nothing. Redis runs them on a replica, and when its memory is full.
    pub readers: BTreeSet<String>,
}

/// Writes the library of all scripts. `digest` makes the SHA-1 of a text.
///
/// # Errors
/// One line that names the script or room, and what is wrong with it.
pub fn write(scripts: &[Assembled], library: &Library, digest: impl Fn(&str) -> String) -> Result<Functions, String> {
    let rooms = library.rooms();
    let late = LATE.join(", ");
    let mut text = format!(
        "local register = redis.register_function\nlocal function globals()\nreturn {late}\nend\nlocal {late}\n\
         local function bind()\n{late} = globals()\nend\n"
    );
    for name in library.in_order(None)? {
        text.push_str(&shorten(&library.get(&name).code));
    }
    let tables: Vec<String> = rooms.iter().map(|room| room_function(room)).collect();
    let _ = writeln!(text, "local {} = {}", tables.join(", "), vec!["{}"; tables.len()].join(", "));
    for room in &rooms {
        let (mut code, names) = (String::from("do\n"), library.in_order(Some(room))?);
        for name in &names {
            code.push_str(&shorten(&library.tabled(&library.get(name).code, Some(room))));
        }
        for name in &names {
            let _ = writeln!(code, "{}.{name} = {name}", room_function(room));
        }
        code.push_str("end\n");
        limits::check(&code).map_err(|problem| format!("the room {room} {problem}"))?;
        text.push_str(&code);
    }
    let (mut entries, mut readers) = (String::new(), BTreeSet::new());
    for script in scripts {
        let name = &script.name;
        let code =
            format!("local function call_script(KEYS, ARGV)\nif not string then bind() end\n{}end\n", library.tabled(&script.body, None));
        limits::check(&code).map_err(|problem| format!("{name}: {problem}"))?;
        let reads = !library.reached(&script.uses).into_iter().chain([&script.body]).any(|code| writes(code));
        if reads {
            readers.insert(name.clone());
        }
        let flags = if reads { ", flags = { 'no-writes' }" } else { "" };
        let _ = write!(
            entries,
            "do\n{}register({{ function_name = LIBRARY .. '_{name}', callback = call_script{flags} }})\nend\n",
            shorten(&code)
        );
    }
    text.push_str(&entries);
    let name = format!("{PREFIX}{}", &digest(&text)[..12]);
    Ok(Functions { text: format!("#!lua name={name}\nlocal LIBRARY = '{name}'\n{text}"), name, readers })
}

fn writes(code: &str) -> bool {
    WRITES.iter().any(|command| code.contains(&format!("'{command}'")))
}
