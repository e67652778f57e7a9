//! Groups of the modules of lua/lib, and which other groups each knows.
//!
//! ```lua
//! -- reading: what readers are shown.
//! --
//! -- @modules order, pages      each module is of one group
//! -- @knows state               a module uses those of its own group, and of these
//! ```

use std::collections::BTreeMap;

use super::library::Library;
use super::text;

/// The group of each module, and what each group knows.
pub struct Groups {
    pub of: BTreeMap<String, String>,
    pub known: BTreeMap<String, Vec<String>>,
}

impl Groups {
    /// Reads the files of lua/groups, by name without their ending.
    ///
    /// # Errors
    /// One line that names the group or the module, and what is wrong with it.
    pub fn read(files: &BTreeMap<String, String>) -> Result<Self, String> {
        let (mut of, mut known) = (BTreeMap::new(), BTreeMap::new());
        for (group, text) in files {
            let text = text::read(group, text)?;
            if !text.code.is_empty() {
                return Err(format!("{group}: a group has no code"));
            }
            let (modules, others) = (text.names("@modules "), text.names("@knows "));
            if let Some(other) = others.iter().find(|other| !files.contains_key(*other)) {
                return Err(format!("{group}: there is no group {other}"));
            }
            for module in modules {
                if let Some(other) = of.insert(module.clone(), group.clone()) {
                    return Err(format!("{module}: is of two groups, {other} and {group}"));
                }
            }
            known.insert(group.clone(), others);
        }
        Ok(Self { of, known })
    }

    /// Checks that each module is of a group, and uses modules of the groups alone that its own knows.
    ///
    /// # Errors
    /// One line that names the module and what it uses.
    pub fn check(&self, library: &Library) -> Result<(), String> {
        for (module, used) in &library.named {
            let Some(group) = self.of.get(module) else {
                return Err(format!("{module}: is of no group of lua/groups"));
            };
            let wrong = used.iter().filter_map(|other| Some((other, self.of.get(other)?))).find(|(_, of)| !self.knows(group, of));
            if let Some((other, of)) = wrong {
                return Err(format!("{module}: is of {group}, which must not know {other} of {of}"));
            }
        }
        match self.of.keys().find(|module| !library.named.contains_key(*module)) {
            Some(module) => Err(format!("groups/{}: there is no module {module}", self.of[module])),
            None => Ok(()),
        }
    }

    fn knows(&self, group: &str, other: &str) -> bool {
        group == other || self.known[group].iter().any(|known| known == other)
    }
}
