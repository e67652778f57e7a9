//! The windows of a board.

use serde_json::Value;

use super::error::ConfigError;
use super::node::Node;
use super::rule::{Duration, Number, OneOf, Rule, TimeOfDay};
use crate::ranking::name::{Name, nearest};
use crate::ranking::score::Score;
use crate::ranking::window::{Kind, Table, Unit, Window};

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

    fn nearest(&self, text: &str) -> Option<&'static str> {
        nearest(text, Unit::EACH.map(Unit::name))
    }
}

/// Where the boundaries of decaying windows may be.
const BOUNDARIES: OneOf<Unit> = OneOf { each: &Unit::BELOW_YEAR, name: Unit::name };

/// What a rolling window of minutes may be made of.
const GRAINS: OneOf<Unit> = OneOf {
    each: &Unit::GRAINS,
    name: |unit| match unit {
        Unit::FiveMinutes => "5 minutes",
        Unit::TenMinutes => "10 minutes",
        _ => "1 minute",
    },
};

/// `{ name = "hot", kind = "half-life", half_life = "6h" }` and its likes.
fn read_table(window: &Node) -> Result<Window, ConfigError> {
    let all = window.fields(&["name", "kind", "half_life", "every", "factor", "resets", "at", "beta", "grain"])?;
    let kind = match all.required("kind", &OneOf::ANY)? {
        Table::Rolling => return read_rolling(window),
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
                return Err(at.not_allowed("nothing where resets is hour"));
            }
            Kind::Linear {
                resets,
                at_s: fields.or("at", 0, &TimeOfDay { seconds: true })?,
                beta: fields.or("beta", Score::ONE, &Number(0.000_001..=1e6))?,
            }
        }
    };
    Ok(Window { name: all.required("name", &OwnName)?, kind })
}

/// `{ name = "last-60-minutes", kind = "rolling", grain = "5 minutes" }`
fn read_rolling(window: &Node) -> Result<Window, ConfigError> {
    let fields = window.fields(&["name", "kind", "grain"])?;
    let (name, grain) = (fields.required_node("name", MINUTES)?, fields.required("grain", &GRAINS)?);
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
