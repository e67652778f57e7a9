//! The instant of the last change, and what it lets readers leave out.

mod histories;
mod known;
mod writers;

use ranking::name::Id;
use ranking::page::PeriodInfo;
use ranking::period::Period;
use ranking::read::{PeriodRef, Read, ReadReply, ReadRequest};
use ranking::score::Score;
use ranking::standing::Asked;
use serde_json::{Value as Json, json};

use crate::call::period_ref;
use crate::deployment::{BOARD, Deployment};

fn site(board: Json) -> Json {
    let mut all = json!({ "weights": { "view": 1, "like": 3 }, "windows": ["day"] });
    all.as_object_mut().expect("an object").extend(board.as_object().expect("an object").clone());
    let actions = json!({ "view": {}, "like": { "reversible": true } });
    json!({ "timezone": "Europe/London", "actions": actions, "boards": { BOARD: all } })
}

fn view(item: &str) -> Json {
    json!({ "action": "view", "item": item, "actor": item })
}

fn like(item: &str, actor: &str, undo: bool) -> Json {
    json!({ "action": "like", "item": item, "actor": actor, "undo": undo })
}

fn id(text: &str) -> Id {
    Id::new(text).expect("an id")
}

/// Every way to read a period of a window of the board.
fn reads(deployment: &Deployment, window: &str, period: Option<Period>) -> Vec<Read> {
    let of = || period_ref(deployment.site(), BOARD, deployment.window(BOARD, window), period);
    vec![
        Read::Top { of: of(), offset: 0, limit: 100 },
        Read::Top { of: of(), offset: 1, limit: 1 },
        Read::Ranks { of: of(), ids: vec![id("a"), id("b")], among: true },
        Read::Member { of: of(), id: id("a"), around: 2 },
        Read::Place { of: of(), by: Asked::Rank(1) },
        Read::Place { of: of(), by: Asked::Score(Score::ONE) },
        Read::Distribution { of: of() },
        Read::Explain { of: of(), id: id("a"), before: None },
    ]
}

#[track_caller]
fn ask(deployment: &Deployment, read: &Read, known: &[&str]) -> (ReadRequest, ReadReply) {
    let request = ReadRequest { site: deployment.site().clone(), read: read.clone(), by: String::new() };
    let reply = pollster::block_on(deployment.store().read(&request, known)).expect("redis answers");
    (request, reply)
}

/// What is found of the period of a read by who has another answer, and what of it is shown: all but the instant at which it was read.
#[track_caller]
fn whole(deployment: &Deployment, read: &Read) -> (PeriodInfo, Json) {
    let (request, reply) = ask(deployment, read, &["another"]);
    let json = reply.render(&request).expect("it has JSON").map_or(b"null".to_vec(), |(json, _)| json);
    let mut shown: Json = serde_json::from_slice(&json).expect("JSON");
    if let Some(fields) = shown.as_object_mut() {
        fields.remove("generated_at");
    }
    (reply.periods()[0].clone(), shown)
}

/// Whether what is known is still so.
#[track_caller]
fn is_unchanged(deployment: &Deployment, read: &Read, known: &str) -> bool {
    matches!(ask(deployment, read, &[known]).1, ReadReply::Unchanged(_))
}

/// The references to several boards' windows as one read.
fn several(of: Vec<PeriodRef>) -> Read {
    Read::Tops { of, limit: 10 }
}
