//! A real redis-server of a test's own: on a free loopback port, on a clock of its own, keeping nothing on disk.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, process};

use engine::adapter::url::{RedisUrl, Tcp};
use engine::adapter::{Cmd, Value};

use super::clock::{Clock, until};
use super::connection::Connection;

/// A port that was free can be taken before it is used; then another one is tried.
const PORT_ATTEMPTS: usize = 5;

/// Killed when dropped.
pub struct Server {
    pub clock: Clock,
    child: Child,
    port: u16,
    folder: PathBuf,
    control: Connection,
    args: Vec<String>,
}

impl Server {
    /// A server at an instant (Unix milliseconds).
    pub fn start_at(unix_ms: i64) -> Self {
        Self::start_with(unix_ms, &[])
    }

    /// A server at an instant with more arguments.
    pub fn start_with(unix_ms: i64, args: &[&str]) -> Self {
        let program = program();
        for attempt in 1.. {
            let folder = new_folder();
            let clock = Clock::new(&folder);
            clock.set(unix_ms);
            let port = free_port();
            let child = launch(&program, port, &folder, &clock, args);
            let args = args.iter().map(|arg| (*arg).to_owned()).collect();
            let mut server = Self { clock, child, port, folder, control: Connection::new(address(port)), args };
            if server.answers() {
                // The clock went on while the server started.
                server.clock.set(unix_ms);
                return server;
            }
            let log = fs::read_to_string(server.folder.join("log")).unwrap_or_default();
            assert!(attempt < PORT_ATTEMPTS && log.contains("Address already in use"), "redis-server did not start:\n{log}");
        }
        unreachable!("it started or the test failed")
    }

    /// Ends the process and starts another one on what it held, on the same port.
    pub fn restart(&mut self) {
        self.save();
        self.start_again();
    }

    /// Keeps what the server holds, for [`Self::restore`].
    pub fn snapshot(&self) {
        self.save();
        fs::copy(self.folder.join("dump.rdb"), self.folder.join("kept.rdb")).expect("the folder is writable");
    }

    /// Ends the process and starts another one on what the last snapshot holds, on the same port.
    pub fn restore(&mut self) {
        fs::copy(self.folder.join("kept.rdb"), self.folder.join("dump.rdb")).expect("a snapshot was taken");
        self.start_again();
    }

    /// A replica that synchronizes lets the server save in the background, which refuses another save meanwhile.
    fn save(&self) {
        until("it saves", || {
            let replies = self.control.exchange(&[Cmd::new("SAVE")]).expect("redis-server answers");
            (replies == [Value::Okay]).then_some(())
        });
    }

    fn start_again(&mut self) {
        self.child.kill().expect("the child is ours");
        self.child.wait().expect("the child is ours");
        self.control = Connection::new(address(self.port));
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        self.child = launch(&program(), self.port, &self.folder, &self.clock, &args);
        assert!(self.answers(), "redis-server did not start again");
    }

    pub fn address(&self) -> Tcp {
        address(self.port)
    }

    /// Sends a command that must succeed.
    #[track_caller]
    pub fn command(&self, words: &[&str]) -> Value {
        let reply = self.control.exchange(&[words.iter().collect()]).expect("redis-server answers").pop().expect("one reply");
        assert!(!matches!(reply, Value::ServerError(_)), "{words:?}: {reply:?}");
        reply
    }

    /// A command whose reply is an integer.
    #[track_caller]
    pub fn number(&self, words: &[&str]) -> i64 {
        match self.command(words) {
            Value::Int(number) => number,
            other => panic!("{words:?}: {other:?}"),
        }
    }

    /// A command whose reply is a text.
    #[track_caller]
    pub fn text(&self, words: &[&str]) -> String {
        text(self.command(words))
    }

    /// A command whose reply is a list of texts.
    #[track_caller]
    pub fn texts(&self, words: &[&str]) -> Vec<String> {
        match self.command(words) {
            Value::Array(items) => items.into_iter().map(text).collect(),
            other => panic!("{words:?}: {other:?}"),
        }
    }

    /// The keys that match a pattern, sorted.
    pub fn keys(&self, pattern: &str) -> Vec<String> {
        let mut keys = self.texts(&["KEYS", pattern]);
        keys.sort();
        keys
    }

    /// A sorted set with its scores, by score, without the engine's marks.
    pub fn scores(&self, key: &str) -> Vec<(String, String)> {
        let flat = self.texts(&["ZRANGE", key, "0", "-1", "WITHSCORES"]);
        let pairs = flat.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone()));
        pairs.filter(|(member, _)| !member.starts_with('\0')).collect()
    }

    /// Waits until this server, and not another one on its port, answers; `false` when it ended.
    fn answers(&mut self) -> bool {
        until("redis-server answers", || {
            if self.child.try_wait().expect("the child is ours").is_some() {
                return Some(false);
            }
            let info = self.control.exchange(&[redis_info()]).ok()?.pop()?;
            let Value::BulkString(info) = info else { return None };
            String::from_utf8_lossy(&info).contains(&format!("process_id:{}\r\n", self.child.id())).then_some(true)
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn redis_info() -> Cmd {
    ["INFO", "server"].into_iter().collect()
}

fn text(value: Value) -> String {
    match value {
        Value::BulkString(bytes) => String::from_utf8(bytes).expect("UTF-8"),
        Value::SimpleString(text) => text,
        other => panic!("not a text: {other:?}"),
    }
}

fn address(port: u16) -> Tcp {
    match RedisUrl::parse(&format!("redis://127.0.0.1:{port}")) {
        Some(RedisUrl::Tcp(address)) => address,
        other => panic!("not a TCP address: {other:?}"),
    }
}

fn launch(program: &Path, port: u16, folder: &Path, clock: &Clock, args: &[&str]) -> Child {
    let log = File::create(folder.join("log")).expect("the folder is writable");
    let mut command = Command::new(program);
    command.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]).arg("--port").arg(port.to_string()).arg("--dir").arg(folder);
    // Its thread sleeps until an instant of the clock: where that lies behind the true time, it never sleeps, and takes a processor.
    command.args(["--jemalloc-bg-thread", "no"]);
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

pub fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has free ports");
    listener.local_addr().expect("it is bound").port()
}

fn new_folder() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let folder = env::temp_dir().join(format!("edgeboard-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    folder
}
