//! The least that a Worker in Rust does to count a beacon: it reads the body of one event, and sends over REST the call that edgeboard sends for it. Nothing is
//! checked or limited, and nothing fails well.

use std::cell::OnceCell;

use serde::Deserialize;
use worker::{Context, Env, Fetch, Headers, Method, Request, RequestInit, Response, Result, event};

/// As pages send it.
#[derive(Deserialize)]
struct Batch {
    id: String,
    events: Vec<Event>,
}

#[derive(Deserialize)]
struct Event {
    item: String,
}

struct Redis {
    url: String,
    authorization: String,
    /// The call as JSON, with the item and the id of the batch as they stand in the one that was recorded.
    call: String,
    item: String,
    id: String,
}

thread_local! {
    static REDIS: OnceCell<Redis> = const { OnceCell::new() };
}

fn read(env: &Env) -> Redis {
    let text = |name| env.var(name).expect("the benchmark sets it").to_string();
    Redis {
        url: text("URL"),
        authorization: format!("Bearer {}", text("TOKEN")),
        call: text("CALL"),
        item: text("ITEM"),
        id: text("ID"),
    }
}

#[event(fetch)]
async fn fetch(mut request: Request, env: Env, _context: Context) -> Result<Response> {
    let body = request.bytes().await?;
    let batch: Batch = serde_json::from_slice(&body)?;
    let [event] = &batch.events[..] else { return Response::error("one event", 400) };
    let sent = REDIS.with(|redis| {
        let redis = redis.get_or_init(|| read(&env));
        let headers = Headers::new();
        headers.set("authorization", &redis.authorization)?;
        headers.set("upstash-encoding", "base64")?;
        let call = redis.call.replace(&redis.item, &event.item).replace(&redis.id, &batch.id);
        let mut init = RequestInit::new();
        init.with_method(Method::Post).with_headers(headers).with_body(Some(call.into()));
        Request::new_with_init(&redis.url, &init)
    })?;
    let mut answer = Fetch::Request(sent).send().await?;
    answer.text().await?;
    Ok(Response::empty()?.with_status(204))
}
