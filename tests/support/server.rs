//! A real Redis of a test's own, on a clock of its own: one redis-server, or with `EDGEBOARD_TEST_CLUSTER=1` a cluster. What a test writes to
//! a cluster its replicas must have in the end.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, mem, process, thread};

use engine::adapter::Value;
use engine::adapter::url::RedisUrl;

use super::clock::{Clock, until};
use super::cluster;
use super::node::{DEBUGGED, Node, free_port, loopback, text};

/// A port that was free can be taken before it is used; then another one is tried.
const PORT_ATTEMPTS: usize = 5;
const HOUR_MS: i64 = 3_600_000;

/// Killed when dropped.
pub struct Server {
    pub clock: Clock,
    /// One, or the masters of a cluster in the order of their slots.
    nodes: Vec<Node>,
    /// Of each of them one. A server that stands alone has one when a test asks for it.
    replicas: Vec<Node>,
    folder: PathBuf,
}

impl Server {
    /// A server at an instant (Unix milliseconds).
    pub fn start_at(unix_ms: i64) -> Self {
        Self::start(unix_ms, &[], cluster::is_asked_for())
    }

    /// A server at an instant that takes `DEBUG`, as nodes of clusters do.
    pub fn start_debugged(unix_ms: i64) -> Self {
        Self::start(unix_ms, DEBUGGED, cluster::is_asked_for())
    }

    /// A cluster, however the tests run.
    pub fn start_cluster(unix_ms: i64) -> Self {
        Self::start(unix_ms, &[], true)
    }

    fn start(unix_ms: i64, args: &[&str], is_cluster: bool) -> Self {
        for attempt in 1.. {
            let folder = new_folder();
            let clock = Clock::new(&folder);
            clock.set(unix_ms);
            let [nodes, replicas] = if is_cluster {
                cluster::start(&clock, &folder)
            } else {
                [vec![Node::start(&clock, free_port(), folder.clone(), args)], Vec::new()]
            };
            let mut server = Self { clock, nodes, replicas, folder };
            let Some(log) = server.log_of_an_end() else {
                server.serve_at(unix_ms, unix_ms);
                // From now on a replica that synchronizes does not write over a snapshot.
                server.command(&["CONFIG", "SET", "repl-diskless-sync", "yes"]);
                return server;
            };
            // Nothing is asked of it any more.
            server.nodes.clear();
            assert!(attempt < PORT_ATTEMPTS && log.contains("Address already in use"), "redis-server did not start:\n{log}");
        }
        unreachable!("it started or the test failed")
    }

    /// Waits until all processes answer, or one of them ended: then this is its log.
    fn log_of_an_end(&mut self) -> Option<String> {
        self.nodes.iter_mut().chain(&mut self.replicas).find_map(|node| (!node.answers()).then(|| node.log()))
    }

    fn is_cluster(&self) -> bool {
        self.nodes.len() > 1
    }

    /// Sets the clock, which went on while the processes started. A cluster serves when some time has passed since another instant, that of its start.
    fn serve_at(&self, unix_ms: i64, mut started_ms: i64) {
        if self.is_cluster() {
            until("the cluster serves all slots", || {
                started_ms += cluster::WRITABLE_MS;
                self.clock.set(started_ms);
                self.nodes.iter().all(cluster::serves).then_some(())
            });
        }
        self.clock.set(unix_ms);
    }

    /// Ends the process and starts another one on what it held, on the same port.
    pub fn restart(&mut self) {
        self.nodes.iter().for_each(Node::save);
        self.start_again();
    }

    /// Keeps what the server holds, for [`Self::restore`].
    pub fn snapshot(&self) {
        self.nodes.iter().for_each(Node::save);
        self.nodes.iter().for_each(Node::keep);
    }

    /// Ends the process and starts another one on what the last snapshot holds, on the same port.
    pub fn restore(&mut self) {
        self.nodes.iter().for_each(Node::put_back);
        self.start_again();
    }

    fn start_again(&mut self) {
        let now_ms = self.now_ms();
        // Nothing expires while a cluster waits.
        let started_ms = if self.is_cluster() { now_ms - HOUR_MS } else { now_ms };
        self.clock.set(started_ms);
        self.nodes.iter_mut().for_each(|node| node.start_again(&self.clock));
        assert_eq!(self.log_of_an_end(), None, "redis-server did not start again");
        self.serve_at(now_ms, started_ms);
    }

    /// Loads what a snapshot holds into the running process, which is faster than another one: of now, or with `NOSAVE` the last one.
    pub fn reload(&self, which: &[&str]) {
        self.command(&[&["DEBUG", "RELOAD"], which].concat());
        if self.is_cluster() {
            // Its replica would go on from what it had.
            self.command(&["DEBUG", "CHANGE-REPL-ID"]);
            self.command(&["CLIENT", "KILL", "TYPE", "replica"]);
        }
    }

    /// Waits until all nodes have replicas that hold the same.
    pub fn replicate(&mut self) {
        if self.is_cluster() {
            // Where `part` was before.
            self.replicas.iter().for_each(|replica| drop(replica.command(&["CONFIG", "SET", "masterauth", ""])));
            for (master, replica) in self.nodes.iter().zip(&self.replicas) {
                until("a replica holds what its master holds", || (replica.holds() == master.holds()).then_some(()));
            }
            return;
        }
        let port = free_port();
        let folder = self.folder.join(port.to_string());
        fs::create_dir(&folder).expect("the folder is writable");
        let mut replica = Node::start(&self.clock, port, folder, DEBUGGED);
        assert!(replica.answers(), "the replica did not start:\n{}", replica.log());
        replica.command(&["REPLICAOF", "127.0.0.1", &self.port().to_string()]);
        let is_up = |info: Value| text(info).contains("master_link_status:up");
        until("the replica has it all", || is_up(replica.command(&["INFO", "replication"])).then_some(()));
        self.replicas = vec![replica];
    }

    /// Replicas get all there is, and from now on nothing more.
    pub fn part(&mut self) {
        self.replicate();
        if self.is_cluster() {
            // No master lets them in again.
            self.replicas.iter().for_each(|replica| drop(replica.command(&["CONFIG", "SET", "masterauth", "wrong"])));
            self.command(&["CLIENT", "KILL", "TYPE", "replica"]);
        } else {
            self.replicas[0].command(&["REPLICAOF", "NO", "ONE"]);
        }
    }

    /// Replicas that were parted take the places of their masters, with what they have.
    pub fn fail_over(&mut self) {
        if self.is_cluster() {
            cluster::fail_over(&mut self.nodes, &mut self.replicas);
        } else {
            self.nodes = mem::take(&mut self.replicas);
        }
    }

    /// What `REDIS_URL` would say.
    pub fn url(&self) -> RedisUrl {
        let to = self.nodes.iter().map(|node| loopback(node.port));
        if self.is_cluster() { RedisUrl::Cluster(to.collect()) } else { RedisUrl::Tcp(loopback(self.port())) }
    }

    /// The same of its replicas: a cluster knows its own ones.
    pub fn url_of_replicas(&self) -> RedisUrl {
        if self.is_cluster() {
            cluster::list_replicas(&self.nodes[0]);
            self.url()
        } else {
            RedisUrl::Tcp(loopback(self.replicas[0].port))
        }
    }

    /// Of the only server, or of a cluster's first one.
    pub fn port(&self) -> u16 {
        self.nodes[0].port
    }

    /// Sends a command that must succeed: to the node of its key, or to all of them.
    #[track_caller]
    pub fn command(&self, words: &[&str]) -> Value {
        let replies = cluster::nodes_of(&self.nodes, words).iter().map(|node| node.command(words));
        cluster::joined(replies.collect())
    }

    pub fn now_ms(&self) -> i64 {
        let time = self.texts(&["TIME"]);
        time[0].parse::<i64>().expect("seconds") * 1000 + time[1].parse::<i64>().expect("microseconds") / 1000
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
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.is_cluster() && !thread::panicking() {
            self.replicate();
        }
        self.nodes.clear();
        self.replicas.clear();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn new_folder() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let folder = env::temp_dir().join(format!("edgeboard-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    folder
}
