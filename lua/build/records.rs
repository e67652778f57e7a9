//! The tables that modules hand to each other: which fields they have, listed in one place and checked.
//!
//! ```lua
//! -- call: one call of a script that counts.
//! --
//! -- @as c                 the names by which code knows such a table
//! -- @field board   text   one line per field: its name, its type, what it means
//! ```
//!
//! A field that code names must be listed by a record of that name, and one that is listed must be used. A name needs a record where a function has
//! it as a parameter, and where several files use its fields. What a name stands for is not followed: two records may share one, and then code may use
//! the fields of both.

use std::collections::{BTreeMap, BTreeSet};

use super::functions::TABLES;
use super::text;
use super::words::{Role, words};

/// The table of a call that counts. It goes to more than a third of the modules: nearly all that count, and half of those of the state. It has what an
/// event needs from its first read to its last write. A function that took its fields instead would hand on five to ten, at a cost for each event. The
/// number may only shrink.
const CALL: &str = "c";
const MAX_TAKERS_OF_CALL: usize = 41;

/// The fields of all records, by the name by which code knows them; the second tells which record lists them.
#[derive(Clone, Debug, Default)]
pub struct Records {
    fields: BTreeMap<String, BTreeMap<String, String>>,
}

impl Records {
    /// Reads the files of lua/records, by name without their ending.
    ///
    /// # Errors
    /// One line that names the file and what is wrong with it.
    pub fn read(files: &BTreeMap<String, String>) -> Result<Self, String> {
        let mut fields: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for (record, text) in files {
            let text = text::read(record, text)?;
            if !text.code.is_empty() {
                return Err(format!("{record}: a list of fields has no code"));
            }
            let message = |tag: &'static str| text.comments.iter().filter_map(move |comment| comment.trim().strip_prefix(tag));
            let names: Vec<&str> = message("@as ").flat_map(|list| list.split_whitespace()).collect();
            for field in message("@field ") {
                let mut words = field.split_whitespace();
                let (Some(field), Some(_), Some(_)) = (words.next(), words.next(), words.next()) else {
                    return Err(format!("{record}: {field:?} must be a name, a type and what it means"));
                };
                for name in &names {
                    let earlier = fields.entry((*name).into()).or_default().insert(field.into(), record.clone());
                    if let Some(earlier) = earlier {
                        return Err(format!("{record}: {name}.{field} is listed in {earlier} too"));
                    }
                }
            }
        }
        Ok(Self { fields })
    }

    /// Checks that all fields which some code names are listed, and that all that are listed are named.
    ///
    /// # Errors
    /// One line that names the field.
    pub fn check<'c>(&self, files: impl Iterator<Item = (&'c str, String)>) -> Result<(), String> {
        let mut used: BTreeSet<(String, String)> = BTreeSet::new();
        let mut unlisted: BTreeMap<String, String> = BTreeMap::new();
        for (file, code) in files {
            let parameters = parameters(&code);
            for (name, field) in named_fields(&code).into_iter().chain(given_fields(&code)) {
                let Some(listed) = self.fields.get(name) else {
                    if parameters.contains(name) {
                        return Err(format!("{file}: {name}.{field} is a field of a parameter; list it in a record of lua/records"));
                    }
                    match unlisted.insert(name.into(), file.into()) {
                        Some(other) if other != file && !TABLES.contains(&name) => {
                            return Err(format!("{file}: {name}.{field} and fields in {other} are listed by no record of lua/records"));
                        }
                        _ => continue,
                    }
                };
                if !listed.contains_key(field) {
                    return Err(format!("{file}: {name}.{field} is listed by no record of lua/records"));
                }
                used.insert((name.into(), field.into()));
            }
        }
        for (name, listed) in &self.fields {
            for (field, record) in listed {
                let is_used = self.names_of(record).any(|other| used.contains(&(other.to_owned(), field.clone())));
                if !is_used {
                    return Err(format!("records/{record}: no code names {name}.{field}"));
                }
            }
        }
        Ok(())
    }

    /// Checks to how many modules each table goes: those that take it as a parameter, and name a field of it.
    ///
    /// # Errors
    /// One line that names the table.
    pub fn check_shares(&self, modules: &[(&str, String)]) -> Result<(), String> {
        let takes = |code: &str, name: &str| parameters(code).contains(name) && named_fields(code).iter().any(|(of, _)| *of == name);
        for name in self.fields.keys() {
            let takers = modules.iter().filter(|(_, code)| takes(code, name)).count();
            let most = if name == CALL { MAX_TAKERS_OF_CALL } else { modules.len().div_ceil(3) };
            if takers > most {
                return Err(format!("{name}: goes to {takers} of {} modules, above {most}", modules.len()));
            }
        }
        Ok(())
    }

    /// The names by which code knows a record.
    fn names_of<'r>(&'r self, record: &'r str) -> impl Iterator<Item = &'r str> {
        self.fields.iter().filter(move |(_, fields)| fields.values().any(|of| of == record)).map(|(name, _)| name.as_str())
    }
}

/// The parameters of the named functions of some code.
fn parameters(code: &str) -> BTreeSet<&str> {
    let heads = code.match_indices("local function ").filter_map(|(at, _)| code[at..].split_once('(')?.1.split_once(')'));
    heads.flat_map(|(list, _)| list.split(',')).map(str::trim).collect()
}

/// The fields that code gives a table as it makes it, `name = { field = … }`, each with the name of the table.
fn given_fields(code: &str) -> Vec<(&str, &str)> {
    let words = words(code);
    let mut found = Vec::new();
    for &(at, name, _) in &words {
        // Of a list of names the first gets the first value.
        let is_of_list = code[..at].ends_with(", ");
        let Some(inner) = code[at + name.len()..].strip_prefix(" = {").filter(|_| !is_of_list) else { continue };
        let start = code.len() - inner.len();
        let is_own = |at: usize| {
            let before = &code[start..at];
            before.matches(['{', '(']).count() == before.matches(['}', ')']).count()
        };
        let end = inner.match_indices('}').map(|(at, _)| start + at).find(|&at| is_own(at)).unwrap_or(code.len());
        let given = words.iter().filter(|&&(at, word, role)| {
            (start..end).contains(&at) && role == Role::Named && code[at + word.len()..].starts_with(" = ") && is_own(at)
        });
        found.extend(given.map(|&(_, field, _)| (name, field)));
    }
    found
}

/// The fields that code names, each with the name of the table.
fn named_fields(code: &str) -> Vec<(&str, &str)> {
    let words = words(code);
    let follows = |at: usize, word: &str, next: usize| next == at + word.len() + 1 && code[at + word.len()..].starts_with('.');
    let pairs = words.windows(2).filter_map(|pair| match *pair {
        [(at, word, _), (next, field, _)] if follows(at, word, next) => Some((word, field)),
        _ => None,
    });
    pairs.collect()
}
