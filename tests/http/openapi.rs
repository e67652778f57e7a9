//! The tables of docs/http/, made from the table of routes, and that every answer is described.
//!
//! The tests fail when the document is not what the table says; with `EDGEBOARD_UPDATE=1` they write it.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use interface::ROUTES;
use interface::code::Code;
use interface::openapi::SCHEMAS;
use interface::route::{Access, Cache};
use serde_json::{Map, Value, json};
use serve::config::Config;

/// A file must say this; with `EDGEBOARD_UPDATE=1` it will.
#[track_caller]
fn check_file(path: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if env::var_os("EDGEBOARD_UPDATE").is_some() {
        fs::write(&path, expected).expect("writable");
    }
    let message = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        message == expected,
        "{} is not what the routes say; EDGEBOARD_UPDATE=1 cargo test --test http openapi writes it",
        path.display()
    );
}

#[test]
fn every_answer_has_a_schema_and_an_example() {
    let known: Map<String, Value> = serde_json::from_str(SCHEMAS).expect("JSON");
    let named = ROUTES.iter().flat_map(|route| route.answers.iter().filter_map(|answer| answer.schema).chain(route.body));
    let mut checked = 0;
    for name in named {
        assert!(known.get(name).is_some_and(|known| known["schema"].is_object() && !known["example"].is_null()), "{name}");
        checked += 1;
    }
    assert!(checked > 15, "{checked}");
}

#[test]
fn the_reference_has_the_tables() {
    for (name, table) in [("routes", routes_table()), ("problems", problems_table())] {
        let path = format!("docs/http/{name}.md");
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&path)).expect("readable");
        check_file(&path, &between(&text, name, &table));
    }
}

/// The text with something else between `<!-- name -->` and `<!-- /name -->`.
fn between(text: &str, name: &str, content: &str) -> String {
    let (before, rest) = text.split_once(&format!("<!-- {name} -->\n")).expect("the mark");
    let (_, after) = rest.split_once(&format!("<!-- /{name} -->")).expect("the closing mark");
    format!("{before}<!-- {name} -->\n\n{content}\n<!-- /{name} -->{after}")
}

/// The first part of a path below `/v1/{site}` is no name for the beacon.
#[test]
fn no_beacon_is_called_like_a_route() {
    let sites = json!({ "demo": { "actions": { "view": {} }, "boards": { "a": { "weights": { "view": 1 }, "windows": ["day"] } } } });
    let is_allowed = |name: &str| Config::read([("SITES".into(), sites.clone()), ("BEACON_PATH".into(), json!(name))], |_| true).is_ok();
    let names = ROUTES.iter().filter_map(|route| route.path.strip_prefix("/v1/{site}/")?.split('/').next());
    for name in names.filter(|name| !name.starts_with("beacon")) {
        assert!(!is_allowed(name), "{name}");
    }
    assert!(is_allowed("corner") && is_allowed("beacon"));
}

fn routes_table() -> String {
    let mut table = String::from("| method and path | who | caches | answer |\n|---|---|---|---|\n");
    for route in ROUTES {
        let query: Vec<String> = route.query.iter().map(|parameter| format!("{}=", parameter.name)).collect();
        let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
        let who = match route.access {
            Access::Anyone => "anyone",
            Access::Page => "listed origins",
            Access::WriteToken => "`WRITE_TOKEN`",
            Access::AdminToken => "`ADMIN_TOKEN`",
            Access::DeploymentToken => "`ADMIN_TOKEN` of all sites",
            Access::MetricsToken => "`METRICS_TOKEN`, `ADMIN_TOKEN`",
        };
        let cache = match route.cache {
            Cache::No => "no",
            Cache::Revalidated => "revalidate",
            Cache::Ranking => "yes",
            Cache::Immutable => "for ever",
        };
        let statuses: Vec<String> = route.answers.iter().map(|answer| answer.status.to_string()).collect();
        let _ = writeln!(
            table,
            "| `{} {}{query}` | {who} | {cache} | {}: {} |",
            route.method.name(),
            route.path,
            statuses.join(" "),
            route.summary
        );
    }
    table
}

fn problems_table() -> String {
    let mut codes: Vec<Code> = Code::each().collect();
    codes.sort_by_key(|code| (code.status(), code.name()));
    let mut table = String::from("| status | code | meaning |\n|---|---|---|\n");
    for code in codes {
        let _ = writeln!(table, "| {} | `{}` | {} |", code.status().as_u16(), code.name(), code.meaning());
    }
    table
}
