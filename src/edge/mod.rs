//! The Workers runtime: the only code that knows the `worker` crate.

mod bucket;
mod cache;
mod client;
mod counts;
mod database;
mod dataset;
mod download;
mod forward;
mod object;
mod page;
mod pipeline;
mod queue;
mod responses;
mod rest;
mod runtime;
mod settings;
mod socket;
mod tcp;
mod transport;
mod zones;

use std::rc::Rc;

use admin::api::{self, Dispatch, Level, Logged};
use admin::app::Admin;
use futures_util::StreamExt;
use http::Method;
use http::header::{self, HeaderName};
use js_sys::futures::{JsFuture, future_to_promise};
use js_sys::{JSON, Uint8Array};
use responses::respond_without;
use runtime::EdgeRuntime;
use serde_json::json;
use serve::app::App;
use serve::app::ports::Clock;
use serve::config::ConfigError;
use settings::Settings;
use worker::wasm_bindgen::prelude::wasm_bindgen;
use worker::wasm_bindgen::{self, JsCast, JsValue};
use worker::{Context, Env, ResponseBody, web_sys, worker_sys};
use worker::{ScheduleContext, ScheduledEvent, event};

#[wasm_bindgen(module = "/src/edge/request.js")]
extern "C" {
    #[wasm_bindgen(js_name = headersOf)]
    fn headers_of(request: &web_sys::Request, names: &str) -> String;
}

/// Answers a request: at once from what is kept, else by the promise of a response.
///
/// Not by `worker::event`, which makes a promise and a task for every answer.
#[wasm_bindgen]
pub fn fetch(request: web_sys::Request, env: Env, context: worker_sys::Context) -> JsValue {
    let settings = Settings::of(&env);
    if let Ok(settings) = &settings
        && let Some(response) = settings.responses.find(&request, &settings.memory)
    {
        return response.into();
    }
    let answered = async move { Ok(answer(request, settings, env, Context::new(context)).await?.into()) };
    future_to_promise(answered).into()
}

async fn answer(
    request: web_sys::Request,
    settings: Result<Rc<Settings>, Rc<ConfigError>>,
    env: Env,
    context: Context,
) -> worker::Result<web_sys::Response> {
    let settings = match settings {
        Ok(settings) => settings,
        Err(error) => return respond(&api::misconfigured(&error.to_string())),
    };
    let request = Rc::new(request);
    let response = match read(&request, &settings) {
        Ok((dispatch, head)) => {
            let runtime = EdgeRuntime::new(context, env, Rc::clone(&settings), Rc::clone(&request), head.uri());
            let length = head.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
            let max_body = dispatch.max_body();
            let read_body = async || body_of(&request, length, max_body).await.map_err(|error| error.to_string());
            let app = app(runtime, &settings);
            let response = api::answer(&app, &settings.tokens, dispatch, head, read_body).await;
            if let Some(download) = response.extensions().get::<api::Download>().filter(|_| request.method() == Method::GET.as_str()) {
                return download::respond(app, download.clone(), &response);
            }
            response
        }
        Err(error) => api::unreadable(&error.to_string()),
    };
    let Some(steady) = response.extensions().get() else { return respond(&response) };
    let (body, init) = (Uint8Array::from(&response.body()[..]), parsed(&init_of(&response)?)?);
    settings.responses.keep(&request, &body, &init, steady, &settings.memory);
    Ok(web_sys::Response::new_with_opt_buffer_source_and_init(Some(&body), &init)?)
}

/// What is due, once a minute. It stops well before the next run.
#[event(scheduled)]
async fn scheduled(_event: ScheduledEvent, env: Env, _context: ScheduleContext) {
    const WORK_MS: u64 = 25_000;
    match &Settings::of(&env) {
        Ok(settings) => {
            let app = app(EdgeRuntime::scheduled(env, Rc::clone(settings)), settings);
            Admin(&app).served().run_scheduled(&settings.tokens, app.runtime.clock_ms() + WORK_MS).await;
        }
        Err(error) => worker::console_error!("{}", json!({ "level": "error", "code": "upkeep", "detail": error.to_string() })),
    }
}

fn app(runtime: EdgeRuntime, settings: &Settings) -> App<EdgeRuntime> {
    App { runtime, config: Rc::clone(&settings.config), memory: Rc::clone(&settings.memory) }
}

/// A request's address, looked up, and the request without its body.
type Opened = (Dispatch, http::Request<Vec<u8>>);

/// The request as data, without its body: of the headers those that anybody looks at.
///
/// Not through `worker::Request`, which has the runtime parse everything that it knows about the client: an eighth of the
/// time of an answer from memory.
fn read(request: &web_sys::Request, settings: &Settings) -> Result<Opened, Box<dyn std::error::Error>> {
    let (method, uri): (Method, http::Uri) = (request.method().parse()?, request.url().parse()?);
    let dispatch = Dispatch::of(&method, &uri, &settings.config.beacon_path);
    let max_body = dispatch.max_body();
    let wanted = dispatch.request_headers().iter().chain((max_body > 0).then_some(&header::CONTENT_LENGTH));
    let names: Vec<&str> = wanted.clone().map(HeaderName::as_str).collect();
    let found = headers_of(request, &names.join(","));
    let mut read = http::Request::builder().method(method).uri(uri);
    for (name, line) in wanted.zip(found.split('\n')) {
        if let Some(value) = line.strip_prefix('=') {
            read = read.header(name, value);
        }
    }
    Ok((dispatch, read.body(Vec::new())?))
}

/// The body of a request, of what is too long one byte more than is allowed.
async fn body_of(request: &web_sys::Request, length: Option<usize>, max_body: usize) -> worker::Result<Vec<u8>> {
    match length {
        // At once, which costs half of what reading chunk by chunk does.
        Some(length) if length <= max_body => bytes(request.array_buffer().map_err(worker::Error::from)?).await,
        _ => chunks(request, max_body).await,
    }
}

/// The body of a request that does not tell its length, up to one byte more than is allowed.
async fn chunks(request: &web_sys::Request, max_body: usize) -> worker::Result<Vec<u8>> {
    let mut body = Vec::new();
    if let Some(stream) = request.body() {
        let mut stream = worker::Response::from_body(ResponseBody::Stream(stream))?.stream()?;
        while let (true, Some(chunk)) = (body.len() <= max_body, stream.next().await) {
            let chunk = chunk?;
            let room = (max_body + 1).saturating_sub(body.len());
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        }
    }
    Ok(body)
}

/// The bytes of a body that is on its way.
async fn bytes(array_buffer: js_sys::Promise) -> worker::Result<Vec<u8>> {
    Ok(Uint8Array::new(&JsFuture::from(array_buffer).await?).to_vec())
}

/// The runtime's clock, in Unix milliseconds. It stands while nothing is waited for.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "milliseconds of this century")]
fn now_ms() -> u64 {
    js_sys::Date::now() as u64
}

/// The response for the runtime, and its log line.
fn respond(response: &http::Response<Vec<u8>>) -> worker::Result<web_sys::Response> {
    if let Some(Logged { level, code, detail }) = response.extensions().get() {
        let status = response.status().as_u16();
        match level {
            Level::Error => worker::console_error!("{}", json!({ "level": "error", "status": status, "code": code, "detail": detail })),
            Level::Warn => worker::console_warn!("{}", json!({ "level": "warn", "status": status, "code": code, "detail": detail })),
        }
    }
    if response.body().is_empty() {
        return Ok(respond_without(&init_of(response)?)?);
    }
    let (body, init) = (Uint8Array::from(&response.body()[..]), parsed(&init_of(response)?)?);
    Ok(web_sys::Response::new_with_opt_buffer_source_and_init(Some(&body), &init)?)
}

/// Status and headers of a response. They go to the runtime as one text, since each string or object of its own costs calls.
fn init_of<T>(response: &http::Response<T>) -> worker::Result<String> {
    let mut headers = response.headers().iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap_or_default()));
    init(response.status().as_u16(), &mut headers)
}

fn init<'h>(status: u16, headers: &mut dyn Iterator<Item = (&'h str, &'h str)>) -> worker::Result<String> {
    let mut init = format!("{{\"status\":{status},\"headers\":{{").into_bytes();
    for (i, (name, value)) in headers.enumerate() {
        init.extend_from_slice(if i == 0 { b"" } else { b"," });
        serde_json::to_writer(&mut init, name)?;
        init.push(b':');
        serde_json::to_writer(&mut init, value)?;
    }
    init.extend_from_slice(b"}}");
    Ok(String::from_utf8(init).unwrap_or_default())
}

fn parsed(init: &str) -> worker::Result<web_sys::ResponseInit> {
    Ok(JSON::parse(init)?.unchecked_into())
}
