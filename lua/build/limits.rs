//! Lua's limits on a function: 60 variables of the functions around it, and 200 of its own.

use std::collections::BTreeSet;
use std::ops::Range;

use super::words::{Role, words};

const MAX_OUTER: usize = 60;
pub const MAX_LOCALS: usize = 200;

/// Words that are no variables: what Lua keeps for itself.
const NO_VARIABLES: &str = "and break do else elseif end false for function if in local nil not or repeat return then true until while";

/// Checks each function of some code, and the code itself.
///
/// # Errors
/// "has a function …" and by how much it is too big.
pub fn check(code: &str) -> Result<(), String> {
    let words = words(code);
    let functions = functions(&words);
    for whole in functions.iter().chain([&(0..code.len())]) {
        let inner: Vec<&Range<usize>> = functions.iter().filter(|inner| whole.start < inner.start && inner.end <= whole.end).collect();
        let first_line = code[whole.clone()].lines().next().unwrap_or_default();
        let (mut locals, mut declared, mut used) = (0, BTreeSet::new(), BTreeSet::new());
        // The function's own name is a local of what is around it.
        let is_function = functions.contains(whole);
        let start = whole.start + code[whole.clone()].find('(').filter(|_| is_function).unwrap_or(0);
        for (at, word, role) in words.iter().filter(|(at, ..)| (start..whole.end).contains(at)) {
            match role {
                Role::Declared => {
                    declared.insert(*word);
                    locals += usize::from(inner.iter().all(|inner| !inner.contains(at)));
                }
                Role::Used => {
                    used.insert(*word);
                }
                Role::Named => {}
            }
        }
        if locals > MAX_LOCALS {
            return Err(format!("has a function of {locals} locals, above {MAX_LOCALS}: {first_line}"));
        }
        let outer = used.difference(&declared).filter(|name| NO_VARIABLES.split_whitespace().all(|word| word != **name)).count();
        if is_function && outer > MAX_OUTER {
            return Err(format!("has a function that uses {outer} names around it, above {MAX_OUTER}: {first_line}"));
        }
    }
    Ok(())
}

/// The functions among the words of some code, from their `function` to their `end`; inner ones too.
pub fn functions(words: &[(usize, &str, Role)]) -> Vec<Range<usize>> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    for &(at, word, _) in words {
        match word {
            "function" | "if" | "do" | "repeat" => open.push((at, word)),
            "end" | "until" => {
                if let Some((from, "function")) = open.pop() {
                    found.push(from..at + word.len());
                }
            }
            _ => {}
        }
    }
    found
}
