//! The configuration: from the variables of wrangler.toml to sites that cannot be wrong.
//!
//! Reading stops at the first mistake, which is named with its key, its value and what is allowed.

use std::fmt;
use std::rc::Rc;

use chrono::Weekday;
use serde_json::{Map, Value};

use crate::ranking::name::{Name, Named};
use crate::ranking::score::Score;
use crate::ranking::site::{Action, Board, Members, Origins, Ranking, Site, Ties};
use crate::ranking::window::{Kind, Unit, Window};

/// Every site of a deployment.
#[derive(Debug)]
pub struct Config {
    pub sites: Named<Rc<Site>>,
}

/// One mistake in the configuration. Displayed as one line.
#[derive(Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Where: `SITES.demo.boards.articles.limit`.
    pub key: String,
    /// What stands there, as JSON; `None` when nothing does.
    pub value: Option<String>,
    pub allowed: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{} = {value} is not allowed; allowed: {}", self.key, self.allowed),
            None => write!(f, "{} is missing; allowed: {}", self.key, self.allowed),
        }
    }
}

impl Config {
    /// Reads the variables whose name begins with `SITES` and that hold objects. `knows_zone` tells whether the runtime
    /// knows a time zone.
    ///
    /// # Errors
    /// The first mistake.
    pub fn read(variables: impl IntoIterator<Item = (String, Value)>, knows_zone: impl Fn(&str) -> bool) -> Result<Self, ConfigError> {
        let mut merged = Map::new();
        for (name, value) in variables {
            if let (true, Value::Object(object)) = (name.starts_with("SITES"), value) {
                merge(&mut merged, object, &name)?;
            }
        }
        let sites = Node { key: "SITES".into(), value: &Value::Object(merged) }
            .named(|name, site| read_site(name, site, &knows_zone).map(Rc::new))?;
        Ok(Self { sites })
    }
}

fn merge(into: &mut Map<String, Value>, from: Map<String, Value>, key: &str) -> Result<(), ConfigError> {
    for (name, value) in from {
        let key = format!("{key}.{name}");
        match (into.get_mut(&name), value) {
            (Some(Value::Object(there)), Value::Object(more)) => merge(there, more, &key)?,
            (Some(there), value) if *there != value => {
                return Err(ConfigError {
                    key,
                    value: Some(value.to_string()),
                    allowed: format!("one value; another variable says {there}"),
                });
            }
            (Some(_), _) => {}
            (None, value) => {
                into.insert(name, value);
            }
        }
    }
    Ok(())
}

fn read_site(name: &Name, site: &Node, knows_zone: &impl Fn(&str) -> bool) -> Result<Site, ConfigError> {
    let fields =
        site.fields(&["origins", "timezone", "day_starts_at", "week_starts_on", "actor_history", "activity", "actions", "boards"])?;
    let actions = fields.required("actions", "a table of actions")?.named(|_, action| read_action(action))?;
    let boards = fields.required("boards", "a table of boards")?.named(|name, board| read_board(name, board, &actions).map(Rc::new))?;
    Ok(Site {
        name: name.clone(),
        origins: fields.or("origins", Origins::Listed(Vec::new()), read_origins)?,
        timezone: fields.or("timezone", "UTC".into(), |zone| {
            let known = zone.value.as_str().filter(|name| knows_zone(name));
            known.map(String::from).ok_or_else(|| zone.mistake("an IANA time zone name like \"Europe/Berlin\""))
        })?,
        day_starts_at_s: fields.or("day_starts_at", 0, read_time_of_day)?,
        week_starts_on: fields.or("week_starts_on", Weekday::Mon, read_weekday)?,
        actor_history_s: fields
            .or("actor_history", 31 * 86_400, |history| history.duration_s(86_400, Site::MAX_ACTOR_HISTORY_S, "\"1d\" to \"366d\""))?,
        activity: fields.or("activity", true, |activity| activity.boolean())?,
        actions,
        boards,
    })
}

fn read_origins(origins: &Node) -> Result<Origins, ConfigError> {
    const ALLOWED: &str =
        "[\"*\"] or a list of origins like \"https://example.com\" (scheme, host and, where it is not the scheme's own, port; no path)";
    let Value::Array(list) = origins.value else { return Err(origins.mistake(ALLOWED)) };
    if list.len() == 1 && list[0] == "*" {
        return Ok(Origins::Any);
    }
    let mut listed = Vec::new();
    for (i, value) in list.iter().enumerate() {
        let origin = Node { key: format!("{}[{i}]", origins.key), value };
        let text = value.as_str().filter(|text| is_origin(text)).ok_or_else(|| origin.mistake(ALLOWED))?;
        listed.push(text.to_owned());
    }
    Ok(Origins::Listed(listed))
}

/// A serialized origin as browsers send it: lower case, no path, not even `/`.
fn is_origin(text: &str) -> bool {
    let host_allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_' | b':' | b'[' | b']');
    text == "null"
        || text.split_once("://").is_some_and(|(scheme, host)| {
            matches!(scheme, "http" | "https" | "capacitor" | "tauri" | "app") && !host.is_empty() && host.bytes().all(host_allowed)
        })
}

fn read_time_of_day(time: &Node) -> Result<u32, ConfigError> {
    let seconds = time.value.as_str().filter(|text| text.len() == 5).and_then(second_of_day);
    seconds.ok_or_else(|| time.mistake("a time of day from \"00:00\" to \"23:59\""))
}

fn read_second_of_day(time: &Node) -> Result<u32, ConfigError> {
    time.value.as_str().and_then(second_of_day).ok_or_else(|| time.mistake("a time of day from \"00:00:00\" to \"23:59:59\""))
}

/// `02:01` or `02:01:00`
fn second_of_day(text: &str) -> Option<u32> {
    let mut parts = text.split(':');
    let mut next = |below: u32| parts.next().map(|part| part.parse::<u32>().ok().filter(|number| part.len() == 2 && *number < below));
    let (hour, minute, second) = (next(24)??, next(60)??, next(60).unwrap_or(Some(0))?);
    parts.next().is_none().then_some(hour * 3600 + minute * 60 + second)
}

fn read_weekday(day: &Node) -> Result<Weekday, ConfigError> {
    const DAYS: [(&str, Weekday); 7] = [
        ("monday", Weekday::Mon),
        ("tuesday", Weekday::Tue),
        ("wednesday", Weekday::Wed),
        ("thursday", Weekday::Thu),
        ("friday", Weekday::Fri),
        ("saturday", Weekday::Sat),
        ("sunday", Weekday::Sun),
    ];
    let found = DAYS.into_iter().find(|(name, _)| day.value == name);
    found.map(|(_, weekday)| weekday).ok_or_else(|| day.mistake("monday, tuesday, wednesday, thursday, friday, saturday, sunday"))
}

fn read_action(action: &Node) -> Result<Action, ConfigError> {
    let fields = action.fields(&["public", "reversible"])?;
    Ok(Action {
        public: fields.or("public", false, |public| public.boolean())?,
        reversible: fields.or("reversible", false, |reversible| reversible.boolean())?,
    })
}

fn read_board(name: &Name, board: &Node, actions: &Named<Action>) -> Result<Board, ConfigError> {
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
                .ok_or_else(|| members.mistake("\"items\" or \"actors\""))
        })?,
        weights: fields.required("weights", "a table of actions and what each is worth")?.named(|action, weight| {
            if actions.get(action.as_str()).is_none() {
                return Err(weight.mistake(&format!("the site's actions: {}", actions.list())));
            }
            // Sums of up to 2^53 ÷ 10^9 = 9 million events of the greatest weight stay exact; fractions of a millionth are
            // what the scripts round sums to.
            let exact = |number: &f64| *number != 0.0 && number.abs() <= 1e9 && (number * 1e6).round() / 1e6 == *number;
            let valid = weight.value.as_f64().filter(exact).and_then(Score::new);
            valid.ok_or_else(|| weight.mistake("a number other than 0, at most 1000000000 in size, with at most six decimals"))
        })?,
        windows: read_windows(&fields.required("windows", Window::ALLOWED)?)?,
        limit: fields.or("limit", 100, |limit| limit.integer(1, 1000))?,
        max_members: fields.or("max_members", 1_000_000, |most| most.integer(1, 100_000_000))?,
        replay_window_s: fields
            .or("replay_window", 86_400, |window| window.duration_s(60, Board::MAX_REPLAY_WINDOW_S, "\"1m\" to \"31d\""))?,
        once: fields.or("once", Named::default(), |once| once.named(|action, unit| read_once(&fields, action, unit)))?,
        ties: fields.or("ties", None, |ties| {
            let found = [Ties::First, Ties::Last].into_iter().find(|known| ties.value == known.name());
            found.map(Some).ok_or_else(|| ties.mistake("\"first\" or \"last\""))
        })?,
        ranking: fields.or("ranking", Ranking::Ordinal, |ranking| {
            let found = [Ranking::Ordinal, Ranking::Competition, Ranking::Dense].into_iter().find(|known| ranking.value == known.name());
            found.ok_or_else(|| ranking.mistake("\"ordinal\", \"competition\" or \"dense\""))
        })?,
        breakdown: fields.or("breakdown", false, |breakdown| breakdown.boolean())?,
        min_score: fields.or("min_score", 0.0, |least| Ok(least.number(0.0, 1e15, "0 to 1000000000000000")?.value()))?,
    };
    check_equals(&fields, &read)?;
    Ok(read)
}

/// `view = "day"`
fn read_once(board: &Fields, action: &Name, unit: &Node) -> Result<Unit, ConfigError> {
    const ALLOWED: &str = "hour, day, week, month, year, ever";
    let weights = board.table.get("weights").and_then(Value::as_object);
    if weights.is_none_or(|weights| weights.get(action.as_str()).is_none()) {
        let known: Vec<&str> = weights.into_iter().flat_map(Map::keys).map(String::as_str).collect();
        return Err(unit.mistake(&format!("the actions that the board gives a weight: {}", known.join(", "))));
    }
    let named = |known: &Unit| unit.value == if *known == Unit::All { "ever" } else { known.name() };
    Unit::EACH.into_iter().find(named).ok_or_else(|| unit.mistake(ALLOWED))
}

/// Refuses orders and ranks of equals that could not be exact.
fn check_equals(fields: &Fields, board: &Board) -> Result<(), ConfigError> {
    let decaying = board.windows.iter().find(|window| !window.sums_weights()).map(|window| &window.name);
    let fraction = board.weights.iter().find(|(_, weight)| weight.value().fract() != 0.0).map(|(action, _)| action);
    let refuse = |option: &str, allowed: &str| fields.get(option).map_or(Ok(()), |node| Err(node.mistake(allowed)));
    match (board.ties, decaying, fraction) {
        (Some(_), Some(window), _) => {
            return refuse(
                "ties",
                &format!("nothing with the window {window}: decaying scores are hardly ever equal; give it a board of its own"),
            );
        }
        (Some(_), None, Some(action)) => {
            return refuse("ties", &format!("whole weights only: the arrival is packed beside the score, and {action} has a fraction"));
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

fn read_windows(windows: &Node) -> Result<Vec<Window>, ConfigError> {
    let Value::Array(list) = windows.value else { return Err(windows.mistake(&format!("a list of {}", Window::ALLOWED))) };
    let mut read: Vec<Window> = Vec::new();
    for (i, value) in list.iter().enumerate() {
        let node = Node { key: format!("{}[{i}]", windows.key), value };
        let window = match value {
            Value::Object(_) => read_decaying(&node)?,
            _ => {
                let window = value.as_str().and_then(Window::parse);
                window.ok_or_else(|| node.mistake(&format!("{}, or a table with name and kind", Window::ALLOWED)))?
            }
        };
        if read.iter().any(|other| other.name == window.name) {
            return Err(node.mistake("each window once"));
        }
        read.push(window);
    }
    if read.is_empty() { Err(windows.mistake(&format!("at least one of {}", Window::ALLOWED))) } else { Ok(read) }
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
        .ok_or_else(|| name.mistake(&format!("{}, and not the name of a calendar or rolling window", Name::ALLOWED)))?;
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
                return Err(at.mistake("nothing where resets is hour"));
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
        _ => return Err(kind.mistake(KINDS)),
    };
    Ok(Window { name, kind })
}

const RESETS: &str = "hour, day, week, month";

fn read_reset(unit: &Node) -> Result<Unit, ConfigError> {
    let found = [Unit::Hour, Unit::Day, Unit::Week, Unit::Month].into_iter().find(|known| unit.value == known.name());
    found.ok_or_else(|| unit.mistake(RESETS))
}

fn duration_from(allowed: &str) -> String {
    format!("a duration from {allowed}, a whole number and s, m, h or d")
}

/// A value and the key it stands at.
struct Node<'v> {
    key: String,
    value: &'v Value,
}

/// The fields of a table.
struct Fields<'v> {
    key: String,
    table: &'v Map<String, Value>,
}

impl<'v> Node<'v> {
    fn mistake(&self, allowed: &str) -> ConfigError {
        /// Longer values are cut in messages.
        const SHOWN: usize = 200;
        let mut value = self.value.to_string();
        if value.len() > SHOWN {
            value = value.chars().take(SHOWN).chain(['…']).collect();
        }
        ConfigError { key: self.key.clone(), value: Some(value), allowed: allowed.into() }
    }

    /// A table with the allowed keys only.
    fn fields(&self, allowed: &[&str]) -> Result<Fields<'v>, ConfigError> {
        let Value::Object(table) = self.value else { return Err(self.mistake(&format!("a table of {}", allowed.join(", ")))) };
        match table.iter().find(|(key, _)| !allowed.contains(&key.as_str())) {
            Some((key, value)) => {
                Err(Node { key: format!("{}.{key}", self.key), value }.mistake(&format!("the keys {}", allowed.join(", "))))
            }
            None => Ok(Fields { key: self.key.clone(), table }),
        }
    }

    /// A table with names as keys and at least one entry.
    fn named<T>(&self, read: impl Fn(&Name, &Node) -> Result<T, ConfigError>) -> Result<Named<T>, ConfigError> {
        let Some(table) = self.value.as_object().filter(|table| !table.is_empty()) else {
            return Err(self.mistake("a table with at least one entry"));
        };
        // The table is in the order of its keys.
        table
            .iter()
            .map(|(key, value)| {
                let node = Node { key: format!("{}.{key}", self.key), value };
                let name = Name::new(key).ok_or_else(|| node.mistake(&format!("as a name, {}", Name::ALLOWED)))?;
                let entry = read(&name, &node)?;
                Ok((name, entry))
            })
            .collect()
    }

    fn boolean(&self) -> Result<bool, ConfigError> {
        self.value.as_bool().ok_or_else(|| self.mistake("true or false"))
    }

    fn integer(&self, least: u32, most: u32) -> Result<u32, ConfigError> {
        let number = self.value.as_u64().and_then(|number| u32::try_from(number).ok());
        number
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| self.mistake(&format!("a whole number from {least} to {most}")))
    }

    fn number(&self, least: f64, most: f64, allowed: &str) -> Result<Score, ConfigError> {
        let number = self.value.as_f64().filter(|number| (least..=most).contains(number)).and_then(Score::new);
        number.ok_or_else(|| self.mistake(&format!("a number from {allowed}")))
    }

    /// A duration in seconds, written as a whole number and a unit: s, m, h or d.
    fn duration_s(&self, least: u32, most: u32, allowed: &str) -> Result<u32, ConfigError> {
        let seconds = self.value.as_str().and_then(|text| {
            let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
            let scale = match unit {
                "s" => 1,
                "m" => 60,
                "h" => 3600,
                "d" => 86_400,
                _ => return None,
            };
            number.parse::<u32>().ok()?.checked_mul(scale)
        });
        seconds.filter(|seconds| (least..=most).contains(seconds)).ok_or_else(|| self.mistake(&duration_from(allowed)))
    }
}

impl<'v> Fields<'v> {
    fn get(&self, name: &str) -> Option<Node<'v>> {
        self.table.get(name).map(|value| Node { key: format!("{}.{name}", self.key), value })
    }

    fn required(&self, name: &str, allowed: &str) -> Result<Node<'v>, ConfigError> {
        self.get(name).ok_or_else(|| ConfigError { key: format!("{}.{name}", self.key), value: None, allowed: allowed.into() })
    }

    fn or<T>(&self, name: &str, default: T, read: impl FnOnce(&Node) -> Result<T, ConfigError>) -> Result<T, ConfigError> {
        self.get(name).map_or(Ok(default), |node| read(&node))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn demo() -> Value {
        json!({ "demo": {
            "origins": ["http://localhost:8787"],
            "timezone": "UTC",
            "actions": { "view": { "public": true }, "like": { "reversible": true }, "comment": {} },
            "boards": { "articles": { "weights": { "view": 1, "like": 2.5, "comment": -3 }, "windows": ["hour", "all"] } },
        } })
    }

    fn read(sites: Value) -> Result<Config, ConfigError> {
        Config::read([("SITES".into(), sites), ("REDIS_URL".into(), json!("redis://x"))], |zone| zone == "UTC" || zone == "Asia/Shanghai")
    }

    /// `pointer` is set to `value`; the line must be `expected`.
    #[track_caller]
    fn check(pointer: &str, value: Value, expected: &str) {
        let mut sites = demo();
        let (parent, key) = pointer.rsplit_once('/').expect("a JSON pointer");
        sites.pointer_mut(parent).and_then(Value::as_object_mut).expect("a table").insert(key.into(), value);
        assert_eq!(read(sites).expect_err("a mistake").to_string(), expected);
    }

    #[test]
    fn defaults() {
        let config = read(demo()).expect("valid");
        let site = &config.sites["demo"];
        let board = &site.boards["articles"];
        assert_eq!((board.limit, board.max_members, board.members, board.replay_window_s), (100, 1_000_000, Members::Items, 86_400));
        assert_eq!((site.day_starts_at_s, site.week_starts_on), (0, Weekday::Mon));
        assert!(site.actions["view"].public && !site.actions["like"].public && site.actions["like"].reversible);
    }

    #[test]
    fn every_mistake_names_key_value_and_what_is_allowed() {
        check(
            "/demo/timezone",
            json!("Mars/Olympus"),
            r#"SITES.demo.timezone = "Mars/Olympus" is not allowed; allowed: an IANA time zone name like "Europe/Berlin""#,
        );
        check(
            "/demo/day_starts_at",
            json!("4:00"),
            r#"SITES.demo.day_starts_at = "4:00" is not allowed; allowed: a time of day from "00:00" to "23:59""#,
        );
        check(
            "/demo/week_starts_on",
            json!("Monday"),
            r#"SITES.demo.week_starts_on = "Monday" is not allowed; allowed: monday, tuesday, wednesday, thursday, friday, saturday, sunday"#,
        );
        check(
            "/demo/actions/view",
            json!({ "publik": true }),
            "SITES.demo.actions.view.publik = true is not allowed; allowed: the keys public, reversible",
        );
        check(
            "/demo/actions/View",
            json!({}),
            "SITES.demo.actions.View = {} is not allowed; allowed: as a name, 1 to 32 characters a-z, 0-9 and -, not beginning with -",
        );
        check(
            "/demo/boards/articles/windows",
            json!(["dy"]),
            r#"SITES.demo.boards.articles.windows[0] = "dy" is not allowed; allowed: hour, day, week, month, year, all, last-N-hours, last-N-days, last-N-weeks, last-N-months (N from 2 to 366), or a table with name and kind"#,
        );
        check(
            "/demo/boards/articles/windows",
            json!(["day", "day"]),
            r#"SITES.demo.boards.articles.windows[1] = "day" is not allowed; allowed: each window once"#,
        );
        check(
            "/demo/boards/articles/windows",
            json!([]),
            "SITES.demo.boards.articles.windows = [] is not allowed; allowed: at least one of hour, day, week, month, year, all, last-N-hours, last-N-days, last-N-weeks, last-N-months (N from 2 to 366)",
        );
        check(
            "/demo/boards/articles/weights/veiw",
            json!(1),
            "SITES.demo.boards.articles.weights.veiw = 1 is not allowed; allowed: the site's actions: comment, like, view",
        );
        check(
            "/demo/boards/articles/weights/view",
            json!(0),
            "SITES.demo.boards.articles.weights.view = 0 is not allowed; allowed: a number other than 0, at most 1000000000 in size, with at most six decimals",
        );
        check(
            "/demo/boards/articles/limit",
            json!(0),
            "SITES.demo.boards.articles.limit = 0 is not allowed; allowed: a whole number from 1 to 1000",
        );
        check(
            "/demo/boards/articles/members",
            json!("user"),
            r#"SITES.demo.boards.articles.members = "user" is not allowed; allowed: "items" or "actors""#,
        );
        check(
            "/demo/boards/articles/replay_window",
            json!("1w"),
            r#"SITES.demo.boards.articles.replay_window = "1w" is not allowed; allowed: a duration from "1m" to "31d", a whole number and s, m, h or d"#,
        );
        check(
            "/demo/origins",
            json!(["https://a.example/"]),
            "SITES.demo.origins[0] = \"https://a.example/\" is not allowed; allowed: [\"*\"] or a list of origins like \"https://example.com\" (scheme, host and, where it is not the scheme's own, port; no path)",
        );
        check("/demo/boards", json!({}), "SITES.demo.boards = {} is not allowed; allowed: a table with at least one entry");
    }

    #[test]
    fn missing_things_are_named() {
        let mut sites = demo();
        sites["demo"]["boards"]["articles"].as_object_mut().expect("a table").remove("weights");
        let mistake = read(sites).expect_err("a mistake");
        assert_eq!(
            mistake.to_string(),
            "SITES.demo.boards.articles.weights is missing; allowed: a table of actions and what each is worth"
        );
        assert_eq!(
            read(json!({})).expect_err("a mistake").to_string(),
            "SITES = {} is not allowed; allowed: a table with at least one entry"
        );
    }

    #[test]
    fn variables_are_merged() {
        let more = json!({ "shop": demo()["demo"], "demo": { "boards": { "people": { "members": "actors", "weights": { "view": 1 }, "windows": ["all"] } } } });
        let config = Config::read([("SITES".into(), demo()), ("SITES_2".into(), more)], |_| true).expect("valid");
        assert_eq!(config.sites.values().count(), 2);
        assert_eq!(config.sites["demo"].boards.values().count(), 2);

        let clash = json!({ "demo": { "timezone": "Asia/Shanghai" } });
        let mistake = Config::read([("SITES".into(), demo()), ("SITES_2".into(), clash)], |_| true).expect_err("a mistake");
        assert_eq!(mistake.key, "SITES_2.demo.timezone");
    }
}
