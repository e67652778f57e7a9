//! Whether Redis can count.

pub mod clocks;

use std::cell::RefCell;

use engine::adapter::{Servers, Transport};
pub use engine::store::ready::Unserved;
use engine::store::{self, Store};
use ranking::site::Acknowledge;
use ranking::zone::Zones;
use serde_json::json;

use super::agenda::{Agenda, Resting};
use super::failure::Failure;
use super::ports::{Clock, Log, Runtime};
use super::redis::Redis;
use crate::config::Config;

/// What was found holds for so long, so that nobody keeps Redis busy by asking.
const KEPT_MS: u64 = 1_000;
/// What clocks of a cluster's nodes may be apart: an event on several boards counts in periods of the same names, but for so long.
const NODES_APART_MS: u64 = 100;
const HOUR_MS: u64 = 3_600_000;
/// The `maxmemory-policy` with which Redis refuses what it has no room for.
const KEEPS_ALL: &str = "noeviction";

/// Warnings about a Redis that can count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ready {
    /// The `maxmemory-policy`, where it lets Redis drop keys: then rankings lose members, and nothing is refused.
    pub evicts: Option<String>,
    /// The parts of a cluster that cannot count.
    pub unserved: Vec<Unserved>,
    /// Where no replica has what is written, and a site acknowledges only what one has.
    pub unreplicated: Vec<Unserved>,
    /// How many milliseconds the clocks of a cluster's nodes are apart at least, where that is too much.
    pub nodes_apart_ms: Option<u64>,
    /// How many trips an event takes that needs more nodes of a cluster than one reaches.
    pub trips_per_event: Option<usize>,
    /// Whether it has functions, and whether these keep anything from call to call, see [`store::ready::Ready`].
    pub has_functions: bool,
    pub has_memo: bool,
    /// Both clocks as it answered that, in Unix milliseconds.
    pub redis_ms: i64,
    pub edge_ms: i64,
}

/// What was found the last time, and when.
#[derive(Default)]
pub struct Readiness(RefCell<Option<(u64, Result<Ready, Failure>)>>);

/// Whether Redis can count, whether its clock is right, and what the deployment lacks.
pub struct Health<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) agenda: &'a Agenda,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
    pub(in crate::app) log: &'a dyn Log,
    pub(in crate::app) readiness: &'a Readiness,
}

impl<R: Runtime> Health<'_, R> {
    /// Asks Redis to run a script that writes, about once a second at most. Logs once an hour that Redis may drop keys.
    ///
    /// # Errors
    /// Why it does not: it is out, a replica, out of memory, or misses a right.
    pub async fn ready(&self) -> Result<Ready, Failure> {
        let now_ms = self.clock.clock_ms();
        if let Some((found_ms, found)) = &*self.readiness.0.borrow()
            && (*found_ms..*found_ms + KEPT_MS).contains(&now_ms)
        {
            return found.clone();
        }
        let found = self.ask_ready().await;
        self.readiness.0.replace(Some((self.clock.clock_ms(), found.clone())));
        found
    }

    async fn ask_ready(&self) -> Result<Ready, Failure> {
        let store = self.redis.store().map_err(|error| Failure::of_read(&error))?;
        let is_replicated = self.config.sites.values().any(|site| site.acknowledge == Acknowledge::Replicated);
        let ready = store.ready(is_replicated, || self.clock.clock_ms()).await.map_err(|error| Failure::of_read(&error))?;
        let store::ready::Ready { now_ms: redis_ms, policy, unserved, unreplicated, apart_ms, has_functions, has_memo, servers } = ready;
        let evicts = policy.filter(|policy| policy != KEEPS_ALL);
        if let Some(policy) = &evicts {
            self.log_eviction(policy);
        }
        let nodes_apart_ms = Some(apart_ms).filter(|apart_ms| *apart_ms > NODES_APART_MS);
        if let Some(apart_ms) = nodes_apart_ms {
            self.log_nodes_apart(apart_ms);
        }
        let trips_per_event = self.trips_per_event(&store, &servers);
        let edge_ms = self.clock.edge_ms();
        Ok(Ready { evicts, unserved, unreplicated, nodes_apart_ms, trips_per_event, has_functions, has_memo, redis_ms, edge_ms })
    }

    /// How many trips the event takes that needs most, where that is more than one; the log says once an hour which it is.
    fn trips_per_event<T: Transport, Z: Zones>(&self, store: &Store<'_, T, Z>, servers: &Servers) -> Option<usize> {
        let at_once = servers.at_once;
        if servers.each.len() <= at_once {
            return None;
        }
        let sites = self.config.sites.values();
        let widest = sites.filter_map(|site| Some((&site.name, store.widest_action(site, &servers.each)?)));
        let (site, (action, nodes)) = widest.max_by_key(|(_, (_, nodes))| *nodes).filter(|(_, (_, nodes))| *nodes > at_once)?;
        let trips = nodes.div_ceil(at_once);
        let now_ms = self.clock.clock_ms();
        if !self.agenda.rests(&Resting::Trips, now_ms) {
            self.agenda.rest(Resting::Trips, now_ms, HOUR_MS);
            let detail = format!(
                "an event of {action} counts on {nodes} nodes for the site {site}, and a trip reaches {at_once}: it takes {trips} trips"
            );
            self.log.log(&json!({ "level": "warn", "code": "trips-per-event", "detail": detail }));
        }
        Some(trips)
    }

    /// Has the nodes of a cluster say once an hour what time it is, so that the log tells where they do not agree.
    pub async fn look_at_nodes(&self) {
        let is_cluster = self.redis.is_cluster();
        let now_ms = self.clock.clock_ms();
        if is_cluster && !self.agenda.rests(&Resting::Nodes, now_ms) {
            self.agenda.rest(Resting::Nodes, now_ms, HOUR_MS);
            // Upkeep tells of a cluster that is out.
            drop(self.ready().await);
        }
    }

    /// Logs once an hour what is configured and lacks its binding.
    pub fn tell_lacks(&self) {
        let (now_ms, lacks) = (self.clock.clock_ms(), &self.config.lacks);
        if lacks.is_empty() || self.agenda.rests(&Resting::BindingMissing, now_ms) {
            return;
        }
        self.agenda.rest(Resting::BindingMissing, now_ms, HOUR_MS);
        let lines: Vec<&str> = lacks.iter().map(|lack| lack.line.as_str()).collect();
        self.log.log(&json!({ "level": "error", "code": "binding-missing", "detail": lines.join("; ") }));
    }

    fn log_nodes_apart(&self, apart_ms: u64) {
        let now_ms = self.clock.clock_ms();
        if self.agenda.rests(&Resting::NodesApart, now_ms) {
            return;
        }
        self.agenda.rest(Resting::NodesApart, now_ms, HOUR_MS);
        let detail = format!("the clocks of the cluster's nodes are at least {apart_ms} ms apart; tolerated: {NODES_APART_MS} ms");
        self.log.log(&json!({ "level": "warn", "code": "node-clocks", "detail": detail }));
    }

    fn log_eviction(&self, policy: &str) {
        let now_ms = self.clock.clock_ms();
        if self.agenda.rests(&Resting::Eviction, now_ms) {
            return;
        }
        self.agenda.rest(Resting::Eviction, now_ms, HOUR_MS);
        let detail = format!("maxmemory-policy = {policy:?} lets Redis drop what was counted; allowed: {KEEPS_ALL:?}");
        self.log.log(&json!({ "level": "error", "code": "maxmemory-policy", "detail": detail }));
    }
}
