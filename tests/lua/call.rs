//! One call of a script, its arguments by the names of the script's header.

use std::collections::BTreeMap;
use std::rc::Rc;

use chrono::DateTime;
use engine::adapter::script::run;
use engine::adapter::{Error, Invocation, Mode, Script, Transport, Value};
use engine::store::Store;
use engine::store::scripts::{RECORD_BATCH, RECORD_EVENT, RECORD_TRACKED, TOP};
use ranking::event::Batch;
use ranking::page::Page;
use ranking::period::Period;
use ranking::read::{PeriodRef, Read, ReadReply, ReadRequest};
use ranking::site::Site;
use ranking::window::{Unit, Window};
use ranking::zone::{Years, Zones};
use serve::ingest::{ParsedBatch, Refusal};

use crate::support::{Connection, Server, TzZones};

/// The batch of which every event is valid, or the first refusal.
pub fn whole(parsed: ParsedBatch) -> Result<Batch, Refusal> {
    let (batch, refusals) = parsed.valid();
    refusals.into_iter().flatten().next().map_or(Ok(batch), Err)
}

/// The board that the calls write and read.
pub const BOARD: &str = "eb:{site:board}";
/// A Friday noon: hour 498660, day 20777, week 2968, month 24322.
pub const NOON_S: i64 = 1_795_176_000;
pub const NOON_MS: i64 = NOON_S * 1000;
pub const HOUR_S: i64 = 3600;
pub const DAY_S: i64 = 86_400;

pub fn connect(server: &Server) -> Connection {
    Connection::new(server.url())
}

/// The keys that hold what was counted, sorted: all but the states.
pub fn counted_keys(server: &Server) -> Vec<String> {
    server.keys("*").into_iter().filter(|key| !key.ends_with(":state")).collect()
}

/// The store, over a transport, for a caller that takes this for the time (Unix seconds).
pub fn store<T: Transport, Z: Zones>(transport: T, zones: &Z, guess_s: i64) -> Store<'_, T, Z> {
    Store { transport, zones, guess_s, key_prefix: "eb", replica: None }
}

/// Unix seconds of an RFC 3339 instant.
#[track_caller]
pub fn unix_s(rfc3339: &str) -> i64 {
    DateTime::parse_from_rfc3339(rfc3339).expect("RFC 3339").timestamp()
}

/// `retention` of seconds that stand apart by spaces; what is no number is left as it is.
pub fn retention(seconds: &str) -> String {
    seconds.split(' ').map(|word| word.parse::<u64>().map_or(word.into(), |seconds| format!("{seconds:010}"))).collect()
}

/// A call in the making. Its defaults are what the store sends.
#[derive(Clone)]
pub struct Call {
    pub script: &'static Script,
    pub timezone: String,
    pub about_s: i64,
    pub keys: Vec<String>,
    pub args: BTreeMap<&'static str, String>,
    /// What stands after the named arguments.
    pub rest: Vec<String>,
}

impl Call {
    /// A call that counts, without events, in a zone at about an instant (Unix seconds).
    pub fn record(timezone: &str, about_s: i64) -> Self {
        let span = TzZones::default().span(timezone, Years::around(about_s, about_s));
        let stable = span.stable_offset_at(about_s);
        let kept: Vec<String> = Unit::EACH.iter().map(|unit| unit.retention_s().to_string()).collect();
        let args = [
            ("units", "hdwmya".to_owned()),
            ("stable_from", stable.from.to_string()),
            ("stable_until", stable.until.to_string()),
            ("stable_offset", stable.offset.to_string()),
            ("day_starts_at", "0".into()),
            ("week_starts_on", "0".into()),
            ("replay_window", "3600".into()),
            ("once_kept", "3600".into()),
            ("max_members", "1000000".into()),
            ("known_for", "0".into()),
            ("newcomers", String::new()),
            ("retention", retention(&kept.join(" "))),
            ("rolling", String::new()),
            ("decaying", String::new()),
            ("changed", String::new()),
            ("archived", String::new()),
            ("options", String::new()),
            ("actor_history", "2678400".into()),
            ("journal", "0".into()),
            ("new_salt", String::new()),
            ("visitors_per_address", "0".into()),
            ("zone", span.to_arg()),
            ("sender", "browser".into()),
            ("batch_id", String::new()),
            ("has_all", "1".into()),
        ];
        Self { script: &RECORD_TRACKED, timezone: timezone.into(), about_s, keys: vec![BOARD.into()], args: args.into(), rest: Vec::new() }
    }

    /// A `top` of the current period of a calendar unit.
    pub fn top(timezone: &str, about_s: i64, unit: &str) -> Self {
        let span = TzZones::default().span(timezone, Years::around(about_s, about_s));
        let args = [
            ("window", "calendar".to_owned()),
            ("kind", "calendar".into()),
            ("unit", unit.to_owned()),
            ("length", "1".into()),
            ("amount", "0".into()),
            ("at", "0".into()),
            ("min_score", "0".into()),
            ("ties", String::new()),
            ("ranking", "ordinal".into()),
            ("has_metas", "0".into()),
            ("number", String::new()),
            ("offset", "0".into()),
            ("limit", "100".into()),
            ("known", String::new()),
            ("tick", "1".into()),
            ("kept", "0".into()),
            ("compared", "100".into()),
            ("tallied", "0".into()),
            ("day_starts_at", "0".into()),
            ("week_starts_on", "0".into()),
            ("zone", span.to_arg()),
        ];
        Self { script: &TOP, timezone: timezone.into(), about_s, keys: vec![BOARD.into()], args: args.into(), rest: Vec::new() }
    }

    /// Sets a named argument.
    #[track_caller]
    pub fn set(mut self, name: &str, value: &str) -> Self {
        *self.args.get_mut(name).unwrap_or_else(|| panic!("{} has no argument {name}", self.script.name)) = value.into();
        self
    }

    /// Lets the zone's span reach as far back as an instant (Unix seconds).
    pub fn since(self, from_s: i64) -> Self {
        let span = TzZones::default().span(&self.timezone, Years::around(from_s, self.about_s));
        self.set("zone", &span.to_arg())
    }

    /// Adds an event: member, delta, when, id.
    pub fn event(self, [member, delta, when, id]: [&str; 4]) -> Self {
        self.tracked([member, delta, when, id, ""])
    }

    /// Adds an event: member, delta, when, id, and its action; of a tracked one "action:verb:once:what:who", a seq behind the verb.
    pub fn tracked(mut self, event: [&str; 5]) -> Self {
        self.rest.extend(event.map(String::from));
        self
    }

    /// The script; of those that count the one that the store would choose.
    pub fn script(&self) -> &'static Script {
        let is_tracked = || self.rest.iter().skip(4).step_by(5).any(|tracked| tracked.contains(':'));
        match self.script.name {
            "record_tracked" if self.rest.is_empty() || is_tracked() => &RECORD_TRACKED,
            "record_tracked" if self.rest.len() == 5 => &RECORD_EVENT,
            "record_tracked" => &RECORD_BATCH,
            _ => self.script,
        }
    }

    /// The named arguments in the order of the header, then the rest.
    pub fn arguments(&self) -> Vec<String> {
        let script = self.script();
        let mut rest = self.rest.iter();
        let named = |name: &&str| self.args.get(name).or_else(|| rest.next()).expect("a value").clone();
        let mut arguments: Vec<String> = script.args.iter().map(named).collect();
        if script.packed > 0 {
            let packed = arguments.drain(..script.packed).collect::<Vec<_>>().join("\n");
            arguments.insert(0, packed);
        }
        match script.name {
            "record_event" => {}
            "record_tracked" => arguments.extend(rest.as_slice().chunks(5).flat_map(tracked_fields)),
            _ => arguments.extend(rest.cloned()),
        }
        arguments
    }

    /// The reply, or the error that the script answered.
    pub fn try_send(&self, transport: &impl Transport) -> Result<Vec<Value>, Error> {
        let invocation = Invocation { script: self.script(), keys: self.keys.clone(), args: self.arguments(), varies: false };
        let reply = pollster::block_on(run(transport, &[invocation], Mode::Pipeline)).expect("redis-server answers").pop();
        match reply.expect("one reply")? {
            Value::Array(fields) => Ok(fields),
            text @ Value::BulkString(_) => Ok(vec![Value::BulkString("OK".into()), text]),
            other => panic!("{} answered {other:?}", self.script.name),
        }
    }

    /// The reply of a call that must succeed.
    #[track_caller]
    pub fn send(&self, transport: &impl Transport) -> Vec<Value> {
        self.try_send(transport).unwrap_or_else(|error| panic!("{}: {error}", self.script.name))
    }

    /// Sends a `record` that must be able to count; answers one outcome code per event.
    #[track_caller]
    pub fn outcomes(&self, transport: &impl Transport) -> String {
        match self.send(transport).as_slice() {
            [Value::BulkString(ok), Value::BulkString(outcomes)] if ok == b"OK" => String::from_utf8_lossy(outcomes).into_owned(),
            other => panic!("record answered {other:?}"),
        }
    }
}

/// The arguments of an event that [`Call::tracked`] added.
fn tracked_fields(event: &[String]) -> Vec<String> {
    let (text, item) = event[4].split_once('\n').unwrap_or((&event[4], ""));
    let mut parts = text.splitn(5, ':');
    let mut next = || parts.next().unwrap_or_default();
    let (action, (verb, seq)) = (next(), next().split_at_checked(1).unwrap_or_default());
    let fields = [action, verb, seq, "", next(), next(), next(), item];
    event[..4].iter().cloned().chain(fields.map(String::from)).collect()
}

/// The instant (Unix milliseconds) of the last change that the board's state knows; 0 before the first one.
pub fn changed_ms(server: &Server) -> i64 {
    match server.command(&["HGET", &format!("{BOARD}:state"), "changed"]) {
        Value::BulkString(micros) => String::from_utf8_lossy(&micros).parse::<i64>().expect("microseconds") / 1000,
        _ => 0,
    }
}

/// How often each command ran on a server since `CONFIG RESETSTAT`, those of scripts too.
pub fn calls(server: &Server) -> BTreeMap<String, u64> {
    let stats = server.text(&["INFO", "commandstats"]);
    let calls = stats.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
        Some((name, rest.split_once(',')?.0.parse::<u64>().ok()?))
    });
    let mut sums = BTreeMap::new();
    // The second is of a connection that is new, and what follows of a replica.
    let others = ["config|resetstat", "cluster|slots", "ping", "psync", "replconf"];
    for (name, calls) in calls.filter(|(name, _)| !others.contains(name)) {
        *sums.entry(name.to_owned()).or_default() += calls;
    }
    sums
}

/// A period of a window of a board, the current one by default.
pub fn period_ref(site: &Site, board: &str, window: &Window, period: Option<Period>) -> PeriodRef {
    PeriodRef { board: Rc::clone(&site.boards[board]), window: window.clone(), period, hour_starts_at: None }
}

/// What a read finds.
#[track_caller]
pub fn read<T: Transport, Z: Zones>(store: &Store<'_, T, Z>, site: &Rc<Site>, read: Read) -> ReadReply {
    pollster::block_on(store.read(&ReadRequest { site: Rc::clone(site), read, by: String::new() }, &[])).expect("redis answers")
}

/// A page: `limit` entries after `offset`.
#[track_caller]
pub fn page<T: Transport, Z: Zones>(store: &Store<'_, T, Z>, site: &Rc<Site>, of: PeriodRef, [offset, limit]: [u32; 2]) -> Page {
    match read(store, site, Read::Top { of, offset, limit }) {
        ReadReply::Pages(mut pages) => pages.remove(0),
        other => panic!("{other:?}"),
    }
}
