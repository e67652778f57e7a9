//! Reads a Redis script from its file, and checks it against its own header.
//!
//! From the header come the locals that the body uses (`board`, `limit`) and the check of the arguments' number and types. Bodies
//! therefore never name `KEYS` or a numbered `ARGV`. Functions of lua/lib are found by the words of the body.
//!
//! # Out of scope
//! Lua is not parsed: the checks look at words. The tests run every script on a real server.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Sources;
use super::functions;
use super::groups::Groups;
use super::header::{self, Field, Header, Item};
use super::library::Library;
use super::limits;
use super::records::Records;
use super::text;
use super::words::{makes_key, uses};

/// A script, with what its header promises.
#[derive(Debug)]
pub struct Assembled {
    pub name: String,
    /// Its own code, with the locals of the header, as it stands in a function of `KEYS` and `ARGV`.
    pub body: String,
    /// The functions of lua/lib that its own code uses.
    pub uses: Vec<String>,
    /// It writes nothing. Redis runs it on a replica, and when its memory is full.
    pub reads: bool,
    pub header: Header,
}

/// Reads every script, and the functions of lua/lib.
///
/// # Errors
/// One line that names the file and what is wrong with it.
pub fn assemble_all(sources: &Sources) -> Result<(Vec<Assembled>, Library), String> {
    let shared = shared_fields(sources)?;
    let library = Library::read(&sources.functions)?;
    Groups::read(&sources.groups)?.check(&library)?;
    let (modules, bodies) = (codes(&sources.functions)?, codes(&sources.scripts)?);
    let records = Records::read(&sources.records)?;
    records.check_shares(&modules)?;
    records.check(modules.into_iter().chain(bodies))?;
    let scripts: Result<Vec<_>, String> = sources.scripts.iter().map(|(name, text)| assemble(name, text, &library, &shared)).collect();
    let scripts = scripts?;
    library.check_answers(scripts.iter().flat_map(|script| &script.uses))?;
    Ok((scripts, library))
}

/// The code of files, by their paths.
fn codes(files: &BTreeMap<String, String>) -> Result<Vec<(&str, String)>, String> {
    files.iter().map(|(file, text)| Ok((file.as_str(), text::read(named(file), text)?.body()))).collect()
}

/// What a file's first line calls it.
fn named(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

fn shared_fields(sources: &Sources) -> Result<BTreeMap<String, Vec<Field>>, String> {
    let read = |(name, text): (&String, &String)| {
        let text = text::read(name, text)?;
        if !text.code.is_empty() {
            return Err(format!("{name}: a list of fields has no code"));
        }
        let fields = header::read_fields(&text.comments).map_err(|problem| format!("{name}: {problem}"))?;
        Ok((name.clone(), fields))
    };
    sources.fields.iter().map(read).collect()
}

/// Reads the script `name`.
fn assemble(name: &str, text: &str, library: &Library, shared: &BTreeMap<String, Vec<Field>>) -> Result<Assembled, String> {
    let text = text::read(name, text)?;
    let header = header::read(&text.comments, shared).map_err(|problem| format!("{name}: {problem}"))?;
    if header.keys.is_empty() {
        return Err(format!("{name}: the header names no @key"));
    }
    if header.replies.is_empty() {
        return Err(format!("{name}: the header has no @returns"));
    }
    let body = text.body();
    check_body(name, &body)?;
    check_names(name, &header, &body)?;
    if let Some(taken) = header.names().find(|named| library.has(named)) {
        return Err(format!("{name}: {taken} is a function of lua/lib; name the argument otherwise"));
    }
    let (mut own, mut packed) = (prelude(name, &header, &body), unpacking(name, &header));
    for statement in text.statements() {
        if let Some((_, text)) = packed.take_if(|(table, _)| uses(&statement, table)) {
            own.push_str(&text);
        }
        own.push_str(&statement);
    }
    let uses_of = library.uses(name, &own)?;
    limits::check(&format!("local function call_script(KEYS, ARGV)\n{}end\n", functions::with_locals(&own)))
        .map_err(|problem| format!("{name}: {problem}"))?;
    let reads = functions::reads(&own, &uses_of, library);
    Ok(Assembled { name: name.into(), body: own, uses: uses_of, reads, header })
}

/// Every name of the header must be used: a key or argument of its own, and one at least of a shared list.
fn check_names(name: &str, header: &Header, body: &str) -> Result<(), String> {
    for key in &header.keys {
        if !uses(body, key) && !header.is_in_table(key) {
            return Err(format!("{name}: {key} is declared and never used"));
        }
    }
    for item in &header.args {
        let is_used = match item {
            Item::Packed { table, .. } => uses(body, table),
            _ => item.fields().iter().any(|field| uses(body, &field.name) || header.is_in_table(&field.name)),
        };
        if !is_used {
            let what = match item {
                Item::Field(field) => &field.name,
                Item::Shared { name, .. } | Item::Packed { name, .. } => name,
            };
            return Err(format!("{name}: {what} is declared and never used"));
        }
    }
    Ok(())
}

fn check_body(name: &str, body: &str) -> Result<(), String> {
    if makes_key(body) {
        return Err(format!("{name}: the body makes a key; name that in lib/common/keys.lua"));
    }
    if uses(body, "KEYS") {
        return Err(format!("{name}: the body names KEYS; use the names of the header"));
    }
    let numbered = body.match_indices("ARGV[").any(|(at, found)| body[at + found.len()..].starts_with(|c: char| c.is_ascii_digit()));
    if numbered {
        return Err(format!("{name}: the body numbers ARGV; use the names of the header"));
    }
    Ok(())
}

/// The table of packed arguments, by its name: what stands before the first statement that uses it. The library keeps it for the next call
/// that says the same.
fn unpacking(script: &str, header: &Header) -> Option<(String, String)> {
    let (packed, table, fields) = header.packed()?;
    let lines = "\\n([^\\n]*)".repeat(fields.len());
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let mut out = format!("local {table} = recall_packed({packed})\nif not {table} then\n");
    let _ = writeln!(out, "local {} = string.match('\\n' .. {packed}, '^{lines}$')", names.join(", "));
    for field in fields.iter().filter(|field| field.kind.is_numeric()) {
        let _ = writeln!(out, "{0} = tonumber({0})", field.name);
    }
    out.push_str(&number_check(script, fields.iter()));
    let pairs: Vec<String> = names.iter().map(|name| format!("{name} = {name}")).collect();
    let _ = writeln!(out, "{table} = keep_packed({packed}, {{ {} }})\nend", pairs.join(", "));
    Some((table.into(), out))
}

/// The check that those arguments that are to be numbers are.
fn number_check<'f>(script: &str, used: impl Iterator<Item = &'f Field>) -> String {
    let numbers: Vec<&str> = used.filter(|arg| arg.kind.is_numeric()).map(|arg| arg.name.as_str()).collect();
    if numbers.is_empty() {
        return String::new();
    }
    // Lua reads "nan" and "inf" as numbers: zero times a sum that holds one is not zero.
    let (all, sum) = (numbers.join(" and "), numbers.join(" + "));
    format!("if not ({all}) or 0 * ({sum}) ~= 0 then return redis.error_reply('ERR {script}: an argument is not a number') end\n")
}

/// The locals of the header, and the check of the arguments' number and types.
fn prelude(name: &str, header: &Header, body: &str) -> String {
    let mut out = String::new();
    let packed = header.packed().map_or(0, |(_, _, fields)| fields.len());
    let (keys, args) = (header.keys.len(), header.arg_fields().count() - packed + usize::from(packed > 0));
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
    if let Some((name, ..)) = header.packed() {
        let _ = writeln!(out, "local {name} = ARGV[1]");
    }
    // A script need not use all of a shared list.
    let texts = header.arg_fields().skip(packed).zip(usize::from(packed > 0)..);
    let used: Vec<(usize, &Field)> =
        texts.map(|(arg, i)| (i, arg)).filter(|(_, arg)| uses(body, &arg.name) || header.is_in_table(&arg.name)).collect();
    for (i, arg) in &used {
        let value = format!("ARGV[{}]", i + 1);
        let value = if arg.kind.is_numeric() { format!("read_number({value})") } else { value };
        let _ = writeln!(out, "local {} = {value}", arg.name);
    }
    out.push_str(&number_check(name, used.iter().map(|(_, arg)| *arg)));
    if let Some((table, names)) = &header.table {
        let fields: Vec<String> = names.iter().map(|name| format!("{name} = {name}")).collect();
        let _ = writeln!(out, "local {table} = {{ {} }}", fields.join(", "));
    }
    if let Some(group) = &header.each {
        let _ = writeln!(out, "local {}s, {}_fields = {}, {}", group.name, group.name, args + 1, group.fields.len());
    }
    out
}
