//! The options of boards that rank values instead of sums.

use ranking::name::{Name, Named, nearest};
use ranking::score::Score;
use ranking::site::{Action, Board};
use ranking::values::{Order, Policy, Values};
use ranking::window::Kind;
use serde_json::Value;

use super::error::ConfigError;
use super::node::{Fields, Node};
use super::rule::{Number, OneOf, Rule, Whole};

/// Entries that a rolling window may be made of when a reader asks for it: Redis takes about a microsecond for each.
const MAX_UNITED: u64 = 100_000;

/// Decimals of a score.
pub(super) struct Decimals;

pub(super) const DECIMALS: Decimals = Decimals;

impl Rule for Decimals {
    type Read = u8;

    fn allowed(&self) -> String {
        WHOLE.allowed()
    }

    fn read(&self, value: &Value) -> Option<u8> {
        WHOLE.read(value).and_then(|decimals| u8::try_from(decimals).ok())
    }
}

const WHOLE: Whole = Whole(0..=6);

/// `score`, `order` and `decimals`; `None` where sums are ranked.
pub(super) fn read_values(fields: &Fields) -> Result<Option<Values>, ConfigError> {
    let policy = fields.or("score", Policy::Sum, &OneOf::ANY)?;
    let order = fields.or("order", Order::Descending, &OneOf::ANY)?;
    let decimals = fields.or("decimals", Values::MAX_DECIMALS, &DECIMALS)?;
    if policy == Policy::Sum {
        misplace(fields, "actions", "where score = \"sum\": weights tell what counts and how much")?;
        if order == Order::Ascending {
            refuse(fields, "order", "descending where score = \"sum\": who has the least sum has hardly begun")?;
        }
        return Ok(None);
    }
    for (option, instead) in [("weights", "actions names those whose values count"), ("once", "one value of a member's stands anyway")] {
        misplace(fields, option, &format!("where score = \"{}\": {instead}", policy.name()))?;
    }
    Ok(Some(Values { policy, order, decimals, has_ties: fields.get("ties").is_some() }))
}

/// `["finish"]`: the actions whose values are ranked.
pub(super) fn read_actions(fields: &Fields, actions: &Named<Action>) -> Result<Named<Score>, ConfigError> {
    let list = fields.required_node("actions", "a list of actions, whose values are ranked")?;
    let allowed = format!("a list of the site's actions, each once: {}", actions.list());
    let Value::Array(names) = list.value else { return Err(list.not_allowed(&allowed)) };
    let mut read: Vec<(Name, Score)> = Vec::new();
    for (i, value) in names.iter().enumerate() {
        let node = Node { key: format!("{}[{i}]", list.key), value };
        let text = value.as_str().unwrap_or_default();
        let known = actions.iter().find(|(name, _)| name.as_str() == text && read.iter().all(|(read, _)| read != *name));
        let Some((name, action)) = known else {
            return Err(node.not_allowed(&allowed).meant(nearest(text, actions.iter().map(|(name, _)| name.as_str()))));
        };
        if action.reversible {
            return Err(node.not_allowed("actions that are not reversible: a value that is taken back does not tell which one it replaced"));
        }
        if action.public || action.signed {
            return Err(node.not_allowed("actions that browsers may not send: only the site's servers send values"));
        }
        read.push((name.clone(), Score::ONE));
    }
    read.sort_by(|(one, _), (other, _)| one.cmp(other));
    if read.is_empty() { Err(list.not_allowed(&allowed)) } else { Ok(read.into_iter().collect()) }
}

/// The lowest score that is shown, as it is stored.
pub(super) fn read_min_score(min: &Node, values: Option<Values>) -> Result<f64, ConfigError> {
    let Some(values) = values else { return min.read(&Number(0.0..=1e15)).map(Score::value) };
    if values.order == Order::Ascending {
        return Err(min.misplaced("where order = \"ascending\": the least values stand first, and everybody is shown"));
    }
    let most = values.most().value();
    min.read(&Number(-most..=most)).map(|score| values.nearest(score).value())
}

/// Refuses windows and options that values cannot have.
pub(super) fn check_values(fields: &Fields, board: &Board) -> Result<(), ConfigError> {
    let Some(values) = board.values else { return Ok(()) };
    let policy = values.policy.name();
    if board.breakdown {
        refuse(fields, "breakdown", &format!("false where score = \"{policy}\": no value is made of others"))?;
    }
    if board.archive {
        let allowed = format!("false where score = \"{policy}\": what comes late is added to what is archived, and values are not added");
        refuse(fields, "archive", &allowed)?;
    }
    for window in &board.windows {
        let name = &window.name;
        match window.kind {
            Kind::Calendar(_) => {}
            Kind::Rolling { .. } if !values.unites() => {
                refuse(
                    fields,
                    "windows",
                    &format!(
                        "calendar windows where score = \"{policy}\", and not {name}: its base periods do not tell when each value happened"
                    ),
                )?;
            }
            Kind::Rolling { .. } if board.ties.is_some() && values.keeps() == "least" => {
                misplace(
                    fields,
                    "ties",
                    &format!(
                        "with the window {name} where score = \"{policy}\" and order = \"{}\": its base periods do not tell who came first",
                        values.order.name()
                    ),
                )?;
            }
            Kind::Rolling { length, .. } => {
                let entries = u64::from(board.max_members.of(window)) * u64::from(length);
                if entries > MAX_UNITED {
                    refuse(
                        fields,
                        "windows",
                        &format!(
                            "windows of at most {MAX_UNITED} entries where score = \"{policy}\", since they are united when they are asked for: {name} has {length} × max_members = {entries}"
                        ),
                    )?;
                }
            }
            _ => refuse(
                fields,
                "windows",
                &format!("calendar and rolling windows where score = \"{policy}\", and not {name}: a value does not fade"),
            )?,
        }
    }
    Ok(())
}

fn refuse(fields: &Fields, option: &str, allowed: &str) -> Result<(), ConfigError> {
    fields.get(option).map_or(Ok(()), |node| Err(node.not_allowed(allowed)))
}

/// Refuses an option whatever it says.
fn misplace(fields: &Fields, option: &str, why: &str) -> Result<(), ConfigError> {
    fields.get(option).map_or(Ok(()), |node| Err(node.misplaced(why)))
}
