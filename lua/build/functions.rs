//! The texts that Redis gets: one library of all scripts and what they share; and of each script the same text, cut to what it reaches, for where there are
//! no functions.
//!
//! Redis keeps a library, so nothing of it is made anew at a call. While Redis loads one there are no commands, and only the functions of
//! Lua's base. So the other globals are bound at the first call.
//!
//! A module of lua/lib is a block, whose functions find each other as locals, and a table of those that others use. A chunk of Lua has 200 locals, so not each
//! function can be one.

use std::collections::BTreeSet;

use super::assembler::Assembled;
use super::library::{Library, table_of};
use super::limits;
use super::shorten::shorten;

/// Globals that are not there while Redis loads a library.
const LATE: &str = "redis, string, math, table, cjson, unpack";

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

/// What the names of a library and of its functions begin with.
const PREFIX: &str = "eb_";

/// A library: its functions are `eb_<digest>_NAME`, so that those of several versions run beside each other.
#[derive(Debug)]
pub struct Functions {
    pub name: String,
    /// What `FUNCTION LOAD` takes, in parts: those of scripts are among them, so that a text is kept once.
    pub parts: Vec<String>,
}

/// The library of all scripts. `digest` makes the SHA-1 of a text.
///
/// # Errors
/// One line that names the script or module, and what is wrong with it.
pub fn library(scripts: &[Assembled], library: &Library, digest: impl Fn(&str) -> String) -> Result<Functions, String> {
    let mut parts = vec![format!(
        "local register = redis.register_function\nlocal function globals()\nreturn {LATE}\nend\nlocal {LATE}\n\
         local function bind()\n{LATE} = globals()\nend\n"
    )];
    parts.extend(modules(library, &library.all())?);
    for script in scripts {
        let flags = match (script.reads, script.header.frees) {
            (true, _) => ", flags = { 'no-writes' }",
            (false, true) => ", flags = { 'allow-oom' }",
            _ => "",
        };
        parts.push("do\n".into());
        parts.push(entry(script, library));
        parts.push(format!("register({{ function_name = LIBRARY .. '_{}', callback = call_script{flags} }})\nend\n", script.name));
    }
    let name = format!("{PREFIX}{}", &digest(&parts.concat())[..12]);
    parts.insert(0, format!("#!lua name={name}\nlocal LIBRARY = '{name}'\n"));
    Ok(Functions { name, parts })
}

/// The source of a script by itself, in parts.
///
/// # Errors
/// As [`library`].
pub fn source(script: &Assembled, library: &Library) -> Result<Vec<String>, String> {
    let mut parts = vec![format!("local {LATE} = {LATE}\n")];
    parts.extend(modules(library, &library.reached(&script.uses))?);
    parts.push(entry(script, library));
    parts.push("return call_script(KEYS, ARGV)\n".into());
    Ok(parts)
}

/// Whether a script writes nothing.
pub fn reads(body: &str, uses: &[String], library: &Library) -> bool {
    let writes = |code: &str| WRITES.iter().any(|command| code.contains(&format!("'{command}'")));
    !writes(body) && !library.reached(uses).iter().any(|name| writes(&library.get(name).code))
}

/// The modules of some definitions, with these alone.
fn modules(library: &Library, names: &BTreeSet<String>) -> Result<Vec<String>, String> {
    let mut parts: Vec<String> = library.of_module(None, names)?.iter().map(|common| shorten(&common.code)).collect();
    let mut modules = Vec::new();
    for module in &library.modules {
        modules.push((module, library.of_module(Some(module), names)?));
    }
    modules.retain(|(_, definitions)| !definitions.is_empty());
    let tables: Vec<String> = modules.iter().map(|(module, _)| table_of(module)).collect();
    if !tables.is_empty() {
        parts.push(format!("local {} = {}\n", tables.join(", "), vec!["{}"; tables.len()].join(", ")));
    }
    for (module, definitions) in modules {
        parts.push("do\n".into());
        for definition in definitions {
            let (name, code) = (&definition.name, library.linked(&definition.code, Some(module)));
            limits::check(&code).map_err(|problem| format!("{module} {problem}"))?;
            parts.push(format!("{}{}.{name}={name}\n", shorten(&code), table_of(module)));
        }
        parts.push("end\n".into());
    }
    Ok(parts)
}

/// A script as a function of its keys and arguments.
fn entry(script: &Assembled, library: &Library) -> String {
    let body = library.linked(&script.body, None);
    shorten(&format!("local function call_script(KEYS, ARGV)\nif not string then bind() end\n{body}end\n"))
}
