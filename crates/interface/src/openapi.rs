//! OpenAPI 3.1, from the table of routes.

use http::StatusCode;
use serde_json::{Map, Value, json};

use crate::ROUTES;
use crate::code::Code;
use crate::parameter::Parameter;
use crate::route::{Access, Answer, Cache, Route};

/// Schemas of bodies, each with an example where an answer or a request is one.
pub const SCHEMAS: &str = include_str!("schemas.json");

/// The document, of a version of the worker.
///
/// # Panics
/// Where schemas.json or a parameter's schema is no JSON, which a build shows.
pub fn description(version: &str) -> Value {
    let known: Map<String, Value> = serde_json::from_str(SCHEMAS).expect("JSON");
    let mut paths = Map::new();
    for route in ROUTES {
        let operations = paths.entry(route.path).or_insert_with(|| json!({}));
        operations[route.method.name().to_ascii_lowercase()] = operation(route, &known);
    }
    let schemas: Map<String, Value> = known.into_iter().map(|(name, mut known)| (name, known["schema"].take())).collect();
    let bearer = |token: &str| json!({ "type": "http", "scheme": "bearer", "description": token });
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "edgeboard",
            "version": version,
            "description": "Rankings from clicks, at the edge.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "tags": TAGS.map(|(name, description)| json!({ "name": name, "description": description })),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "headers": headers(),
            "securitySchemes": { "write": bearer("WRITE_TOKEN"), "admin": bearer("ADMIN_TOKEN"), "metrics": bearer("METRICS_TOKEN") },
        },
    })
}

fn operation(route: &Route, known: &Map<String, Value>) -> Value {
    let in_path =
        route.path.split('/').filter_map(name).map(
            |name| json!({ "name": name, "in": "path", "required": true, "schema": schema(match name { "id" => "Id", "file" => "File", "kind" => "TokenKind", _ => "Name" }) }),
        );
    let in_query = route.query.iter().map(parameter);
    let validator = json!({
        "name": "If-None-Match",
        "in": "header",
        "schema": { "type": "string" },
        "description": "the `ETag` of an answer that is known",
    });
    let precondition = json!({
        "name": "If-Match",
        "in": "header",
        "schema": { "type": "string" },
        "description": "the `ETag` of what is to be replaced",
    });
    let in_header = [
        matches!(route.cache, Cache::Revalidated | Cache::Ranking).then_some(validator),
        route.takes_preconditions().then_some(precondition),
    ];
    let in_header = in_header.into_iter().flatten();
    let mut operation = json!({
        "operationId": operation_id(route),
        "tags": [tag(route.path)],
        "summary": route.summary,
        "parameters": in_path.chain(in_query).chain(in_header).collect::<Vec<_>>(),
        "responses": responses(route, known),
    });
    if let Some(schema) = route.body {
        // Bodies are JSON whatever the type says; browsers send beacons as text. Lines of JSON are none.
        let content_type = if known[schema]["schema"]["type"] == "string" { "text/plain" } else { "application/json" };
        operation["requestBody"] = json!({ "required": schema != "Restore", "content": { content_type: media(schema, known) } });
    }
    match route.access {
        Access::Anyone | Access::Page => operation["security"] = json!([]),
        Access::WriteToken => operation["security"] = json!([{ "write": [] }]),
        Access::AdminToken | Access::DeploymentToken => operation["security"] = json!([{ "admin": [] }]),
        Access::MetricsToken => operation["security"] = json!([{ "metrics": [] }, { "admin": [] }]),
    }
    operation
}

/// The groups of operations, in the order in which a reader meets them.
const TAGS: [(&str, &str); 7] = [
    ("events", "Counting events"),
    ("rankings", "Reading rankings and members"),
    ("items", "What is known of items"),
    ("actors", "What is known of actors, and what they did"),
    ("admin", "Administration of a site"),
    ("sites", "Sites that are made at run time"),
    ("worker", "The worker itself, and the files that it serves"),
];

/// The group of an operation, by the first part of its path below the site.
fn tag(path: &str) -> &'static str {
    if path.starts_with("/v1/admin/") {
        return "sites";
    }
    match path.strip_prefix("/v1/{site}/").and_then(|rest| rest.split('/').next()) {
        None => "worker",
        Some("beacon" | "beacon.gif" | "events") => "events",
        Some("boards" | "top") => "rankings",
        Some("items") => "items",
        Some("actors" | "mine") => "actors",
        Some("admin") => "admin",
        Some(other) => panic!("{other} has no tag"),
    }
}

/// `get-v1-site-boards`
fn operation_id(route: &Route) -> String {
    let words = route.path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let method = route.method.name().to_ascii_lowercase();
    [method.as_str()].into_iter().chain(words).collect::<Vec<_>>().join("-")
}

fn parameter(parameter: &Parameter) -> Value {
    let schema: Value = serde_json::from_str(parameter.schema).expect("JSON");
    json!({ "name": parameter.name, "in": "query", "required": parameter.required, "schema": schema, "description": parameter.about })
}

fn responses(route: &Route, known: &Map<String, Value>) -> Value {
    let mut responses = Map::new();
    for Answer { status, content_type, schema } in route.answers {
        let description = StatusCode::from_u16(*status).ok().and_then(|status| status.canonical_reason()).unwrap_or_default();
        let mut response = json!({ "description": description, "headers": headers_of(route, *status) });
        if let Some(schema) = schema {
            response["content"] = json!({ *content_type: media(schema, known) });
        } else if !content_type.is_empty() {
            response["content"] = json!({ *content_type: {} });
        }
        responses.insert(status.to_string(), response);
    }
    let mut codes: Vec<Code> = route.problems().collect();
    codes.sort_by_key(|code| (code.status(), code.name()));
    codes.dedup();
    for same in codes.chunk_by(|a, b| a.status() == b.status()) {
        let status = same[0].status();
        let names: Vec<&str> = same.iter().map(|code| code.name()).collect();
        let schema = json!({
            "allOf": [{ "$ref": "#/components/schemas/Problem" }, { "properties": { "code": { "enum": names } } }],
        });
        let title = status.canonical_reason().unwrap_or_default();
        let example = json!({ "title": title, "status": status.as_u16(), "code": names[0], "detail": same[0].meaning() });
        let media = json!({ "application/problem+json": { "schema": schema, "example": example } });
        let headers = headers_of(route, status.as_u16());
        responses.insert(status.as_str().into(), json!({ "description": title, "headers": headers, "content": media }));
    }
    Value::Object(responses)
}

/// `{site}` and `{site}.csv` → `site`
fn name(part: &str) -> Option<&str> {
    part.strip_prefix('{')?.split('}').next()
}

/// A schema by reference.
fn schema(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Headers of responses, by the names that [`headers_of`] gives them.
fn headers() -> Value {
    let header = |schema: Value, about: &str| json!({ "required": true, "schema": schema, "description": about });
    let text = json!({ "type": "string" });
    let number = json!({ "type": "integer", "minimum": 0 });
    json!({
        "NoStore": header(json!({ "const": "no-store" }), "nothing may keep the answer"),
        "Revalidate": header(json!({ "const": "no-cache" }), "what keeps the answer asks whether it has changed"),
        "Fresh": header(json!({ "type": "string", "pattern": "^public, max-age=[0-9]+" }), "how long caches may keep the answer"),
        "Immutable": header(json!({ "const": "public, max-age=31536000, immutable" }), "what is there never changes"),
        "FreshIfBuilt": header(
            json!({ "type": "string", "pattern": "^(public, max-age=[0-9]+|no-store$)" }),
            "how long caches may keep the answer; `no-store` for a past rolling ranking that is being built",
        ),
        "ETag": header(text.clone(), "for `If-None-Match`"),
        "ETagIfBuilt": { "schema": text, "description": "for `If-None-Match`; none while a past rolling ranking is being built" },
        "CacheStatus": header(text.clone(), "RFC 9211: which cache answered"),
        "CacheStatusIfBuilt": { "schema": text, "description": "RFC 9211: which cache answered; none while a past rolling ranking is being built" },
        "AnyOrigin": header(json!({ "const": "*" }), "pages of every origin read the answer"),
        "PageOrigin": { "schema": text, "description": "the origin of the page that asks, when it may read the answer" },
        "Bearer": header(json!({ "const": "Bearer" }), "the token goes into `Authorization`"),
        "RetryAfter": header(number, "seconds to wait before the same request"),
    })
}

/// The headers of a route's answer, by reference.
fn headers_of(route: &Route, status: u16) -> Value {
    let (is_problem, is_ranking) = (status >= 400, route.cache == Cache::Ranking);
    let may_be_unbuilt = status == 200 && is_ranking && route.query.iter().any(|parameter| parameter.name == "period");
    let cache_control = match route.cache {
        Cache::Ranking if may_be_unbuilt => "FreshIfBuilt",
        Cache::Ranking if !is_problem || status == 404 => "Fresh",
        Cache::Revalidated if !is_problem => "Revalidate",
        Cache::Immutable if !is_problem => "Immutable",
        _ => "NoStore",
    };
    let origin = match route.access {
        Access::Anyone => Some("AnyOrigin"),
        Access::Page => Some("PageOrigin"),
        Access::WriteToken | Access::AdminToken | Access::DeploymentToken | Access::MetricsToken => None,
    };
    let (etag, cache_status) = if may_be_unbuilt { ("ETagIfBuilt", "CacheStatusIfBuilt") } else { ("ETag", "CacheStatus") };
    let headers = [
        ("Cache-Control", Some(cache_control)),
        ("Access-Control-Allow-Origin", origin),
        ("ETag", (!is_problem && matches!(route.cache, Cache::Revalidated | Cache::Ranking)).then_some(etag)),
        ("Cache-Status", (!is_problem && is_ranking).then_some(cache_status)),
        ("WWW-Authenticate", (status == 401).then_some("Bearer")),
        ("Retry-After", matches!(status, 429 | 503 | 504).then_some("RetryAfter")),
    ];
    let reference =
        |(name, header): (&str, Option<&str>)| Some((name.to_owned(), json!({ "$ref": format!("#/components/headers/{}", header?) })));
    headers.into_iter().filter_map(reference).collect()
}

/// A schema by reference, with its example.
fn media(schema: &str, known: &Map<String, Value>) -> Value {
    let mut media = json!({ "schema": self::schema(schema) });
    if let Some(example) = known.get(schema).and_then(|known| known.get("example")) {
        media["example"] = example.clone();
    }
    media
}
