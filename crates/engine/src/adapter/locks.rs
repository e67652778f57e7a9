//! Declared keys, for servers that lock by key: Upstash, where a function says `allow-key-locking`.
//!
//! Without that flag Upstash runs a call under a lock of the whole database, and reads keys from disk meanwhile. With it a call locks the keys that it
//! declares, and may use no other. Which those are follows from the configuration, the state of the board and Redis's own clock, which nobody here
//! knows. So a call that nothing is known of goes by a function that locks everything and answers which keys it used, and the ones after it declare
//! these. A call that lacks one, since an hour began or a window broke, has written nothing or took it back. It goes again by the other function, and
//! its keys are the known ones from then on.
//!
//! Transactions lock everything anyway. Upkeep, administration, late events and rare reads do so as well: they have other keys each time.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::{Applied, Error, Invocation, Value};

/// A call with more keys, besides the prefix of its board, locks everything: each key costs a lock.
const MAX_KEYS: usize = 23;
/// For so long keys are known. What a call needs no more, since its period is over, is declared until then.
const KNOWN_MS: u64 = 3_600_000;
/// After so many calls in a row that lacked a key, or had too many, such calls lock everything for a while. They have keys of their own, as actors
/// have, or many windows.
const MAX_MISSES: u8 = 3;
/// Kinds of calls whose keys are known at once. Beyond them all are forgotten.
const MAX_KNOWN: usize = 2_000;

/// The locks of a server, and the time: milliseconds by any clock that does not step far.
#[derive(Clone, Copy, Debug)]
pub struct Locking<'a> {
    pub locks: &'a Locks,
    pub now_ms: u64,
}

/// What is known of a server that locks by key, for all of an isolate.
#[derive(Debug, Default)]
pub struct Locks {
    are_refused: Cell<bool>,
    known: RefCell<BTreeMap<String, Known>>,
}

/// The keys of one kind of calls.
#[derive(Clone, Debug)]
struct Known {
    keys: Vec<String>,
    at_ms: u64,
    misses: u8,
}

/// How a call locks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Everything.
    All,
    /// Everything, and it answers which keys it used.
    Telling,
    /// These keys.
    Keys(Vec<String>),
}

impl Locks {
    /// The server took no library of functions that lock by key.
    pub fn refuse(&self) {
        self.are_refused.set(true);
    }

    pub fn are_refused(&self) -> bool {
        self.are_refused.get()
    }

    /// How a call that is part of no transaction locks.
    pub(super) fn way(&self, call: &Invocation, now_ms: u64) -> Way {
        let Some(kind) = kind(call) else { return Way::All };
        match self.known.borrow().get(&kind) {
            Some(known) if now_ms.saturating_sub(known.at_ms) >= KNOWN_MS => Way::Telling,
            Some(known) if known.misses >= MAX_MISSES => Way::All,
            // The first call on a board makes all of its keys.
            Some(known) if known.keys.len() > MAX_KEYS => Way::Telling,
            Some(known) => Way::Keys(known.keys.clone()),
            None => Way::Telling,
        }
    }

    /// Takes the keys out of a reply that lists them, and leaves the rest of it.
    pub(super) fn learn(&self, call: &Invocation, reply: Value, now_ms: u64) -> Value {
        let (Some(kind), Value::Array(items)) = (kind(call), &reply) else { return reply };
        let [_, Value::Array(keys)] = &items[..] else { return reply };
        let text = |key: &Value| if let Value::BulkString(bytes) = key { String::from_utf8(bytes.clone()).ok() } else { None };
        let mut keys: Vec<String> = keys.iter().filter_map(text).collect();
        let mut known = self.known.borrow_mut();
        if known.len() >= MAX_KNOWN && !known.contains_key(&kind) {
            known.clear();
        }
        let before = known.remove(&kind).filter(|before| now_ms.saturating_sub(before.at_ms) < KNOWN_MS);
        let misses = before.as_ref().map_or(0, |before| before.misses) + u8::from(keys.len() > MAX_KEYS);
        // Events of one board and sender need unlike keys, a new member's others than a known one's.
        for key in before.into_iter().filter(|before| before.keys.len() <= MAX_KEYS).flat_map(|before| before.keys) {
            if keys.len() < MAX_KEYS && !keys.contains(&key) {
                keys.push(key);
            }
        }
        known.insert(kind, Known { keys, at_ms: now_ms, misses });
        let Value::Array(mut items) = reply else { return reply };
        items.swap_remove(0)
    }

    /// Whether a call that declared its keys failed since it lacked one, and can be sent again. Counts those in a row.
    pub(super) fn lacks_key(&self, call: &Invocation, reply: &Result<Value, Error>) -> bool {
        let is_of_locks = |error: &Error| error.detail.contains("'allow-key-locking'");
        let lacks_key = reply.as_ref().is_err_and(|error| is_of_locks(error) && (call.script.reads || error.applied() == Applied::No));
        let mut known = self.known.borrow_mut();
        if let Some(of_kind) = kind(call).and_then(|kind| known.get_mut(&kind)) {
            of_kind.misses = if lacks_key { of_kind.misses.saturating_add(1) } else { 0 };
        }
        lacks_key
    }
}

/// What the keys of a call follow from, besides the configuration, the state and the clock; `None` where it declares none.
fn kind(call: &Invocation) -> Option<String> {
    let script = call.script;
    if script.locks.is_empty() || call.varies {
        return None;
    }
    let text_of = |name: &&str| call.args.get(script.place_of(name)?);
    let values: Vec<&str> = script.locks.iter().filter_map(text_of).map(String::as_str).collect();
    Some([&[script.name, call.keys.first().map_or("", String::as_str)], &values[..]].concat().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::super::{Fault, Library, Script};
    use super::*;

    static LIBRARY: Library = Library { name: "eb_1", parts: &[] };
    static COUNTS: Script = Script {
        name: "count",
        library: &LIBRARY,
        function: "eb_1_count",
        locking: &LIBRARY,
        reads: false,
        locks: &["sender"],
        sha1: "abc",
        parts: &[],
        keys: &["board"],
        packed: 2,
        args: &["one", "two", "sender", "member"],
        each: &[],
    };

    fn call(sender: &str, member: &str) -> Invocation {
        let args = ["one\ntwo", sender, member].map(str::to_owned).to_vec();
        Invocation { script: &COUNTS, keys: vec!["eb:{s:b}".into()], args, varies: false }
    }

    fn reply_with(keys: impl IntoIterator<Item = String>) -> Value {
        let keys = keys.into_iter().map(|key| Value::BulkString(key.into_bytes())).collect();
        Value::Array(vec![Value::Okay, Value::Array(keys)])
    }

    fn keys(of: &[&str]) -> Way {
        Way::Keys(of.iter().map(|key| (*key).to_owned()).collect())
    }

    #[test]
    fn keys_are_known_by_the_arguments_that_they_follow_from_and_for_an_hour() {
        let locks = Locks::default();
        assert_eq!(locks.way(&call("browser", "a"), 0), Way::Telling);
        assert_eq!(locks.learn(&call("browser", "a"), reply_with(["x".into()]), 0), Value::Okay);
        assert_eq!(locks.way(&call("browser", "b"), KNOWN_MS - 1), keys(&["x"]));
        assert_eq!(locks.way(&call("server", "a"), 0), Way::Telling);
        assert_eq!(locks.way(&Invocation { varies: true, ..call("browser", "a") }, 0), Way::All);
        assert_eq!(locks.way(&call("browser", "b"), KNOWN_MS), Way::Telling);
        locks.learn(&call("browser", "a"), reply_with(["y".into()]), 1);
        assert_eq!(locks.way(&call("browser", "a"), 1), keys(&["y", "x"]), "another event may need what this one does not");
        locks.learn(&call("browser", "a"), reply_with(["z".into()]), 1 + KNOWN_MS);
        assert_eq!(locks.way(&call("browser", "a"), 1 + KNOWN_MS), keys(&["z"]));
    }

    #[test]
    fn calls_that_lack_keys_or_have_too_many_lock_everything_after_a_few() {
        let locks = Locks::default();
        let lacking = Err(Error::from_reply("UNTOUCHED", "FAILED ERR Dynamic keys … when 'allow-key-locking' flag is set. Key was: x"));
        let view = call("browser", "a");
        for n in 0..MAX_MISSES {
            assert_ne!(locks.way(&view, 0), Way::All);
            locks.learn(&view, reply_with([n.to_string()]), 0);
            assert!(locks.lacks_key(&view, &lacking));
        }
        assert_eq!(locks.way(&view, 0), Way::All);
        // One that succeeds begins anew.
        let locks = Locks::default();
        locks.learn(&view, reply_with(["x".into()]), 0);
        for reply in [&lacking, &lacking, &Ok(Value::Okay), &lacking] {
            locks.lacks_key(&view, reply);
        }
        assert_eq!(locks.way(&view, 0), keys(&["x"]));
        assert!(!locks.lacks_key(&view, &Err(Error::new(Fault::Script, "ERR … 'allow-key-locking' …"))), "it may have written");

        let locks = Locks::default();
        for _ in 0..MAX_MISSES {
            assert_eq!(locks.way(&view, 0), Way::Telling, "the first call on a board makes all of its keys");
            locks.learn(&view, reply_with((0..=MAX_KEYS).map(|n| n.to_string())), 0);
        }
        assert_eq!(locks.way(&view, 0), Way::All);
    }
}
