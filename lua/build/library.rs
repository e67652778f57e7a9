//! The functions of lua/lib, with which of them each uses.
//!
//! A file of `lua/lib/ROOM/` is the function of its name. A file of `lua/lib/` itself may hold several small ones, which use
//! no room. Names are unique over all files.

use std::collections::{BTreeMap, BTreeSet};

use super::text;
use super::words::{Role, uses, words};

/// A function, or a constant that functions share.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    /// The folder that it lies in; `None` for a file of lua/lib itself.
    pub room: Option<String>,
    /// The code without comments and indentation.
    pub code: String,
    /// The other definitions that it uses, each once.
    pub uses: Vec<String>,
}

/// Everything that lua/lib defines, by name.
#[derive(Clone, Debug, Default)]
pub struct Library {
    definitions: BTreeMap<String, Definition>,
}

impl Library {
    /// Reads the files of lua/lib; `files` maps a path without its ending to a text.
    ///
    /// # Errors
    /// One line that names the file and what is wrong with it.
    pub fn read(files: &BTreeMap<String, String>) -> Result<Self, String> {
        let mut library = Self::default();
        let mut file_of = BTreeMap::new();
        for (path, text) in files {
            let (room, file) = path.split_once('/').map_or((None, path.as_str()), |(room, file)| (Some(room), file));
            let definitions = definitions(room, file, text)?;
            if room.is_some() && (definitions.len() != 1 || definitions[0].name != file) {
                return Err(format!("{file}: must define the local function {file} and nothing else"));
            }
            for definition in definitions {
                if let Some(other) = file_of.insert(definition.name.clone(), file) {
                    return Err(format!("{file}: {} is defined in {other} too", definition.name));
                }
                library.definitions.insert(definition.name.clone(), definition);
            }
        }
        for (name, file) in file_of {
            let definition = library.get(&name);
            // A library has no calls of its own.
            if let Some(own) = ["KEYS", "ARGV"].iter().find(|own| uses(&definition.code, own)) {
                return Err(format!("{file}: {name} uses {own} of a call; take it as a parameter"));
            }
            let uses = library.uses_but(file, &definition.code, Some(&name))?;
            let far = uses.iter().find(|used| library.get(used).room != definition.room && library.get(used).room.is_some());
            if let (None, Some(far)) = (&definition.room, far) {
                return Err(format!("{file}: {name} uses {far} of a room; it must lie in a room itself"));
            }
            if let (Some(room), Some(far)) = (&definition.room, far)
                && !definition.code.starts_with("local function")
            {
                return Err(format!("{file}: a constant of {room} uses {far} of another room"));
            }
            if let Some(definition) = library.definitions.get_mut(&name) {
                definition.uses = uses;
            }
        }
        Ok(library)
    }

    /// The definitions that code uses itself, in the order of their first use.
    ///
    /// # Errors
    /// The name of a definition or room that the code of `file` gives to something else.
    pub fn uses(&self, file: &str, code: &str) -> Result<Vec<String>, String> {
        self.uses_but(file, code, None)
    }

    /// Likewise, but for the one that the code defines.
    fn uses_but(&self, file: &str, code: &str, own: Option<&str>) -> Result<Vec<String>, String> {
        let rooms: BTreeSet<String> = self.definitions.values().filter_map(|known| known.room.as_deref().map(room_function)).collect();
        let mut found: Vec<String> = Vec::new();
        for (_, word, role) in words(code) {
            if own == Some(word) {
                continue;
            }
            match role {
                Role::Declared if self.has(word) => {
                    return Err(format!("{file}: {word} is a function of lua/lib; name the local otherwise"));
                }
                Role::Declared if rooms.contains(word) => {
                    return Err(format!("{file}: {word} is a room of lua/lib; name the local otherwise"));
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

    /// The rooms.
    pub fn rooms(&self) -> BTreeSet<String> {
        self.definitions.values().filter_map(|definition| definition.room.clone()).collect()
    }

    /// The definitions of a room (`None`: of no room), each after what it uses of the same.
    ///
    /// # Errors
    /// The name of a function that comes to use itself.
    pub fn in_order(&self, room: Option<&str>) -> Result<Vec<String>, String> {
        let mut ordered = Vec::new();
        for name in self.definitions.values().filter(|definition| definition.room.as_deref() == room).map(|definition| &definition.name) {
            self.add_in_order(name, &mut ordered, &mut Vec::new())?;
        }
        Ok(ordered)
    }

    fn add_in_order(&self, name: &str, ordered: &mut Vec<String>, open: &mut Vec<String>) -> Result<(), String> {
        if ordered.iter().any(|known| known == name) {
            return Ok(());
        }
        if open.iter().any(|known| known == name) {
            return Err(format!("{name}: uses itself by {}", open.join(", ")));
        }
        open.push(name.into());
        let definition = self.get(name);
        for used in definition.uses.iter().filter(|used| self.get(used).room == definition.room) {
            self.add_in_order(used, ordered, open)?;
        }
        open.pop();
        ordered.push(name.into());
        Ok(())
    }

    /// The code of these definitions and of all that they come to use.
    pub fn reached(&self, uses: &[String]) -> Vec<&String> {
        let (mut seen, mut left): (BTreeSet<&String>, Vec<&String>) = (BTreeSet::new(), uses.iter().collect());
        while let Some(name) = left.pop() {
            if seen.insert(name) {
                left.extend(&self.get(name).uses);
            }
        }
        seen.into_iter().map(|name| &self.get(name).code).collect()
    }

    /// Code of a room (`None`: of a script) as it stands in a script: what lies in another room is asked of it.
    pub fn linked(&self, code: &str, room: Option<&str>) -> String {
        self.joined(code, room, "().")
    }

    /// The same as it stands in a library: each room has a table.
    pub fn tabled(&self, code: &str, room: Option<&str>) -> String {
        self.joined(code, room, ".")
    }

    fn joined(&self, code: &str, room: Option<&str>, by: &str) -> String {
        let mut out = String::new();
        let mut done = 0;
        for (at, word, role) in words(code) {
            let of = self.definitions.get(word).and_then(|definition| definition.room.as_deref());
            if let (Role::Used, Some(of)) = (role, of)
                && Some(of) != room
            {
                out.push_str(&code[done..at]);
                out.push_str(&room_function(of));
                out.push_str(by);
                done = at;
            }
        }
        out.push_str(&code[done..]);
        out
    }
}

/// The name of the function that answers a room's functions.
pub fn room_function(room: &str) -> String {
    format!("{room}_room")
}

/// The definitions of a file; what they use is not known yet.
fn definitions(room: Option<&str>, file: &str, text: &str) -> Result<Vec<Definition>, String> {
    let mut found: Vec<Definition> = Vec::new();
    for line in text::read(file, text)?.code {
        if line.is_outermost && line.text.starts_with("local ") {
            let rest = line.text.trim_start_matches("local ").trim_start_matches("function ");
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            found.push(Definition { name: rest[..end].into(), room: room.map(String::from), code: String::new(), uses: Vec::new() });
        } else if line.is_outermost && !matches!(line.text, "end" | "}") {
            return Err(format!("{file}: code outside of a function: {}", line.text));
        }
        let definition = found.last_mut().ok_or(format!("{file}: code outside of a function: {}", line.text))?;
        definition.code.push_str(line.text);
        definition.code.push('\n');
    }
    Ok(found)
}
