//! What crates do not fence: imports point left in `config, ingest ← app ← api` of `serve`, and in `app ← api` of `admin`, only `edge` knows
//! Workers, and in `engine` the client knows nothing of rankings.
//!
//! That `worker` is a dependency of wasm32 alone lets the compiler keep it out of what the host builds; these tests keep the
//! rest. They parse the files, so that every `use` tree and every path counts, however it is written.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// The modules of the crates with those that each may name, besides itself.
const LAYERS: [(&str, &[&str]); 11] = [
    ("ranking", &[]),
    ("interface", &[]),
    ("engine::adapter", &[]),
    ("engine::store", &["ranking", "engine::adapter"]),
    ("serve::config", &["ranking", "engine::adapter"]),
    ("serve::ingest", &["ranking", "interface"]),
    ("serve::app", &["ranking", "engine::adapter", "engine::store", "serve::config", "serve::ingest"]),
    // What it needs of the layers below, `app` offers.
    ("serve::api", &["ranking", "interface", "serve::app"]),
    ("admin::app", &["ranking", "engine::adapter", "engine::store", "serve::config", "serve::ingest", "serve::app"]),
    ("admin::api", &["ranking", "interface", "serve::app", "serve::api", "admin::app"]),
    ("edgeboard::edge", &["ranking", "engine::adapter", "serve::config", "serve::app", "admin::app", "admin::api"]),
];

/// The folders of the crates that have layers.
const CRATES: [(&str, &str); 4] =
    [("engine", "crates/engine/src"), ("serve", "crates/serve/src"), ("admin", "crates/admin/src"), ("edgeboard", "src")];

/// Crates and clocks that only some layers may name.
const OWNED: [(&str, &[&str]); 8] = [
    ("worker", &["edgeboard::edge"]),
    ("wasm_bindgen", &["edgeboard::edge"]),
    ("js_sys", &["edgeboard::edge"]),
    ("futures_util", &["engine::adapter", "serve::app", "admin::app", "edgeboard::edge"]),
    ("Instant::now", &[]),
    ("SystemTime", &[]),
    ("Utc::now", &[]),
    ("Date::now", &["edgeboard::edge"]),
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
    let own = layer.split("::").next().unwrap_or_default();
    let mut found = Vec::new();
    for (line, path) in Paths::of(text).found {
        let module = match path.as_slice() {
            [root, module, ..] if root == "crate" => Some(format!("{own}::{module}")),
            [root, module, ..] if CRATES.iter().any(|(name, _)| root == name) => Some(format!("{root}::{module}")),
            [root, _, ..] => Some(root.clone()),
            _ => None,
        };
        if let Some(module) = module
            && LAYERS.iter().any(|(known, _)| *known == module)
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
fn imports_follow_the_layers() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut found, mut read) = (Vec::new(), 0);
    for (name, src) in CRATES {
        let folder = project.join(src);
        for path in files(&folder) {
            let inside = path.strip_prefix(&folder).expect("below it");
            let module = inside.iter().next().and_then(|first| first.to_str()).expect("UTF-8");
            if module == "lib.rs" {
                continue;
            }
            let text = fs::read_to_string(&path).expect("readable");
            found.extend(violations(&format!("{name}::{module}"), &format!("{src}/{}", inside.display()), &text));
            read += 1;
        }
    }
    assert!(read > 50, "the files are found: {read}");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The folders of the services.
fn folders_of_services() -> [PathBuf; 2] {
    ["crates/serve/src/app", "crates/admin/src/app"].map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
}

/// The modules of each `app` form no circle: whoever reads one needs those below it alone.
#[test]
fn modules_of_app_form_no_circle() {
    for folder in folders_of_services() {
        assert_no_circle(&folder);
    }
}

fn assert_no_circle(folder: &Path) {
    let mut named: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in files(folder) {
        let inside = path.strip_prefix(folder).expect("below it").with_extension("");
        let mut place: Vec<&str> = inside.iter().map(|part| part.to_str().expect("UTF-8")).filter(|part| *part != "mod").collect();
        // mod.rs itself lists them all.
        let Some(module) = place.first().map(|first| (*first).to_owned()) else { continue };
        place.pop();
        let text = fs::read_to_string(&path).expect("readable");
        let tests = text.find("\n#[cfg(test)]\nmod tests {").unwrap_or(text.len());
        for (_, found) in Paths::of(&text[..tests]).found {
            let found: Vec<&str> = found.iter().map(String::as_str).collect();
            let target = match found.as_slice() {
                ["crate", "app", target, ..] => Some(*target),
                ["super", target, ..] if place.is_empty() && *target != "super" => Some(*target),
                _ => None,
            };
            named.entry(module.clone()).or_default().extend(target.filter(|target| *target != module).map(Into::into));
        }
    }
    let modules: BTreeSet<String> = named.keys().cloned().collect();
    assert!(modules.len() > 10, "the modules are found: {modules:?}");
    let unknown: Vec<_> = named.values().flatten().filter(|target| !modules.contains(*target)).collect();
    assert!(unknown.is_empty(), "they name each other, and not what `app` offers: {unknown:?}");
    // The runtime names what extends serving, and that gets the whole application: the one way back.
    if let Some(ports) = named.get_mut("ports") {
        ports.remove("beyond");
    }
    // What names nothing that is left is taken away, until all is.
    while let Some(lowest) = named.iter().find(|(_, below)| below.is_empty()).map(|(module, _)| module.clone()) {
        named.remove(&lowest);
        for below in named.values_mut() {
            below.remove(&lowest);
        }
    }
    assert!(named.is_empty(), "a circle is among these: {named:#?}");
}

/// What a service may touch stands in its fields, so no type does everything. What administration does for serving goes through a trait that
/// anybody can read.
#[test]
fn no_type_of_app_has_many_functions() {
    const MOST: usize = 40;
    const MOST_OF_TRAIT: usize = 8;
    let mut counted: BTreeMap<String, usize> = BTreeMap::new();
    for path in folders_of_services().iter().flat_map(|folder| files(folder)) {
        let file = syn::parse_file(&fs::read_to_string(&path).expect("readable")).expect("the file is Rust");
        for item in file.items {
            if let syn::Item::Trait(syn::ItemTrait { ident, items, .. }) = &item {
                let functions = items.iter().filter(|item| matches!(item, syn::TraitItem::Fn(_))).count();
                assert!(functions <= MOST_OF_TRAIT, "the trait {ident} has {functions} functions");
            }
            if let syn::Item::Impl(syn::ItemImpl { self_ty, items, .. }) = item
                && let syn::Type::Path(path) = *self_ty
                && let Some(name) = path.path.segments.last()
            {
                *counted.entry(name.ident.to_string()).or_default() +=
                    items.iter().filter(|item| matches!(item, syn::ImplItem::Fn(_))).count();
            }
        }
    }
    let wide: Vec<_> = counted.iter().filter(|(_, functions)| **functions > MOST).collect();
    assert!(counted.len() > 20 && wide.is_empty(), "more than {MOST} functions: {wide:?}");
}

/// lib.rs of each crate names its layers and nothing else, and `edge` is built for wasm32 alone. `ranking` and `interface` are crates and layers.
#[test]
fn lib_names_the_layers() {
    let mut modules = vec!["ranking".to_owned(), "interface".to_owned()];
    for (name, src) in CRATES {
        let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(src).join("lib.rs")).expect("readable");
        let named = lib.lines().filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'));
        modules.extend(named.map(|module| format!("{name}::{module}")));
    }
    let mut layers = LAYERS.map(|(layer, _)| layer);
    modules.sort_unstable();
    layers.sort_unstable();
    assert_eq!(modules, layers);
    assert!(include_str!("../src/lib.rs").contains("#[cfg(target_arch = \"wasm32\")]\nmod edge;"));
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
    check("engine::store", "use ranking::zone::Zones; // as serve::api does", &[]);
    check("engine::adapter", "use ranking::name::Id;", &["ranking"]);
    check("engine::store", "use interface::code::Code;", &["interface"]);
    check("engine::adapter", "use crate::store::Store;", &["engine::store"]);
    check("engine::store", "use crate::adapter; use serve::{app::App, config};", &["serve::app", "serve::config"]);
    check(
        "serve::config",
        "use crate::{app::{self, App}, api::{Code, routes::{Route, ROUTES}}};",
        &["serve::app", "serve::app", "serve::api", "serve::api", "serve::api"],
    );
    check("serve::api", "use engine::store as keys;", &["engine::store"]);
    check("serve::api", "use crate::ingest::*;", &["serve::ingest"]);
    check("serve::api", "fn f() { let x = engine::store::ping(); }", &["engine::store"]);
    check("serve::api", "fn f() { println!(\"{}\", engine::adapter::X); }", &["engine::adapter"]);
    check("serve::app", "const X: usize = crate::api::MAX_BODY;", &["serve::api"]);
    check("admin::app", "use crate::api::Download; use serve::api::Problem;", &["admin::api", "serve::api"]);
    check("serve::app", "pub(crate) fn f() {}", &[]);
    check("edgeboard::edge", "use admin::api; use worker::Env; fn f() { let now = Date::now(); }", &[]);
    check("serve::api", "use worker::Env;", &["worker"]);
    check("admin::api", "use http::Request; fn f() { let id = js_sys::Date::new_0(); }", &["js_sys"]);
    check("serve::app", "fn f() { let start = std::time::Instant::now(); }", &["Instant::now"]);
    check("engine::store", "fn f() { coworker::x(); }", &[]);
}
