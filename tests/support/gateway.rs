//! The engine's commands over Upstash's REST protocol, where `EDGEBOARD_NODE` names a Node: the gateway that the worker's tests use, in front of
//! the test's own redis-server.

use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use engine::adapter::{Cmd, Error, Fault, Mode, Value, rest};

/// Ended when dropped.
pub struct Gateway {
    child: Child,
    port: u16,
    token: String,
}

impl Gateway {
    /// One in front of the Redis on a port, where the tests are to go this way.
    pub fn before(redis: u16) -> Option<Self> {
        let node = env::var_os("EDGEBOARD_NODE")?;
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/gateway-server.mjs");
        let mut command = Command::new(node);
        command.arg(program).arg(redis.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("EDGEBOARD_NODE is a program");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut line).expect("it prints where it is");
        let (port, token) = line.trim().split_once(' ').expect("a port and a token");
        Some(Self { port: port.parse().expect("a port"), token: token.into(), child })
    }

    /// Sends commands in one request.
    pub fn exchange(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let lost = |error: std::io::Error| Error::new(Fault::Lost, error.to_string());
        let post = rest::encode(commands, mode)?;
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(lost)?;
        // Of HTTP 1.0, a body ends with its connection.
        let head = format!(
            "POST {} HTTP/1.0\r\nauthorization: Bearer {}\r\nupstash-encoding: base64\r\ncontent-length: {}\r\n\r\n",
            post.path,
            self.token,
            post.body.len()
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(post.body.as_bytes())).map_err(lost)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).map_err(lost)?;
        let cut = || Error::new(Fault::Lost, "the gateway closed the connection");
        let ends = answer.windows(4).position(|four| four == b"\r\n\r\n").ok_or_else(cut)?;
        let status = std::str::from_utf8(&answer[..ends]).ok().and_then(|head| head.split(' ').nth(1)?.parse().ok()).ok_or_else(cut)?;
        rest::decode(commands.len(), status, &answer[ends + 4..])
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
