//! The modules of lua/lib, with what each of their functions uses.
//!
//! A file is a module of some functions, and of constants that they share. It names the modules that it uses, `-- @use clock, windows`, and no module
//! comes to use itself. Names are unique over all files. Those of lua/lib/common use each other alone, and all may use them unnamed.

use std::collections::{BTreeMap, BTreeSet};

use super::text;
use super::words::{Role, makes_key, words};

/// What a module answers to others, and the lines of its file: one idea. Keys are named in one common module, however many they are.
const MAX_EXPORTS: usize = 12;
const MAX_LINES: usize = 250;

/// A function, or a constant that functions share.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    /// `None`: one of lua/lib/common.
    pub module: Option<String>,
    /// The code without comments and indentation.
    pub code: String,
    /// The other definitions that it uses, each once.
    pub uses: Vec<String>,
}

/// Everything that lua/lib defines, by name.
#[derive(Clone, Debug, Default)]
pub struct Library {
    definitions: BTreeMap<String, Definition>,
    /// The modules that each module says it uses.
    pub named: BTreeMap<String, Vec<String>>,
    /// In an order in which each stands after those that it uses.
    pub modules: Vec<String>,
}

impl Library {
    /// Reads the files of lua/lib; `files` maps a path without its ending to a text.
    ///
    /// # Errors
    /// One line that names the file and what is wrong with it.
    pub fn read(files: &BTreeMap<String, String>) -> Result<Self, String> {
        let (mut library, mut file_of) = (Self::default(), BTreeMap::new());
        for (path, text) in files {
            let (is_common, file) = path.strip_prefix("common/").map_or((false, path.as_str()), |file| (true, file));
            if text.lines().count() > MAX_LINES {
                return Err(format!("{file}: has more than {MAX_LINES} lines"));
            }
            if path != "common/keys" && makes_key(&text::read(file, text)?.body()) {
                return Err(format!("{file}: makes a key; name that in lib/common/keys.lua"));
            }
            for definition in definitions((!is_common).then_some(file), file, text)? {
                if let Some(other) = file_of.insert(definition.name.clone(), file) {
                    return Err(format!("{file}: {} is defined in {other} too", definition.name));
                }
                library.definitions.insert(definition.name.clone(), definition);
            }
            if !is_common {
                library.named.insert(file.to_owned(), text::read(file, text)?.names("@use "));
            }
        }
        for (name, file) in file_of {
            let code = library.get(&name).code.clone();
            if let Some(own) = ["KEYS", "ARGV"].iter().find(|own| super::words::uses(&code, own)) {
                return Err(format!("{file}: {name} uses {own} of a call; take it as a parameter"));
            }
            let uses = library.uses_but(file, &code, Some(&name))?;
            if let Some(definition) = library.definitions.get_mut(&name) {
                definition.uses = uses;
            }
        }
        library.check_uses()?;
        library.modules = in_order(&library.named)?;
        Ok(library)
    }

    /// Each module uses those that it names.
    fn check_uses(&self) -> Result<(), String> {
        let mut used: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for definition in self.definitions.values() {
            for other in definition.uses.iter().map(|name| self.get(name)).filter(|other| other.module != definition.module) {
                let Some(module) = &other.module else { continue };
                let Some(by) = &definition.module else {
                    return Err(format!("common: {} uses {} of {module}; it must lie in a module itself", definition.name, other.name));
                };
                used.entry(by).or_default().insert(module);
            }
        }
        for (module, names) in &self.named {
            let used: Vec<&str> = used.get(module.as_str()).into_iter().flatten().copied().collect();
            if *names != used {
                return Err(format!("{module}: must say -- @use {}", used.join(", ")));
            }
        }
        Ok(())
    }

    /// Each module answers few functions, to other modules and to scripts, which use these.
    ///
    /// # Errors
    /// The name of a module that answers more.
    pub fn check_answers<'u>(&'u self, scripts: impl Iterator<Item = &'u String>) -> Result<(), String> {
        let of_scripts = scripts.map(|name| (None, name));
        let of_modules = self.definitions.values().flat_map(|by| by.uses.iter().map(|name| (by.module.as_ref(), name)));
        let mut answered: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (by, name) in of_modules.chain(of_scripts) {
            if let Some(module) = self.get(name).module.as_ref().filter(|module| Some(*module) != by) {
                answered.entry(module).or_default().insert(name);
            }
        }
        match answered.iter().find(|(_, names)| names.len() > MAX_EXPORTS) {
            Some((module, names)) => Err(format!("{module}: others use {} of its functions, above {MAX_EXPORTS}", names.len())),
            None => Ok(()),
        }
    }

    /// The definitions that code uses itself, in the order of their first use.
    ///
    /// # Errors
    /// The name of a definition or module that the code of `file` gives to something else.
    pub fn uses(&self, file: &str, code: &str) -> Result<Vec<String>, String> {
        self.uses_but(file, code, None)
    }

    /// Likewise, but for the one that the code defines.
    fn uses_but(&self, file: &str, code: &str, own: Option<&str>) -> Result<Vec<String>, String> {
        let mut found: Vec<String> = Vec::new();
        for (_, word, role) in words(code) {
            if own == Some(word) {
                continue;
            }
            match role {
                Role::Declared if self.has(word) => {
                    return Err(format!("{file}: {word} is a function of lua/lib; name the local otherwise"));
                }
                Role::Used if self.has(word) && !found.iter().any(|name| name == word) => found.push(word.into()),
                _ => {}
            }
        }
        Ok(found)
    }

    pub fn has(&self, name: &str) -> bool {
        self.definitions.contains_key(name)
    }

    /// A definition that there is.
    pub fn get(&self, name: &str) -> &Definition {
        &self.definitions[name]
    }

    /// The definitions of a module (`None`: the common ones) among some, each after what it uses of the same.
    ///
    /// # Errors
    /// The name of a function that comes to use itself.
    pub fn of_module(&self, module: Option<&str>, among: &BTreeSet<String>) -> Result<Vec<&Definition>, String> {
        let of = |definition: &&Definition| definition.module.as_deref() == module && among.contains(&definition.name);
        let graph: BTreeMap<String, Vec<String>> =
            self.definitions.values().filter(of).map(|definition| (definition.name.clone(), definition.uses.clone())).collect();
        Ok(in_order(&graph)?.iter().map(|name| self.get(name)).collect())
    }

    /// The names of these definitions and of all that they come to use.
    pub fn reached(&self, uses: &[String]) -> BTreeSet<String> {
        let (mut seen, mut remaining) = (BTreeSet::new(), uses.to_vec());
        while let Some(name) = remaining.pop() {
            remaining.extend(self.get(&name).uses.iter().filter(|used| !seen.contains(*used)).cloned());
            seen.insert(name);
        }
        seen
    }

    /// The names of all definitions.
    pub fn all(&self) -> BTreeSet<String> {
        self.definitions.keys().cloned().collect()
    }
}

/// The nodes of a graph, each after those that it names; others than its own are left out.
fn in_order(graph: &BTreeMap<String, Vec<String>>) -> Result<Vec<String>, String> {
    fn add(graph: &BTreeMap<String, Vec<String>>, name: &String, done: &mut Vec<String>, open: &mut Vec<String>) -> Result<(), String> {
        let Some(named) = graph.get(name).filter(|_| !done.contains(name)) else { return Ok(()) };
        if open.contains(name) {
            return Err(format!("{name}: uses itself by {}", open.join(", ")));
        }
        open.push(name.clone());
        for other in named {
            add(graph, other, done, open)?;
        }
        open.pop();
        done.push(name.clone());
        Ok(())
    }
    let mut done = Vec::new();
    for name in graph.keys() {
        add(graph, name, &mut done, &mut Vec::new())?;
    }
    Ok(done)
}

/// The definitions of a file; what they use is not known yet.
fn definitions(module: Option<&str>, file: &str, text: &str) -> Result<Vec<Definition>, String> {
    let mut found: Vec<Definition> = Vec::new();
    for line in text::read(file, text)?.code {
        if line.is_outermost && line.text.starts_with("local ") {
            let rest = line.text.trim_start_matches("local ").trim_start_matches("function ");
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let name = rest[..end].to_owned();
            // What a key holds is said in crates/engine/src/store/keys.rs.
            if file != "keys"
                && !text.lines().any(|line| line.strip_prefix("-- ").is_some_and(|message| message.starts_with(&format!("{name}: "))))
            {
                return Err(format!("{file}: no comment says what {name} is: -- {name}: …"));
            }
            found.push(Definition { name, module: module.map(String::from), code: String::new(), uses: Vec::new() });
        } else if line.is_outermost && !matches!(line.text, "end" | "}") {
            return Err(format!("{file}: code outside of a function: {}", line.text));
        }
        let definition = found.last_mut().ok_or(format!("{file}: code outside of a function: {}", line.text))?;
        definition.code.push_str(line.text);
        definition.code.push('\n');
    }
    Ok(found)
}
