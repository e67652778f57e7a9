//! Which totals a board hands on, and where.

use ranking::name::nearest;
use ranking::site::{Receiver, Totals, TotalsTo};
use ranking::window::{Kind, Unit, Window};
use serde_json::Value;

use super::error::ConfigError;
use super::forward::Webhook;
use super::node::Node;
use super::rule::{Duration, Rule};

/// The scheduled run comes once a minute.
const EVERY: Duration = Duration(60..=86_400);
const EVERY_S: u32 = 300;

/// `[{ window = "all", every = "5m", to = "d1" }]`
pub(super) fn read_totals(list: &Node, windows: &[Window]) -> Result<Vec<Totals>, ConfigError> {
    let Value::Array(entries) = list.value else {
        return Err(list.not_allowed("a list of tables like { window = \"all\", every = \"5m\", to = \"d1\" }"));
    };
    let units = || windows.iter().filter_map(|window| Some((window, unit_of(window)?)));
    let known: Vec<&str> = units().map(|(window, _)| window.name.as_str()).collect();
    let allowed = format!("the board's calendar windows, each once: {}", known.join(", "));
    let mut read: Vec<Totals> = Vec::new();
    for (i, value) in entries.iter().enumerate() {
        let fields = Node { key: format!("{}[{i}]", list.key), value }.fields(&["window", "every", "to"])?;
        let window = fields.required_node("window", &allowed)?;
        let text = window.value.as_str().unwrap_or_default();
        let found = units().find(|(known, unit)| known.name.as_str() == text && read.iter().all(|other| other.unit != *unit));
        let (Window { name, .. }, unit) =
            found.ok_or_else(|| window.not_allowed(&allowed).meant(nearest(text, known.iter().copied()).filter(|name| *name != text)))?;
        let (every_s, to) = (fields.or("every", EVERY_S, &EVERY)?, fields.or("to", TotalsTo::Database, &To)?);
        read.push(Totals { window: name.clone(), unit, every_s, to });
    }
    Ok(read)
}

/// The unit of a window that is one period of it.
fn unit_of(window: &Window) -> Option<Unit> {
    match window.kind {
        Kind::Calendar(unit) if Unit::EACH.contains(&unit) => Some(unit),
        _ => None,
    }
}

/// `"d1"`, or an address.
struct To;

impl Rule for To {
    type Read = TotalsTo;

    fn allowed(&self) -> String {
        format!("\"d1\", the deployment's database, or {}", Webhook.allowed())
    }

    fn read(&self, value: &Value) -> Option<TotalsTo> {
        match value.as_str() {
            Some("d1") => Some(TotalsTo::Database),
            _ => Webhook.read(value).map(|address| TotalsTo::Receiver(Receiver::Webhook(address))),
        }
    }
}
