//! Requests: batches of events, and addresses with their parameters.

use http::{Method, Request};
use interface::ROUTES;
use interface::route::{Access, Route};
use serde_json::{Value, json};

use crate::answer;
use crate::mutation::{mutate, mutate_document, mutate_json};
use crate::random::Random;
use crate::target::run;
use crate::world::{ADMIN_TOKEN, WRITE_TOKEN, World};

/// Boards and windows that are asked for.
const RANKINGS: [(&str, &str); 13] = [
    ("articles", "hour"),
    ("articles", "day"),
    ("articles", "week"),
    ("articles", "month"),
    ("articles", "year"),
    ("articles", "all"),
    ("articles", "last-7-days"),
    ("once", "day"),
    ("people", "last-24-hours"),
    ("trend", "hot"),
    ("trend", "fading"),
    ("trend", "smooth"),
    ("trend", "day"),
];

/// Requests that make a real Redis run each script, before anything is made up.
fn lessons() -> Vec<Request<Vec<u8>>> {
    let tracked = json!([
        { "action": "like", "item": "/posts/1", "actor": "u7" },
        { "action": "like", "item": "/posts/1", "actor": "u7", "undo": true },
    ]);
    let several =
        json!([{ "action": "view", "item": "/posts/1", "ago": 90_000_000 }, { "action": "view", "item": "/posts/2", "actor": "u8" }]);
    let events =
        [json!({ "action": "comment", "item": "/posts/3" }), json!({ "id": "a", "events": tracked }), json!({ "events": several })];
    let mut texts: Vec<String> =
        events.iter().map(|events| format!("POST /v1/demo/events\nauthorization: Bearer {WRITE_TOKEN}\n\n{events}")).collect();
    let pages = [
        "boards/articles/hour",
        "boards/articles/day?limit=3&offset=0",
        "boards/articles/week?period=2026-W46",
        "boards/articles/last-7-days",
        "boards/articles/last-7-days?period=2026-11-12",
        "boards/articles/day?period=2027-01-01",
        "boards/articles/hour?period=2020-01-01T00Z",
        "boards/articles/day/members/x?period=2027-01-01",
        "boards/articles/day/members/x/explain?period=2027-01-01",
        "boards/once/day",
        "boards/people/last-24-hours",
        "boards/trend/hot",
        "boards/trend/fading",
        "boards/trend/smooth",
        "boards/articles/day/members/%2Fposts%2F1?around=2",
        "boards/trend/hot/members/%2Fposts%2F1?around=2",
        "boards/articles/day/members/nobody",
        "boards/articles/all/members/%2Fposts%2F2/explain",
        "boards/trend/hot/members/%2Fposts%2F2/explain",
        "top?boards=articles/day,people/day,trend/hot",
    ];
    texts.extend(pages.map(|page| format!("GET /v1/demo/{page}\n\n")));
    texts.push("POST /v1/demo/boards/articles/day/ranks\n\n{\"ids\":[\"/posts/1\",\"nobody\"]}".into());
    texts.push("GET /readyz\n\n".into());
    texts.push(format!("GET /v1/demo/actors/u7/activity?days=3\nauthorization: Bearer {WRITE_TOKEN}\n\n"));
    texts.extend(
        ["PUT", "DELETE"]
            .map(|method| format!("{method} /v1/demo/admin/boards/articles/hidden/x\nauthorization: Bearer {ADMIN_TOKEN}\n\n")),
    );
    texts.push(format!("GET /v1/demo/admin/boards/articles/hidden\nauthorization: Bearer {ADMIN_TOKEN}\n\n"));
    texts.extend(["GET", "POST"].map(|method| format!("{method} /v1/demo/admin/upkeep\nauthorization: Bearer {ADMIN_TOKEN}\n\n")));
    texts.push(format!("DELETE /v1/demo/actors/u8\nauthorization: Bearer {WRITE_TOKEN}\n\n"));
    texts.iter().map(|text| request(text.as_bytes()).expect("a request")).collect()
}

pub fn world() -> World {
    World::learn(lessons())
}

/// `METHOD target`, headers, an empty line and a body; `None` for what no server takes for a request.
pub fn request(input: &[u8]) -> Option<Request<Vec<u8>>> {
    let end = input.windows(2).position(|pair| pair == b"\n\n").unwrap_or(input.len());
    let head = std::str::from_utf8(&input[..end]).ok()?;
    let body = input.get(end + 2..).unwrap_or_default();
    let mut lines = head.split('\n');
    let (method, target) = lines.next()?.split_once(' ')?;
    let mut request = Request::builder().method(method).uri(format!("https://edge.example{target}"));
    for line in lines {
        let (name, value) = line.split_once(": ")?;
        request = request.header(name, value);
    }
    request.body(body.into()).ok().filter(|request| request.uri().host() == Some("edge.example"))
}

/// Asks, and checks the answer.
fn ask(world: &World, input: &[u8]) -> String {
    let Some(request) = request(input) else { return "no request".into() };
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let response = world.answer(input, request);
    answer::check(&world.config, &method, &uri, &response)
}

#[test]
fn beacon() {
    let world = world();
    let saved = run("beacon", make_batch, change_batch, |input| ask(&world, input));
    assert!(saved.len() >= 60, "the saved inputs reach only {:#?}", saved.keys());
}

#[test]
fn query() {
    let world = world();
    let saved = run("query", make_address, change_address, |input| ask(&world, input));
    assert!(saved.len() >= 240, "the saved inputs reach only {:#?}", saved.keys());
}

/// For longer than anybody waits, by the secret of the world's site.
const TOKEN_OF_U7: &str = "v1.9999999999.dTc.bCYnM0uipSlZz2zgK6z8IaU3h4mhQsAHwh-pGptsKzI";

fn make_batch(random: &mut Random) -> Vec<u8> {
    let mut body = if random.once_in(4) { event(random) } else { batch(random) };
    for _ in 0..random.below(3) {
        mutate_json(random, &mut body);
    }
    let head = match random.below(3) {
        0 => format!("POST /v1/demo/events\nauthorization: Bearer {WRITE_TOKEN}"),
        1 => "POST /v1/demo/beacon\norigin: https://blog.example\ncf-connecting-ip: 192.0.2.1\nuser-agent: Mozilla/5.0".into(),
        _ => "POST /v1/demo/beacon".into(),
    };
    format!("{head}\n\n{body}").into_bytes()
}

fn batch(random: &mut Random) -> Value {
    let events: Vec<Value> = (0..*random.pick(&[0, 1, 2, 3, 20, 21, 101])).map(|_| event(random)).collect();
    let mut batch = json!({ "events": events });
    if random.once_in(2) {
        batch["id"] = json!(random.text());
    }
    match random.below(8) {
        0 => batch["token"] = json!(TOKEN_OF_U7),
        1 => batch["token"] = random.json(1),
        _ => {}
    }
    batch
}

/// Most of its fields are as they should be.
fn event(random: &mut Random) -> Value {
    let mut event = json!({ "action": random.pick(&["view", "view", "like", "comment", "veiw"]), "item": "/posts/1" });
    for (name, usual) in [("item", "/posts/2"), ("actor", "u7"), ("id", "b1946ac92492d234"), ("at", "2026-11-20T11:00:00Z")] {
        match random.below(8) {
            0 => event[name] = json!(usual),
            1 => event[name] = random.json(1),
            _ => {}
        }
    }
    for (name, usual) in [("ago", json!(1500)), ("undo", json!(true)), ("visitor", json!({ "address": "192.0.2.7", "agent": "x" }))] {
        match random.below(12) {
            0 => event[name] = usual,
            1 => event[name] = random.json(1),
            _ => {}
        }
    }
    event
}

/// Mostly its body.
fn change_batch(random: &mut Random, input: &[u8], other: &[u8]) -> Vec<u8> {
    let at = if random.once_in(16) { 0 } else { body_of(input) };
    [&input[..at], &mutate_document(random, &input[at..], &other[body_of(other)..])].concat()
}

fn body_of(input: &[u8]) -> usize {
    input.windows(2).position(|pair| pair == b"\n\n").map_or(0, |at| at + 2)
}

/// Mostly not its method.
fn change_address(random: &mut Random, input: &[u8], other: &[u8]) -> Vec<u8> {
    let begins = |input: &[u8]| input.iter().position(|byte| *byte == b'/').unwrap_or(0);
    let at = if random.once_in(16) { 0 } else { begins(input) };
    let changed = mutate(random, &input[at..], &other[begins(other)..]);
    [&input[..at], &if random.once_in(8) { changed } else { sendable(&changed) }].concat()
}

/// With a first line that can be sent: what cannot is percent-encoded.
fn sendable(input: &[u8]) -> Vec<u8> {
    let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let sent = |byte: &u8| if byte.is_ascii_graphic() { char::from(*byte).to_string() } else { format!("%{byte:02X}") };
    let line: String = input[..end].iter().map(sent).collect();
    [line.as_bytes(), &input[end..]].concat()
}

fn make_address(random: &mut Random) -> Vec<u8> {
    let route = random.pick(ROUTES);
    let ranking = *random.pick(&RANKINGS);
    let path: Vec<String> = route.path.split('/').map(|segment| make_segment(random, segment, ranking)).collect();
    let mut query: Vec<String> = Vec::new();
    for parameter in route.query {
        if parameter.required || random.once_in(2) {
            query.push(format!("{}={}", parameter.name, make_value(random, parameter.name)));
        }
    }
    if random.once_in(10) {
        query.push(format!("{}={}", encoded(random, "limit"), make_value(random, "limit")));
    }
    let mark = if query.is_empty() { "" } else { "?" };
    let method = match random.below(12) {
        0 => Method::HEAD.to_string(),
        1 => Method::OPTIONS.to_string(),
        2 => (*random.pick(&["GET", "POST", "PUT", "PATCH", "DELETE", "get", "X-Y"])).to_owned(),
        _ => route.method.name().to_owned(),
    };
    let headers = make_headers(random, route);
    let body = match random.below(3) {
        0 => json!({ "ids": random.json(2) }).to_string(),
        1 => json!({ "ids": ["/posts/1", random.text()] }).to_string(),
        _ => String::new(),
    };
    format!("{method} {}{mark}{}{headers}\n\n{body}", path.join("/"), query.join("&")).into_bytes()
}

fn make_headers(random: &mut Random, route: &Route) -> String {
    let mut headers = String::new();
    let token = match route.access {
        Access::WriteToken => WRITE_TOKEN,
        _ => ADMIN_TOKEN,
    };
    if random.below(8) > 0 {
        headers.extend(["\nauthorization: Bearer ", token]);
    }
    for (name, values) in [
        ("origin", ["https://blog.example", "https://a.shop.example", "https://evil.example", "null"]),
        ("if-none-match", ["*", "W/\"x\"", "\"", ","]),
        ("cf-connecting-ip", ["192.0.2.1", "2001:db8::1", "", "x"]),
        ("referer", ["https://blog.example/x", "about:blank", "https://", "é"]),
        ("sec-fetch-site", ["same-origin", "cross-site", "none", "?"]),
    ] {
        if random.once_in(6) {
            headers.extend(["\n", name, ": ", random.pick::<&str>(&values)]);
        }
    }
    headers
}

fn make_segment(random: &mut Random, segment: &str, (board, window): (&str, &str)) -> String {
    if random.once_in(20) {
        let text = random.text();
        return encoded(random, &text);
    }
    match segment {
        "{site}" => "demo".into(),
        "{board}" => board.into(),
        "{window}" => window.into(),
        "{id}" => (*random.pick(&["%2Fposts%2F1", "u7", "x", "%C3%A9", "%00", "..", "%FF", "a+b"])).into(),
        other => other.into(),
    }
}

fn make_value(random: &mut Random, parameter: &str) -> String {
    if random.once_in(3) {
        let text = random.text();
        return encoded(random, &text);
    }
    match parameter {
        "limit" | "offset" | "around" | "days" => random.pick(&["0", "1", "10", "50", "51", "-1", "+1", "00", "4294967296"]).to_string(),
        "period" => crate::period::make(random),
        "boards" => {
            const RANKINGS: [&str; 5] = ["articles/day", "people/day", "trend/hot", "articles", "x/day"];
            let rankings: Vec<&str> = (0..*random.pick(&[0, 1, 2, 3, 20, 21])).map(|_| *random.pick(&RANKINGS)).collect();
            rankings.join(",")
        }
        "action" => (*random.pick(&["view", "view", "view", "like", "veiw", ""])).into(),
        "item" => (*random.pick(&["%2Fposts%2F1", "x", "%00", ""])).into(),
        _ => {
            let text = random.text();
            encoded(random, &text)
        }
    }
}

/// Percent-encoded where it must be, and sometimes where it need not.
fn encoded(random: &mut Random, text: &str) -> String {
    let all = random.once_in(4);
    let plain = |byte: u8| !all && (byte.is_ascii_alphanumeric() || b"-_.~,:".contains(&byte));
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
