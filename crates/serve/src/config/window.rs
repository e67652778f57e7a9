//! The windows of a board.

use chrono::{NaiveDateTime, Weekday};
use ranking::grain::Grain;
use ranking::name::{Name, nearest};
use ranking::period::Period;
use ranking::score::Score;
use ranking::season::{Every, LONGEST_DAYS, MOST, Season, local_time};
use ranking::window::{Kind, Table, Unit, Window, seasons_of};
use serde_json::Value;

use super::error::ConfigError;
use super::node::Node;
use super::rule::{Duration, Number, OneOf, Rule, TimeOfDay};

pub(super) fn read_windows(windows: &Node) -> Result<Vec<Window>, ConfigError> {
    let Value::Array(list) = windows.value else { return Err(windows.not_allowed(&format!("a list of {}", Window::allowed()))) };
    let mut read: Vec<Window> = Vec::new();
    for (i, value) in list.iter().enumerate() {
        let node = Node { key: format!("{}[{i}]", windows.key), value };
        let window = if value.is_object() { read_table(&node)? } else { node.read(&WindowName)? };
        if read.iter().any(|other| other.name == window.name) {
            return Err(node.not_allowed("each window once"));
        }
        read.push(window);
        let seasons = seasons_of(&read);
        if seasons.len() > MOST {
            return Err(node.not_allowed(&format!("{MOST} seasons on a board")));
        }
        // A board has one season at a time: it is known by its start alone.
        if let Some(pair) = seasons.windows(2).find(|pair| pair[1].starts < pair[0].ends) {
            let starts = Period { unit: Unit::Season, number: pair[1].starts }.id(None, Weekday::Mon).unwrap_or_default();
            let one = "seasons that do not overlap with others of the board: give them a board of their own";
            return Err(node.not_allowed(&format!("{one}; two are there on {starts}")));
        }
    }
    if read.is_empty() { Err(windows.not_allowed(&format!("at least one of {}", Window::allowed()))) } else { Ok(read) }
}

/// The name of a calendar or rolling window.
struct WindowName;

impl Rule for WindowName {
    type Read = Window;

    fn allowed(&self) -> String {
        format!("{}, or a table with name and kind", Window::allowed())
    }

    fn read(&self, value: &Value) -> Option<Window> {
        value.as_str().and_then(Window::parse)
    }

    /// Of rolling windows those of the number that the text has.
    fn nearest(&self, text: &str) -> Option<String> {
        let length: String = text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
        let rolling = Unit::ROLLING.map(|unit| format!("last-{length}-{}s", unit.name()));
        let rolling = rolling.iter().map(String::as_str).filter(|name| Window::parse(name).is_some());
        nearest(text, Unit::EACH.map(Unit::name).into_iter().chain(rolling)).map(String::from)
    }
}

/// Where the boundaries of decaying windows may be.
const BOUNDARIES: OneOf<Unit> = OneOf { each: &Unit::BELOW_YEAR, name: Unit::name };

/// `{ name = "hot", kind = "half-life", half_life = "6h" }` and its likes.
fn read_table(window: &Node) -> Result<Window, ConfigError> {
    let all = window.fields(&["name", "kind", "half_life", "every", "factor", "resets", "at", "beta", "grain", "from", "until"])?;
    let kind = match all.required("kind", &OneOf::ANY)? {
        Table::Rolling => return read_rolling(window),
        Table::Season => return read_season(window),
        Table::HalfLife => {
            let fields = window.fields(&["name", "kind", "half_life"])?;
            let life_s = fields.required("half_life", &Duration(60..=366 * 86_400))?;
            Kind::HalfLife { life_ms: u64::from(life_s) * 1000 }
        }
        Table::Step => {
            let fields = window.fields(&["name", "kind", "every", "factor"])?;
            Kind::Step { every: fields.required("every", &BOUNDARIES)?, factor: fields.required("factor", &Number(0.01..=0.999_999))? }
        }
        Table::Linear => {
            let fields = window.fields(&["name", "kind", "resets", "at", "beta"])?;
            let resets = fields.required("resets", &BOUNDARIES)?;
            if let (Unit::Hour, Some(at)) = (resets, fields.get("at")) {
                return Err(at.misplaced("where resets = \"hour\": every hour begins anew at its own start"));
            }
            Kind::Linear {
                resets,
                at_s: fields.or("at", 0, &TimeOfDay { seconds: true })?,
                beta: fields.or("beta", Score::ONE, &Number(0.000_001..=1e6))?,
            }
        }
    };
    Ok(Window::new(all.required("name", &OwnName)?, kind))
}

/// `{ name = "s1", kind = "season", from = "2026-12-01", until = "2027-03-01", every = "2 weeks" }`
fn read_season(window: &Node) -> Result<Window, ConfigError> {
    let fields = window.fields(&["name", "kind", "from", "until", "every"])?;
    let name = fields.required("name", &OwnName)?;
    let (from, until) = (fields.required("from", &LocalTime)?, fields.required("until", &LocalTime)?);
    let every = fields.get("every").map(|every| every.read(&Repeat)).transpose()?;
    let seasons = Season::in_a_row(from, until, every.as_ref());
    let is_allowed = |seasons: &Vec<Season>| !seasons.is_empty() && seasons.iter().all(|season| season.days() <= LONGEST_DAYS);
    let Some(seasons) = seasons.filter(is_allowed) else {
        let node = fields.required_node("until", "")?;
        return Err(
            node.not_allowed(&format!("a time after from, with at most {MOST} seasons before it, none longer than {LONGEST_DAYS} days"))
        );
    };
    Ok(Window { seasons: seasons.into(), ..Window::new(name, Kind::Calendar(Unit::Season)) })
}

/// A time by the clock of the site's zone.
struct LocalTime;

impl Rule for LocalTime {
    type Read = NaiveDateTime;

    fn allowed(&self) -> String {
        "a date or a date and time of the site's zone, like \"2026-12-01\" or \"2026-12-01T18:00\", from 1970 to 2199".into()
    }

    fn read(&self, value: &Value) -> Option<NaiveDateTime> {
        value.as_str().and_then(local_time)
    }
}

/// When the next season begins.
struct Repeat;

impl Rule for Repeat {
    type Read = Every;

    fn allowed(&self) -> String {
        "a number of hours, days, weeks, months or years up to 1000, like \"2 weeks\", or a cron expression of five fields, like \"0 18 * * 5\"".into()
    }

    fn read(&self, value: &Value) -> Option<Every> {
        value.as_str().and_then(Every::parse)
    }
}

/// `{ name = "last-60-minutes", kind = "rolling", grain = "5 minutes" }`
fn read_rolling(window: &Node) -> Result<Window, ConfigError> {
    let fields = window.fields(&["name", "kind", "grain"])?;
    let (name, grain) = (fields.required_node("name", MINUTES)?, fields.required("grain", &OneOf::<Grain>::ANY)?);
    let read = name.value.as_str().and_then(Window::parse).and_then(|window| window.with_grain(grain));
    read.ok_or_else(|| name.not_allowed(&format!("{MINUTES} that the grain divides, at least two of them")))
}

/// How rolling windows of minutes are written.
const MINUTES: &str = "last-N-minutes (N from 2 to 744)";

/// The name of a decaying window.
struct OwnName;

impl Rule for OwnName {
    type Read = Name;

    fn allowed(&self) -> String {
        format!("{}, and not the name of a calendar or rolling window", Name::ALLOWED)
    }

    fn read(&self, value: &Value) -> Option<Name> {
        value.as_str().and_then(Name::new).filter(|own| Window::parse(own.as_str()).is_none())
    }
}
