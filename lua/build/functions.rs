//! The texts that Redis gets: one library of all scripts and what they share; and of each script the same text, cut to what it reaches, for where there are
//! no functions.
//!
//! Redis keeps a library, so nothing of it is made anew at a call. While Redis loads one there are no commands, and no functions of Lua.
//! So these are bound at the first call. All are locals, `string_sub` for `string.sub`, since looking up a global or a field costs as much as
//! ten lines.
//!
//! A module of lua/lib is a block: its functions find each other, and those of other modules that they use, as locals. A table brings these from block to
//! block, since a chunk of Lua has 200 locals and not each function can be one of all.

use std::collections::BTreeSet;

use super::assembler::Assembled;
use super::library::{Definition, Library};
use super::limits::{self, MAX_LOCALS};
use super::shorten::shorten;
use super::words::{Role, words};

/// Functions of Lua's base.
const BASE: [&str; 13] = [
    "cjson",
    "error",
    "getmetatable",
    "ipairs",
    "next",
    "pairs",
    "pcall",
    "select",
    "setmetatable",
    "tonumber",
    "tostring",
    "type",
    "unpack",
];

/// Tables of functions.
pub const TABLES: [&str; 4] = ["redis", "string", "math", "table"];

/// Locals around modules besides the common definitions: what is bound, and what the library itself is made with.
const AROUND: usize = 60;

/// The table of what modules answer to others. No function names it.
const ANSWERS: &str = "M";

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

/// How functions are registered where the server locks by key: `eb_<digest>_NAME` locks all of it, `…_telling` as well, and answers which keys it
/// used beside its reply, and `…_locking` locks the keys that the call declares, and may use no other.
const REGISTER_LOCKING: &str = "
local register_one = redis.register_function
local tell
local function register(of)
  register_one(of)
  if not LOCKS[of.function_name] then return end
  local name, call, flags = of.function_name, of.callback, of.flags or {}
  register_one({ function_name = name .. '_telling', callback = function(keys, args) return tell(call, keys, args) end, flags = flags })
  local function call_locking(keys, args) return call({ keys[1] }, args) end
  register_one({ function_name = name .. '_locking', callback = call_locking, flags = { 'allow-key-locking', flags[1] } })
end
";

/// Calls a function while the keys of its commands are noted. Most commands have one key, behind their names.
const TELL: &str = "
local KEYS_OF = { TIME = 0, INFO = 0, COPY = 2, RENAME = 2, ZRANGESTORE = 2, EXISTS = 1000, DEL = 1000, UNLINK = 1000 }
function tell(call, keys, args)
  if not unpack then bind() end
  local plain_call, plain_pcall, noted, list = redis_call, redis_pcall, {}, {}
  local function note(key)
    if not noted[key] then noted[key], list[#list + 1] = true, key end
  end
  local function note_all(command, ...)
    local words, last = { ... }, KEYS_OF[command] or 1
    if command == 'ZUNIONSTORE' or command == 'ZINTERSTORE' then
      note(table.remove(words, 1))
      last = table.remove(words, 1)
    end
    for i = 1, math.min(last, #words) do note(words[i]) end
  end
  redis_call = function(...)
    note_all(...)
    return plain_call(...)
  end
  redis_pcall = function(...)
    note_all(...)
    return plain_pcall(...)
  end
  local is_done, reply = pcall(call, keys, args)
  redis_call, redis_pcall = plain_call, plain_pcall
  if not is_done then error(reply, 0) end
  if type(reply) == 'table' and reply.err then return reply end
  return { reply, list }
end
";

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
    let (text, binding) = of_scripts(scripts, library, "")?;
    Ok(named([vec!["local register = redis.register_function\n".into(), binding], text].concat(), digest))
}

/// The same library for servers that lock by key.
///
/// # Errors
/// As [`library`].
pub fn locking_library(scripts: &[Assembled], library: &Library, digest: impl Fn(&str) -> String) -> Result<Functions, String> {
    let telling = with_locals(TELL);
    let (text, binding) = of_scripts(scripts, library, &telling)?;
    let names =
        scripts.iter().filter(|script| !script.header.locks.is_empty()).map(|script| format!("[LIBRARY .. '_{}'] = true", script.name));
    let locks = format!("local LOCKS = {{ {} }}\n", names.collect::<Vec<_>>().join(", "));
    let before = vec![locks, shorten(REGISTER_LOCKING), binding, shorten(&telling)];
    Ok(named([before, text].concat(), digest))
}

/// A library by the digest of its text.
fn named(mut parts: Vec<String>, digest: impl Fn(&str) -> String) -> Functions {
    let name = format!("{PREFIX}{}", &digest(&parts.concat())[..12]);
    parts.insert(0, format!("#!lua name={name}\nlocal LIBRARY = '{name}'\n"));
    Functions { name, parts }
}

/// The functions of modules and scripts, and what binds what they and another part use.
fn of_scripts(scripts: &[Assembled], library: &Library, other: &str) -> Result<(Vec<String>, String), String> {
    let mut parts = modules(library, &library.all())?;
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
    let (names, values) = bound(&(parts.concat() + other));
    let binding =
        format!("local function globals()\nreturn {values}\nend\nlocal {names}\nlocal function bind()\n{names} = globals()\nend\n");
    Ok((parts, binding))
}

/// The source of a script by itself, in parts.
///
/// # Errors
/// As [`library`].
pub fn source(script: &Assembled, library: &Library) -> Result<Vec<String>, String> {
    let mut parts = modules(library, &library.reached(&script.uses))?;
    parts.push(entry(script, library));
    parts.push("return call_script(KEYS, ARGV)\n".into());
    let (names, values) = bound(&parts.concat());
    parts.insert(0, format!("local {names} = {values}\n"));
    Ok(parts)
}

/// What some parts use of Lua and Redis: the names of locals, and what they stand for.
fn bound(parts: &str) -> (String, String) {
    let used: BTreeSet<&str> = words(parts).into_iter().filter(|(.., role)| *role == Role::Used).map(|(_, word, _)| word).collect();
    let values = used.iter().filter_map(|name| match name.split_once('_') {
        Some((table, field)) if TABLES.contains(&table) => Some((*name, format!("{table}.{field}"))),
        _ => BASE.contains(name).then(|| (*name, (*name).to_owned())),
    });
    let (names, values): (Vec<&str>, Vec<String>) = values.unzip();
    (names.join(", "), values.join(", "))
}

/// Code with the functions of tables as locals: `string_sub` for `string.sub`.
pub fn with_locals(code: &str) -> String {
    let (mut out, mut done) = (String::with_capacity(code.len()), 0);
    for (at, word, role) in words(code) {
        let end = at + word.len();
        if role == Role::Used && TABLES.contains(&word) && code[end..].starts_with('.') && !code[end..].starts_with("..") {
            out.push_str(&code[done..end]);
            out.push('_');
            done = end + 1;
        }
    }
    out.push_str(&code[done..]);
    out
}

/// Whether a script writes nothing.
pub fn reads(body: &str, uses: &[String], library: &Library) -> bool {
    let writes = |code: &str| WRITES.iter().any(|command| code.contains(&format!("'{command}'")));
    !writes(body) && !library.reached(uses).iter().any(|name| writes(&library.get(name).code))
}

/// The modules of some definitions, with these alone.
fn modules(library: &Library, names: &BTreeSet<String>) -> Result<Vec<String>, String> {
    let mut parts: Vec<String> = library.of_module(None, names)?.iter().map(|common| shorten(&with_locals(&common.code))).collect();
    let mut modules = Vec::new();
    for module in &library.modules {
        modules.push((module, library.of_module(Some(module), names)?));
    }
    modules.retain(|(_, definitions)| !definitions.is_empty());
    let outer = parts.len() + AROUND;
    if !modules.is_empty() {
        parts.push(format!("local {ANSWERS} = {{}}\n"));
    }
    for (module, definitions) in modules {
        let uses = definitions.iter().flat_map(|definition| &definition.uses);
        let brought = brought(library, uses, Some(module));
        if outer + brought.len() + definitions.len() > MAX_LOCALS {
            return Err(format!("{module} and what is around it have more than {MAX_LOCALS} locals"));
        }
        parts.push(format!("do\n{}", bringing(&brought)));
        for Definition { name, code, .. } in definitions {
            let code = with_locals(code);
            limits::check(&code).map_err(|problem| format!("{module} {problem}"))?;
            parts.push(format!("{}{ANSWERS}.{name}={name}\n", shorten(&code)));
        }
        parts.push("end\n".into());
    }
    Ok(parts)
}

/// The names among some uses that modules bring, but for those of `own`, each once.
fn brought<'l>(library: &Library, uses: impl Iterator<Item = &'l String>, own: Option<&str>) -> BTreeSet<&'l str> {
    let of_others = uses.filter(|name| library.get(name).module.as_deref().is_some_and(|module| Some(module) != own));
    of_others.map(String::as_str).collect()
}

/// Makes locals of names that modules bring.
fn bringing(names: &BTreeSet<&str>) -> String {
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = names.iter().copied().collect();
    format!("local {}={ANSWERS}.{}\n", names.join(","), names.join(&format!(",{ANSWERS}.")))
}

/// A script as a function of its keys and arguments.
fn entry(script: &Assembled, library: &Library) -> String {
    let body = with_locals(&script.body);
    let function = shorten(&format!("local function call_script(KEYS, ARGV)\nif not unpack then bind() end\n{body}end\n"));
    bringing(&brought(library, script.uses.iter(), None)) + &function
}
