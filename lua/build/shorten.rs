//! Scripts with fewer bytes: they are a tenth of the bundle, and nobody reads them in Redis.

use std::collections::{BTreeMap, BTreeSet};

use super::text::squeeze;
use super::words::{Role, words};

/// A part of a script without the spaces that only readers need. In a function of lua/lib, which stands alone, locals and
/// parameters get short names as well.
pub fn shorten(part: &str) -> String {
    if part.starts_with("local function ") { squeeze(&rename_locals(part)) } else { squeeze(part) }
}

fn rename_locals(code: &str) -> String {
    let found = words(code);
    let taken: BTreeSet<&str> = found.iter().map(|(_, word, _)| *word).collect();
    let mut free = short_names().filter(|name| !taken.contains(name.as_str()));
    let mut new_names: BTreeMap<&str, String> = BTreeMap::new();
    // The first is the function's own name, which others use.
    for (_, word, _) in found.iter().filter(|(.., role)| *role == Role::Declared).skip(1) {
        if word.len() > 1 && !new_names.contains_key(word) {
            new_names.extend(free.next().map(|name| (*word, name)));
        }
    }
    let (mut out, mut done) = (String::with_capacity(code.len()), 0);
    for (at, word, role) in &found {
        let Some(name) = new_names.get(word) else { continue };
        if *role == Role::Named && !is_variable(code, *at) {
            continue;
        }
        out.push_str(&code[done..*at]);
        out.push_str(name);
        done = at + word.len();
    }
    out.push_str(&code[done..]);
    out
}

/// Whether a word that is assigned to is a variable, and neither a field nor the key of a table.
fn is_variable(code: &str, at: usize) -> bool {
    let before = code[..at].trim_end();
    if before.ends_with(['.', ':']) && !before.ends_with("..") {
        return false;
    }
    let mut depth = 0_i32;
    for (end, word) in text_outside_strings(&code[..at]) {
        depth += i32::try_from(code[end..end + word].matches('{').count()).unwrap_or(0);
        depth -= i32::try_from(code[end..end + word].matches('}').count()).unwrap_or(0);
    }
    depth == 0
}

/// The parts of code that are not strings: where each begins, and its length.
fn text_outside_strings(code: &str) -> Vec<(usize, usize)> {
    let (mut found, mut from, mut quote, mut is_escaped) = (Vec::new(), 0, None, false);
    for (at, c) in code.char_indices() {
        match quote {
            Some(open) => {
                if c == open && !is_escaped {
                    (quote, from) = (None, at + 1);
                }
                is_escaped = c == '\\' && !is_escaped;
            }
            None if c == '\'' || c == '"' => {
                found.push((from, at - from));
                quote = Some(c);
            }
            None => {}
        }
    }
    if quote.is_none() {
        found.push((from, code.len() - from));
    }
    found
}

/// `a`, `b`, … `z`, `A`, … and then names of two letters that are no words of Lua.
fn short_names() -> impl Iterator<Item = String> {
    const KEYWORDS: [&str; 4] = ["do", "if", "in", "or"];
    let letters = || ('a'..='z').chain('A'..='Z');
    let two = letters().flat_map(move |first| letters().map(move |second| format!("{first}{second}")));
    letters().map(String::from).chain(two.filter(|name| !KEYWORDS.contains(&name.as_str())))
}
