//! The layers of src/: imports point left in `ranking, adapter ← config, ingest, store ← app ← api ← edge`, and only `edge` knows
//! Workers.
//!
//! That `worker` is a dependency of wasm32 alone lets the compiler keep it out of what the host builds; these tests keep the
//! rest. They parse the files, so that every `use` tree and every path counts, however it is written.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// Each module of src/ with those it may name, besides itself.
const LAYERS: [(&str, &[&str]); 8] = [
    ("ranking", &[]),
    ("adapter", &[]),
    ("config", &["ranking", "adapter"]),
    ("store", &["ranking", "adapter"]),
    ("ingest", &["ranking"]),
    ("app", &["ranking", "adapter", "config", "ingest", "store"]),
    // What it needs of the layers below, `app` offers.
    ("api", &["ranking", "app"]),
    ("edge", &["ranking", "adapter", "config", "app", "api"]),
];

/// Crates and clocks that only some layers may name.
const OWNED: [(&str, &[&str]); 8] = [
    ("worker", &["edge"]),
    ("wasm_bindgen", &["edge"]),
    ("js_sys", &["edge"]),
    ("futures_util", &["app", "edge"]),
    ("Instant::now", &[]),
    ("SystemTime", &[]),
    ("Utc::now", &[]),
    ("Date::now", &["edge"]),
];

/// The paths that a file names, each with its line.
#[derive(Default)]
struct Paths {
    found: Vec<(usize, Vec<String>)>,
}

impl Paths {
    fn of(text: &str) -> Self {
        let mut paths = Self::default();
        paths.visit_file(&syn::parse_file(text).expect("the file is Rust"));
        paths
    }

    fn tree(&mut self, tree: &syn::UseTree, before: &[String]) {
        let with = |ident: &syn::Ident| before.iter().cloned().chain([ident.to_string()]).collect::<Vec<_>>();
        match tree {
            syn::UseTree::Path(path) => self.tree(&path.tree, &with(&path.ident)),
            syn::UseTree::Name(name) => self.found.push((name.ident.span().start().line, with(&name.ident))),
            syn::UseTree::Rename(rename) => self.found.push((rename.ident.span().start().line, with(&rename.ident))),
            syn::UseTree::Glob(glob) => self.found.push((glob.star_token.spans[0].start().line, before.to_vec())),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, before)),
        }
    }

    /// Macros are not parsed: their words joined by `::` count as paths.
    fn tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut line, mut joined): (Vec<String>, usize, bool) = (Vec::new(), 0, false);
        for token in tokens {
            match &token {
                TokenTree::Ident(ident) => {
                    if !joined && !path.is_empty() {
                        self.found.push((line, std::mem::take(&mut path)));
                    }
                    line = ident.span().start().line;
                    path.push(ident.to_string());
                    joined = false;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => joined = true,
                _ => {
                    joined = false;
                    if !path.is_empty() {
                        self.found.push((line, std::mem::take(&mut path)));
                    }
                    if let TokenTree::Group(group) = token {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        if !path.is_empty() {
            self.found.push((line, path));
        }
    }
}

impl<'a> Visit<'a> for Paths {
    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        self.tree(&item.tree, &[]);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let line = path.segments.first().map_or(0, |segment| segment.ident.span().start().line);
        self.found.push((line, names));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, found: &'a syn::Macro) {
        self.tokens(found.tokens.clone());
        visit::visit_macro(self, found);
    }
}

/// What a file names that its layer may not, as `name:line: what`.
fn violations(layer: &str, name: &str, text: &str) -> Vec<String> {
    let (_, below) =
        LAYERS.iter().find(|(known, _)| *known == layer).unwrap_or_else(|| panic!("{name}: {layer} is not a layer; name it in LAYERS"));
    let mut found = Vec::new();
    for (line, path) in Paths::of(text).found {
        if let [root, module, ..] = path.as_slice()
            && matches!(root.as_str(), "crate" | "edgeboard")
            && LAYERS.iter().any(|(known, _)| known == module)
            && module != layer
            && !below.contains(&module.as_str())
        {
            found.push(format!("{name}:{line}: {layer} names {module}"));
        }
        for (owned, owners) in OWNED {
            let words: Vec<&str> = owned.split("::").collect();
            let stands = if words.len() == 1 && owned.starts_with(char::is_lowercase) {
                // A name alone is a local variable.
                path.len() > 1 && path[0] == owned
            } else {
                path.windows(words.len()).any(|window| window == words.as_slice())
            };
            if stands && !owners.contains(&layer) {
                found.push(format!("{name}:{line}: {layer} names {owned}"));
            }
        }
    }
    found
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
    let (mut found, mut read) = (Vec::new(), 0);
    for path in files(&src) {
        let inside = path.strip_prefix(&src).expect("below src");
        let layer = inside.iter().next().and_then(|first| first.to_str()).expect("UTF-8");
        if layer == "lib.rs" {
            continue;
        }
        let text = fs::read_to_string(&path).expect("readable");
        found.extend(violations(layer, &format!("src/{}", inside.display()), &text));
        read += 1;
    }
    assert!(read > 50, "the files are found: {read}");
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
    let (mut section, mut checked) = ("", 0);
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        }
        if ["worker", "js-sys", "wasm-bindgen"]
            .iter()
            .any(|name| line.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '=', '.'])))
        {
            assert_eq!(section, "[target.'cfg(target_arch = \"wasm32\")'.dependencies]", "{line}");
            checked += 1;
        }
    }
    assert_eq!(checked, 3);
}

/// The test can tell right from wrong.
#[test]
fn violations_are_found() {
    #[track_caller]
    fn check(layer: &str, line: &str, found: &[&str]) {
        let expected: Vec<String> = found.iter().map(|what| format!("f:1: {layer} names {what}")).collect();
        assert_eq!(violations(layer, "f", line), expected, "{line}");
    }
    check("ranking", "use crate::ranking::zone::Zones; // as crate::store does", &[]);
    check("ranking", "use crate::adapter::Error;", &["adapter"]);
    check("adapter", "use crate::ranking::name::Id;", &["ranking"]);
    check("store", "use crate::{adapter, app::App};", &["app"]);
    check("store", "use crate::{adapter::{self, Error}, ranking::name::Id, api::{Code, routes::{Route, ROUTES}}};", &["api", "api", "api"]);
    check("api", "use crate::store as keys;", &["store"]);
    check("api", "use crate::ingest::*;", &["ingest"]);
    check("api", "fn f() { let x = crate::store::ping(); }", &["store"]);
    check("api", "fn f() { println!(\"{}\", crate::adapter::X); }", &["adapter"]);
    check("app", "const X: usize = crate::api::MAX_BODY;", &["api"]);
    check("app", "pub(crate) fn f() {}", &[]);
    check("edge", "use crate::api; use worker::Env; fn f() { let now = Date::now(); }", &[]);
    check("api", "use worker::Env;", &["worker"]);
    check("api", "use http::Request; fn f() { let id = js_sys::Date::new_0(); }", &["js_sys"]);
    check("app", "fn f() { let start = std::time::Instant::now(); }", &["Instant::now"]);
    check("ranking", "fn f() { coworker::x(); }", &[]);
}
