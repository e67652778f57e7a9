//! Puts the Lua scripts together (lua/assembler.rs) with their SHA-1, and collects the browser's files.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "lua/assembler.rs"]
mod assembler;

/// Files of web/ that the worker serves.
const WEB_FILES: [&str; 2] = ["beacon.js", "index.html"];

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    println!("cargo::rerun-if-changed=lua");
    fs::write(out.join("scripts.rs"), scripts()).expect("OUT_DIR is writable");

    // scripts/build.mjs minifies web/ and names the folder; without it the files are taken as they are written.
    println!("cargo::rerun-if-env-changed=EDGEBOARD_WEB_DIR");
    let web = PathBuf::from(env::var_os("EDGEBOARD_WEB_DIR").unwrap_or("web".into()));
    for file in WEB_FILES {
        let from = web.join(file);
        println!("cargo::rerun-if-changed={}", from.display());
        fs::copy(&from, out.join(file)).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    }
}

/// Rust source of one `pub static NAME: Script` per script.
fn scripts() -> String {
    let lib = read_lua(Path::new("lua/lib"));
    let mut rust = String::new();
    for (name, text) in read_lua(Path::new("lua")) {
        let script = assembler::assemble(&name, &text, &lib).unwrap_or_else(|problem| panic!("lua/{problem}"));
        let sha1 = sha1_smol::Sha1::from(script.source()).digest().to_string();
        let _ = writeln!(rust, "/// `lua/{name}.lua`");
        let _ = writeln!(
            rust,
            "pub static {}: Script = Script {{ name: {name:?}, sha1: {sha1:?}, parts: &{:?}, keys: &{:?}, args: &{:?}, each: &{:?} }};",
            name.to_uppercase(),
            script.parts,
            script.keys,
            script.args,
            script.each,
        );
    }
    rust
}

/// The `.lua` files of a folder, by name without the ending.
fn read_lua(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries
        .map(|entry| entry.expect("the folder is readable").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "lua"))
        .map(|path| {
            let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            (name, text)
        })
        .collect()
}
