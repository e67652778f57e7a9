//! Assembles a Redis script from its file and the functions it includes, and checks it against its own header.
//!
//! From the header come the locals that the body uses (`board`, `limit`) and the check of the arguments' number and types. Bodies
//! therefore never name `KEYS` or a numbered `ARGV`.
//!
//! Functions are put before the body; those of `-- @later` where the body says `-- @functions`. Every call of a script makes
//! its functions anew, so what comes before that line is for calls that can do without them.
//!
//! # Out of scope
//! Lua is not parsed: the checks look at words. The tests run every script on a real server.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Sources;
use super::header::{self, Field, Header, Item};

/// A script, with what its header promises.
#[derive(Debug)]
pub struct Assembled {
    pub name: String,
    /// The source in parts, to be joined as they are: what scripts share is a part of its own in each of them.
    pub parts: Vec<String>,
    pub header: Header,
}

impl Assembled {
    /// What `SCRIPT LOAD` takes.
    pub fn source(&self) -> String {
        self.parts.concat()
    }
}

/// The line of a body that stands for the included functions.
const FUNCTIONS: &str = "-- @functions\n";

/// Assembles every script.
///
/// # Errors
/// One line that names the file and what is wrong with it.
pub fn assemble_all(sources: &Sources) -> Result<Vec<Assembled>, String> {
    let shared = shared_fields(sources)?;
    sources.scripts.iter().map(|(name, text)| assemble(name, text, &sources.functions, &shared)).collect()
}

fn shared_fields(sources: &Sources) -> Result<BTreeMap<String, Vec<Field>>, String> {
    let read = |(name, text): (&String, &String)| {
        let (comments, body) = split(name, text)?;
        if !body.is_empty() {
            return Err(format!("{name}: a list of fields has no code"));
        }
        let fields = header::read_fields(&comments).map_err(|problem| format!("{name}: {problem}"))?;
        Ok((name.clone(), fields))
    };
    sources.fields.iter().map(read).collect()
}

/// Assembles the script `name`. `lib` maps a function's name to its file's text.
fn assemble(name: &str, text: &str, lib: &BTreeMap<String, String>, shared: &BTreeMap<String, Vec<Field>>) -> Result<Assembled, String> {
    let (comments, body) = split(name, text)?;
    let header = header::read(&comments, shared).map_err(|problem| format!("{name}: {problem}"))?;
    if header.keys.is_empty() {
        return Err(format!("{name}: the header names no @key"));
    }
    if header.replies.is_empty() {
        return Err(format!("{name}: the header has no @returns"));
    }
    check_body(name, &body)?;
    check_names(name, &header, &body)?;
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
    let mut functions = included.into_iter().map(|(_, function)| function);
    let mut parts = vec![prelude(name, &header, &body)];
    parts.extend(functions.by_ref().take(early));
    parts.push(before.into());
    parts.extend(functions);
    parts.push(after.into());
    Ok(Assembled { name: name.into(), parts, header })
}

/// Every name of the header must be used: a key or argument of its own, and one at least of a shared list.
fn check_names(name: &str, header: &Header, body: &str) -> Result<(), String> {
    for key in &header.keys {
        if !uses(body, key) {
            return Err(format!("{name}: {key} is declared and never used"));
        }
    }
    for item in &header.args {
        if !item.fields().iter().any(|field| uses(body, &field.name)) {
            let what = match item {
                Item::Field(field) => &field.name,
                Item::Shared { name, .. } => name,
            };
            return Err(format!("{name}: {what} is declared and never used"));
        }
    }
    Ok(())
}

/// The comments of a file without their `--`, and its body: the code without comments, blank lines and indentation.
fn split<'t>(name: &str, text: &'t str) -> Result<(Vec<&'t str>, String), String> {
    if !text.starts_with(&format!("-- {name}: ")) {
        return Err(format!("{name}: the first line must begin \"-- {name}: \""));
    }
    let mut comments = Vec::new();
    let mut body = String::new();
    for line in text.lines() {
        if line == FUNCTIONS.trim_end() {
            body.push_str(FUNCTIONS);
        } else if let Some(comment) = line.strip_prefix("--") {
            comments.push(comment);
        } else if !line.trim().is_empty() && !line.trim_start().starts_with("--") {
            if line.contains("[[") || line.contains("[=") || line.ends_with('\\') {
                return Err(format!("{name}: a string goes over several lines, whose indentation would be lost"));
            }
            body.push_str(line.trim());
            body.push('\n');
        }
    }
    Ok((comments, body))
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
    let (comments, body) = split(function, text)?;
    let header = header::read(&comments, &BTreeMap::new()).map_err(|problem| format!("{function}: {problem}"))?;
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

/// The locals of the header, and the check of the arguments' number and types.
fn prelude(name: &str, header: &Header, body: &str) -> String {
    // Locals are found faster than globals.
    let mut out = String::from("local KEYS, ARGV, redis, string, tonumber = KEYS, ARGV, redis, string, tonumber\n");
    let (keys, args) = (header.keys.len(), header.arg_fields().count());
    let wrong_count = match &header.each {
        None => format!("#ARGV ~= {args}"),
        Some(group) => format!("#ARGV < {args} or (#ARGV - {args}) % {} ~= 0", group.fields.len()),
    };
    let _ = writeln!(
        out,
        "if #KEYS ~= {keys} or {wrong_count} then return redis.error_reply('ERR {name}: wrong number of keys or arguments') end"
    );
    for (i, key) in header.keys.iter().enumerate() {
        let _ = writeln!(out, "local {key} = KEYS[{}]", i + 1);
    }
    // A script need not use all of a shared list.
    let used: Vec<(usize, &Field)> = header.arg_fields().enumerate().filter(|(_, arg)| uses(body, &arg.name)).collect();
    for (i, arg) in &used {
        let value = format!("ARGV[{}]", i + 1);
        let value = if arg.kind.is_numeric() { format!("tonumber({value})") } else { value };
        let _ = writeln!(out, "local {} = {value}", arg.name);
    }
    let numbers: Vec<&str> = used.iter().filter(|(_, arg)| arg.kind.is_numeric()).map(|(_, arg)| arg.name.as_str()).collect();
    if !numbers.is_empty() {
        // Lua reads "nan" and "inf" as numbers: zero times a sum that holds one is not zero.
        let (all, sum) = (numbers.join(" and "), numbers.join(" + "));
        let _ = writeln!(
            out,
            "if not ({all}) or 0 * ({sum}) ~= 0 then return redis.error_reply('ERR {name}: an argument is not a number') end"
        );
    }
    if let Some(group) = &header.each {
        let _ = writeln!(out, "local {}s, {}_fields = {}, {}", group.name, group.name, args + 1, group.fields.len());
    }
    out
}

/// Whether `word` occurs in `text` as a whole word.
fn uses(text: &str, word: &str) -> bool {
    let part_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| !text[..at].ends_with(part_of_word) && !text[at + word.len()..].starts_with(part_of_word))
}
