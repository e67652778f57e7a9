//! The Workers runtime: the only code that knows the `worker` crate.

mod cache;
mod rest;
mod runtime;
mod settings;
mod socket;
mod tcp;
mod timeout;
mod transport;
mod zones;

use std::rc::Rc;

use futures_util::StreamExt;
use http::Method;
use js_sys::futures::JsFuture;
use js_sys::{JSON, Uint8Array};
use serde_json::json;
use worker::wasm_bindgen::{JsCast, JsValue};
use worker::{Context, Env, Headers, IntoResponse, ResponseBody, event, web_sys};
#[cfg(feature = "whole")]
use worker::{ScheduleContext, ScheduledEvent};

use crate::api::{self, Dispatch, Level, Logged, MAX_BODY};
use crate::app::{App, Runtime};
use runtime::EdgeRuntime;
use settings::Settings;

/// What a module answers: a response, or nothing where the other module has the route. `src/edge/index.js` asks that one then.
struct Answer(Option<web_sys::Response>);

impl IntoResponse for Answer {
    fn into_raw(self) -> Result<web_sys::Response, impl Into<Box<dyn std::error::Error>>> {
        Ok::<_, worker::Error>(self.0.unwrap_or_else(|| JsValue::NULL.unchecked_into()))
    }
}

#[event(fetch)]
async fn fetch(request: web_sys::Request, env: Env, context: Context) -> worker::Result<Answer> {
    let response = match Settings::of(&env) {
        Ok(settings) => match read(&request).await {
            Ok(None) => return Ok(Answer(None)),
            Ok(Some((dispatch, request))) => {
                let runtime = EdgeRuntime::new(context, Rc::clone(&settings), request.uri());
                api::answer(&app(runtime, &settings), &settings.tokens, dispatch, request).await
            }
            Err(error) => api::unreadable(&error.to_string()),
        },
        Err(error) => api::misconfigured(&error.to_string()),
    };
    if let Some(Logged { level, code, detail }) = response.extensions().get() {
        let status = response.status().as_u16();
        match level {
            Level::Error => worker::console_error!("{}", json!({ "level": "error", "status": status, "code": code, "detail": detail })),
            Level::Warn => worker::console_warn!("{}", json!({ "level": "warn", "status": status, "code": code, "detail": detail })),
        }
    }
    write(response).map(Some).map(Answer)
}

/// Upkeep of every site, each minute, as far as something is due. It stops well before the next run; what is left then is its work.
#[cfg(feature = "whole")]
#[event(scheduled)]
async fn scheduled(_event: ScheduledEvent, env: Env, _context: ScheduleContext) {
    const WORK_MS: u64 = 25_000;
    let log = |detail: String| worker::console_error!("{}", json!({ "level": "error", "code": "upkeep", "detail": detail }));
    match Settings::of(&env) {
        Ok(settings) => {
            let app = app(EdgeRuntime::scheduled(Rc::clone(&settings)), &settings);
            app.keep_due(app.runtime.clock_ms() + WORK_MS).await.into_iter().for_each(log);
        }
        Err(error) => log(error.to_string()),
    }
}

fn app(runtime: EdgeRuntime, settings: &Settings) -> App<EdgeRuntime> {
    App { runtime, config: Rc::clone(&settings.config), memory: Rc::clone(&settings.memory) }
}

/// The request as data: of the headers those that anybody looks at, of the body one byte more than is allowed. Nothing is read of
/// one that is for the other module.
///
/// Not through `worker::Request`, which has the runtime parse everything that it knows about the client: an eighth of the
/// time of an answer from memory.
async fn read(request: &web_sys::Request) -> Result<Option<(Dispatch, http::Request<Vec<u8>>)>, Box<dyn std::error::Error>> {
    let headers = Headers(request.headers());
    let (method, uri): (Method, http::Uri) = (request.method().parse()?, request.url().parse()?);
    let dispatch = Dispatch::of(&method, &uri);
    if dispatch.route().is_some_and(|route| !route.is_here()) {
        return Ok(None);
    }
    let wanted = dispatch.request_headers();
    let mut read = http::Request::builder().method(method).uri(uri);
    for name in wanted {
        if let Some(value) = headers.get(name.as_str())? {
            read = read.header(name, value);
        }
    }
    let is_post = read.method_ref() == Some(&Method::POST);
    let length = if is_post { headers.get("content-length")? } else { None };
    let body = match length.and_then(|length| length.parse::<usize>().ok()) {
        // At once, which costs half of what reading chunk by chunk does.
        Some(length) if length <= MAX_BODY => bytes(request.array_buffer().map_err(worker::Error::from)?).await?,
        _ if is_post => chunks(request).await?,
        _ => Vec::new(),
    };
    Ok(Some((dispatch, read.body(body)?)))
}

/// The body of a request that does not tell its length, up to one byte more than is allowed.
async fn chunks(request: &web_sys::Request) -> worker::Result<Vec<u8>> {
    let mut body = Vec::new();
    if let Some(stream) = request.body() {
        let mut stream = worker::Response::from_body(ResponseBody::Stream(stream))?.stream()?;
        while let (true, Some(chunk)) = (body.len() <= MAX_BODY, stream.next().await) {
            let chunk = chunk?;
            let room = (MAX_BODY + 1).saturating_sub(body.len());
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        }
    }
    Ok(body)
}

/// The bytes of a body that is on its way.
async fn bytes(array_buffer: js_sys::Promise) -> worker::Result<Vec<u8>> {
    Ok(Uint8Array::new(&JsFuture::from(array_buffer).await?).to_vec())
}

/// The response for the runtime.
fn write(response: http::Response<Vec<u8>>) -> worker::Result<web_sys::Response> {
    let (parts, body) = response.into_parts();
    let mut headers = parts.headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap_or_default()));
    respond(parts.status.as_u16(), &mut headers, &body)
}

/// A response for the runtime. Its status and headers go there as one text, since each string or object of the runtime's own
/// costs calls.
fn respond<'h>(status: u16, headers: &mut dyn Iterator<Item = (&'h str, &'h str)>, body: &[u8]) -> worker::Result<web_sys::Response> {
    let mut init = format!("{{\"status\":{status},\"headers\":{{").into_bytes();
    for (i, (name, value)) in headers.enumerate() {
        init.extend_from_slice(if i == 0 { b"" } else { b"," });
        serde_json::to_writer(&mut init, name)?;
        init.push(b':');
        serde_json::to_writer(&mut init, value)?;
    }
    init.extend_from_slice(b"}}");
    let init = JSON::parse(&String::from_utf8_lossy(&init))?.unchecked_into();
    let body = (!body.is_empty()).then(|| Uint8Array::from(body));
    Ok(web_sys::Response::new_with_opt_buffer_source_and_init(body.as_deref(), &init)?)
}
