//! Boards that are made while the site runs, of a template in the configuration.

use std::rc::Rc;

use super::name::Name;
use super::site::{Board, Site};

/// What boards of one kind have in common. It counts nothing itself.
#[derive(Clone, Debug)]
pub struct Template {
    /// Of the template's name.
    pub board: Board,
    /// Whether browsers may name its boards.
    pub public: bool,
    /// Whether an event of a server makes the board that it names.
    pub on_event: bool,
    /// Boards that there may be of it.
    pub max_boards: u32,
}

impl Template {
    /// [`Self::max_boards`] unless the configuration says otherwise, and the most.
    pub const DEFAULT_MOST: u32 = 1_000;
    pub const MOST: u32 = 10_000;
    /// Boards that an event names, at most: each is a call of Redis more.
    pub const MOST_NAMED: usize = 10;

    /// A board of it.
    pub fn board_of(&self, name: &Name) -> Board {
        Board { name: name.clone(), of_template: Some(self.board.name.clone()), ..self.board.clone() }
    }
}

impl Site {
    /// The template that a name is of, like `level:42` of `level`.
    pub fn template_of(&self, name: &Name) -> Option<&Rc<Template>> {
        self.templates.get(name.of_template()?)
    }

    /// The same site with boards of its templates, by their names, each once. Those whose template it has not are left out.
    pub fn with_boards(&self, names: &[Name]) -> Self {
        let named: Vec<(Name, bool)> = names.iter().map(|name| (name.clone(), false)).collect();
        self.with_boards_as(&named)
    }

    /// The same, each with whether it is archived.
    pub fn with_boards_as(&self, names: &[(Name, bool)]) -> Self {
        let mut site = self.clone();
        let named = names.iter().filter(|(name, _)| self.boards.get(name.as_str()).is_none());
        let board = |(name, is_archived): &(Name, bool)| {
            Some((name.clone(), Rc::new(Board { is_archived: *is_archived, ..self.template_of(name)?.board_of(name) })))
        };
        site.boards.extend(named.filter_map(board));
        site
    }

    /// The boards of its templates that it has, each with whether it is archived.
    pub fn made_boards(&self) -> Vec<(Name, bool)> {
        if self.templates.is_empty() {
            return Vec::new();
        }
        let made = self.boards.iter().filter(|(_, board)| board.of_template.is_some());
        made.map(|(name, board)| (name.clone(), board.is_archived)).collect()
    }

    /// The same without these.
    pub fn without_made(&self) -> Self {
        let boards = self.boards.iter().filter(|(_, board)| board.of_template.is_none());
        Self { boards: boards.map(|(name, board)| (name.clone(), Rc::clone(board))).collect(), ..self.clone() }
    }

    /// The same without any boards and without its activity log.
    pub fn without_boards(&self) -> Self {
        Self { boards: std::iter::empty().collect(), activity: false, ..self.clone() }
    }

    /// The boards of the configuration, and what an event that names boards of templates may count on besides.
    pub fn boards_named<'s>(&'s self, names: &'s [Name]) -> impl Iterator<Item = &'s Board> {
        let named = names.iter().filter_map(|name| self.template_of(name)).map(|template| &template.board);
        self.boards.values().map(|board| &**board).filter(|board| board.of_template.is_none()).chain(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::of_board(text).expect("a name of a board")
    }

    #[test]
    fn names_of_boards_have_the_name_of_their_template() {
        for (text, template) in [
            ("level:42", Some("level")),
            ("level:a-b", Some("level")),
            ("level", None),
            ("level:", None),
            (":42", None),
            ("level:4:2", None),
            ("level:A", None),
            ("level:-1", None),
            ("level:.", None),
        ] {
            let name = Name::of_board(text);
            assert_eq!(name.as_ref().and_then(Name::of_template), template, "{text}");
        }
        assert!(Name::of_board(&format!("level:{}", "a".repeat(33))).is_none());
    }

    #[test]
    fn a_site_gets_the_boards_of_its_templates() {
        let mut site = Site::new(Name::new("game").expect("a name"));
        let level = Name::new("level").expect("a name");
        let template = Template { board: Board::new(level.clone()), public: false, on_event: false, max_boards: 1 };
        site.templates.extend([(level, Rc::new(template))]);
        let with = site.with_boards(&["level:9", "other:1", "level:10"].map(name));
        assert_eq!(with.boards.list(), "level:10, level:9");
        assert_eq!(with.boards["level:9"].of_template.as_ref().map(Name::as_str), Some("level"));
        assert!(site.boards.list().is_empty());
        assert_eq!(with.made_boards(), ["level:10", "level:9"].map(|text| (name(text), false)));
        assert!(with.without_made().boards.list().is_empty());
        assert_eq!(with.boards_named(&[name("level:9")]).count(), 1, "the template, once");
    }
}
