//! A process of redis-server: on free loopback ports, keeping nothing on disk but what a test has it save.

use std::env;
use std::fs::{self, File};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use engine::adapter::url::Tcp;
use engine::adapter::{Cmd, Value};

use super::clock::{Clock, until};
use super::connection::Socket;

/// The arguments with which it takes `DEBUG`.
pub const DEBUGGED: &[&str] = &["--enable-debug-command", "yes"];

/// Each key with its expiry.
const EXPIRIES: &str = "
local expiries = {}
for _, key in ipairs(redis.call('KEYS', '*')) do expiries[#expiries + 1] = key .. ' ' .. redis.call('PEXPIRETIME', key) end
table.sort(expiries)
return table.concat(expiries, ', ')";

/// Killed when dropped.
pub struct Node {
    pub port: u16,
    child: Child,
    folder: PathBuf,
    control: Socket,
    args: Vec<String>,
}

impl Node {
    /// It has a folder of its own, which is made.
    pub fn start(clock: &Clock, port: u16, folder: PathBuf, args: &[&str]) -> Self {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let child = launch(clock, port, &folder, &args);
        Self { port, child, folder, control: Socket::new(loopback(port)), args }
    }

    /// Waits until this process, and not another one on its port, answers; `false` when it ended.
    pub fn answers(&mut self) -> bool {
        until("redis-server answers", || {
            if self.child.try_wait().expect("the child is ours").is_some() {
                return Some(false);
            }
            let info = self.control.exchange(&[["INFO", "server"].into_iter().collect()]).ok()?.pop()?;
            let Value::BulkString(info) = info else { return None };
            String::from_utf8_lossy(&info).contains(&format!("process_id:{}\r\n", self.child.id())).then_some(true)
        })
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// Sends a command that must succeed.
    #[track_caller]
    pub fn command(&self, words: &[&str]) -> Value {
        let reply = self.control.exchange(&[words.iter().collect()]).expect("redis-server answers").pop().expect("one reply");
        assert!(!matches!(reply, Value::ServerError(_)), "{words:?}: {reply:?}");
        reply
    }

    /// What it holds, to be compared: a digest of the data, with what expired and was not dropped yet, when keys expire, and the libraries.
    pub fn holds(&self) -> Vec<String> {
        let commands: [Cmd; 4] = [
            // A replica of a cluster answers what reads keys when it is asked so.
            Cmd::new("READONLY"),
            ["DEBUG", "DIGEST"].into_iter().collect(),
            ["EVAL_RO", EXPIRIES, "0"].into_iter().collect(),
            ["FUNCTION", "LIST", "WITHCODE"].into_iter().collect(),
        ];
        let mut replies = self.control.exchange(&commands).expect("redis-server answers");
        let Some(Value::Array(libraries)) = replies.pop() else { panic!("{replies:?}") };
        let of_data = replies.into_iter().skip(1);
        let code = |library| match library {
            Value::Array(mut fields) => fields.pop().expect("the last one is its code"),
            other => panic!("not a library: {other:?}"),
        };
        let mut held: Vec<String> = of_data.chain(libraries.into_iter().map(code)).map(text).collect();
        held.sort();
        held
    }

    /// A replica that synchronizes lets the server save in the background, which refuses another save meanwhile.
    pub fn save(&self) {
        until("it saves", || {
            let replies = self.control.exchange(&[Cmd::new("SAVE")]).expect("redis-server answers");
            (replies == [Value::Okay]).then_some(())
        });
    }

    /// Keeps what it saved, for [`Self::put_back`].
    pub fn keep(&self) {
        fs::copy(self.folder.join("dump.rdb"), self.folder.join("kept.rdb")).expect("the folder is writable");
    }

    /// Has the next process begin with what was kept.
    pub fn put_back(&self) {
        fs::copy(self.folder.join("kept.rdb"), self.folder.join("dump.rdb")).expect("a snapshot was taken");
    }

    /// Ends the process and starts another one on what it saved, on the same port.
    pub fn start_again(&mut self, clock: &Clock) {
        self.child.kill().expect("the child is ours");
        self.child.wait().expect("the child is ours");
        self.control = Socket::new(loopback(self.port));
        let args = [&self.args[..], &["--repl-diskless-sync".into(), "yes".into()]].concat();
        self.child = launch(clock, self.port, &self.folder, &args);
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn launch(clock: &Clock, port: u16, folder: &PathBuf, args: &[String]) -> Child {
    let log = File::create(folder.join("log")).expect("the folder is writable");
    let program = program();
    let mut command = Command::new(&program);
    command.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]).arg("--port").arg(port.to_string()).arg("--dir").arg(folder);
    // Its thread sleeps until an instant of the clock: where that lies behind the true time, it never sleeps, and takes a processor.
    command.args(["--jemalloc-bg-thread", "no"]);
    // Before 8.1.5 Valkey crashes at times when it gets functions while others are freed in the background, as it does by default.
    command.args(["--replica-lazy-flush", "no", "--lazyfree-lazy-user-flush", "no"]);
    // A replica waits for no other one.
    command.args(["--repl-diskless-sync-delay", "0"]);
    command.args(args).stdin(Stdio::null()).stdout(log.try_clone().expect("the log is open")).stderr(log);
    clock.preload(&mut command);
    command.spawn().unwrap_or_else(|error| panic!("{}: {error}", program.display()))
}

/// `REDIS_SERVER`, or the first redis-server on `PATH`.
fn program() -> PathBuf {
    let named = env::var_os("REDIS_SERVER").filter(|path| !path.is_empty()).map(PathBuf::from);
    let on_path = || env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join("redis-server")).find(|path| path.is_file());
    match named.or_else(on_path) {
        Some(path) if path.is_file() => path,
        Some(path) => panic!("REDIS_SERVER is {}, which is not there", path.display()),
        None => panic!("no redis-server on PATH; npm test installs it; by hand: apt-get install redis-server"),
    }
}

pub fn loopback(port: u16) -> Tcp {
    Tcp { tls: false, host: "127.0.0.1".into(), port, user: None, password: None, database: 0 }
}

pub fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has free ports");
    listener.local_addr().expect("it is bound").port()
}

pub fn text(value: Value) -> String {
    match value {
        Value::BulkString(bytes) => String::from_utf8(bytes).expect("UTF-8"),
        Value::SimpleString(text) => text,
        other => panic!("not a text: {other:?}"),
    }
}
