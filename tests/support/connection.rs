//! The adapter's RESP codec over a blocking TCP connection: what src/edge/tcp.rs is on Workers.

use std::cell::{Cell, OnceCell, RefCell};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use engine::adapter::resp::{self, Decoder, Request};
use engine::adapter::url::Tcp;
use engine::adapter::{Cmd, Error, Fault, Mode, Transport, Value, script};
use engine::store::scripts::LIBRARY;

use super::gateway::Gateway;

/// Longer than any command takes, so that a test ends when the server hangs.
const REPLY: Duration = Duration::from_secs(10);

/// Made when it is first needed, kept until it fails.
pub struct Connection {
    to: Tcp,
    open: RefCell<Option<TcpStream>>,
    /// What the engine's commands go through, see [`Gateway`].
    gateway: OnceCell<Option<Gateway>>,
    /// The engine speaks as another version, whose library has the same functions under another name, and a memo of its own.
    pub is_other_version: Cell<bool>,
}

impl Connection {
    pub fn new(to: Tcp) -> Self {
        Self { to, open: RefCell::new(None), gateway: OnceCell::new(), is_other_version: Cell::new(false) }
    }

    /// Sends commands in one write and reads their replies.
    pub fn exchange(&self, commands: &[Cmd]) -> Result<Vec<Value>, Error> {
        self.exchange_as(commands, Mode::Pipeline)
    }

    pub fn exchange_as(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
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

impl Transport for Connection {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let renamed: Vec<Cmd> = if self.is_other_version.get() { commands.iter().map(of_other_version).collect() } else { Vec::new() };
        let commands = if renamed.is_empty() { commands } else { &renamed };
        match self.gateway.get_or_init(|| Gateway::before(self.to.port)) {
            Some(gateway) => gateway.exchange(commands, mode),
            None => self.exchange_as(commands, mode),
        }
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
