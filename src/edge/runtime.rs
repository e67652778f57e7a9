//! The application's ports on the Workers runtime.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use js_sys::futures::JsFuture;
use js_sys::{Function, Reflect};
use worker::wasm_bindgen::JsCast;
use worker::web_sys::Request;
use worker::{Context, Delay};

use super::settings::Settings;
use super::transport::EdgeTransport;
use super::{cache, client};
use crate::adapter::Error;
use crate::app::Runtime;
use crate::app::admission::Limited;
use crate::app::cache::Entry;
use crate::ranking::zone::{Years, ZoneSpan, Zones};

/// What one request may use.
#[derive(Clone)]
pub struct EdgeRuntime {
    /// `None` in a scheduled run, which ends when its work does.
    context: Option<Rc<Context>>,
    settings: Rc<Settings>,
    /// `None` in a scheduled run.
    request: Option<Rc<Request>>,
    /// `https://host`, of the request.
    origin: Rc<str>,
}

impl EdgeRuntime {
    pub fn new(context: Context, settings: Rc<Settings>, request: Rc<Request>, uri: &http::Uri) -> Self {
        let origin = format!("{}://{}", uri.scheme_str().unwrap_or("https"), uri.authority().map_or("", http::uri::Authority::as_str));
        Self { context: Some(Rc::new(context)), settings, request: Some(request), origin: origin.into() }
    }

    pub fn scheduled(settings: Rc<Settings>) -> Self {
        Self { context: None, settings, request: None, origin: Rc::from("") }
    }
}

impl Zones for EdgeRuntime {
    fn span(&self, timezone: &str, years: Years) -> Rc<ZoneSpan> {
        self.settings.zones.span(timezone, years)
    }
}

impl Runtime for EdgeRuntime {
    type Transport = EdgeTransport;

    fn transport(&self) -> Result<EdgeTransport, Error> {
        Ok(EdgeTransport::new(&self.settings))
    }

    fn clock_ms(&self) -> u64 {
        {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "milliseconds of this century")]
            let now_ms = js_sys::Date::now() as u64;
            now_ms
        }
    }

    async fn sleep_ms(&self, ms: u32) {
        Delay::from(Duration::from_millis(ms.into())).await;
    }

    fn token(&self) -> String {
        random_uuid().unwrap_or_default()
    }

    fn in_background(&self, future: impl Future<Output = ()> + 'static) {
        if let Some(context) = &self.context {
            // In a box, so that what runs futures is there once.
            let future: Pin<Box<dyn Future<Output = ()>>> = Box::pin(future);
            context.wait_until(future);
        }
    }

    async fn edge_get(&self, key: &str) -> Option<Entry> {
        cache::get(cache::address(&self.origin, key)).await
    }

    async fn edge_put(&self, key: &str, entry: &Entry) {
        if let Err(error) = cache::put(cache::address(&self.origin, key), entry).await {
            worker::console_warn!("{}", serde_json::json!({ "level": "warn", "code": "edge-cache", "detail": error.to_string() }));
        }
    }

    fn address(&self) -> Option<String> {
        self.request.as_ref()?.headers().get("cf-connecting-ip").ok()?
    }

    fn is_bot(&self, user_agent: &str) -> bool {
        client::is_bot(user_agent)
    }

    fn is_automated(&self) -> bool {
        self.request.as_ref().is_some_and(|request| client::is_automated(request))
    }

    async fn is_within(&self, limited: Limited, key: &str) -> Option<bool> {
        let binding = match limited {
            Limited::Beacons => &self.settings.limiters.beacons,
            Limited::Misses => &self.settings.limiters.misses,
        };
        // A limit that cannot be asked is none.
        JsFuture::from(client::is_within(binding.as_ref()?, key)).await.ok()?.as_bool()
    }

    fn log(&self, line: &serde_json::Value) {
        worker::console_log!("{line}");
    }
}

/// `crypto.randomUUID()`
fn random_uuid() -> Option<String> {
    let crypto = Reflect::get(&js_sys::global(), &"crypto".into()).ok()?;
    let make: Function = Reflect::get(&crypto, &"randomUUID".into()).ok()?.dyn_into().ok()?;
    make.call0(&crypto).ok()?.as_string()
}
