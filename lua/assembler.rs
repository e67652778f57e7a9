//! Assembles a Redis script from its file and the functions it includes, and checks it against its own header.
//!
//! A script opens with its contract, in comments:
//!
//! ```lua
//! -- name: what it does.
//! --
//! -- @key board            one line per key
//! -- @arg limit    number  one line per argument: its name, its type (text or number), what it means
//! -- @each event           member, delta: one group of fields per event, after the other arguments
//! -- @returns OK           what it answers
//! -- @include zone_rows    functions of lua/lib, one function per file
//! ```
//!
//! Functions are put before the body; those of `-- @later` where the body says `-- @functions`. Every call of a script makes
//! its functions anew, so what comes before that line is for calls that can do without them.
//!
//! From it come the locals the body uses (`board`, `limit`), the check of their number and type, and the table of
//! scripts that Rust sees. Bodies therefore never name `KEYS` or a numbered `ARGV`.
//!
//! # Out of scope
//! Lua is not parsed: the checks look at words. The tests run every script on a real server.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A script, with what its header promises.
#[derive(Debug)]
pub struct Assembled {
    /// The source in parts, to be put together as they are: what scripts share is a part of its own in each of them.
    pub parts: Vec<String>,
    pub keys: Vec<String>,
    pub args: Vec<String>,
    /// Fields of each repeated group; empty when nothing repeats.
    pub each: Vec<String>,
}

impl Assembled {
    /// What `SCRIPT LOAD` takes.
    pub fn source(&self) -> String {
        self.parts.concat()
    }
}

/// The line of a body that stands for the included functions.
const FUNCTIONS: &str = "-- @functions\n";

struct Arg {
    name: String,
    number: bool,
}

#[derive(Default)]
struct Header {
    keys: Vec<String>,
    args: Vec<Arg>,
    group: Option<String>,
    fields: Vec<String>,
    returns: usize,
    includes: Vec<String>,
    /// Included where the body says [`FUNCTIONS`].
    later: Vec<String>,
}

/// Puts the script `name` together. `lib` maps a function's name to its file's text.
///
/// # Errors
/// One line that names the script and what is wrong with it.
pub fn assemble(name: &str, text: &str, lib: &BTreeMap<String, String>) -> Result<Assembled, String> {
    let (header, body) = split(name, text)?;
    if header.keys.is_empty() {
        return Err(format!("{name}: the header names no @key"));
    }
    if header.returns == 0 {
        return Err(format!("{name}: the header has no @returns"));
    }
    check_body(name, &body)?;
    for word in header.keys.iter().chain(header.args.iter().map(|arg| &arg.name)) {
        if !uses(&body, word) {
            return Err(format!("{name}: {word} is declared and never used"));
        }
    }
    let (before, after) = match body.split_once(FUNCTIONS) {
        Some((before, after)) => (before, after),
        None if header.later.is_empty() => ("", body.as_str()),
        None => return Err(format!("{name}: the body does not say where the @later functions go")),
    };
    let mut included = Vec::new();
    for include in &header.includes {
        include_with_needs(name, include, lib, &mut included)?;
    }
    let early = included.len();
    for include in &header.later {
        include_with_needs(name, include, lib, &mut included)?;
    }
    for function in lib.keys() {
        let declared = header.includes.contains(function) || header.later.contains(function);
        if uses(&body, function) != declared {
            return Err(format!("{name}: {function} must be included if and only if it is used"));
        }
        if uses(before, function) && !included[..early].iter().any(|(name, _)| name == function) {
            return Err(format!("{name}: {function} is used before it is there"));
        }
    }
    if let Some(missing) = header.includes.iter().chain(&header.later).find(|function| !lib.contains_key(*function)) {
        return Err(format!("{name}: includes {missing}, which is not in lua/lib"));
    }
    let mut functions = included.into_iter().map(|(_, function)| function);
    let mut parts = vec![prelude(name, &header)];
    parts.extend(functions.by_ref().take(early));
    parts.push(before.into());
    parts.extend(functions);
    parts.push(after.into());
    Ok(Assembled { parts, keys: header.keys, args: header.args.into_iter().map(|arg| arg.name).collect(), each: header.fields })
}

/// Reads the header's tags; the rest, without comments, blank lines and indentation, is the body.
fn split(name: &str, text: &str) -> Result<(Header, String), String> {
    if !text.starts_with(&format!("-- {name}: ")) {
        return Err(format!("{name}: the first line must begin \"-- {name}: \""));
    }
    let mut header = Header::default();
    let mut body = String::new();
    for line in text.lines() {
        if line == FUNCTIONS.trim_end() {
            body.push_str(FUNCTIONS);
        } else if let Some(comment) = line.strip_prefix("--") {
            let mut words = comment.split_whitespace();
            match (words.next(), words.next()) {
                (Some("@key"), Some(key)) => header.keys.push(key.into()),
                (Some("@arg"), Some(arg)) => {
                    let number = match words.next() {
                        Some("number") => true,
                        Some("text") => false,
                        _ => return Err(format!("{name}: @arg {arg} must be text or number")),
                    };
                    header.args.push(Arg { name: arg.into(), number });
                }
                (Some("@each"), Some(group)) => {
                    let fields = comment.split_once(group).and_then(|(_, rest)| rest.split_once(':'));
                    let (fields, _) = fields.ok_or(format!("{name}: @each {group} must read \"field, field: …\""))?;
                    header.group = Some(group.into());
                    header.fields = fields.split(',').map(|field| field.trim().into()).collect();
                }
                (Some("@returns"), Some(_)) => header.returns += 1,
                (Some("@include"), Some(first)) => {
                    header.includes.push(first.into());
                    header.includes.extend(words.map(String::from));
                }
                (Some("@later"), Some(first)) => {
                    header.later.push(first.into());
                    header.later.extend(words.map(String::from));
                }
                (Some(tag), _) if tag.starts_with('@') => return Err(format!("{name}: unknown or empty tag {tag}")),
                _ => {}
            }
        } else if !line.trim().is_empty() && !line.trim_start().starts_with("--") {
            if line.contains("[[") || line.contains("[=") || line.ends_with('\\') {
                return Err(format!("{name}: a string goes over several lines, whose indentation would be lost"));
            }
            body.push_str(line.trim());
            body.push('\n');
        }
    }
    Ok((header, body))
}

fn check_body(name: &str, body: &str) -> Result<(), String> {
    if uses(body, "KEYS") {
        return Err(format!("{name}: the body names KEYS; use the names of the header"));
    }
    let numbered = body.match_indices("ARGV[").any(|(at, found)| body[at + found.len()..].starts_with(|c: char| c.is_ascii_digit()));
    if numbered {
        return Err(format!("{name}: the body numbers ARGV; use the names of the header"));
    }
    Ok(())
}

/// Appends a function after the functions it includes itself; each once.
fn include_with_needs(
    script: &str,
    function: &str,
    lib: &BTreeMap<String, String>,
    included: &mut Vec<(String, String)>,
) -> Result<(), String> {
    if included.iter().any(|(name, _)| name == function) {
        return Ok(());
    }
    let text = lib.get(function).ok_or(format!("{script}: includes {function}, which is not in lua/lib"))?;
    let (header, body) = split(function, text)?;
    if !body.contains(&format!("local function {function}(")) {
        return Err(format!("{function}: must define the local function {function}"));
    }
    for other in lib.keys().filter(|other| *other != function) {
        if uses(&body, other) != header.includes.contains(other) {
            return Err(format!("{function}: {other} must be included if and only if it is used"));
        }
    }
    for need in &header.includes {
        include_with_needs(script, need, lib, included)?;
    }
    included.push((function.into(), body));
    Ok(())
}

fn prelude(name: &str, header: &Header) -> String {
    // Locals are found faster than globals.
    let mut out = String::from("local KEYS, ARGV, redis, string, tonumber = KEYS, ARGV, redis, string, tonumber\n");
    let (keys, args) = (header.keys.len(), header.args.len());
    let wrong_count = match header.fields.len() {
        0 => format!("#ARGV ~= {args}"),
        fields => format!("#ARGV < {args} or (#ARGV - {args}) % {fields} ~= 0"),
    };
    let _ = writeln!(
        out,
        "if #KEYS ~= {keys} or {wrong_count} then return redis.error_reply('ERR {name}: wrong number of keys or arguments') end"
    );
    for (i, key) in header.keys.iter().enumerate() {
        let _ = writeln!(out, "local {key} = KEYS[{}]", i + 1);
    }
    for (i, arg) in header.args.iter().enumerate() {
        let value = format!("ARGV[{}]", i + 1);
        let value = if arg.number { format!("tonumber({value})") } else { value };
        let _ = writeln!(out, "local {} = {value}", arg.name);
    }
    let numbers: Vec<&str> = header.args.iter().filter(|arg| arg.number).map(|arg| arg.name.as_str()).collect();
    if !numbers.is_empty() {
        // Lua reads "nan" and "inf" as numbers: zero times a sum that holds one is not zero.
        let (all, sum) = (numbers.join(" and "), numbers.join(" + "));
        let _ = writeln!(
            out,
            "if not ({all}) or 0 * ({sum}) ~= 0 then return redis.error_reply('ERR {name}: an argument is not a number') end"
        );
    }
    if let Some(group) = &header.group {
        let _ = writeln!(out, "local {group}s, {group}_fields = {}, {}", args + 1, header.fields.len());
    }
    out
}

/// Whether `word` occurs in `text` as a whole word.
fn uses(text: &str, word: &str) -> bool {
    let part_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| !text[..at].ends_with(part_of_word) && !text[at + word.len()..].starts_with(part_of_word))
}
