//! Boards that are templates: of which boards are made while the site runs.

use ranking::site::{Board, Members};
use ranking::template::Template;

use super::error::ConfigError;
use super::node::Fields;
use super::rule::{Boolean, Whole};

/// The options that only a template has.
pub(super) struct TemplateOptions {
    pub(super) public: bool,
    pub(super) on_event: bool,
    pub(super) max_boards: u32,
}

/// What needs a place in the database for each board, or makes boards itself.
const NEEDS_PLACE: [&str; 4] = ["sections", "history", "totals", "snapshot"];

/// `template = true`, and the options beside it; `None`: the board is one itself.
pub(super) fn read_template(fields: &Fields, board: &Board) -> Result<Option<TemplateOptions>, ConfigError> {
    const OWN: [&str; 3] = ["public", "on_event", "max_boards"];
    if !fields.or("template", false, &Boolean)? {
        return match OWN.iter().find_map(|name| fields.get(name)) {
            Some(own) => Err(own.misplaced("without template = true: it is about the boards that are made of a template")),
            None => Ok(None),
        };
    }
    check_place(fields, board)?;
    Ok(Some(TemplateOptions {
        public: fields.or("public", false, &Boolean)?,
        on_event: fields.or("on_event", false, &Boolean)?,
        max_boards: fields.or("max_boards", Template::DEFAULT_MOST, &Whole(1..=Template::MOST))?,
    }))
}

/// Refuses what boards of templates do not have.
fn check_place(fields: &Fields, board: &Board) -> Result<(), ConfigError> {
    if let Some(node) = NEEDS_PLACE.iter().find_map(|name| fields.get(name)) {
        return Err(node.misplaced("beside template = true: its boards are kept in Redis and the archive alone"));
    }
    if let (Members::Authors, Some(members)) = (board.members, fields.get("members")) {
        return Err(members.not_allowed("\"items\" or \"actors\" beside template = true"));
    }
    Ok(())
}
