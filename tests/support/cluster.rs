//! A cluster of three masters, and commands that tests send to it as to one server. It has no replicas: the engine asks none here.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use engine::adapter::slots::slot_of;
use engine::adapter::{Cmd, Value};

use super::clock::Clock;
use super::node::{Node, free_port};

const MASTERS: usize = 3;
const SLOTS: usize = 16_384;
/// Longer than tests move clocks by: no node takes another one for gone.
const NODE_TIMEOUT_MS: i64 = 1_000 * 365 * 86_400_000;
/// Longer than a master refuses everything that starts: two seconds of its clock.
pub const WRITABLE_MS: i64 = 5_000;
/// Commands that name no key: what a node is asked about itself.
const OF_NODES: [&str; 10] = ["ACL", "CONFIG", "DBSIZE", "DEBUG", "FLUSHALL", "FLUSHDB", "FUNCTION", "INFO", "KEYS", "SCRIPT"];

/// Whether tests run over clusters.
pub fn is_asked_for() -> bool {
    env::var("EDGEBOARD_TEST_CLUSTER").is_ok_and(|set| set == "1")
}

/// Masters with a third of the slots each. Each knows of the others what a cluster would have agreed on.
pub fn start(clock: &Clock, folder: &Path, args: &[String]) -> Vec<Node> {
    let ports: Vec<[u16; 2]> = (0..MASTERS).map(|_| [free_port(), free_port()]).collect();
    let each = ports.iter().enumerate();
    each.map(|(at, [port, bus])| {
        let folder = folder.join(at.to_string());
        fs::create_dir(&folder).expect("the folder is writable");
        fs::write(folder.join("nodes.conf"), nodes_conf(&ports, at)).expect("the folder is writable");
        let of_cluster =
            ["--cluster-enabled", "yes", "--cluster-port", &bus.to_string(), "--cluster-node-timeout", &NODE_TIMEOUT_MS.to_string()];
        let args = of_cluster.map(String::from).into_iter().chain(args.iter().cloned()).collect();
        Node::start(clock, *port, folder, args)
    })
    .collect()
}

/// What a node keeps of its cluster: <https://redis.io/docs/latest/commands/cluster-nodes/>.
fn nodes_conf(ports: &[[u16; 2]], own: usize) -> String {
    let mut lines = format!("vars currentEpoch {MASTERS} lastVoteEpoch 0\n");
    for (at, [port, bus]) in ports.iter().enumerate() {
        let (first, behind) = ((at * SLOTS).div_ceil(MASTERS), ((at + 1) * SLOTS).div_ceil(MASTERS));
        let flags = if at == own { "myself,master" } else { "master" };
        let id = at + 1;
        writeln!(lines, "{id:040x} 127.0.0.1:{port}@{bus} {flags} - 0 0 {id} connected {first}-{}", behind - 1).expect("a text grows");
    }
    lines
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
    let at = usize::from(slot_of(key)) * nodes.len() / SLOTS;
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
