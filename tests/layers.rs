//! The layers of src/: imports point left in `ranking, adapter ← config, store ← ingest ← app ← api ← edge`, and only `edge` knows Workers.
//!
//! That `worker` is a dependency of wasm32 alone lets the compiler keep it out of what the host builds; these tests keep the
//! rest.

use std::fs;
use std::path::{Path, PathBuf};

/// Each module of src/ with those it may name, besides itself.
const LAYERS: [(&str, &[&str]); 8] = [
    ("ranking", &[]),
    ("adapter", &[]),
    ("config", &["ranking", "adapter"]),
    ("store", &["ranking", "adapter"]),
    ("ingest", &["ranking", "store"]),
    ("app", &["ranking", "adapter", "config", "ingest", "store"]),
    ("api", &["ranking", "app"]),
    ("edge", &["ranking", "adapter", "config", "app", "api"]),
];

/// Crates and clocks that only one layer may name.
const OWNED: [(&str, &str); 10] = [
    ("worker::", "edge"),
    ("wasm_bindgen", "edge"),
    ("js_sys", "edge"),
    ("tokio::", "edge"),
    ("futures_util", "edge"),
    ("redis::", "adapter"),
    ("Instant::now", "nobody"),
    ("SystemTime", "nobody"),
    ("Utc::now", "nobody"),
    ("Date::now", "edge"),
];

/// `redis::cmd` and `FromRedisValue` are how the store speaks to the adapter.
const ALSO: [(&str, &str); 1] = [("redis::", "store")];

/// What a file says that its layer may not, as `name:line: what`.
fn trespasses(layer: &str, name: &str, text: &str) -> Vec<String> {
    let (_, below) =
        LAYERS.iter().find(|(known, _)| *known == layer).unwrap_or_else(|| panic!("{name}: {layer} is not a layer; name it in LAYERS"));
    let mut found = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        let named = words_after(code, "crate::").into_iter().chain(words_after(code, "edgeboard::"));
        for module in named {
            if LAYERS.iter().any(|(known, _)| *known == module) && module != layer && !below.contains(&module) {
                found.push(format!("{name}:{}: {layer} names {module}", i + 1));
            }
        }
        for (word, owner) in OWNED {
            if stands_in(code, word) && layer != owner && !ALSO.contains(&(word, layer)) {
                found.push(format!("{name}:{}: {layer} names {word}, which is of {owner}", i + 1));
            }
        }
    }
    found
}

/// The identifiers after each `path`; all of `{a, b::c}` when a list stands there.
fn words_after<'t>(text: &'t str, path: &str) -> Vec<&'t str> {
    let word = |text: &'t str| text.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    let after = text.match_indices(path).map(|(at, _)| &text[at + path.len()..]);
    after
        .flat_map(|rest| if let Some(list) = rest.strip_prefix('{') { list.split(',').map(word).collect() } else { vec![word(rest)] })
        .collect()
}

/// Whether a word, or the beginning of a path, stands in a line and is not the end of a longer one.
fn stands_in(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// The Rust files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let (folders, files): (Vec<_>, Vec<_>) = entries.map(|entry| entry.expect("readable").path()).partition(|path| path.is_dir());
    let rust = files.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    rust.chain(folders.iter().flat_map(|folder| self::files(folder))).collect()
}

#[test]
fn imports_point_left() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for path in files(&src) {
        let inside = path.strip_prefix(&src).expect("below src");
        let layer = inside.iter().next().and_then(|first| first.to_str()).expect("UTF-8");
        if layer == "lib.rs" {
            continue;
        }
        let text = fs::read_to_string(&path).expect("readable");
        found.extend(trespasses(layer, &format!("src/{}", inside.display()), &text));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// lib.rs names every layer and nothing else, and builds `edge` for wasm32 alone.
#[test]
fn lib_names_the_layers() {
    let lib = include_str!("../src/lib.rs");
    let mut modules: Vec<&str> =
        lib.lines().filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')).collect();
    let mut layers = LAYERS.map(|(layer, _)| layer);
    modules.sort_unstable();
    layers.sort_unstable();
    assert_eq!(modules, layers);
    assert!(lib.contains("#[cfg(target_arch = \"wasm32\")]\nmod edge;"));
}

/// `worker` must stay out of what the host builds, or the compiler does not keep the invariant any more.
#[test]
fn workers_are_for_wasm32_alone() {
    let manifest = include_str!("../Cargo.toml");
    let mut section = "";
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        }
        if ["worker", "js-sys", "wasm-bindgen", "tokio", "futures-util"]
            .iter()
            .any(|name| line.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '=', '.'])))
        {
            assert_eq!(section, "[target.'cfg(target_arch = \"wasm32\")'.dependencies]", "{line}");
        }
    }
}

/// The test can tell right from wrong.
#[test]
fn trespasses_are_found() {
    #[track_caller]
    fn check(layer: &str, line: &str, found: &[&str]) {
        assert_eq!(
            trespasses(layer, "f", line),
            found.iter().map(|what| format!("f:1: {layer} names {what}")).collect::<Vec<_>>(),
            "{line}"
        );
    }
    check("ranking", "use crate::ranking::zone::Zones; // as crate::store does", &[]);
    check("ranking", "use crate::adapter::Error;", &["adapter"]);
    check("adapter", "use crate::ranking::name::Id;", &["ranking"]);
    check("store", "use crate::{adapter, app::App};", &["app"]);
    check("app", "    let x = crate::api::MAX_BODY;", &["api"]);
    check("app", "pub(crate) fn f() {}", &[]);
    check("edge", "use crate::api; use worker::Env; let now = Date::now();", &[]);
    check("api", "use worker::Env;", &["worker::, which is of edge"]);
    check("api", "use http::Request; let id = redis::cmd(\"GET\");", &["redis::, which is of adapter"]);
    check("app", "let start = std::time::Instant::now();", &["Instant::now, which is of nobody"]);
    check("ranking", "let coworker::x = 1;", &[]);
}
