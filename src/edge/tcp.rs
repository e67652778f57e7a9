//! RESP over the runtime's TCP sockets.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use engine::adapter::resp::{self, Decoder, Request};
use engine::adapter::url::Tcp;
use engine::adapter::{Applied, Cmd, Error, Fault, Mode, Transport, Value, script};

use super::socket::Socket;

/// Name, TCP and TLS.
const CONNECT_MS: u32 = 2_000;
/// All commands of a send.
pub const REPLY_MS: u32 = 3_000;

/// Connections: one that is made when it is first needed and kept for further trips, until one of them fails. A trip that finds it away
/// makes another one.
pub struct Connection {
    to: Tcp,
    /// Whether the server accepted the handshake the last time, from any request of this isolate.
    handshake_accepted: Rc<Cell<bool>>,
    /// Those that no trip uses.
    idle: RefCell<Vec<Socket>>,
}

impl Connection {
    pub fn new(to: Tcp, handshake_accepted: Rc<Cell<bool>>) -> Self {
        Self { to, handshake_accepted, idle: RefCell::default() }
    }

    pub fn connect(&self) -> Result<Socket, Error> {
        let Tcp { host, port, tls, .. } = &self.to;
        Socket::open(host, *port, *tls).map_err(|detail| self.failed(&detail))
    }

    fn failed(&self, detail: &str) -> Error {
        Error::new(Fault::Connect, format!("{:?}: {detail}", self.to))
    }

    /// Sends bytes and reads as many replies as are wanted, in bounded time.
    async fn exchange(&self, socket: &Socket, bytes: Vec<u8>, wanted: usize) -> Result<Vec<Value>, Error> {
        let mut decoder = Decoder::new(wanted);
        let asked = socket.exchange(&bytes, CONNECT_MS, REPLY_MS);
        drop(bytes);
        self.replies(socket, &mut decoder, asked.await).await
    }

    /// The replies that a decoder wants, of what was read and what comes next.
    pub async fn replies(
        &self,
        socket: &Socket,
        decoder: &mut Decoder,
        mut read: Result<Option<Vec<u8>>, String>,
    ) -> Result<Vec<Value>, Error> {
        loop {
            let ended = match read {
                Ok(Some(bytes)) => {
                    if let Some(replies) = decoder.push(&bytes)? {
                        return Ok(replies);
                    }
                    read = socket.read().await;
                    continue;
                }
                Ok(None) => "the server closed the connection".to_owned(),
                Err(detail) if !socket.is_open() => return Err(self.failed(&detail)),
                Err(detail) => detail,
            };
            // A server that hangs up at once may have answered why.
            return Err(decoder.handshake_refusal().unwrap_or_else(|| Error::new(Fault::Lost, ended)));
        }
    }
}

/// What a request opened the runtime closes when the request ends. An object does not end: what it left open would stay so until memory
/// is collected, and keep it from sleeping.
impl Drop for Connection {
    fn drop(&mut self) {
        for socket in self.idle.take() {
            socket.close();
        }
    }
}

impl Transport for Connection {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let idle = self.idle.borrow_mut().pop();
        let (socket, mut handshake) = match idle {
            Some(socket) => (socket, Vec::new()),
            None => (self.connect()?, resp::handshake(&self.to)),
        };
        let answers = self.converse(&socket, &mut handshake, commands, mode).await;
        match &answers {
            Ok(_) => self.idle.borrow_mut().push(socket),
            // Replies that come late must not be taken for those of what is sent next.
            Err(_) => socket.close(),
        }
        answers
    }
}

impl Connection {
    /// Sends commands over a new connection, after the handshake.
    ///
    /// # Errors
    /// Those of a send.
    pub async fn converse_first(&self, socket: &Socket, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        self.converse(socket, &mut resp::handshake(&self.to), commands, mode).await
    }

    async fn converse(&self, socket: &Socket, handshake: &mut Vec<Cmd>, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        // A server that refuses the handshake still does what comes after it: as another user, in another database. So until
        // it has accepted the handshake once, nothing comes after it.
        if !handshake.is_empty() && !self.handshake_accepted.get() {
            let replies = self.exchange(socket, resp::encode(&*handshake), handshake.len()).await?;
            replies.into_iter().try_for_each(|reply| script::reply(reply).map(drop))?;
            handshake.clear();
        }
        let request = Request::new(commands, mode);
        let bytes = resp::encode(handshake.iter().chain(request.sent()));
        let mut replies = self.exchange(socket, bytes, handshake.len() + request.sent().count()).await?;
        let answers = request.answers(replies.split_off(handshake.len()));
        if let Some(error) = replies.iter().find_map(script::refusal) {
            self.handshake_accepted.set(false);
            let done = match answers {
                Ok(answers) => answers.iter().any(|reply| script::refusal(reply).is_none()),
                Err(error) => error.applied() != Applied::No,
            };
            return Err(if done { Error { fault: Fault::Malformed, ..error } } else { error });
        }
        self.handshake_accepted.set(true);
        answers
    }
}
