//! The options of a board.

use ranking::capacity::Capacity;
use ranking::facts::Sections;
use ranking::name::{Name, Named, nearest};
use ranking::pattern::Pattern;
use ranking::retention::Retention;
use ranking::score::Score;
use ranking::site::{Action, Board, Ranking, ReplayWindow, Snapshot};
use ranking::tier::{Tier, Tiers};
use ranking::window::{Kind, Unit, Window};
use serde_json::{Map, Value};

use super::error::ConfigError;
use super::node::{Fields, Node};
use super::rule::{Boolean, Duration, NameText, OneOf, Percent, Rule, Weight, Whole, listed};
use super::template::{TemplateOptions, read_template};
use super::totals::read_totals;
use super::values::{DECIMALS, check_values, read_actions, read_min_score, read_values};
use super::window::read_windows;

/// A board, and what it is as a template, if it is one.
pub(super) fn read_board(
    name: &Name,
    board: &Node,
    actions: &Named<Action>,
    keep: &Retention,
) -> Result<(Board, Option<TemplateOptions>), ConfigError> {
    let fields = board.fields(&[
        "members",
        "items",
        "sections",
        "max_sections",
        "score",
        "order",
        "decimals",
        "actions",
        "weights",
        "windows",
        "limit",
        "max_members",
        "replay_window",
        "once",
        "ties",
        "ranking",
        "tiers",
        "breakdown",
        "min_score",
        "movement",
        "fresh",
        "details",
        "fallback",
        "history",
        "history_every",
        "keep",
        "archive",
        "late",
        "totals",
        "snapshot",
        "template",
        "public",
        "on_event",
        "max_boards",
    ])?;
    let default = Board::new(name.clone());
    let windows = read_windows(&fields.required_node("windows", &Window::allowed())?)?;
    let fallback = fields.get("fallback").map_or(Ok(Vec::new()), |fallback| read_fallback(&fallback, &windows))?;
    let totals = fields.get("totals").map_or(Ok(Vec::new()), |totals| read_totals(&totals, &windows))?;
    let max_members = fields.get("max_members").map_or(Ok(default.max_members), |max| read_capacity(&max, &windows))?;
    let values = read_values(&fields)?;
    let read = Board {
        name: name.clone(),
        of_template: None,
        is_archived: false,
        members: fields.or("members", default.members, &OneOf::ANY)?,
        items: fields.get("items").map_or(Ok(Vec::new()), |items| read_items(&items))?,
        sections: read_sections(&fields)?,
        weights: match values {
            Some(_) => read_actions(&fields, actions)?,
            None => read_weights(&fields, actions)?,
        },
        values,
        decimals: fields.get("decimals").map(|decimals| decimals.read(&DECIMALS)).transpose()?,
        windows,
        limit: fields.or("limit", default.limit, &Whole(1..=1000))?,
        max_members,
        replay_window: fields.get("replay_window").map_or(Ok(default.replay_window), |window| read_replay_window(&window))?,
        once: match fields.get("once") {
            Some(once) => once.named(|action, unit| read_once(&fields, action, unit))?,
            None => Named::default(),
        },
        ties: fields.get("ties").map(|ties| ties.read(&OneOf::ANY)).transpose()?,
        ranking: fields.or("ranking", default.ranking, &OneOf::ANY)?,
        tiers: fields.get("tiers").map_or(Ok(default.tiers), |tiers| read_tiers(&fields, &tiers))?,
        breakdown: fields.or("breakdown", default.breakdown, &Boolean)?,
        min_score: fields.get("min_score").map_or(Ok(default.min_score), |min| read_min_score(&min, values))?,
        movement: fields.or("movement", default.movement, &Boolean)?,
        details: fields.get("details").map(|details| details.read(&Boolean)).transpose()?,
        fallback,
        keep: fields.get("keep").map_or(Ok(keep.clone()), |node| read_keep(&node, keep))?,
        history: fields.or("history", default.history, &Whole(0..=1000))?,
        history_every: fields.or("history_every", default.history_every, &HISTORY_EVERY)?,
        archive: fields.or("archive", default.archive, &Boolean)?,
        late: fields.or("late", default.late, &OneOf::ANY)?,
        totals,
        snapshot: fields.get("snapshot").map(|snapshot| snapshot.read(&OneOf::ANY)).transpose()?,
        fresh_s: fields.or("fresh", default.fresh_s, &Duration(1..=3600))?,
    };
    check_ties(&fields, &read)?;
    check_values(&fields, &read)?;
    check_snapshot(&fields, &read)?;
    let template = read_template(&fields, &read)?;
    Ok((read, template))
}

/// How often decaying windows may be frozen.
const HISTORY_EVERY: OneOf<Unit> = OneOf { each: &[Unit::Hour, Unit::Day], name: Unit::name };

/// `"/sports/*"` or `["/sports/*", "/live/*"]`
fn read_items(items: &Node) -> Result<Vec<Pattern>, ConfigError> {
    const MOST: usize = 20;
    let read = |text: &Value| text.as_str().and_then(Pattern::new);
    match items.value {
        Value::Array(list) if (1..=MOST).contains(&list.len()) => list
            .iter()
            .enumerate()
            .map(|(i, value)| {
                let node = Node { key: format!("{}[{i}]", items.key), value };
                read(value).ok_or_else(|| node.not_allowed(Pattern::ALLOWED))
            })
            .collect(),
        one => read(one)
            .map(|pattern| vec![pattern])
            .ok_or_else(|| items.not_allowed(&format!("{}, or a list of 1 to {MOST} of them", Pattern::ALLOWED))),
    }
}

/// `sections = "category"`, `max_sections = 64`
fn read_sections(fields: &Fields) -> Result<Sections, ConfigError> {
    const BY: OneOf<()> = OneOf { each: &[()], name: |()| "category" };
    const MOST: Whole = Whole(1..=Sections::MOST);
    let most = fields.get("max_sections").map(|most| most.read(&MOST).map(|read| (most, read))).transpose()?;
    match (fields.get("sections"), most) {
        (Some(by), most) => by.read(&BY).map(|()| Sections::ByCategory(most.map_or(Sections::DEFAULT_MOST, |(_, most)| most))),
        (None, None) => Ok(Sections::None),
        (None, Some((most, _))) => Err(most.not_allowed("a number beside sections = \"category\"")),
    }
}

fn read_weights(fields: &Fields, actions: &Named<Action>) -> Result<Named<Score>, ConfigError> {
    fields.required_node("weights", "a table of actions and what each is worth")?.named(|action, weight| {
        if actions.get(action.as_str()).is_none() {
            let nearest = actions.nearest(action.as_str()).map(Name::as_str);
            return Err(weight.not_allowed(&format!("the site's actions: {}", actions.list())).meant(nearest));
        }
        weight.read(&Weight)
    })
}

/// `"24h"` for browsers and servers, or `{ browsers = "1h", servers = "24h", queue = "4d" }`
fn read_replay_window(window: &Node) -> Result<ReplayWindow, ConfigError> {
    /// `beacon.js` gives up a batch before the shortest one is over.
    const WINDOW: Duration = Duration(60..=ReplayWindow::MAX_S);
    if window.value.is_object() {
        let fields = window.fields(&["browsers", "servers", "queue"])?;
        let ReplayWindow { browsers_s, servers_s, queue_s } = ReplayWindow::DEFAULT;
        return Ok(ReplayWindow {
            browsers_s: fields.or("browsers", browsers_s, &WINDOW)?,
            servers_s: fields.or("servers", servers_s, &WINDOW)?,
            queue_s: fields.or("queue", queue_s, &WINDOW)?,
        });
    }
    let all = WINDOW.read(window.value).ok_or_else(|| {
        let table = r#"or a table like { browsers = "1h", servers = "24h" }"#;
        window.not_allowed(&format!("{}; {table}", WINDOW.allowed()))
    })?;
    Ok(ReplayWindow { browsers_s: all, servers_s: all, ..ReplayWindow::DEFAULT })
}

/// `100000` for all windows, or `{ all = 100000, day = 5000 }`
fn read_capacity(max: &Node, windows: &[Window]) -> Result<Capacity, ConfigError> {
    const BOUND: Whole = Whole(1..=100_000_000);
    let units: Vec<Unit> = Retention::default().counted_units(windows).into_iter().map(|(unit, _)| unit).collect();
    let decaying: Vec<&Name> = windows.iter().filter(|window| !window.sums_weights()).map(|window| &window.name).collect();
    let keys: Vec<&str> = units.iter().map(|unit| unit.name()).chain(decaying.iter().map(|name| name.as_str())).collect();
    if !max.value.is_object() {
        return BOUND.read(max.value).map(Capacity::of_all).ok_or_else(|| {
            let table = listed(keys.iter().map(|key| (*key).to_owned()).collect(), "or");
            max.not_allowed(&format!("{}, or a table of such numbers with the keys {table}", BOUND.allowed()))
        });
    }
    let fields = max.fields(&keys)?;
    let bound = |key: &str| fields.or(key, Capacity::DEFAULT, &BOUND);
    Ok(Capacity::new(
        units.into_iter().map(|unit| Ok((unit, bound(unit.name())?))).collect::<Result<_, _>>()?,
        decaying.into_iter().map(|name| Ok((name.clone(), bound(name.as_str())?))).collect::<Result<_, _>>()?,
    ))
}

/// `{ hour = "7d", day = "90d" }`; what it does not name is kept as `others` are.
pub(super) fn read_keep(keep: &Node, others: &Retention) -> Result<Retention, ConfigError> {
    let fields = keep.fields(&Unit::ENDING.iter().map(|unit| unit.name()).collect::<Vec<_>>())?;
    let mut read = others.clone();
    for unit in Unit::ENDING.iter().copied() {
        if let Some(node) = fields.get(unit.name()) {
            read.set(unit, node.read(&Duration(Retention::allowed(unit)))?.into());
        }
    }
    Ok(read)
}

/// `["last-24-hours", "last-7-days"]`
fn read_fallback(fallback: &Node, windows: &[Window]) -> Result<Vec<Name>, ConfigError> {
    let known: Vec<&str> = windows.iter().map(|window| window.name.as_str()).collect();
    let allowed = format!("the board's windows, each once: {}", known.join(", "));
    let Value::Array(list) = fallback.value else { return Err(fallback.not_allowed(&format!("a list of {allowed}"))) };
    let mut read: Vec<Name> = Vec::new();
    for (i, value) in list.iter().enumerate() {
        let node = Node { key: format!("{}[{i}]", fallback.key), value };
        let text = value.as_str().unwrap_or_default();
        let name = windows.iter().map(|window| &window.name).find(|name| name.as_str() == text && !read.contains(name));
        let name =
            name.ok_or_else(|| node.not_allowed(&allowed).meant(nearest(text, known.iter().copied()).filter(|name| *name != text)))?;
        read.push(name.clone());
    }
    Ok(read)
}

/// `[{ name = "gold", top = "1%" }, { name = "silver", top = "10%" }]`
fn read_tiers(fields: &Fields, tiers: &Node) -> Result<Tiers, ConfigError> {
    let allowed = || format!(r#"a list of 1 to {} tables like {{ name = "gold", top = "1%" }}"#, Tiers::MOST);
    if fields.get("ranking").is_some_and(|ranking| ranking.value == Ranking::Dense.name()) {
        return Err(tiers.misplaced("with ranking = \"dense\": such ranks do not tell how many members are before one"));
    }
    let Value::Array(list) = tiers.value else { return Err(tiers.not_allowed(&allowed())) };
    if !(1..=Tiers::MOST).contains(&list.len()) {
        return Err(tiers.not_allowed(&allowed()));
    }
    let mut read: Vec<Tier> = Vec::new();
    for (i, value) in list.iter().enumerate() {
        let node = Node { key: format!("{}[{i}]", tiers.key), value };
        let of = node.fields(&["name", "top"])?;
        let (name, top) = (of.required_node("name", Name::ALLOWED)?, of.required_node("top", &Percent.allowed())?);
        let tier = Tier { name: name.read(&NameText)?, top: top.read(&Percent)? };
        if read.iter().any(|other| other.name == tier.name) {
            return Err(name.not_allowed("a name that no other tier of the board has"));
        }
        if read.last().is_some_and(|last| last.top >= tier.top) {
            return Err(top.not_allowed("more than the tier before has"));
        }
        read.push(tier);
    }
    Ok(Tiers(read))
}

/// `view = "day"`
fn read_once(board: &Fields, action: &Name, unit: &Node) -> Result<Unit, ConfigError> {
    const UNITS: OneOf<Unit> = OneOf { each: &Unit::EACH, name: |unit| if matches!(unit, Unit::All) { "ever" } else { unit.name() } };
    let weights = board.table.get("weights").and_then(Value::as_object);
    if weights.is_none_or(|weights| weights.get(action.as_str()).is_none()) {
        let known: Vec<&str> = weights.into_iter().flat_map(Map::keys).map(String::as_str).collect();
        let nearest = nearest(action.as_str(), known.iter().copied());
        return Err(unit.not_allowed(&format!("the actions that the board gives a weight: {}", known.join(", "))).meant(nearest));
    }
    unit.read(&UNITS)
}

/// Refuses snapshots of all members of windows that may have too many.
fn check_snapshot(fields: &Fields, board: &Board) -> Result<(), ConfigError> {
    let Some(snapshot) = fields.get("snapshot").filter(|_| board.snapshot == Some(Snapshot::All)) else { return Ok(()) };
    let members = |window: &Window| {
        let periods = if let Kind::Rolling { length, .. } = window.kind { length } else { 1 };
        u64::from(board.max_members.of(window)) * u64::from(periods)
    };
    match board.windows.iter().find(|window| members(window) > Snapshot::MOST.into()) {
        Some(window) => Err(snapshot.not_allowed(&format!(
            "\"top\", or max_members with which no window has more than {} members; {} may have {}",
            Snapshot::MOST,
            window.name,
            members(window)
        ))),
        None => Ok(()),
    }
}

/// Refuses orders and ranks of ties that could not be exact.
fn check_ties(fields: &Fields, board: &Board) -> Result<(), ConfigError> {
    let decaying = board.windows.iter().find(|window| !window.sums_weights()).map(|window| &window.name);
    let fraction = board.weights.iter().find(|(_, weight)| weight.value().fract() != 0.0).map(|(action, _)| action);
    let refuse = |option: &str, allowed: &str| fields.get(option).map_or(Ok(()), |node| Err(node.not_allowed(allowed)));
    match (board.ties, decaying, fraction) {
        (Some(_), Some(window), _) => {
            let why = format!("with the window {window}: decaying scores are hardly ever equal; give it a board of its own");
            return fields.get("ties").map_or(Ok(()), |ties| Err(ties.misplaced(&why)));
        }
        (Some(_), None, Some(action)) => {
            return refuse(
                "ties",
                &format!("whole weights only: the sequence number is packed with the score, and {action} has a fraction"),
            );
        }
        _ => {}
    }
    const OTHERS: OneOf<Ranking> = OneOf { each: &[Ranking::Ordinal, Ranking::Competition], name: Ranking::name };
    match decaying {
        Some(window) if board.ranking == Ranking::Dense => {
            refuse("ranking", &format!("{} with the window {window}: decaying scores are hardly ever equal", OTHERS.allowed()))
        }
        _ => Ok(()),
    }
}
