//! The application's ports without Workers. The edge clock stands until it is moved, and the edge cache is in memory.
//! Background futures wait to be run. How Redis is asked is a [`Link`]'s.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use admin::app::Administration;
use serve::app::admission::Limited;

use engine::adapter::{Error, Transport};
use ranking::site::Receiver;
use ranking::zone::{Years, ZoneSpan, Zones};
use serve::app::cache::Entry;
use serve::app::database::{Answered, Statement};
use serve::app::ports::{
    Background, Bucket, Client, Clock, Database, Dataset, EdgeCache, Groups, Log, NotForwarded, Pages, Queue, Random, Receivers, Runtime,
    Tagged,
};

use crate::support::TzZones;

type Later = Pin<Box<dyn Future<Output = ()>>>;

/// The way to Redis.
pub trait Link: Sized + 'static {
    type Transport: Transport;

    fn open(runtime: &NativeRuntime<Self>) -> Self::Transport;
}

pub struct NativeRuntime<L>(Rc<Inner<L>>);

impl<L> Clone for NativeRuntime<L> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

/// Objects by their names, each with the number of its version.
#[derive(Default)]
pub struct Objects(RefCell<BTreeMap<String, (u64, Vec<u8>)>>);

impl Objects {
    fn names(&self, prefix: &str) -> Vec<String> {
        self.0.borrow().keys().filter(|name| name.starts_with(prefix)).cloned().collect()
    }
}

impl Bucket for Objects {
    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(self.0.borrow().get(name).map(|(_, bytes)| bytes.clone()))
    }

    async fn find(&self, name: &str) -> Result<Option<Tagged>, String> {
        let found = self.0.borrow().get(name).cloned();
        Ok(found.map(|(number, bytes)| Tagged { bytes, tag: number.to_string() }))
    }

    async fn replace(&self, name: &str, text: String, tag: &str) -> Result<bool, String> {
        let known = self.find(name).await?.map_or(String::new(), |known| known.tag);
        if known == tag {
            self.put(name, text.as_bytes()).await?;
        }
        Ok(known == tag)
    }

    async fn put(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let mut objects = self.0.borrow_mut();
        let number = objects.values().map(|(number, _)| number + 1).max().unwrap_or(1);
        objects.insert(name.into(), (number, bytes.to_vec()));
        Ok(())
    }

    async fn delete(&self, names: &[String]) -> Result<(), String> {
        let mut objects = self.0.borrow_mut();
        objects.retain(|name, _| !names.contains(name));
        Ok(())
    }

    async fn list(&self, prefix: &str, after: &str) -> Result<Vec<String>, String> {
        Ok(self.names(prefix).into_iter().filter(|name| &**name > after).take(1_000).collect())
    }
}

/// What a native program has not: nobody can make one.
pub enum Absent {}

impl Queue for Absent {
    async fn send(&self, _message: &str, _delay_s: u32) -> Result<(), String> {
        match *self {}
    }
}

impl Database for Absent {
    async fn query(&self, _statements: &[Statement]) -> Result<Answered, String> {
        match *self {}
    }
}

struct Inner<L> {
    link: L,
    zones: TzZones,
    clock_ms: Cell<u64>,
    edge: RefCell<HashMap<String, Entry>>,
    background: RefCell<Vec<Later>>,
    log: RefCell<Vec<serde_json::Value>>,
    /// Whose requests come.
    asker: RefCell<Option<String>>,
    /// What the receiver of counted events took, and whether it fails.
    taken: RefCell<Vec<serde_json::Value>>,
    is_receiver_out: Cell<bool>,
    /// What its tries take then.
    tries_ms: Cell<u32>,
    /// When the futures that sleep want to be polled again.
    wakes: RefCell<Vec<u64>>,
    /// The archive, where there is one.
    bucket: OnceCell<Objects>,
    tokens: Cell<u64>,
}

impl<L> NativeRuntime<L> {
    pub fn new(link: L, clock_ms: u64) -> Self {
        Self(Rc::new(Inner {
            link,
            zones: TzZones::default(),
            clock_ms: Cell::new(clock_ms),
            edge: RefCell::default(),
            background: RefCell::default(),
            log: RefCell::default(),
            taken: RefCell::default(),
            is_receiver_out: Cell::new(false),
            tries_ms: Cell::new(0),
            wakes: RefCell::default(),
            bucket: OnceCell::new(),
            asker: RefCell::default(),
            tokens: Cell::new(0),
        }))
    }

    pub fn link(&self) -> &L {
        &self.0.link
    }

    /// Moves the edge's clock on.
    pub fn pass_ms(&self, ms: u64) {
        self.0.clock_ms.set(self.0.clock_ms.get() + ms);
    }

    /// The edge's clock.
    pub fn now_ms(&self) -> u64 {
        self.0.clock_ms.get()
    }

    /// Moves the edge's clock to an instant (Unix milliseconds).
    pub fn set_clock_ms(&self, ms: u64) {
        self.0.clock_ms.set(ms);
    }

    /// Gives the deployment an archive, which is empty.
    pub fn begin_bucket(&self) {
        let is_first = self.0.bucket.set(Objects::default()).is_ok();
        assert!(is_first, "it has one");
    }

    /// An object of the archive.
    pub fn object(&self, name: &str) -> Option<Vec<u8>> {
        self.0.bucket.get()?.0.borrow().get(name).map(|(_, bytes)| bytes.clone())
    }

    /// The names of its objects that begin so.
    pub fn objects(&self, prefix: &str) -> Vec<String> {
        self.0.bucket.get().map_or_else(Vec::new, |objects| objects.names(prefix))
    }

    /// From here on requests come from an address.
    pub fn set_address(&self, address: &str) {
        *self.0.asker.borrow_mut() = Some(address.into());
    }

    /// What the receiver of counted events took since this was asked last.
    pub fn take_forwarded(&self) -> Vec<serde_json::Value> {
        self.0.taken.take()
    }

    pub fn set_receiver_out(&self, out: bool) {
        self.0.is_receiver_out.set(out);
    }

    pub fn set_tries_ms(&self, ms: u32) {
        self.0.tries_ms.set(ms);
    }

    /// What was logged since this was asked last.
    pub fn take_log(&self) -> Vec<serde_json::Value> {
        self.0.log.take()
    }

    /// The edge cache.
    pub fn edge(&self) -> &RefCell<HashMap<String, Entry>> {
        &self.0.edge
    }

    /// Drops what was left to the background, as an isolate does that is stopped.
    pub fn drop_background(&self) {
        self.0.background.take();
    }

    /// Runs what was left to the background, and what that leaves.
    pub fn finish_background(&self) {
        loop {
            let background = self.0.background.take();
            if background.is_empty() {
                return;
            }
            self.run(background);
        }
    }

    /// Runs futures beside one another, as an isolate does. When all of them sleep, the clock moves on to the first that
    /// wants to wake.
    pub fn run<T>(&self, futures: Vec<Pin<Box<dyn Future<Output = T> + '_>>>) -> Vec<T> {
        let mut context = Context::from_waker(Waker::noop());
        let mut running: Vec<_> = futures.into_iter().map(Some).collect();
        let mut outputs: Vec<Option<T>> = running.iter().map(|_| None).collect();
        loop {
            self.0.wakes.borrow_mut().clear();
            for (future, output) in running.iter_mut().zip(&mut outputs) {
                let Some(Poll::Ready(done)) = future.as_mut().map(|future| future.as_mut().poll(&mut context)) else { continue };
                *output = Some(done);
                *future = None;
            }
            if running.iter().all(Option::is_none) {
                return outputs.into_iter().flatten().collect();
            }
            let next_ms = self.0.wakes.borrow().iter().copied().min().expect("who waits, sleeps");
            self.0.clock_ms.set(next_ms.max(self.0.clock_ms.get()));
        }
    }
}

impl<L> Zones for NativeRuntime<L> {
    fn span(&self, timezone: &str, years: Years) -> Rc<ZoneSpan> {
        self.0.zones.span(timezone, years)
    }
}

impl<L: Link> Runtime for NativeRuntime<L> {
    type Beyond = Administration;
    type Transport = L::Transport;
    type Queue = Absent;
    type Database = Absent;
    type Bucket = Objects;
    type KnownZones = fn(&str) -> bool;

    fn known_zones(&self) -> fn(&str) -> bool {
        |zone| crate::support::zones::parse(zone).is_some()
    }

    fn transport(&self) -> Result<L::Transport, Error> {
        Ok(L::open(self))
    }

    fn queue(&self) -> Option<Absent> {
        None
    }

    fn database(&self) -> Option<Absent> {
        None
    }

    fn bucket(&self) -> Option<&Objects> {
        self.0.bucket.get()
    }
}

impl<L> Random for NativeRuntime<L> {
    fn token(&self) -> String {
        self.0.tokens.set(self.0.tokens.get() + 1);
        format!("native{:08}", self.0.tokens.get())
    }
}

impl<L> Clock for NativeRuntime<L> {
    fn clock_ms(&self) -> u64 {
        self.0.clock_ms.get()
    }

    async fn sleep_ms(&self, ms: u32) {
        let until_ms = self.clock_ms() + u64::from(ms);
        poll_fn(|_| {
            if self.clock_ms() >= until_ms {
                return Poll::Ready(());
            }
            self.0.wakes.borrow_mut().push(until_ms);
            Poll::Pending
        })
        .await;
    }
}

impl<L> Background for NativeRuntime<L> {
    fn in_background(&self, future: impl Future<Output = ()> + 'static) {
        self.0.background.borrow_mut().push(Box::pin(future));
    }
}

impl<L> EdgeCache for NativeRuntime<L> {
    async fn edge_get(&self, key: &str) -> Option<Entry> {
        self.0.edge.borrow().get(key).cloned()
    }

    async fn edge_put(&self, key: &str, entry: &Entry) {
        self.0.edge.borrow_mut().insert(key.into(), entry.clone());
    }
}

impl<L> Client for NativeRuntime<L> {
    fn address(&self) -> Option<String> {
        self.0.asker.borrow().clone()
    }

    fn is_bot(&self, user_agent: &str) -> bool {
        user_agent.contains("bot")
    }

    fn is_automated(&self) -> bool {
        false
    }

    async fn is_within(&self, _limited: Limited, _key: &str) -> Option<bool> {
        None
    }
}

impl<L> Groups for NativeRuntime<L> {
    async fn send_to_group(&self, _name: &str, _message: &str) -> Option<String> {
        None
    }
}

/// The receiver refuses what has the word poison.
impl<L> Receivers for NativeRuntime<L> {
    async fn forward(&self, _to: &Receiver, message: &str, _is_patient: bool) -> Result<(), NotForwarded> {
        if self.0.is_receiver_out.get() {
            self.sleep_ms(self.0.tries_ms.get()).await;
        }
        let is_final = message.contains("poison");
        if self.0.is_receiver_out.get() || is_final {
            return Err(NotForwarded { is_final, detail: "not taken".into() });
        }
        self.0.taken.borrow_mut().push(serde_json::from_str(message).expect("JSON"));
        Ok(())
    }
}

impl<L> Pages for NativeRuntime<L> {
    async fn read_page(&self, _url: &str) -> Result<String, String> {
        Err("there are no pages".into())
    }
}

impl<L> Dataset for NativeRuntime<L> {
    async fn ask_dataset(&self, _sql: impl Fn(&str) -> String) -> Option<Result<String, String>> {
        None
    }
}

impl<L> Log for NativeRuntime<L> {
    fn log(&self, line: &serde_json::Value) {
        assert!(line.is_object(), "{line}");
        self.0.log.borrow_mut().push(line.clone());
    }
}
