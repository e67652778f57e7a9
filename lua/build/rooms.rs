//! What a script needs of lua/lib, room by room.
//!
//! Every call of a script makes its functions anew, and most calls need few of them. So the functions of a room are made
//! together when a call first needs one: `clock_room()` makes those that the script uses, once, and answers them in a table. A
//! function finds those of its own room, and those of no room, as locals.
//!
//! The functions of no room that a script's own code uses are made first of all. A room that uses others has copies of its
//! own.

use std::collections::{BTreeMap, BTreeSet};

use super::library::{Library, room_function};
use super::limits;

/// What a script needs of one room.
#[derive(Debug, Default)]
struct Room {
    /// Everything that is made, each after what it uses.
    made: Vec<String>,
    /// What others use of it.
    answered: BTreeSet<String>,
    /// The rooms that it uses.
    rooms: BTreeSet<String>,
}

/// What a script needs.
#[derive(Debug)]
pub struct Needs<'l> {
    library: &'l Library,
    /// The functions of no room that the script's own code uses, each after what it uses.
    direct: Vec<String>,
    rooms: BTreeMap<String, Room>,
    written: BTreeSet<String>,
}

impl<'l> Needs<'l> {
    /// What a script needs whose own code uses these functions.
    ///
    /// # Errors
    /// The name of a function that comes to use itself.
    pub fn of(library: &'l Library, uses: &[String]) -> Result<Self, String> {
        let mut needs = Self { library, direct: Vec::new(), rooms: BTreeMap::new(), written: BTreeSet::new() };
        for name in uses.iter().filter(|name| library.get(name).room.is_none()) {
            needs.add_with_needs(name, None, &mut Vec::new())?;
        }
        let mut left: Vec<&str> = uses.iter().map(String::as_str).collect();
        let mut seen = BTreeSet::new();
        while let Some(name) = left.pop() {
            let definition = library.get(name);
            if let Some(room) = &definition.room {
                if uses.iter().any(|used| used == name) {
                    needs.room(room).answered.insert(name.into());
                }
                needs.add_with_needs(name, Some(room), &mut Vec::new())?;
            }
            for used in &definition.uses {
                if let (Some(room), Some(of)) = (&definition.room, &library.get(used).room)
                    && room != of
                {
                    needs.room(room).rooms.insert(of.clone());
                    needs.room(of).answered.insert(used.clone());
                }
                if seen.insert(used) {
                    left.push(used);
                }
            }
        }
        Ok(needs)
    }

    fn room(&mut self, name: &str) -> &mut Room {
        self.rooms.entry(name.into()).or_default()
    }

    /// Appends a function to those that a room (`None`: the script) makes, after what it uses without asking another room.
    fn add_with_needs(&mut self, name: &str, room: Option<&str>, open: &mut Vec<String>) -> Result<(), String> {
        let of = self.library.get(name).room.as_deref();
        let made = room.map_or(&self.direct, |room| &self.rooms.entry(room.into()).or_default().made);
        if (of.is_some() && of != room) || self.direct.iter().chain(made).any(|known| known == name) {
            return Ok(());
        }
        if open.iter().any(|known| known == name) {
            return Err(format!("{name}: uses itself by {}", open.join(", ")));
        }
        open.push(name.into());
        for need in &self.library.get(name).uses {
            self.add_with_needs(need, room, open)?;
        }
        open.pop();
        match room {
            Some(room) => self.room(room).made.push(name.into()),
            None => self.direct.push(name.into()),
        }
        Ok(())
    }

    /// What stands before the script's own code.
    pub fn direct(&self) -> Vec<String> {
        self.direct.iter().map(|name| self.library.get(name).code.clone()).collect()
    }

    /// What stands before a statement that uses these functions: the rooms that it may need and that are not written yet.
    ///
    /// # Errors
    /// The room that comes above a limit of Lua.
    pub fn before(&mut self, uses: &[String]) -> Result<Vec<String>, String> {
        let mut parts = Vec::new();
        let mut left: Vec<String> = uses.iter().filter_map(|name| self.library.get(name).room.clone()).collect();
        while let Some(name) = left.pop() {
            if self.written.is_empty() {
                let names: Vec<String> = self.rooms.keys().map(|name| room_function(name)).collect();
                parts.push(format!("local {}\n", names.join(", ")));
            }
            if self.written.insert(name.clone()) {
                let room = self.write(&name);
                limits::check(&room.concat()).map_err(|problem| format!("the room {name} {problem}"))?;
                parts.extend(room);
                left.extend(self.rooms[&name].rooms.iter().cloned());
            }
        }
        Ok(parts)
    }

    fn write(&self, name: &str) -> Vec<String> {
        let room = &self.rooms[name];
        let function = room_function(name);
        let mut parts = vec![format!("do\nlocal functions\nfunction {function}()\nif functions then return functions end\n")];
        parts.extend(room.made.iter().map(|made| self.library.linked(&self.library.get(made).code, Some(name))));
        let answered: Vec<String> = room.answered.iter().map(|name| format!("{name} = {name}")).collect();
        parts.push(format!("functions = {{ {} }}\nreturn functions\nend\nend\n", answered.join(", ")));
        parts
    }
}
