//! A real Redis to which things happen on the way.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use engine::adapter::resp::Request;
use engine::adapter::url::RedisUrl;
use engine::adapter::{Cmd, Error, Fault, Mode, ServerError, Transport, Value};
use engine::store::scripts::SCRIPTS;
use serve::app::ports::Clock;

use crate::runtime::{Link, NativeRuntime};
use crate::support::Connection;

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

pub type FaultyRuntime = NativeRuntime<Faulty>;

pub struct Faulty {
    url: RedisUrl,
    /// What a send takes on the edge's clock.
    latency_ms: Cell<u32>,
    /// For the next sends, in order; later ones pass, unless Redis is out.
    mishaps: RefCell<VecDeque<Mishap>>,
    out: Cell<bool>,
    has_functions: Cell<bool>,
    /// The commands of each send: `FCALL record`.
    sent: RefCell<Vec<Vec<String>>>,
}

impl Faulty {
    pub fn new(url: RedisUrl) -> Self {
        let (latency_ms, mishaps, out, sent) = Default::default();
        Self { url, latency_ms, mishaps, out, has_functions: Cell::new(true), sent }
    }
}

impl FaultyRuntime {
    pub fn set_latency_ms(&self, ms: u32) {
        self.link().latency_ms.set(ms);
    }

    pub fn set_out(&self, out: bool) {
        self.link().out.set(out);
    }

    pub fn let_happen(&self, mishaps: &[Mishap]) {
        self.link().mishaps.borrow_mut().extend(mishaps);
    }

    /// Nothing more happens.
    pub fn forget_mishaps(&self) {
        self.link().mishaps.borrow_mut().clear();
    }

    /// The sends since the last time, as `FCALL record, FCALL record`; a transaction between `MULTI` and `EXEC`.
    pub fn take_sent(&self) -> Vec<String> {
        self.link().sent.take().into_iter().map(|commands| commands.join(", ")).collect()
    }
}

impl Link for Faulty {
    type Transport = Mishappen;

    fn open(runtime: &FaultyRuntime) -> Mishappen {
        Mishappen { runtime: runtime.clone(), connection: Connection::new(runtime.link().url.clone()) }
    }
}

/// A connection of one request, to which things happen.
pub struct Mishappen {
    runtime: FaultyRuntime,
    connection: Connection,
}

impl Transport for Mishappen {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let inner = self.runtime.link();
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

    fn has_functions(&self) -> bool {
        self.runtime.link().has_functions.get()
    }

    fn lacks_functions(&self, _error: &Error) {
        self.runtime.link().has_functions.set(false);
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
