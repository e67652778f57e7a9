//! The adapter's RESP codec over blocking TCP connections: what src/edge/tcp.rs is on Workers.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use engine::adapter::cluster::{Cluster, Known, Nodes};
use engine::adapter::resp::{self, Decoder, Request};
use engine::adapter::slots::Address;
use engine::adapter::transport::Servers;
use engine::adapter::url::{RedisUrl, Tcp};
use engine::adapter::{Cmd, Error, Fault, Mode, Transport, Value, script};
use engine::store::scripts::LIBRARY;

use super::gateway::Gateway;
use super::node::loopback;

/// Longer than any command takes, so that a test ends when the server hangs.
const REPLY: Duration = Duration::from_secs(10);

/// The engine's way to Redis.
pub struct Connection {
    way: Way,
    /// The engine speaks as another version, whose library has the same functions under another name, and a memo of its own.
    pub is_other_version: Cell<bool>,
    /// Else the engine runs scripts, as where the server has no functions.
    pub has_functions: Cell<bool>,
}

enum Way {
    /// With what the engine's commands go through, see [`Gateway`].
    Server(Socket, OnceCell<Option<Gateway>>),
    Cluster(Cluster<Sockets>),
}

impl Connection {
    pub fn new(to: RedisUrl) -> Self {
        let way = match to {
            RedisUrl::Tcp(to) => Way::Server(Socket::new(to), OnceCell::new()),
            RedisUrl::Cluster(seeds) => {
                let seeds = seeds.iter().map(|seed| Address::new(&seed.host, seed.port)).collect();
                Way::Cluster(Cluster::new(Sockets::new(), Rc::new(Known::new(seeds))))
            }
            RedisUrl::Rest(url) => panic!("{url} is no redis-server"),
        };
        Self { way, is_other_version: Cell::new(false), has_functions: Cell::new(true) }
    }

    /// Sends commands in one write to each server and reads their replies.
    pub fn exchange(&self, commands: &[Cmd]) -> Result<Vec<Value>, Error> {
        self.exchange_as(commands, Mode::Pipeline)
    }

    pub fn exchange_as(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        match &self.way {
            Way::Server(socket, _) => socket.exchange_as(commands, mode),
            Way::Cluster(cluster) => pollster::block_on(cluster.send(commands, mode)),
        }
    }

    /// Commands as the engine's version speaks them.
    fn spoken<'c>(&self, commands: &'c [Cmd]) -> Cow<'c, [Cmd]> {
        if self.is_other_version.get() { commands.iter().map(of_other_version).collect() } else { commands.into() }
    }
}

impl Transport for Connection {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let commands = self.spoken(commands);
        match &self.way {
            Way::Server(socket, gateway) => match gateway.get_or_init(|| Gateway::before(socket.to.port)) {
                Some(gateway) => gateway.exchange(&commands, mode),
                None => socket.exchange_as(&commands, mode),
            },
            Way::Cluster(cluster) => cluster.send(&commands, mode).await,
        }
    }

    async fn send_to_servers_of(&self, commands: &[Cmd], command: Cmd) -> Result<Vec<Value>, Error> {
        match &self.way {
            Way::Server(..) => self.send(&[command], Mode::Pipeline).await,
            Way::Cluster(cluster) => cluster.send_to_servers_of(commands, self.spoken(&[command])[0].clone()).await,
        }
    }

    async fn servers(&self) -> Result<Servers, Error> {
        match &self.way {
            Way::Server(socket, _) => socket.servers().await,
            Way::Cluster(cluster) => cluster.servers().await,
        }
    }

    fn is_cluster(&self) -> bool {
        matches!(self.way, Way::Cluster(_))
    }

    fn has_functions(&self) -> bool {
        self.has_functions.get()
    }
}

/// The connections of a cluster.
struct Sockets {
    since: Instant,
}

impl Sockets {
    #[expect(clippy::disallowed_methods, reason = "a cluster waits for its nodes in true time")]
    fn new() -> Self {
        Self { since: Instant::now() }
    }
}

impl Nodes for Sockets {
    type Node = Socket;

    fn open(&self, to: &Address) -> Socket {
        Socket::new(loopback(to.port))
    }

    async fn pause(&self, ms: u32) {
        thread::sleep(Duration::from_millis(ms.into()));
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.since.elapsed().as_millis()).expect("a time of this program")
    }

    fn has_relays(&self) -> bool {
        false
    }

    async fn relay(&self, _part: usize, _message: Vec<u8>) -> Result<Vec<u8>, Error> {
        Err(Error::new(Fault::Connect, "there are no relays"))
    }
}

/// A connection to one server, made when it is first needed, kept until it fails.
pub struct Socket {
    to: Tcp,
    open: RefCell<Option<TcpStream>>,
}

impl Socket {
    pub fn new(to: Tcp) -> Self {
        Self { to, open: RefCell::new(None) }
    }

    /// Sends commands in one write and reads their replies.
    pub fn exchange(&self, commands: &[Cmd]) -> Result<Vec<Value>, Error> {
        self.exchange_as(commands, Mode::Pipeline)
    }

    fn exchange_as(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let held = self.open.borrow_mut().take();
        let (mut stream, handshake) = match held {
            Some(stream) => (stream, Vec::new()),
            None => (self.connect()?, resp::handshake(&self.to)),
        };
        let request = Request::new(commands, mode);
        let bytes = resp::encode(handshake.iter().chain(request.sent()));
        let mut replies = talk(&mut stream, &bytes, handshake.len() + request.sent().count())?;
        *self.open.borrow_mut() = Some(stream);
        let answers = replies.split_off(handshake.len());
        replies.into_iter().try_for_each(|reply| script::reply(reply).map(drop))?;
        request.answers(answers)
    }

    fn connect(&self) -> Result<TcpStream, Error> {
        let failed = |error: std::io::Error| Error::new(Fault::Connect, error.to_string());
        let stream = TcpStream::connect((self.to.host.as_str(), self.to.port)).map_err(failed)?;
        stream.set_read_timeout(Some(REPLY)).map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        Ok(stream)
    }
}

impl Transport for Socket {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        self.exchange_as(commands, mode)
    }
}

/// A command with another name of the library, of as many bytes.
fn of_other_version(command: &Cmd) -> Cmd {
    const OTHER: &[u8] = b"eb_000000000000";
    let name = LIBRARY.name.as_bytes();
    let mut other = Cmd::default();
    for word in command.words() {
        let mut word = word.to_vec();
        let mut at = 0;
        while let Some(found) = word[at..].windows(name.len()).position(|part| part == name) {
            word[at + found..at + found + name.len()].copy_from_slice(OTHER);
            at += found + name.len();
        }
        other.arg(word);
    }
    other
}

fn talk(stream: &mut TcpStream, bytes: &[u8], wanted: usize) -> Result<Vec<Value>, Error> {
    let lost = |error: std::io::Error| Error::new(Fault::Lost, error.to_string());
    stream.write_all(bytes).map_err(lost)?;
    let mut decoder = Decoder::new(wanted);
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let count = stream.read(&mut buffer).map_err(lost)?;
        if count == 0 {
            return Err(Error::new(Fault::Lost, "the server closed the connection"));
        }
        if let Some(replies) = decoder.push(&buffer[..count])? {
            return Ok(replies);
        }
    }
}
