//! RESP over the runtime's TCP sockets.

use std::cell::Cell;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use worker::{SecureTransport, Socket};

use super::timeout::within;
use crate::adapter::resp::{self, Decoder};
use crate::adapter::url::Tcp;
use crate::adapter::{Cmd, Error, Fault, Transport, Value, script};

/// Name, TCP and TLS.
const CONNECT_MS: u64 = 2_000;
/// All commands of a send.
const REPLY_MS: u64 = 3_000;

/// A connection that is made when it is first needed and kept for the request's further trips.
pub struct Connection {
    to: Tcp,
    open: Cell<Option<Socket>>,
}

impl Connection {
    pub fn new(to: Tcp) -> Self {
        Self { to, open: Cell::new(None) }
    }

    async fn connect(&self) -> Result<Socket, Error> {
        let failed = |detail: String| Error::new(Fault::Connect, format!("{:?}: {detail}", self.to));
        let security = if self.to.tls { SecureTransport::On } else { SecureTransport::Off };
        let socket = Socket::builder()
            .secure_transport(security)
            .connect(self.to.host.clone(), self.to.port)
            .map_err(|error| failed(error.to_string()))?;
        match within(CONNECT_MS, socket.opened()).await {
            Some(Ok(_)) => Ok(socket),
            Some(Err(error)) => Err(failed(error.to_string())),
            None => Err(failed(format!("no connection within {CONNECT_MS} ms"))),
        }
    }
}

impl Transport for Connection {
    async fn send(&self, commands: &[Cmd]) -> Result<Vec<Value>, Error> {
        let (mut socket, greeting) = match self.open.take() {
            Some(socket) => (socket, Vec::new()),
            None => (self.connect().await?, resp::greeting(&self.to)),
        };
        let bytes = resp::encode(greeting.iter().chain(commands));
        let wanted = greeting.len() + commands.len();
        let lost = |detail: String| Error::new(Fault::Lost, detail);
        let replies = within(REPLY_MS, exchange(&mut socket, &bytes, wanted)).await;
        let mut replies = replies.unwrap_or_else(|| Err(lost(format!("no reply within {REPLY_MS} ms"))))?;
        self.open.set(Some(socket));
        let answers = replies.split_off(greeting.len());
        replies.into_iter().try_for_each(|reply| script::reply(reply).map(drop))?;
        Ok(answers)
    }
}

async fn exchange(socket: &mut Socket, bytes: &[u8], wanted: usize) -> Result<Vec<Value>, Error> {
    let lost = |error: std::io::Error| Error::new(Fault::Lost, error.to_string());
    socket.write_all(bytes).await.map_err(lost)?;
    socket.flush().await.map_err(lost)?;
    let mut decoder = Decoder::new(wanted);
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let count = socket.read(&mut buffer).await.map_err(lost)?;
        if count == 0 {
            return Err(Error::new(Fault::Lost, "the server closed the connection"));
        }
        if let Some(replies) = decoder.push(&buffer[..count])? {
            return Ok(replies);
        }
    }
}
