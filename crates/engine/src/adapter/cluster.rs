//! A cluster: commands go to the nodes that have their keys' slots, in one round trip over all of them.
//!
//! The map of slots is learnt from a node and kept for all of an isolate, so a command that nobody redirects costs no trip more
//! than with one server.
//!
//! # Decisions
//!
//! - A script is never sent on by `ASK`. Its keys are not declared, and the one that is exists nowhere: a node from which a slot
//!   moves answers each call so, while it still has the board. Counting on the other node would begin an empty board there. So the
//!   call waits, and is then refused as not applied.
//! - What went to one node is known when another one failed: such a command answers [`Value::Missing`].
//! - A transaction over several slots is one for each slot. A caller that needs more must not begin it ([`Transport::is_cluster`]).

mod relays;
mod replicas;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::future::join_all;

use self::replicas::Avoided;
use super::slots::{Address, SlotMap, slot_of};
use super::transport::{Server, Servers};
use super::value::ServerError;
use super::{Cmd, Error, Fault, Mode, Transport, Value, script};

/// Connections that are open at once: Workers have six for a request, and one is for what is asked beside Redis.
/// <https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections>
pub const MAX_OPEN: usize = 5;
/// Before what a node could not do now is sent again. The sum is below what a visitor notices; a slot that moves for longer answers 503.
const PAUSES_MS: [u32; 3] = [20, 80, 250];
/// A node that is gone makes all who need it learn the map anew, once in so long.
const LEARN_EVERY_MS: u64 = 1_000;
/// Looking for a node that knows the map ends after so long.
const LEARN_MS: u64 = 4_000;
/// The bits of a cursor over all nodes that are the node's own; those above are the node's place. A node's cursor has as many bits as its
/// table of keys, and 14 more since Redis 8.
const CURSOR_BITS: u32 = 48;

/// What a cluster needs of the place it runs in.
#[expect(async_fn_in_trait, reason = "an isolate has one thread; no future is sent anywhere")]
pub trait Nodes {
    type Node: Transport;

    /// A way to a node; a connection is made when it is first used.
    fn open(&self, to: &Address) -> Self::Node;

    async fn pause(&self, ms: u32);

    fn now_ms(&self) -> u64;

    /// Whether there are relays.
    fn has_relays(&self) -> bool;

    /// Has the relay of a part of the nodes send a message, and answers what that answers, see [`Cluster::relay`].
    ///
    /// # Errors
    /// One that nothing was applied with where the relay did not get it.
    async fn relay(&self, part: usize, message: Vec<u8>) -> Result<Vec<u8>, Error>;
}

/// What is known of a cluster.
#[derive(Debug)]
pub struct Known {
    seeds: Vec<Address>,
    map: RefCell<Option<Rc<SlotMap>>>,
    /// When a node was asked for it the last time.
    asked_at_ms: Cell<u64>,
    avoided: Avoided,
}

impl Known {
    pub fn new(seeds: Vec<Address>) -> Self {
        Self { seeds, map: RefCell::default(), asked_at_ms: Cell::default(), avoided: Avoided::default() }
    }
}

/// A way to all nodes, for one request or object.
pub struct Cluster<N: Nodes> {
    nodes: N,
    known: Rc<Known>,
    /// The one that was used last stands last.
    open: RefCell<Vec<(Address, Rc<N::Node>)>>,
}

/// Commands that travel to a node together, by their places.
struct Unit {
    to: Address,
    slot: u16,
    places: Vec<usize>,
    /// Whether the node is to do it although the slot is not its own yet.
    asking: bool,
}

/// Why a command is to be sent again. It was not applied.
enum Again {
    Moved(Address),
    Asked(Address),
    Later,
    /// The cluster has no node for the slot now, as far as the node knows.
    Down,
    /// The node cannot be reached.
    Unreachable,
}

impl<N: Nodes> Cluster<N> {
    pub fn new(nodes: N, known: Rc<Known>) -> Self {
        Self { nodes, known, open: RefCell::default() }
    }

    fn node(&self, to: &Address) -> Rc<N::Node> {
        let mut open = self.open.borrow_mut();
        let entry = if let Some(at) = open.iter().position(|(address, _)| address == to) {
            open.remove(at)
        } else {
            if open.len() >= MAX_OPEN {
                open.remove(0);
            }
            (to.clone(), Rc::new(self.nodes.open(to)))
        };
        let node = Rc::clone(&entry.1);
        open.push(entry);
        node
    }

    async fn map(&self) -> Result<Rc<SlotMap>, Error> {
        let known = self.known.map.borrow().clone();
        match known {
            Some(map) => Ok(map),
            None => self.learn(None, None).await,
        }
    }

    /// Asks nodes for the map until one has it: `first`, then those that are known, then the seeds. `unreachable` is not asked.
    async fn learn(&self, first: Option<&Address>, unreachable: Option<&Address>) -> Result<Rc<SlotMap>, Error> {
        let since_ms = self.nodes.now_ms();
        self.known.asked_at_ms.set(since_ms);
        let mut asked: Vec<Address> = first.into_iter().cloned().collect();
        asked.extend(self.known.map.borrow().iter().flat_map(|map| map.masters().into_iter().cloned()));
        asked.extend(self.known.seeds.iter().cloned());
        let mut failed = Error::new(Fault::Connect, "no node of the cluster is left to be asked");
        for (place, address) in asked.iter().enumerate() {
            if unreachable == Some(address) || asked[..place].contains(address) {
                continue;
            }
            if self.nodes.now_ms().saturating_sub(since_ms) > LEARN_MS {
                break;
            }
            match self.ask_for_map(address).await {
                Ok(map) => {
                    let map = Rc::new(map);
                    let masters = map.masters();
                    // A seed may be known by another name than the node that it is.
                    self.open.borrow_mut().retain(|(address, _)| masters.contains(&address));
                    self.known.map.replace(Some(Rc::clone(&map)));
                    return Ok(map);
                }
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    async fn ask_for_map(&self, address: &Address) -> Result<SlotMap, Error> {
        let node = self.node(address);
        let answers = node.send(&[["CLUSTER", "SLOTS"].into_iter().collect()], Mode::Pipeline).await?;
        SlotMap::read(script::reply(answers.into_iter().next().unwrap_or(Value::Nil))?, address)
    }

    /// The same at most once in [`LEARN_EVERY_MS`], since a node cannot be reached.
    async fn learn_without(&self, unreachable: Option<&Address>) {
        let now_ms = self.nodes.now_ms();
        let asked_at_ms = self.known.asked_at_ms.get();
        // A clock that was set back keeps nobody from it.
        if !(asked_at_ms..asked_at_ms + LEARN_EVERY_MS).contains(&now_ms) {
            // Without a newer one the old one stands.
            let _ = self.learn(None, unreachable).await;
        }
    }

    /// 1. Send each command to the node of its slot; where there are more nodes than connections, through relays, or in waves.
    /// 2. Send again what nodes did not do: where it moved to, where a plain command is asked for, or the same place a moment later.
    /// 3. What still was not done answers with the node's reply, which is an error that nothing was applied with.
    async fn send_by_slots(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        let first = commands.iter().find_map(|command| command.key().map(slot_of)).unwrap_or(0);
        let slots: Vec<u16> = commands.iter().map(|command| command.key().map_or(first, slot_of)).collect();
        let mut answers: Vec<Result<Value, Error>> = slots.iter().map(|slot| Err(unserved(*slot))).collect();
        let mut pending: Vec<(usize, Option<Address>)> = (0..commands.len()).map(|place| (place, None)).collect();
        for (attempt, pause_ms) in PAUSES_MS.into_iter().map(Some).chain([None]).enumerate() {
            let map = self.map().await?;
            let (units, without) = units(&map, &slots, pending, mode);
            let mut again: Vec<(usize, Option<Address>)> = without.iter().map(|place| (*place, None)).collect();
            let (mut newer, mut unreachable, mut unsent) = (None, None, Vec::new());
            let (mut is_stale, mut waits) = (!without.is_empty(), !without.is_empty());
            for (unit, sent) in self.send_units(&map, commands, units, mode).await {
                for (place, answer) in unit.places.into_iter().zip(sent) {
                    match why_again(&answer, &unit.to) {
                        None => {}
                        Some(Again::Moved(to)) => {
                            again.push((place, None));
                            newer = Some(to);
                        }
                        Some(Again::Asked(to)) if !mode.is_transaction() && !commands[place].runs_script() => again.push((place, Some(to))),
                        Some(Again::Asked(_) | Again::Later) => {
                            again.push((place, None));
                            waits = true;
                        }
                        Some(Again::Down) => {
                            again.push((place, None));
                            waits = true;
                            is_stale = true;
                        }
                        Some(Again::Unreachable) => {
                            is_stale = true;
                            unreachable = Some(unit.to.clone());
                            unsent.push((place, unit.to.clone()));
                        }
                    }
                    answers[place] = answer;
                }
            }
            if again.is_empty() && unsent.is_empty() {
                break;
            }
            let Some(pause_ms) = pause_ms else { break };
            if let Some(newer) = newer {
                let _ = self.learn(Some(&newer), unreachable.as_ref()).await;
            } else if is_stale {
                self.learn_without(unreachable.as_ref()).await;
            }
            // Where the node that cannot be reached is still the one there is, waiting helps nobody.
            let map = self.map().await?;
            again.extend(
                unsent.into_iter().filter(|(place, node)| map.node_of(slots[*place]) != Some(node)).map(|(place, _)| (place, None)),
            );
            if again.is_empty() {
                break;
            }
            if waits || attempt > 0 {
                self.nodes.pause(pause_ms).await;
            }
            again.sort_by_key(|(place, _)| *place);
            pending = again;
        }
        // Errors of one kind are that of the whole send.
        match answers.first() {
            Some(Err(first)) if answers.iter().all(|answer| answer.as_ref().is_err_and(|error| error.fault == first.fault)) => {
                Err(first.clone())
            }
            _ => Ok(answers.into_iter().map(|answer| answer.unwrap_or_else(Value::Missing)).collect()),
        }
    }

    /// Sends units, those of several nodes at once, and answers them with one answer for each place.
    async fn send_units(&self, map: &SlotMap, commands: &[Cmd], units: Vec<Unit>, mode: Mode) -> Vec<(Unit, Vec<Result<Value, Error>>)> {
        let by_node = by_node(units);
        if by_node.len() > MAX_OPEN && self.nodes.has_relays() {
            return Box::pin(self.send_through_relays(map, commands, by_node, mode)).await;
        }
        self.send_in_waves(commands, by_node, mode).await
    }

    /// The same over connections of its own: as many nodes at once as may be.
    async fn send_in_waves(&self, commands: &[Cmd], by_node: Vec<Vec<Unit>>, mode: Mode) -> Vec<(Unit, Vec<Result<Value, Error>>)> {
        let mut sent = Vec::new();
        let mut waiting = by_node.into_iter();
        loop {
            let wave: Vec<Vec<Unit>> = waiting.by_ref().take(MAX_OPEN).collect();
            if wave.is_empty() {
                return sent;
            }
            let sends = wave.into_iter().map(|of_node| {
                let node = self.node(&of_node[0].to);
                async move {
                    let mut sent = Vec::with_capacity(of_node.len());
                    for unit in of_node {
                        let answers = answers_of(&unit, node.send(&commands_of(commands, &unit), mode).await);
                        sent.push((unit, answers));
                    }
                    sent
                }
            });
            sent.extend(join_all(sends).await.into_iter().flatten());
        }
    }

    /// Sends a command that names no key to nodes, and answers each in the order of these.
    async fn send_to(&self, to: &[&Address], command: &Cmd) -> Vec<Value> {
        let sent = in_waves(to, async |address| self.node(address).send(std::slice::from_ref(command), Mode::Pipeline).await).await;
        let answer =
            |sent: Result<Vec<Value>, Error>| sent.map_or_else(Value::Missing, |values| values.into_iter().next().unwrap_or(Value::Nil));
        sent.into_iter().map(answer).collect()
    }

    /// `SCAN` over the keys of all masters, one after the other. The masters stand in an order that stays while there are the same ones.
    async fn scan(&self, command: &Cmd) -> Result<Value, Error> {
        let malformed = || Error::new(Fault::Malformed, "not a cursor of a cluster");
        let words: Vec<&[u8]> = command.words().collect();
        let cursor: u64 = words.get(1).and_then(|cursor| str::from_utf8(cursor).ok()?.parse().ok()).ok_or_else(malformed)?;
        let map = self.map().await?;
        let masters = map.masters();
        let at = usize::try_from(cursor >> CURSOR_BITS).unwrap_or(usize::MAX);
        let answer = |cursor: u64, keys| Value::Array(vec![Value::BulkString(cursor.to_string().into()), keys]);
        let Some(master) = masters.get(at) else { return Ok(answer(0, Value::Array(Vec::new()))) };
        let own = cursor & ((1 << CURSOR_BITS) - 1);
        let mut scan = Cmd::new("SCAN");
        scan.arg(own.to_string()).args(&words[2..]);
        let sent = self.send_to(&[master], &scan).await.into_iter().next().unwrap_or(Value::Nil);
        let Value::Array(both) = script::reply(sent)? else { return Err(malformed()) };
        let [Value::BulkString(own), keys] = <[Value; 2]>::try_from(both).map_err(|_| malformed())? else { return Err(malformed()) };
        let own: u64 = str::from_utf8(&own).ok().and_then(|own| own.parse().ok()).ok_or_else(malformed)?;
        if own >> CURSOR_BITS != 0 {
            return Err(malformed());
        }
        let next = match own {
            0 if at + 1 == masters.len() => 0,
            0 => ((cursor >> CURSOR_BITS) + 1) << CURSOR_BITS,
            own => (cursor >> CURSOR_BITS << CURSOR_BITS) | own,
        };
        Ok(answer(next, keys))
    }

    /// `UNLINK` of keys of several slots: one for each slot, and the sum of what they answer.
    async fn unlink(&self, command: &Cmd) -> Result<Value, Error> {
        let mut by_slot: Vec<(u16, Cmd)> = Vec::new();
        for key in command.words().skip(1) {
            let slot = slot_of(key);
            if let Some((_, unlink)) = by_slot.iter_mut().find(|(of, _)| *of == slot) {
                unlink.arg(key);
            } else {
                let mut unlink = Cmd::new("UNLINK");
                unlink.arg(key);
                by_slot.push((slot, unlink));
            }
        }
        let commands: Vec<Cmd> = by_slot.into_iter().map(|(_, unlink)| unlink).collect();
        let mut sum = 0;
        for answer in self.send_by_slots(&commands, Mode::Pipeline).await? {
            match script::reply(answer)? {
                Value::Int(count) => sum += count,
                _ => return Err(Error::new(Fault::Malformed, "UNLINK answered no number")),
            }
        }
        Ok(Value::Int(sum))
    }
}

impl<N: Nodes> Transport for Cluster<N> {
    async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
        match commands {
            _ if mode == Mode::Replica => self.send_to_replica(commands).await,
            [scan] if scan.name() == b"SCAN" => self.scan(scan).await.map(|answer| vec![answer]),
            [unlink] if unlink.name() == b"UNLINK" => self.unlink(unlink).await.map(|answer| vec![answer]),
            _ => self.send_by_slots(commands, mode).await,
        }
    }

    async fn send_to_servers_of(&self, commands: &[Cmd], command: Cmd) -> Result<Vec<Value>, Error> {
        let map = self.map().await?;
        let mut to: Vec<&Address> = commands.iter().filter_map(|command| map.node_of(slot_of(command.key()?))).collect();
        to.sort();
        to.dedup();
        Ok(self.send_to(&to, &command).await)
    }

    async fn servers(&self) -> Result<Servers, Error> {
        let map = self.learn(None, None).await?;
        let server = |node| Some(Server { tag: format!("{{{}}}", map.tag_of(node)?), slots: map.slots_of(node) });
        // Each of as many relays reaches so many.
        let at_once = if self.nodes.has_relays() { MAX_OPEN * MAX_OPEN } else { MAX_OPEN };
        Ok(Servers { each: map.masters().into_iter().filter_map(server).collect(), unserved: map.unserved(), at_once })
    }

    fn is_cluster(&self) -> bool {
        true
    }
}

/// Asks each of some nodes, as many at once as may be, and answers in their order.
pub async fn in_waves<A, T>(nodes: &[A], ask: impl AsyncFn(&A) -> T) -> Vec<T> {
    let mut answers = Vec::with_capacity(nodes.len());
    for wave in nodes.chunks(MAX_OPEN) {
        answers.extend(join_all(wave.iter().map(|node| ask(node))).await);
    }
    answers
}

/// What is to be sent where, and the places of commands whose slot no node has.
fn units(map: &SlotMap, slots: &[u16], pending: Vec<(usize, Option<Address>)>, mode: Mode) -> (Vec<Unit>, Vec<usize>) {
    let (mut units, mut without): (Vec<Unit>, Vec<usize>) = Default::default();
    for (place, asked) in pending {
        let slot = slots[place];
        let asking = asked.is_some();
        let Some(to) = asked.or_else(|| map.node_of(slot).cloned()) else {
            without.push(place);
            continue;
        };
        let is_of = |unit: &&mut Unit| unit.to == to && unit.asking == asking && (!mode.is_transaction() || unit.slot == slot);
        match units.iter_mut().find(is_of) {
            Some(unit) => unit.places.push(place),
            None => units.push(Unit { to, slot, places: vec![place], asking }),
        }
    }
    (units, without)
}

/// Units by their nodes, each node's in their order.
fn by_node(units: Vec<Unit>) -> Vec<Vec<Unit>> {
    let mut by_node: Vec<Vec<Unit>> = Vec::new();
    for unit in units {
        match by_node.iter_mut().find(|of_node| of_node[0].to == unit.to) {
            Some(of_node) => of_node.push(unit),
            None => by_node.push(vec![unit]),
        }
    }
    by_node
}

/// What a unit is sent as.
fn commands_of<'c>(commands: &'c [Cmd], unit: &Unit) -> Cow<'c, [Cmd]> {
    if unit.asking {
        unit.places.iter().flat_map(|place| [Cmd::new("ASKING"), commands[*place].clone()]).collect()
    } else if unit.places.len() == commands.len() {
        Cow::Borrowed(commands)
    } else {
        unit.places.iter().map(|place| commands[*place].clone()).collect()
    }
}

/// What its commands were answered, by the answer to what was sent.
fn answers_of(unit: &Unit, sent: Result<Vec<Value>, Error>) -> Vec<Result<Value, Error>> {
    match sent {
        Ok(answers) if unit.asking => answers.into_iter().skip(1).step_by(2).map(Ok).collect(),
        Ok(answers) => answers.into_iter().map(Ok).collect(),
        Err(error) => unit.places.iter().map(|_| Err(error.clone())).collect(),
    }
}

/// Whether a command is to be sent again that was not applied.
fn why_again(answer: &Result<Value, Error>, origin: &Address) -> Option<Again> {
    let (code, detail) = match answer {
        Ok(Value::ServerError(error)) => (error.code(), error.detail()),
        Err(error) if error.fault == Fault::Connect => return Some(Again::Unreachable),
        // Of a transaction.
        Err(error) if error.fault == Fault::Unavailable => error.detail.split_once(' ')?,
        _ => return None,
    };
    let node = || Address::parse(detail.split_once(' ')?.1, origin);
    match code {
        "MOVED" => node().map(Again::Moved),
        "ASK" => node().map(Again::Asked),
        "TRYAGAIN" => Some(Again::Later),
        "CLUSTERDOWN" => Some(Again::Down),
        _ => None,
    }
}

/// What is said of a slot that no node has, as nodes say it.
fn unserved(slot: u16) -> Error {
    let error = ServerError::new(format!("CLUSTERDOWN no node has the slot {slot}"));
    Error::from_reply(error.code(), error.detail())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What nodes answer, in order: each to so many commands.
    pub(super) type Script = RefCell<Vec<(u16, Result<Vec<Value>, Error>)>>;

    /// Nodes that answer as scripted. What they were sent is noted with their ports, and pauses with 0.
    #[derive(Default)]
    pub(super) struct Scripted {
        pub(super) answers: Script,
        pub(super) sent: RefCell<Vec<(u16, String)>>,
        pub(super) now_ms: Cell<u64>,
        /// Whether there are relays, and why they fail.
        pub(super) relays: RefCell<Option<Result<(), Error>>>,
    }

    pub(super) struct Node {
        port: u16,
        of: Rc<Scripted>,
    }

    impl Nodes for Rc<Scripted> {
        type Node = Node;

        fn open(&self, to: &Address) -> Node {
            Node { port: to.port, of: Self::clone(self) }
        }

        async fn pause(&self, ms: u32) {
            self.now_ms.set(self.now_ms.get() + u64::from(ms));
            self.sent.borrow_mut().push((0, ms.to_string()));
        }

        fn now_ms(&self) -> u64 {
            self.now_ms.get()
        }

        fn has_relays(&self) -> bool {
            self.relays.borrow().is_some()
        }

        async fn relay(&self, part: usize, message: Vec<u8>) -> Result<Vec<u8>, Error> {
            self.sent.borrow_mut().push((0, format!("relay {part}")));
            self.relays.borrow().clone().expect("there are relays")?;
            Cluster::new(Self::clone(self), Rc::new(Known::new(Vec::new()))).relay(&message).await
        }
    }

    impl Transport for Node {
        async fn send(&self, commands: &[Cmd], mode: Mode) -> Result<Vec<Value>, Error> {
            let text = |command: &Cmd| command.words().map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ");
            let mut sent = commands.iter().map(text).collect::<Vec<_>>().join("|");
            if mode == Mode::Transaction {
                sent = format!("MULTI {sent}");
            }
            self.of.sent.borrow_mut().push((self.port, sent));
            let mut answers = self.of.answers.borrow_mut();
            let at = answers.iter().position(|(port, _)| *port == self.port).expect("an answer is scripted");
            answers.remove(at).1
        }
    }

    // Slots 12,182 and 5,061: of the nodes 3 and 1.
    pub(super) const FOO: &str = "{foo}:state";
    pub(super) const BAR: &str = "{bar}:state";

    #[expect(clippy::unnecessary_wraps, reason = "as a node's answers are scripted")]
    pub(super) fn slots(ranges: &[(i64, i64, i64)]) -> Result<Vec<Value>, Error> {
        let range = |(first, last, port): &(i64, i64, i64)| {
            Value::Array(vec![
                Value::Int(*first),
                Value::Int(*last),
                Value::Array(vec![Value::BulkString(b"h".into()), Value::Int(*port), Value::BulkString(b"id".into())]),
            ])
        };
        Ok(vec![Value::Array(ranges.iter().map(range).collect())])
    }

    pub(super) const THREE: [(i64, i64, i64); 3] = [(0, 5_460, 1), (5_461, 10_922, 2), (10_923, 16_383, 3)];
    pub(super) const MAP: (u16, &str) = (1, "CLUSTER SLOTS");

    pub(super) fn refused(line: &str) -> Value {
        Value::ServerError(ServerError::new(line))
    }

    #[expect(clippy::unnecessary_wraps, reason = "as a node's answers are scripted")]
    pub(super) fn ok(values: &[i64]) -> Result<Vec<Value>, Error> {
        Ok(values.iter().copied().map(Value::Int).collect())
    }

    pub(super) fn get(key: &str) -> Cmd {
        ["GET", key].into_iter().collect()
    }

    pub(super) fn call(key: &str) -> Cmd {
        ["FCALL", "f", "1", key].into_iter().collect()
    }

    pub(super) fn begin(answers: Vec<(u16, Result<Vec<Value>, Error>)>) -> (Rc<Scripted>, Cluster<Rc<Scripted>>) {
        let scripted = Rc::new(Scripted { answers: RefCell::new(answers), now_ms: Cell::new(10_000), ..Scripted::default() });
        let known = Known::new(vec![Address::new("h", 1), Address::new("h", 2)]);
        (Rc::clone(&scripted), Cluster::new(scripted, Rc::new(known)))
    }

    #[track_caller]
    pub(super) fn check(
        mode: Mode,
        commands: &[Cmd],
        answers: Vec<(u16, Result<Vec<Value>, Error>)>,
        sent: &[(u16, &str)],
        expected: Result<Vec<Value>, Fault>,
    ) {
        let (scripted, cluster) = begin(answers);
        let got = pollster::block_on(cluster.send(commands, mode)).map_err(|error| error.fault);
        let all: Vec<(u16, String)> = sent.iter().map(|(port, text)| (*port, (*text).into())).collect();
        assert_eq!(scripted.sent.take(), all);
        assert_eq!(got, expected);
        assert!(scripted.answers.take().is_empty());
    }

    #[test]
    fn commands_go_to_the_nodes_of_their_slots_and_answers_keep_their_order() {
        assert_eq!([FOO, BAR].map(|key| slot_of(key.as_bytes())), [12_182, 5_061]);
        check(
            Mode::Pipeline,
            &[get(FOO), get(BAR), call(FOO), Cmd::new("TIME")],
            vec![(1, slots(&THREE)), (1, ok(&[2])), (3, ok(&[1, 3, 4]))],
            &[MAP, (3, "GET {foo}:state|FCALL f 1 {foo}:state|TIME"), (1, "GET {bar}:state")],
            ok(&[1, 2, 3, 4]).map_err(|error| error.fault),
        );
        // A transaction for each slot.
        check(
            Mode::Transaction,
            &[call(FOO), call(BAR), call(BAR)],
            vec![(1, slots(&THREE)), (1, ok(&[2, 3])), (3, ok(&[1]))],
            &[MAP, (3, "MULTI FCALL f 1 {foo}:state"), (1, "MULTI FCALL f 1 {bar}:state|FCALL f 1 {bar}:state")],
            ok(&[1, 2, 3]).map_err(|error| error.fault),
        );
    }

    #[test]
    fn a_slot_that_moved_is_learnt_and_only_its_commands_are_sent_again() {
        let moved = || refused("MOVED 12182 h:2");
        let newer = [(0, 5_460, 1), (5_461, 16_383, 2)];
        check(
            Mode::Pipeline,
            &[get(FOO), get(BAR)],
            vec![(1, slots(&THREE)), (3, Ok(vec![moved()])), (1, ok(&[2])), (2, slots(&newer)), (2, ok(&[1]))],
            &[MAP, (3, "GET {foo}:state"), (1, "GET {bar}:state"), (2, "CLUSTER SLOTS"), (2, "GET {foo}:state")],
            ok(&[1, 2]).map_err(|error| error.fault),
        );
        // A transaction is refused whole.
        let error = || Err(Error::from_reply("MOVED", "12182 h:2"));
        check(
            Mode::Transaction,
            &[call(FOO), call(FOO)],
            vec![(1, slots(&THREE)), (3, error()), (2, slots(&newer)), (2, ok(&[1, 2]))],
            &[
                MAP,
                (3, "MULTI FCALL f 1 {foo}:state|FCALL f 1 {foo}:state"),
                (2, "CLUSTER SLOTS"),
                (2, "MULTI FCALL f 1 {foo}:state|FCALL f 1 {foo}:state"),
            ],
            ok(&[1, 2]).map_err(|error| error.fault),
        );
    }

    #[test]
    fn a_plain_command_follows_ask_and_a_script_waits() {
        let ask = || Ok(vec![refused("ASK 12182 h:2")]);
        check(
            Mode::Pipeline,
            &[get(FOO)],
            vec![(1, slots(&THREE)), (3, ask()), (2, Ok(vec![Value::Okay, Value::Int(1)]))],
            &[MAP, (3, "GET {foo}:state"), (2, "ASKING|GET {foo}:state")],
            ok(&[1]).map_err(|error| error.fault),
        );
        check(
            Mode::Pipeline,
            &[call(FOO)],
            vec![(1, slots(&THREE)), (3, ask()), (3, ok(&[1]))],
            &[MAP, (3, "FCALL f 1 {foo}:state"), (0, "20"), (3, "FCALL f 1 {foo}:state")],
            ok(&[1]).map_err(|error| error.fault),
        );
    }

    #[test]
    fn what_a_node_cannot_do_now_is_tried_four_times() {
        for line in ["TRYAGAIN Multiple keys request during rehashing of slot", "ASK 12182 h:2"] {
            let refused = || (3, Ok(vec![refused(line)]));
            let sent = (3, "FCALL f 1 {foo}:state");
            let expected = Ok(vec![refused().1.expect("an answer").remove(0)]);
            let answers = vec![(1, slots(&THREE)), refused(), refused(), refused(), refused()];
            check(Mode::Pipeline, &[call(FOO)], answers, &[MAP, sent, (0, "20"), sent, (0, "80"), sent, (0, "250"), sent], expected);
        }
    }

    #[test]
    fn an_unreachable_node_leaves_the_others() {
        let refused = || Err(Error::new(Fault::Connect, "refused"));
        let (scripted, cluster) = begin(vec![
            (1, slots(&THREE)),
            (3, refused()),
            (1, ok(&[2])),
            (3, refused()),
            (1, ok(&[2])),
            (1, slots(&[(0, 16_383, 1)])),
            (1, ok(&[1])),
        ]);
        let send = || pollster::block_on(cluster.send(&[call(FOO), call(BAR)], Mode::Pipeline)).expect("one node answers");
        let answers = send();
        assert!(matches!(&answers[..], [Value::Missing(error), Value::Int(2)] if error.fault == Fault::Connect), "{answers:?}");
        // The map is asked for again after a second. Then another node has the slot.
        scripted.now_ms.set(12_000);
        assert_eq!(send(), [Value::Int(1), Value::Int(2)]);
        let one = |answer: Result<Vec<Value>, Error>| {
            let (_, cluster) = begin(vec![(1, slots(&THREE)), (3, answer)]);
            pollster::block_on(cluster.send(&[call(FOO)], Mode::Pipeline)).map_err(|error| error.fault)
        };
        assert_eq!(one(refused()), Err(Fault::Connect));
        assert_eq!(one(Err(Error::new(Fault::Lost, "closed"))), Err(Fault::Lost));
    }

    #[test]
    fn the_map_is_learnt_from_the_first_seed_that_has_it() {
        let refused = Err(Error::new(Fault::Connect, "refused"));
        check(
            Mode::Pipeline,
            &[get(BAR)],
            vec![(1, refused), (2, slots(&THREE)), (1, ok(&[7]))],
            &[MAP, (2, "CLUSTER SLOTS"), (1, "GET {bar}:state")],
            ok(&[7]).map_err(|error| error.fault),
        );
    }

    #[test]
    fn slots_without_a_node_are_down() {
        let partly = || slots(&[(0, 5_460, 1), (5_461, 10_922, 2)]);
        let (scripted, cluster) = begin(vec![(1, partly()), (1, ok(&[2])), (1, partly())]);
        let answers = pollster::block_on(cluster.send(&[get(FOO), get(BAR)], Mode::Pipeline)).expect("one slot has a node");
        assert!(matches!(&answers[..], [Value::Missing(error), Value::Int(2)] if error.fault == Fault::Unavailable), "{answers:?}");
        scripted.answers.replace(vec![(1, partly())]);
        let servers = pollster::block_on(cluster.servers()).expect("a node answers");
        assert_eq!(servers.unserved, "10923-16383");
        assert_eq!(servers.each.iter().map(|server| &*server.slots).collect::<Vec<_>>(), ["0-5460", "5461-10922"]);
    }

    #[test]
    fn scans_go_on_from_node_to_node() {
        let scan = |cursor: &str| ["SCAN", cursor, "MATCH", "x"].into_iter().collect::<Cmd>();
        let page = |cursor: &str, key: &str| {
            let bulk = |text: &str| Value::BulkString(text.into());
            Ok(vec![Value::Array(vec![bulk(cursor), Value::Array(vec![bulk(key)])])])
        };
        let answers = vec![(1, slots(&THREE)), (1, page("7", "a")), (1, page("0", "b")), (2, page("0", "c")), (3, page("0", "d"))];
        let (scripted, cluster) = begin(answers);
        let (mut cursor, mut keys) = ("0".to_owned(), Vec::new());
        loop {
            let answer = pollster::block_on(cluster.send(&[scan(&cursor)], Mode::Pipeline)).expect("nodes answer").remove(0);
            let Value::Array(both) = answer else { panic!("a page") };
            let [Value::BulkString(next), Value::Array(found)] = &both[..] else { panic!("a page") };
            keys.extend(found.clone());
            cursor = String::from_utf8(next.clone()).expect("a number");
            if cursor == "0" {
                break;
            }
        }
        assert_eq!(keys, ["a", "b", "c", "d"].map(|key| Value::BulkString(key.into())));
        let sent: Vec<(u16, String)> = scripted.sent.take();
        let scans = [(1, "SCAN 0 MATCH x"), (1, "SCAN 7 MATCH x"), (2, "SCAN 0 MATCH x"), (3, "SCAN 0 MATCH x")];
        assert_eq!(sent[1..], scans.map(|(port, text)| (port, text.to_owned())));
    }

    #[test]
    fn keys_of_several_slots_are_unlinked_slot_by_slot() {
        check(
            Mode::Pipeline,
            &[["UNLINK", FOO, BAR, "{foo}:other"].into_iter().collect()],
            vec![(1, slots(&THREE)), (3, ok(&[2])), (1, ok(&[1]))],
            &[MAP, (3, "UNLINK {foo}:state {foo}:other"), (1, "UNLINK {bar}:state")],
            ok(&[3]).map_err(|error| error.fault),
        );
    }

    #[test]
    fn a_library_goes_to_each_node_that_calls_go_to() {
        let load = || ["FUNCTION", "LOAD", "text"].into_iter().collect::<Cmd>();
        let (scripted, cluster) = begin(vec![(1, slots(&THREE)), (1, ok(&[1])), (3, ok(&[3]))]);
        let sent = pollster::block_on(cluster.send_to_servers_of(&[call(FOO), call(BAR), call(FOO)], load()));
        assert_eq!(sent.expect("nodes answer"), [Value::Int(1), Value::Int(3)]);
        assert_eq!(scripted.sent.take().len(), 3);
    }

    /// A key of each of eight nodes.
    pub(super) fn eight() -> Vec<Cmd> {
        let key_of = |node: u16| (0..1_000).map(|number| format!("{{{number}}}")).find(|key| slot_of(key.as_bytes()) / 2_048 == node);
        (0..8).map(|node| get(&key_of(node).expect("many keys"))).collect()
    }

    /// What eight nodes say of their slots, and then answer.
    pub(super) fn of_eight() -> Vec<(u16, Result<Vec<Value>, Error>)> {
        let ranges: Vec<(i64, i64, i64)> = (0..8).map(|node| (node * 2_048, node * 2_048 + 2_047, node + 1)).collect();
        [(1, slots(&ranges))].into_iter().chain((1..=8).map(|port| (port, ok(&[i64::from(port)])))).collect()
    }

    #[test]
    fn no_more_connections_are_open_than_a_request_may_have() {
        let (_, cluster) = begin(of_eight());
        assert_eq!(pollster::block_on(cluster.send(&eight(), Mode::Pipeline)), ok(&[1, 2, 3, 4, 5, 6, 7, 8]));
        assert_eq!(cluster.open.borrow().len(), MAX_OPEN);
    }
}
