//! A cluster of three masters, each with a replica, and commands that tests send to it as to one server.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, mem};

use engine::adapter::slots::{Address, SlotMap, slot_of};
use engine::adapter::{Cmd, Value};

use super::clock::{Clock, until};
use super::node::{DEBUGGED, Node, free_port};

const MASTERS: usize = 3;
const SLOTS: u16 = 16_384;
/// A thousand years, longer than tests move clocks by: no node takes another one for gone.
const NODE_TIMEOUT_MS: &str = "31536000000000";
/// The longest that there is, 68 years. Beyond, replication ends and begins again.
const REPLICATION_TIMEOUT_S: &str = "2147483647";
/// Longer than a master refuses everything that starts: two seconds of its clock.
pub const WRITABLE_MS: i64 = 5_000;
/// Commands that name no key: what a node is asked about itself.
const OF_NODES: [&str; 11] = ["ACL", "CLIENT", "CONFIG", "DBSIZE", "DEBUG", "FLUSHALL", "FLUSHDB", "FUNCTION", "INFO", "KEYS", "SCRIPT"];

/// Whether tests run over clusters.
pub fn is_asked_for() -> bool {
    env::var("EDGEBOARD_TEST_CLUSTER").is_ok_and(|set| set == "1")
}

/// Masters with a third of the slots each, then the replica of each. Each knows of the others what a cluster would have agreed on.
pub fn start(clock: &Clock, folder: &Path) -> [Vec<Node>; 2] {
    let ports: Vec<[u16; 2]> = (0..2 * MASTERS).map(|_| [free_port(), free_port()]).collect();
    let each = ports.iter().enumerate();
    let mut masters: Vec<Node> = each
        .map(|(at, [port, bus])| {
            let folder = folder.join(at.to_string());
            fs::create_dir(&folder).expect("the folder is writable");
            fs::write(folder.join("nodes.conf"), nodes_conf(&ports, at)).expect("the folder is writable");
            let of_cluster = ["--cluster-enabled", "yes", "--cluster-port", &bus.to_string(), "--cluster-node-timeout", NODE_TIMEOUT_MS];
            // By a file, since what follows on a stream waits for up to a second.
            let of_replicas = ["--repl-timeout", REPLICATION_TIMEOUT_S, "--repl-diskless-sync", "no"];
            Node::start(clock, *port, folder, &[&of_cluster[..], &of_replicas, DEBUGGED].concat())
        })
        .collect();
    let replicas = masters.split_off(MASTERS);
    [masters, replicas]
}

/// What a node keeps of its cluster: <https://redis.io/docs/latest/commands/cluster-nodes/>. Without its shard, which Redis 7.0 takes for a host
/// name, a replica gets one at random, and later versions do not start again with another one than its master's.
fn nodes_conf(ports: &[[u16; 2]], own: usize) -> String {
    let mut lines = format!("vars currentEpoch {MASTERS} lastVoteEpoch 0\n");
    for (at, [port, bus]) in ports.iter().enumerate() {
        let (id, place) = (at + 1, at % MASTERS);
        let shard = place + 1;
        let (role, slots) = if at < MASTERS {
            ("master -".into(), format!(" {}-{}", first_slot(place), first_slot(place + 1) - 1))
        } else {
            (format!("slave {shard:040x}"), String::new())
        };
        let myself = if at == own { "myself," } else { "" };
        writeln!(lines, "{id:040x} 127.0.0.1:{port}@{bus},,shard-id={shard:040x} {myself}{role} 0 0 {shard} connected{slots}")
            .expect("a text grows");
    }
    lines
}

fn first_slot(place: usize) -> u16 {
    u16::try_from((place * usize::from(SLOTS)).div_ceil(MASTERS)).expect("16,384 at most")
}

/// Replicas take the places of their masters, which become their replicas, one after the other.
pub fn fail_over(masters: &mut [Node], replicas: &mut [Node]) {
    for place in 0..MASTERS {
        mem::swap(&mut masters[place], &mut replicas[place]);
        masters[place].command(&["CLUSTER", "FAILOVER", "TAKEOVER"]);
        until("all nodes know the new master", || masters.iter().chain(&*replicas).all(|node| knows(node, masters)).then_some(()));
    }
}

/// Has a node list all replicas. It lists one that it has heard of since that replicates, and asks one node each second, or sooner those that
/// were silent for half the time they may be.
pub fn list_replicas(node: &Node) {
    node.command(&["CONFIG", "SET", "cluster-node-timeout", "2000"]);
    let lists_all = || {
        let map = map_of(node);
        serves(node) && (0..MASTERS).all(|place| !map.replicas_of(first_slot(place)).is_empty())
    };
    until("it lists all replicas", || lists_all().then_some(()));
    node.command(&["CONFIG", "SET", "cluster-node-timeout", NODE_TIMEOUT_MS]);
}

/// Whether a node knows who the masters are.
fn knows(node: &Node, masters: &[Node]) -> bool {
    let map = map_of(node);
    masters.iter().enumerate().all(|(place, master)| map.node_of(first_slot(place)).is_some_and(|address| address.port == master.port))
}

fn map_of(node: &Node) -> SlotMap {
    SlotMap::read(node.command(&["CLUSTER", "SLOTS"]), &Address::new("127.0.0.1", node.port)).expect("a map")
}

pub fn serves(node: &Node) -> bool {
    matches!(node.command(&["CLUSTER", "INFO"]), Value::BulkString(info) if info.starts_with(b"cluster_state:ok"))
}

/// The nodes that a command is for.
pub fn nodes_of<'n>(nodes: &'n [Node], words: &[&str]) -> &'n [Node] {
    let command: Cmd = words.iter().collect();
    let key = match words {
        ["TIME", ..] => return &nodes[..1],
        ["EVAL", _, "0", ..] => None,
        ["OBJECT", _, key] => Some(key.as_bytes()),
        [name, ..] if OF_NODES.contains(name) => None,
        _ => command.key(),
    };
    let Some(key) = key else { return nodes };
    let at = usize::from(slot_of(key)) * nodes.len() / usize::from(SLOTS);
    &nodes[at..=at]
}

/// What several nodes answer as one answer: lists one after the other, the sum of numbers, a text that all of them say, or all of their texts.
pub fn joined(mut answers: Vec<Value>) -> Value {
    let first = answers.remove(0);
    answers.into_iter().fold(first, |all, answer| match (all, answer) {
        (Value::Array(all), Value::Array(items)) => Value::Array([all, items].concat()),
        (Value::Int(sum), Value::Int(number)) => Value::Int(sum + number),
        (all, answer) if all == answer => all,
        (Value::BulkString(all), Value::BulkString(text)) => Value::BulkString([all, text].concat()),
        (all, answer) => panic!("nodes answer {all:?} and {answer:?}"),
    })
}
