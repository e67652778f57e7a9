//! Rust for the scripts: of each a `Script`, a struct of its arguments and a type of its replies.
//!
//! What is written here names `Library`, `Script`, `Invocation`, `Score`, `Id`, `Error`, `Call` and `ReplyReader`, which the module that
//! includes it imports. A reply of the status `SPAN` is no variant of its script's replies: whoever sends calls answers it.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::assembler::Assembled;
use super::functions::{self, Functions};
use super::header::{Field, Group, Header, Item, Kind, Reply};
use super::library::Library;

/// The status that asks for more of a zone.
const SPAN: &str = "SPAN";

/// The Rust source of all scripts. `digest` makes the SHA-1 of a source.
///
/// # Errors
/// One line that names the script and what is wrong with it.
pub fn write(scripts: &[Assembled], library: &Library, digest: impl Fn(&str) -> String) -> Result<String, String> {
    let mut out = String::new();
    let plain = functions::library(scripts, library, &digest)?;
    let locking = functions::locking_library(scripts, library, &digest)?;
    for (upper, meaning, Functions { name, parts }) in
        [("LIBRARY", "The functions of all scripts.", &plain), ("LOCKING", "The same for servers that lock by key.", &locking)]
    {
        line(&mut out, &format!("/// {meaning}"));
        line(&mut out, &format!("pub static {upper}: Library = Library {{ name: {name:?},"));
        line(&mut out, &format!("parts: &{parts:?} }};"));
    }
    for (name, (fields, in_args, in_replies)) in shared_lists(scripts) {
        write_shared(&mut out, &name, &fields, in_args, in_replies);
    }
    for script in scripts {
        let parts = functions::source(script, library).map_err(|problem| format!("{}: {problem}", script.name))?;
        write_script(&mut out, script, &plain.name, &parts, &digest(&parts.concat()));
        write_args(&mut out, script);
        write_replies(&mut out, script).map_err(|problem| format!("{}: {problem}", script.name))?;
    }
    let statics: Vec<String> = scripts.iter().map(|script| format!("&{}", script.name.to_uppercase())).collect();
    line(&mut out, "/// Every script, for tests that compare them with a server.");
    line(&mut out, &format!("pub static SCRIPTS: [&Script; {}] = [{}];", statics.len(), statics.join(", ")));
    Ok(out)
}

/// The lists of lua/fields that are used, and whether in arguments and in replies.
fn shared_lists(scripts: &[Assembled]) -> BTreeMap<String, (Vec<Field>, bool, bool)> {
    let mut lists = BTreeMap::new();
    let mut note = |item: &Item, in_args: bool| {
        let named = match item {
            Item::Field(_) => Vec::new(),
            Item::Shared { name, fields } => vec![(name, fields)],
            Item::Packed { lists, .. } => lists.iter().map(|(name, fields)| (name, fields)).collect(),
        };
        for (name, fields) in named {
            let (_, args, replies) = lists.entry(name.clone()).or_insert_with(|| (fields.clone(), false, false));
            *(if in_args { args } else { replies }) = true;
        }
    };
    for Header { args, each, replies, .. } in scripts.iter().map(|script| &script.header) {
        for item in args {
            note(item, true);
        }
        if let Some(Group { shared: Some(name), fields, .. }) = each {
            note(&Item::Shared { name: name.clone(), fields: fields.clone() }, true);
        }
        for item in replies.iter().flat_map(|reply| &reply.items) {
            note(item, false);
        }
    }
    lists
}

fn write_shared(out: &mut String, name: &str, fields: &[Field], in_args: bool, in_replies: bool) {
    let list = format!("{}Fields", pascal(name));
    write_struct(out, &list, &format!("The fields of `lua/fields/{name}.lua`."), fields);
    line(out, &format!("impl {list} {{"));
    if in_args {
        line(out, "fn append(self, args: &mut Vec<String>) {");
        for field in fields {
            push_arg(out, field, "self");
        }
        line(out, "}");
    }
    if in_replies {
        write_read(out, fields);
    }
    line(out, "}");
}

fn write_script(out: &mut String, script: &Assembled, library: &str, parts: &[String], sha1: &str) {
    let Header { keys, each, locks, .. } = &script.header;
    let names = |fields: &mut dyn Iterator<Item = &Field>| fields.map(|field| field.name.clone()).collect::<Vec<_>>();
    let args = names(&mut script.header.arg_fields());
    let each = names(&mut each.iter().flat_map(|group| &group.fields));
    let packed = script.header.packed().map_or(0, |(_, _, fields)| fields.len());
    let (name, upper) = (&script.name, script.name.to_uppercase());
    line(out, &format!("/// `lua/{name}.lua`"));
    let (function, reads) = (format!("{library}_{name}"), script.reads);
    line(
        out,
        &format!("pub static {upper}: Script = Script {{ name: {name:?}, library: &LIBRARY, function: {function:?}, locking: &LOCKING,"),
    );
    line(out, &format!("reads: {reads}, locks: &{locks:?}, sha1: {sha1:?},"));
    line(out, &format!("parts: &{parts:?},"));
    line(out, &format!("keys: &{keys:?}, packed: {packed}, args: &{args:?}, each: &{each:?} }};"));
}

/// The struct of a script's arguments, which makes the call.
fn write_args(out: &mut String, script: &Assembled) {
    let (name, header) = (pascal(&script.name), &script.header);
    if let Some(each) = header.each.as_ref().filter(|each| each.shared.is_none()) {
        write_struct(out, &each_type(&name, each), &sentence(&each.meaning), &each.fields);
    }
    line(out, &format!("/// A call of `lua/{}.lua`.", script.name));
    line(out, "#[derive(Clone, Debug)]");
    line(out, &format!("pub struct {name}Args {{"));
    for key in &header.keys {
        line(out, &format!("/// A key.\npub {key}: String,"));
    }
    for item in &header.args {
        write_item(out, item);
    }
    if let Some(each) = &header.each {
        line(out, &format!("/// {}\npub {}: Vec<{}>,", sentence(&each.meaning), plural(&each.name), each_type(&name, each)));
    }
    line(out, "}");

    line(out, &format!("impl Call for {name}Args {{"));
    line(out, &format!("type Reply = {name}Reply;"));
    line(out, "fn invocation(self) -> Invocation {");
    let room = header.arg_fields().count();
    let each = header.each.as_ref().map(|each| (plural(&each.name), each.fields.len()));
    let room = each.map_or(room.to_string(), |(each, fields)| format!("{room} + {fields} * self.{each}.len()"));
    let args = if room == "0" { "let args = Vec::new();".into() } else { format!("let mut args = Vec::with_capacity({room});") };
    line(out, &args);
    for item in &header.args {
        match item {
            Item::Field(field) => push_arg(out, field, "self"),
            Item::Shared { name, .. } => line(out, &format!("self.{name}.append(&mut args);")),
            Item::Packed { lists, .. } => {
                for (name, _) in lists {
                    line(out, &format!("self.{name}.append(&mut args);"));
                }
                line(out, "let mut args = vec![args.join(\"\\n\")];");
            }
        }
    }
    if let Some(each) = &header.each {
        line(out, &format!("for each in self.{} {{", plural(&each.name)));
        match each.shared {
            Some(_) => line(out, "each.append(&mut args);"),
            None => each.fields.iter().for_each(|field| push_arg(out, field, "each")),
        }
        line(out, "}");
    }
    let keys: Vec<String> = header.keys.iter().map(|key| format!("self.{key}")).collect();
    line(out, &format!("Invocation {{ script: &{}, keys: vec![{}], args, varies: false }}", script.name.to_uppercase(), keys.join(", ")));
    line(out, "}");
    line(out, &format!("fn read(reply: &mut ReplyReader) -> Result<{name}Reply, Error> {{ {name}Reply::read(reply) }}"));
    line(out, "}");
}

/// The struct of what is repeated among a script's arguments.
fn each_type(script: &str, each: &Group) -> String {
    each.shared.as_ref().map_or_else(|| format!("{script}{}", pascal(&each.name)), |list| format!("{}Fields", pascal(list)))
}

/// The type of a script's replies: a struct, or an enum where there are several statuses.
fn write_replies(out: &mut String, script: &Assembled) -> Result<(), String> {
    let name = pascal(&script.name);
    let replies: Vec<&Reply> = script.header.replies.iter().filter(|reply| reply.status != SPAN).collect();
    for group in replies.iter().flat_map(|reply| &reply.groups) {
        let group_name = format!("{name}{}", pascal(&group.name));
        write_struct(out, &group_name, &sentence(&group.meaning), &group.fields);
        line(out, &format!("impl {group_name} {{"));
        write_read(out, &group.fields);
        line(out, "}");
    }
    line(out, &format!("/// What `lua/{}.lua` answers.", script.name));
    line(out, "#[derive(Clone, Debug)]");
    match &replies[..] {
        [] => return Err("has no reply but SPAN".into()),
        [reply] => {
            line(out, &format!("pub struct {name}Reply {{"));
            write_members(out, reply, &name, "pub ");
            line(out, "}");
        }
        _ => {
            line(out, &format!("pub enum {name}Reply {{"));
            for reply in &replies {
                line(out, &format!("/// {}\n{} {{", sentence(&reply.meaning), pascal(&reply.status)));
                write_members(out, reply, &name, "");
                line(out, "},");
            }
            line(out, "}");
        }
    }
    line(out, &format!("impl {name}Reply {{"));
    line(out, "fn read(reply: &mut ReplyReader) -> Result<Self, Error> {");
    line(out, "let status = reply.status()?;");
    for Reply { status, items, groups, .. } in &replies {
        let variant = if replies.len() == 1 { String::new() } else { format!("::{}", pascal(status)) };
        line(out, &format!("if status == {status:?} {{\nlet read = Self{variant} {{"));
        for item in items {
            match item {
                Item::Field(field) => line(out, &format!("{}: {},", field.name, read_field(field))),
                Item::Shared { name, .. } => line(out, &format!("{name}: {}Fields::read(reply)?,", pascal(name))),
                Item::Packed { .. } => {}
            }
        }
        for Group { name: group, fields, per_argument, .. } in groups {
            let how = if *per_argument { format!("groups_per_argument({group:?}") } else { format!("groups({group:?}, {}", fields.len()) };
            line(out, &format!("{}: reply.{how}, {name}{}::read)?,", plural(group), pascal(group)));
        }
        line(out, "};\nreply.end()?;\nreturn Ok(read);\n}");
    }
    line(out, "Err(reply.malformed(\"the status\"))\n}\n}");
    Ok(())
}

/// The members of a reply's struct or variant.
fn write_members(out: &mut String, reply: &Reply, script: &str, visibility: &str) {
    for item in &reply.items {
        match item {
            Item::Field(field) => {
                let member = format!("/// {}\n{visibility}{}: {},", sentence(&field.meaning), field.name, rust_type(field));
                line(out, &member);
            }
            Item::Shared { name, .. } => line(out, &format!("{visibility}{name}: {}Fields,", pascal(name))),
            Item::Packed { .. } => {}
        }
    }
    for group in &reply.groups {
        let (meaning, field, name) = (sentence(&group.meaning), plural(&group.name), pascal(&group.name));
        line(out, &format!("/// {meaning}\n{visibility}{field}: Vec<{script}{name}>,"));
    }
}

fn write_struct(out: &mut String, name: &str, meaning: &str, fields: &[Field]) {
    line(out, &format!("/// {meaning}\n#[derive(Clone, Debug)]\npub struct {name} {{"));
    for field in fields {
        write_item(out, &Item::Field(field.clone()));
    }
    line(out, "}");
}

fn write_item(out: &mut String, item: &Item) {
    match item {
        Item::Field(field) => line(out, &format!("/// {}\npub {}: {},", sentence(&field.meaning), field.name, rust_type(field))),
        Item::Shared { name, .. } => line(out, &format!("pub {name}: {}Fields,", pascal(name))),
        Item::Packed { lists, .. } => lists.iter().for_each(|(name, _)| line(out, &format!("pub {name}: {}Fields,", pascal(name)))),
    }
}

/// A method `read` that reads each field in order.
fn write_read(out: &mut String, fields: &[Field]) {
    line(out, "pub(super) fn read(reply: &mut ReplyReader) -> Result<Self, Error> {\nOk(Self {");
    for field in fields {
        line(out, &format!("{}: {},", field.name, read_field(field)));
    }
    line(out, "})\n}");
}

fn push_arg(out: &mut String, field: &Field, of: &str) {
    let text = if field.kind == Kind::Text { "" } else { ".to_string()" };
    line(out, &format!("args.push({of}.{}{text});", field.name));
}

fn read_field(field: &Field) -> String {
    let reader = match field.kind {
        Kind::Text => "text",
        Kind::Int => "int",
        Kind::Number => "number",
        Kind::Count => "count",
        Kind::Flag => "flag",
        Kind::Id => "id",
    };
    if field.optional {
        format!("reply.optional({:?}, ReplyReader::{reader})?", field.name)
    } else {
        format!("reply.{reader}({:?})?", field.name)
    }
}

fn rust_type(field: &Field) -> String {
    let of = match field.kind {
        Kind::Text => "String",
        Kind::Int => "i64",
        Kind::Number => "Score",
        Kind::Count => "u64",
        Kind::Flag => "bool",
        Kind::Id => "Id",
    };
    if field.optional { format!("Option<{of}>") } else { of.into() }
}

/// `stable_offset` or `OK` as `StableOffset` or `Ok`.
fn pascal(name: &str) -> String {
    let word = |word: &str| word[..1].to_uppercase() + &word[1..].to_lowercase();
    name.split('_').filter(|part| !part.is_empty()).map(word).collect()
}

/// `entry` as `entries`, `day` as `days`.
fn plural(name: &str) -> String {
    match name.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{name}s"),
    }
}

/// What something means, as a sentence.
fn sentence(meaning: &str) -> String {
    let mut chars = meaning.trim_end_matches('.').chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).chain(['.']).collect())
}

fn line(out: &mut String, text: &str) {
    let _ = writeln!(out, "{text}");
}
