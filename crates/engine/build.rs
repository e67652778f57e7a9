//! Assembles the Lua library of lua/ with its bindings (lua/build/).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "../../lua/build/mod.rs"]
mod lua;

const LUA: &str = "../../lua";

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    println!("cargo::rerun-if-changed={LUA}");
    fs::write(out.join("scripts.rs"), scripts()).expect("OUT_DIR is writable");
}

/// The Rust source of all scripts.
fn scripts() -> String {
    let [scripts, fields, groups, records] = ["", "fields", "groups", "records"].map(|folder| read_lua(&Path::new(LUA).join(folder)));
    let functions = read_modules(&Path::new(LUA).join("lib"));
    let sources = lua::Sources { scripts, functions, fields, groups, records };
    let digest = |source: &str| sha1_smol::Sha1::from(source).digest().to_string();
    let written = lua::assembler::assemble_all(&sources).and_then(|(scripts, library)| lua::bindings::write(&scripts, &library, digest));
    written.unwrap_or_else(|problem| panic!("lua/{problem}"))
}

/// The `.lua` files of a folder, by name without the ending.
fn read_lua(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for path in entries(folder).iter().filter(|path| path.extension().is_some_and(|ending| ending == "lua")) {
        let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        files.insert(name, fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())));
    }
    files
}

/// The modules of a folder and its folders, by path without the ending.
fn read_modules(folder: &Path) -> BTreeMap<String, String> {
    let mut files = read_lua(folder);
    for inner in entries(folder).iter().filter(|path| path.is_dir()) {
        let name = inner.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        files.extend(read_lua(inner).into_iter().map(|(file, text)| (format!("{name}/{file}"), text)));
    }
    files
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.expect("the folder is readable").path()).collect()
}
