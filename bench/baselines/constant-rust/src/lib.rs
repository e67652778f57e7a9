//! The least that a Worker in Rust does, written as the `worker` crate has it: one response as a constant, with the headers it is given.

use std::cell::OnceCell;

use worker::{Context, Env, Headers, Request, Response, Result, event};

thread_local! {
    static CONSTANT: OnceCell<(String, Vec<(String, String)>)> = const { OnceCell::new() };
}

fn read(env: &Env) -> (String, Vec<(String, String)>) {
    let answer = env.var("ANSWER").expect("the benchmark sets it").to_string();
    let headers: serde_json::Map<String, serde_json::Value> = env.object_var("HEADERS").expect("the benchmark sets it");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    (answer, headers.iter().map(|(name, value)| (name.clone(), text(value))).collect())
}

#[event(fetch)]
async fn fetch(_request: Request, env: Env, _context: Context) -> Result<Response> {
    CONSTANT.with(|constant| {
        let (answer, set) = constant.get_or_init(|| read(&env));
        let headers = Headers::new();
        for (name, value) in set {
            headers.set(name, value)?;
        }
        Ok(Response::from_bytes(answer.clone().into_bytes())?.with_headers(headers))
    })
}
