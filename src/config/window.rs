//! The windows of a board.

use serde_json::Value;

use super::error::ConfigError;
use super::node::{Node, duration_from};
use super::time::read_second_of_day;
use crate::ranking::name::Name;
use crate::ranking::score::Score;
use crate::ranking::window::{Kind, Unit, Window};

pub(super) fn read_windows(windows: &Node) -> Result<Vec<Window>, ConfigError> {
    let Value::Array(list) = windows.value else { return Err(windows.not_allowed(&format!("a list of {}", Window::ALLOWED))) };
    let mut read: Vec<Window> = Vec::new();
    for (i, value) in list.iter().enumerate() {
        let node = Node { key: format!("{}[{i}]", windows.key), value };
        let window = if value.is_object() {
            read_decaying(&node)?
        } else {
            let window = value.as_str().and_then(Window::parse);
            window.ok_or_else(|| node.not_allowed(&format!("{}, or a table with name and kind", Window::ALLOWED)))?
        };
        if read.iter().any(|other| other.name == window.name) {
            return Err(node.not_allowed("each window once"));
        }
        read.push(window);
    }
    if read.is_empty() { Err(windows.not_allowed(&format!("at least one of {}", Window::ALLOWED))) } else { Ok(read) }
}

/// `{ name = "hot", kind = "half-life", half_life = "6h" }` and its likes.
fn read_decaying(window: &Node) -> Result<Window, ConfigError> {
    const KINDS: &str = "half-life, step, linear";
    let all = window.fields(&["name", "kind", "half_life", "every", "factor", "resets", "at", "beta"])?;
    let name = all.required("name", Name::ALLOWED)?;
    let name = name
        .value
        .as_str()
        .and_then(Name::new)
        .filter(|own| Window::parse(own.as_str()).is_none())
        .ok_or_else(|| name.not_allowed(&format!("{}, and not the name of a calendar or rolling window", Name::ALLOWED)))?;
    let kind = all.required("kind", KINDS)?;
    let kind = match kind.value.as_str() {
        Some("half-life") => {
            const LIFE: &str = "\"1m\" to \"366d\"";
            let fields = window.fields(&["name", "kind", "half_life"])?;
            let life_s = fields.required("half_life", &duration_from(LIFE))?.duration_s(60, 366 * 86_400, LIFE)?;
            Kind::HalfLife { life_ms: u64::from(life_s) * 1000 }
        }
        Some("step") => {
            let fields = window.fields(&["name", "kind", "every", "factor"])?;
            let factor = fields.required("factor", "a number from 0.01 to 0.999999")?;
            Kind::Step {
                every: read_reset(&fields.required("every", RESETS)?)?,
                factor: factor.number(0.01, 0.999_999, "0.01 to 0.999999")?,
            }
        }
        Some("linear") => {
            let fields = window.fields(&["name", "kind", "resets", "at", "beta"])?;
            let resets = read_reset(&fields.required("resets", RESETS)?)?;
            if let (Unit::Hour, Some(at)) = (resets, fields.get("at")) {
                return Err(at.not_allowed("nothing where resets is hour"));
            }
            Kind::Linear {
                resets,
                at_s: fields.or("at", 0, read_second_of_day)?,
                beta: match fields.get("beta") {
                    Some(beta) => beta.number(0.000_001, 1e6, "0.000001 to 1000000")?,
                    None => Score::ONE,
                },
            }
        }
        _ => return Err(kind.not_allowed(KINDS)),
    };
    Ok(Window { name, kind })
}

const RESETS: &str = "hour, day, week, month";

fn read_reset(unit: &Node) -> Result<Unit, ConfigError> {
    let found = [Unit::Hour, Unit::Day, Unit::Week, Unit::Month].into_iter().find(|known| unit.value == known.name());
    found.ok_or_else(|| unit.not_allowed(RESETS))
}
