//! Boards that are templates: of which boards are made while the site runs.

use ranking::site::{Board, Members, Ranking};
use ranking::template::Template;
use ranking::window::Kind;

use super::error::ConfigError;
use super::node::Fields;
use super::rule::{Boolean, Whole};

/// The options that only a template has.
pub(super) struct TemplateOptions {
    pub(super) public: bool,
    pub(super) on_event: bool,
    pub(super) max_boards: u32,
}

/// What needs work on each board though nobody reads or counts there, or a place in the database or the bucket.
const NEEDS_WORK: [&str; 5] = ["sections", "history", "archive", "totals", "snapshot"];

/// `template = true`, and the options beside it; `None`: the board is one itself.
pub(super) fn read_template(fields: &Fields, board: &Board) -> Result<Option<TemplateOptions>, ConfigError> {
    const OWN: [&str; 3] = ["public", "on_event", "max_boards"];
    if !fields.or("template", false, &Boolean)? {
        return match OWN.iter().find_map(|name| fields.get(name)) {
            Some(own) => Err(own.misplaced("without template = true: it is about the boards that are made of a template")),
            None => Ok(None),
        };
    }
    check_work(fields, board)?;
    Ok(Some(TemplateOptions {
        public: fields.or("public", false, &Boolean)?,
        on_event: fields.or("on_event", false, &Boolean)?,
        max_boards: fields.or("max_boards", Template::DEFAULT_MOST, &Whole(1..=Template::MOST))?,
    }))
}

/// Refuses what would be work on thousands of boards each minute.
fn check_work(fields: &Fields, board: &Board) -> Result<(), ConfigError> {
    if let Some(node) = NEEDS_WORK.iter().find_map(|name| fields.get(name)) {
        return Err(node.misplaced("beside template = true: its boards are kept in Redis alone, and need no upkeep"));
    }
    if let (Members::Authors, Some(members)) = (board.members, fields.get("members")) {
        return Err(members.not_allowed("\"items\" or \"actors\" beside template = true"));
    }
    if let (Ranking::Dense, Some(ranking)) = (board.ranking, fields.get("ranking")) {
        return Err(ranking.not_allowed("\"ordinal\" or \"competition\" beside template = true, whose boards have no upkeep"));
    }
    let is_kept = |kind: &Kind| !matches!(kind, Kind::Calendar(_));
    if let (Some(window), Some(windows)) = (board.windows.iter().find(|window| is_kept(&window.kind)), fields.get("windows")) {
        let allowed = "calendar windows and seasons beside template = true, whose boards have no upkeep";
        return Err(windows.not_allowed(&format!("{allowed}; {} needs it", window.name)));
    }
    Ok(())
}
