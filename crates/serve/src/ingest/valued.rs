//! The values of events, which boards rank that do not sum.

use std::rc::Rc;

use ranking::event::MAX_META;
use ranking::name::Name;
use ranking::score::Score;
use ranking::site::{Board, Members, Site};
use serde_json::{Map, Value};

use super::Refusal;
use super::actor::Sender;
use super::event::misplaced;
use super::event::wrong;

/// What an event says beside its action.
#[derive(Default)]
pub(super) struct Valued {
    pub value: Option<Score>,
    pub meta: Option<Rc<str>>,
}

fn boards_of<'s>(site: &'s Site, action: &Name, named: &'s [Name]) -> impl Iterator<Item = &'s Board> {
    let action = action.clone();
    site.boards_named(named).filter(move |board: &&Board| board.weights.get(action.as_str()).is_some())
}

/// Whether an action counts somewhere, and for actors alone.
pub(super) fn counts_for_actors(site: &Site, action: &Name, named: &[Name]) -> bool {
    let mut boards = boards_of(site, action, named).peekable();
    boards.peek().is_some() && boards.all(|board| board.members == Members::Actors && board.items.is_empty())
}

/// The value of an event, where boards rank it: of a server, as each of them takes it. Elsewhere there is none.
pub(super) fn read(site: &Site, sender: &Sender, action: &Name, named: &[Name], event: &Map<String, Value>) -> Result<Valued, Refusal> {
    let each = || boards_of(site, action, named).filter_map(|board| Some((board, board.values?)));
    if !sender.is_server() || each().next().is_none() {
        return none(site, sender, (action, named), event);
    }
    let value = present(event, "value").and_then(Value::as_f64).and_then(Score::new);
    for (board, values) in each() {
        if value.and_then(|value| values.stored(value)).is_none() {
            return Err(wrong(event, "value", &format!("{} (board {})", values.allowed(), board.name)));
        }
    }
    let meta = present(event, "meta").map(Value::to_string);
    if meta.as_ref().is_some_and(|meta| meta.len() > MAX_META) {
        return Err(wrong(event, "meta", &format!("JSON of at most {MAX_META} bytes")));
    }
    Ok(Valued { value, meta: meta.map(Into::into) })
}

fn present<'e>(event: &'e Map<String, Value>, name: &str) -> Option<&'e Value> {
    event.get(name).filter(|value| !value.is_null())
}

fn none(site: &Site, sender: &Sender, (action, named): (&Name, &[Name]), event: &Map<String, Value>) -> Result<Valued, Refusal> {
    let Some(name) = ["value", "meta"].into_iter().find(|name| present(event, name).is_some()) else { return Ok(Valued::default()) };
    let why = if sender.is_server() {
        let summing: Vec<&str> = boards_of(site, action, named).map(|board| board.name.as_str()).collect();
        format!(" with {action}, whose values no board ranks; these sum: {}", summing.join(", "))
    } else {
        ": only the site's servers send it".into()
    };
    Err(misplaced(event, name, &why))
}
