//! The application's ports without Workers. The edge clock stands until it is moved, and the edge cache is in memory.
//! Background futures wait to be run. Faults can happen between the adapter and Redis.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use edgeboard::app::admission::Limited;
use edgeboard::app::archive::Tagged;
use edgeboard::app::cache::Entry;
use edgeboard::app::{NotForwarded, Runtime};
use engine::adapter::resp::Request;
use engine::adapter::url::Tcp;
use engine::adapter::{Cmd, Error, Fault, Mode, ServerError, Transport, Value};
use engine::store::scripts::SCRIPTS;
use ranking::site::Receiver;
use ranking::zone::{Years, ZoneSpan, Zones};

use crate::support::{Connection, TzZones};

type Background = Pin<Box<dyn Future<Output = ()>>>;

/// What befalls one send.
#[derive(Clone, Copy, Debug)]
pub enum Mishap {
    /// None.
    Passed,
    /// No connection: nothing reaches Redis.
    Before,
    /// Everything reaches Redis, no reply comes back: a timeout.
    After,
    /// Everything reaches Redis, and the replies cannot be read.
    Garbled,
    /// One of the commands is refused by Redis with an error, the others are done.
    Refused(usize, &'static str),
}

#[derive(Clone)]
pub struct NativeRuntime(Rc<Inner>);

/// Objects by their names, each with the number of its version.
type ObjectMap = BTreeMap<String, (u64, Vec<u8>)>;

struct Inner {
    address: Tcp,
    zones: TzZones,
    clock_ms: Cell<u64>,
    /// What a send takes on the edge's clock.
    latency_ms: Cell<u32>,
    /// For the next sends, in order; later ones pass, unless Redis is out.
    mishaps: RefCell<VecDeque<Mishap>>,
    out: Cell<bool>,
    /// The commands of each send: `FCALL record`.
    sent: RefCell<Vec<Vec<String>>>,
    edge: RefCell<HashMap<String, Entry>>,
    background: RefCell<Vec<Background>>,
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
    bucket: RefCell<Option<ObjectMap>>,
    tokens: Cell<u64>,
}

impl NativeRuntime {
    pub fn new(address: Tcp, clock_ms: u64) -> Self {
        Self(Rc::new(Inner {
            address,
            zones: TzZones::default(),
            clock_ms: Cell::new(clock_ms),
            latency_ms: Cell::new(0),
            mishaps: RefCell::default(),
            out: Cell::new(false),
            sent: RefCell::default(),
            edge: RefCell::default(),
            background: RefCell::default(),
            log: RefCell::default(),
            taken: RefCell::default(),
            is_receiver_out: Cell::new(false),
            tries_ms: Cell::new(0),
            wakes: RefCell::default(),
            bucket: RefCell::default(),
            asker: RefCell::default(),
            tokens: Cell::new(0),
        }))
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
        *self.0.bucket.borrow_mut() = Some(BTreeMap::new());
    }

    /// An object of the archive.
    pub fn object(&self, name: &str) -> Option<Vec<u8>> {
        self.0.bucket.borrow().as_ref()?.get(name).map(|(_, bytes)| bytes.clone())
    }

    /// The names of its objects that begin so.
    pub fn objects(&self, prefix: &str) -> Vec<String> {
        let bucket = self.0.bucket.borrow();
        bucket.iter().flatten().map(|(name, _)| name.clone()).filter(|name| name.starts_with(prefix)).collect()
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let mut bucket = self.0.bucket.borrow_mut();
        let objects = bucket.as_mut().ok_or("there is no bucket")?;
        let number = self.0.tokens.get() + 1;
        self.0.tokens.set(number);
        objects.insert(name.into(), (number, bytes.to_vec()));
        Ok(())
    }

    /// From here on requests come from an address.
    pub fn set_address(&self, address: &str) {
        *self.0.asker.borrow_mut() = Some(address.into());
    }

    pub fn set_latency_ms(&self, ms: u32) {
        self.0.latency_ms.set(ms);
    }

    pub fn set_out(&self, out: bool) {
        self.0.out.set(out);
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

    pub fn let_happen(&self, mishaps: &[Mishap]) {
        self.0.mishaps.borrow_mut().extend(mishaps);
    }

    /// Nothing more happens.
    pub fn forget_mishaps(&self) {
        self.0.mishaps.borrow_mut().clear();
    }

    /// The sends since the last time, as `FCALL record, FCALL record`; a transaction between `MULTI` and `EXEC`.
    pub fn take_sent(&self) -> Vec<String> {
        self.0.sent.take().into_iter().map(|commands| commands.join(", ")).collect()
    }

    /// The edge cache.
    /// What was logged since this was asked last.
    pub fn take_log(&self) -> Vec<serde_json::Value> {
        self.0.log.take()
    }

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

impl Zones for NativeRuntime {
    fn span(&self, timezone: &str, years: Years) -> Rc<ZoneSpan> {
        self.0.zones.span(timezone, years)
    }
}

impl Runtime for NativeRuntime {
    type Transport = Mishappen;

    fn transport(&self) -> Result<Mishappen, Error> {
        Ok(Mishappen { runtime: self.clone(), connection: Connection::new(self.0.address.clone()) })
    }

    fn clock_ms(&self) -> u64 {
        self.0.clock_ms.get()
    }

    fn token(&self) -> String {
        self.0.tokens.set(self.0.tokens.get() + 1);
        format!("native{:08}", self.0.tokens.get())
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

    /// The receiver refuses what has the word poison.
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

    async fn send_to_group(&self, _name: &str, _message: &str) -> Option<String> {
        None
    }

    fn in_background(&self, future: impl Future<Output = ()> + 'static) {
        self.0.background.borrow_mut().push(Box::pin(future));
    }

    async fn edge_get(&self, key: &str) -> Option<Entry> {
        self.0.edge.borrow().get(key).cloned()
    }

    async fn edge_put(&self, key: &str, entry: &Entry) {
        self.0.edge.borrow_mut().insert(key.into(), entry.clone());
    }

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

    fn has_bucket(&self) -> bool {
        self.0.bucket.borrow().is_some()
    }

    async fn bucket_get(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(self.object(name))
    }

    async fn bucket_find(&self, name: &str) -> Result<Option<Tagged>, String> {
        let bucket = self.0.bucket.borrow();
        let found = bucket.as_ref().and_then(|objects| objects.get(name));
        Ok(found.map(|(number, bytes)| Tagged { bytes: bytes.clone(), tag: number.to_string() }))
    }

    async fn bucket_replace(&self, name: &str, text: String, tag: &str) -> Result<bool, String> {
        let known = self.bucket_find(name).await?.map_or(String::new(), |known| known.tag);
        if known == tag {
            self.put(name, text.as_bytes())?;
        }
        Ok(known == tag)
    }

    async fn bucket_put(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        self.put(name, bytes)
    }

    async fn bucket_delete(&self, names: &[String]) -> Result<(), String> {
        let mut bucket = self.0.bucket.borrow_mut();
        for name in names {
            bucket.as_mut().ok_or("there is no bucket")?.remove(name);
        }
        Ok(())
    }

    async fn bucket_list(&self, prefix: &str, after: &str) -> Result<Vec<String>, String> {
        Ok(self.objects(prefix).into_iter().filter(|name| &**name > after).take(1_000).collect())
    }

    fn log(&self, line: &serde_json::Value) {
        self.0.log.borrow_mut().push(line.clone());
    }
}

/// A connection of one request, to which things happen.
pub struct Mishappen {
    runtime: NativeRuntime,
    connection: Connection,
}

impl Transport for Mishappen {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let inner = &self.runtime.0;
        inner.sent.borrow_mut().push(Request::new(commands, mode).sent().map(name).collect());
        if inner.latency_ms.get() > 0 {
            self.runtime.sleep_ms(inner.latency_ms.get()).await;
        }
        if inner.out.get() {
            return Err(Error::new(Fault::Connect, "hidden detail"));
        }
        let mishap = inner.mishaps.borrow_mut().pop_front();
        match mishap.unwrap_or(Mishap::Passed) {
            Mishap::Passed => self.connection.exchange_as(commands, mode),
            Mishap::Before => Err(Error::new(Fault::Connect, "hidden detail")),
            Mishap::After => {
                self.connection.exchange_as(commands, mode)?;
                Err(Error::new(Fault::Lost, "hidden detail"))
            }
            Mishap::Garbled => {
                self.connection.exchange_as(commands, mode)?;
                Err(Error::new(Fault::Malformed, "hidden detail"))
            }
            Mishap::Refused(place, line) => {
                let (before, after) = (&commands[..place], &commands[place + 1..]);
                let refusal = Value::ServerError(ServerError::new(line));
                let mut replies = self.connection.exchange_as(&[before, after].concat(), mode)?;
                replies.insert(place, refusal);
                Ok(replies)
            }
        }
    }
}

/// A command's name, and the script's when it is one.
fn name(command: &Cmd) -> String {
    let words: Vec<&str> = command.words().take(2).filter_map(|word| std::str::from_utf8(word).ok()).collect();
    let script = SCRIPTS
        .iter()
        .find(|script| words.get(1).is_some_and(|word| [script.function, script.sha1].contains(word) || *word == script.source()));
    script.map_or_else(
        || if words[0] == "FUNCTION" { words.join(" ") } else { words[0].into() },
        |script| format!("{} {}", words[0], script.name),
    )
}
