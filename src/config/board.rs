//! The options of a board.

use serde_json::{Map, Value};

use super::error::ConfigError;
use super::node::{Fields, Node};
use super::window::read_windows;
use crate::ranking::name::{Name, Named};
use crate::ranking::score::Score;
use crate::ranking::site::{Action, Board, Members, Ranking, Ties};
use crate::ranking::window::{Unit, Window};

pub(super) fn read_board(name: &Name, board: &Node, actions: &Named<Action>) -> Result<Board, ConfigError> {
    let fields = board.fields(&[
        "members",
        "weights",
        "windows",
        "limit",
        "max_members",
        "replay_window",
        "once",
        "ties",
        "ranking",
        "breakdown",
        "min_score",
    ])?;
    let read = Board {
        name: name.clone(),
        members: fields.or("members", Members::Items, |members| {
            [Members::Items, Members::Actors]
                .into_iter()
                .find(|known| members.value == known.name())
                .ok_or_else(|| members.not_allowed("\"items\" or \"actors\""))
        })?,
        weights: fields.required("weights", "a table of actions and what each is worth")?.named(|action, weight| {
            if actions.get(action.as_str()).is_none() {
                return Err(weight.not_allowed(&format!("the site's actions: {}", actions.list())));
            }
            // Sums of up to 2^53 ÷ 10^9 = 9 million events of the greatest weight stay exact; fractions of a millionth are
            // what the scripts round sums to.
            #[expect(clippy::float_cmp, reason = "it is to be its own rounding exactly")]
            let exact = |number: &f64| *number != 0.0 && number.abs() <= 1e9 && (number * 1e6).round() / 1e6 == *number;
            let valid = weight.value.as_f64().filter(exact).and_then(Score::new);
            valid.ok_or_else(|| weight.not_allowed("a number other than 0, at most 1000000000 in size, with at most six decimals"))
        })?,
        windows: read_windows(&fields.required("windows", Window::ALLOWED)?)?,
        limit: fields.or("limit", 100, |limit| limit.integer(1, 1000))?,
        max_members: fields.or("max_members", 1_000_000, |max| max.integer(1, 100_000_000))?,
        replay_window_s: fields
            .or("replay_window", 86_400, |window| window.duration_s(60, Board::MAX_REPLAY_WINDOW_S, "\"1m\" to \"31d\""))?,
        once: fields.or("once", Named::default(), |once| once.named(|action, unit| read_once(&fields, action, unit)))?,
        ties: fields.or("ties", None, |ties| {
            let found = [Ties::First, Ties::Last].into_iter().find(|known| ties.value == known.name());
            found.map(Some).ok_or_else(|| ties.not_allowed("\"first\" or \"last\""))
        })?,
        ranking: fields.or("ranking", Ranking::Ordinal, |ranking| {
            let found = [Ranking::Ordinal, Ranking::Competition, Ranking::Dense].into_iter().find(|known| ranking.value == known.name());
            found.ok_or_else(|| ranking.not_allowed("\"ordinal\", \"competition\" or \"dense\""))
        })?,
        breakdown: fields.or("breakdown", false, |breakdown| breakdown.boolean())?,
        min_score: fields.or("min_score", 0.0, |min| Ok(min.number(0.0, 1e15, "0 to 1000000000000000")?.value()))?,
    };
    check_ties(&fields, &read)?;
    Ok(read)
}

/// `view = "day"`
fn read_once(board: &Fields, action: &Name, unit: &Node) -> Result<Unit, ConfigError> {
    const ALLOWED: &str = "hour, day, week, month, year, ever";
    let weights = board.table.get("weights").and_then(Value::as_object);
    if weights.is_none_or(|weights| weights.get(action.as_str()).is_none()) {
        let known: Vec<&str> = weights.into_iter().flat_map(Map::keys).map(String::as_str).collect();
        return Err(unit.not_allowed(&format!("the actions that the board gives a weight: {}", known.join(", "))));
    }
    let named = |known: &Unit| unit.value == if *known == Unit::All { "ever" } else { known.name() };
    Unit::EACH.into_iter().find(named).ok_or_else(|| unit.not_allowed(ALLOWED))
}

/// Refuses orders and ranks of ties that could not be exact.
fn check_ties(fields: &Fields, board: &Board) -> Result<(), ConfigError> {
    let decaying = board.windows.iter().find(|window| !window.sums_weights()).map(|window| &window.name);
    let fraction = board.weights.iter().find(|(_, weight)| weight.value().fract() != 0.0).map(|(action, _)| action);
    let refuse = |option: &str, allowed: &str| fields.get(option).map_or(Ok(()), |node| Err(node.not_allowed(allowed)));
    match (board.ties, decaying, fraction) {
        (Some(_), Some(window), _) => {
            return refuse(
                "ties",
                &format!("nothing with the window {window}: decaying scores are hardly ever equal; give it a board of its own"),
            );
        }
        (Some(_), None, Some(action)) => {
            return refuse(
                "ties",
                &format!("whole weights only: the sequence number is packed with the score, and {action} has a fraction"),
            );
        }
        _ => {}
    }
    match decaying {
        Some(window) if board.ranking == Ranking::Dense => {
            refuse("ranking", &format!("\"ordinal\" or \"competition\" with the window {window}: decaying scores are hardly ever equal"))
        }
        _ => Ok(()),
    }
}
