//! The transport that `REDIS_URL` names, or `ARCHIVE_REDIS_URL`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use engine::adapter::cluster::Known;
use engine::adapter::slots::{Address, AddressMap};
use engine::adapter::url::{RedisUrl, Tcp};
use engine::adapter::{Breaker, Cluster, Cmd, Error, Fault, Invocation, Locking, Locks, Mode, Nodes, Servers, Transport, Value};
use js_sys::futures::JsFuture;
use js_sys::{Function, Promise, Reflect};
use serve::app::memory::Memory;
use serve::app::{failed_script, without_functions, without_locks};
use serve::config::GROUP_BINDING;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;
use worker::wasm_bindgen::JsValue;

use super::pipeline::Pipeline;
use super::rest::Rest;
use super::runtime::random_uuid;
use super::settings::Settings;
use super::tcp::Connection;
use super::{now_ms, object};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(callback: &Function, ms: u32) -> JsValue;
}

/// For how long no library is sent to a Redis that took none, since its memory is full or it is a replica.
const LIBRARY_RESTS_MS: u64 = 10_000;

/// Where Redis is, for all of an isolate, and what is known of it.
pub struct Redis {
    place: Place,
    functions: Rc<Functions>,
    /// Where calls declare their keys.
    locks: Option<Rc<Locks>>,
}

/// What is known of functions there.
#[derive(Default)]
struct Functions {
    /// Redis answered that it has none.
    are_lacking: Cell<bool>,
    /// It took no library: scripts are run until then, since the library is 280 KB.
    rest_until_ms: Cell<u64>,
}

enum Place {
    Tcp(Tcp, State),
    Rest(Rest, State),
    Cluster(Rc<Places>),
}

/// What is known of a server.
#[derive(Clone, Default)]
struct State {
    /// Whether it hangs.
    breaker: Rc<Breaker>,
    /// See [`Connection`].
    handshake_accepted: Rc<Cell<bool>>,
}

/// The nodes of a cluster.
struct Places {
    /// One of the seeds: what connections to all nodes have in common.
    seed: Tcp,
    address_map: AddressMap,
    relays: Option<Relays>,
    known: Rc<Known>,
    states: RefCell<Vec<(Address, State)>>,
}

/// The objects that are relays to nodes of a cluster.
pub struct Relays {
    objects: JsValue,
    /// Those of this isolate: an object handles about 1,000 requests a second.
    share: u8,
}

impl Relays {
    const SHARES: u8 = 16;

    /// `None` where the deployment has no objects.
    pub fn of(env: &Env) -> Option<Self> {
        let objects = Reflect::get(env, &GROUP_BINDING.into()).ok().filter(JsValue::is_object)?;
        let share = random_uuid().and_then(|random| random.bytes().next()).unwrap_or_default() % Self::SHARES;
        Some(Self { objects, share })
    }

    async fn send(&self, part: usize, message: &[u8]) -> Result<Vec<u8>, Error> {
        // No name of a site has a slash.
        object::relay(&self.objects, &format!("/nodes/{part}/{}", self.share), message).await
    }
}

impl Redis {
    /// `token` is for REST, `address_map` and `relays` for a cluster.
    pub fn of(url: RedisUrl, token: &str, address_map: AddressMap, relays: Option<Relays>) -> Self {
        let place = match url {
            RedisUrl::Tcp(to) => Place::Tcp(to, State::default()),
            RedisUrl::Rest(endpoint) => Place::Rest(Rest::new(&endpoint, token), State::default()),
            RedisUrl::Cluster(seeds) => {
                let known = Known::new(seeds.iter().map(|seed| Address::new(&seed.host, seed.port)).collect());
                let seed = seeds.into_iter().next().expect("a URL names a host");
                Place::Cluster(Rc::new(Places { seed, address_map, relays, known: Rc::new(known), states: RefCell::default() }))
            }
        };
        Self { place, functions: Rc::default(), locks: None }
    }

    /// Has calls declare their keys, or not.
    pub fn locking(self, locks_keys: bool) -> Self {
        Self { locks: locks_keys.then(Rc::default), ..self }
    }

    /// Runs scripts there from their sources: upkeep deletes no libraries of it.
    pub fn without_functions(self) -> Self {
        self.functions.are_lacking.set(true);
        self
    }
}

/// A way to Redis, for one request or one object: neither a socket nor a response may outlive what made it.
pub struct EdgeTransport {
    way: Way,
    functions: Rc<Functions>,
    locks: Option<Rc<Locks>>,
}

enum Way {
    Server(Server),
    Cluster(Box<Cluster<EdgeNodes>>),
}

/// A way to one server.
pub struct Server {
    line: Line,
    breaker: Rc<Breaker>,
    memory: Rc<Memory>,
}

enum Line {
    Tcp(Connection),
    Pipelined(Pipeline),
    Rest(Rest),
}

/// The nodes of a cluster, for one request or one object.
struct EdgeNodes {
    places: Rc<Places>,
    is_pipelined: bool,
    memory: Rc<Memory>,
}

impl EdgeTransport {
    pub fn new(settings: &Settings) -> Self {
        Self::to(&settings.redis, false, settings)
    }

    /// For an object, whose trips share one connection to each server.
    pub fn pipelined(settings: &Settings) -> Self {
        Self::to(&settings.redis, true, settings)
    }

    /// To the Redis of the archive.
    pub fn to_archive(redis: &Redis, settings: &Settings) -> Self {
        Self::to(redis, false, settings)
    }

    fn to(redis: &Redis, is_pipelined: bool, settings: &Settings) -> Self {
        let memory = Rc::clone(&settings.memory);
        let way = match &redis.place {
            Place::Tcp(to, state) => Way::Server(Server::over_tcp(to.clone(), state.clone(), is_pipelined, memory)),
            Place::Rest(rest, state) => Way::Server(Server { line: Line::Rest(rest.clone()), breaker: Rc::clone(&state.breaker), memory }),
            Place::Cluster(places) => {
                let nodes = EdgeNodes { places: Rc::clone(places), is_pipelined, memory };
                Way::Cluster(Box::new(Cluster::new(nodes, Rc::clone(&places.known))))
            }
        };
        Self { way, functions: Rc::clone(&redis.functions), locks: redis.locks.clone() }
    }
}

impl EdgeTransport {
    /// What a relay does, see [`Cluster::relay`].
    ///
    /// # Errors
    /// Those of it, and where Redis is no cluster.
    pub async fn relay(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        match &self.way {
            Way::Cluster(cluster) => Box::pin(cluster.relay(message)).await,
            Way::Server(_) => Err(Error::new(Fault::Configuration, "a relay needs a cluster")),
        }
    }
}

impl Server {
    fn over_tcp(to: Tcp, State { breaker, handshake_accepted }: State, is_pipelined: bool, memory: Rc<Memory>) -> Self {
        let connection = Connection::new(to, handshake_accepted);
        let line = if is_pipelined { Line::Pipelined(Pipeline::new(connection)) } else { Line::Tcp(connection) };
        Self { line, breaker, memory }
    }
}

impl Nodes for EdgeNodes {
    type Node = Server;

    fn open(&self, to: &Address) -> Server {
        let mut states = self.places.states.borrow_mut();
        let state = if let Some((_, state)) = states.iter().find(|(address, _)| address == to) {
            state.clone()
        } else {
            let state = State::default();
            states.push((to.clone(), state.clone()));
            state
        };
        let Address { host, port } = self.places.address_map.reached(to).clone();
        let to = Tcp { host, port, ..self.places.seed.clone() };
        Server::over_tcp(to, state, self.is_pipelined, Rc::clone(&self.memory))
    }

    async fn pause(&self, ms: u32) {
        // `worker::Delay` wakes the task that polled it first. A renewal that goes on in the background is another one's then, and was never
        // woken.
        let slept = Promise::new(&mut |resolve, _| {
            set_timeout(&resolve, ms);
        });
        // Nothing rejects it.
        drop(JsFuture::from(slept).await);
    }

    fn now_ms(&self) -> u64 {
        now_ms()
    }

    fn has_relays(&self) -> bool {
        self.places.relays.is_some()
    }

    async fn relay(&self, part: usize, message: Vec<u8>) -> Result<Vec<u8>, Error> {
        match &self.places.relays {
            Some(relays) => relays.send(part, &message).await,
            None => Err(Error::new(Fault::Connect, "there are no relays")),
        }
    }
}

impl Transport for Server {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let asked_at_ms = now_ms();
        self.breaker.admit(asked_at_ms)?;
        let answers = match &self.line {
            Line::Tcp(connection) => connection.send(commands, mode).await,
            Line::Pipelined(pipeline) => pipeline.send(commands, mode).await,
            Line::Rest(rest) => rest.send(commands, mode).await,
        };
        let answered_at_ms = now_ms();
        self.breaker.learn(asked_at_ms, answered_at_ms, answers.is_ok());
        self.memory.counters.add_trip(commands, answered_at_ms.saturating_sub(asked_at_ms), answers.as_ref().err());
        answers
    }
}

impl Transport for EdgeTransport {
    // What a cluster does is in boxes: it would make the futures of every other deployment larger.
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        match &self.way {
            Way::Server(server) => server.send(commands, mode).await,
            Way::Cluster(cluster) => Box::pin(cluster.send(commands, mode)).await,
        }
    }

    async fn send_to_servers_of(&self, commands: &[Cmd], command: Cmd) -> Result<Vec<Value>, Error> {
        match &self.way {
            Way::Server(server) => server.send_to_servers_of(commands, command).await,
            Way::Cluster(cluster) => Box::pin(cluster.send_to_servers_of(commands, command)).await,
        }
    }

    async fn servers(&self) -> Result<Servers, Error> {
        match &self.way {
            Way::Server(server) => server.servers().await,
            Way::Cluster(cluster) => Box::pin(cluster.servers()).await,
        }
    }

    fn is_cluster(&self) -> bool {
        matches!(self.way, Way::Cluster(_))
    }

    fn locks(&self) -> Option<Locking<'_>> {
        let locks = self.locks.as_deref().filter(|locks| !locks.are_refused())?;
        Some(Locking { locks, now_ms: now_ms() })
    }

    fn refused_locks(&self, error: &Error) {
        if let Some(locks) = self.locks.as_ref().filter(|locks| !locks.are_refused()) {
            locks.refuse();
            worker::console_warn!("{}", without_locks(error));
        }
    }

    fn script_failed(&self, call: &Invocation, error: &Error) {
        worker::console_error!("{}", failed_script(call, error));
    }

    fn has_functions(&self) -> bool {
        !self.functions.are_lacking.get() && now_ms() >= self.functions.rest_until_ms.get()
    }

    fn lacks_functions(&self, error: &Error) {
        if !self.functions.are_lacking.replace(true) {
            worker::console_warn!("{}", without_functions(error));
        }
    }

    fn refused_library(&self) {
        self.functions.rest_until_ms.set(now_ms() + LIBRARY_RESTS_MS);
    }
}
