//! The transport that `REDIS_URL` names, or `ARCHIVE_REDIS_URL`.

use std::cell::Cell;
use std::rc::Rc;

use engine::adapter::url::{RedisUrl, Tcp};
use engine::adapter::{Breaker, Cmd, Error, Invocation, Mode, Transport, Value};

use super::now_ms;
use super::pipeline::Pipeline;
use super::rest::Rest;
use super::settings::Settings;
use super::tcp::Connection;
use crate::app::memory::Memory;
use crate::app::{failed_script, without_functions};

/// For how long no library is sent to a Redis that took none, since its memory is full or it is a replica.
const LIBRARY_RESTS_MS: u64 = 10_000;

/// Where Redis is, for all of an isolate, and whether it hangs.
pub struct Redis {
    place: Place,
    breaker: Rc<Breaker>,
    functions: Rc<Functions>,
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
    Tcp(Tcp),
    Rest(Rest),
}

impl Redis {
    /// `token` is for REST.
    pub fn of(url: RedisUrl, token: &str) -> Self {
        let place = match url {
            RedisUrl::Tcp(to) => Place::Tcp(to),
            RedisUrl::Rest(endpoint) => Place::Rest(Rest::new(&endpoint, token)),
        };
        Self { place, breaker: Rc::default(), functions: Rc::default() }
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
    breaker: Rc<Breaker>,
    functions: Rc<Functions>,
    memory: Rc<Memory>,
}

enum Way {
    Tcp(Connection),
    Pipelined(Pipeline),
    Rest(Rest),
}

impl EdgeTransport {
    pub fn new(settings: &Settings) -> Self {
        Self::to(&settings.redis, Rc::clone(&settings.handshake_accepted), settings)
    }

    /// For an object, whose trips share one connection.
    pub fn pipelined(settings: &Settings) -> Self {
        let to_redis = Self::new(settings);
        match to_redis.way {
            Way::Tcp(connection) => Self { way: Way::Pipelined(Pipeline::new(connection)), ..to_redis },
            _ => to_redis,
        }
    }

    /// To a Redis that may be another one than the deployment's.
    pub fn to(redis: &Redis, handshake_accepted: Rc<Cell<bool>>, settings: &Settings) -> Self {
        let way = match &redis.place {
            Place::Tcp(to) => Way::Tcp(Connection::new(to.clone(), handshake_accepted)),
            Place::Rest(rest) => Way::Rest(rest.clone()),
        };
        let (breaker, functions) = (Rc::clone(&redis.breaker), Rc::clone(&redis.functions));
        Self { way, breaker, functions, memory: Rc::clone(&settings.memory) }
    }
}

impl Transport for EdgeTransport {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let asked_at_ms = now_ms();
        self.breaker.admit(asked_at_ms)?;
        let answers = match &self.way {
            Way::Tcp(connection) => connection.send(commands, mode).await,
            Way::Pipelined(pipeline) => pipeline.send(commands, mode).await,
            Way::Rest(rest) => rest.send(commands, mode).await,
        };
        let answered_at_ms = now_ms();
        self.breaker.learn(asked_at_ms, answered_at_ms, answers.is_ok());
        self.memory.counters.add_trip(commands, answered_at_ms.saturating_sub(asked_at_ms), answers.as_ref().err());
        answers
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
