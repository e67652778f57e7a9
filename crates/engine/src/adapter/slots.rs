//! Slots of a cluster, and which node has which: <https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/>.

use std::fmt;

use crc::{CRC_16_XMODEM, Crc};

use super::{Error, Fault, Value};

const SLOTS: u16 = 16_384;
const CRC: Crc<u16> = Crc::<u16>::new(&CRC_16_XMODEM);

/// The slot of a key: of what stands between its first braces, where something does.
pub fn slot_of(key: &[u8]) -> u16 {
    let tag = key.iter().position(|byte| *byte == b'{').map(|open| &key[open + 1..]);
    let tag = tag.and_then(|rest| Some(&rest[..rest.iter().position(|byte| *byte == b'}')?]));
    CRC.checksum(tag.filter(|tag| !tag.is_empty()).unwrap_or(key)) % SLOTS
}

/// Where a node listens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// An IPv6 address stands in brackets.
    pub host: String,
    pub port: u16,
}

impl Address {
    pub fn new(host: &str, port: u16) -> Self {
        let host = if host.contains(':') && !host.starts_with('[') { format!("[{host}]") } else { host.into() };
        Self { host, port }
    }

    /// From `host:port`, as redirections name a node. Without a host it is that of `origin`, the node that answered.
    pub fn parse(text: &str, origin: &Self) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        Some(Self::new(if host.is_empty() { &origin.host } else { host }, port.parse().ok()?))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// Where nodes are reached that announce addresses of a network which is not this one's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressMap(Vec<(Address, Address)>);

impl AddressMap {
    /// How a map is written, for messages.
    pub const ALLOWED: &str = "announced addresses, each with the one that reaches it: HOST:PORT=HOST:PORT, with commas between pairs";

    /// `None` when the text is not one of [`Self::ALLOWED`], or an address stands there twice.
    pub fn parse(text: &str) -> Option<Self> {
        let nobody = Address::new("", 0);
        let address = |text: &str| Address::parse(text.trim(), &nobody).filter(|address| !address.host.is_empty() && address.port > 0);
        let mut pairs: Vec<(Address, Address)> = Vec::new();
        for pair in text.split(',') {
            let (announced, reached) = pair.split_once('=')?;
            let announced = address(announced).filter(|address| pairs.iter().all(|(known, _)| known != address))?;
            pairs.push((announced, address(reached)?));
        }
        Some(Self(pairs))
    }

    /// The address that reaches a node: its own, unless another one is given for it.
    pub fn reached<'a>(&'a self, announced: &'a Address) -> &'a Address {
        self.0.iter().find(|(known, _)| known == announced).map_or(announced, |(_, reached)| reached)
    }
}

/// Which master has which slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotMap {
    /// By their first slot.
    ranges: Vec<SlotRange>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SlotRange {
    first: u16,
    last: u16,
    master: Address,
    replicas: Vec<Address>,
}

impl SlotMap {
    /// From the answer to `CLUSTER SLOTS` of a node.
    ///
    /// # Errors
    /// `Malformed` when it is none.
    pub fn read(answer: Value, origin: &Address) -> Result<Self, Error> {
        let Value::Array(ranges) = answer else { return Err(malformed()) };
        let mut ranges = ranges.into_iter().map(|range| read_range(range, origin)).collect::<Option<Vec<_>>>().ok_or_else(malformed)?;
        ranges.sort();
        Ok(Self { ranges })
    }

    pub fn node_of(&self, slot: u16) -> Option<&Address> {
        self.range_of(slot).map(|range| &range.master)
    }

    /// The replicas of the master of a slot.
    pub fn replicas_of(&self, slot: u16) -> &[Address] {
        self.range_of(slot).map_or(&[], |range| &range.replicas)
    }

    fn range_of(&self, slot: u16) -> Option<&SlotRange> {
        let behind = self.ranges.partition_point(|range| range.first <= slot);
        self.ranges[..behind].last().filter(|range| slot <= range.last)
    }

    /// Every master that has slots, in an order that does not depend on these.
    pub fn masters(&self) -> Vec<&Address> {
        let mut masters: Vec<&Address> = self.ranges.iter().map(|range| &range.master).collect();
        masters.sort();
        masters.dedup();
        masters
    }

    /// The part of a master, where all are parted by their slots, with at most so many in each.
    pub fn part_of(&self, node: &Address, most: usize) -> usize {
        let mut masters: Vec<&Address> = Vec::new();
        for range in &self.ranges {
            if !masters.contains(&&range.master) {
                masters.push(&range.master);
            }
        }
        let parts = masters.len().div_ceil(most);
        let at = masters.iter().position(|master| *master == node).unwrap_or(0);
        at.checked_div(masters.len().div_ceil(parts.max(1))).unwrap_or(0)
    }

    /// The slots of a master, as `0-5460 7000`.
    pub fn slots_of(&self, node: &Address) -> String {
        written(self.ranges.iter().filter(|range| range.master == *node).map(|range| (range.first, range.last)))
    }

    /// The slots that no master has, likewise.
    pub fn unserved(&self) -> String {
        let firsts = self.ranges.iter().map(|range| range.first).chain([SLOTS]);
        let behind = [0].into_iter().chain(self.ranges.iter().map(|range| range.last + 1));
        written(behind.zip(firsts).filter(|(from, until)| from < until).map(|(from, until)| (from, until - 1)))
    }

    /// The lowest number that a key lies on a master with, as its hash tag.
    pub fn tag_of(&self, node: &Address) -> Option<String> {
        (0..u32::from(u16::MAX)).map(|number| number.to_string()).find(|tag| self.node_of(slot_of(tag.as_bytes())) == Some(node))
    }
}

fn written(ranges: impl Iterator<Item = (u16, u16)>) -> String {
    let range = |(first, last): (u16, u16)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    ranges.map(range).collect::<Vec<_>>().join(" ")
}

/// `[first, last, [host, port, …], …]`: the master stands first, then its replicas.
fn read_range(range: Value, origin: &Address) -> Option<SlotRange> {
    let Value::Array(range) = range else { return None };
    let [Value::Int(first), Value::Int(last), master, replicas @ ..] = &range[..] else { return None };
    let slot = |number: &i64| u16::try_from(*number).ok().filter(|slot| *slot < SLOTS);
    let replicas = replicas.iter().filter_map(|replica| read_node(replica, origin)).collect();
    Some(SlotRange { first: slot(first)?, last: slot(last)?, master: read_node(master, origin)?, replicas })
}

fn read_node(node: &Value, origin: &Address) -> Option<Address> {
    let Value::Array(node) = node else { return None };
    let [host, Value::Int(port), ..] = &node[..] else { return None };
    // A node that does not know its own name says nothing, or `?`.
    let host = match host {
        Value::BulkString(host) if !host.is_empty() && host != b"?" => str::from_utf8(host).ok()?,
        _ => &origin.host,
    };
    Some(Address::new(host, u16::try_from(*port).ok()?))
}

fn malformed() -> Error {
    Error::new(Fault::Malformed, "not an answer to CLUSTER SLOTS")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `CLUSTER KEYSLOT` of redis-server 7 answers.
    #[test]
    fn slots_of_keys() {
        for (key, slot) in [
            ("", 0),
            ("123456789", 12_739),
            ("foo", 12_182),
            ("eb:{foo}:state", 12_182),
            ("{}foo", 9_500),
            ("foo{}", 5_542),
            ("foo{foo", 2_045),
            ("a{{foo}}b", 13_308),
        ] {
            assert_eq!(slot_of(key.as_bytes()), slot, "{key}");
        }
        assert_eq!(slot_of(b"a{{foo}}b"), slot_of(b"{foo"));
    }

    fn bulk(text: &str) -> Value {
        Value::BulkString(text.into())
    }

    fn range(first: i64, last: i64, host: Value, port: i64) -> Value {
        let node = |host, port| Value::Array(vec![host, Value::Int(port), bulk("id"), Value::Array(Vec::new())]);
        Value::Array(vec![Value::Int(first), Value::Int(last), node(host, port), node(bulk("replica"), 1)])
    }

    #[test]
    fn a_map_says_which_node_has_a_slot() {
        let seed = Address::new("seed", 7000);
        let answer = Value::Array(vec![
            range(10_000, 16_383, Value::Nil, 7002),
            range(0, 5_000, bulk("a.example"), 7001),
            range(5_002, 5_002, bulk("::1"), 7003),
            range(6_000, 6_001, bulk("a.example"), 7001),
        ]);
        let map = SlotMap::read(answer, &seed).expect("a map");
        let (a, b, c) = (Address::new("a.example", 7001), Address::new("seed", 7002), Address::new("[::1]", 7003));
        for (slot, node) in [
            (0, Some(&a)),
            (5_000, Some(&a)),
            (5_001, None),
            (5_002, Some(&c)),
            (5_003, None),
            (6_001, Some(&a)),
            (9_999, None),
            (16_383, Some(&b)),
        ] {
            assert_eq!(map.node_of(slot), node, "{slot}");
            let replicas = node.map_or(Vec::new(), |_| vec![Address::new("replica", 1)]);
            assert_eq!(map.replicas_of(slot), replicas, "{slot}");
        }
        assert_eq!(map.masters(), [&c, &a, &b]);
        assert_eq!(map.slots_of(&a), "0-5000 6000-6001");
        assert_eq!(map.slots_of(&c), "5002");
        assert_eq!(map.unserved(), "5001 5003-5999 6002-9999");
        for node in [&a, &b] {
            let tag = map.tag_of(node).expect("many slots");
            assert_eq!(map.node_of(slot_of(format!("eb:ready:{{{tag}}}").as_bytes())), Some(node));
        }
    }

    #[test]
    fn other_answers_are_malformed() {
        let seed = Address::new("seed", 7000);
        for answer in [Value::Nil, Value::Array(vec![Value::Nil]), Value::Array(vec![range(0, 16_384, bulk("a"), 1)])] {
            assert_eq!(SlotMap::read(answer, &seed).map_err(|error| error.fault), Err(Fault::Malformed));
        }
    }

    #[test]
    fn addresses_are_mapped() {
        let map = AddressMap::parse("10.0.0.1:6379=a.example:7001, ::1:7000 = b.example:7002").expect("a map");
        for (announced, reached) in [
            (Address::new("10.0.0.1", 6379), Address::new("a.example", 7001)),
            (Address::new("::1", 7000), Address::new("b.example", 7002)),
            (Address::new("10.0.0.1", 6380), Address::new("10.0.0.1", 6380)),
        ] {
            assert_eq!(map.reached(&announced), &reached);
        }
        for wrong in ["", "a:1", "a:1=", "a=b:1", "a:1=b:0", ":1=b:1", "a:1=b:1,", "a:1=b:1,a:1=c:1"] {
            assert_eq!(AddressMap::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn redirections_name_nodes() {
        let origin = Address::new("10.0.0.1", 7000);
        for (text, expected) in [
            ("127.0.0.1:6381", Some(Address::new("127.0.0.1", 6381))),
            ("::1:6381", Some(Address::new("[::1]", 6381))),
            (":6381", Some(Address::new("10.0.0.1", 6381))),
            ("nothing", None),
            ("a:70000", None),
        ] {
            assert_eq!(Address::parse(text, &origin), expected, "{text}");
        }
    }
}
