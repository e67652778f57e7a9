//! Configurations: what is wrong is one line that holds no secret; what is right answers.

use std::rc::Rc;

use http::{Method, Request, Uri};
use serde_json::{Map, Value, json};
use serve::config::Deployment;

use crate::answer;
use crate::mutation::{mutate_document, mutate_json};
use crate::random::Random;
use crate::requests::world;
use crate::target::run;
use crate::world::{World, knows_zone, variables};

/// What no message may hold.
const SECRET: &str = "do-not-tell";
const SECRETS: [&str; 8] =
    ["REDIS_URL", "REDIS_TOKEN", "WRITE_TOKEN", "ADMIN_TOKEN", "WRITE_TOKEN_DEMO", "ADMIN_TOKEN_DEMO", "WRITE_TOKEN_DEMP", "ADMIN_TOKEN_"];
/// The longest line: a variable's 5,120 bytes as a key, of which one of three bytes is written with eight, and what is allowed.
const MAX_LINE_BYTES: usize = 16_384;

fn make(random: &mut Random) -> Vec<u8> {
    let mut table = variables();
    for _ in 0..random.below(4) {
        let name = *random.pick(&["SITES", "SITES", "SITES", "KEY_PREFIX"]);
        mutate_json(random, &mut table[name]);
    }
    if random.once_in(4) {
        let name = *random.pick(&["SITES_2", "SITES_MORE", "SITES"]);
        table[name] = json!({ "demo": { "boards": { random.text(): table["SITES"]["demo"]["boards"]["articles"] } } });
    }
    if random.once_in(3) {
        let name = *random.pick(&SECRETS);
        let text = [random.text(), SECRET.into(), random.text()].concat();
        let urls = [format!("redis://:{text}@127.0.0.1"), format!("https://{text}"), format!("rediss://a:{text}@b:99999/16")];
        table[name] = match random.below(4) {
            0 => json!([text]),
            1 => json!(random.pick(&urls)),
            2 => json!(format!("{text},{text},{text}")),
            _ => json!(text),
        };
    }
    table.to_string().into_bytes()
}

/// 1. A wrong one is told in one line, which names no secret.
/// 2. A right one answers for each board, and a beacon.
fn check(world: &World, input: &[u8]) -> String {
    let Ok(Value::Object(table)) = serde_json::from_slice(input) else { return "no table".into() };
    let tells = tells_itself(&table);
    let deployment = match Deployment::read(table, knows_zone) {
        Ok(deployment) => deployment,
        Err(error) => {
            let line = error.to_string();
            assert!(!line.chars().any(char::is_control) && line.len() <= MAX_LINE_BYTES, "{line:?}");
            assert!(tells || !line.contains(SECRET), "a secret is shown: {line}");
            let (_, message) = line.split_once(' ').expect("a key and what is said of it");
            // What is said, without values.
            let key: String = line.chars().take_while(|c| c.is_ascii_alphabetic() || *c == '_').collect();
            return format!(
                "{} {}",
                &key[..key.len().min(6)],
                if message.contains("allowed: ") { "not allowed" } else { "otherwise wrong" }
            );
        }
    };
    let config = Rc::new(deployment.config);
    let random = &mut Random::of(input);
    for (site, settings) in config.sites.iter() {
        let ask = |method: Method, path: String, body: Vec<u8>| {
            let uri: Uri = format!("https://edge.example/v1/{site}/{path}").parse().expect("names need no encoding");
            let request = Request::builder().method(&method).uri(&uri).body(body).expect("a request");
            answer::check(&config, &method, &uri, &world.answer_as(Rc::clone(&config), input, request));
        };
        ask(Method::GET, "boards".into(), Vec::new());
        let actions: Vec<&str> = settings.actions.iter().map(|(action, _)| action.as_str()).collect();
        ask(Method::POST, "beacon".into(), json!({ "action": random.pick(&actions), "item": "x", "actor": "y" }).to_string().into());
        for (board, rules) in settings.boards.iter() {
            ask(Method::GET, format!("boards/{board}/{}", random.pick(&rules.windows).name), Vec::new());
        }
    }
    "right".into()
}

/// Whether the secret stands where no secret is, so that a message may show it.
fn tells_itself(table: &Map<String, Value>) -> bool {
    table.iter().any(|(name, value)| name.contains(SECRET) || (!SECRETS.contains(&name.as_str()) && value.to_string().contains(SECRET)))
}

#[test]
fn configuration() {
    let world = world();
    let saved = run("configuration", make, mutate_document, |input| check(&world, input));
    assert!(saved.contains_key("right") && saved.len() > 4, "{saved:?}");
}
