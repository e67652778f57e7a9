//! The Lua files and their functions are short.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use crate::assembler::tested::groups::Groups;
use crate::assembler::tested::limits::functions;
use crate::assembler::tested::words::words;

const MAX_FILE: usize = 250;
const MAX_FUNCTION: usize = 40;

/// Those that are longer: the path, the lines of the file, those of its longest function. The list may only shrink.
const LONGER: [(&str, usize, usize); 0] = [];

/// The lines of a file, and of its longest function.
#[derive(Debug, PartialEq)]
struct Size {
    file: usize,
    function: usize,
}

/// The code of an entry that is outside of all functions counts as one more: its lines after the header.
fn size(text: &str, is_entry: bool) -> Size {
    let lines = |part: &Range<usize>| text[part.clone()].lines().count();
    let functions = functions(&words(text));
    let outermost = functions.iter().filter(|inner| !functions.iter().any(|outer| outer.start < inner.start && inner.end <= outer.end));
    let header = text.find("\n\n").map_or(0, |at| at + 2);
    let own = text[header..].lines().filter(|line| !line.is_empty()).count().saturating_sub(outermost.map(lines).sum());
    let longest = functions.iter().map(lines).max().unwrap_or(0);
    Size { file: text.lines().count(), function: if is_entry { longest.max(own) } else { longest } }
}

/// Every Lua file of a folder and the folders in it, by path.
fn sizes(root: &Path) -> BTreeMap<String, Size> {
    let (mut found, mut remaining) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(folder) = remaining.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("the folder is readable").path();
            if path.is_dir() {
                remaining.push(path);
            } else if path.extension().is_some_and(|ending| ending == "lua") {
                let text = fs::read_to_string(&path).expect("the file is readable");
                let name = path.strip_prefix(root).expect("it lies below").to_string_lossy().into_owned();
                found.insert(name, size(&text, folder == root));
            }
        }
    }
    found
}

#[test]
fn files_and_functions_are_short() {
    let mut sizes = sizes(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/lua")));
    for (path, file, function) in LONGER {
        let size = sizes.remove(path).unwrap_or_else(|| panic!("{path} is gone: take it off the list"));
        assert!(size.file <= file && size.function <= function, "{path} grew beyond {file} and {function} lines: {size:?}");
        assert!(size.file > MAX_FILE || size.function > MAX_FUNCTION, "{path} is short now: take it off the list");
    }
    sizes.retain(|_, size| size.file > MAX_FILE || size.function > MAX_FUNCTION);
    assert!(sizes.is_empty(), "longer than {MAX_FILE} lines, or with a function of more than {MAX_FUNCTION}: {sizes:#?}");
}

/// lua/README.md has each module, with what its file says.
#[test]
fn modules_are_listed() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/lua"));
    let listed = fs::read_to_string(root.join("README.md")).expect("it is there");
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("it is there");
    let files: BTreeMap<String, String> = sizes(&root.join("groups"))
        .keys()
        .map(|path| (path.trim_end_matches(".lua").to_owned(), read(&format!("groups/{path}"))))
        .collect();
    let groups = Groups::read(&files).expect("right");
    for (name, text) in &files {
        let others: Vec<&str> =
            files.keys().filter(|other| *other != name && !groups.known[name].contains(other)).map(String::as_str).collect();
        let message = text.lines().next().and_then(|line| line.strip_prefix(&format!("-- {name}: "))).expect("a first line");
        let line = format!("| {name} | {} | {} |", message.trim_end_matches('.'), others.join(", "));
        assert!(listed.contains(&line), "lua/README.md has no line {line}");
    }
    for path in sizes(&root.join("lib")).keys() {
        let name = Path::new(path).file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(root.join("lib").join(path)).expect("it is there");
        let message = text.lines().next().and_then(|line| line.strip_prefix(&format!("-- {name}: "))).expect("a first line");
        let line = format!("| `{name}` | ");
        assert!(listed.contains(&line), "lua/README.md has no line {line}");
        if !path.starts_with("common/") {
            let (message, group) = (message.trim_end_matches('.'), groups.of.get(&name).map_or("", String::as_str));
            assert!(
                listed.contains(&format!("{line}{message} | {group} |")),
                "lua/README.md does not say of {name}, of {group}: {message}"
            );
        }
    }
}

#[test]
fn functions_are_measured_with_what_is_in_them() {
    let entry = "-- s: one.\n-- two\n\nlocal x = 'function' -- function\nlocal function f()\n  if x then\n    return function() end\n  end\nend\n\nreturn f\n";
    assert_eq!(size(entry, true), Size { file: 11, function: 5 });
    let code = entry.replace("return f\n", "local y\nlocal z\nlocal a\nlocal b\nreturn f\n");
    assert_eq!(size(&code, true), Size { file: 15, function: 6 });
    assert_eq!(size(&code, false), Size { file: 15, function: 5 });
}

/// Prints the lines of the files of `LUA_FOLDER`, and of the longest function of each; by default of lua/.
#[test]
#[ignore = "a record and no check: LUA_FOLDER=… cargo test --test lua record_of_sizes -- --ignored --nocapture"]
fn record_of_sizes() {
    let folder = std::env::var("LUA_FOLDER").unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/lua").into());
    let sizes = sizes(Path::new(&folder));
    println!("| file | lines | longest function |\n|---|---|---|");
    for (path, size) in &sizes {
        println!("| {path} | {} | {} |", size.file, size.function);
    }
    let longest = |of: fn(&Size) -> usize| sizes.values().map(of).max().unwrap_or(0);
    let lines: usize = sizes.values().map(|size| size.file).sum();
    println!("| {} files | {lines}, at most {} | {} |", sizes.len(), longest(|size| size.file), longest(|size| size.function));
}
