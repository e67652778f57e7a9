//! The application's ports on the Workers runtime.

use std::cell::{OnceCell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use admin::app::Administration;
use engine::adapter::Error;
use js_sys::futures::JsFuture;
use js_sys::{Function, Reflect};
use ranking::site::Receiver;
use ranking::zone::{Years, ZoneSpan, Zones};
use serve::app::admission::Limited;
use serve::app::cache::Entry;
use serve::app::counters::Counters;
use serve::app::ports::{Background, Client, Clock, Dataset, EdgeCache, Groups, Log, NotForwarded, Pages, Random, Receivers, Runtime};
use worker::wasm_bindgen::JsCast;
use worker::web_sys::Request;
use worker::{Context, Delay, Env};

use super::bucket::Bucket;
use super::database::Database;
use super::queue::Queue;
use super::settings::Settings;
use super::transport::EdgeTransport;
use super::{cache, client, dataset, forward, now_ms, object, page, zones};

/// What one request or object may use.
#[derive(Clone)]
pub struct EdgeRuntime {
    life: Life,
    settings: Rc<Settings>,
    /// `None` in a scheduled run, in an object, and for messages of a queue.
    request: Option<Rc<Request>>,
    /// For the objects that gather events, and the queue.
    env: Env,
    /// Where the archive is, once it was asked.
    bucket: Rc<OnceCell<Option<Bucket>>>,
    /// `https://host`, of the request.
    origin: Rc<str>,
}

impl EdgeRuntime {
    pub fn new(context: Context, env: Env, settings: Rc<Settings>, request: Rc<Request>, uri: &http::Uri) -> Self {
        let origin = format!("{}://{}", uri.scheme_str().unwrap_or("https"), uri.authority().map_or("", http::uri::Authority::as_str));
        Self { life: Life::Request(Rc::new(context)), settings, request: Some(request), env, bucket: Rc::default(), origin: origin.into() }
    }

    pub fn scheduled(env: Env, settings: Rc<Settings>) -> Self {
        Self { life: Life::Scheduled, settings, request: None, env, bucket: Rc::default(), origin: Rc::from("") }
    }

    /// Of an object, which keeps its way to Redis.
    pub fn object(env: Env, settings: Rc<Settings>) -> Self {
        let transport = Rc::new(EdgeTransport::pipelined(&settings));
        Self { life: Life::Object(transport), settings, request: None, env, bucket: Rc::default(), origin: Rc::from("") }
    }

    /// Of a delivery of messages, which keeps its way to Redis as well, and does at its end what was left for later.
    pub fn delivery(rest: Rest, env: Env, settings: Rc<Settings>) -> Self {
        let transport = Rc::new(EdgeTransport::new(&settings));
        Self { life: Life::Delivery(transport, rest), settings, request: None, env, bucket: Rc::default(), origin: Rc::from("") }
    }
}

/// What is left for later.
pub type Rest = Rc<RefCell<Vec<Pin<Box<dyn Future<Output = ()>>>>>>;

/// What the runtime lives with.
#[derive(Clone)]
enum Life {
    Request(Rc<Context>),
    /// A scheduled run, which ends when its work does.
    Scheduled,
    Object(Rc<EdgeTransport>),
    /// A delivery of messages.
    Delivery(Rc<EdgeTransport>, Rest),
}

impl Zones for EdgeRuntime {
    fn span(&self, timezone: &str, years: Years) -> Rc<ZoneSpan> {
        self.settings.zones.span(timezone, years)
    }
}

impl Runtime for EdgeRuntime {
    type Beyond = Administration;
    type Transport = Rc<EdgeTransport>;
    type Queue = Queue;
    type Database = Database;
    type Bucket = Bucket;
    type KnownZones = zones::Known;

    fn known_zones(&self) -> zones::Known {
        zones::Known
    }

    fn transport(&self) -> Result<Rc<EdgeTransport>, Error> {
        match &self.life {
            Life::Object(transport) | Life::Delivery(transport, _) => Ok(Rc::clone(transport)),
            _ => Ok(Rc::new(EdgeTransport::new(&self.settings))),
        }
    }

    fn queue(&self) -> Option<Queue> {
        Queue::of(&self.env)
    }

    fn database(&self) -> Option<Database> {
        Database::of(&self.env)
    }

    fn bucket(&self) -> Option<&Bucket> {
        self.bucket.get_or_init(|| Bucket::of(&self.env, &self.settings)).as_ref()
    }

    fn counts(&self, _counters: &Counters) -> String {
        super::counts::all()
    }

    fn commit(&self) -> String {
        commit()
    }
}

impl Random for EdgeRuntime {
    fn token(&self) -> String {
        random_uuid().unwrap_or_default()
    }
}

impl Clock for EdgeRuntime {
    fn clock_ms(&self) -> u64 {
        now_ms()
    }

    async fn sleep_ms(&self, ms: u32) {
        Delay::from(Duration::from_millis(ms.into())).await;
    }
}

impl Background for EdgeRuntime {
    fn in_background(&self, future: impl Future<Output = ()> + 'static) {
        // In a box, so that what runs futures is there once.
        let future: Pin<Box<dyn Future<Output = ()>>> = Box::pin(future);
        match &self.life {
            Life::Request(context) => context.wait_until(future),
            Life::Scheduled => {}
            Life::Object(_) => js_sys::futures::spawn_local(future),
            Life::Delivery(_, rest) => rest.borrow_mut().push(future),
        }
    }
}

impl EdgeCache for EdgeRuntime {
    async fn edge_get(&self, key: &str) -> Option<Entry> {
        // What no request asks for has no address of its own.
        if self.origin.is_empty() {
            return None;
        }
        cache::get(cache::address(&self.origin, key)).await
    }

    async fn edge_put(&self, key: &str, entry: &Entry) {
        if self.origin.is_empty() {
            return;
        }
        if let Err(error) = cache::put(cache::address(&self.origin, key), entry).await {
            worker::console_warn!("{}", serde_json::json!({ "level": "warn", "code": "edge-cache", "detail": error.to_string() }));
        }
    }
}

impl Client for EdgeRuntime {
    fn address(&self) -> Option<String> {
        self.request.as_ref()?.headers().get("cf-connecting-ip").ok()?
    }

    fn is_bot(&self, user_agent: &str) -> bool {
        client::is_bot(user_agent)
    }

    fn is_automated(&self) -> bool {
        self.request.as_ref().is_some_and(|request| client::is_automated(request))
    }

    fn live(&self) -> Option<String> {
        Reflect::get(&self.env, &"EDGEBOARD_LIVE".into()).ok()?.as_string()
    }

    async fn is_within(&self, limited: Limited, key: &str) -> Option<bool> {
        let binding = match limited {
            Limited::Beacons => &self.settings.limiters.beacons,
            Limited::Misses => &self.settings.limiters.misses,
        };
        // A limit that cannot be asked is none.
        JsFuture::from(client::is_within(binding.as_ref()?, key)).await.ok()?.as_bool()
    }
}

impl Groups for EdgeRuntime {
    async fn send_to_group(&self, name: &str, message: &str) -> Option<String> {
        object::send(&self.env, name, message).await
    }
}

impl Receivers for EdgeRuntime {
    async fn forward(&self, to: &Receiver, message: &str, is_patient: bool) -> Result<(), NotForwarded> {
        forward::send(&self.env, to, &self.settings.forward_secret, message, is_patient).await
    }
}

impl Pages for EdgeRuntime {
    async fn read_page(&self, url: &str) -> Result<String, String> {
        page::read(url).await
    }
}

impl Dataset for EdgeRuntime {
    async fn ask_dataset(&self, sql: impl Fn(&str) -> String) -> Option<Result<String, String>> {
        let analytics = self.settings.analytics.as_ref()?;
        Some(dataset::ask(analytics, &sql(&analytics.dataset)).await)
    }
}

impl Log for EdgeRuntime {
    fn log(&self, line: &serde_json::Value) {
        worker::console_log!("{line}");
    }

    fn log_error(&self, line: &serde_json::Value) {
        worker::console_error!("{line}");
    }
}

/// What `src/edge/index.js` says of it.
pub fn commit() -> String {
    let commit = Reflect::get(&js_sys::global(), &"edgeboardCommit".into()).ok();
    commit.and_then(|commit| commit.as_string()).unwrap_or_else(|| "unknown".into())
}

/// `crypto.randomUUID()`
pub(super) fn random_uuid() -> Option<String> {
    let crypto = Reflect::get(&js_sys::global(), &"crypto".into()).ok()?;
    let make: Function = Reflect::get(&crypto, &"randomUUID".into()).ok()?.dyn_into().ok()?;
    make.call0(&crypto).ok()?.as_string()
}
