//! The functions of lua/lib, with which of them each uses.
//!
//! A file of `lua/lib/ROOM/` is the function of its name. A file of `lua/lib/` itself may hold several small ones. Names are
//! unique over all files.

use std::collections::BTreeMap;

use super::text;
use super::words::{Role, words};

/// A function, or a constant that several functions share.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    /// The code without comments and indentation.
    pub code: String,
    /// The other definitions that it uses, each once.
    pub uses: Vec<String>,
}

/// Everything that lua/lib defines, by name.
#[derive(Clone, Debug, Default)]
pub struct Library(BTreeMap<String, Definition>);

impl Library {
    /// Reads the files of lua/lib; `files` maps a path without its ending to a text.
    ///
    /// # Errors
    /// One line that names the file and what is wrong with it.
    pub fn read(files: &BTreeMap<String, String>) -> Result<Self, String> {
        let mut library = Self::default();
        let mut file_of = BTreeMap::new();
        for (path, text) in files {
            let file = path.rsplit('/').next().unwrap_or(path);
            let definitions = definitions(file, text)?;
            if path.contains('/') && (definitions.len() != 1 || definitions[0].name != file) {
                return Err(format!("{file}: must define the local function {file} and nothing else"));
            }
            for definition in definitions {
                let name = definition.name.clone();
                if let Some(other) = file_of.insert(name.clone(), file) {
                    return Err(format!("{file}: {name} is defined in {other} too"));
                }
                library.0.insert(name, definition);
            }
        }
        for (name, file) in file_of {
            let uses = library.uses_but(file, library.code(&name), Some(&name))?;
            if let Some(definition) = library.0.get_mut(&name) {
                definition.uses = uses;
            }
        }
        Ok(library)
    }

    /// The definitions that code uses itself, in the order of their first use.
    ///
    /// # Errors
    /// The name of a definition that the code of `file` gives to something else.
    pub fn uses(&self, file: &str, code: &str) -> Result<Vec<String>, String> {
        self.uses_but(file, code, None)
    }

    /// Likewise, but for the one that the code defines.
    fn uses_but(&self, file: &str, code: &str, own: Option<&str>) -> Result<Vec<String>, String> {
        let mut found: Vec<String> = Vec::new();
        for (_, word, role) in words(code) {
            if !self.has(word) || own == Some(word) {
                continue;
            }
            match role {
                Role::Declared => return Err(format!("{file}: {word} is a function of lua/lib; name the local otherwise")),
                Role::Used if !found.iter().any(|name| name == word) => found.push(word.into()),
                Role::Used | Role::Named => {}
            }
        }
        Ok(found)
    }

    /// Appends a definition to a list after those that it uses; each once.
    ///
    /// # Errors
    /// The name of a definition that comes to use itself by others.
    pub fn add_with_needs(&self, name: &str, list: &mut Vec<String>) -> Result<(), String> {
        self.add(name, list, &mut Vec::new())
    }

    fn add(&self, name: &str, list: &mut Vec<String>, open: &mut Vec<String>) -> Result<(), String> {
        if list.iter().any(|known| known == name) {
            return Ok(());
        }
        if open.iter().any(|known| known == name) {
            return Err(format!("{name}: uses itself by {}", open.join(", ")));
        }
        open.push(name.into());
        for need in &self.0[name].uses {
            self.add(need, list, open)?;
        }
        open.pop();
        list.push(name.into());
        Ok(())
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub fn code(&self, name: &str) -> &str {
        &self.0[name].code
    }
}

/// The definitions of a file; what they use is not known yet.
fn definitions(file: &str, text: &str) -> Result<Vec<Definition>, String> {
    let mut found: Vec<Definition> = Vec::new();
    for line in text::read(file, text)?.code {
        if line.is_outermost && line.text.starts_with("local ") {
            let rest = line.text.trim_start_matches("local ").trim_start_matches("function ");
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            found.push(Definition { name: rest[..end].into(), code: String::new(), uses: Vec::new() });
        } else if line.is_outermost && !matches!(line.text, "end" | "}") {
            return Err(format!("{file}: code outside of a function: {}", line.text));
        }
        let definition = found.last_mut().ok_or(format!("{file}: code outside of a function: {}", line.text))?;
        definition.code.push_str(line.text);
        definition.code.push('\n');
    }
    Ok(found)
}
