//! One connection for many trips at once: each is written when it is asked for, and reads its replies after the trip before it.
//!
//! The Durable Object that gathers events sends all of its groups over one.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use engine::adapter::resp::{self, Decoder, Request};
use engine::adapter::{Cmd, Error, Fault, Mode, Transport, Value};
use futures_channel::oneshot;

use super::socket::Socket;
use super::tcp::{Connection, REPLY_MS};

/// A connection that is made when it is first needed, and anew when it failed. What fails one trip fails all that were written after it:
/// no reply reaches another one's sender.
pub struct Pipeline {
    connection: Connection,
    line: RefCell<Option<Rc<Line>>>,
}

struct Line {
    socket: Socket,
    /// Whether the server answered: it took the handshake.
    is_ready: Cell<bool>,
    /// How many trips are not written yet: those wait until the server answered.
    unwritten: Cell<usize>,
    /// How many are written and not answered.
    away: Cell<usize>,
    /// When the last one has its replies: what was read beyond them. Nothing ever when it failed.
    last: RefCell<Option<Turn>>,
}

/// What a trip read.
struct Read {
    /// A transaction that was refused is an error, and the connection is as good as before.
    answers: Result<Vec<Value>, Error>,
    beyond: Vec<u8>,
}

type Turn = oneshot::Receiver<Vec<u8>>;

impl Pipeline {
    pub fn new(connection: Connection) -> Self {
        Self { connection, line: RefCell::default() }
    }

    fn line(&self) -> Result<Rc<Line>, Error> {
        let mut line = self.line.borrow_mut();
        if let Some(line) = &*line {
            return Ok(Rc::clone(line));
        }
        let socket = self.connection.connect()?;
        let (is_ready, unwritten, away, last) = Default::default();
        Ok(Rc::clone(line.insert(Rc::new(Line { socket, is_ready, unwritten, away, last }))))
    }

    fn give_up(&self, line: &Rc<Line>) {
        line.socket.close();
        self.line.borrow_mut().take_if(|current| Rc::ptr_eq(current, line));
    }

    /// 1. The first trip of a connection goes with the handshake, and those that come meanwhile wait for it.
    /// 2. Any other is written at once, and waits until the one before it has its replies.
    /// 3. What is read beyond its own replies belongs to the next.
    async fn converse(&self, line: &Line, before: Option<Turn>, commands: &[Cmd], mode: Mode) -> Result<Read, Error> {
        let Some(before) = before else {
            let answers = self.connection.converse_first(&line.socket, commands, mode).await?;
            return Ok(Read { answers: Ok(answers), beyond: Vec::new() });
        };
        let before = if line.is_ready.get() && line.unwritten.get() == 0 {
            Ok(before)
        } else {
            line.unwritten.set(line.unwritten.get() + 1);
            let turn = before.await;
            line.unwritten.set(line.unwritten.get() - 1);
            Err(turn.map_err(|_| Error::new(Fault::Connect, "the connection failed before this was sent"))?)
        };
        let request = Request::new(commands, mode);
        line.socket.write(&resp::encode(request.sent()), REPLY_MS);
        line.away.set(line.away.get() + 1);
        let rest = match before {
            Ok(before) => before.await.map_err(|_| Error::new(Fault::Lost, "the connection failed in a trip before this one")),
            Err(rest) => Ok(rest),
        };
        let mut decoder = Decoder::new(request.sent().count());
        let replies = match rest {
            Ok(rest) => self.connection.replies(&line.socket, &mut decoder, Ok(Some(rest))).await,
            Err(error) => Err(error),
        };
        line.away.set(line.away.get() - 1);
        Ok(Read { answers: request.answers(replies?), beyond: decoder.beyond() })
    }
}

/// An object does not end: what it left open would stay so until memory is collected.
impl Drop for Pipeline {
    fn drop(&mut self) {
        if let Some(line) = self.line.take() {
            line.socket.close();
        }
    }
}

impl Transport for Pipeline {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let line = self.line()?;
        let (done, turn) = oneshot::channel();
        let before = line.last.replace(Some(turn));
        let Read { answers, beyond } = self.converse(&line, before, commands, mode).await.inspect_err(|_| self.give_up(&line))?;
        let is_malformed = answers.as_ref().is_err_and(|error| error.fault == Fault::Malformed);
        // What nobody asked for must not be taken for another one's replies.
        if is_malformed || (!beyond.is_empty() && line.away.get() == 0) {
            self.give_up(&line);
        } else {
            line.is_ready.set(true);
            // The next request takes it.
            drop(done.send(beyond));
        }
        answers
    }
}
