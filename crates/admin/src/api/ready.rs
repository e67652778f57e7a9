//! `GET /readyz`: Redis can count, lost nothing that nobody has settled, and its clock agrees with the worker's.

use http::Response;
use ranking::page::rfc3339;
use serde::Serialize;
use serve::api::{Problem, json};
use serve::app::health::Ready;
use serve::app::health::clocks::{self, ClocksDiffer};
use serve::app::{App, Runtime};

use super::restore::LossDocument;
use crate::app::Admin;
use crate::app::copies::SiteLoss;

#[derive(Serialize)]
struct Document<'s> {
    /// `ready`, or why nothing is copied.
    status: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    losses: Vec<SiteLossDocument<'s>>,
    /// Sites of run time whose configuration this version of the worker refuses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused_sites: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clocks: Option<ClocksDocument>,
    /// Where it is another one than `noeviction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    maxmemory_policy: Option<String>,
    /// Where the clocks of a cluster's nodes are too far apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    node_clocks_apart_ms: Option<u64>,
    /// Where an event needs more nodes of a cluster than a trip reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    trips_per_event: Option<usize>,
    /// `false` where Redis has none, or its user may not use them.
    #[serde(skip_serializing_if = "Option::is_none")]
    functions: Option<bool>,
    /// `false` where functions keep nothing from call to call.
    #[serde(skip_serializing_if = "Option::is_none")]
    memo: Option<bool>,
}

#[derive(Serialize)]
struct SiteLossDocument<'s> {
    site: &'s str,
    #[serde(flatten)]
    loss: LossDocument,
}

/// The readings of clocks that do not agree.
#[derive(Serialize)]
struct ClocksDocument {
    redis: Option<String>,
    worker: Option<String>,
}

impl ClocksDocument {
    fn of(ClocksDiffer { redis_ms, edge_ms }: ClocksDiffer) -> Self {
        let [redis, worker] = [redis_ms, edge_ms].map(|at_ms| rfc3339(at_ms, true));
        Self { redis, worker }
    }
}

/// 1. 503 when Redis cannot count, or a part of a cluster cannot; or when no replica has what is written, and a site waits for one.
/// 2. 503 when a binding is missing that the configuration needs.
/// 3. 200: it can. `status` is `ready` where nothing keeps it from being copied.
pub async fn get<R: Runtime>(app: &App<R>) -> Result<Response<Vec<u8>>, Problem> {
    let ready = app.health().ready().await.map_err(Problem::redis)?;
    if !ready.unserved.is_empty() {
        return Err(Problem::slots_unserved(&ready.unserved));
    }
    if !ready.unreplicated.is_empty() {
        return Err(Problem::unreplicated(&ready.unreplicated));
    }
    let lacks: Vec<_> = app.config.lacks.iter().collect();
    if !lacks.is_empty() {
        return Err(Problem::binding_needed(&lacks));
    }
    let losses = Admin(app).copies().losses().await;
    let status = losses.first().map(|first| first.loss.code.name());
    let differ = clocks::reached(ready.redis_ms, ready.edge_ms).err();
    let status = status.or(differ.map(|_| ClocksDiffer::CODE)).unwrap_or("ready");
    let losses =
        losses.iter().map(|SiteLoss { site, loss }| SiteLossDocument { site: site.as_str(), loss: LossDocument::of(*loss) }).collect();
    let Ready { evicts: maxmemory_policy, nodes_apart_ms: node_clocks_apart_ms, trips_per_event, has_functions, has_memo, .. } = ready;
    let refused_sites = app.sites().refused().await.iter().map(ToString::to_string).collect();
    let clocks = differ.map(ClocksDocument::of);
    let [functions, memo] = [has_functions, has_memo].map(|has| (!has).then_some(false));
    json(&Document { status, losses, refused_sites, clocks, maxmemory_policy, node_clocks_apart_ms, trips_per_event, functions, memo })
}
