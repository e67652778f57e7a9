//! The sections and authors of items, by which boards are kept.

use std::rc::Rc;

use percent_encoding::percent_decode_str;

use super::event::Event;
use super::name::{Id, Name};
use super::site::{Board, Members, Site};

/// What is known of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// When the item was last written, in Unix milliseconds of the database: it had another category before then, if ever.
    pub written_ms: u64,
    pub category: Option<String>,
    pub author: Option<Credit>,
    /// The categories that it had before, the last one first: what was counted there is undone there.
    pub earlier_categories: Vec<String>,
    pub earlier_authors: Vec<Credit>,
}

/// An author of an item, on boards of authors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credit {
    pub author: Id,
    /// What the item is known by where its events are remembered: so an action counts, and is undone, for the author it was for.
    pub known_as: Id,
}

impl Credit {
    pub fn new(item: &Id, author: Id) -> Self {
        Self { known_as: Id::credited(item, &author), author }
    }
}

impl Facts {
    /// The category that it has, and those that it had.
    pub fn categories(&self) -> impl Iterator<Item = &String> {
        self.category.iter().chain(&self.earlier_categories)
    }
}

/// What is known of some items. Sorted lists, since maps would cost more of the bundle.
#[derive(Clone, Debug, Default)]
pub struct FactsByItem {
    facts: Vec<(Id, Facts)>,
    /// The tracked actions on items of when those were in other sections or of other authors, as far as they stand.
    done: Vec<TrackedKey>,
    /// The events, by the place of their batch and theirs in it, that a section counted in which their item was before.
    seen: Vec<(usize, usize)>,
}

/// What a tracked action of an actor is known by: the actor, the action and the item.
pub type TrackedKey = (Id, Name, Id);

impl FactsByItem {
    /// Of no item.
    pub const NONE: &'static Self = &Self { facts: Vec::new(), done: Vec::new(), seen: Vec::new() };

    pub fn of(&self, item: &Id) -> Option<&Facts> {
        self.facts.binary_search_by(|(known, _)| known.cmp(item)).ok().map(|at| &self.facts[at].1)
    }

    pub fn values(&self) -> impl Iterator<Item = &Facts> {
        self.facts.iter().map(|(_, facts)| facts)
    }

    /// The same, knowing what was done in other sections, and which events those have counted.
    pub fn with_earlier(self, done: Vec<TrackedKey>, seen: Vec<(usize, usize)>) -> Self {
        Self { done, seen, ..self }
    }

    /// Whether an event was counted in a section in which its item was before.
    pub fn is_seen(&self, batch: usize, event: usize) -> bool {
        self.seen.contains(&(batch, event))
    }

    /// Whether an event repeats what stands where its item was before, or for an earlier author.
    pub fn is_done(&self, event: &Event) -> bool {
        let is_same = |(actor, action, item): &TrackedKey| {
            event.actor.as_ref() == Some(actor) && event.action == *action && event.item.as_ref() == Some(item)
        };
        self.done.iter().any(is_same)
    }
}

/// Each item once.
impl FromIterator<(Id, Facts)> for FactsByItem {
    fn from_iter<I: IntoIterator<Item = (Id, Facts)>>(facts: I) -> Self {
        let mut facts: Vec<_> = facts.into_iter().collect();
        facts.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Self { facts, done: Vec::new(), seen: Vec::new() }
    }
}

/// How the events of a board are parted over boards of sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sections {
    /// They are not.
    None,
    /// Beside the board there is one for each category of its items, and this many at most.
    ByCategory(u32),
    /// This is such a board.
    Of(Section),
}

/// What the board of a section is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The board that is parted.
    pub board: Name,
    pub value: String,
}

impl Sections {
    /// How many boards of sections a board may have, unless the configuration says otherwise.
    pub const DEFAULT_MOST: u32 = 64;
    /// The highest. Each is kept by upkeep like any board.
    pub const MOST: u32 = 256;

    /// Whether an event counts here. An undo goes wherever its action may have counted: only the board that did so knows it.
    pub fn take(&self, event: &Event, known: &FactsByItem) -> bool {
        let Self::Of(section) = self else { return true };
        let Some(facts) = event.item.as_ref().and_then(|item| known.of(item)) else { return false };
        if event.undo {
            return facts.categories().any(|category| *category == section.value);
        }
        facts.category.as_ref() == Some(&section.value) && !known.is_done(event)
    }
}

impl Site {
    /// Whether anything must be known of an event's item before it counts.
    pub fn asks_facts(&self) -> bool {
        self.has_sections() || self.boards.values().any(|board| board.members == Members::Authors)
    }

    /// Whether any board is parted.
    pub fn has_sections(&self) -> bool {
        self.boards.values().any(|board| matches!(board.sections, Sections::ByCategory(_)))
    }

    /// The boards that a section adds, each with how many it may have.
    pub fn boards_of_section(&self, value: &str) -> impl Iterator<Item = (Section, u32)> {
        let most = |board: &Rc<Board>| match board.sections {
            Sections::ByCategory(most) => Some((Section { board: board.name.clone(), value: value.to_owned() }, most)),
            _ => None,
        };
        self.boards.values().filter_map(most)
    }

    /// With the boards of sections that were made, instead of those it has. Of boards that are not parted any more there are none.
    pub fn with_sections(&self, sections: &[Section]) -> Self {
        let mut boards = Vec::new();
        for (name, board) in self.boards.iter().filter(|(_, board)| !matches!(board.sections, Sections::Of(_))) {
            boards.push((name.clone(), Rc::clone(board)));
            if let Sections::ByCategory(_) = board.sections {
                for section in sections.iter().filter(|section| section.board == *name) {
                    let made = Board { name: section.name(), sections: Sections::Of(section.clone()), ..Board::clone(board) };
                    boards.push((made.name.clone(), Rc::new(made)));
                }
            }
        }
        Self { boards: boards.into_iter().collect(), ..self.clone() }
    }

    /// A board by its name, or by that of a section's board with the value as it is.
    pub fn board(&self, name: &str) -> Option<&Rc<Board>> {
        let of_section = || Section::of_name(name).and_then(|section| self.boards.get(section.name().as_str()));
        self.boards.get(name).or_else(of_section)
    }
}

impl Section {
    /// What its board is called.
    pub fn name(&self) -> Name {
        Name::of_section(&self.board, &self.value)
    }

    /// By what its board is called.
    pub fn of_written(name: &str) -> Option<Self> {
        let Self { board, value } = Self::of_name(name)?;
        let value = percent_decode_str(&value).decode_utf8().ok()?.into_owned();
        Some(Self { board, value })
    }

    /// By the name of a board with the value as it is; `None` of another board.
    pub fn of_name(name: &str) -> Option<Self> {
        let (board, value) = name.split_once('.').filter(|(_, value)| !value.is_empty())?;
        Name::new(board).map(|board| Self { board, value: value.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sections() {
        for (value, name) in [
            ("sports", "stories.sports"),
            ("World News", "stories.World%20News"),
            ("a.b/c", "stories.a%2Eb%2Fc"),
            ("100%", "stories.100%25"),
            ("}:state", "stories.%7D%3Astate"),
            ("é", "stories.%C3%A9"),
        ] {
            let section = Section::of_name(&format!("stories.{value}")).expect("a section");
            assert_eq!((section.value.as_str(), section.name().as_str()), (value, name));
            assert_eq!(Section::of_written(name), Some(section));
        }
        assert!(["stories", "stories.", ".sports", "St.x"].into_iter().all(|name| Section::of_name(name).is_none()));
    }
}
